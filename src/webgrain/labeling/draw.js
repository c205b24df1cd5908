// Draws the marks over the picture. Texts of pages go in as texts only.
import { owners } from "./marks.js";

const SVG = "http://www.w3.org/2000/svg";
const NAMES = { searchbar: "search", linklist: "link list", toc: "table of contents" };
export const COLORS = 8;

/** Name of a role as people read it. */
export const nameOf = (role) => NAMES[role] || role;

/** An element with attributes and children; strings become text. */
export function element(name, attributes = {}, ...children) {
  const made = name.startsWith("svg:") ? document.createElementNS(SVG, name.slice(4)) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

const rect = ([x, y, width, height], attributes) =>
  element("svg:rect", { x, y, width: Math.max(width, 1), height: Math.max(height, 1), ...attributes });

function outline([x, y, width, height]) {
  const [w, h] = [Math.max(width, 1), Math.max(height, 1)];
  return `M${x} ${y}h${w}v${h}h${-w}z`;
}

/** The layers from below: what has no segment, the segments, their numbers, the pointer. */
export class Drawing {
  #svg;
  #bare = element("svg:path", { class: "bare" });
  #blocks = element("svg:g");
  #chips = element("svg:g");
  #caught = element("svg:path", { class: "caught" });
  #cursor = element("svg:g");

  constructor(svg) {
    this.#svg = svg;
    svg.append(this.#bare, this.#blocks, this.#cursor, this.#caught, this.#chips);
  }

  open(view) {
    this.#svg.setAttribute("viewBox", `0 0 ${view.size[0]} ${view.size[1]}`);
    this.point(view, -1);
    this.drag(view, null, []);
  }

  segments(view, segments, current) {
    const owner = owners(view, segments);
    const free = view.leaf.filter((_, leaf) => owner[leaf] === 0);
    this.#bare.setAttribute("d", free.map((part) => outline(view.box[part])).join(""));
    const area = (part) => view.box[part][2] * view.box[part][3];
    const all = segments.flatMap((segment, k) => segment.parts.map((part) => ({ segment, part, number: k + 1 })));
    all.sort((a, b) => area(b.part) - area(a.part)); // inner ones over outer ones
    const look = (segment) => `c${segment.key % COLORS}${segment.key === current ? " on" : ""}`;
    this.#blocks.replaceChildren(
      ...all.map(({ segment, part }) => rect(view.box[part], { class: `block ${look(segment)}` })),
    );
    this.#chips.replaceChildren(
      ...all.map(({ segment, part, number }) => chip(view.box[part], segment, number, look(segment))),
    );
    return free.length;
  }

  point(view, part) {
    const box = part >= 0 && view.box[part];
    this.#cursor.replaceChildren(...(box ? [rect(box, { class: "halo" }), rect(box, { class: "cursor" })] : []));
  }

  drag(view, frame, parts) {
    const boxes = [...parts.map((part) => view.box[part]), ...(frame ? [frame] : [])];
    this.#caught.setAttribute("d", boxes.map(outline).join(""));
  }
}

/** Number and role of a segment, over the upper left corner of a part, where they hide least. */
function chip([left, top], segment, number, look) {
  const text = segment.role ? `${number} ${nameOf(segment.role)}` : `${number}`;
  const [x, y] = [Math.max(left - 1, 0), Math.max(top - 16, 0)];
  return element(
    "svg:g",
    { class: `chip ${look}`, "data-key": segment.key },
    rect([x, y, 8 + 7.4 * text.length, 16], {}),
    element("svg:text", { x: x + 4, y: y + 12.5 }, text),
  );
}
