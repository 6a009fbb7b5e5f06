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

  // A unit in four bytes, or two of 28 bits each in seven.
  far(isAlone) {
    const { bytes, at } = this;
    this.at += isAlone ? 4 : 7;
    const high = bytes[at + 3];
    const one = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | ((high & 15) << 24);
    return [one, isAlone ? undefined : (high >> 4) | (bytes[at + 4] << 4) | (bytes[at + 5] << 12) | (bytes[at + 6] << 20)];
  }
}

// A step of either direction from its number.
function unfold(number) { return number % 2 ? -(number + 1) / 2 : number / 2; }

// The shape of a drive, and where its pages lie.
class Drive {
  constructor(head) {
    Object.assign(this, { head, lines: 0, blocks: 0, units: 0, planes: 0, dies: 0, kinds: [] });
    for (const group of head.groups) {
      const planes = group.dies * group.planes_per_die;
      const kind = {
        name: group.name, dies: group.dies, planes, perDie: group.planes_per_die,
        blocksPerPlane: group.blocks_per_plane, blocks: planes * group.blocks_per_plane,
        firstBlock: this.blocks, firstUnit: this.units, firstLine: this.lines, firstPlane: this.planes,
        unitsPerBlock: group.units_per_block, pagesPerBlock: group.pages_per_block, bits: group.bits,
        unitsPerPage: group.units_per_page, pagesPerUnit: group.pages_per_unit, blocksAtOnce: group.blocks_at_once,
      };
      spread(kind, group, head);
      // Units of a word line; of units larger than that, those that a word line is part of.
      kind.unitsPerLine = Math.max(1, Math.floor((kind.bits * kind.unitsPerPage) / kind.pagesPerUnit));
      this.kinds.push(kind);
      this.blocks += kind.blocks;
      this.planes += planes;
      this.lines += kind.blocks * kind.linesPerBlock;
      this.dies += kind.flash.dies;
      this.units += kind.blocks * kind.unitsPerBlock;
    }
    this.pagesPerBlock = Math.max(...this.kinds.map((kind) => kind.pagesPerBlock));
    this.bytesPerBlock = 8 * Math.ceil(head.stride / 64);
    this.inPlace = head.rows.map((row) => row.in_place);
    this.mode = head.rows.map((row) => row.mode);
    this.again = head.rows.filter((row) => row.in_place);
  }

  // By state of a word line: how often it may still be programmed in place.
  get left() {
    return (this.leftByState ??= Uint8Array.from({ length: 1 << 16 }, (_, line) => this.leftOf(line & 0xff0f)));
  }

  // How often a word line may still be programmed in place before its next erase, as far as the flash goes.
  leftOf(line) {
    const passes = line >> 8;
    const rows = this.again.filter((row) => row.passes > passes && row.from.includes(line & 15));
    return Math.max(0, ...rows.map((row) => 1 + this.leftOf(((passes + 1) << 8) | row.mode)));
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
    return kind.firstLine + (block - kind.firstBlock) * kind.linesPerBlock + kind.lineOfPage[page];
  }

  lineOfUnit(unit) {
    const kind = this.kindOfUnit(unit);
    const within = unit - kind.firstUnit;
    const block = Math.floor(within / kind.unitsPerBlock);
    const page = Math.floor((within - block * kind.unitsPerBlock) / kind.unitsPerPage) * kind.pagesPerUnit;
    return kind.firstLine + block * kind.linesPerBlock + kind.lineOfPage[page];
  }

  blockOfLine(line) {
    let at = 0;
    const { kinds } = this;
    while (line >= kinds[at].firstLine + kinds[at].blocks * kinds[at].linesPerBlock) at += 1;
    return kinds[at].firstBlock + Math.floor((line - kinds[at].firstLine) / kinds[at].linesPerBlock);
  }

  // The die and the plane of a word line of a block, or of a block that is no superblock.
  place(block, line = 0) {
    const kind = this.kindOf(block);
    const above = Math.floor((block - kind.firstBlock) / kind.blocksPerPlane);
    const plane = kind.lanes[above][Math.floor(line / kind.flash.lines)];
    return {
      die: kind.firstDie + Math.floor(plane / kind.flash.perDie), plane: plane % kind.flash.perDie,
      block: (block - kind.firstBlock) % kind.blocksPerPlane,
    };
  }

  // The units of the pages of a word line of a block, page by page.
  unitsOf(block, line, kind = this.kindOf(block)) {
    return kind.pagesOfLine[line].map((page) => {
      const first = this.unitOf(block, Math.floor(page / kind.pagesPerUnit) * kind.unitsPerPage);
      return Array.from({ length: kind.unitsPerPage }, (_, unit) => first + unit);
    });
  }
}

// Where the pages of a block lie: in its word lines one after the other, or in the word lines of the blocks that make up
// a superblock, those of the same block together. `lanes` has the planes of the flash over which blocks lie.
function spread(kind, group, head) {
  const { bits, pagesPerBlock } = kind;
  const held = head.word_lines;
  kind.keptLines = Math.ceil(pagesPerBlock / bits);
  kind.firstDie = head.groups.slice(0, head.groups.indexOf(group)).reduce((sum, it) => sum + (it.superblocks ?? it).dies, 0);
  const rows = group.superblocks;
  // Of word lines that are filled in part and in several ways a recording does not say enough.
  kind.isSpread = rows !== null && (rows.pages % bits === 0 || head.modes.length <= 2);
  kind.lineOfPage = new Uint32Array(pagesPerBlock);
  kind.typeOfPage = new Uint8Array(pagesPerBlock);
  const lines = kind.isSpread ? Math.ceil(rows.pages_per_block / bits) : kind.keptLines;
  const lanes = kind.isSpread ? rows.programs[0].length * rows.planes : 1;
  kind.flash = { lines, dies: group.dies, perDie: group.planes_per_die };
  if (kind.isSpread) Object.assign(kind.flash, { dies: rows.dies, perDie: rows.planes_per_die });
  kind.lanes = kind.isSpread
    ? rows.programs.map((row) => row.flatMap((plane) => Array.from({ length: rows.planes }, (_, of) => plane + of)))
    : Array.from({ length: kind.planes }, (_, plane) => [plane]);
  kind.linesPerBlock = lines * lanes;
  kind.pagesOfLine = Array.from({ length: kind.linesPerBlock }, () => []);
  kind.held = held ? Array(kind.linesPerBlock) : null;
  for (let page = 0; page < pagesPerBlock; page += 1) {
    let [lane, within] = [0, page];
    if (kind.isSpread) {
      const { planes, pages, programs: { 0: { length: count } }, rotates } = rows;
      const program = Math.floor(page / (planes * pages));
      const row = Math.floor(program / count);
      const turn = rotates ? ((program % count) + row) % count : program % count;
      lane = turn * planes + (Math.floor(page / pages) % planes);
      within = row * pages + (page % pages);
    }
    const line = lane * lines + Math.floor(within / bits);
    kind.lineOfPage[page] = line;
    kind.typeOfPage[page] = within % bits;
    kind.pagesOfLine[line].push(page);
    if (!kind.held) continue;
    // A word line with data on some of its pages is one of data.
    const of = held[Math.floor(page / (rows.pages % bits ? 1 : bits))];
    if (kind.held[line] !== "d") kind.held[line] = of;
  }
}

// A recording: keyframes, the events after each, and the course of its figures.
class Film {
  constructor(head, tail, sections) {
    Object.assign(this, { head, tail, drive: new Drive(head), keyframes: [], events: [] });
    for (const [kind, bytes] of sections) {
      // Between two keyframes without events nothing is recorded.
      if (kind === "KEYF") { this.keyframes.push(this.keyframe(bytes)); this.events.push(null); }
      if (kind === "EVNT") this.events[this.events.length - 1] = bytes;
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

  // True where nothing is recorded from a keyframe to the next.
  isGap(at) { return this.events[at] === null && at + 1 < this.keyframes.length; }

  // The command at which there is something to see, next to one: the one itself where it is recorded.
  recorded(command, forwards) {
    const at = this.before(command);
    if (!this.isGap(at) || command <= this.keyframes[at].commands) return command;
    return this.keyframes[forwards ? at + 1 : at].commands;
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
