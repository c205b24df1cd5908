// The overview: what there is at a glance, and the plots.

const LARGEST = 14; // types in the plot

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
  const misfits = summary.misfits ? `${count(summary.misfits, "page")} not like their template` : "all pages fit";
  const alarms = report.drift.filter(([, one]) => one === "alarm").length;
  counted("#pages", summary.pages, "page", verdicts.join(" · "));
  counted("#types", report.type_count, "type", untyped);
  tile("#plots", percent(summary.noise.mean), "noise", "of the characters of a page, in the mean");
  counted("#duplicates", same.groups, "duplicate group", `${count(same.pages, "page")} in them`);
  counted("#drift", alarms, "drift alarm", summary.match.known ? misfits : "nothing to compare with");
  counted("#failures", report.failure_count, "failure", "pages that could not be processed");
}

function overview(report) {
  by("notes").append(...report.notes.map((note) => own("li", note)));
  const { summary } = report;
  const plots = [typePlot(report), noisePlot(summary), matchPlot(summary), timePlot(report)];
  by("plots").append(...plots.filter(Boolean));
  if (report.types.length) by("type-table").append(typeTable(report));
}

function typePlot(report) {
  if (!report.types.length) return null;
  const rows = report.types.slice(0, LARGEST).map((type) => [type.label, type.size, digits.format(type.size)]);
  const more = report.type_count > LARGEST;
  const told = more ? `The ${LARGEST} largest of ${count(report.type_count, "type")}.` : "The largest first.";
  return bars("Pages by type", told, rows, ["Type", "Pages"]);
}

function noisePlot({ noise }) {
  const told = `Share of a page's characters that is noise of the site; mean ${percent(noise.mean)}.`;
  return noise.known ? histogram("Noise", told, noise.bars) : null;
}

function matchPlot({ match }) {
  const told = `How far pages agree with the template of their type; mean ${percent(match.mean)}.`;
  return match.known ? histogram("Match with the template", told, match.bars) : null;
}

function timePlot(report) {
  const rows = report.stages.map(([name, seconds]) => [name, seconds, time(seconds)]);
  const told = `${time(rows.reduce((sum, row) => sum + row[1], 0))} of work in all.`;
  return rows.length ? bars("Time by stage", told, rows, ["Stage", "Time"]) : null;
}
