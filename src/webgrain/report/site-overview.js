// The findings, and the overview: counts and plots.

// The navigation, with the number of items of each part.
function parts(report) {
  if (report.made_of !== report.site) by("made-of").textContent = report.made_of;
  const counts = {
    types: report.type_count, pages: report.summary.pages, duplicates: report.duplicate_counts.groups,
    failures: report.failure_count, findings: report.findings.length,
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
    + "other pages repeat. It is no fault: visitors need menus."],
  ["Match", "How well a page matches the template of its type. A page that matches less than the pages from which the "
    + "template was learnt is a misfit: it has another layout, or it is broken."],
  ["Title and text", "The confidence of the title and the main text of a page."],
  ["Cluster", "Near-duplicate pages; the number is that of “cluster” in pages.parquet."],
  ["Label", "The id of a type in pages.parquet, segments.jsonl and site-model.json. Names are for display and may "
    + "change."],
];

// The faults with the largest effects, each with its place, an example and the remedy.
function actions(report) {
  by("sentence").textContent = report.sentence;
  if (!report.actions.length) {
    by("actions").remove();
    return;
  }
  by("action-list").append(...report.actions.map((one) => action(report, one)));
  const names = ["level", "title", "cause", "place", "type", "causes", "pages", "clicks", "example", "detail", "selector", "remedy"];
  const rows = () => [names, ...report.actions.map((one) => names.map((name) => one[name]))];
  by("action-list").before(saves("What to do first", rows));
}

function action(report, one) {
  const others = one.causes > 1 ? `: ${count(one.causes, "other")}` : "";
  const title = make("a", { href: `#finding-${one.finding}` }, `${one.title}${others}`);
  const cause = one.cause ? [" ", own("code", one.cause)] : [];
  const place = one.place ? own("span", ` in ${one.place}`) : null;
  const type = one.type ? [" · ", typeLink(report, one.type)] : [];
  const clicks = one.clicks ? `, ${count(one.clicks, "search click")}` : "";
  const detail = one.detail && one.detail !== one.cause && !one.place ? own("span", `: ${one.detail}`) : null;
  const made = make("li", {},
    make("p", {}, badge(one.level, LEVELS[one.level][1]), " ", make("b", {}, title), ...cause, place, ...type,
      make("small", {}, ` ${count(one.pages, "page")}${clicks}`)),
    make("p", {}, one.remedy),
    make("p", { class: "lead" }, "Example: ", pageLink(report, one.example), detail));
  if (one.selector) made.append(copyable("CSS", one.selector));
  return made;
}

const IN_ORDER = "Nothing was found that needs attention.";
const LEVELS = {
  error: ["Errors", "bad", "harm visitors: correct them first"],
  warning: ["Warnings", "soso", "are probably faults"],
  notice: ["Notices", "", "may be intended"],
};

// What needs attention, the most important first; the rows are made when a finding is opened.
function problems(report) {
  const { findings } = report;
  if (!findings.length) {
    by("finding-list").append(make("p", { class: "good" }, IN_ORDER));
    return;
  }
  for (const [level, [name, , meaning]] of Object.entries(LEVELS)) {
    const some = findings.filter((one) => one.level === level);
    if (!some.length) continue;
    by("finding-list").append(make("h3", {}, name, make("small", {}, ` ${meaning}`)), ...some.map((one) => finding(report, one)));
  }
}

// What has changed since an earlier audit: pages, rows of findings, and types.
function changes(report) {
  const found = report.comparison;
  if (!found) {
    by("changes").remove();
    return;
  }
  const pages = Object.entries(found.pages).map(([change, n]) => `${digits.format(n)} ${change}`).join(", ");
  by("since").append("Since ", own("code", found.since), `: pages ${pages}. All rows are in `,
    make("code", {}, "changes.parquet"), " and ", make("a", { href: "changed-findings.csv" }, "changed-findings.csv"),
    " beside this report.");
  const rows = found.findings.map((one) => [make("span", {}, badge(one.level, LEVELS[one.level][1]), ` ${one.title}`),
    ...[one.new, one.resolved, one.unchanged].map((n) => digits.format(n))]);
  const names = ["Finding", "New", "Resolved", "Unchanged"];
  if (rows.length) by("changed-findings").append(table("Rows of findings", names, rows, [1, 2, 3]));
  else none("changed-findings", IN_ORDER);
  by("changed-rows").append(...found.findings.filter((one) => one.examples.length).map((one) => changedRows(report, one)));
  const sizes = found.types.map(([label, name, before, now]) => [
    report.kinds.has(label) ? typeLink(report, label) : called(name), digits.format(before), digits.format(now)]);
  if (sizes.length) by("changed-types").append(table("Pages of each type", ["Type", "Before", "Now"], sizes, [1, 2]));
}

function changedRows(report, one) {
  const more = one.new + one.resolved - one.examples.length;
  const rows = one.examples.map(([change, page, detail]) => make("li", {}, badge(change, change === "new" ? "bad" : "good"), " ",
    pageLink(report, page), detail ? own("span", `: ${detail}`) : null));
  if (more > 0) rows.push(make("li", {}, `and ${digits.format(more)} more`));
  return make("details", { class: "group" }, make("summary", {}, make("b", {}, one.title),
    make("small", {}, ` ${digits.format(one.new)} new, ${digits.format(one.resolved)} resolved`)), make("ul", {}, ...rows));
}

function finding(report, one) {
  const made = make("details", { class: "group", id: `finding-${one.name}` }, make("summary", {},
    badge(one.level, LEVELS[one.level][1]), " ", make("b", {}, one.title), make("small", {}, ` ${count(one.pages, "page")}`)));
  const fill = () => {
    if (made.children.length > 1) return;
    const rows = one.examples.map(([page, detail]) => make("li", {}, pageLink(report, page), detail ? own("span", `: ${detail}`) : null));
    const file = `findings/${one.name}.csv`;
    const more = make("a", { href: file }, file);
    made.append(make("p", {}, `${one.reason} `, make("b", {}, one.remedy)), make("ul", {}, ...rows),
      make("p", { class: "lead" }, `${count(one.rows, "row")} in `, more, " beside this report."));
  };
  made.addEventListener("toggle", () => made.open && fill());
  addEventListener("beforeprint", () => {
    made.dataset.closed = made.open ? "" : "closed";
    fill();
    made.open = true;
  });
  addEventListener("afterprint", () => { made.open = !made.dataset.closed; });
  return made;
}

function boilerplatePlot({ boilerplate }) {
  const about = `Pages by the share of their characters that is boilerplate; mean ${percent(boilerplate.mean)}.`;
  return boilerplate.known ? histogram("Boilerplate", about, boilerplate.bars) : null;
}

function matchPlot({ match }) {
  const about = `Pages by how well they match the template of their type; mean ${percent(match.mean)}.`;
  return match.known ? histogram("Match with the template", about, match.bars) : null;
}
