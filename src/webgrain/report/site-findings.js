// Drift, failures, boilerplate of the site.

function none(id, text) {
  by(id).append(make("p", { class: "none" }, text));
}

function drift(report) {
  const changed = report.drift.filter(([, one]) => one !== "none");
  const rows = changed.map(([type, one, changes]) => [
    typeLink(report, type), level(one), make("ul", {}, ...changes.map((text) => own("li", text))),
  ]);
  const names = ["Type", "Level", "What has changed"];
  if (rows.length) by("drift-table").append(table("Types that have changed", names, rows));
  const same = report.drift.length - rows.length;
  if (same) none("drift-table", `${count(same, rows.length ? "other type" : "type")} unchanged.`);
  if (!report.drift.length) none("drift-table", "No page was matched with a template.");
}

function failures(report) {
  const stages = Object.entries(report.failure_stages).map(([name, n]) => `${name} ${digits.format(n)}`);
  if (!stages.length) {
    by("failure-count").textContent = "None: all pages were processed.";
    by("failure-list").remove();
    return;
  }
  by("failure-count").textContent = `By stage: ${stages.join(", ")}.`;
  by("failure-count").append(" ", saves("Failures", () => [["page", "stage", "error", "seconds"], ...report.failures]));
  new LongList(by("failure-list"), failureRow, "Failures").show(report.failures);
}

function failureRow([page, stage, error, seconds]) {
  const after = seconds >= 0.1 ? ` (after ${time(seconds)})` : "";
  return [own("strong", page), own("span", `${stage}: ${error}${after}`, { title: error })];
}

function siteFrame(report) {
  const rows = report.boilerplate.map(([name, css, share]) => [name, meter(share), css ? copyable("", css, name) : "–"]);
  if (rows.length) by("frame-table").append(table("Boilerplate", ["Part", "On pages", "Selector"], rows));
  else none("frame-table", "No boilerplate was found.");
}
