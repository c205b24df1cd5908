"use strict";
// Makes elements. Texts of pages become text, never markup, and links lead to the web only.

const SHAPES = new Set(["svg", "g", "rect", "line", "text", "tspan", "title"]);
const digits = new Intl.NumberFormat("en");
const by = (id) => document.getElementById(id);

function make(name, attributes = {}, ...children) {
  const shape = SHAPES.has(name);
  const element = shape ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

function button(name, act, attributes = {}) {
  const made = make("button", { type: "button", ...attributes }, name);
  made.addEventListener("click", act);
  return made;
}

function percent(value) {
  return value === null ? "–" : `${Math.round(100 * value)}%`;
}

function count(n, thing) {
  return `${digits.format(n)} ${thing}${n === 1 ? "" : "s"}`;
}

function time(seconds) {
  if (seconds >= 90) return `${digits.format(Math.round(seconds / 6) / 10)} min`;
  if (seconds >= 0.95) return `${seconds.toFixed(1)} s`;
  if (seconds && seconds < 1e-4) return `${Math.ceil(1e6 * seconds)} µs`;
  return `${(1000 * seconds).toFixed(seconds < 0.01 ? 1 : 0)} ms`;
}

// Text with its own direction, so that it cannot reverse the text around it.
function own(name, text, attributes = {}) {
  return make(name, { dir: "auto", ...attributes }, text);
}

// The name of a type: an address from left to right, then possibly words of titles in their own direction.
function called(name) {
  const at = name.indexOf(" “");
  const parts = at < 0 ? [name] : [`${name.slice(0, at)} `, make("bdi", {}, name.slice(at + 1))];
  return make("bdi", { dir: "ltr" }, ...parts);
}

function badge(text, kind = "") {
  return make("span", { class: `badge ${kind}` }, text);
}

function outward(url) {
  if (!url) return null;
  let parsed = null;
  try {
    parsed = new URL(url);
  } catch {
    // Not a URL: shown as text.
  }
  if (!parsed || !["http:", "https:"].includes(parsed.protocol)) return own("span", url);
  return own("a", url, { href: parsed.href, target: "_blank", rel: "noopener noreferrer" });
}

function announce(text) {
  by("copied").textContent = "";
  setTimeout(() => { by("copied").textContent = text; }, 50); // a change is read out, even to the same text
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make("textarea", { class: "quiet", "aria-hidden": "true" });
    const back = document.activeElement;
    (back.closest("dialog") || document.body).append(area);
    area.value = text;
    area.select();
    document.execCommand("copy");
    area.remove();
    back.focus();
  }
  announce("Copied");
}

// An address within a page, with a button that copies it.
// look: "line" for one that is long and seldom read.
function copyable(label, text, what = label, look = "") {
  const shown = button("Copy", async () => {
    await copy(text);
    shown.textContent = "Copied";
    setTimeout(() => { shown.textContent = "Copy"; }, 1500);
  }, { "aria-label": `Copy ${what}` });
  const name = label ? make("span", { class: "label" }, label) : null;
  return make("div", { class: `copyable ${look}` }, name, make("code", {}, text), shown);
}

// Rows as a CSV file; a spreadsheet runs no formula. Texts have single spaces.
function csv(rows) {
  const shown = (element) => [...element.childNodes].map((child) => (child.tagName === "BUTTON" ? ""
    : child instanceof Element ? shown(child) : child.textContent)).join(" ");
  const plain = (one) => `${one instanceof Element ? shown(one) : one ?? ""}`.replace(/\s+/g, " ").trim();
  const quoted = (text) => `"${text.replace(/^[=+@-]/, "'$&").replace(/"/g, '""')}"`;
  return rows.map((row) => row.map((one) => quoted(plain(one))).join(",")).join("\r\n");
}

// A button that saves rows as a file; rows: a function, called when the button is pressed.
function saves(name, rows) {
  return button("CSV", () => {
    const url = URL.createObjectURL(new Blob(["\ufeff", csv(rows())], { type: "text/csv;charset=utf-8" }));
    const file = `${name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "")}.csv`;
    const link = make("a", { href: url, download: file });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }, { class: "save", "aria-label": `Save as CSV: ${name}` });
}

// rows: lists of texts or elements; the first cell of each is its heading. numbers: columns that hold numbers.
function table(caption, heads, rows, numbers = []) {
  const align = (k) => (numbers.includes(k) ? "number" : null);
  const cell = (one, k) => make(k ? "td" : "th", { scope: k ? null : "row", class: align(k) }, one);
  return make("div", { class: "scroll", role: "region", "aria-label": caption, tabindex: 0 },
    make("table", {}, make("caption", {}, caption, " ", saves(caption, () => [heads, ...rows])),
      make("thead", {}, make("tr", {}, ...heads.map((head, k) => make("th", { scope: "col", class: align(k) }, head)))),
      make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map(cell))))));
}

function options(select, pairs) {
  select.replaceChildren(...pairs.map(([value, name]) => make("option", { value }, name)));
}
