// The table of how far annotators agree, page by page.
import { element } from "./draw.js";
import { ask } from "./saver.js";

const $ = (id) => document.getElementById(id);
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Opens the table and fills it; pages are laid out one after the other, so rows come one by one. */
export async function compare() {
  $("rows").replaceChildren();
  $("mean").replaceChildren();
  $("compared").textContent = "Looking for pages that two annotators have labelled…";
  $("agreement").showModal();
  try {
    await fillTable((await ask("/agreement")).pages);
  } catch (error) {
    $("compared").textContent = `The agreement is not known: ${error.message}`;
  }
}

async function fillTable(pages) {
  const scores = [];
  for (const [k, page] of pages.entries()) {
    if (!$("agreement").open) return;
    $("compared").textContent = `Page ${k + 1} of ${pages.length}…`;
    const { page: id, pairs } = await ask(`/pages/${page}/agreement`).catch(passOver);
    for (const { a, b, leaves, ari, b_cubed: bCubed } of pairs) {
      $("rows").append(row("td", id, `${a}, ${b}`, `${leaves}`, ari, bCubed));
    }
    if (pairs.length) scores.push(["ari", "b_cubed"].map((name) => mean(pairs.map((pair) => pair[name]))));
  }
  const failed = pages.length - scores.length;
  const left = failed ? `${failed} of ${pages.length} pages cannot be shown.` : "";
  $("compared").textContent = pages.length ? left : "No page has been labelled by two annotators yet.";
  const means = [0, 1].map((column) => mean(scores.map((score) => score[column])));
  if (scores.length) $("mean").append(row("th", "Mean over pages", "", "", ...means));
}

/** A page that cannot be shown has no agreement; everything else ends the table. */
function passOver(error) {
  if (error.status !== 422) throw error;
  return { page: "", pairs: [] };
}

function row(kind, id, who, leaves, ...scores) {
  const cells = [id, who, leaves, ...scores.map((score) => score.toFixed(3))];
  return element("tr", {}, ...cells.map((text) => element(kind, {}, text)));
}
