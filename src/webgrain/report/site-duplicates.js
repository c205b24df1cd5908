// Near-duplicates: clusters of pages, and all pairs of similar pages.

const GROUPS = 200; // groups that are listed, the largest

function duplicates(report) {
  const { verdicts, pairs } = report.duplicate_counts;
  if (!pairs) {
    by("pair-part").remove();
    none("duplicate-table", "There are no near-duplicates.");
    return;
  }
  groups(report);
  const rows = verdicts.map(([name, n, meaning]) => [name, digits.format(n), meaning]);
  const caption = "Pairs of similar pages by verdict";
  by("duplicate-table").append(table(caption, ["Verdict", "Pairs", "Meaning"], rows, [1]));
  const list = new LongList(by("pair-list"), (row) => pairRow(report, row), "Pairs of pages");
  by("pair-list").prepend(heads("Pages", "Verdict", "Similarity", "Cluster"));
  const choose = by("pair-verdict");
  options(choose, [["", "all"], ...verdicts.map(([name]) => [name, name])]);
  const apply = () => {
    const found = report.duplicates.filter((row) => !choose.value || row[2] === choose.value);
    list.show(found);
    by("pair-count").textContent = `${digits.format(found.length)} of ${count(report.duplicates.length, "pair")}`;
  };
  choose.addEventListener("change", apply);
  apply();
  const names = ["page", "other page", "verdict", "similarity", "cluster", "only in the first", "only in the second"];
  by("pair-count").after(saves("Pairs of similar pages", () => [names, ...list.items]));
}

function pairRow(report, [a, b, verdict, similarity, group]) {
  return [make("span", { class: "pair" }, pageLink(report, a), pageLink(report, b)), cell("verdict", badge(verdict)),
    cell("similarity", percent(similarity)), cell("cluster", group === null ? "–" : `${group}`)];
}

function pageLink(report, id) {
  const page = report.byId.get(id);
  if (!page) return own("span", id);
  const link = own("a", page.title || id, { href: `#page-${page.number}` });
  return make("span", {}, link, page.title ? own("small", ` ${id}`) : null);
}

function groups(report) {
  const all = [...report.groups.entries()].filter(([, pages]) => pages.length > 1);
  all.sort(([a, some], [b, others]) => others.length - some.length || a - b);
  const items = all.slice(0, GROUPS).map(([number, pages]) => group(report, number, pages));
  if (!items.length) return;
  by("groups").append(make("h3", {}, "Clusters"), ...items);
  const more = all.length - items.length;
  if (more) by("groups").append(make("p", { class: "lead" }, `and ${count(more, "smaller cluster")}`));
}

// What differs between two pages of a cluster.
const difference = (report) => ([a, b, verdict, , , ...only]) => make("div", { class: "difference" },
  badge(verdict), " ", pageLink(report, a), " – ", pageLink(report, b),
  ...only.map((text, k) => (text ? make("p", {}, make("b", {}, k ? "Only in the second: " : "Only in the first: "), own("span", text)) : null)));

// A cluster: its size and first page; the list of its pages is made when it is opened.
function group(report, number, pages) {
  const made = make("details", { class: "group" }, make("summary", {}, make("b", {}, count(pages.length, "page")), " ",
    own("span", pages[0].title || pages[0].id), make("small", {}, ` cluster ${number}`)));
  made.addEventListener("toggle", () => {
    if (!made.open || made.children.length > 1) return;
    const pairs = report.duplicates.filter((row) => row[4] === number && (row[5] || row[6]));
    made.append(make("ul", {}, ...pages.map((page) => make("li", {}, pageLink(report, page.id)))), ...pairs.map(difference(report)));
  });
  return made;
}
