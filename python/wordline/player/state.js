// The state of a drive, moved on event by event.
class State {
  constructor(drive) {
    this.drive = drive;
    this.lines = new Uint16Array(drive.lines);
    this.valid = new Uint8Array(drive.units);
    this.inLine = new Uint8Array(drive.lines);
    this.inBlock = new Uint32Array(drive.blocks);
    this.stands = new Uint8Array(drive.blocks);
    this.streams = new Uint8Array(drive.blocks);
    this.erases = new Uint32Array(drive.blocks);
    this.counts = new Float64Array(COUNTS);
    // By word line: the command that touched it last since the keyframe, and what that did.
    this.touched = new Uint32Array(drive.lines);
    this.touch = new Uint8Array(drive.lines);
    this.then = new Uint32Array(drive.blocks);
    this.next = new Uint32Array(drive.blocks);
  }

  // The state that a keyframe keeps.
  load(keyframe) {
    const { drive } = this;
    this.counts.set(keyframe.counts);
    Object.assign(this, { commands: keyframe.commands, time: keyframe.time, collected: 0 });
    let { at } = keyframe;
    const { bytes } = keyframe;
    for (let line = 0; line < drive.lines; line += 1, at += 2) this.lines[line] = bytes[at] | (bytes[at + 1] << 8);
    this.inLine.fill(0);
    this.inBlock.fill(0);
    let unit = 0;
    for (let block = 0; block < drive.blocks; block += 1, at += drive.bytesPerBlock) {
      const { unitsPerBlock } = drive.kindOf(block);
      for (let place = 0; place < unitsPerBlock; place += 1, unit += 1) {
        const isValid = (bytes[at + (place >> 3)] >> (place & 7)) & 1;
        this.valid[unit] = isValid;
        if (isValid) {
          this.inBlock[block] += 1;
          this.inLine[drive.lineOfUnit(unit)] += 1;
        }
      }
    }
    this.stands.set(bytes.subarray(at, (at += drive.blocks)));
    this.free = this.stands.reduce((sum, stand) => sum + (stand === ERASED ? 1 : 0), 0);
    this.streams.set(bytes.subarray(at, (at += drive.blocks)));
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    for (let block = 0; block < drive.blocks; block += 1, at += 4) this.erases[block] = view.getUint32(at, true);
    this.touched.fill(0);
    this.forget();
  }

  // What is guessed begins anew with each keyframe.
  forget() {
    for (let block = 0; block < this.drive.blocks; block += 1) this.then[block] = block;
    this.next.fill(0);
    Object.assign(this, { block: [0, 0, 0, 0, 0, 0], old: [0, 0, 0, 0, 0, 0], read: [0, 0, 0, 0, 0, 0] });
    Object.assign(this, { lastUnit: 0, lastBlock: 0, lastPlace: 0, other: 0 });
  }

  // Carries out the next event; true where it was a command. `told` hears of it.
  event(bytes, told) {
    const tag = bytes.bytes[bytes.at++];
    const of = (tag >> 3) & 7;
    switch (tag & 7) {
      case PLACE: this.placed(bytes, of, tag & 0x40, told); return false;
      case PROGRAM: this.program(bytes, of, tag, told); return true;
      case READ: this.reads(bytes, of, tag, told); return true;
      case ERASE: this.erase(bytes, of, told); return true;
      case BLOCK: this.passes(bytes, of, tag & 0x80, told); return false;
      case DROP: {
        const unit = (this.old[0] += bytes.step());
        this.drop(unit);
        if (told?.dropped) told.dropped(unit);
        return false;
      }
      case DONE: {
        const latency = bytes.number();
        if (told?.done) told.done(of, latency);
        return false;
      }
      default: this.rest(bytes, of); return false;
    }
  }

  rest(bytes, of) {
    if (of === 0) this.time += bytes.number();
    else if (of === 1) this.counts.fill(0);
    else {
      const what = bytes.number();
      this.counts[what < CAUSES ? what : PADDING - CAUSES + what] += bytes.number();
    }
  }

  drop(unit) {
    this.valid[unit] = 0;
    this.inLine[this.drive.lineOfUnit(unit)] -= 1;
    this.inBlock[this.drive.blockOf(unit)] -= 1;
  }

  placed(bytes, cause, isGuessed, told) {
    const { drive } = this;
    const before = this.block[cause];
    const guess = this.then[before];
    const unit = isGuessed ? drive.unitOf(guess, this.next[guess]) : this.lastUnit + bytes.step();
    const kind = drive.kindOfUnit(unit);
    const block = drive.blockOf(unit, kind);
    const place = (unit - kind.firstUnit) % kind.unitsPerBlock;
    this.then[before] = block;
    this.block[cause] = block;
    this.next[block] = place + 1;
    this.lastUnit = unit;
    this.lastBlock = block;
    this.lastPlace = place;
    const step = bytes.number();
    let old = -1;
    let address = -1;
    if (step === 0) {
      address = bytes.number();
    } else {
      old = this.old[cause] += unfold(step - 1);
      this.drop(old);
    }
    this.valid[unit] = 1;
    this.inBlock[block] += 1;
    this.inLine[drive.lineOfUnit(unit)] += 1;
    this.counts[cause] += 1;
    if (cause === 0) this.counts[HOST] += 1;
    if (told?.placed) told.placed(unit, old, address, cause);
  }

  program(bytes, cause, tag, told) {
    const { drive } = this;
    const kind = drive.kindOf(this.lastBlock);
    let row = bytes.bytes[bytes.at++];
    const pages = bytes.number();
    let block = this.lastBlock;
    let page = Math.floor(this.lastPlace / kind.unitsPerPage) * kind.pagesPerUnit + kind.pagesPerUnit - pages;
    if (page < 0) page = 0;
    this.commands += 1;
    if (!(tag & 0x40)) { block += bytes.step(); page += bytes.step(); }
    this.write(row, block, page, pages);
    if (told?.command) told.command(PROGRAM, cause, block, page, pages, drive.inPlace[row], row);
    let others = tag & 0x80 ? bytes.number() : 0;
    for (; others > 0; others -= 1) {
      row = bytes.bytes[bytes.at++];
      block += bytes.step();
      page += bytes.step();
      this.write(row, block, page, pages);
      if (told?.beside) told.beside(block, page, pages);
    }
    this.counts[OPS] += 1;
    if (drive.inPlace[row]) this.counts[REPROGRAMS] += 1;
  }

  write(row, block, page, pages) {
    const { drive, lines } = this;
    const kind = drive.kindOf(block);
    const end = page + pages;
    const mode = drive.mode[row];
    const pass = drive.inPlace[row] ? 0x100 : 0;
    for (let at = page; at < end; ) {
      const type = at % kind.bits;
      const count = Math.min(kind.bits - type, end - at);
      const line = drive.lineOf(block, at, kind);
      lines[line] = mode | (lines[line] & 0xfff0) | ((((1 << count) - 1) << type) << 4);
      lines[line] += pass;
      this.touched[line] = this.commands;
      this.touch[line] = pass ? 4 : PROGRAM;
      at += count;
    }
  }

  reads(bytes, cause, tag, told) {
    const { pagesPerBlock } = this.drive;
    let place = (this.read[cause] += bytes.step());
    let pages = 1;
    let sensings = 1;
    let spans = 1;
    if (!(tag & 0x40)) { pages = bytes.number(); sensings = bytes.number(); }
    this.commands += 1;
    const block = Math.floor(place / pagesPerBlock);
    this.sense(block, place % pagesPerBlock);
    if (told?.command) told.command(READ, cause, block, place % pagesPerBlock, pages, sensings, 0);
    if (tag & 0x80) {
      for (let others = bytes.number(); others > 0; others -= 1) {
        place += bytes.step();
        spans += 1;
        this.sense(Math.floor(place / pagesPerBlock), place % pagesPerBlock);
      }
    }
    this.counts[CAUSES + cause] += pages * spans;
  }

  sense(block, page) {
    const line = this.drive.lineOf(block, page);
    if (line >= this.drive.lines) return;
    this.touched[line] = this.commands;
    this.touch[line] = READ;
  }

  erase(bytes, cause, told) {
    let block = (this.other += bytes.step());
    const [loops, micros] = [bytes.number(), bytes.number()];
    this.commands += 1;
    this.clear(block);
    if (told?.command) told.command(ERASE, cause, block, 0, loops, micros, 0);
    for (let others = bytes.number(); others > 0; others -= 1) this.clear((block += bytes.step()));
  }

  clear(block) {
    const kind = this.drive.kindOf(block);
    const first = this.drive.lineOf(block, 0, kind);
    this.lines.fill(0, first, first + kind.linesPerBlock);
    this.touched.fill(this.commands, first, first + kind.linesPerBlock);
    this.touch.fill(ERASE, first, first + kind.linesPerBlock);
  }

  passes(bytes, stand, wasErased, told) {
    const block = (this.other += bytes.step());
    if (stand === ERASED) this.free += this.stands[block] === ERASED ? 0 : 1;
    else if (this.stands[block] === ERASED) this.free -= 1;
    this.stands[block] = stand;
    this.streams[block] = bytes.number();
    if (stand === VICTIM) this.collected += 1;
    if (wasErased) {
      this.erases[block] = bytes.number();
      this.counts[ERASES] += this.drive.kindOf(block).blocksAtOnce;
    }
    if (told?.block) told.block(block, stand, wasErased);
  }
}

// Plays a film: any command of it, forwards and backwards.
class Player {
  constructor(film) {
    this.film = film;
    this.state = new State(film.drive);
    this.open(0);
  }

  open(keyframe) {
    this.segment = keyframe;
    this.state.load(this.film.keyframes[keyframe]);
    this.bytes = new Bytes(this.film.events[keyframe] ?? new Uint8Array());
  }

  get command() { return this.state.commands; }

  // Carries out events until so many commands are over, the ends of requests after the last one included.
  go(to, told) {
    const toTheEnd = to >= this.film.commands;
    while (toTheEnd || this.state.commands < to || this.isFollowed()) {
      if (this.bytes.at >= this.bytes.bytes.length) {
        if (this.segment + 1 >= this.film.events.length) return;
        this.segment += 1;
        this.bytes = new Bytes(this.film.events[this.segment]);
        this.state.forget();
        continue;
      }
      this.state.event(this.bytes, told);
      if (told?.stops) return;
    }
  }

  // True where the end of a request comes next.
  isFollowed() {
    const tag = this.bytes.bytes[this.bytes.at];
    return tag !== undefined && (tag & 7) === DONE;
  }

  seek(to, told) {
    const target = Math.max(0, Math.min(to, this.film.commands));
    const keyframe = this.film.before(target);
    if (target < this.state.commands || keyframe > this.segment) this.open(keyframe);
    this.go(target, told);
  }
}
