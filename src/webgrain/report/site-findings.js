// What was found besides the types: duplicates, drift, failures, the frame of the site, times.

function none(id, told) {
  by(id).append(make("p", { class: "none" }, told));
}

function duplicates(report) {
  const { verdicts, pairs } = report.duplicate_counts;
  if (!pairs) {
    by("pair-part").remove();
    none("duplicate-table", "No two pages say the same.");
    return;
  }
  const rows = verdicts.map(([name, n, told]) => [name, digits.format(n), told]);
  const caption = "Pairs of pages by what they are to each other";
  by("duplicate-table").append(table(caption, ["Verdict", "Pairs", "Meaning"], rows, [1]));
  const list = new LongList(by("pair-list"), (row) => pairRow(report, row), "Pairs of pages");
  by("pair-list").prepend(heads("Pages", "Verdict", "Alike", "Group"));
  const choose = by("pair-verdict");
  options(choose, [["", "all"], ...verdicts.map(([name]) => [name, name])]);
  const apply = () => {
    const found = report.duplicates.filter((row) => !choose.value || row[2] === choose.value);
    list.show(found);
    by("pair-count").textContent = `${digits.format(found.length)} of ${count(report.duplicates.length, "pair")}`;
  };
  choose.addEventListener("change", apply);
  apply();
}

function pairRow(report, [a, b, verdict, similarity, group]) {
  return [make("span", { class: "pair" }, pageLink(report, a), pageLink(report, b)), cell("verdict", badge(verdict)),
    cell("alike", percent(similarity)), cell("group", group === null ? "–" : `${group}`)];
}

function pageLink(report, id) {
  const page = report.byId.get(id);
  if (!page) return own("span", id);
  const link = own("a", page.title || id, { href: `#page-${page.number}` });
  return make("span", {}, link, page.title ? own("small", ` ${id}`) : null);
}

function drift(report) {
  const rows = report.drift.map(([type, one, told]) => [
    typeLink(report, type), level(one), make("ul", {}, ...told.map((text) => own("li", text))),
  ]);
  if (rows.length) by("drift-table").append(table("Drift of each type", ["Type", "Level", "What has changed"], rows));
  else none("drift-table", "There was nothing to compare with.");
}

function failures(report) {
  const stages = Object.entries(report.failure_stages).map(([name, n]) => `${name} ${digits.format(n)}`);
  if (!stages.length) {
    by("failure-count").textContent = "None: all pages were processed.";
    by("failure-list").remove();
    return;
  }
  by("failure-count").textContent = `By stage: ${stages.join(", ")}.`;
  new LongList(by("failure-list"), failureRow, "Failures").show(report.failures);
}

function failureRow([page, stage, error, seconds]) {
  const after = seconds >= 0.1 ? ` (after ${time(seconds)})` : "";
  return [own("strong", page), own("span", `${stage}: ${error}${after}`, { title: error })];
}

function siteFrame(report) {
  const rows = report.furniture.map(([name, css, share]) => [name, meter(share), css ? copyable("", css, name) : "–"]);
  if (rows.length) by("frame-table").append(table("Parts of the frame", ["Part", "On pages", "Where"], rows));
  else none("frame-table", "No part of the frame was found.");
}

function times(report) {
  const total = report.stages.reduce((sum, [, seconds]) => sum + seconds, 0) || 1;
  const rows = report.stages.map(([name, seconds, pages]) => [
    name, time(seconds), meter(seconds / total), digits.format(pages), pages ? time(seconds / pages) : "–",
  ]);
  const names = ["Stage", "Time", "Share", "Pages", "Per page"];
  if (rows.length) by("time-table").append(table("Work by stage, summed over all workers", names, rows, [1, 3, 4]));
  else none("time-table", "No times were taken.");
}
