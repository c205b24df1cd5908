// The data of the file as linked objects: pages with their types and samples, clusters with their pages.

const FIELDS = [
  "id", "url", "type", "verdict", "title", "text", "boilerplate", "match", "fits", "confidence", "cluster", "nodes",
  "fit",
];

const NONE = "other"; // pages that fit no type

function readReport() {
  const report = JSON.parse(by("report-data").textContent);
  const rows = JSON.parse(by("pages-data").textContent);
  report.types.forEach((type, k) => {
    type.number = k;
    type.label ??= NONE;
    type.name ||= type.label;
  });
  report.kinds = new Map(report.types.map((type) => [type.label, type]));
  report.pages = rows.map((row) => pageOf(row));
  report.byId = new Map(report.pages.map((page) => [page.id, page]));
  for (const type of report.types) for (const sample of type.samples) attach(report, type, sample);
  report.groups = new Map();
  report.pages.forEach((page, k) => {
    page.number = k;
    page.kind = report.kinds.get(page.type) || null;
    if (page.cluster === null) return;
    if (!report.groups.has(page.cluster)) report.groups.set(page.cluster, []);
    report.groups.get(page.cluster).push(page);
  });
  return report;
}

// The display name of a type, by its label.
function nameOf(report, label) {
  return report.kinds.get(label)?.name || label;
}

function pageOf(row) {
  const page = { sample: null, words: null };
  FIELDS.forEach((name, k) => { page[name] = row[k]; });
  page.type ??= NONE;
  return page;
}

// A sample that is not among the listed pages gets a row.
function attach(report, type, sample) {
  let page = report.byId.get(sample.id);
  if (!page) {
    page = pageOf([sample.id, sample.url, type.label, "unknown", "", "", null, null, null, null, null, 0]);
    report.pages.push(page);
    report.byId.set(sample.id, page);
  }
  page.sample = sample;
  sample.page = page;
}

// The text that a search looks at, made for the first search.
function wordsOf(page) {
  page.words ??= [page.id, page.url || "", page.title, page.text].join("\n").toLowerCase();
  return page.words;
}
