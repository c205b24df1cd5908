// The overview: counts, findings and plots.

// The navigation, with the number of items of each part.
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

function tile(target, value, name, about) {
  const link = make("a", { href: target }, make("b", {}, value), ` ${name}`);
  by("tiles").append(make("li", {}, link, make("small", {}, about)));
}

function tiles(report) {
  const { summary, duplicate_counts: same } = report;
  const counted = (target, n, name, about) => tile(target, digits.format(n), n === 1 ? name : `${name}s`, about);
  const verdicts = Object.entries(summary.verdicts).map(([name, n]) => `${digits.format(n)} ${name}`);
  const untyped = summary.untyped ? `${count(summary.untyped, "page")} that fit no type` : "every page has one";
  const alarms = report.drift.filter(([, one]) => one === "alarm").length;
  const drifted = alarms ? `${count(alarms, "type")} with an alarm` : "no type with an alarm";
  counted("#pages", summary.pages, "page", verdicts.join(" · "));
  counted("#types", report.type_count, "type", untyped);
  tile("#plots", percent(summary.boilerplate.mean), "boilerplate", "mean share of the characters of a page");
  counted("#duplicates", same.groups, "duplicate cluster", `${count(same.pages, "page")} in them`);
  counted("#drift", summary.misfits, "misfit", summary.match.known ? drifted : "there is no template");
  counted("#failures", report.failure_count, "failure", "pages that could not be processed");
}

function overview(report) {
  by("notes").append(...report.notes.map((note) => own("li", note)));
  const { summary } = report;
  const plots = [boilerplatePlot(summary), matchPlot(summary)];
  by("plots").append(...plots.filter(Boolean));
  if (report.types.length) by("type-table").append(typeTable(report));
  by("terms").querySelector("dl").append(...WORDS.map(([word, about]) =>
    make("div", {}, make("dt", {}, word), make("dd", {}, about))));
}

const WORDS = [
  ["Type", "Pages that share a template of the site, according to their markup. Pages that fit no type are listed "
    + "as other."],
  ["Verdict", "What a page is: an article, an index that leads to other pages, or unknown."],
  ["Boilerplate", "The share of a page's characters that is not main content: menus, footers, and teasers that "
    + "other pages repeat."],
  ["Match", "How well a page matches the template of its type. A page that matches less than the pages from which the "
    + "template was learnt is a misfit: it has another layout, or it is broken."],
  ["Title and text", "The confidence of the title and the main text of a page."],
  ["Cluster", "Near-duplicate pages; the number is that of “cluster” in pages.parquet."],
  ["Label", "The id of a type in pages.parquet, segments.jsonl and site-model.json. Names are for display and may "
    + "change."],
];

const IN_ORDER = "No problems were found: all pages were read, and none is unlike the others.";

// The findings that need attention, the worst first, each with a button that shows the pages.
function lookFirst(report, list) {
  const { summary, duplicate_counts: same } = report;
  const goto = (id) => () => { location.hash = id; };
  const found = [
    [report.failure_count, "could not be processed", "could not be processed", goto("failures")],
    [summary.misfits, "does not fit the template of its type", "do not fit the template of their type",
      () => list.choose("", "fits")],
    [summary.empty, "has no main text", "have no main text", () => list.choose("", "empty")],
    [same.pages, "is a near-duplicate of another", "are near-duplicates of others", goto("duplicates")],
    [summary.untyped, "fits no type", "fit no type", () => list.choose("", "untyped")],
  ].filter(([n]) => n > 0).map(([n, one, many, act]) => {
    const about = n === 1 ? one : many;
    const show = button("Show", act, { "aria-label": `Show what ${about}` });
    return make("li", {}, make("b", {}, count(n, "page")), ` ${about} `, show);
  });
  const worst = mostBoilerplate(report);
  if (worst) {
    const where = typeLink(report, worst.label);
    found.push(make("li", {}, make("b", {}, percent(worst.boilerplate)), " of ", where, " is boilerplate"));
  }
  if (found.length) by("first").append(make("h3", {}, "Worth a look"), make("ul", {}, ...found));
  else if (summary.pages) by("first").append(make("p", { class: "good" }, IN_ORDER));
}

// The type with the most boilerplate, if it is more than half of its text.
function mostBoilerplate(report) {
  const types = report.types.filter((type) => type.boilerplate > 0.5 && type.size > 2);
  return types.sort((a, b) => b.boilerplate - a.boilerplate)[0];
}

function boilerplatePlot({ boilerplate }) {
  const about = `Pages by the share of their characters that is boilerplate; mean ${percent(boilerplate.mean)}.`;
  return boilerplate.known ? histogram("Boilerplate", about, boilerplate.bars) : null;
}

function matchPlot({ match }) {
  const about = `Pages by how well they match the template of their type; mean ${percent(match.mean)}.`;
  return match.known ? histogram("Match with the template", about, match.bars) : null;
}
