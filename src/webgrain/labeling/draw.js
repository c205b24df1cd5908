// Draws the marks over the picture. Texts of pages go in as texts only.
import { owners } from "./marks.js";

const SVG = "http://www.w3.org/2000/svg";
const NAMES = { searchbar: "search", linklist: "link list", toc: "table of contents" };
export const COLORS = 8;

/** Name of a role or of content as people read it. */
export const nameOf = (name) => NAMES[name] || name;

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

/** What is drawn, from below: the other layer, what has no mark, the marks, the pointer, the numbers of the marks. */
export class Drawing {
  #svg;
  #faint = element("svg:path", { class: "faint" });
  #bare = element("svg:path", { class: "bare" });
  #blocks = element("svg:g");
  #chips = element("svg:g");
  #caught = element("svg:path", { class: "caught" });
  #cursor = element("svg:g");

  constructor(svg) {
    this.#svg = svg;
    svg.append(this.#faint, this.#bare, this.#blocks, this.#cursor, this.#caught, this.#chips);
  }

  open(view) {
    this.#svg.setAttribute("viewBox", `0 0 ${view.size[0]} ${view.size[1]}`);
    this.point(view, -1);
    this.drag(view, null, []);
  }

  /** Draws the marks of the layer that is edited; returns the number of leaves without one. */
  marks(view, marks, current) {
    const owner = owners(view, marks);
    const free = view.leaf.filter((_, leaf) => owner[leaf] === 0);
    this.#bare.setAttribute("d", free.map((part) => outline(view.box[part])).join(""));
    const area = (part) => view.box[part][2] * view.box[part][3];
    const all = marks.flatMap((mark, k) => mark.parts.map((part) => ({ mark, part, number: k + 1 })));
    all.sort((a, b) => area(b.part) - area(a.part)); // inner ones over outer ones
    const look = (mark) => `c${mark.key % COLORS}${mark.key === current ? " on" : ""}`;
    const labels = marks.flatMap((mark) => (mark.label ? mark.label.parts.map((part) => ({ mark, part })) : []));
    this.#blocks.replaceChildren(
      ...all.map(({ mark, part }) => rect(view.box[part], { class: `block ${look(mark)}` })),
      ...labels.map(({ mark, part }) => rect(view.box[part], { class: `label ${look(mark)}` })),
    );
    const ends = new Map(); // corner -> where the next chip begins there
    this.#chips.replaceChildren(
      ...all.map(({ mark, part, number }) => chip(view.box[part], mark, number, look(mark), ends)),
    );
    return free.length;
  }

  /** Draws the marks of the other layer. */
  faint(view, marks) {
    const parts = marks.flatMap((mark) => mark.parts);
    this.#faint.setAttribute("d", parts.map((part) => outline(view.box[part])).join(""));
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

/** Number and name of a mark, over the upper left corner of a part, where they hide least; beside others there. */
function chip([left, top], mark, number, look, ends) {
  const text = mark.name ? `${number} ${nameOf(mark.name)}` : `${number}`;
  const corner = `${Math.round(left)} ${Math.round(top)}`;
  const [x, y] = [ends.get(corner) ?? Math.max(left - 1, 0), Math.max(top - 16, 0)];
  const width = 8 + 7.4 * text.length;
  ends.set(corner, x + width + 1);
  return element(
    "svg:g",
    { class: `chip ${look}`, "data-key": mark.key },
    rect([x, y, width, 16], {}),
    element("svg:text", { x: x + 4, y: y + 12.5 }, text),
  );
}
