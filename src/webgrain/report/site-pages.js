// The list of pages, with its search, filters and order.

const ONLY = {
  all: ["all pages", () => true],
  fits: ["that do not fit their template", (page) => page.fits === false],
  same: ["that are near-duplicates", (page) => page.cluster !== null],
  shown: ["with segments", (page) => page.sample !== null],
  untyped: ["that fit no type", (page) => page.type === NONE],
  empty: ["without text", (page) => !page.text],
};
const ORDERS = {
  given: ["as read", null],
  title: ["title", (a, b) => (a.title || a.id).localeCompare(b.title || b.id)],
  boilerplate: ["boilerplate, most first", (a, b) => order(b.boilerplate, a.boilerplate)],
  content: ["boilerplate, least first", (a, b) => order(a.boilerplate, b.boilerplate, 2)],
  match: ["match, worst first", (a, b) => order(a.match, b.match, 2)],
  fit: ["probability to fit, least first", (a, b) => order(a.fit, b.fit, 2)],
  sure: ["confidence, least first", (a, b) => order(a.confidence, b.confidence, 2)],
  nodes: ["nodes, most first", (a, b) => b.nodes - a.nodes],
};

// Unknown values come last.
function order(a, b, unknown = -1) {
  return (a ?? unknown) - (b ?? unknown);
}

class PageList {
  constructor(report) {
    this.report = report;
    this.shown = report.pages;
    this.list = new LongList(by("page-list"), (page) => pageRow(report, page), "Pages");
    by("page-list").prepend(heads("Page", "Type", "Verdict", "Boilerplate", "Match", ""));
    this.fill();
    let waiting = 0;
    const later = () => { clearTimeout(waiting); waiting = setTimeout(() => this.apply(), 120); };
    by("filter").addEventListener("input", later);
    by("filter").addEventListener("reset", later);
    by("copy-pages").addEventListener("click", () => copy(this.copied()));
    by("copy-pages").after(saves("Pages", () => this.table()));
    by("filter").addEventListener("submit", (event) => { event.preventDefault(); this.apply(); });
    this.apply();
  }

  fill() {
    const verdicts = [...new Set(this.report.pages.map((page) => page.verdict))].sort();
    const named = (table) => Object.entries(table).map(([key, [name]]) => [key, name]);
    const types = this.report.types.map((type) => [type.label, `${type.name} (${digits.format(type.size)})`]);
    options(by("of-type"), [["", "all"], ...types]);
    options(by("of-verdict"), [["", "all"], ...verdicts.map((one) => [one, one])]);
    options(by("only"), named(ONLY));
    options(by("order"), named(ORDERS));
  }

  // Shows the pages of one type, or of all, by one of `ONLY`; resets the rest of the filter.
  choose(type, only = "all") {
    by("filter").reset();
    by("of-type").value = type;
    by("only").value = only;
    this.apply();
    by("pages").scrollIntoView();
    by("words").focus({ preventScroll: true });
  }

  // The pages that are shown, as rows for a spreadsheet.
  copied() {
    const plain = (text) => (text || "").replace(/\s+/g, " ").replace(/^[=+@-]/, "'$&"); // a formula runs nowhere
    const row = (page) => [page.id, page.url, page.type, page.verdict, page.title].map(plain).join("\t");
    return ["page\turl\ttype\tverdict\ttitle", ...this.shown.map(row)].join("\n");
  }

  // The pages that are shown, with all that is known of them here.
  table() {
    const names = FIELDS.filter((name) => name !== "text");
    return [names, ...this.shown.map((page) => names.map((name) => page[name]))];
  }

  apply() {
    const words = by("words").value.toLowerCase().split(/\s+/).filter(Boolean);
    const type = by("of-type").value, verdict = by("of-verdict").value;
    const only = ONLY[by("only").value][1], sorted = ORDERS[by("order").value][1];
    const found = this.report.pages.filter((page) => (!type || page.type === type)
      && (!verdict || page.verdict === verdict) && only(page) && words.every((word) => wordsOf(page).includes(word)));
    this.shown = sorted ? found.sort(sorted) : found;
    this.list.show(this.shown);
    by("page-count").textContent = `${digits.format(found.length)} of ${count(this.report.pages.length, "page")}`;
  }
}

// Visible names of the columns; screen readers read the name in each cell.
function heads(...names) {
  return make("div", { class: "heads", "aria-hidden": "true" }, ...names.map((name) => make("span", {}, name)));
}

function typeCell(name, label) {
  return cell("type", make("span", { title: `${name} [${label}]` }, called(name)));
}

function cell(name, value) {
  return make("span", { class: "cell" }, make("span", { class: "name" }, `${name} `), value);
}

function pageRow(report, page) {
  const flags = make("span", { class: "flags" });
  if (page.fits === false) flags.append(badge("does not fit", "bad"));
  if (page.cluster !== null) flags.append(badge(`cluster ${page.cluster}`));
  if (page.sample) flags.append(badge("segments", "good"));
  return [make("a", { href: `#page-${page.number}` }, own("strong", page.title || page.id),
    own("small", page.title ? page.id : page.url || "")),
  typeCell(nameOf(report, page.type), page.type), cell("verdict", page.verdict), cell("boilerplate", percent(page.boilerplate)),
  cell("match", percent(page.match)), flags];
}
