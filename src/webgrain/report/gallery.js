"use strict";
// Shows one page at a time; hovering over or focusing a block marks it in the picture and in the list.
const pages = [...document.querySelectorAll(".page")];
const links = new Map([...document.querySelectorAll("nav a")].map((a) => [a.hash.slice(1), a]));
document.body.prepend(document.querySelector("nav"));
document.body.classList.add("ready");
let current = null;

function show(id) {
  current = pages.find((page) => page.id === id) || pages[0];
  for (const page of pages) page.hidden = page !== current;
  for (const [key, link] of links) {
    if (current && key === current.id) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function mark(page, number, from) {
  page.classList.toggle("active", number !== null);
  for (const one of page.querySelectorAll("[data-segment]")) {
    one.classList.toggle("on", one.dataset.segment === number);
  }
  const selector = from === "picture" ? `.segments [data-segment="${number}"]` : `svg [data-segment="${number}"]`;
  const other = number !== null && page.querySelector(selector);
  if (other) other.scrollIntoView({ block: "nearest" });
}

for (const page of pages) {
  const item = (event) => event.target.closest("[data-segment]");
  const side = (element) => (element.closest("svg") ? "picture" : "list");
  for (const kind of ["mouseover", "focusin"]) {
    page.addEventListener(kind, (event) => {
      const one = item(event);
      if (one) mark(page, one.dataset.segment, side(one));
    });
  }
  page.addEventListener("click", (event) => {
    const one = item(event);
    if (one && side(one) === "picture") {
      page.querySelector(`.segments [data-segment="${one.dataset.segment}"]`).focus({ preventScroll: true });
    }
  });
  page.querySelector("svg").addEventListener("mouseleave", () => {
    const focused = page.querySelector(".segments :focus");
    mark(page, focused ? focused.dataset.segment : null, "list");
  });
}

function step(list, at, by) {
  return list[Math.min(Math.max(at + by, 0), list.length - 1)];
}

document.addEventListener("keydown", (event) => {
  const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  if (!by || !current || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    const items = [...current.querySelectorAll(".segments > li")];
    if (items.length) step(items, items.indexOf(document.activeElement), by).focus();
  } else {
    show(step(pages, pages.indexOf(current), by).id);
    location.hash = current.id;
  }
  event.preventDefault();
});
addEventListener("hashchange", () => show(location.hash.slice(1)));
show(location.hash.slice(1));
