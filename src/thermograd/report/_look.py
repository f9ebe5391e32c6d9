"""How the page looks, and the script that draws its figures, light or dark."""

STYLE = """
:root { color-scheme: light dark; --ground: #ffffff; --card: #f6f7f9; --ink: #1c2026;
  --muted: #5b6470; --line: #d9dde3; --fine: #00714f; --remark: #a84300; --open: #5b6470;
  --link: #0a5c99; }
@media (prefers-color-scheme: dark) { :root { --ground: #14171b; --card: #1d2127; --ink: #e6e9ee;
  --muted: #a0a9b5; --line: #353b44; --fine: #3fcf9b; --remark: #ff9a52; --open: #a0a9b5;
  --link: #7cc0f5; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main, header, footer { max-width: 1180px; margin: 0 auto; padding: 0 24px; }
header { padding-top: 28px; }
h1 { font-size: 26px; margin: 0 0 4px; }
h2 { font-size: 20px; margin: 44px 0 10px; padding-top: 14px; border-top: 1px solid var(--line); }
h3 { font-size: 16px; margin: 0 0 8px; overflow-wrap: anywhere; }
p { margin: 6px 0 12px; max-width: 78ch; }
nav { margin: 12px 0 0; } nav a { margin-right: 16px; }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
.muted, .hint, footer { color: var(--muted); } .hint { font-size: 14px; }
.grid { display: grid; gap: 16px;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 350px), 1fr)); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px;
  padding: 14px 16px; min-width: 0; }
.scroll { overflow-x: auto; margin: 8px 0; }
table { border-collapse: collapse; font-size: 14px; }
th, td { text-align: left; padding: 4px 14px 4px 0; border-bottom: 1px solid var(--line);
  vertical-align: top; }
th { font-weight: 600; color: var(--muted); } td { overflow-wrap: anywhere; max-width: 60ch; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tr.differs td:first-child::after { content: " ≠"; color: var(--remark); }
ul.checks { list-style: none; margin: 0; padding: 0; }
ul.checks li { padding: 5px 0 5px 24px; position: relative; border-bottom: 1px solid var(--line); }
ul.checks li:last-child { border-bottom: 0; }
ul.checks li::before { position: absolute; left: 2px; font-weight: 700; }
li.fine::before { content: "✓"; color: var(--fine); }
li.remark::before { content: "!"; color: var(--remark); }
li.open::before { content: "–"; color: var(--open); }
.verdict.fine { color: var(--fine); } .verdict.remark { color: var(--remark); }
.verdict.open { color: var(--open); } .verdict { font-weight: 600; margin: 0 0 8px; }
details { margin: 10px 0; } summary { cursor: pointer; color: var(--link); }
pre { font-size: 13px; overflow-x: auto; background: var(--card); border: 1px solid var(--line);
  border-radius: 6px; padding: 10px 12px; }
.figure { width: 100%; }
footer { margin-top: 48px; padding-bottom: 32px; font-size: 13px; }
@media print { nav { display: none; } }
"""

SCRIPT = """
"use strict";
const figures = JSON.parse(document.getElementById("figures").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");
const light = ["#0072B2", "#D55E00", "#009E73", "#B0568A", "#A87400", "#3A8FC4"];
const bright = ["#56B4E9", "#FF9A52", "#2CC295", "#E58BC0", "#F0C24B", "#9DB4FF"];
function colour(token, isDark) {
  const [name, seen] = token.slice(1).split("/");
  const around = isDark ? { ink: "#e6e9ee", muted: "#a0a9b5", grid: "#353b44" }
    : { ink: "#1c2026", muted: "#5b6470", grid: "#e3e6ea" };
  const hex = name in around ? around[name] : (isDark ? bright : light)[Number(name)];
  if (seen === undefined) return hex;
  const parts = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  return `rgba(${parts.join(",")},${seen})`;
}
function themed(value, isDark) {
  if (typeof value === "string") {
    return /^@(\\d|ink|muted|grid)/.test(value) ? colour(value, isDark) : value;
  }
  if (Array.isArray(value)) return value.map((entry) => themed(entry, isDark));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, themed(v, isDark)]));
}
function axis(own, isDark) {
  const grid = colour("@grid", isDark);
  const base = { gridcolor: grid, zerolinecolor: grid, linecolor: grid, automargin: true };
  return { ...base, ...own };
}
function layout(figure, isDark) {
  const own = themed(figure.layout, isDark);
  const ink = colour("@ink", isDark);
  const base = { paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    height: figure.height,
    margin: { l: 64, r: 16, t: 12, b: 48 }, font: { color: ink, size: 13 }, hovermode: "closest",
    legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 },
    hoverlabel: { namelength: -1 }, modebar: { bgcolor: "rgba(0,0,0,0)",
      color: colour("@muted/0.5", isDark), activecolor: ink } };
  if (own.scene) {
    for (const name of ["xaxis", "yaxis", "zaxis"]) {
      own.scene[name] = { ...axis(own.scene[name], isDark), showbackground: false };
    }
    base.margin = { l: 0, r: 0, t: 24, b: 0 };
    base.showlegend = false;
  } else {
    own.xaxis = axis(own.xaxis, isDark);
    own.yaxis = axis(own.yaxis, isDark);
  }
  return { ...base, ...own };
}
function draw() {
  const config = { responsive: true, displaylogo: false };
  const drawn = figures.map((figure, number) =>
    Plotly.react(`figure-${number}`, themed(figure.data, dark.matches),
      layout(figure, dark.matches), config));
  return Promise.all(drawn).then(() => { document.body.dataset.drawn = String(drawn.length); });
}
draw();
dark.addEventListener("change", draw);
"""
