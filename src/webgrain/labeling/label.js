"use strict";
// The labelling tool: which page is open, what is marked on it, and what the keys and buttons do.
import { compare } from "./compare.js";
import * as content from "./content.js";
import { Details } from "./details.js";
import { Drawing } from "./draw.js";
import { Hand } from "./hand.js";
import * as blocks from "./marks.js";
import { History, fill, keysAt, newKey, patched } from "./marks.js";
import { Pages } from "./pages.js";
import { buildMarks, buildNames, drawMarks, drawNames, drawPages } from "./panel.js";
import { ask } from "./saver.js";

const $ = (id) => document.getElementById(id);
const drawing = new Drawing($("marks"));
const hand = new Hand($("marks"), $("stage"), drawing, { mark, choose, say });
const pages = new Pages(take, shown);

const lostOf = ({ lost }, what) => (lost.length ? `${lost.length} ${lost.length === 1 ? "part" : "parts"} ${what}` : "");
const partsOf = ({ parts }) => (parts.length > 1 ? `${parts.length} parts` : "");

/** The two layers of marks of a page: how their marks change, what they are called, and what is saved. */
const LAYERS = {
  blocks: {
    ...blocks,
    thing: "segment",
    nameless: "no role",
    legend: "Role of the segment",
    factsOf: (mark) => [partsOf(mark), lostOf(mark, "no longer on the page")],
    saved: ({ marks }) => ({ segments: blocks.plain(marks) }),
  },
  content: {
    ...content,
    thing: "mark",
    nameless: "no name",
    legend: "Name of the mark",
    factsOf: (mark) => [
      content.lackOf(mark), partsOf(mark), lostOf(mark, "not visible"), mark.value, mark.attribute,
      mark.span && "part of the text", mark.label && "with label",
    ],
    saved: (state) => ({ content: content.plain(state) }),
  },
};

let page = null; // {view, blocks: {state, history}, content: {state, history}}, null where it cannot be shown
let layer = sessionStorage.layer === "content" ? "content" : "blocks"; // that is edited
let current = 0; // key of the chosen mark, 0 for none
let asksLabel = false; // whether the next click chooses the label of the chosen mark
let details = null;

// Pages

function take({ content: sent, ...view }, segments) {
  view.leaf = []; // leaf -> its part
  view.first.forEach((leaf, part) => {
    if (view.last[part] - leaf === 1) view.leaf[leaf] = part;
  });
  return {
    view,
    blocks: { state: { marks: blocks.taken(segments) }, history: new History() },
    content: { state: content.taken(sent), history: new History() },
  };
}

function shown(loaded) {
  const id = pages.site.pages[pages.number].page;
  page = loaded;
  current = 0;
  asksLabel = false;
  history.replaceState(null, "", `/#${encodeURIComponent(id)}`);
  document.title = `${id} · Label pages`;
  hand.open(page && page.view);
  draw();
}

// Layers

/** Edits a layer: "blocks" or "content". */
function edit(wanted) {
  layer = wanted;
  sessionStorage.layer = layer;
  current = 0;
  asksLabel = false;
  buildNames(names(), setName);
  draw();
}

/** Names of the marks of the layer, with their keys. */
function names() {
  const { roles, content: choices } = pages.site;
  if (layer === "content") return choices.names;
  return [...Object.entries(roles), ["", "0"]].map(([name, key]) => ({ name, key }));
}

const marks = () => (page ? page[layer].state.marks : []);

// Marks

/** Changes the state of the layer. */
function change(update, chosen = current) {
  const { state, history: past } = page[layer];
  past.note(state);
  settle({ ...state, ...update }, chosen);
}

function settle(state, chosen) {
  page[layer].state = state;
  current = state.marks.some((one) => one.key === chosen) ? chosen : 0;
  asksLabel &&= Boolean(current);
  pages.save(LAYERS[layer].saved(state));
  draw();
}

/** Changes the chosen mark. */
function patch(update) {
  if (chosen()) change({ marks: patched(marks(), current, update) });
}

/** Marks parts; with `adds`, puts them into the chosen mark, or takes one out of it. */
function mark(parts, adds) {
  if (!parts.length) return;
  const { put, takeOut } = LAYERS[layer];
  const keys = parts.length === 1 ? keysAt(marks(), parts[0]) : [];
  if (asksLabel) setLabel(parts);
  else if (adds && keys.includes(current)) change({ marks: takeOut(page.view, marks(), parts[0], current) });
  else if (adds && current) change({ marks: put(page.view, marks(), parts, current) });
  else if (keys.length) choose(keys[(keys.indexOf(current) + 1) % keys.length]); // of several, one after the other
  else create(parts, null);
}

/** Marks parts as a new mark. */
function create(parts, name) {
  const key = newKey();
  change({ marks: patched(LAYERS[layer].put(page.view, marks(), parts, key), key, { name }) }, key);
}

function chosen() {
  return marks().find((one) => one.key === current);
}

function choose(key) {
  current = key;
  asksLabel = false;
  draw();
}

/** Chooses a mark in the list, and shows where it is. */
function find(key) {
  choose(key);
  if (chosen().parts.length) hand.go(chosen().parts[0]);
}

/** Names the chosen mark. Content without one, or with `isNew`, is marked where the pointer is. */
function setName(name, isNew = false) {
  const old = chosen();
  if (layer === "content" && (isNew || !old)) {
    if (page && hand.part >= 0) create([hand.part], name);
  } else if (old && old.name !== name) patch(layer === "content" ? content.renamed(old, name) : { name });
}

function remove() {
  if (chosen()) change({ marks: marks().filter((one) => one.key !== current) }, 0);
}

function undo() {
  const { history: past, state } = page ? page[layer] : {};
  if (past?.canUndo) settle(past.undo(state), current);
}

function redo() {
  const { history: past, state } = page ? page[layer] : {};
  if (past?.canRedo) settle(past.redo(state), current);
}

async function suggest() {
  if (!page || layer !== "blocks") return;
  const target = page;
  try {
    const { segments } = await ask(`/pages/${pages.number}/suggestion`);
    if (target !== page || layer !== "blocks") return;
    const filled = fill(page.view, marks(), blocks.taken(segments));
    if (filled.length > marks().length) change({ marks: filled });
    else say("There is nothing to fill in: every leaf is in a segment.");
  } catch (error) {
    say(`No suggestion: ${error.message}`);
  }
}

// Content

/** Lets the next click choose the label of the chosen value. */
function askLabel() {
  if (chosen()?.name !== "value") return;
  asksLabel = !asksLabel;
  draw();
  if (asksLabel) say("Click the label of the value; Esc ends.");
}

function setLabel(parts) {
  asksLabel = false;
  patch({ label: content.placeOf(parts), label_span: null });
}

/** Declares that the page does not have a name, or takes it back. */
function toggle(name) {
  if (!page) return;
  const { absent } = page.content.state;
  const others = absent.filter((one) => one !== name);
  change({ absent: others.length < absent.length ? others : [...absent, name] });
}

/** Chooses the next mark of content that lacks something. */
function toLacking() {
  const all = marks();
  const start = all.findIndex((one) => one.key === current) + 1;
  const next = [...all.slice(start), ...all.slice(0, start)].find(content.lackOf);
  if (next) find(next.key);
  else say("No mark lacks a name or an ISO date.");
}

// What is seen

function say(text) {
  $("here").textContent = text;
}

function draw() {
  const { thing, legend } = LAYERS[layer];
  const free = page ? drawing.marks(page.view, marks(), current) : 0;
  if (page) drawing.faint(page.view, page[layer === "blocks" ? "content" : "blocks"].state.marks);
  const leaves = page ? page.view.text.length : 0;
  const facts = page ? [`${leaves - free} of ${leaves} leaves in a ${thing}`, ...page.view.notes] : [];
  $("facts").textContent = facts.join(" · ");
  if (page) {
    pages.site.pages[pages.number].segments = page.blocks.state.marks.length;
    pages.site.pages[pages.number].marks = content.plain(page.content.state).marks.length;
  }
  $("undo").disabled = !page || !page[layer].history.canUndo;
  $("redo").disabled = !page || !page[layer].history.canRedo;
  $("suggest").disabled = !page || layer !== "blocks";
  $("remove").disabled = !chosen();
  for (const name of Object.keys(LAYERS)) $(`edit-${name}`).setAttribute("aria-pressed", name === layer);
  document.body.classList.toggle("content", layer === "content");
  $("legend").textContent = legend;
  drawPages(pages);
  drawNames(chosen());
  drawMarks(page && page.view, marks(), current, LAYERS[layer]);
  const isContent = page && layer === "content";
  details.draw(pages.number, page && page.view, isContent ? page.content.state : null, chosen(), asksLabel);
}

// Keys and buttons

const WAYS = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };
const actions = {
  n: () => pages.go(1),
  p: () => pages.go(-1),
  g: suggest,
  x: () => edit(layer === "blocks" ? "content" : "blocks"),
  "?": () => $("help").showModal(),
  0: () => layer === "blocks" && setName(null),
  delete: remove,
  backspace: remove,
  escape: () => (asksLabel ? askLabel() : choose(0)),
  ".": () => page && (layer === "blocks" ? hand.toFree(marks()) : toLacking()),
};
const contentActions = { f: askLabel, q: () => details.focus() };

/** What a key does; nothing for keys that are the browser's. */
function actionOf(event) {
  const key = event.key.toLowerCase();
  if (event.ctrlKey || event.metaKey) return { z: event.shiftKey ? redo : undo, y: redo }[key];
  if (event.altKey) return undefined;
  if (event.key in WAYS) return () => page && hand.walk(WAYS[event.key]);
  if (key === "enter" && event.target.closest("button")) return undefined; // it presses the button
  if (key === "enter") return () => page && hand.part >= 0 && mark([hand.part], event.shiftKey);
  const named = names().find((one) => one.name && one.key === key);
  if (named) return () => setName(named.name, event.shiftKey);
  return (layer === "content" && contentActions[key]) || actions[key];
}

/** Keys in a field are for the text in it; Enter and Esc go back to the page. */
function leaveField(event) {
  if (event.key !== "Enter" && event.key !== "Escape") return;
  event.preventDefault();
  if (event.key === "Escape") draw(); // what was typed is dropped
  $("stage").focus({ preventScroll: true });
}

document.addEventListener("keydown", (event) => {
  if (!pages.site || document.querySelector("dialog[open]")) return;
  if (event.target.closest("input:not([type=checkbox]), textarea, select")) {
    leaveField(event);
    return;
  }
  const action = actionOf(event);
  if (!action) return;
  event.preventDefault();
  action();
});

const buttons = {
  undo, redo, suggest, remove, compare, next: actions.n, previous: actions.p, keys: actions["?"],
  "edit-blocks": () => edit("blocks"), "edit-content": () => edit("content"),
};
for (const [id, action] of Object.entries(buttons)) $(id).addEventListener("click", action);
// Whoever clicks a button goes on at the page: Enter is to mark there, not to press the button again.
document.addEventListener("click", (event) => {
  const isMouse = event.detail > 0 && !document.querySelector("dialog[open]");
  if (isMouse && event.target.closest("button")) $("stage").focus({ preventScroll: true });
});
$("bare").addEventListener("change", () => $("marks").classList.toggle("covered", !$("bare").checked));
$("other").addEventListener("change", () => $("marks").classList.toggle("both", $("other").checked));

// Begin

if (await pages.begin()) {
  details = new Details(pages.site.content, { change, patch, toggle, askLabel, say });
  buildMarks(find);
  buildNames(names(), setName);
  const known = pages.site.pages.findIndex((one) => `#${encodeURIComponent(one.page)}` === location.hash);
  pages.open(known < 0 ? pages.site.start : known, known < 0 ? 1 : 0);
}
