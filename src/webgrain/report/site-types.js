// The types of a site: a table of all, and a card for each. Names are for display, labels are ids.

const SHOWN = 3; // samples on a card
const NAMED = 8; // pages named on a card
const DEEPEST = 8; // steps by which a part of a template is indented
const OPEN_ROWS = 30; // parts of a template that are shown without a click

function typeTable(report) {
  const drift = new Map(report.drift.map(([type, level]) => [type, level]));
  const rows = report.types.map((type) => [
    typeLink(report, type.label), digits.format(type.size), meter(type.share), mostly(type),
    meter(type.boilerplate, "boilerplate"), fitting(type, drift.get(type.label)),
  ]);
  if (report.summary.untyped && !report.kinds.has(NONE)) {
    const share = report.summary.untyped / report.summary.pages;
    rows.push([NONE, digits.format(report.summary.untyped), meter(share), "–", "–", "–"]);
  }
  const names = ["Type", "Pages", "Share", "Mostly", "Boilerplate", "Fit their template"];
  return table("Page types", names, rows, [1]);
}

// The verdict of most pages of a type, and how many others there are.
function mostly(type) {
  const [[verdict, n] = ["–", 0], ...others] = type.verdicts;
  return others.length ? `${verdict} (${percent(n / type.size)})` : verdict;
}

function fitting(type, drift) {
  if (type.match === null) return "–";
  const fit = type.misfits ? `all but ${digits.format(type.misfits)}` : "all";
  return drift && drift !== "none" ? make("span", {}, `${fit} `, level(drift)) : fit;
}

function typeLink(report, label) {
  const type = report.kinds.get(label);
  return type ? make("a", { href: `#type-${type.number}`, title: `${type.name} [${label}]` }, called(type.name)) : own("span", label);
}

function level(name) {
  return badge(name === "none" ? "unchanged" : name, { none: "good", notice: "soso", alarm: "bad" }[name]);
}

// The pages of each type that a card names.
function namedPages(report) {
  const found = new Map(report.types.map((type) => [type.label, []]));
  for (const page of report.pages) {
    const mine = found.get(page.type);
    if (mine && mine.length < NAMED) mine.push(page);
  }
  return found;
}

function cards(report, list) {
  const named = namedPages(report);
  by("cards").append(...report.types.map((type) => card(type, named.get(type.label), list)));
  if (!report.types.length) none("cards", "No types were found.");
}

function card(type, pages, list) {
  const facts = [`${count(type.size, "page")}, ${percent(type.share)} of the site`];
  if (type.verdicts.length) facts.push(`mostly ${mostly(type)}`);
  if (type.boilerplate !== null) facts.push(`${percent(type.boilerplate)} boilerplate`);
  if (type.match !== null) facts.push(`match with the template ${percent(type.match)}`);
  if (type.clicks) facts.push(`${count(type.clicks, "click")} in the search log`);
  const id = `type-${type.number}`;
  return make("article", { class: "card", id, tabindex: -1, "aria-labelledby": `${id}-name` },
    make("h3", { id: `${id}-name` }, called(type.name)),
    make("p", { class: "lead" }, facts.join(" · ")),
    type.name === type.label ? null : copyable("Label", type.label),
    make("div", { class: "of-type" }, marks(type), thumbs(type)),
    outline(type), pagesOf(type, pages, list));
}

function marks(type) {
  const made = make("div", { class: "marks" });
  made.append(make("h4", {}, "Key path"));
  if (type.key_path_css || type.key_path_xpath) {
    if (type.key_path_css) made.append(copyable("CSS", type.key_path_css));
    if (type.key_path_xpath) made.append(copyable("XPath", type.key_path_xpath, "XPath", "line"));
  } else made.append(make("p", { class: "lead" }, type.label === NONE ? "None: these pages fit no type." : "None: these pages were grouped by other paths."));
  if (type.contents.length) {
    made.append(make("p", { class: "lead" }, "Text at the key path on some pages"),
      make("ul", { class: "contents" }, ...type.contents.slice(0, 5).map((text) => own("li", text))));
  }
  if (type.queries.length) {
    made.append(make("h4", {}, "Most frequent queries"), make("ul", { class: "contents" }, ...type.queries.map((text) => own("li", text))));
  }
  if (type.title_css || type.main_css) made.append(make("h4", {}, "Selectors of the content"));
  if (type.title_css) made.append(copyable("Title", type.title_css));
  if (type.main_css) made.append(copyable("Text", type.main_css));
  return made;
}

function thumbs(type) {
  return make("ul", { class: "thumbs", "aria-label": "Examples" }, ...type.samples.slice(0, SHOWN).map((sample) => {
    const name = sample.page.title || sample.id;
    const holder = sample.width ? make("div", { class: "holder" }) : null;
    if (holder) near.observe(holder, () => holder.append(sheet(sample, false)));
    return make("li", {}, make("a", { href: `#page-${sample.page.number}` }, holder,
      make("span", { class: "quiet" }, "Segments of "), own("span", name, { class: "thumb-name" })),
    name === sample.id ? null : own("small", sample.id));
  }));
}

// The parts of the template: what each is, and its texts on two pages.
function outline(type) {
  if (!type.outline.length) return null;
  const rows = type.outline.map(([depth, name, css, signs, share, role, texts]) => {
    const part = make("code", { title: css, dir: "ltr" }, `${name}${signs ? ` ${signs}` : ""}`);
    const shown = make("p", { class: "part" }, part,
      role ? make("span", { class: `badge is-${role}` }, role) : null,
      share < 1 ? make("small", {}, `on ${percent(share)}`) : null);
    const row = make("li", {}, shown, ...texts.map((text) => own("p", text, { class: "example" })));
    row.style.paddingInlineStart = `${Math.min(depth, DEEPEST)}rem`;
    return row;
  });
  return make("details", { open: rows.length <= OPEN_ROWS }, make("summary", {}, "Parts of the template"),
    make("ul", { class: "outline" }, ...rows));
}

function pagesOf(type, pages, list) {
  const items = pages.map((page) => make("li", {}, own("a", page.title || page.id, { href: `#page-${page.number}` }),
    page.title ? own("small", ` ${page.id}`) : null));
  const all = button(`Show ${type.size > 1 ? `all ${digits.format(type.size)}` : "it"} in the list of pages`, () => {
    list.choose(type.label);
  });
  const named = make("ul", { class: "columns" }, ...items);
  const misfits = type.misfits ? button(`Show the ${digits.format(type.misfits)} that do not fit`, () => {
    list.choose(type.label, "fits");
  }) : null;
  return make("details", { open: true }, make("summary", {}, "Its pages"), named,
    make("div", { class: "tools" }, all, misfits));
}

// Runs a function once an element comes near the visible part of the document, or before printing.
const near = {
  waiting: new Map(),
  watch: null,
  observe(element, act) {
    this.watch ??= new IntersectionObserver((entries) => {
      for (const entry of entries) if (entry.isIntersecting) this.run(entry.target);
    }, { rootMargin: "600px" });
    this.waiting.set(element, act);
    this.watch.observe(element);
  },
  run(element) {
    this.watch.unobserve(element);
    this.waiting.get(element)?.();
    this.waiting.delete(element);
  },
};
addEventListener("beforeprint", () => { for (const element of [...near.waiting.keys()]) near.run(element); });
