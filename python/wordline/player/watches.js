// Moments to stop at, pages to follow, and what is said of a command.

const VERBS = ["", "programs", "reads", "erases"];
const ON_WHOSE_BEHALF = { host: "The host", gc: "GC", mapping: "The map", wear: "Wear levelling", technique: "The technique", metadata: "Metadata", refresh: "Refresh", reclaim: "Read reclaim" };

// Conditions on which playing stops; `of` makes what hears of the events.
const BREAKS = [
  { key: "gc", name: "a block is chosen as victim", of: (watch) => ({ block: (_, stand) => watch.stopIf(stand === VICTIM, 1) }) },
  { key: "erase", name: "this block is erased", value: "block", of: (watch) => ({
    block: (block, _, wasErased) => watch.stopIf(wasErased && block === watch.value, 1) }) },
  { key: "cycles", name: "a block reaches these P/E cycles", value: "cycles", of: (watch) => ({
    block: (block, _, wasErased) => watch.stopIf(wasErased && watch.state.erases[block] >= watch.value, 1) }) },
  { key: "free", name: "erased blocks fall to", value: "blocks", of: (watch) => ({
    block: () => watch.stopIf(watch.state.free <= watch.value, 1) }) },
  { key: "wa", name: "write amplification exceeds", value: "ratio", of: (watch) => ({
    command: () => watch.stopIf(amplification(watch.state.counts) > watch.value) }) },
  { key: "read", name: "a read takes longer than", value: "ms", of: (watch) => ({
    done: (op, latency) => watch.stopIf(op === 0 && latency > watch.value * 1e6) }) },
  { key: "write", name: "a write takes longer than", value: "ms", of: (watch) => ({
    done: (op, latency) => watch.stopIf(op === 1 && latency > watch.value * 1e6) }) },
  { key: "again", name: "a word line is programmed again", of: (watch) => ({
    command: (kind, cause, block, page, pages, inPlace) => watch.stopIf(kind === PROGRAM && inPlace) }) },
  { key: "bad", name: "a block wears out", of: (watch) => ({ block: (_, stand) => watch.stopIf(stand === BAD, 1) }) },
  { key: "page", name: "this logical page is written", value: "page", of: (watch) => ({
    placed: (unit, old, address, cause) => {
      if (address === watch.value) watch.unit = unit;
      else if (old < 0 || old !== watch.unit) return;
      watch.unit = unit;
      watch.stopIf(cause === 0, 1);
    } }) },
];

function programmed(counts) {
  let sum = counts[16] + counts[17];
  for (let cause = 0; cause < CAUSES; cause += 1) sum += counts[cause];
  return sum;
}

function amplification(counts) { return counts[HOST] > 0 ? programmed(counts) / counts[HOST] : NaN; }

class Watch {
  constructor(player, key, value, unit = -1) {
    Object.assign(this, { state: player.state, value, unit, stops: false });
    Object.assign(this, BREAKS.find((one) => one.key === key).of(this));
  }

  // Stops after the command that is over, or after the next one, of which the event is a part.
  stopIf(holds, ahead = 0) {
    if (!holds || this.stops) return;
    this.stops = true;
    this.at = this.state.commands + ahead;
  }
}

// The places of a logical page, by the command after which it is there.
class Journey {
  constructor(film, page) {
    Object.assign(this, { film, page, at: [], units: [], causes: [] });
    const unit = film.places()?.[page];
    this.unit = unit ?? -1;
    if (this.unit >= 0) this.note(0, this.unit, 0);
    const player = new Player(film);
    player.go(film.commands, {
      placed: (to, old, address, cause) => {
        if ((this.unit >= 0 && old === this.unit) || address === page) this.note(player.command + 1, to, cause);
      },
      dropped: (old) => { if (old === this.unit) this.note(player.command + 1, -1, 0); },
    });
  }

  note(command, unit, cause) {
    this.unit = unit;
    this.at.push(command);
    this.units.push(unit);
    this.causes.push(cause);
  }

  // Where it is after a command; -1 for nowhere.
  place(command) {
    if (!this.at.length || command < this.at[0]) return -1;
    return this.units[markAt(this.at, command)];
  }

  // Whose data stands in a unit after a command: the logical page, or -1 where that is not known.
  static ownerOf(film, unit, command) {
    const owner = new Float64Array(film.drive.units).fill(-1);
    film.places()?.forEach((place, page) => { if (place >= 0) owner[place] = page; });
    // Forwards from the start: where data came from is known by then.
    new Player(film).go(command, {
      placed: (to, old, address) => { owner[to] = address >= 0 ? address : owner[old]; },
    });
    return owner[unit];
  }
}

// Where something is, in words.
function spot(drive, block) {
  const { die, plane, block: within } = drive.place(block);
  return drive.kindOf(block).blocksAtOnce > 1 ? `superblock ${within}` : `block ${within} of plane ${plane}, die ${die}`;
}

// What a command does, in words.
function describe(drive, [kind, cause, block, page, pages, more, row]) {
  const { linesPerBlock, bits } = drive.kindOf(block);
  const who = ON_WHOSE_BEHALF[drive.head.causes[cause]] ?? drive.head.causes[cause];
  const place = spot(drive, block);
  if (kind === ERASE) return `${who} erases ${place}: ${pulsesOf(more)}`;
  const last = page + pages - 1;
  const which = pages > 1 ? `pages ${page}–${last}` : `page ${page}`;
  const line = `word line ${Math.min(linesPerBlock - 1, Math.floor(page / bits))}`;
  if (kind === READ) return `${who} reads ${which} (${line}) of ${place}${more > 1 ? `, ${more} sensings` : ""}`;
  const how = drive.head.rows[row].name.replaceAll("_", " ");
  const verb = more ? "programs again" : VERBS[kind];
  return `${who} ${verb} ${which} (${line}) of ${place}${how === "program" ? "" : ` (${how})`}`;
}

// The pulses of an erase, in words.
function pulsesOf(micros) {
  const ms = (of) => figure(of / 1000);
  const all = micros.reduce((sum, one) => sum + one, 0);
  return micros.length > 1 ? `${micros.length} pulses of ${micros.map(ms).join(", ")} ms, ${ms(all)} ms in all` : `${ms(all)} ms`;
}

const STANDS = ["erased", "open", "full", "kept by its technique", "a victim", "bad"];

// How long ago a word line was programmed last, in words.
function ageOf(player, line) {
  if (!player.film.head.timed) return "";
  const { time, isSure } = player.programmedAt(line);
  return `, last programmed ${isSure ? "" : "more than "}${clock(player.state.time - time)} ago`;
}

// What a word line holds, in words.
function describeLine(player, { block, line }) {
  const { state } = player;
  const { drive } = state;
  const kind = drive.kindOf(block);
  const number = drive.lineOf(block, line * kind.bits, kind);
  const value = state.lines[number];
  const name = drive.head.modes[value & 15];
  const [mode, passes] = [name === "normal" ? "programmed" : `programmed (${MODES[name] ?? name})`, value >> 8];
  const pages = [...Array(kind.bits).keys()].filter((type) => ((value >> 4) >> type) & 1);
  const again = passes ? `, programmed again ${passes} time${passes > 1 ? "s" : ""}` : "";
  const held = value === 0 ? "erased" : `${mode}${again}, pages ${pages.join(", ")}${ageOf(player, number)}; `
    + `${state.inLine[number]} of ${kind.unitsPerLine} units valid`;
  return `Word line ${line} of ${spot(drive, block)}: ${held}. The block is ${STANDS[state.stands[block]]}, `
    + `holds ${state.inBlock[block]} valid units of ${kind.unitsPerBlock}, has ${state.erases[block]} P/E cycles.`;
}

// Carries out all of a film, and says where it does not lead to the state of the next keyframe.
function verify(film) {
  const [folded, kept] = [new State(film.drive), new State(film.drive)];
  const wrong = [];
  film.events.forEach((events, at) => {
    folded.load(film.keyframes[at]);
    const bytes = new Bytes(events);
    while (bytes.at < events.length || folded.moving) folded.event(bytes);
    kept.load(film.keyframes[at + 1]);
    for (const name of ["lines", "valid", "inLine", "inBlock", "stands", "streams", "erases", "counts"]) {
      if (folded[name].some((value, place) => value !== kept[name][place])) wrong.push(`${name} at keyframe ${at + 1}`);
    }
    if (folded.commands !== kept.commands || folded.time !== kept.time) wrong.push(`clock at keyframe ${at + 1}`);
  });
  return wrong;
}
