"use strict";
// The review of sections: which page is open, which section is chosen, and the verdicts on it.
import { element } from "./draw.js";
import { Pages } from "./pages.js";
import { drawPages } from "./panel.js";
import { ask } from "./saver.js";

const $ = (id) => document.getElementById(id);
const pages = new Pages((view, sections) => ({ view, sections }), shown);

let page = null; // {view, sections}, null where it cannot be shown
let current = 0; // number of the chosen section

// Pages

function shown(loaded) {
  page = loaded;
  current = page ? Math.max(page.sections.findIndex((section) => !isDone(section)), 0) : 0;
  history.replaceState(null, "", "/");
  if (page) $("marks").setAttribute("viewBox", `0 0 ${page.view.size[0]} ${page.view.size[1]}`);
  draw();
}

// Verdicts

const isDone = (section) => section.cut !== null && section.class !== null;
const category = (section) => (section.boilerplate ? "boilerplate" : "informative");

/** Gives a verdict on the chosen section; the one that it has is taken back. */
function judge(verdict, value) {
  const section = page?.sections[current];
  if (!section) return;
  section[verdict] = section[verdict] === value ? null : value;
  keep();
}

function takeBack() {
  const section = page?.sections[current];
  if (!section) return;
  section.cut = section.class = null;
  keep();
}

function keep() {
  pages.save({ segments: page.sections.map((section) => ({ cut: section.cut, class: section.class })) });
  pages.site.pages[pages.number].segments = page.sections.filter((s) => s.cut !== null || s.class !== null).length;
  draw();
}

function choose(wanted) {
  if (!page?.sections[wanted]) return;
  current = wanted;
  draw();
  $("marks").querySelector(".on")?.scrollIntoView({ block: "nearest" });
}

function toNext() {
  if (!page) return;
  const order = page.sections.map((_, k) => (current + 1 + k) % page.sections.length);
  choose(order.find((k) => !isDone(page.sections[k])) ?? current);
}

// What is seen

function draw() {
  const sections = page ? page.sections : [];
  const done = sections.filter(isDone).length;
  $("facts").textContent = page ? `${done} of ${sections.length} sections judged · template ${page.view.template}` : "";
  $("count").textContent = `${sections.length} sections`;
  drawPages(pages, { done: "judged", thing: "section" });
  drawBoxes(sections);
  drawVerdicts(sections[current]);
  $("segments").replaceChildren(...sections.map(item));
  $("segments").children[current]?.scrollIntoView({ block: "nearest" });
}

function drawBoxes(sections) {
  const all = sections.flatMap((section, k) => section.parts.map((part) => ({ section, k, box: page.view.box[part] })));
  all.sort((a, b) => b.box[2] * b.box[3] - a.box[2] * a.box[3]); // inner ones over outer ones
  $("marks").replaceChildren(
    ...all.map(({ section, k, box: [x, y, width, height] }) =>
      element("svg:rect", {
        class: `section ${category(section)}${k === current ? " on" : ""}`, "data-section": k,
        x, y, width: Math.max(width, 1), height: Math.max(height, 1),
      }),
    ),
  );
}

function drawVerdicts(section) {
  $("category").textContent = section ? `Class: ${category(section)}` : "Class";
  for (const button of $("verdicts").querySelectorAll("button")) {
    const { verdict, value } = button.dataset;
    button.disabled = !section;
    button.setAttribute("aria-pressed", Boolean(section) && section[verdict] === (value === "true"));
  }
}

function item(section, k) {
  const word = (value) => (value === null ? "?" : value ? "✓" : "✗");
  const button = element(
    "button",
    { type: "button", class: category(section), "data-section": k, "aria-pressed": `${k === current}` },
    element("b", {}, element("span", {}, `${k + 1}`)),
    element("strong", {}, category(section)),
    element("small", {}, `${Math.round(100 * section.importance)} % · cut ${word(section.cut)} class ${word(section.class)}`),
    element("span", { class: "text" }, section.text),
  );
  return element("li", {}, button);
}

const share = (value) => (value === null ? "–" : value.toFixed(3));
const row = (...cells) => element("tr", {}, ...cells.map((cell) => element("td", {}, `${cell}`)));

async function sum() {
  try {
    const { judges, agreement } = await ask("/summary");
    $("judges").replaceChildren(
      ...judges.map((j) => row(j.judge, j.pages, j.sections, share(j.precision), share(j.recall), share(j.cuts))),
    );
    $("agreement").replaceChildren(
      ...agreement.map((one) => row(`${one.a}, ${one.b}`, one.verdict, one.sections, share(one.raw), share(one.kappa))),
    );
    $("summary").showModal();
  } catch (error) {
    $("here").textContent = error.message;
  }
}

// Keys and buttons

const actions = {
  1: () => judge("cut", true),
  2: () => judge("cut", false),
  3: () => judge("class", true),
  4: () => judge("class", false),
  0: takeBack,
  ".": toNext,
  ArrowUp: () => choose(current - 1),
  ArrowDown: () => choose(current + 1),
  n: () => pages.go(1),
  p: () => pages.go(-1),
};

document.addEventListener("keydown", (event) => {
  if (!pages.site || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const action = actions[event.key] || actions[event.key.toLowerCase()];
  if (!action) return;
  event.preventDefault();
  action();
});
document.addEventListener("click", (event) => {
  const { section, verdict, value } = event.target.closest("[data-section], [data-verdict]")?.dataset || {};
  if (section !== undefined) choose(Number(section));
  if (verdict) judge(verdict, value === "true");
});
const buttons = { previous: actions.p, next: actions.n, sum };
for (const [id, action] of Object.entries(buttons)) $(id).addEventListener("click", action);

// Begin

if (await pages.begin()) pages.open(pages.site.start, 1);
