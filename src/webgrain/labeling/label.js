"use strict";
// The labelling tool: which page is open, what is marked on it, and what the keys and buttons do.
import { compare } from "./compare.js";
import { Drawing } from "./draw.js";
import { Hand } from "./hand.js";
import { History, beginnings, fill, newKey, plain, put, takeOut, withKeys } from "./marks.js";
import { Pages } from "./pages.js";
import { buildLists, drawPages, drawRoles, drawSegments } from "./panel.js";
import { ask } from "./saver.js";

const $ = (id) => document.getElementById(id);
const drawing = new Drawing($("marks"));
const hand = new Hand($("marks"), $("stage"), drawing, { mark, choose, say });
const pages = new Pages(take, shown);

let page = null; // {view, segments, history}, null where it cannot be shown
let current = 0; // key of the chosen segment, 0 for none

// Pages

function take(view, segments) {
  view.leaf = []; // leaf -> its part
  view.first.forEach((leaf, part) => {
    if (view.last[part] - leaf === 1) view.leaf[leaf] = part;
  });
  return { view, segments: withKeys(segments), history: new History() };
}

function shown(loaded) {
  const id = pages.site.pages[pages.number].page;
  page = loaded;
  current = 0;
  history.replaceState(null, "", `/#${encodeURIComponent(id)}`);
  document.title = `${id} · Label pages`;
  hand.open(page && page.view);
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
  pages.save(plain(segments));
  draw();
}

/** Marks parts as a new segment; with `adds`, puts them into the chosen one. */
function mark(parts, adds) {
  if (!parts.length) return;
  const owner = parts.length === 1 ? beginnings(page.segments).get(parts[0]) : undefined;
  if (adds && current && owner === current) change(takeOut(page.view, page.segments, parts[0]), current);
  else if (adds && current) change(put(page.view, page.segments, parts, current), current);
  else if (owner) choose(owner);
  else {
    const key = newKey();
    change(put(page.view, page.segments, parts, key), key);
  }
}

function chosen() {
  return page && page.segments.find((segment) => segment.key === current);
}

function choose(key) {
  current = key;
  draw();
}

/** Chooses a segment in the list, and shows where it is. */
function find(key) {
  choose(key);
  if (chosen().parts.length) hand.go(chosen().parts[0]);
}

function setRole(role) {
  const old = chosen();
  if (old && old.role !== role) change(page.segments.map((s) => (s === old ? { ...s, role } : s)), current);
}

function remove() {
  if (chosen()) change(page.segments.filter((segment) => segment.key !== current), 0);
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
    const { segments } = await ask(`/pages/${pages.number}/suggestion`);
    if (target !== page) return;
    const filled = fill(page.view, page.segments, withKeys(segments));
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
  const free = page ? drawing.segments(page.view, page.segments, current) : 0;
  const leaves = page ? page.view.text.length : 0;
  const facts = page ? [`${leaves - free} of ${leaves} leaves in a segment`, ...page.view.notes] : [];
  $("facts").textContent = facts.join(" · ");
  if (page) pages.site.pages[pages.number].segments = page.segments.length;
  $("undo").disabled = !page || !page.history.canUndo;
  $("redo").disabled = !page || !page.history.canRedo;
  $("suggest").disabled = !page;
  $("remove").disabled = !chosen();
  drawPages(pages);
  drawRoles(chosen());
  drawSegments(page, current);
}

// Keys and buttons

const WAYS = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };
const actions = {
  n: () => pages.go(1),
  p: () => pages.go(-1),
  g: suggest,
  "?": () => $("help").showModal(),
  0: () => setRole(null),
  delete: remove,
  backspace: remove,
  escape: () => choose(0),
  ".": () => page && hand.toFree(page.segments),
};

/** What a key does; nothing for keys that are the browser's. */
function actionOf(event) {
  const key = event.key.toLowerCase();
  if (event.ctrlKey || event.metaKey) return { z: event.shiftKey ? redo : undo, y: redo }[key];
  if (event.altKey) return undefined;
  if (event.key in WAYS) return () => page && hand.walk(WAYS[event.key]);
  if (key === "enter" && event.target.closest("button")) return undefined; // it presses the button
  if (key === "enter") return () => page && hand.part >= 0 && mark([hand.part], event.shiftKey);
  const { roles } = pages.site;
  const role = Object.keys(roles).find((name) => roles[name] === key);
  return role ? () => setRole(role) : actions[key];
}

document.addEventListener("keydown", (event) => {
  if (!pages.site || document.querySelector("dialog[open]")) return;
  const action = actionOf(event);
  if (!action) return;
  event.preventDefault();
  action();
});

const buttons = { undo, redo, suggest, remove, compare, next: actions.n, previous: actions.p, keys: actions["?"] };
for (const [id, action] of Object.entries(buttons)) $(id).addEventListener("click", action);
// Whoever clicks a button goes on at the page: Enter is to mark there, not to press the button again.
document.addEventListener("click", (event) => {
  const isMouse = event.detail > 0 && !document.querySelector("dialog[open]");
  if (isMouse && event.target.closest("button")) $("stage").focus({ preventScroll: true });
});
$("bare").addEventListener("change", () => $("marks").classList.toggle("covered", !$("bare").checked));

// Begin

if (await pages.begin()) {
  buildLists(pages.site, { setRole, choose: find });
  const known = pages.site.pages.findIndex((one) => `#${encodeURIComponent(one.page)}` === location.hash);
  pages.open(known < 0 ? pages.site.start : known, known < 0 ? 1 : 0);
}
