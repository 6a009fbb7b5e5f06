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
    // By word line: when it was programmed last since the keyframe, or less than 0.
    this.since = new Float64Array(drive.lines);
    // By block: 1 where something changed since it was drawn.
    this.changed = new Uint8Array(drive.blocks);
    this.then = new Uint32Array(drive.blocks);
    this.next = new Uint32Array(drive.blocks);
  }

  // The state that a keyframe keeps.
  load(keyframe) {
    const { drive } = this;
    this.counts.set(keyframe.counts);
    Object.assign(this, { commands: keyframe.commands, time: keyframe.time });
    const { bytes } = keyframe;
    const runs = new Bytes(bytes);
    runs.at = keyframe.at;
    this.loadLines(runs);
    let { at } = runs;
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
    this.since.fill(-1);
    this.changed.fill(1);
    this.forget();
  }

  // The word lines, which are kept in the order of their pages, in that of the flash.
  loadLines(runs) {
    const { drive, lines } = this;
    let [value, left] = [0, 0];
    for (const kind of drive.kinds) {
      const { bits, keptLines, linesPerBlock, lineOfPage, typeOfPage, pagesPerBlock } = kind;
      if (kind.isSpread) lines.fill(0, kind.firstLine, kind.firstLine + kind.blocks * linesPerBlock);
      for (let kept = 0; kept < kind.blocks * keptLines; ) {
        if (left === 0) { value = runs.number(); left = runs.number(); }
        const end = Math.min(kept + left, kind.blocks * keptLines);
        left -= end - kept;
        if (!kind.isSpread) { lines.fill(value, kind.firstLine + kept, kind.firstLine + end); kept = end; continue; }
        if (value === 0) { kept = end; continue; }
        for (; kept < end; kept += 1) {
          const first = kind.firstLine + Math.floor(kept / keptLines) * linesPerBlock;
          const last = Math.min((kept % keptLines + 1) * bits, pagesPerBlock);
          for (let page = (kept % keptLines) * bits, of = 0; page < last; page += 1, of += 1) {
            if ((value >> (4 + of)) & 1) lines[first + lineOfPage[page]] |= (value & 0xff0f) | (16 << typeOfPage[page]);
          }
        }
      }
    }
  }

  // What is guessed begins anew with each keyframe.
  forget() {
    for (let block = 0; block < this.drive.blocks; block += 1) this.then[block] = block;
    this.next.fill(0);
    for (const name of ["block", "old", "read", "row", "pages"]) this[name] = new Float64Array(CAUSES);
    Object.assign(this, { lastUnit: 0, lastBlock: 0, lastPlace: 0, other: 0, moving: null });
  }

  // Carries out the next event; true where it was a command. `told` hears of it.
  event(bytes, told) {
    if (this.moving) { this.moves(bytes, told); return true; }
    const tag = bytes.bytes[bytes.at++];
    const of = (tag >> 3) & 7;
    switch (tag & 7) {
      case PLACE: return this.placed(bytes, of, tag, told);
      case PROGRAM: this.program(bytes, of, tag, told); return true;
      case READ: this.reads(bytes, of, tag, told); return true;
      case ERASE: this.erase(bytes, of, tag & 0x40, told); return true;
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
      default: return this.rest(bytes, of, tag, told);
    }
  }

  rest(bytes, of, tag, told) {
    if (of === 0) this.time += bytes.number();
    else if (of === 1) this.counts.fill(0);
    else if (of === 2) {
      const what = bytes.number();
      this.counts[what < CAUSES ? what : PADDING - CAUSES + what] += bytes.number();
    } else if (of === 4) {
      const [old, unit] = bytes.far(tag & 0x40);
      this.old[0] = old;
      this.drop(this.old[0]);
      this.put(unit ?? this.target(bytes, 0, true), 0, old, -1, told);
      this.programmed(0, told);
      return true;
    } else {
      const [cause, row] = [bytes.bytes[bytes.at++], bytes.bytes[bytes.at++]];
      const unit = this.target(bytes, cause, tag & 0x40);
      this.other += bytes.step();
      this.row[cause] = row;
      this.pages[cause] = 1;
      this.moving = { cause, unit, left: bytes.number(), place: bytes.number(), isRead: false };
      this.moves(bytes, told);
      return true;
    }
    return false;
  }

  // All valid units of a victim from a place on are moved: each is read, and then put and programmed.
  moves(bytes, told) {
    const { moving } = this;
    const { cause } = moving;
    if (!moving.isRead) {
      while (!this.valid[this.drive.unitOf(this.other, moving.place)]) moving.place += 1;
      this.read[cause] = this.other * this.drive.pagesPerBlock + moving.place;
      this.counts[CAUSES + cause] += 1;
      this.commands += 1;
      this.sense(this.other, moving.place);
      if (told?.command) told.command(READ, cause, this.other, moving.place, 1, 1, 0);
      moving.isRead = true;
      return;
    }
    const old = this.old[cause] = this.drive.unitOf(this.other, moving.place);
    this.drop(old);
    this.put(moving.unit, cause, old, -1, told);
    this.programmed(cause, told);
    moving.unit += 1;
    moving.left -= 1;
    moving.isRead = false;
    if (!moving.left) this.moving = null;
  }

  drop(unit) {
    this.valid[unit] = 0;
    this.inLine[this.drive.lineOfUnit(unit)] -= 1;
    const block = this.drive.blockOf(unit);
    this.inBlock[block] -= 1;
    this.changed[block] = 1;
  }

  // The unit that a cause fills next, unless it is told.
  target(bytes, cause, isGuessed) {
    const guess = this.then[this.block[cause]];
    return isGuessed ? this.drive.unitOf(guess, this.next[guess]) : this.lastUnit + bytes.step();
  }

  // True where a program ends with the unit.
  placed(bytes, cause, tag, told) {
    const unit = this.target(bytes, cause, tag & 0x40);
    const step = bytes.number();
    let old = -1;
    let address = -1;
    if (step === 0) {
      address = bytes.number();
    } else {
      old = this.old[cause] += unfold(step - 1);
      this.drop(this.old[cause]);
    }
    this.put(unit, cause, old, address, told);
    if (tag & 0x80) this.programmed(cause, told);
    return (tag & 0x80) > 0;
  }

  put(unit, cause, old, address, told) {
    const { drive } = this;
    const kind = drive.kindOfUnit(unit);
    const block = drive.blockOf(unit, kind);
    const place = (unit - kind.firstUnit) % kind.unitsPerBlock;
    this.then[this.block[cause]] = block;
    this.block[cause] = block;
    this.next[block] = place + 1;
    this.lastUnit = unit;
    this.lastBlock = block;
    this.lastPlace = place;
    this.valid[unit] = 1;
    this.changed[block] = 1;
    this.inBlock[block] += 1;
    this.inLine[drive.lineOfUnit(unit)] += 1;
    this.counts[cause] += 1;
    if (cause === 0) this.counts[HOST] += 1;
    if (told?.placed) told.placed(unit, old, address, cause);
  }

  // The first page of a program of so many that ends with the unit put last.
  firstPage(pages) {
    const kind = this.drive.kindOf(this.lastBlock);
    return Math.max(0, Math.floor(this.lastPlace / kind.unitsPerPage) * kind.pagesPerUnit + kind.pagesPerUnit - pages);
  }

  // A program that ends with the unit put last and is otherwise as the last such program of its cause.
  programmed(cause, told) {
    const [row, pages, page] = [this.row[cause], this.pages[cause], this.firstPage(this.pages[cause])];
    const isInPlace = this.drive.inPlace[row];
    this.commands += 1;
    this.write(row, this.lastBlock, page, pages);
    this.counts[OPS] += 1;
    if (isInPlace) this.counts[REPROGRAMS] += 1;
    if (told?.command) told.command(PROGRAM, cause, this.lastBlock, page, pages, isInPlace, row);
  }

  program(bytes, cause, tag, told) {
    const { drive } = this;
    let row = bytes.bytes[bytes.at++];
    const pages = bytes.number();
    if ((tag & 0xc0) === 0x40) {
      this.row[cause] = row;
      this.pages[cause] = pages;
      this.programmed(cause, told);
      return;
    }
    let block = this.lastBlock;
    let page = this.firstPage(pages);
    this.commands += 1;
    if (!(tag & 0x40)) { block += bytes.step(); page += bytes.step(); }
    this.write(row, block, page, pages);
    this.counts[OPS] += 1;
    if (drive.inPlace[row]) this.counts[REPROGRAMS] += 1;
    if (told?.command) told.command(PROGRAM, cause, block, page, pages, drive.inPlace[row], row);
    let others = tag & 0x80 ? bytes.number() : 0;
    for (; others > 0; others -= 1) {
      row = bytes.bytes[bytes.at++];
      block += bytes.step();
      page += bytes.step();
      this.write(row, block, page, pages);
    }
  }

  write(row, block, page, pages) {
    const { drive, lines } = this;
    const kind = drive.kindOf(block);
    const end = page + pages;
    const mode = drive.mode[row];
    const pass = drive.inPlace[row] ? 0x100 : 0;
    const first = kind.firstLine + (block - kind.firstBlock) * kind.linesPerBlock;
    this.changed[block] = 1;
    let last = -1;
    for (let at = page; at < end; at += 1) {
      const line = first + kind.lineOfPage[at];
      lines[line] = mode | (lines[line] & 0xfff0) | (16 << kind.typeOfPage[at]);
      if (line === last) continue;
      last = line;
      lines[line] += pass;
      this.touched[line] = this.commands;
      this.since[line] = this.time;
      this.touch[line] = pass ? 4 : PROGRAM;
    }
  }

  reads(bytes, cause, tag, told) {
    const { pagesPerBlock } = this.drive;
    let place = (this.read[cause] += bytes.step());
    let pages = 1;
    let sensings = 1;
    let spans = 1;
    if (!(tag & 0x40)) { pages = bytes.number(); sensings = bytes.number(); }
    const [block, page] = [Math.floor(place / pagesPerBlock), place % pagesPerBlock];
    this.commands += 1;
    this.sense(block, page);
    if (tag & 0x80) {
      for (let others = bytes.number(); others > 0; others -= 1) {
        place += bytes.step();
        spans += 1;
        this.sense(Math.floor(place / pagesPerBlock), place % pagesPerBlock);
      }
    }
    this.counts[CAUSES + cause] += pages * spans;
    if (told?.command) told.command(READ, cause, block, page, pages, sensings, 0);
  }

  sense(block, page) {
    const line = this.drive.lineOf(block, page);
    if (!(line < this.drive.lines)) return;
    this.changed[block] = 1;
    this.touched[line] = this.commands;
    this.touch[line] = READ;
  }

  erase(bytes, cause, hasDamage, told) {
    let block = (this.other += bytes.step());
    const pulses = Array.from({ length: bytes.number() }, () => [bytes.number(), hasDamage ? bytes.number() : null]);
    this.commands += 1;
    this.clear(block);
    if (told?.command) told.command(ERASE, cause, block, 0, pulses.length, pulses, 0);
    for (let others = bytes.number(); others > 0; others -= 1) this.clear((block += bytes.step()));
  }

  clear(block) {
    const kind = this.drive.kindOf(block);
    const first = kind.firstLine + (block - kind.firstBlock) * kind.linesPerBlock;
    this.changed[block] = 1;
    this.lines.fill(0, first, first + kind.linesPerBlock);
    this.touched.fill(this.commands, first, first + kind.linesPerBlock);
    this.touch.fill(ERASE, first, first + kind.linesPerBlock);
  }

  passes(bytes, stand, wasErased, told) {
    const block = (this.other += bytes.step());
    if (stand === ERASED) this.free += this.stands[block] === ERASED ? 0 : 1;
    else if (this.stands[block] === ERASED) this.free -= 1;
    this.stands[block] = stand;
    this.changed[block] = 1;
    this.streams[block] = bytes.number();
    if (wasErased) {
      this.erases[block] = bytes.number();
      this.counts[ERASES] += this.drive.kindOf(block).blocksAtOnce;
    }
    if (told?.block) told.block(block, stand, wasErased);
  }
}
