// The lists beside the page: pages on the left, roles and segments on the right.
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

/** Fills the list of roles; says which role or segment is clicked. */
export function buildLists(site, { setRole, choose }) {
  const roles = [...Object.entries(site.roles), ["", "0"]].map(([role, key]) => {
    const name = element("kbd", {}, key);
    const button = element("button", { type: "button", "data-role": role }, name, ` ${nameOf(role) || "none"}`);
    button.addEventListener("click", () => setRole(role || null));
    return button;
  });
  $("roles").append(...roles);
  $("segments").addEventListener("click", (event) => {
    const button = event.target.closest("[data-key]");
    if (button) choose(Number(button.dataset.key));
  });
}

export function drawPages({ site, number }, { done, thing } = { done: "labelled", thing: "segment" }) {
  const begun = site.pages.filter((one) => one.segments).length;
  $("who").textContent = `${begun} of ${site.pages.length} ${done} by ${site.annotator}`;
  $("previous").disabled = number === 0;
  $("next").disabled = number === site.pages.length - 1;
  [...$("pages").children].forEach(({ firstChild: button }, k) => {
    const { failure, segments } = site.pages[k];
    button.lastChild.textContent = failure ? `✕ ${failure}` : segments ? `✓ ${plural(segments, thing)}` : "";
    button.classList.toggle("failed", Boolean(failure));
    if (k === number) button.setAttribute("aria-current", "page");
    else button.removeAttribute("aria-current");
  });
  $("pages").children[number].scrollIntoView({ block: "nearest" });
}

export function drawRoles(chosen) {
  for (const button of $("roles").children) {
    button.disabled = !chosen;
    button.setAttribute("aria-pressed", Boolean(chosen) && (chosen.role || "") === button.dataset.role);
  }
}

export function drawSegments(page, current) {
  const focused = document.activeElement.dataset.key;
  const segments = page ? page.segments : [];
  $("count").textContent = page ? plural(segments.length, "segment") : "Segments";
  $("segments").replaceChildren(...segments.map((segment, k) => item(page.view, segment, k + 1, current)));
  if (focused) $("segments").querySelector(`[data-key="${focused}"]`)?.focus({ preventScroll: true });
  $("segments").querySelector("[aria-pressed=true]")?.scrollIntoView({ block: "nearest" });
}

function item(view, { parts, role, lost, key }, number, current) {
  const text = parts.slice(0, 8).map((part) => textOf(view, part)).join(" ");
  const facts = [
    parts.length > 1 ? `${parts.length} parts` : "",
    lost.length ? `${plural(lost.length, "part")} no longer on the page` : "",
  ];
  const button = element(
    "button",
    { type: "button", class: `c${key % COLORS}`, "data-key": key, "aria-pressed": `${key === current}` },
    element("b", {}, element("span", {}, `${number}`)),
    element("strong", {}, nameOf(role) || "no role"),
    element("small", {}, facts.filter(Boolean).join(", ")),
    element("span", { class: "text" }, text),
  );
  return element("li", {}, button);
}
