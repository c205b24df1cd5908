// The lists beside the page: pages on the left, names and marks on the right.
import { COLORS, element, nameOf } from "./draw.js";
import { textOf } from "./marks.js";

const $ = (id) => document.getElementById(id);
const plural = (number, thing) => `${number} ${thing}${number === 1 ? "" : "s"}`;

/** Fills the list of pages; says which one is clicked. */
export function buildPages(site, openPage) {
  const pages = site.pages.map((one, k) => {
    const button = element("button", { type: "button" }, element("span", {}, one.page), element("small"));
    button.addEventListener("click", () => openPage(k));
    return element("li", {}, button);
  });
  $("pages").append(...pages);
}

/** Says which mark is clicked. */
export function buildMarks(choose) {
  $("segments").addEventListener("click", (event) => {
    const button = event.target.closest("[data-key]");
    if (button) choose(Number(button.dataset.key));
  });
}

/** Fills the list of names, {name, key, meaning}; says which one is clicked. */
export function buildNames(names, setName) {
  const buttons = names.map(({ name, key, meaning }) => {
    const label = ` ${nameOf(name) || "none"}`;
    const attributes = { type: "button", "data-role": name, title: meaning || null };
    const button = element("button", attributes, element("kbd", {}, key), label);
    button.addEventListener("click", () => setName(name || null));
    return button;
  });
  $("roles").replaceChildren(...buttons);
}

export function drawPages({ site, number }, { done, thing } = { done: "labelled", thing: "segment" }) {
  const begun = site.pages.filter((one) => one.segments || one.marks).length;
  $("who").textContent = `${begun} of ${site.pages.length} ${done} by ${site.annotator}`;
  $("previous").disabled = number === 0;
  $("next").disabled = number === site.pages.length - 1;
  [...$("pages").children].forEach(({ firstChild: button }, k) => {
    const { failure, segments, marks } = site.pages[k];
    const facts = [segments && plural(segments, thing), marks && plural(marks, "content mark")].filter(Boolean);
    button.lastChild.textContent = failure ? `✕ ${failure}` : facts.length ? `✓ ${facts.join(", ")}` : "";
    button.classList.toggle("failed", Boolean(failure));
    if (k === number) button.setAttribute("aria-current", "page");
    else button.removeAttribute("aria-current");
  });
  $("pages").children[number].scrollIntoView({ block: "nearest" });
}

export function drawNames(chosen) {
  for (const button of $("roles").children) {
    button.disabled = !chosen;
    button.setAttribute("aria-pressed", Boolean(chosen) && (chosen.name || "") === button.dataset.role);
  }
}

/** Lists the marks of a layer; `thing` is what one of them is called, `factsOf(mark)` is what else is shown. */
export function drawMarks(view, marks, current, { thing, nameless, factsOf }) {
  const focused = document.activeElement.dataset.key;
  $("count").textContent = plural(marks.length, thing);
  $("segments").replaceChildren(
    ...marks.map((mark, k) => item(view, mark, k + 1, current, mark.name ? nameOf(mark.name) : nameless, factsOf(mark))),
  );
  if (focused) $("segments").querySelector(`[data-key="${focused}"]`)?.focus({ preventScroll: true });
  $("segments").querySelector("[aria-pressed=true]")?.scrollIntoView({ block: "nearest" });
}

function item(view, { parts, key }, number, current, name, facts) {
  const text = parts.slice(0, 8).map((part) => textOf(view, part)).join(" ");
  const button = element(
    "button",
    { type: "button", class: `c${key % COLORS}`, "data-key": key, "aria-pressed": `${key === current}` },
    element("b", {}, element("span", {}, `${number}`)),
    element("strong", {}, name),
    element("small", {}, facts.filter(Boolean).join(", ")),
    element("span", { class: "text" }, text),
  );
  return element("li", {}, button);
}
