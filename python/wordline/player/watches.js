// Moments to stop at, pages to follow, and what is said of a command.

const VERBS = ["", "programs", "reads", "erases"];
const ON_WHOSE_BEHALF = { host: "The host", gc: "GC", mapping: "The map", wear: "Wear levelling", technique: "The technique", metadata: "Metadata", refresh: "Refresh", reclaim: "Read reclaim" };

// Conditions on which playing stops; `of` makes what hears of the events.
const BREAKS = [
  { key: "gc", name: "a block is chosen as victim", value: "the nth from here", of: (watch) => ({
    block: (_, stand) => { if (stand === VICTIM) watch.stopIf((watch.met += 1) >= watch.value, 1); } }) },
  { key: "victim", name: "a victim has no more valid units than", value: "units", of: (watch) => ({
    block: (block, stand) => watch.stopIf(stand === VICTIM && watch.state.inBlock[block] <= watch.value, 1) }) },
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
    }, gap: () => { watch.unit = -1; } }) },
];

// Those of BREAKS, and one for each count that a film has.
function breaksOf({ head, keyframes }) {
  const { counts } = keyframes[keyframes.length - 1];
  const names = [...head.causes.map((cause) => `units programmed (${cause})`), ...head.causes.map((cause) => `pages read (${cause})`),
    "program operations", "programs in place", "erases", "units written by the host", "units of padding", "units of parity"];
  const ofCounts = names.map((name, at) => ({
    key: `count${at}`, name: `${name} reach`, value: "in all", isMet: counts[at] > 0,
    of: (watch) => ({ command: () => watch.stopIf(watch.state.counts[at] >= watch.value) }) }));
  return [...BREAKS, ...ofCounts.filter((one) => one.isMet)];
}

function programmed(counts) {
  let sum = counts[PADDING] + counts[PADDING + 1];
  for (let cause = 0; cause < CAUSES; cause += 1) sum += counts[cause];
  return sum;
}

function amplification(counts) { return counts[HOST] > 0 ? programmed(counts) / counts[HOST] : NaN; }

class Watch {
  constructor(player, one, value, unit = -1) {
    Object.assign(this, { state: player.state, value, unit, stops: false, met: 0 });
    Object.assign(this, one.of(this));
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
      // Nobody saw where it went meanwhile.
      gap: () => this.note(player.command, -1, 0),
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
      gap: () => owner.fill(-1),
    });
    return owner[unit];
  }
}

// Where a block is, or a word line of it, in words.
function spot(drive, block, line) {
  const kind = drive.kindOf(block);
  const { die, plane, block: within } = drive.place(block, line);
  if (kind.blocksAtOnce === 1) return `block ${within} of plane ${plane}, die ${die}`;
  return `superblock ${within}${kind.isSpread && line !== undefined ? ` in plane ${plane}, die ${die}` : ""}`;
}

// What a command does, in words.
function describe(drive, [kind, cause, block, page, pages, more, row]) {
  const kindOf = drive.kindOf(block);
  const who = ON_WHOSE_BEHALF[drive.head.causes[cause]] ?? drive.head.causes[cause];
  if (kind === ERASE) return `${who} erases ${spot(drive, block)}: ${pulsesOf(more)}`;
  const last = page + pages - 1;
  const which = pages > 1 ? `pages ${page}–${last}` : `page ${page}`;
  const on = kindOf.lineOfPage[Math.min(page, kindOf.pagesPerBlock - 1)];
  const place = spot(drive, block, on);
  const line = `word line ${on % kindOf.flash.lines}`;
  if (kind === READ) return `${who} reads ${which} (${line}) of ${place}${more > 1 ? `, ${more} sensings` : ""}`;
  const how = drive.head.rows[row].name.replaceAll("_", " ");
  const verb = more ? "programs again" : VERBS[kind];
  return `${who} ${verb} ${which} (${line}) of ${place}${how === "program" ? "" : ` (${how})`}`;
}

// The pulses of an erase, in words: of each its time, and together their damage where the scheme knows it.
function pulsesOf(pulses) {
  const ms = (of) => figure(of / 1000);
  const sum = (of) => pulses.reduce((total, pulse) => total + pulse[of], 0);
  const times = pulses.length > 1 ? `${pulses.length} pulses of ${pulses.map(([us]) => ms(us)).join(", ")} ms, ${ms(sum(0))} ms in all` : `${ms(sum(0))} ms`;
  return pulses.some(([, damage]) => damage !== null) ? `${times}, with the damage of ${ms(sum(1))} ms at the first voltage` : times;
}

const STANDS = ["erased", "open", "full", "kept by its technique", "a victim", "bad"];

// How long ago a word line was programmed last, in words.
function ageOf(player, line) {
  if (!player.film.head.timed) return "";
  const { time, isSure } = player.programmedAt(line);
  return `, last programmed ${isSure ? "" : "more than "}${clock(player.state.time - time)} ago`;
}

function times(count) { return count === 1 ? "once" : count === 2 ? "twice" : `${count} times`; }

function heldBy(kind, line) {
  const held = kind.held?.[line] ?? "d";
  return held === "d" ? "" : `holds ${BESIDES[held][0]}, `;
}

// How often a word line may still be programmed before its next erase, in words; of a first stage, until when.
function leftOf(player, number) {
  const { drive } = player.state;
  const left = drive.left[player.state.lines[number]];
  if (!drive.again.length) return "";
  const stage = firstStage(player.film, drive.head.modes[player.state.lines[number] & 15]);
  if (!stage) return left ? `; may be programmed again ${times(left)}` : "; may not be programmed again";
  const { time, isSure } = player.programmedAt(number);
  const until = isSure && stage.holdsNs ? ` by ${clock(time + stage.holdsNs)}, when the first stage no longer holds` : "";
  return `; its second stage is due${until}`;
}

const DAYS = { m1: 1, m7: 7, m30: 30 };

// The first stage that a mode is, and for how long it holds where nothing but the mode decides that.
function firstStage(film, mode) {
  const lazy = film.tail.result.config.technique?.lazy_ftl;
  if (!lazy || !DAYS[mode]) return null;
  const isPlain = lazy.deadlines === "rated" && lazy.temperature_c === 30 && ["fixed", "ispe"].includes(film.tail.result.config.erase?.scheme ?? "fixed");
  return { holdsNs: isPlain ? DAYS[mode] * lazy.day_s * 1e9 : 0 };
}

// What a word line holds, in words.
function describeLine(player, { block, line }) {
  const { state } = player;
  const { drive } = state;
  const kind = drive.kindOf(block);
  const number = kind.firstLine + (block - kind.firstBlock) * kind.linesPerBlock + line;
  const value = state.lines[number];
  const name = drive.head.modes[value & 15];
  const [mode, passes] = [name === "normal" ? "programmed" : `programmed (${MODES[name] ?? name})`, value >> 8];
  const pages = kind.pagesOfLine[line].filter((_, type) => ((value >> 4) >> type) & 1);
  const again = passes ? `, programmed again ${times(passes)}` : "";
  const held = value === 0 ? "erased" : `${mode}${again}, pages ${pages.join(", ")}${ageOf(player, number)}; `
    + `${heldBy(kind, line)}${state.inLine[number]} of ${kind.unitsPerLine} units valid${leftOf(player, number)}`;
  return `Word line ${line % kind.flash.lines} of ${spot(drive, block, line)}: ${held}. The ${kind.blocksAtOnce > 1 ? "superblock" : "block"} is ${STANDS[state.stands[block]]}, `
    + `holds ${state.inBlock[block]} valid units of ${kind.unitsPerBlock}, has ${state.erases[block]} P/E cycles.`;
}

// Carries out all of a film, and says where it does not lead to the state of the next keyframe.
function verify(film) {
  const [folded, kept] = [new State(film.drive), new State(film.drive)];
  const wrong = [];
  film.events.forEach((events, at) => {
    if (!events) return;
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
