// The marks of one page as plain values. A segment is {key, name, parts, lost, paths}: its name is its role, parts
// are numbers of the view, lost are paths that mean nothing on the page as it is now, and paths are those of the
// file; both go back to the file as they came. Nothing here is changed in place, so that the history can hold what
// was. Marks of content are in content.js.

let lastKey = 0;
export const newKey = () => ++lastKey;

/** Segments as the server sent them, with keys. */
export const taken = (segments) => segments.map(({ role, ...place }) => ({ ...place, name: role, key: newKey() }));

/** Segments as the server wants them. */
export const plain = (segments) => segments.map(({ key, name, ...place }) => ({ ...place, role: name }));

/** Marks in which the one with a key is changed. */
export const patched = (marks, key, patch) => marks.map((mark) => (mark.key === key ? { ...mark, ...patch } : mark));

/** Keys of the marks that have a part. */
export const keysAt = (marks, part) => marks.filter((mark) => mark.parts.includes(part)).map((mark) => mark.key);

/** Which segment begins at a part: part -> key. */
export function beginnings(segments) {
  return new Map(segments.flatMap((segment) => segment.parts.map((part) => [part, segment.key])));
}

/** Key of the innermost segment over each leaf, 0 for none. */
export function owners(view, segments) {
  const owner = new Int32Array(view.text.length);
  const marks = [...beginnings(segments)].sort((a, b) => a[0] - b[0]); // outer parts come first
  for (const [part, key] of marks) owner.fill(key, view.first[part], view.last[part]);
  return owner;
}

/** Puts parts into the segment with a key, a new one if none has it; they leave the segments they were in. */
export function put(view, segments, parts, key) {
  const own = new Set(parts);
  const others = segments.map((s) => ({ ...s, parts: s.parts.filter((part) => !own.has(part)) }));
  const old = others.find((segment) => segment.key === key) || { key, name: null, parts: [], lost: [], paths: [] };
  const grown = { ...old, parts: [...old.parts, ...parts].sort((a, b) => a - b) };
  return tidy(view, [...others.filter((segment) => segment.key !== key), grown]);
}

/** Takes a part out of its segment. */
export function takeOut(view, segments, part) {
  return tidy(view, segments.map((s) => ({ ...s, parts: s.parts.filter((other) => other !== part) })));
}

/** Adds suggested segments, each with those of its leaves that are free. */
export function fill(view, segments, suggested) {
  const owner = owners(view, segments);
  const wanted = owners(view, suggested);
  const free = suggested.map((segment) => ({
    ...segment,
    parts: largest(view, (leaf) => owner[leaf] === 0 && wanted[leaf] === segment.key),
  }));
  return tidy(view, [...segments, ...free]);
}

/** Drops what says nothing: parts inside a part of the same segment, segments of nothing; sorts by place. */
function tidy(view, segments) {
  const begins = beginnings(segments);
  const around = (part) => {
    let above = view.parent[part];
    while (above >= 0 && !begins.has(above)) above = view.parent[above];
    return begins.get(above);
  };
  return inOrder(
    segments.map((segment) => ({ ...segment, parts: segment.parts.filter((part) => around(part) !== segment.key) })),
  );
}

/** Marks of something, by their place on the page; those that are nowhere come last. */
export function inOrder(marks) {
  const place = (mark) => (mark.parts.length ? mark.parts[0] : Infinity);
  return marks
    .filter((mark) => mark.parts.length || mark.lost.length)
    .sort((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)));
}

/** The smallest part at a point, -1 for none; of several of one size the innermost. */
export function partAt(view, x, y) {
  let best = -1;
  let least = Infinity;
  view.reach.forEach(([left, top, width, height], part) => {
    const inside = x >= left && x < left + width && y >= top && y < top + height;
    if (inside && width * height <= least) {
      best = part;
      least = width * height;
    }
  });
  return best;
}

/** The largest parts whose leaves all have their middle in a rectangle [x, y, width, height]. */
export function partsIn(view, [x, y, width, height]) {
  return largest(view, (leaf) => {
    const [left, top, w, h] = view.box[view.leaf[leaf]];
    const [u, v] = [left + w / 2 - x, top + h / 2 - y];
    return u >= 0 && u <= width && v >= 0 && v <= height;
  });
}

/** The largest parts of which every leaf is wanted. */
function largest(view, isWanted) {
  const before = new Int32Array(view.text.length + 1);
  for (const leaf of view.text.keys()) before[leaf + 1] = before[leaf] + (isWanted(leaf) ? 1 : 0);
  const { first, last } = view;
  const isFull = (part) => before[last[part]] - before[first[part]] === last[part] - first[part];
  return [...view.box.keys()].filter((part) => isFull(part) && !(part > 0 && isFull(view.parent[part])));
}

/** A step from one part to another: "up", "down", "left" or "right". */
export function step(view, part, way) {
  if (part < 0) return 0;
  if (way === "up") return Math.max(view.parent[part], 0);
  if (way === "down") return part + 1 < view.box.length && view.parent[part + 1] === part ? part + 1 : part;
  const leaves = way === "right" ? view.last[part] : view.first[part] - 1;
  if (leaves < 0 || leaves >= view.text.length) return part;
  let next = view.leaf[leaves]; // from the leaf beside it up, as far as the part that it leaves is not in it
  const holds = (outer) => view.first[outer] <= view.first[part] && view.last[outer] >= view.last[part];
  while (!holds(view.parent[next])) next = view.parent[next];
  return next;
}

/** Text of a part, from its first leaves. */
export function textOf(view, part, length = 90) {
  let text = "";
  for (let k = view.first[part]; k < view.last[part] && text.length < length; k++) text += ` ${view.text[k]}`;
  return text.length > length + 1 ? `${text.slice(1, length)}…` : text.slice(1);
}

/** What was, and what was undone, of one layer of a page. */
export class History {
  #past = [];
  #future = [];

  get canUndo() { return this.#past.length > 0; }
  get canRedo() { return this.#future.length > 0; }

  note(state) {
    this.#past.push(state);
    this.#future = [];
  }

  undo(state) {
    this.#future.push(state);
    return this.#past.pop();
  }

  redo(state) {
    this.#past.push(state);
    return this.#future.pop();
  }
}
