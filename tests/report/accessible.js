// What a browser computes of names, headings and contrasts; each finding is a sentence.
() => {
  const found = [];
  const seen = (element) => element.checkVisibility({ visibilityProperty: true });
  for (const one of document.querySelectorAll("button, a, input, select, summary, [role=img], [role=region], dialog[open]")) {
    const labelled = one.getAttribute("aria-labelledby");
    const name = one.getAttribute("aria-label") || (labelled && document.getElementById(labelled)?.textContent)
      || [...(one.labels || [])].map((label) => label.textContent).join("") || one.textContent;
    if (seen(one) && !name.trim()) found.push(`no name: ${one.outerHTML.slice(0, 120)}`);
  }
  for (const image of document.querySelectorAll("img")) if (!image.hasAttribute("alt")) found.push("an image without alt");
  for (const table of document.querySelectorAll("table")) {
    if (!table.caption || !table.querySelector("th[scope=col]")) found.push("a table without caption or headings");
  }
  const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
  if (new Set(ids).size !== ids.length) found.push("two elements have one id");
  let last = 0;
  for (const heading of document.querySelectorAll("h1, h2, h3, h4")) {
    if (heading.closest("dialog:not([open])")) continue;
    const level = Number(heading.tagName[1]);
    if (level > last + 1) found.push(`h${level} after h${last}: ${heading.textContent}`);
    last = level;
  }
  for (const name of ["main", "nav", "header", "h1"]) {
    if (document.querySelectorAll(`body > ${name}, body > header > div > ${name}`).length !== 1) found.push(`not one ${name}`);
  }
  const rgb = (color) => (color.match(/[\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((x) => x / 255)
    .map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4))
    .reduce((sum, x, k) => sum + x * [0.2126, 0.7152, 0.0722][k], 0);
  const ground = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const color = rgb(getComputedStyle(one).backgroundColor);
      if (color.length === 3 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !seen(element) || element.closest(".sheet, :disabled, script")) continue;
    const style = getComputedStyle(element);
    const ink = rgb(element.closest("svg") ? style.fill : style.color);
    const [high, low] = [light(ink), light(ground(element))].sort((a, b) => b - a);
    const contrast = (high + 0.05) / (low + 0.05);
    if (contrast < 4.5) found.push(`contrast ${contrast.toFixed(2)}: ${walker.currentNode.data.slice(0, 40)}`);
  }
  return [...new Set(found)];
}
