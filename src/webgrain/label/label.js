"use strict";
// The labelling tool: what the pointer and the keys do to the marks of the page that is open.
import { compare } from "./compare.js";
import { Drawing } from "./draw.js";
import {
  History, beginnings, fill, newKey, owners, partAt, partsIn, plain, put, step, takeOut, textOf, withKeys,
} from "./marks.js";
import { buildLists, drawPages, drawRoles, drawSegments } from "./panel.js";
import { Saver, ask } from "./saver.js";

const $ = (id) => document.getElementById(id);
const DRAG = 6; // px that the pointer goes before a click is a drag

const drawing = new Drawing($("marks"));
const saver = new Saver((text, isError) => {
  $("saved").textContent = text;
  $("saved").classList.toggle("error", isError);
});
const opened = new Map(); // number of a page -> promise of {scene, segments, history}

let site = null; // the pages and the roles
let number = 0; // of the page that is open
let page = null; // null where it cannot be shown
let current = 0; // key of the chosen segment, 0 for none
let cursor = -1; // the part that a mark would take
let isRaised = false; // whether the keys or the wheel chose it, not the pointer alone
let drag = null;

// Pages

function load(wanted) {
  if (!opened.has(wanted)) {
    const loading = ask(`/pages/${wanted}`).then(({ segments, revision, ...scene }) => {
      saver.know(wanted, revision);
      scene.leaf = []; // leaf -> its part
      scene.first.forEach((leaf, part) => {
        if (scene.last[part] - leaf === 1) scene.leaf[leaf] = part;
      });
      return { scene, segments: withKeys(segments), history: new History() };
    });
    loading.catch(() => opened.delete(wanted));
    opened.set(wanted, loading);
  }
  return opened.get(wanted);
}

/** Opens a page; with a direction, goes on to the next one that can be shown. */
async function open(wanted, direction = 0) {
  number = wanted;
  show(null, "Loading…");
  try {
    const loaded = await load(wanted);
    if (number !== wanted) return;
    show(loaded, "");
    if (wanted + 1 < site.pages.length && !site.pages[wanted + 1].failure) load(wanted + 1).catch(() => {});
  } catch (error) {
    if (error.status === 422) site.pages[wanted].failure = error.message;
    if (number !== wanted) return;
    const next = wanted + direction;
    if (direction && site.pages[next]) await open(next, direction);
    else show(null, `This page cannot be shown: ${error.message}`);
  }
}

function go(direction) {
  const next = number + direction;
  if (site.pages[next]) open(next, direction);
}

function show(loaded, message) {
  page = loaded;
  current = 0;
  cursor = -1;
  drag = null;
  const { page: id } = site.pages[number];
  history.replaceState(null, "", `/#${encodeURIComponent(id)}`);
  document.title = `${id} · Label pages`;
  $("title").textContent = id;
  $("message").textContent = message;
  $("message").hidden = !message;
  $("sheet").hidden = !page;
  $("stage").scrollTo(0, 0);
  if (page) {
    const { size, picture } = page.scene;
    $("picture").src = `/pages/${number}/picture`;
    $("picture").style.width = `${(100 * picture[0]) / size[0]}%`;
    $("sheet").style.maxWidth = `${size[0]}px`;
    $("sheet").style.aspectRatio = `${size[0]} / ${size[1]}`;
    drawing.open(page.scene);
  }
  draw();
}

// Marks

function change(segments, chosen) {
  page.history.note(page.segments);
  settle(segments, chosen);
}

function settle(segments, chosen) {
  page.segments = segments;
  current = segments.some((segment) => segment.key === chosen) ? chosen : 0;
  saver.save(number, plain(segments));
  draw();
}

/** Marks parts as a new segment; with `adds`, puts them into the chosen one. */
function mark(parts, adds) {
  if (!parts.length) return;
  const owner = parts.length === 1 ? beginnings(page.segments).get(parts[0]) : undefined;
  if (adds && owner === current && current) change(takeOut(page.scene, page.segments, parts[0]), current);
  else if (adds && current) change(put(page.scene, page.segments, parts, current), current);
  else if (owner) choose(owner);
  else {
    const key = newKey();
    change(put(page.scene, page.segments, parts, key), key);
  }
}

function choose(key) {
  current = key;
  draw();
}

/** Chooses a segment in the list, and shows where it is. */
function find(key) {
  choose(key);
  const { parts } = page.segments.find((segment) => segment.key === key);
  if (!parts.length) return;
  isRaised = true;
  point(parts[0]);
  reveal();
}

function setRole(role) {
  const old = page && page.segments.find((segment) => segment.key === current);
  if (old && old.role !== role) change(page.segments.map((s) => (s === old ? { ...s, role } : s)), current);
}

function remove() {
  if (page && current) change(page.segments.filter((segment) => segment.key !== current), 0);
}

function undo() {
  if (page && page.history.canUndo) settle(page.history.undo(page.segments), current);
}

function redo() {
  if (page && page.history.canRedo) settle(page.history.redo(page.segments), current);
}

async function suggest() {
  if (!page) return;
  const target = page;
  try {
    const { segments } = await ask(`/pages/${number}/suggestion`);
    if (target !== page) return;
    const filled = fill(page.scene, page.segments, withKeys(segments));
    if (filled.length > page.segments.length) change(filled, current);
    else say("There is nothing to fill in: every leaf is in a segment.");
  } catch (error) {
    say(`No suggestion: ${error.message}`);
  }
}

// What is seen

function say(text) {
  $("here").textContent = text;
}

function draw() {
  const free = page ? drawing.segments(page.scene, page.segments, current) : 0;
  const leaves = page ? page.scene.text.length : 0;
  $("facts").textContent = page
    ? [`${leaves - free} of ${leaves} leaves in a segment`, ...page.scene.notes].join(" · ")
    : "";
  site.pages[number].segments = page ? page.segments.length : site.pages[number].segments;
  $("undo").disabled = !page || !page.history.canUndo;
  $("redo").disabled = !page || !page.history.canRedo;
  $("suggest").disabled = !page;
  $("remove").disabled = !current;
  drawPages(site, number);
  drawRoles(page && page.segments.find((segment) => segment.key === current));
  drawSegments(page, current);
}

/** Moves the cursor to a part and says what it is. */
function point(part) {
  cursor = part;
  drawing.point(page.scene, part);
  if (part < 0) return;
  const { scene } = page;
  const names = [];
  for (let node = part; node >= 0; node = scene.parent[node]) names.unshift(scene.name[node]);
  const leaves = scene.last[part] - scene.first[part];
  say(`${names.slice(-4).join(" › ")} · ${leaves} ${leaves === 1 ? "leaf" : "leaves"} · ${textOf(scene, part)}`);
}

function walk(way) {
  isRaised = true;
  point(step(page.scene, cursor, way));
  reveal();
}

/** Scrolls to the cursor where it is out of sight. */
function reveal() {
  const [, top, , height] = page.scene.box[cursor];
  const scale = $("marks").clientWidth / page.scene.size[0];
  const stage = $("stage");
  const y = top * scale + $("sheet").offsetTop - stage.offsetTop;
  if (y < stage.scrollTop || y + Math.min(height * scale, 80) > stage.scrollTop + stage.clientHeight) {
    stage.scrollTo(0, y - 60);
  }
}

function nextFree() {
  const owner = owners(page.scene, page.segments);
  const after = cursor < 0 ? 0 : page.scene.last[cursor];
  const free = [...owner.keys()].filter((leaf) => owner[leaf] === 0);
  if (!free.length) return say("Every leaf is in a segment.");
  isRaised = true;
  point(page.scene.leaf[free.find((leaf) => leaf >= after) ?? free[0]]);
  return reveal();
}

// Pointer

function place(event) {
  const frame = $("marks").getBoundingClientRect();
  const scale = page.scene.size[0] / frame.width;
  return [(event.clientX - frame.left) * scale, (event.clientY - frame.top) * scale];
}

const frameOf = ([x, y], [u, v]) => [Math.min(x, u), Math.min(y, v), Math.abs(x - u), Math.abs(y - v)];

$("marks").addEventListener("pointerdown", (event) => {
  if (!page || event.button !== 0) return;
  const chip = event.target.closest(".chip");
  if (chip) {
    choose(Number(chip.dataset.key));
    return;
  }
  drag = { from: place(event), client: [event.clientX, event.clientY], moved: false };
  $("marks").setPointerCapture(event.pointerId);
});

$("marks").addEventListener("pointermove", (event) => {
  if (!page) return;
  const [x, y] = place(event);
  if (!drag) {
    const part = partAt(page.scene, x, y);
    const { first, last } = page.scene;
    const isInside = part >= 0 && cursor >= 0 && first[part] >= first[cursor] && last[part] <= last[cursor];
    if (isRaised && isInside) return;
    isRaised = false;
    if (part !== cursor) point(part);
    return;
  }
  drag.moved ||= Math.hypot(event.clientX - drag.client[0], event.clientY - drag.client[1]) > DRAG;
  if (drag.moved) {
    const frame = frameOf(drag.from, [x, y]);
    drawing.point(page.scene, -1);
    drawing.drag(page.scene, frame, partsIn(page.scene, frame));
  }
});

$("marks").addEventListener("pointerup", (event) => {
  if (!page || !drag) return;
  const { from, moved } = drag;
  drag = null;
  drawing.drag(page.scene, null, []);
  if (moved) mark(partsIn(page.scene, frameOf(from, place(event))), event.shiftKey);
  else if (cursor >= 0) mark([cursor], event.shiftKey);
});

$("marks").addEventListener("pointercancel", () => {
  drag = null;
  if (page) drawing.drag(page.scene, null, []);
});

$("stage").addEventListener("wheel", (event) => {
  if (!page || !event.shiftKey || cursor < 0) return;
  event.preventDefault();
  isRaised = true;
  point(step(page.scene, cursor, (event.deltaY || event.deltaX) < 0 ? "up" : "down"));
}, { passive: false });

// Keys and buttons

const WAYS = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };
const actions = {
  n: () => go(1),
  p: () => go(-1),
  g: suggest,
  "?": () => $("help").showModal(),
  0: () => setRole(null),
  delete: remove,
  backspace: remove,
  escape: () => choose(0),
  ".": () => page && nextFree(),
};

document.addEventListener("keydown", (event) => {
  if (!site || document.querySelector("dialog[open]")) return;
  const key = event.key.toLowerCase();
  if (event.ctrlKey || event.metaKey) {
    if (key === "z") (event.shiftKey ? redo : undo)();
    else if (key === "y") redo();
    else return;
  } else if (event.altKey) return;
  else if (event.key in WAYS) {
    if (page) walk(WAYS[event.key]);
  } else if (key === "enter") {
    if (event.target.closest("button")) return;
    if (page && cursor >= 0) mark([cursor], event.shiftKey);
  } else if (key in actions) actions[key]();
  else {
    const role = Object.keys(site.roles).find((name) => site.roles[name] === key);
    if (!role) return;
    setRole(role);
  }
  event.preventDefault();
});

const buttons = { undo, redo, suggest, remove, compare, next: actions.n, previous: actions.p, keys: actions["?"] };
for (const [id, action] of Object.entries(buttons)) {
  $(id).addEventListener("click", action);
}
$("bare").addEventListener("change", () => $("marks").classList.toggle("covered", !$("bare").checked));
// Begin

async function begin() {
  try {
    site = await ask("/pages");
  } catch (error) {
    $("title").textContent = error.message;
    return;
  }
  buildLists(site, { openPage: open, setRole, choose: find });
  const wanted = decodeURIComponent(location.hash.slice(1));
  const known = site.pages.findIndex((one) => one.page === wanted);
  open(known < 0 ? site.start : known, known < 0 ? 1 : 0);
}

begin();
