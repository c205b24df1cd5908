// Plots as SVG, drawn anew when their width changes; each has its figures as a table, too.

function plot(title, about, draw, rows) {
  const sheet = make("div", { class: "plot" });
  const details = make("details", {}, make("summary", {}, "As a table"), table(title, rows.heads, rows.cells, [1]));
  let width = 0;
  new ResizeObserver(() => {
    const now = Math.max(240, Math.floor(sheet.clientWidth));
    if (now !== width) {
      width = now;
      sheet.replaceChildren(draw(width, about));
    }
  }).observe(sheet);
  return make("figure", {}, make("figcaption", {}, make("h3", {}, title), make("p", {}, about)), sheet, details);
}

// counts: how many pages have a share in each part of 0..1.
function histogram(title, about, counts) {
  const most = Math.max(...counts, 1);
  const height = 150;
  const names = counts.map((_, k) => `${percent(k / counts.length)} to ${percent((k + 1) / counts.length)}`);
  const draw = (width, name) => {
    const left = 8 + 7.5 * digits.format(most).length;
    const step = (width - left - 20) / counts.length;
    const svg = frame(width, height + 24, name);
    svg.append(make("line", { class: "axis", x1: left, x2: width - 20, y1: height, y2: height }),
      make("line", { class: "grid", x1: left, x2: width - 20, y1: 12, y2: 12 }),
      words(left - 5, 16, digits.format(most), "end"), words(left - 5, height, "0", "end"));
    counts.forEach((n, k) => {
      const tall = n ? Math.max(1.5, ((height - 12) * n) / most) : 0;
      const place = { x: left + k * step + 1, y: height - tall, width: Math.max(step - 2, 1), height: tall };
      svg.append(make("rect", { class: "bar", ...place }, make("title", {}, `${names[k]}: ${count(n, "page")}`)));
    });
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
      svg.append(words(left + share * step * counts.length, height + 18, percent(share), "middle"));
    }
    return svg;
  };
  const cells = counts.map((n, k) => [names[k], digits.format(n)]);
  return plot(title, about, draw, { heads: ["Share", "Pages"], cells });
}

function frame(width, height, name) {
  return make("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": name });
}

function words(x, y, text, anchor) {
  return make("text", { x, y, "text-anchor": anchor }, text);
}

// A share as a bar beside its number, for tables.
function meter(value, kind = "") {
  if (value === null) return make("span", {}, "–");
  const bar = make("svg", { class: `meter ${kind}`, viewBox: "0 0 60 8", width: 60, height: 8, "aria-hidden": "true" },
    make("rect", { class: "rail", width: 60, height: 8, rx: 2 }),
    make("rect", { class: "bar", width: 60 * Math.min(Math.max(value, 0), 1), height: 8, rx: 2 }));
  return make("span", { class: "metered" }, bar, make("span", {}, percent(value)));
}
