const dark = window.matchMedia("(prefers-color-scheme: dark)");

function theme() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const text = { labelColor: colour("--ink"), titleColor: colour("--ink") };
  return {
    background: "transparent",
    axis: { ...text, gridColor: colour("--line"), domainColor: colour("--line"),
            tickColor: colour("--line"), labelLimit: 200 },
    legend: { ...text, orient: "bottom", labelLimit: 220,
              columns: window.innerWidth < 700 ? 2 : 3 },
    view: { stroke: "transparent" },
    range: { category: { scheme: "tableau10" } },
  };
}

async function draw() {
  for (const chart of document.querySelectorAll(".chart")) {
    chart.spec ??= JSON.parse(chart.querySelector("script").textContent);
    await vegaEmbed(chart, chart.spec, {
      renderer: "svg",
      config: theme(),
      actions: { export: true, source: false, compiled: false, editor: false },
    });
  }
  document.body.dataset.drawn = "yes";
}

dark.addEventListener("change", draw);
draw();
