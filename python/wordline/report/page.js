const dark = window.matchMedia("(prefers-color-scheme: dark)");
const narrow = window.matchMedia("(max-width: 44rem)");
const paper = JSON.parse(document.getElementById("paper").textContent);

function theme(slim) {
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const text = { labelColor: colour("--ink"), titleColor: colour("--ink") };
  return {
    background: "transparent",
    axis: { ...text, gridColor: colour("--line"), domainColor: colour("--line"),
            tickColor: colour("--line"), labelLimit: slim ? 90 : 200,
            labelSeparation: 6 },
    legend: { ...text, orient: "bottom", labelLimit: 220, columns: slim ? 2 : 3 },
    view: { stroke: "transparent" },
    range: { category: { scheme: "tableau10" } },
  };
}

function specOf(chart) {
  chart.spec ??= JSON.parse(chart.querySelector("script").textContent);
  return chart.spec;
}

// What is folded is drawn when it is opened: of many workloads a reader opens few.
async function draw(part = document) {
  for (const chart of part.querySelectorAll(".chart")) {
    if (chart.closest("details:not([open])")) continue;
    const config = theme(narrow.matches);
    await vegaEmbed(chart, specOf(chart), { renderer: "svg", config, actions: false });
  }
  document.body.dataset.drawn = "yes";
}

function unfold(part) {
  if (!part.open) return;
  hintAtAll();
  draw(part);
}

// What is saved goes into papers: one column, in ink on white, whatever the page looks like.
async function save(figure, type) {
  const shown = specOf(figure.querySelector(".chart"));
  const { width, lower, config } = paper;
  const spec = { ...shown, width, height: Math.round(lower * shown.height) };
  const { view } = await vegaEmbed(document.createElement("div"), spec, { config, actions: false });
  const title = figure.querySelector("h3").textContent;
  const link = document.createElement("a");
  link.download = `${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}.${type}`;
  link.href = await view.toImageURL(type, type === "png" ? 5 : 1);
  link.click();
  view.finalize();
}

// The columns of a chart's data, in the words of its axes.
function heads(spec) {
  const found = new Map();
  for (const channel of Object.values(spec.encoding)) {
    if (channel.field) found.set(channel.field, channel.title ?? found.get(channel.field) ?? channel.field);
  }
  found.delete("order");
  return [...found];
}

function tableOf(spec) {
  const table = document.createElement("table");
  const columns = heads(spec);
  const head = table.createTHead().insertRow();
  for (const [, title] of columns) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = title;
    head.append(cell);
  }
  const body = table.createTBody();
  for (const row of spec.data.values) {
    const line = body.insertRow();
    for (const [field] of columns) line.insertCell().textContent = row[field];
  }
  return table;
}

function toggleTable(button) {
  const figure = button.closest("figure");
  const shown = figure.querySelector(".data");
  if (shown) {
    if (shown.previousElementSibling?.classList.contains("hint")) shown.previousElementSibling.remove();
    shown.remove();
  } else {
    const frame = document.createElement("div");
    frame.className = "data scroll";
    frame.tabIndex = 0;
    frame.append(tableOf(specOf(figure.querySelector(".chart"))));
    figure.append(frame);
    hintAt(frame);
  }
  button.setAttribute("aria-expanded", String(!shown));
  button.textContent = shown ? "Show as a table" : "Hide the table";
}

// A table that is cut says so in words, where the shadow at its edge may be overlooked.
function hintAt(frame) {
  const isCut = frame.scrollWidth > frame.clientWidth + 1;
  const before = frame.previousElementSibling;
  const hint = before?.classList.contains("hint") ? before : null;
  if (!isCut) {
    hint?.remove();
  } else if (!hint) {
    const told = document.createElement("p");
    told.className = "hint";
    told.textContent = "The table goes on to the right → scroll it sideways.";
    frame.before(told);
  }
}

function hintAtAll() {
  document.querySelectorAll(".scroll").forEach(hintAt);
}

for (const button of document.querySelectorAll("figure button")) {
  const figure = button.closest("figure");
  const act = button.dataset.save ? () => save(figure, button.dataset.save) : () => toggleTable(button);
  button.addEventListener("click", act);
}
window.addEventListener("resize", hintAtAll);
hintAtAll();
for (const part of document.querySelectorAll("details")) {
  part.addEventListener("toggle", () => unfold(part));
}
dark.addEventListener("change", () => draw());
narrow.addEventListener("change", () => draw());
draw();
