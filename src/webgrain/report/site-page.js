// A dialog with all results of one page; its address in the report is #page-NUMBER.

class PageDialog {
  // report: the data; shown: gives the pages of the list as it stands, for going on to the next one.
  constructor(report, shown) {
    this.report = report;
    this.shown = shown;
    this.page = null;
    this.dialog = by("page");
    by("previous").addEventListener("click", () => this.step(-1));
    by("next").addEventListener("click", () => this.step(1));
    by("close").addEventListener("click", () => this.dialog.close());
    this.dialog.addEventListener("close", () => this.leave());
    this.dialog.addEventListener("click", (event) => { if (event.target === this.dialog) this.dialog.close(); });
    addEventListener("hashchange", () => this.route());
    this.route();
  }

  route() {
    const found = /^#page-(\d+)$/.exec(location.hash);
    const page = found && this.report.pages[Number(found[1])];
    if (page) this.open(page);
    else if (this.dialog.open) this.dialog.close();
  }

  leave() {
    this.page = null;
    by("page-body").replaceChildren();
    if (location.hash.startsWith("#page-")) history.replaceState(null, "", "#");
  }

  open(page) {
    this.page = page;
    by("page-title").textContent = page.title || page.id;
    by("page-body").replaceChildren(...this.parts(page));
    const [at, pages] = this.place();
    by("previous").disabled = at <= 0;
    by("next").disabled = at < 0 || at === pages.length - 1;
    if (!this.dialog.open) this.dialog.showModal();
    by("page-title").focus();
    by("page-body").scrollTop = 0;
  }

  place() {
    const pages = this.shown();
    return [pages.indexOf(this.page), pages];
  }

  step(way) {
    const [at, pages] = this.place();
    const next = pages[at + way];
    if (!next) return;
    history.replaceState(null, "", `#page-${next.number}`);
    this.open(next);
  }

  parts(page) {
    const list = make("dl", { class: "facts" });
    const fact = (name, value, wide) => {
      if (value) list.append(make("div", { class: wide ? "wide" : null }, make("dt", {}, name), make("dd", {}, value)));
    };
    fact("Page", own("span", page.id), true);
    fact("Address", outward(page.url), true);
    fact("Type", page.kind ? make("a", { href: `#type-${page.kind.number}` }, called(page.kind.name)) : page.type);
    fact("Verdict", page.verdict);
    fact("Boilerplate", page.boilerplate === null ? null : `${percent(page.boilerplate)} of its characters`);
    const misfit = page.fits === false ? `, does not fit (probability to fit ${percent(page.fit)})` : "";
    fact("Template", page.match === null ? null : `match ${percent(page.match)}${misfit}`);
    fact("Title and text", page.confidence === null ? null : `confidence ${percent(page.confidence)}`);
    fact("Nodes", page.nodes ? digits.format(page.nodes) : null);
    fact("Near-duplicates", this.mates(page), true);
    const text = page.text ? make("details", { open: !page.sample }, make("summary", {}, "Beginning of the text"),
      own("p", page.text, { class: "text" })) : null;
    const note = "Segments are shown for some pages of each type only.";
    const shown = page.sample ? segmentsOf(page.sample) : make("p", { class: "lead" }, note);
    return [list, text, shown].filter(Boolean);
  }

  // Links to the pages of the same group.
  mates(page) {
    const all = page.cluster === null ? [] : this.report.groups.get(page.cluster).filter((one) => one !== page);
    if (!all.length) return null;
    const link = (one) => own("a", one.title || one.id, { href: `#page-${one.number}` });
    const links = all.slice(0, 12).map((one) => make("li", {}, link(one)));
    if (all.length > 12) links.push(make("li", {}, `and ${all.length - 12} more`));
    return make("ul", {}, ...links);
  }
}
