// The overview: what there is at a glance, and the plots.

// The navigation, with how many there are of each.
function parts(report) {
  if (report.made_of !== report.site) by("made-of").textContent = report.made_of;
  const counts = {
    types: report.type_count, pages: report.summary.pages, duplicates: report.duplicate_counts.groups,
    failures: report.failure_count,
  };
  for (const section of document.querySelectorAll("main > section")) {
    const name = section.querySelector("h2").textContent;
    const n = counts[section.id] ? make("small", {}, ` ${digits.format(counts[section.id])}`) : null;
    by("parts").append(make("li", {}, make("a", { href: `#${section.id}` }, name, n)));
  }
}

function tile(target, value, name, told) {
  const link = make("a", { href: target }, make("b", {}, value), ` ${name}`);
  by("tiles").append(make("li", {}, link, make("small", {}, told)));
}

function tiles(report) {
  const { summary, duplicate_counts: same } = report;
  const counted = (target, n, name, told) => tile(target, digits.format(n), n === 1 ? name : `${name}s`, told);
  const verdicts = Object.entries(summary.verdicts).map(([name, n]) => `${digits.format(n)} ${name}`);
  const untyped = summary.untyped ? `${count(summary.untyped, "page")} ${NONE}` : "each page has one";
  const alarms = report.drift.filter(([, one]) => one === "alarm").length;
  const drifted = alarms ? `${count(alarms, "type")} with an alarm` : "no type with an alarm";
  counted("#pages", summary.pages, "page", verdicts.join(" · "));
  counted("#types", report.type_count, "type", untyped);
  tile("#plots", percent(summary.noise.mean), "noise", "of the characters of a page, in the mean");
  counted("#duplicates", same.groups, "duplicate group", `${count(same.pages, "page")} in them`);
  counted("#drift", summary.misfits, "misfit", summary.match.known ? drifted : "there is no template");
  counted("#failures", report.failure_count, "failure", "pages that could not be processed");
}

function overview(report) {
  by("notes").append(...report.notes.map((note) => own("li", note)));
  const { summary } = report;
  const plots = [noisePlot(summary), matchPlot(summary)];
  by("plots").append(...plots.filter(Boolean));
  if (report.types.length) by("type-table").append(typeTable(report));
  by("words-told").querySelector("dl").append(...WORDS.map(([word, told]) =>
    make("div", {}, make("dt", {}, word), make("dd", {}, told))));
}

const WORDS = [
  ["Type", "Pages that were made by one template of the site, as far as their markup tells."],
  ["Verdict", "What a page is: an article, an index that leads to other pages, or unknown."],
  ["Noise", "The share of a page's characters that belongs to the site: menus, footers, teasers that are the same "
    + "elsewhere."],
  ["Match", "How far a page agrees with the template of its type. One that agrees less than those the template was "
    + "learnt from does not fit: it is a misfit, of another layout, or broken."],
  ["Title and text", "How sure the title and the main text of a page are; no probability."],
  ["Group", "Pages that say the same; the number is that of “cluster” in pages.parquet."],
  ["Label", "The id of a type in pages.parquet, segments.jsonl and site-model.json. Names are for people, and may "
    + "change."],
];

const IN_ORDER = "Nothing stands out: all pages were read, and none is unlike the others.";

// What is worth a look, the worst first, each with what shows it.
function lookFirst(report, list) {
  const { summary, duplicate_counts: same } = report;
  const goto = (id) => () => { location.hash = id; };
  const found = [
    [report.failure_count, "could not be processed", "could not be processed", goto("failures")],
    [summary.misfits, "does not fit the template of its type", "do not fit the template of their type",
      () => list.choose("", "fits")],
    [summary.empty, "has no main text", "have no main text", () => list.choose("", "empty")],
    [same.pages, "says the same as another", "say the same as others, or nearly the same", goto("duplicates")],
    [summary.untyped, "is of no known type", "are of no known type", () => list.choose("", "untyped")],
  ].filter(([n]) => n > 0).map(([n, one, many, act]) => {
    const told = n === 1 ? one : many;
    const show = button("Show", act, { "aria-label": `Show what ${told}` });
    return make("li", {}, make("b", {}, count(n, "page")), ` ${told} `, show);
  });
  const noisy = noisiest(report);
  if (noisy) {
    const where = typeLink(report, noisy.label);
    found.push(make("li", {}, make("b", {}, percent(noisy.noise)), " of ", where, " is noise"));
  }
  if (found.length) by("first").append(make("h3", {}, "Worth a look"), make("ul", {}, ...found));
  else if (summary.pages) by("first").append(make("p", { class: "good" }, IN_ORDER));
}

// The type with the most noise, if that is more than half of it.
function noisiest(report) {
  const types = report.types.filter((type) => type.noise > 0.5 && type.size > 2);
  return types.sort((a, b) => b.noise - a.noise)[0];
}

function noisePlot({ noise }) {
  const told = `Pages by the share of their characters that is noise of the site; mean ${percent(noise.mean)}.`;
  return noise.known ? histogram("Noise", told, noise.bars) : null;
}

function matchPlot({ match }) {
  const told = `Pages by how far they agree with the template of their type; mean ${percent(match.mean)}.`;
  return match.known ? histogram("Match with the template", told, match.bars) : null;
}
