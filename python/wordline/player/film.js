// Recordings: their sections, and the state of the drive after any command. docs/player.md has the format.

const [PLACE, PROGRAM, READ, ERASE, BLOCK, DROP, DONE] = [0, 1, 2, 3, 4, 5, 6];
const [ERASED, OPEN, VICTIM, BAD] = [0, 1, 4, 5]; // where a block stands
const CAUSES = 8;
// Units programmed and pages read by cause, and these.
const [OPS, REPROGRAMS, ERASES, HOST, PADDING] = [16, 17, 18, 19, 20];
const COUNTS = 22;
const MARK = ["commands", "time", "host", "programmed", "collected", "free",
              "reads", "readNs", "longestRead", "writes", "writeNs", "longestWrite"];

class Bytes {
  constructor(bytes) { this.bytes = bytes; this.at = 0; }

  number() {
    const { bytes } = this;
    let byte = bytes[this.at++];
    let number = byte & 0x7f;
    for (let scale = 128; byte >= 0x80; scale *= 128) {
      byte = bytes[this.at++];
      number += (byte & 0x7f) * scale;
    }
    return number;
  }

  step() { return unfold(this.number()); }
}

// A step of either direction from its number.
function unfold(number) { return number % 2 ? -(number + 1) / 2 : number / 2; }

// The shape of a drive, and where its pages lie.
class Drive {
  constructor(head) {
    Object.assign(this, { head, lines: 0, blocks: 0, units: 0, planes: 0, kinds: [] });
    for (const group of head.groups) {
      const planes = group.dies * group.planes_per_die;
      const kind = {
        name: group.name, dies: group.dies, planes, perDie: group.planes_per_die,
        blocksPerPlane: group.blocks_per_plane, blocks: planes * group.blocks_per_plane,
        firstBlock: this.blocks, firstUnit: this.units, firstLine: this.lines, firstPlane: this.planes,
        unitsPerBlock: group.units_per_block, pagesPerBlock: group.pages_per_block, bits: group.bits,
        unitsPerPage: group.units_per_page, pagesPerUnit: group.pages_per_unit,
        linesPerBlock: Math.ceil(group.pages_per_block / group.bits), blocksAtOnce: group.blocks_at_once,
      };
      // Units of a word line; of units larger than that, those that a word line is part of.
      kind.unitsPerLine = Math.max(1, Math.floor((kind.bits * kind.unitsPerPage) / kind.pagesPerUnit));
      this.kinds.push(kind);
      this.blocks += kind.blocks;
      this.planes += planes;
      this.lines += kind.blocks * kind.linesPerBlock;
      this.units += kind.blocks * kind.unitsPerBlock;
    }
    this.pagesPerBlock = Math.max(...this.kinds.map((kind) => kind.pagesPerBlock));
    this.bytesPerBlock = 8 * Math.ceil(head.stride / 64);
    this.inPlace = head.rows.map((row) => row.in_place);
    this.mode = head.rows.map((row) => row.mode);
  }

  kindOf(block) {
    const { kinds } = this;
    let at = 0;
    while (block >= kinds[at].firstBlock + kinds[at].blocks) at += 1;
    return kinds[at];
  }

  kindOfUnit(unit) {
    const { kinds } = this;
    let at = 0;
    while (unit >= kinds[at].firstUnit + kinds[at].blocks * kinds[at].unitsPerBlock) at += 1;
    return kinds[at];
  }

  blockOf(unit, kind = this.kindOfUnit(unit)) {
    return kind.firstBlock + Math.floor((unit - kind.firstUnit) / kind.unitsPerBlock);
  }

  unitOf(block, place) {
    const kind = this.kindOf(block);
    return kind.firstUnit + (block - kind.firstBlock) * kind.unitsPerBlock + place;
  }

  lineOf(block, page, kind = this.kindOf(block)) {
    return kind.firstLine + (block - kind.firstBlock) * kind.linesPerBlock + Math.floor(page / kind.bits);
  }

  lineOfUnit(unit) {
    const kind = this.kindOfUnit(unit);
    const within = unit - kind.firstUnit;
    const block = Math.floor(within / kind.unitsPerBlock);
    const page = Math.floor((within - block * kind.unitsPerBlock) / kind.unitsPerPage) * kind.pagesPerUnit;
    return kind.firstLine + block * kind.linesPerBlock + Math.floor(page / kind.bits);
  }

  blockOfLine(line) {
    let at = 0;
    const { kinds } = this;
    while (line >= kinds[at].firstLine + kinds[at].blocks * kinds[at].linesPerBlock) at += 1;
    return kinds[at].firstBlock + Math.floor((line - kinds[at].firstLine) / kinds[at].linesPerBlock);
  }

  // Where a block is, in words.
  place(block) {
    const kind = this.kindOf(block);
    const plane = Math.floor((block - kind.firstBlock) / kind.blocksPerPlane);
    const die = this.kinds.slice(0, this.kinds.indexOf(kind)).reduce((sum, it) => sum + it.dies, 0)
      + Math.floor(plane / kind.perDie);
    return { die, plane: plane % kind.perDie, block: (block - kind.firstBlock) % kind.blocksPerPlane };
  }
}

// A recording: keyframes, the events after each, and the course of its figures.
class Film {
  constructor(head, tail, sections) {
    Object.assign(this, { head, tail, drive: new Drive(head), keyframes: [], events: [] });
    for (const [kind, bytes] of sections) {
      if (kind === "KEYF") this.keyframes.push(this.keyframe(bytes));
      if (kind === "EVNT") this.events.push(bytes);
      if (kind === "ADDR") this.addresses = bytes;
      if (kind === "CURV") this.marks = marksOf(bytes, tail.marks);
    }
    this.commands = tail.commands;
  }

  keyframe(bytes) {
    const reader = new Bytes(bytes);
    const [commands, time] = [reader.number(), reader.number()];
    const counts = Float64Array.from({ length: COUNTS }, () => reader.number());
    return { commands, time, counts, bytes, at: reader.at };
  }

  // The last keyframe at or before a command.
  before(command) {
    let [low, high] = [0, this.keyframes.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.keyframes[middle].commands <= command) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  // The unit that holds each logical unit at the start, or -1; nothing for a large drive.
  places() {
    if (!this.addresses?.length) return null;
    const reader = new Bytes(this.addresses);
    const places = [];
    let last = 0;
    while (reader.at < this.addresses.length) {
      last += reader.step();
      places.push(last - 1);
    }
    return places;
  }
}

function marksOf(bytes, count) {
  const reader = new Bytes(bytes);
  const marks = { length: count };
  for (const name of MARK) {
    let last = 0;
    marks[name] = Float64Array.from({ length: count }, () => (last += reader.step()));
  }
  return marks;
}
