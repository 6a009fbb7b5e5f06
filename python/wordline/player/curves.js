// The course of a recording as curves, which share the time of the drawing.

const MS = 1e6;

// What is drawn: name, unit, and the figure between two marks.
const CURVES = [
  { name: "Write amplification", unit: "", of: (marks, at, from) => {
    const host = marks.host[at] - marks.host[from];
    return host > 0 ? (marks.programmed[at] - marks.programmed[from]) / host : NaN;
  } },
  { name: "Longest read", unit: "ms", log: true, of: (marks, at, from) => most(marks.longestRead, from, at) / MS || NaN },
  { name: "Longest write", unit: "ms", log: true, of: (marks, at, from) => most(marks.longestWrite, from, at) / MS || NaN },
  { name: "Erased blocks", unit: "", of: (marks, at) => marks.free[at] },
];

function most(values, from, to) {
  let found = 0;
  for (let at = from + 1; at <= to; at += 1) found = Math.max(found, values[at]);
  return found;
}

// The last mark at or before a value of a figure that never falls.
function markAt(values, value) {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (values[middle] <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

// A number as people write it.
function figure(value) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(value).toLocaleString("en");
  if (size >= 100 || Number.isInteger(value)) return String(Math.round(value));
  return value.toPrecision(3).replace(/\.?0+$/, "");
}

// The same in a few letters, for an axis.
function short(value) {
  return Math.abs(value) < 10000 ? figure(value) : value.toLocaleString("en", { notation: "compact", maximumSignificantDigits: 3 });
}

// A time as people write it.
function clock(ns) {
  for (const [size, unit] of [[3.6e12, "h"], [6e10, "min"], [1e9, "s"], [1e6, "ms"], [1e3, "µs"]]) {
    if (ns >= 2 * size) return `${figure(ns / size)} ${unit}`;
  }
  return `${figure(ns)} ns`;
}

class Curves {
  constructor(canvas, films, positions) {
    Object.assign(this, { canvas, films, positions });
    this.context = canvas.getContext("2d");
    const isTimed = films.some((film) => film.head.timed);
    this.shown = CURVES.filter((curve) => isTimed || !curve.name.startsWith("Longest"));
    this.shown = this.shown.filter((curve) => films.some((film) => this.values(film, curve, 60).some(Number.isFinite)));
  }

  // A curve as so many values, each of the stretch up to it.
  values(film, curve, count) {
    const { marks } = film;
    const values = [];
    const span = Math.max(1, Math.floor(marks.length / count));
    for (let at = Math.min(span, marks.length - 1); at < marks.length; at += span) {
      values.push(curve.of(marks, at, Math.max(0, at - span)));
      values.shares ??= [];
      values.shares.push(this.share(film, marks.commands[at]));
    }
    return values;
  }

  // How far a film has come, of 1: by its commands, or of several by what the host has written, as they are linked.
  share(film, command) {
    const { marks } = this.films[0];
    const written = marks.host[marks.length - 1] - marks.host[0];
    if (this.films.length === 1 || !written) return command / Math.max(1, film.commands);
    return (between(film.marks.commands, film.marks.host, command) - film.marks.host[0]) / written;
  }

  fit(width) {
    const dots = window.devicePixelRatio || 1;
    this.rowHeight = width < 500 ? 56 : 64;
    this.height = this.shown.length * this.rowHeight;
    Object.assign(this, { width, dots, left: 46 });
    this.canvas.width = Math.round(width * dots);
    this.canvas.height = Math.round(this.height * dots);
    this.canvas.style.height = `${this.height}px`;
    this.picture = null;
  }

  dress() { this.picture = null; }

  // The command of the first film at a point of the canvas.
  commandAt(x) {
    const share = Math.max(0, Math.min(1, (x - this.left) / (this.width - this.left - 2)));
    const { marks, commands } = this.films[0];
    const written = marks.host[marks.length - 1] - marks.host[0];
    if (this.films.length === 1 || !written) return Math.round(share * commands);
    return Math.round(between(marks.host, marks.commands, marks.host[0] + share * written));
  }

  draw(colours) {
    const { context, dots } = this;
    if (!this.picture) this.picture = this.paint(colours);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.drawImage(this.picture, 0, 0);
    context.setTransform(dots, 0, 0, dots, 0, 0);
    const x = this.left + this.share(this.films[0], this.positions()[0]) * (this.width - this.left - 2);
    context.fillStyle = colours.focus;
    context.fillRect(x - 1, 0, 2, this.height);
  }

  // The curves without the moment.
  paint(colours) {
    const canvas = Object.assign(document.createElement("canvas"), { width: this.canvas.width, height: this.canvas.height });
    const context = canvas.getContext("2d");
    context.scale(this.dots, this.dots);
    context.font = "11px system-ui, sans-serif";
    this.shown.forEach((curve, row) => this.paintCurve(context, curve, row * this.rowHeight, colours));
    this.paintStretches(context, colours);
    return canvas;
  }

  // Of a run that is recorded in stretches: where they are.
  paintStretches(context, { focus }) {
    const [film] = this.films;
    const width = this.width - this.left - 2;
    if (!film.keyframes.some((_, at) => film.isGap(at))) return;
    context.fillStyle = focus;
    film.events.forEach((events, at) => {
      if (!events) return;
      const [from, to] = [at, at + 1].map((of) => this.left + this.share(film, film.keyframes[of].commands) * width);
      context.fillRect(from, 0, Math.max(1, to - from), 2);
    });
  }

  paintCurve(context, curve, top, colours) {
    const [width, height] = [this.width - this.left - 2, this.rowHeight - 24];
    const all = this.films.map((film) => this.values(film, curve, Math.max(8, Math.floor(width))));
    const known = all.flat().filter(Number.isFinite);
    const scale = (value) => (curve.log ? Math.log10(Math.max(value, 1e-6)) : value);
    let [low, high] = [Math.min(...known), Math.max(...known)];
    if (!curve.log && low > 0 && low < 0.7 * high) low = 0;
    if (scale(high) - scale(low) < 1e-9) { low = curve.log ? low / 2 : low - 1; high = curve.log ? high * 2 : high + 1; }
    const y = (value) => top + 18 + height * (1 - (scale(value) - scale(low)) / (scale(high) - scale(low)));
    context.fillStyle = colours.faint;
    context.textAlign = "left";
    context.fillText(curve.unit ? `${curve.name}, ${curve.unit}` : curve.name, this.left, top + 11);
    context.textAlign = "right";
    context.fillText(short(high), this.left - 5, top + 22);
    context.fillText(short(low), this.left - 5, top + 18 + height);
    context.strokeStyle = colours.line;
    context.lineWidth = 1;
    for (const value of [low, high]) { context.beginPath(); context.moveTo(this.left, y(value)); context.lineTo(this.width - 2, y(value)); context.stroke(); }
    all.forEach((values, film) => {
      context.strokeStyle = colours.films[film];
      context.lineWidth = 1.5;
      context.beginPath();
      let isDown = false;
      values.forEach((value, at) => {
        if (!Number.isFinite(value)) { isDown = false; return; }
        const x = this.left + values.shares[at] * width;
        if (x > this.left + width + 1) return;
        if (isDown) context.lineTo(x, y(value)); else context.moveTo(x, y(value));
        isDown = true;
      });
      context.stroke();
    });
  }
}
