// A list of any length: only the rows in sight are in the document.

const AROUND = 6; // rows above and below those in sight
const PRINTED = 200; // rows that go on paper

class LongList {
  // box: the element that scrolls; row: makes the children of the row of an item; name: what it is a list of.
  constructor(box, row, name) {
    this.box = box;
    this.row = row;
    this.items = [];
    this.rows = new Map();
    this.active = 0;
    this.height = 0;
    this.printing = false;
    this.list = make("ul", { role: "list", "aria-label": name });
    this.rest = make("p", { class: "rest" });
    box.append(this.list, this.rest);
    box.addEventListener("scroll", () => this.draw(), { passive: true });
    box.addEventListener("keydown", (event) => this.key(event));
    box.addEventListener("focusin", (event) => this.enter(event.target.closest("li")));
    new ResizeObserver(() => this.measure()).observe(box);
    addEventListener("beforeprint", () => this.print(true));
    addEventListener("afterprint", () => this.print(false));
  }

  show(items) {
    this.items = items;
    this.active = 0;
    for (const row of this.rows.values()) row.remove();
    this.rows.clear();
    this.box.scrollTop = 0;
    this.box.classList.toggle("empty", !items.length);
    this.draw();
  }

  measure() {
    const [row] = this.rows.values();
    const height = row ? row.offsetHeight : 0;
    if (height && height !== this.height) this.height = height;
    for (const [k, one] of this.rows) one.style.top = `${k * this.height}px`;
    this.draw();
  }

  draw() {
    if (!this.height && this.items.length) this.probe();
    this.list.style.height = `${this.items.length * this.height}px`;
    const wanted = this.wanted();
    for (const [k, row] of this.rows) {
      if (!wanted.has(k)) {
        row.remove();
        this.rows.delete(k);
      }
    }
    let next = this.list.firstChild;
    for (const k of [...wanted].sort((a, b) => a - b)) {
      const row = this.rows.get(k) || this.add(k);
      if (row === next) next = next.nextSibling;
      else this.list.insertBefore(row, next);
      for (const one of row.querySelectorAll("a, button")) one.tabIndex = k === this.active ? 0 : -1;
    }
  }

  wanted() {
    const last = this.items.length - 1;
    const [from, to] = this.printing
      ? [0, PRINTED - 1]
      : [Math.floor(this.box.scrollTop / this.height) - AROUND,
        Math.ceil((this.box.scrollTop + this.box.clientHeight) / this.height) + AROUND];
    const found = new Set();
    for (let k = Math.max(from, 0); k <= Math.min(to, last); k++) found.add(k);
    if (last >= 0) found.add(this.active); // the one with the focus stays, wherever the wheel goes
    return found;
  }

  add(k) {
    const row = make("li", { "aria-posinset": k + 1, "aria-setsize": this.items.length }, ...this.row(this.items[k], k));
    row.dataset.row = k;
    row.style.top = `${k * this.height}px`;
    this.rows.set(k, row);
    return row;
  }

  // The height of all rows is that of the first one: the style sets it, in a unit of its own.
  probe() {
    const row = this.add(0);
    this.list.append(row);
    this.height = row.offsetHeight;
  }

  enter(row) {
    if (!row) return;
    this.active = Number(row.dataset.row);
    this.draw();
  }

  key(event) {
    const screen = Math.max(1, Math.floor(this.box.clientHeight / this.height) - 1);
    const to = {
      ArrowDown: this.active + 1, ArrowUp: this.active - 1, PageDown: this.active + screen,
      PageUp: this.active - screen, Home: 0, End: this.items.length - 1,
    }[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey || !this.items.length) return;
    event.preventDefault();
    this.go(to);
  }

  go(to) {
    this.active = Math.min(Math.max(to, 0), this.items.length - 1);
    const top = this.active * this.height;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    const low = top + this.height - this.box.clientHeight;
    if (low > this.box.scrollTop) this.box.scrollTop = low;
    this.draw();
    this.rows.get(this.active).querySelector("a, button")?.focus({ preventScroll: true });
  }

  print(printing) {
    this.printing = printing;
    const more = this.items.length - PRINTED;
    this.rest.textContent = printing && more > 0 ? `and ${digits.format(more)} more` : "";
    this.draw();
  }
}
