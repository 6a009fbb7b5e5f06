// The drawing of a drive: a pixel for each word line, put on the screen as large as there is room.

const MOVES = 256; // that are remembered to be drawn

class View {
  constructor(canvas, player) {
    Object.assign(this, { canvas, player, drive: player.film.drive, mode: "state" });
    Object.assign(this, { zoom: 1, x: 0, y: 0, recent: 1, chosen: null, followed: -1 });
    this.context = canvas.getContext("2d");
    this.moves = [];
    // By block: 1 where it shows what has just happened, which fades; and 1 where it is to be coloured anew.
    this.glows = new Uint8Array(this.drive.blocks);
    this.stale = new Uint8Array(this.drive.blocks);
    this.levels = this.drive.kinds.map((kind) =>
      Uint8Array.from({ length: 256 }, (_, valid) => Math.ceil((Math.min(valid, kind.unitsPerLine) * (LEVELS - 1)) / kind.unitsPerLine)));
    this.dress("light");
  }

  dress(scheme) {
    this.scheme = scheme;
    this.palette = new Palette(scheme);
    const of = getComputedStyle(document.documentElement);
    this.ink = of.getPropertyValue("--ink").trim();
    this.paper = of.getPropertyValue("--paper").trim();
    this.faint = of.getPropertyValue("--faint").trim();
    this.focus = of.getPropertyValue("--focus").trim();
  }

  // Lays the drive out anew for the room that there is.
  fit(width, most) {
    this.layout = new Layout(this.drive, width, most);
    const height = Math.ceil(this.layout.height);
    const dots = window.devicePixelRatio || 1;
    Object.assign(this, { width, height, dots });
    this.canvas.width = Math.round(width * dots);
    this.canvas.height = Math.round(height * dots);
    this.canvas.style.height = `${height}px`;
    this.textures = this.layout.panels.map((panel) => {
      const [columns, rows] = [panel.columns, panel.rows * (panel.lines + 1) - 1];
      const canvas = Object.assign(document.createElement("canvas"), { width: columns, height: rows });
      const context = canvas.getContext("2d");
      const image = context.createImageData(columns, rows);
      return { canvas, context, image, pixels: new Uint32Array(image.data.buffer) };
    });
    this.look = "";
    this.pan(0, 0);
  }

  // What the last commands moved, to be drawn as lines.
  moved(from, to, cause) {
    this.moves.push({ from, to, cause, command: this.player.command + 1 });
    if (this.moves.length > MOVES) this.moves.shift();
  }

  draw() {
    const { context, dots } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.setTransform(dots * this.zoom, 0, 0, dots * this.zoom, dots * this.x, dots * this.y);
    let most = 1;
    let least = Infinity;
    if (this.mode === "wear") for (const erases of this.player.state.erases) { most = Math.max(most, erases); least = Math.min(least, erases); }
    this.range = [least, most];
    const look = [this.mode, this.range, this.scheme, this.width, this.height].join();
    if (look !== this.look || this.recent > this.glow) this.player.state.changed.fill(1);
    Object.assign(this, { look, glow: this.recent });
    const { changed } = this.player.state;
    changed.forEach((hasChanged, block) => { this.stale[block] = hasChanged | this.glows[block]; });
    changed.fill(0);
    this.glows.fill(0);
    this.layout.panels.forEach((panel, at) => this.drawPanel(panel, this.textures[at]));
    this.drawNames();
    this.drawBlocks();
    this.drawMoves();
    this.drawRing(this.followed, this.focus);
    if (this.chosen) this.drawChoice();
  }

  drawPanel(panel, { canvas, context: of, image, pixels }) {
    if (this.colour(panel, pixels)) of.putImageData(image, 0, 0);
    const { context } = this;
    const [width, height] = [panel.cellWidth * this.zoom, panel.cellHeight * this.zoom];
    context.imageSmoothingEnabled = Math.min(width, height) * this.dots < 1;
    context.imageSmoothingQuality = "medium";
    context.drawImage(canvas, panel.x, panel.y, panel.width, panel.height);
    if (width >= 5) this.rule(panel, width >= 5, height >= 5);
    if (width >= 26 && height >= 11) this.drawPages(panel);
  }

  // The colours of the word lines of a plane; true where one changed.
  colour(panel, pixels) {
    const { state } = this.player;
    const { palette, mode } = this;
    const { kind, columns } = panel;
    const { lines, inLine, touched, touch } = state;
    const left = mode === "left" ? this.drive.left : null;
    const levels = this.levels[this.drive.kinds.indexOf(kind)];
    const since = Math.max(0, state.commands - this.recent);
    const held = mode === "state" ? kind.held : null;
    const table = mode === "stream" ? palette.streams : palette.states;
    const firstLine = kind.firstLine + (panel.firstBlock - kind.firstBlock) * kind.linesPerBlock + panel.firstLine;
    let isAny = false;
    for (let at = 0; at < kind.blocksPerPlane; at += 1) {
      const block = panel.firstBlock + at;
      if (!this.stale[block]) continue;
      isAny = true;
      let line = firstLine + at * kind.linesPerBlock;
      const stand = state.stands[block];
      const isVictim = stand === VICTIM ? 1 : 0;
      const erased = stand === BAD ? palette.bad : palette.erased[isVictim];
      const worn = mode === "wear" ? packed(palette.wear((state.erases[block] - this.range[0]) / Math.max(1, this.range[1] - this.range[0]))) : 0;
      const stream = (state.streams[block] & 15) * PASSES * LEVELS;
      const base = isVictim * palette.half;
      let pixel = Math.floor(at / columns) * (panel.lines + 1) * columns + (at % columns);
      for (let of = panel.firstLine; of < panel.firstLine + panel.lines; of += 1, line += 1, pixel += columns) {
        if (touched[line] > since) {
          pixels[pixel] = palette.hot[touch[line]];
          this.glows[block] = 1;
          continue;
        }
        if (worn) { pixels[pixel] = worn; continue; }
        const value = lines[line];
        if (value === 0) { pixels[pixel] = erased; continue; }
        if (left) { pixels[pixel] = palette.left[Math.min(left[value], LEFT.length - 1)][isVictim]; continue; }
        if (held && held[of] !== "d") { pixels[pixel] = palette.besides[held[of]][isVictim]; continue; }
        const level = levels[inLine[line]];
        const passes = value >> 8;
        pixels[pixel] = mode === "stream" ? table[base + stream + level]
          : table[base + ((value & 15) * PASSES + (passes > 3 ? 3 : passes)) * LEVELS + level];
      }
    }
    return isAny;
  }

  // Lines between blocks, and between word lines where they are large.
  rule(panel, between, within) {
    const { context } = this;
    context.strokeStyle = this.paper;
    context.lineWidth = 1 / this.zoom;
    context.beginPath();
    for (let column = 1; column < panel.columns && between; column += 1) {
      const x = panel.x + column * panel.cellWidth;
      context.moveTo(x, panel.y);
      context.lineTo(x, panel.y + panel.height);
    }
    if (within) {
      const [top, bottom] = [-this.y / this.zoom, (this.height - this.y) / this.zoom];
      for (let y = panel.y; y < panel.y + panel.height; y += panel.cellHeight) {
        if (y < top || y > bottom) continue;
        context.moveTo(panel.x, y);
        context.lineTo(panel.x + panel.width, y);
      }
    }
    context.stroke();
  }

  // The part of the drive that is to be seen.
  shows(box) {
    const { zoom } = this;
    return box.x + box.width > -this.x / zoom && box.x < (this.width - this.x) / zoom
      && box.y + box.height > -this.y / zoom && box.y < (this.height - this.y) / zoom;
  }

  // The pages of large word lines: a mark for each unit, filled where it is valid.
  drawPages(panel) {
    const { context, drive } = this;
    const { state } = this.player;
    const { kind } = panel;
    context.fillStyle = this.paper;
    for (let at = 0; at < kind.blocksPerPlane; at += 1) {
      const block = panel.firstBlock + at;
      if (!this.shows(this.layout.partOf(block, panel))) continue;
      const first = kind.firstLine + (block - kind.firstBlock) * kind.linesPerBlock;
      for (let line = panel.firstLine; line < panel.firstLine + panel.lines; line += 1) {
        const box = this.layout.boxOf(block, line);
        const value = state.lines[first + line];
        if (value === 0 || !this.shows(box)) continue;
        this.drawUnits(box, drive.unitsOf(block, line, kind), (value >> 4) & 15, kind.bits);
      }
    }
  }

  drawUnits(box, pages, programmed, bits) {
    const { context } = this;
    const { valid } = this.player.state;
    const width = box.width / bits;
    pages.forEach((units, type) => {
      if (!((programmed >> type) & 1)) return;
      const step = (width * 0.8) / units.length;
      units.forEach((unit, at) => {
        const [x, y] = [box.x + type * width + width * 0.1 + at * step, box.y + box.height * 0.3];
        context.globalAlpha = valid[unit] ? 0.9 : 0.25;
        context.fillRect(x, y, step * 0.75, valid[unit] ? box.height * 0.4 : box.height * 0.12);
      });
    });
    context.globalAlpha = 1;
  }

  drawNames() {
    const { context } = this;
    const size = Math.min(12, 12 / this.zoom + 2);
    context.font = `${size}px system-ui, sans-serif`;
    context.textBaseline = "alphabetic";
    context.fillStyle = this.faint;
    for (const { name, brief, x, y, width } of this.layout.dies) {
      context.fillText(context.measureText(name).width < width + GAP / 2 ? name : brief, x, y + HEADER - 4);
    }
  }

  // Blocks that are being filled or collected.
  drawBlocks() {
    const { context, drive } = this;
    const { stands } = this.player.state;
    for (let block = 0; block < drive.blocks; block += 1) {
      const stand = stands[block];
      if (stand !== VICTIM && stand !== OPEN) continue;
      const isVictim = stand === VICTIM;
      context.strokeStyle = isVictim ? css(this.palette.ground.victim) : this.ink;
      context.lineWidth = (isVictim ? 2 : 1) / this.zoom;
      const inset = context.lineWidth / 2;
      for (const panel of this.layout.panelsOf(block)) {
        const box = this.layout.partOf(block, panel);
        if (!this.shows(box)) continue;
        context.strokeRect(box.x + inset, box.y + inset, Math.max(box.width - 2 * inset, 0.5), box.height - 2 * inset);
      }
    }
  }

  // Where data went from the blocks that are being collected.
  drawMoves() {
    const { context } = this;
    const since = this.player.command - Math.max(this.recent, 24);
    context.lineWidth = 1.2 / this.zoom;
    for (const { from, to, cause, command } of this.moves) {
      if (command <= since || command > this.player.command + 1) continue;
      context.globalAlpha = 0.15 + (0.75 * (command - since)) / Math.max(this.recent, 24);
      context.strokeStyle = cause === 1 ? css(this.palette.ground.victim) : this.focus;
      const [one, other] = [this.middle(from), this.middle(to)];
      context.beginPath();
      context.moveTo(one.x, one.y);
      const bend = Math.min(60, Math.hypot(other.x - one.x, other.y - one.y) / 4);
      context.quadraticCurveTo((one.x + other.x) / 2, Math.min(one.y, other.y) - bend, other.x, other.y);
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  middle(unit) {
    const block = this.drive.blockOf(unit);
    const kind = this.drive.kindOf(block);
    const line = (this.drive.lineOfUnit(unit) - kind.firstLine) % kind.linesPerBlock;
    const box = this.layout.boxOf(block, line);
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }

  drawRing(unit, colour) {
    if (unit < 0) return;
    const { context } = this;
    const { x, y } = this.middle(unit);
    context.strokeStyle = colour;
    context.lineWidth = 2.5 / this.zoom;
    context.beginPath();
    context.arc(x, y, 9 / this.zoom, 0, 2 * Math.PI);
    context.stroke();
  }

  drawChoice() {
    const { context } = this;
    const box = this.layout.boxOf(this.chosen.block, this.chosen.line);
    context.strokeStyle = this.focus;
    context.lineWidth = 2 / this.zoom;
    context.strokeRect(box.x, box.y, Math.max(box.width, 3 / this.zoom), Math.max(box.height, 3 / this.zoom));
  }

  // The point of the drive at a point of the canvas.
  pointAt(x, y) { return this.layout.at((x - this.x) / this.zoom, (y - this.y) / this.zoom); }

  pan(dx, dy) {
    const clamp = (value, room) => Math.min(0, Math.max(room * (1 - this.zoom), value));
    this.x = clamp(this.x + dx, this.width);
    this.y = clamp(this.y + dy, this.height);
  }

  // Moves what is seen until a rectangle is in the middle, if it is not to be seen.
  bringIn(box) {
    if (this.shows(box)) return;
    this.pan(this.width / 2 - (this.x + (box.x + box.width / 2) * this.zoom), this.height / 2 - (this.y + (box.y + box.height / 2) * this.zoom));
  }

  zoomBy(factor, x = this.width / 2, y = this.height / 2) {
    const zoom = Math.max(1, Math.min(400, this.zoom * factor));
    this.x = x - ((x - this.x) * zoom) / this.zoom;
    this.y = y - ((y - this.y) * zoom) / this.zoom;
    this.zoom = zoom;
    this.pan(0, 0);
  }

  // Shows a block large, of a superblock the part with a word line.
  zoomTo({ block, line }) {
    const panels = this.layout.panelsOf(block);
    const box = this.layout.partOf(block, panels.findLast((panel) => panel.firstLine <= line));
    this.zoom = Math.max(1, Math.min(400, Math.min(this.width / box.width / 12, (this.height / box.height) * 0.9)));
    this.x = this.width / 2 - (box.x + box.width / 2) * this.zoom;
    this.y = this.height / 2 - (box.y + box.height / 2) * this.zoom;
    this.pan(0, 0);
  }
}
