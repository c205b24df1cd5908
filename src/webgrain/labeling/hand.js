// What a person points at, with the pointer or with the arrow keys: one part of the page, or a rectangle.
import { owners, partAt, partsIn, step, textOf } from "./marks.js";

const DRAG = 6; // px that the pointer goes before a click is a drag

const frameOf = ([x, y], [u, v]) => [Math.min(x, u), Math.min(y, v), Math.abs(x - u), Math.abs(y - v)];

/** Follows the pointer over `svg`; tells what is marked, which number is clicked, and what is pointed at. */
export class Hand {
  part = -1; // that a mark would take, -1 for none
  #view = null;
  #isRaised = false; // whether keys or the wheel chose the part, not the pointer alone
  #drag = null; // where it began, on the page and in the window, and whether it is one yet
  #svg;
  #stage;
  #drawing;
  #tell;

  constructor(svg, stage, drawing, tell) {
    this.#svg = svg;
    this.#stage = stage;
    this.#drawing = drawing;
    this.#tell = tell; // {mark(parts, adds), choose(key), say(text)}
    svg.addEventListener("pointerdown", (event) => this.#view && event.button === 0 && this.#down(event));
    svg.addEventListener("pointermove", (event) => this.#view && this.#move(event));
    svg.addEventListener("pointerup", (event) => this.#drag && this.#up(event));
    svg.addEventListener("pointercancel", () => this.open(this.#view));
    stage.addEventListener("wheel", (event) => this.#view && event.shiftKey && this.#wheel(event), { passive: false });
  }

  /** Begins with a page, or with none. */
  open(view) {
    this.#view = view;
    this.#drag = null;
    this.#isRaised = false;
    this.part = -1;
    if (view) this.#drawing.open(view);
  }

  /** Goes to a part by the keys: it stays until the pointer leaves it. */
  go(part) {
    this.#isRaised = true;
    this.#point(part);
    this.#reveal();
  }

  walk(way) {
    this.go(step(this.#view, this.part, way));
  }

  /** Goes to the next leaf without a segment. */
  toFree(segments) {
    const owner = owners(this.#view, segments);
    const after = this.part < 0 ? 0 : this.#view.last[this.part];
    const free = [...owner.keys()].filter((leaf) => owner[leaf] === 0);
    if (free.length) this.go(this.#view.leaf[free.find((leaf) => leaf >= after) ?? free[0]]);
    else this.#tell.say("Every leaf is in a segment.");
  }

  #point(part) {
    this.part = part;
    this.#drawing.point(this.#view, part);
    if (part >= 0) this.#tell.say(described(this.#view, part));
  }

  /** Scrolls to the part where it is out of sight. */
  #reveal() {
    const [, top, , height] = this.#view.box[this.part];
    const frame = this.#svg.getBoundingClientRect();
    const view = this.#stage.getBoundingClientRect();
    const scale = frame.width / this.#view.size[0];
    const y = frame.top + top * scale - view.top;
    if (y < 0 || y + Math.min(height * scale, 80) > view.height) this.#stage.scrollBy(0, y - 60);
  }

  #place(event) {
    const frame = this.#svg.getBoundingClientRect();
    const scale = this.#view.size[0] / frame.width;
    return [(event.clientX - frame.left) * scale, (event.clientY - frame.top) * scale];
  }

  #down(event) {
    const chip = event.target.closest(".chip");
    if (chip) {
      this.#tell.choose(Number(chip.dataset.key));
      return;
    }
    this.#follow(event);
    this.#drag = { from: this.#place(event), client: [event.clientX, event.clientY], moved: false };
    this.#svg.setPointerCapture(event.pointerId);
  }

  #move(event) {
    if (!this.#drag) {
      this.#follow(event);
      return;
    }
    const [x, y] = this.#drag.client;
    this.#drag.moved ||= Math.hypot(event.clientX - x, event.clientY - y) > DRAG;
    if (!this.#drag.moved) return;
    const frame = frameOf(this.#drag.from, this.#place(event));
    this.#drawing.point(this.#view, -1);
    this.#drawing.drag(this.#view, frame, partsIn(this.#view, frame));
  }

  #follow(event) {
    const part = partAt(this.#view, ...this.#place(event));
    const { first, last } = this.#view;
    const own = this.part;
    const isInside = part >= 0 && own >= 0 && first[part] >= first[own] && last[part] <= last[own];
    if (this.#isRaised && isInside) return;
    this.#isRaised = false;
    if (part !== own) this.#point(part);
  }

  #up(event) {
    const { from, moved } = this.#drag;
    this.#drag = null;
    this.#drawing.drag(this.#view, null, []);
    const parts = moved ? partsIn(this.#view, frameOf(from, this.#place(event))) : [this.part];
    this.#tell.mark(parts.filter((part) => part >= 0), event.shiftKey);
  }

  #wheel(event) {
    event.preventDefault();
    if (this.part < 0) return;
    this.#isRaised = true;
    this.#point(step(this.#view, this.part, (event.deltaY || event.deltaX) < 0 ? "up" : "down"));
  }
}

/** Names on the way to a part, how much is in it, how it begins. */
function described(view, part) {
  const names = [];
  for (let above = part; above >= 0; above = view.parent[above]) names.unshift(view.name[above]);
  const leaves = view.last[part] - view.first[part];
  return `${names.slice(-4).join(" › ")} · ${leaves} ${leaves === 1 ? "leaf" : "leaves"} · ${textOf(view, part)}`;
}
