// Going through a film: to any command of it, forwards and backwards.

const LOOKS_BACK = 4; // keyframes, for when a word line was programmed
const NOTHING = new Uint8Array();

// Plays a film: any command of it, forwards and backwards.
class Player {
  constructor(film) {
    this.film = film;
    this.state = new State(film.drive);
    this.open(0);
  }

  open(keyframe) {
    this.opened = keyframe;
    this.segment = keyframe;
    this.state.load(this.film.keyframes[keyframe]);
    this.bytes = new Bytes(this.film.events[keyframe] ?? NOTHING);
  }

  get command() { return this.state.commands; }

  // Carries out events until so many commands are over, the ends of requests after the last one included.
  go(to, told) {
    const toTheEnd = to >= this.film.commands;
    while (toTheEnd || this.state.commands < to || this.isFollowed()) {
      if (this.bytes.at >= this.bytes.bytes.length && !this.state.moving) {
        const { film, segment } = this;
        if (segment + 1 >= film.keyframes.length) return;
        if (film.isGap(segment)) {
          if (film.keyframes[segment + 1].commands > to) return;
          this.open(segment + 1);
          if (told?.gap) told.gap();
        } else {
          this.segment += 1;
          this.bytes = new Bytes(film.events[this.segment] ?? NOTHING);
          this.state.forget();
        }
        continue;
      }
      this.state.event(this.bytes, told);
      if (told?.stops) return;
    }
  }

  // When a word line was programmed last: for sure, or before then as far as was looked.
  programmedAt(line) {
    const { state, film } = this;
    if (state.since[line] >= 0) return { time: state.since[line], isSure: true };
    if (this.past?.line !== line || this.past.opened !== this.opened) this.past = this.lookBack(line);
    return this.past.found ?? { time: film.keyframes[this.past.first].time, isSure: false };
  }

  // Goes through some of the events before the keyframe that was opened, the last ones first.
  lookBack(line) {
    const { film, opened } = this;
    const state = new State(film.drive);
    let first = opened;
    for (; first > 0 && first > opened - LOOKS_BACK && !film.isGap(first - 1); ) {
      first -= 1;
      state.load(film.keyframes[first]);
      const bytes = new Bytes(film.events[first]);
      while (bytes.at < bytes.bytes.length || state.moving) state.event(bytes);
      if (state.since[line] >= 0) return { line, opened, first, found: { time: state.since[line], isSure: true } };
    }
    return { line, opened, first };
  }

  // True where the end of a request comes next.
  isFollowed() {
    if (this.state.moving) return false;
    const tag = this.bytes.bytes[this.bytes.at];
    return tag !== undefined && (tag & 7) === DONE;
  }

  seek(to, told) {
    const target = this.film.recorded(Math.max(0, Math.min(to, this.film.commands)), to >= this.state.commands);
    const keyframe = this.film.before(target);
    if (target < this.state.commands || keyframe > this.segment) this.open(keyframe);
    this.go(target, told);
  }
}
