// The marks of content of one page as plain values. In contrast to segments, several marks may have the same parts,
// such as author and date in one line. A mark is {key, name, parts, lost, paths, span, attribute, value, label,
// label_span}; label is {parts, lost, paths} or null. A mark without a name is not saved.
import { inOrder, newKey } from "./marks.js";

const NO_OPTIONS = { span: null, attribute: null, value: null, label: null, label_span: null };
const DATE = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,6})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?)?)?$/;

/** Content as the server sent it, with keys. */
export const taken = ({ marks, kind, absent }) =>
  ({ marks: marks.map((mark) => ({ ...mark, key: newKey() })), kind, absent });

/** Content as the server wants it. */
export const plain = ({ marks, kind, absent }) =>
  ({ marks: marks.filter((mark) => mark.name).map(({ key, ...mark }) => mark), kind, absent });

/** A place with these parts. */
export const placeOf = (parts) => ({ parts, lost: [], paths: [] });

/** Puts parts into the mark with a key, a new one if none has it. */
export function put(view, marks, parts, key) {
  const old = marks.find((mark) => mark.key === key) || { key, name: null, ...placeOf([]), ...NO_OPTIONS };
  return moved(marks, old, outermost(view, [...old.parts, ...parts]));
}

/** Takes a part out of the mark with a key. */
export function takeOut(view, marks, part, key) {
  const old = marks.find((mark) => mark.key === key);
  return moved(marks, old, old.parts.filter((other) => other !== part));
}

/** Gives a mark other parts: what is said about its text does not hold for them. */
function moved(marks, old, parts) {
  if (`${parts}` === `${old.parts}`) return marks;
  const mark = { ...old, parts, span: null, attribute: null };
  return inOrder([...marks.filter((other) => other.key !== old.key), mark]);
}

/** Parts in their order, without those inside another one. */
function outermost(view, parts) {
  const all = new Set(parts);
  const isInner = (part) => {
    for (let above = view.parent[part]; above >= 0; above = view.parent[above]) if (all.has(above)) return true;
    return false;
  };
  return [...all].filter((part) => !isInner(part)).sort((a, b) => a - b);
}

/** What changes with the name of a mark: options that only the old name has go. */
export function renamed(mark, name) {
  if (mark.name === name) return {};
  const value = name === "date" ? mark.value : null;
  return name === "value" ? { name, value } : { name, value, label: null, label_span: null };
}

/** What a mark lacks, "" if nothing. */
export function lackOf(mark) {
  if (!mark.name) return "no name: not saved";
  return mark.name === "date" && !mark.value ? "no ISO date" : "";
}

/** Names that are declared absent, but are marked, not only in comments and items. */
export function contradicted(view, { marks, absent }) {
  const groups = marks.filter((mark) => ["comment", "item"].includes(mark.name)).flatMap((mark) => mark.parts);
  const isIn = (part, outer) => view.first[outer] <= view.first[part] && view.last[outer] >= view.last[part];
  const isInner = ({ parts }) => parts.length > 0 && parts.every((part) => groups.some((group) => isIn(part, group)));
  return absent.filter((name) => marks.some((mark) => mark.name === name && !isInner(mark)));
}

/** Whether a text is a date in ISO format: a year, a month, a day, or a day with a time. */
export function isDate(text) {
  const found = DATE.exec(text);
  if (!found) return false;
  const [year, month, day, hour, minute, second] = found.slice(1).map((digits) => Number(digits ?? NaN));
  if (year < 1 || month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59) return false;
  const date = new Date(0);
  date.setUTCFullYear(year, (month || 1) - 1, day || 1);
  return date.getUTCDate() === (day || 1); // not so on February 30
}

// Parts of texts. A span counts characters as Python does; JavaScript counts some of them twice.

/** The part of a text that a span means. */
export const partOf = (text, [first, last]) => [...text].slice(first, last).join("");

/** Span of `text.slice(first, last)` without the space around it, null if nothing is left. */
export function spanOf(text, first, last) {
  const part = text.slice(first, last);
  const begin = first + part.length - part.trimStart().length;
  const length = [...part.trim()].length;
  const before = [...text.slice(0, begin)].length;
  return length ? [before, before + length] : null;
}

/** Span of the occurrence of a part that is nearest to a span, null if the text does not have the part. */
export function spanOfPart(text, part, near) {
  const wanted = part.trim().split(/\s+/).join(" ");
  const spans = [];
  for (let at = text.indexOf(wanted); wanted && at >= 0; at = text.indexOf(wanted, at + 1)) {
    spans.push(spanOf(text, at, at + wanted.length));
  }
  const distance = ([first]) => Math.abs(first - (near ? near[0] : 0));
  return spans.sort((a, b) => distance(a) - distance(b))[0] || null;
}
