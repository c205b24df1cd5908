// Puts the report together.

function theme() {
  const names = ["system", "light", "dark"];
  let now = 0;
  const show = () => {
    if (now) document.documentElement.dataset.theme = names[now];
    else delete document.documentElement.dataset.theme;
    by("theme").textContent = `Theme: ${names[now]}`;
  };
  by("theme").addEventListener("click", () => {
    now = (now + 1) % names.length;
    show();
    try { localStorage.setItem("webgrain-theme", names[now]); } catch { /* a browser that keeps nothing */ }
  });
  try { now = Math.max(names.indexOf(localStorage.getItem("webgrain-theme")), 0); } catch { /* the same */ }
  show();
}

function start() {
  const report = readReport();
  const list = new PageList(report);
  for (const part of [actions, changes, parts, problems, tiles, overview, duplicates, drift, failures, siteFrame]) part(report);
  cards(report, list);
  theme();
  new PageDialog(report, () => list.shown);
}

start();
