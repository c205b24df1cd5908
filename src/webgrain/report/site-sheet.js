// A page with its segments: their boxes over the screenshot, or in its place.

const TEXT_WIDTH = 7.2, TEXT_HEIGHT = 17; // of a letter and a line of drawn text, in px of the page

function sheet(sample, captions) {
  const width = sample.width || 1, height = sample.height || 1;
  const drawn = !sample.picture;
  const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", class: drawn ? "drawn" : "" });
  const each = sample.segments.flatMap((one, k) => one.boxes.map((box) => ({ one, k, box })));
  each.sort((a, b) => b.box[2] * b.box[3] - a.box[2] * a.box[3]); // the pointer reaches the inner ones
  for (const { one, k, box } of each) svg.append(block(one, k, box));
  if (drawn) for (const { one, box } of each) svg.append(wording(one.text, box));
  if (captions) for (const { one, k, box } of each) svg.append(chip(one, k, box, width));
  const made = make("div", { class: "sheet" });
  made.style.aspectRatio = `${width} / ${height}`;
  if (!drawn) {
    const image = make("img", { alt: "", width, height, decoding: "async", class: "picture" });
    image.src = pictureOf(sample.picture);
    made.append(image);
  }
  made.append(svg);
  return made;
}

function pictureOf(id) {
  const url = by(id)?.textContent || "";
  return url.startsWith("data:image/") ? url : "";
}

function caption(one, k) {
  if (one.role) return `${k} ${one.role}`;
  return one.importance === null ? `${k}` : `${k} ${percent(one.importance)}`;
}

function block(one, k, [x, y, width, height]) {
  return make("rect", {
    class: `block c${one.tone}`, "data-segment": k, x, y, width: Math.max(width, 1), height: Math.max(height, 1),
  }, make("title", {}, `${caption(one, k)}: ${one.text.slice(0, 160)}`));
}

// Number and role beside the box, where they hide least: left of it, else right of it, else in its corner.
function chip(one, k, [x, y, width], room) {
  const text = caption(one, k).slice(0, 24);
  const wide = 8 + 7.8 * text.length;
  const left = x >= wide ? x - wide : x + width + wide <= room ? x + width : x;
  return make("g", { class: `chip c${one.tone}`, "data-segment": k },
    make("rect", { x: left, y, width: wide, height: 18 }), make("text", { x: left + 4, y: y + 14 }, text));
}

// The words of a segment, drawn in its box in place of a screenshot.
function wording(text, [x, y, width, height]) {
  const most = Math.floor((width - 8) / TEXT_WIDTH), lines = Math.min(Math.floor(height / TEXT_HEIGHT), 40);
  const made = make("text", { class: "wording" });
  if (most < 3) return made;
  let rest = text.trim();
  for (let k = 0; k < Math.max(lines, 1) && rest; k++) {
    const space = rest.lastIndexOf(" ", most);
    const cut = rest.length <= most ? rest.length : space > 0 ? space : most;
    made.append(make("tspan", { x: x + 4, y: y + 13 + k * TEXT_HEIGHT }, rest.slice(0, cut)));
    rest = rest.slice(cut).trimStart();
  }
  return made;
}

// Explains the colours, if they have a meaning.
function legend(sample) {
  if (!sample.segments.some((one) => one.importance !== null)) return null;
  const entry = (tone, name) => make("li", {}, make("span", { class: `swatch c${tone}` }), name);
  return make("ul", { class: "legend", "aria-label": "Colours" },
    entry(0, "content"), entry(5, "partly boilerplate"), entry(1, "boilerplate"));
}
