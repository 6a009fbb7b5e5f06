// What a reader does, by mouse, finger and keyboard, and what the address bar keeps of it.

Object.assign(Page.prototype, {
  listen() {
    const on = (id, event, does) => byId(id).addEventListener(event, does);
    on("play", "click", () => (this.isPlaying ? this.pause() : this.play()));
    on("step", "click", () => this.step(1));
    on("back", "click", () => this.step(-1));
    on("first", "click", () => this.step(-this.main.film.commands));
    on("speed", "input", () => this.tell());
    on("moment", "input", () => { this.pause(); this.goTo(Number(byId("moment").value)); });
    on("view", "change", () => this.colourBy(byId("view").value));
    on("closer", "click", () => this.zoom(1.6));
    on("farther", "click", () => this.zoom(1 / 1.6));
    on("whole", "click", () => this.zoom(0));
    on("break", "change", () => this.askForValue());
    on("next", "click", () => this.next());
    on("follow", "change", () => this.follow(byId("follow").value === "" ? null : Number(byId("follow").value)));
    this.askForValue();
    this.stages.forEach((stage) => this.listenTo(stage));
    const curve = byId("curves");
    const seek = (event) => { this.pause(); this.goTo(this.curves.commandAt(event.clientX - curve.getBoundingClientRect().left)); };
    curve.addEventListener("pointerdown", (event) => { seek(event); curve.setPointerCapture(event.pointerId); });
    curve.addEventListener("pointermove", (event) => { if (event.buttons) seek(event); });
    document.addEventListener("keydown", (event) => this.key(event));
    dark.addEventListener("change", () => this.resize());
    window.addEventListener("resize", () => this.resize());
    window.addEventListener("hashchange", () => { if (location.hash.slice(1) !== this.address()) this.restore(); });
  },

  listenTo(stage) {
    const { canvas, view } = stage;
    let [from, hasMoved] = [null, false];
    const point = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
    canvas.addEventListener("pointerdown", (event) => { from = point(event); hasMoved = false; canvas.setPointerCapture(event.pointerId); });
    canvas.addEventListener("pointermove", (event) => {
      if (!from || view.zoom === 1) return;
      const to = point(event);
      if (!hasMoved && Math.hypot(to[0] - from[0], to[1] - from[1]) < 4) return;
      hasMoved = true;
      view.pan(to[0] - from[0], to[1] - from[1]);
      from = to;
      this.show(this.recent);
    });
    canvas.addEventListener("pointerup", (event) => {
      if (!hasMoved && from) this.choose(stage, view.pointAt(...point(event)));
      from = null;
    });
    canvas.addEventListener("dblclick", (event) => {
      const found = view.pointAt(...point(event));
      if (found && view.zoom < 2) view.zoomTo(found); else view.zoomBy(1 / 400);
      this.zoomed(stage);
    });
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && document.activeElement !== canvas) return;
      event.preventDefault();
      view.zoomBy(1.0015 ** -event.deltaY, ...point(event));
      this.zoomed(stage);
    }, { passive: false });
  },

  choose(stage, found) {
    stage.view.chosen = found;
    if (found && byId("break").value === "erase") byId("value").value = found.block;
    this.show(this.recent);
  },

  // Chooses the word line beside the one that is chosen.
  chooseNext(blocks, lines) {
    const { view, film: { drive } } = this.main;
    const from = view.chosen ?? { block: 0, line: 0 };
    const within = (value, count) => Math.max(0, Math.min(count - 1, value));
    const block = within(from.block + blocks, drive.blocks);
    view.chosen = { block, line: within(from.line + lines, drive.kindOf(block).linesPerBlock) };
    view.bringIn(view.layout.boxOf(block, view.chosen.line));
    this.choose(this.main, view.chosen);
  },

  zoom(factor) {
    for (const stage of this.stages) {
      const { view } = stage;
      if (factor === 0) view.zoomBy(1 / 400);
      else if (view.chosen) {
        const box = view.layout.boxOf(view.chosen.block, view.chosen.line);
        view.zoomBy(factor, box.x * view.zoom + view.x, box.y * view.zoom + view.y);
      } else view.zoomBy(factor);
      this.zoomed(stage, false);
    }
    this.show(this.recent);
  },

  zoomed(stage, shows = true) {
    stage.canvas.classList.toggle("near", stage.view.zoom > 1);
    if (shows) this.show(this.recent);
  },

  colourBy(mode) {
    for (const { view } of this.stages) view.mode = mode;
    this.show(this.recent);
    for (const stage of this.stages) stage.legend();
  },

  askForValue() {
    const { value } = this.chosenBreak;
    byId("valued").hidden = !value;
    byId("valued").querySelector("span").textContent = value ?? "";
  },

  key(event) {
    if (event.target.matches("select, input[type=number]") || event.ctrlKey || event.metaKey || event.altKey) return;
    const hundredth = Math.max(1, Math.round(this.main.film.commands / 100));
    const keys = {
      " ": () => (this.isPlaying ? this.pause() : this.play()),
      ArrowRight: () => this.step(event.shiftKey ? hundredth : 1),
      ArrowLeft: () => this.step(event.shiftKey ? -hundredth : -1),
      Home: () => this.step(-this.main.film.commands),
      End: () => this.step(this.main.film.commands),
      "+": () => this.zoom(1.6), "=": () => this.zoom(1.6), "-": () => this.zoom(1 / 1.6), 0: () => this.zoom(0),
      n: () => this.next(), f: () => this.followChosen(),
      a: () => this.chooseNext(-1, 0), d: () => this.chooseNext(1, 0), w: () => this.chooseNext(0, -1), s: () => this.chooseNext(0, 1),
    };
    if (event.key === " " && event.target.matches("button, summary")) return;
    if (event.key.startsWith("Arrow") && event.target.id === "speed") return;
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  },

  // What the address bar says of the page.
  address() {
    const { view, player } = this.main;
    const said = new URLSearchParams({ at: player.command, speed: byId("speed").value });
    if (view.mode !== "state") said.set("view", view.mode);
    if (view.zoom > 1) said.set("zoom", [view.zoom.toFixed(2), Math.round(view.x), Math.round(view.y)].join(","));
    if (view.chosen) said.set("line", [view.chosen.block, view.chosen.line].join(","));
    if (byId("follow").value !== "") said.set("follow", byId("follow").value);
    if (byId("break").value !== this.breaks[0].key) said.set("break", [byId("break").value, byId("value").value].join(","));
    return said.toString();
  },

  remember() {
    clearTimeout(this.remembering);
    this.remembering = setTimeout(() => history.replaceState(null, "", `#${this.address()}`), 200);
  },

  restore() {
    const said = new URLSearchParams(location.hash.slice(1));
    const numbers = (name) => said.get(name)?.split(",").map(Number);
    if (said.has("speed")) byId("speed").value = said.get("speed");
    if (said.has("view")) { byId("view").value = said.get("view"); for (const { view } of this.stages) view.mode = said.get("view"); }
    if (said.has("break")) { const [key, value] = said.get("break").split(","); byId("break").value = key; byId("value").value = value; this.askForValue(); }
    const { view } = this.main;
    if (said.has("zoom")) { [view.zoom, view.x, view.y] = numbers("zoom"); view.pan(0, 0); this.zoomed(this.main, false); }
    if (said.has("line")) { const [block, line] = numbers("line"); view.chosen = { block, line }; }
    if (said.has("follow")) { byId("follow").value = said.get("follow"); this.follow(Number(said.get("follow"))); }
    this.goTo(Number(said.get("at") ?? 0), { recent: 1 });
    for (const stage of this.stages) stage.legend();
  },
});

const films = [];
for (const element of document.querySelectorAll(".recording")) films.push(await filmOf(element));
byId("loading").remove();
byId("controls").hidden = false;
const page = new Page(films);
window.player = { page, films, verify: () => films.flatMap(verify), ownerOf: Journey.ownerOf };
document.body.dataset.drawn = "yes";
