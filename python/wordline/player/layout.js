// Where dies, planes, blocks and word lines are drawn, and in which colours.

const HEADER = 16; // pixels above a die
const GAP = 10; // between dies
const PLANE_GAP = 4;
const WIDEST = 44; // of a word line, so that a toy does not fill the screen
const TALLEST = 13;

// The rows of blocks of a plane in which its word lines are drawn largest.
function wrap(kind, width, height) {
  let best = { score: -1 };
  for (let rows = 1; rows <= Math.min(kind.blocksPerPlane, 96); rows += 1) {
    const columns = Math.ceil(kind.blocksPerPlane / rows);
    const cellWidth = Math.min(WIDEST, width / columns);
    const cellHeight = Math.min(TALLEST, height / (rows * (kind.flash.lines + 1) - 1));
    const score = Math.min(cellWidth / 3, cellHeight);
    if (score > best.score + 1e-9) best = { score, rows, columns, cellWidth, cellHeight };
  }
  return best;
}

class Layout {
  constructor(drive, width, height) {
    const { dies } = drive;
    let best = { score: -1 };
    for (let across = 1; across <= Math.min(dies, 32); across += 1) {
      const down = Math.ceil(dies / across);
      const dieWidth = (width - (across - 1) * GAP) / across;
      const dieHeight = (height - (down - 1) * GAP) / down - HEADER;
      if (dieHeight < 8) continue;
      const wraps = drive.kinds.map((kind) =>
        wrap(kind, (dieWidth - (kind.flash.perDie - 1) * PLANE_GAP) / kind.flash.perDie, dieHeight));
      const score = Math.min(...wraps.map((it) => it.score));
      if (score > best.score + 1e-9) best = { score, across, dieWidth, dieHeight, wraps };
    }
    this.panels = [];
    this.lanes = []; // by plane of blocks, or of superblocks: the panels of its parts
    this.dies = [];
    this.drive = drive;
    this.place(best);
  }

  place({ across, wraps }) {
    const { drive } = this;
    const widthOf = (kind, it) => kind.flash.perDie * (it.columns * it.cellWidth + PLANE_GAP) - PLANE_GAP;
    const heightOf = (kind, it) => (it.rows * (kind.flash.lines + 1) - 1) * it.cellHeight;
    const dieWidth = Math.max(...drive.kinds.map((kind, at) => widthOf(kind, wraps[at])));
    const dieHeight = Math.max(...drive.kinds.map((kind, at) => heightOf(kind, wraps[at])));
    let number = 0;
    drive.kinds.forEach((kind, at) => {
      const { rows, columns, cellWidth, cellHeight } = wraps[at];
      // By plane of the flash: the blocks above it, and which part of them it is.
      const above = [];
      kind.lanes.forEach((planes, of) => planes.forEach((plane, lane) => { above[plane] = [of, lane]; }));
      for (let die = 0; die < kind.flash.dies; die += 1, number += 1) {
        const x = (number % across) * (dieWidth + GAP);
        const y = Math.floor(number / across) * (dieHeight + HEADER + GAP);
        this.dies.push({ x, y, width: widthOf(kind, wraps[at]), name: this.nameOf(number, kind), brief: `die ${number}` });
        for (let plane = 0; plane < kind.flash.perDie; plane += 1) {
          const [of, lane] = above[die * kind.flash.perDie + plane];
          const panel = {
            kind, rows, columns, cellWidth, cellHeight, lines: kind.flash.lines, firstLine: lane * kind.flash.lines,
            firstBlock: kind.firstBlock + of * kind.blocksPerPlane,
            x: x + plane * (columns * cellWidth + PLANE_GAP), y: y + HEADER,
            width: columns * cellWidth,
            height: (rows * (kind.flash.lines + 1) - 1) * cellHeight,
          };
          this.panels.push(panel);
          (this.lanes[kind.firstPlane + of] ??= [])[lane] = panel;
        }
      }
    });
    this.width = Math.max(...this.dies.map((die) => die.x + die.width));
    this.height = Math.max(...this.panels.map((panel) => panel.y + panel.height));
  }

  nameOf(number, kind) {
    const { head } = this.drive;
    const of = kind.name ? `${kind.name} ` : "";
    if (kind.blocksAtOnce > 1 && !kind.isSpread) return `${of}superblocks of ${kind.blocksAtOnce} blocks`;
    const [channel, way] = head.dies[number] ?? [0, 0];
    return `${of}die ${number} · channel ${channel}, chip ${way}`;
  }

  // The panels of the parts of a block: one, but of a superblock.
  panelsOf(block, kind = this.drive.kindOf(block)) {
    return this.lanes[kind.firstPlane + Math.floor((block - kind.firstBlock) / kind.blocksPerPlane)];
  }

  // The rectangle of the part of a block in a panel.
  partOf(block, panel) {
    const at = block - panel.firstBlock;
    const x = panel.x + (at % panel.columns) * panel.cellWidth;
    const y = panel.y + Math.floor(at / panel.columns) * (panel.lines + 1) * panel.cellHeight;
    return { x, y, width: panel.cellWidth, height: panel.lines * panel.cellHeight };
  }

  // The rectangle of a word line of a block.
  boxOf(block, line) {
    const kind = this.drive.kindOf(block);
    const panel = this.panelsOf(block, kind)[Math.floor(line / kind.flash.lines)];
    const { x, y } = this.partOf(block, panel);
    return { x, y: y + (line - panel.firstLine) * panel.cellHeight, width: panel.cellWidth, height: panel.cellHeight };
  }

  // The block and word line at a point, if there is one.
  at(x, y) {
    for (const panel of this.panels) {
      if (x < panel.x || y < panel.y || x >= panel.x + panel.width || y >= panel.y + panel.height) continue;
      const column = Math.floor((x - panel.x) / panel.cellWidth);
      const down = Math.floor((y - panel.y) / panel.cellHeight);
      const row = Math.floor(down / (panel.lines + 1));
      const line = down % (panel.lines + 1);
      const block = row * panel.columns + column;
      if (column >= panel.columns || block >= panel.kind.blocksPerPlane || line >= panel.lines) return null;
      return { block: panel.firstBlock + block, line: panel.firstLine + line };
    }
    return null;
  }
}

const LEVELS = 9; // how much of a word line is valid, from nothing to all
const PASSES = 4;
const HUES = ["#8b95a1", "#3f7fd0", "#2b9a66", "#c9821a", "#9159c4", "#c8517c", "#1f9aa8", "#7f8c2a",
              "#b5593a", "#5a67c9", "#a0873a", "#4a8f3c", "#b04fb0", "#387c94", "#97643f", "#6b6f76"];
// In place once, twice, more often: away from the hue of the first program.
const AGAIN = [null, "#d9480f", "#a3195b", "#5b1a8b"];
const HOT = { light: ["", "#ffb000", "#12b5cb", "#e5383b", "#ff3df2"], dark: ["", "#ffd60a", "#35e0f2", "#ff5a5f", "#ff7bf5"] };
const LEFT = ["#8b95a1", "#e0a43a", "#4f9a3f", "#2a6f97", "#5a3fa0"]; // programs in place that are left
const WEAR = ["#2c7bb6", "#7fb8d4", "#e8e3a3", "#f39a4a", "#c51b1b"];
// What word lines hold that hold no data.
const BESIDES = { p: ["parity", "#8f7ae0"], m: ["metadata", "#3aa6a0"] };
const GROUND = { light: { erased: "#e9edf1", invalid: "#c3c9d0", bad: "#15181c", victim: "#e5383b" },
                 dark: { erased: "#252c34", invalid: "#48515b", bad: "#000000", victim: "#ff5a5f" } };

function rgb(text) { return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16)); }
function mixed(one, other, share) { return one.map((value, at) => Math.round(value + (other[at] - value) * share)); }
function packed([red, green, blue]) { return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0; }
function css([red, green, blue]) { return `rgb(${red} ${green} ${blue})`; }

// The colour of every state of a word line, as it is and in a victim.
class Palette {
  constructor(scheme) {
    const ground = GROUND[scheme];
    this.ground = Object.fromEntries(Object.entries(ground).map(([name, text]) => [name, rgb(text)]));
    this.hot = HOT[scheme].map((text) => (text ? packed(rgb(text)) : 0));
    this.hotText = HOT[scheme];
    this.half = 16 * PASSES * LEVELS;
    this.states = this.table((mode, pass) => (pass ? rgb(AGAIN[pass]) : rgb(HUES[mode])));
    this.streams = this.table((stream) => rgb(HUES[1 + (stream % 15)]));
    this.erased = [this.ground.erased, mixed(this.ground.erased, this.ground.victim, 0.35)].map(packed);
    this.bad = packed(this.ground.bad);
    this.left = LEFT.map((text) => [rgb(text), mixed(rgb(text), this.ground.victim, 0.45)].map(packed));
    this.besides = Object.fromEntries(Object.entries(BESIDES).map(([held, [, text]]) =>
      [held, [rgb(text), mixed(rgb(text), this.ground.victim, 0.45)].map(packed)]));
  }

  table(hue) {
    const table = new Uint32Array(2 * this.half);
    const { invalid, victim } = this.ground;
    for (let of = 0; of < 16 * PASSES; of += 1) {
      const colour = hue(of >> 2, of & 3);
      for (let level = 0; level < LEVELS; level += 1) {
        // What holds nothing valid keeps a trace of its hue.
        const shade = mixed(mixed(invalid, colour, 0.18), colour, level / (LEVELS - 1));
        table[of * LEVELS + level] = packed(shade);
        table[this.half + of * LEVELS + level] = packed(mixed(shade, victim, 0.45));
      }
    }
    return table;
  }

  wear(share) {
    const at = Math.max(0, Math.min(1, share)) * (WEAR.length - 1);
    const low = Math.min(WEAR.length - 2, Math.floor(at));
    return mixed(rgb(WEAR[low]), rgb(WEAR[low + 1]), at - low);
  }
}
