// The segments of a page as a list beside its picture; what is chosen in one is chosen in the other. A page
// without boxes has no picture.

function segmentsOf(sample) {
  const picture = sample.width ? sheet(sample, true) : null;
  const list = make("ol", { class: "segments" }, ...sample.segments.map((one, k) => segment(one, k, picture)));
  const made = make("div", { class: "parts" },
    picture && make("figure", { tabindex: 0, role: "group", "aria-label": "The page with its segments" }, picture),
    make("div", { class: "beside" },
      make("h3", {}, count(sample.segments.length + sample.more, "segment")),
      make("p", { class: "lead" }, picture ? "Choose one in the picture, or here with ↑ and ↓."
        : "Choose one with ↑ and ↓. With --render chromium there is a picture, too."),
      picture && shower(picture), legend(sample), list));
  if (sample.more) list.append(make("li", { class: "lead" }, `and ${digits.format(sample.more)} more`));
  listen(picture, list, (k, from) => {
    for (const one of made.querySelectorAll("[data-segment]")) {
      one.classList.toggle("on", Number(one.dataset.segment) === k);
    }
    made.classList.toggle("chosen", k !== null);
    for (const item of list.querySelectorAll("[data-segment]")) unfold(item, Number(item.dataset.segment) === k);
    const other = from === "list" ? picture?.querySelector(`.block[data-segment="${k}"]`) : list.children[k];
    other?.scrollIntoView({ block: "nearest" });
  });
  return made;
}

function segment(one, k, picture) {
  const folded = { "aria-expanded": "false", "aria-controls": `segment-${k}` };
  const head = make("button", { type: "button", class: "head", ...folded },
    make("b", {}, make("span", {}, `${k}`)),
    one.role ? own("strong", one.role) : null,
    own("span", one.text.slice(0, 160) || "no text", { class: one.text ? "begin" : "begin none" }));
  return make("li", { class: `c${one.tone}`, "data-segment": k }, head, detailOf(one, k, picture));
}

function detailOf(one, k, picture) {
  const detail = make("div", { class: "detail", id: `segment-${k}`, hidden: true });
  const known = [["importance", one.importance], ["confidence", one.confidence]].filter(([, value]) => value !== null);
  const facts = known.map(([name, value]) => `${name} ${percent(value)}`);
  if (picture && !one.boxes.length) facts.push("nothing of it is in the picture");
  if (facts.length) detail.append(make("p", { class: "lead" }, facts.join(" · ")));
  detail.append(own("p", one.text || "no text", { class: "text" }));
  if (one.text) detail.append(button("Copy text", () => copy(one.text)));
  for (const [label, paths] of [["CSS", one.css], ["XPath", one.xpath]]) {
    for (const path of paths) detail.append(copyable(label, path));
  }
  if (one.more) detail.append(make("p", { class: "lead" }, `It begins at ${count(one.more, "more place")}.`));
  return detail;
}

function unfold(item, open) {
  item.querySelector(".head").setAttribute("aria-expanded", String(open));
  item.querySelector(".detail").hidden = !open;
}

function shower(picture) {
  const box = make("input", { type: "checkbox", checked: true });
  box.addEventListener("change", () => picture.classList.toggle("bare", !box.checked));
  return picture.querySelector(".picture") ? make("label", { class: "shower" }, box, " Show the boxes") : null;
}

function listen(picture, list, choose) {
  const number = (event) => event.target.closest("[data-segment]")?.dataset.segment;
  picture?.addEventListener("click", (event) => {
    const k = number(event);
    if (k === undefined) return;
    choose(Number(k), "picture");
    list.children[k].querySelector(".head").focus({ preventScroll: true });
  });
  list.addEventListener("click", (event) => {
    const head = event.target.closest(".head");
    if (head) choose(head.getAttribute("aria-expanded") === "true" ? null : Number(number(event)), "list");
  });
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const to = list.children[Number(number(event)) + (step || 0)];
    if (!step || !event.target.matches(".head") || !to || !to.dataset.segment) return;
    event.preventDefault();
    choose(Number(to.dataset.segment), "list");
    to.querySelector(".head").focus();
  });
}
