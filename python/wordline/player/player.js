// The page: controls, the passing of time, the address bar.

const byId = (id) => document.getElementById(id);
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const FILMS = ["#4c78a8", "#f58518"]; // the colours of their curves
const PATIENCE_MS = 24; // for which a frame looks for a moment
const SLOW = 4000; // commands a frame up to which moves are drawn

async function inflate(text) {
  const letters = atob(text);
  const raw = new Uint8Array(letters.length);
  for (let at = 0; at < raw.length; at += 1) raw[at] = letters.charCodeAt(at);
  const stream = new Blob([raw]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function filmOf(element) {
  const { head, tail, name } = JSON.parse(element.querySelector(".about").textContent);
  const sections = [];
  for (const section of element.querySelectorAll(".section")) {
    sections.push([section.dataset.kind, await inflate(section.textContent)]);
    section.remove();
  }
  return Object.assign(new Film(head, tail, sections), { name });
}

const TECHNIQUES = { ressd: "ReSSD", llh_ftl: "LLH-FTL", lazy_ftl: "lazyFTL", centaur: "Centaur", slc_cache: "SLC cache" };

const MODES = {
  normal: "programmed", one_bit: "one bit in a cell", switched: "further pages joined it", two_bits: "two bits in a cell",
  m1: "first stage, holds 1 day: second due", m7: "first stage, 7 days", m30: "first stage, 30 days", secured: "second stage",
  low: "low page alone", low_again: "low page again", low_and_high: "low and high page",
};

// What a recording is of, in words.
function aboutOf({ head, tail, commands, marks }) {
  const kinds = head.groups.map((group) => {
    const planes = group.dies * group.planes_per_die;
    const cells = ["", "SLC", "MLC", "TLC", "QLC"][group.bits];
    const of = group.blocks_at_once > 1 ? "superblocks" : "blocks";
    return `${group.dies > 1 ? `${group.dies} dies of ` : ""}${cells}, ${(planes * group.blocks_per_plane).toLocaleString("en")} ${of} of ${group.pages_per_block} pages`;
  });
  const { kept_commands: kept } = tail;
  const shares = kept < commands ? `, of which it keeps ${kept.toLocaleString("en")} of ${commands.toLocaleString("en")} flash commands, in stretches spread over it` : "";
  const part = { run: "the whole run", commands: `its first ${commands.toLocaleString("en")} flash commands`, time: "a part of it" }[tail.ended_by];
  const from = marks.time[0] ? ` from ${clock(marks.time[0])} on` : "";
  const { technique } = tail.result.config;
  const names = Object.keys(technique ?? {}).map((name) => TECHNIQUES[name] ?? name);
  return `${names.length ? names.join(" and ") : "No technique"} on ${kinds.join("; ")}. Workload ${tail.result.workload.name}: ${part}${from}${shares}.`;
}

// The pulses of an erase as a drawing: as wide as they are long, as high as the damage that they do in that time.
function drawPulses(place, pulses) {
  const rates = pulses.map(([us, damage]) => (damage === null || !us ? 1 : damage / us));
  const [most, all] = [Math.max(...rates), pulses.reduce((sum, [us]) => sum + us, 0)];
  place.innerHTML = pulses.map(([us], at) =>
    `<i style="width:${Math.max(2, (150 * us) / Math.max(1, all)).toFixed(1)}px;height:${(18 * (0.15 + (0.85 * Math.sqrt(rates[at]))  / Math.sqrt(most))).toFixed(1)}px"></i>`).join("");
}

// How many word lines may be programmed in place, in words.
function waiting({ head, drive, tail }, { lines }) {
  if (!drive.again.length) return "";
  let count = 0;
  for (const line of lines) count += drive.left[line] > 0 ? 1 : 0;
  const isStage = tail.result.config.technique?.lazy_ftl && head.modes.some((mode) => DAYS[mode]);
  return `; ${count.toLocaleString("en")} word lines ${isStage ? "wait for their second stage" : "may be programmed again"}`;
}

// One drive on the page: its drawing, its legend, its counts.
class Stage {
  constructor(film, place) {
    Object.assign(this, { film, player: new Player(film), journey: null, last: null, lastErase: null });
    this.root = document.createElement("section");
    this.root.className = "stage";
    this.root.innerHTML = `<h2></h2><p class="told facts"></p><canvas tabindex="0" role="img"></canvas><ul class="legend"></ul>
      <p class="told done"></p><p class="told erased" hidden><span class="pulses" aria-hidden="true"></span><span></span></p><p class="told chosen"></p>
      <details><summary></summary><div class="scroll"><table class="counts"><thead><tr><th>Units</th></tr></thead><tbody></tbody></table></div></details>`;
    this.root.querySelector("h2").textContent = film.name;
    this.root.querySelector(".facts").textContent = aboutOf(film);
    place.append(this.root);
    this.canvas = this.root.querySelector("canvas");
    this.view = new View(this.canvas, this.player);
    this.table();
  }

  table() {
    const row = this.root.querySelector(".counts thead tr");
    for (const cause of this.film.head.causes) row.append(Object.assign(document.createElement("th"), { textContent: cause, scope: "col" }));
    const body = this.root.querySelector(".counts tbody");
    this.cells = ["programmed", "pages read"].map((name) => {
      const line = body.insertRow();
      line.append(Object.assign(document.createElement("th"), { textContent: name, scope: "row" }));
      return this.film.head.causes.map(() => line.insertCell());
    });
  }

  legend() {
    const { palette, mode } = this.view;
    const { head } = this.film;
    const item = (colour, text, edge) => `<li><i class="${edge ? "edge" : ""}" style="${edge ? "border-color" : "background"}:${colour}"></i>${text}</li>`;
    const of = (table, at, level = LEVELS - 1) => { const value = table[at * LEVELS + level]; return css([value & 255, (value >> 8) & 255, (value >> 16) & 255]); };
    const items = [item(css(palette.ground.erased), "erased")];
    if (mode === "state") {
      head.modes.forEach((name, at) => { if (at) items.push(item(of(palette.states, at * PASSES), MODES[name] ?? name.replaceAll("_", " "))); });
      if (head.rows.some((one) => one.in_place)) items.push(item(AGAIN[1], "again once"), item(AGAIN[2], "twice"), item(AGAIN[3], "more often"));
      items.push(item(of(palette.states, PASSES, 0), "nothing valid in it"));
      for (const [held, [name, colour]] of Object.entries(BESIDES)) if (head.word_lines.includes(held)) items.push(item(colour, name));
    } else if (mode === "left") {
      const isOf = (at) => this.film.drive.left.some((left) => left === at);
      ["not programmed again", "once more", "twice more", "three times more", "more often"].forEach((name, at) => {
        if (at === 0 || isOf(at)) items.push(item(LEFT[at], name));
      });
    } else if (mode === "stream") {
      const { streams } = head;
      const name = (at) => (at >= streams.technique ? `technique ${at - streams.technique + 1}` : at === streams.gc ? (at ? "GC" : "host and GC") : at < streams.gc ? (streams.gc > 1 ? `host ${at + 1}` : "host") : "map, wear");
      for (let at = 0; at < streams.count; at += 1) items.push(item(of(palette.streams, at * PASSES), name(at)));
    } else {
      const [low, high] = this.view.range ?? [0, 1];
      items.push(item(css(palette.wear(0)), `${low} cycles`), item(css(palette.wear(0.5)), `${figure((low + high) / 2)}`), item(css(palette.wear(1)), `${high} cycles`));
    }
    items.push(item(css(palette.ground.victim), "victim", true), item("var(--ink)", "open", true));
    ["", "just programmed", "read", "just erased", "just programmed again"].forEach((name, at) => {
      if (at && (at < 4 || head.rows.some((one) => one.in_place))) items.push(item(palette.hotText[at], name));
    });
    this.root.querySelector(".legend").innerHTML = items.join("");
  }

  // Goes to a command; `shows` where what happens on the way is drawn.
  go(to, shows) {
    const { view, player } = this;
    const told = {
      command: (...command) => { this.last = command; if (command[0] === ERASE) this.lastErase = command; },
      gap: () => Object.assign(this, { last: null, lastErase: null }),
    };
    if (to < player.command) this.lastErase = null;
    if (shows) told.placed = (unit, old, _, cause) => { if (old >= 0 && cause > 0) view.moved(old, unit, cause); };
    else view.moves.length = 0;
    const before = player.command;
    player.seek(to, told);
    // After a jump the last command is known only if it was carried out on the way.
    if (player.command !== before && to < before) view.moves.length = shows ? view.moves.length : 0;
  }

  draw(recent) {
    this.view.recent = recent;
    this.view.followed = this.journey ? this.journey.place(this.player.command) : -1;
    this.view.draw();
  }

  tell() {
    const { state } = this.player;
    const { counts } = state;
    this.cells.forEach((cells, row) => cells.forEach((cell, cause) => { cell.textContent = counts[CAUSES * row + cause].toLocaleString("en"); }));
    const result = this.film.tail.result.write_amplification;
    const whole = this.film.tail.ended_by === "run" ? `, ${figure(result)} at the end of the run` : `; of the whole run ${figure(result)}`;
    this.root.querySelector("summary").textContent = `Write amplification ${figure(amplification(counts))} so far${result === null ? "" : whole}; `
      + `${counts[ERASES].toLocaleString("en")} erases, ${counts[REPROGRAMS].toLocaleString("en")} programs in place${waiting(this.film, state)}`;
    this.root.querySelector(".done").textContent = this.last && this.player.command ? `${describe(this.film.drive, this.last)}.` : "";
    const erased = this.root.querySelector(".erased");
    erased.hidden = !this.lastErase;
    if (this.lastErase) {
      const [, , block, , , pulses] = this.lastErase;
      drawPulses(erased.querySelector(".pulses"), pulses);
      erased.lastChild.textContent = `Last erase: ${spot(this.film.drive, block)}, ${pulsesOf(pulses)}.`;
    }
    const { chosen } = this.view;
    this.root.querySelector(".chosen").textContent = chosen ? describeLine(this.player, chosen) : "";
    this.canvas.setAttribute("aria-label", `${this.film.name}: word lines of ${this.film.drive.blocks} blocks. ${this.root.querySelector("summary").textContent}.`);
  }
}

class Page {
  constructor(films) {
    this.stages = films.map((film) => new Stage(film, byId("stages")));
    this.stages.forEach((stage, at) => { stage.root.querySelector("h2").style.borderLeft = `0.6rem solid ${FILMS[at]}`; });
    this.main = this.stages[0];
    this.curves = new Curves(byId("curves"), films, () => this.stages.map((stage) => stage.player.command));
    Object.assign(this, { position: 0, isPlaying: false, watch: null, seen: 0 });
    byId("moment").max = films[0].commands;
    this.breaks = breaksOf(films[0]);
    byId("break").innerHTML = this.breaks.map((one) => `<option value="${one.key}">${one.name}</option>`).join("");
    byId("left").hidden = !films.some((film) => film.drive.again.length);
    this.listen();
    this.resize();
    this.restore();
  }

  get speed() { return 10 ** Number(byId("speed").value); }

  // Where the others are when the first drive is somewhere: where the host has written as much.
  linked(film, position) {
    if (film === this.main.film) return position;
    const [mine, other] = [this.main.film.marks, film.marks];
    const host = between(mine.commands, mine.host, position) - mine.host[0];
    const total = other.host[other.length - 1] - other.host[0];
    if (!total) return Math.round((position / Math.max(1, this.main.film.commands)) * film.commands);
    return Math.round(between(other.host, other.commands, host + other.host[0]));
  }

  goTo(position, { shows = false, recent = 1 } = {}) {
    this.position = Math.max(0, Math.min(position, this.main.film.commands));
    const whole = Math.floor(this.position);
    const isBack = whole < this.main.player.command;
    for (const stage of this.stages) stage.go(this.linked(stage.film, whole), shows);
    // What is not recorded is passed over.
    if (!isBack) this.position = Math.max(this.position, this.main.player.command);
    this.show(recent);
  }

  show(recent = 1) {
    this.recent = recent;
    for (const stage of this.stages) stage.draw(recent);
    this.curves.draw(this.colours);
    const now = performance.now();
    if (this.isPlaying && now - this.told < 100) return;
    this.told = now;
    for (const stage of this.stages) stage.tell();
    this.tell();
  }

  tell() {
    const { player, film } = this.main;
    const moment = byId("moment");
    moment.value = player.command;
    const time = film.head.timed || player.state.time ? `, ${clock(player.state.time)}` : "";
    const text = `Command ${player.command.toLocaleString("en")} of ${film.commands.toLocaleString("en")}${time}`;
    moment.setAttribute("aria-valuetext", text);
    const [now, note] = [byId("now"), this.note ? ` – ${this.note}` : ""];
    now.setAttribute("aria-live", this.isPlaying ? "off" : "polite");
    now.textContent = text + note;
    byId("pace").textContent = `${figure(this.speed)} commands a second`;
    if (!this.isPlaying) this.remember();
  }

  // By steps, drawn one by one; backwards from the keyframe before.
  step(by) {
    this.pause();
    const to = Math.max(0, Math.min(this.main.player.command + by, this.main.film.commands));
    this.goTo(to, { shows: Math.abs(by) < SLOW, recent: 1 });
  }

  play() {
    if (this.main.player.command >= this.main.film.commands) this.goTo(0);
    this.isPlaying = true;
    this.note = "";
    byId("play").textContent = "⏸ Pause";
    byId("play").setAttribute("aria-label", "Pause");
    this.seen = performance.now();
    this.position = this.main.player.command;
    requestAnimationFrame(() => this.frame());
  }

  pause() {
    if (!this.isPlaying) return;
    this.isPlaying = false;
    byId("play").textContent = "▶ Play";
    byId("play").setAttribute("aria-label", "Play");
    this.show(this.recent);
  }

  frame() {
    if (!this.isPlaying) return;
    const now = performance.now();
    const by = (Math.min(now - this.seen, 200) / 1000) * this.speed;
    this.seen = now;
    this.frames = (this.frames ?? 0) + 1;
    this.goTo(this.position + by, { shows: by < SLOW, recent: Math.max(1, Math.round(this.speed * 0.15)) });
    if (this.main.player.command >= this.main.film.commands) this.pause();
    else requestAnimationFrame(() => this.frame());
  }

  // Goes on until a moment at which to stop; in parts, so that the page stays alive.
  async next() {
    this.pause();
    const { film, player } = this.main;
    const page = Number(byId("value").value);
    const unit = this.chosenBreak.key === "page" ? new Journey(film, page).place(player.command) : -1;
    const watch = new Watch(player, this.chosenBreak, page, unit);
    this.note = "looking …";
    this.tell();
    while (!watch.stops && player.command < film.commands && this.note) {
      const until = performance.now() + PATIENCE_MS;
      while (!watch.stops && performance.now() < until && player.command < film.commands) player.go(film.recorded(player.command + 500, true), watch);
      await new Promise((done) => setTimeout(done));
    }
    this.note = watch.stops ? "stopped here" : "does not happen again";
    // Whatever led there is drawn, too.
    this.main.last = null;
    const at = watch.at ?? player.command;
    player.seek(Math.max(0, at - 1));
    this.goTo(at, { shows: true });
    this.note = "";
  }

  get chosenBreak() { return this.breaks.find((one) => one.key === byId("break").value) ?? this.breaks[0]; }

  follow(page) {
    this.stages.forEach((stage) => {
      stage.journey = page === null ? null : new Journey(stage.film, page);
    });
    this.note = page === null || this.main.journey.at.length ? "" : `logical page ${page} is never written`;
    this.show(this.recent);
  }

  followChosen() {
    const { view, player, film } = this.main;
    if (!view.chosen) return;
    const { block, line } = view.chosen;
    for (const unit of film.drive.unitsOf(block, line).flat()) {
      if (!player.state.valid[unit]) continue;
      const page = Journey.ownerOf(film, unit, player.command);
      if (page < 0) continue;
      byId("follow").value = page;
      this.follow(page);
      return;
    }
  }

  get colours() {
    const { ink, faint, focus } = this.main.view;
    const line = getComputedStyle(document.documentElement).getPropertyValue("--line").trim();
    return { ink, faint, focus, line, films: FILMS };
  }

  resize() {
    const scheme = dark.matches ? "dark" : "light";
    for (const stage of this.stages) {
      stage.view.dress(scheme);
      const width = stage.root.clientWidth;
      stage.view.fit(width, Math.max(240, Math.min(window.innerHeight * 0.56, width * 1.1)));
      stage.legend();
    }
    this.curves.fit(byId("stages").clientWidth);
    this.show(this.recent ?? 1);
  }
}

// A value of one figure where another, which never falls, has a value.
function between(from, to, value) {
  const at = markAt(from, value);
  if (at + 1 >= from.length || from[at + 1] === from[at]) return to[at];
  return to[at] + ((to[at + 1] - to[at]) * (value - from[at])) / (from[at + 1] - from[at]);
}
