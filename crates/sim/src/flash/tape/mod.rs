//! The recording of a run for whoever plays it: every flash command, every unit that it moved, and now and then the
//! whole state of the drive. docs/player.md has the format.
//!
//! An event is a byte, which has its kind and its cause, and numbers of few bytes: what the reader can guess
//! ([`guess`]) takes none. Events between two keyframes can be read without those before.

mod curve;
mod guess;
mod sections;
mod state;

use crate::drive::DriveState;
use crate::error::{Error, infeasible};
use crate::ids::{BlockId, Id, Lpn, Unit};
use crate::metrics::{Counters, RunResult};
use crate::nand::command::{CAUSES, Cause, Command, Erase, Program, Read};
use crate::nand::{Block, Located, Loops, Span, WordLines};
use curve::{Curve, STRIDE};
use guess::Guess;
pub use sections::MAGIC;
use sections::{Sections, put_number, put_step};
use serde_json::json;
use std::io::Write;
use wordline_trace::Op;

/// The number of the format.
const FORMAT: u32 = 1;

/// Events, as the low bits of their first byte.
mod kind {
    pub const PLACE: u8 = 0;
    pub const PROGRAM: u8 = 1;
    pub const READ: u8 = 2;
    pub const ERASE: u8 = 3;
    pub const BLOCK: u8 = 4;
    pub const DROP: u8 = 5;
    pub const DONE: u8 = 6;
    pub const OTHER: u8 = 7;
    /// Of [`OTHER`]: time passes; counting begins anew; units are programmed with something else than data.
    pub const TIME: u8 = 0;
    pub const ANEW: u8 = 1;
    pub const FILLED: u8 = 2;
    /// As the reader guesses it.
    pub const GUESSED: u8 = 1 << 6;
    /// Pages in further planes follow; of a block: it was erased.
    pub const MORE: u8 = 1 << 7;
}

/// What a unit is programmed with that holds no data of the map.
#[derive(Debug, Clone, Copy)]
pub enum Other {
    /// Nothing.
    Padding,
    /// The parity of a superblock's row.
    Parity,
    /// Notes of the controller, by who asked for them.
    Of(Cause),
}

/// Which part of a run is recorded.
#[derive(Debug, Clone, Copy)]
pub struct TapeOptions {
    /// Simulated time at which it begins.
    pub from_ns: u64,
    /// Simulated time that it lasts at most.
    pub length_ns: u64,
    /// Flash commands that it has at most.
    pub most_commands: u64,
    /// Flash commands between two keyframes at least. A keyframe also waits until the events before it take twice its
    /// bytes.
    pub keyframe_commands: u64,
}

impl Default for TapeOptions {
    fn default() -> Self {
        Self {
            from_ns: 0,
            length_ns: u64::MAX,
            most_commands: 10_000_000,
            keyframe_commands: 1 << 16,
        }
    }
}

/// How far a recording has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Before,
    On,
    /// It is over, and why: the run, its commands, or its time.
    Over(&'static str),
}

/// What was recorded of a run.
#[derive(Debug, Clone, Copy)]
pub struct Taped {
    /// Flash commands.
    pub commands: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Bytes of its commands, and what they moved.
    pub event_bytes: u64,
    /// What ended it: `run`, `commands` or `time`.
    pub ended_by: &'static str,
}

/// The recording of a run.
pub struct Tape {
    file: Sections,
    options: TapeOptions,
    is_timed: bool,
    part: Part,
    /// Events since the last keyframe.
    events: Vec<u8>,
    event_bytes: u64,
    keyframe_bytes: u64,
    /// Commands so far, and before the last keyframe.
    commands: u64,
    commands_before: u64,
    now_ns: u64,
    guess: Guess,
    curve: Curve,
}

impl Tape {
    /// A recording that is written to `out`.
    pub fn new(out: Box<dyn Write + Send>, options: TapeOptions) -> Self {
        Self {
            file: Sections::new(out),
            options,
            is_timed: false,
            part: Part::Before,
            events: Vec::new(),
            event_bytes: 0,
            keyframe_bytes: 0,
            commands: 0,
            commands_before: 0,
            now_ns: 0,
            guess: Guess::default(),
            curve: Curve::default(),
        }
    }

    /// Whether time exists.
    pub fn set_timed(&mut self, is_timed: bool) {
        self.is_timed = is_timed;
    }

    /// No command is being carried out: the recording may begin, keep the state of the drive, or end.
    pub fn at_rest(
        &mut self,
        drive: &DriveState,
        lines: &WordLines,
        (counters, now_ns): (&Counters, u64),
    ) {
        let TapeOptions { from_ns, length_ns, most_commands, .. } = self.options;
        match self.part {
            Part::Before if now_ns >= from_ns => self.begin(drive, lines, counters, now_ns),
            Part::On if self.commands >= most_commands => {
                self.end(drive, lines, (counters, now_ns), "commands");
            }
            Part::On if now_ns - from_ns >= length_ns => {
                self.end(drive, lines, (counters, now_ns), "time");
            }
            Part::On if self.is_keyframe_due() => {
                self.keep_state(drive, lines, counters, now_ns);
            }
            _ => {}
        }
    }

    fn is_keyframe_due(&self) -> bool {
        self.commands - self.commands_before >= self.options.keyframe_commands
            && self.events.len() as u64 >= 2 * self.keyframe_bytes
    }

    fn begin(&mut self, drive: &DriveState, lines: &WordLines, counters: &Counters, now_ns: u64) {
        self.part = Part::On;
        self.now_ns = now_ns;
        self.file.begin();
        let head = state::describe(drive, self.is_timed).to_string();
        self.file.add(*b"HEAD", &[head.as_bytes()]);
        self.file.add(*b"ADDR", &[&state::addresses(drive)]);
        self.keep_state(drive, lines, counters, now_ns);
        self.curve.mark(0, now_ns, drive, counters);
    }

    /// Writes the events so far and a keyframe.
    fn keep_state(
        &mut self,
        drive: &DriveState,
        lines: &WordLines,
        counters: &Counters,
        now_ns: u64,
    ) {
        self.clock(now_ns);
        if self.keyframe_bytes > 0 {
            self.event_bytes += self.events.len() as u64;
            self.file.add(*b"EVNT", &[&self.events]);
            self.events.clear();
        }
        let mut head = Vec::new();
        put_number(&mut head, self.commands);
        put_number(&mut head, now_ns);
        state::counts(&mut head, counters);
        let keyframe = state::keyframe(drive, lines);
        self.file.add(*b"KEYF", &[&head, &keyframe]);
        self.keyframe_bytes = keyframe.len() as u64;
        self.commands_before = self.commands;
        self.guess = Guess::new(&drive.geometry);
    }

    /// The run, or what is recorded of it, is over.
    pub fn end(
        &mut self,
        drive: &DriveState,
        lines: &WordLines,
        (counters, now_ns): (&Counters, u64),
        why: &'static str,
    ) {
        if self.part != Part::On {
            return;
        }
        self.curve.mark(self.commands, now_ns, drive, counters);
        self.keep_state(drive, lines, counters, now_ns);
        self.part = Part::Over(why);
    }

    /// Writes what comes last: the figures of the recording, and the result of its run.
    ///
    /// # Errors
    /// The recording never began, or its file cannot be written.
    pub fn close(mut self, result: &RunResult) -> Result<Taped, Error> {
        let Part::Over(ended_by) = self.part else {
            return Err(infeasible(
                format!(
                    "the recording begins {} s after the run, which is over before",
                    self.options.from_ns as f64 / 1e9
                ),
                "let the recording begin earlier",
            ));
        };
        let (commands, event_bytes) = (self.commands, self.event_bytes);
        self.file.add(*b"CURV", &[&self.curve.bytes()]);
        let tail = json!({
            "commands": commands,
            "event_bytes": event_bytes,
            "marks": self.curve.count(),
            "ended_by": ended_by,
            "result": result,
        });
        self.file.add(*b"TAIL", &[tail.to_string().as_bytes()]);
        let bytes = self.file.end().map_err(|fault| {
            infeasible(format!("the recording cannot be written: {fault}"), "make room for it")
        })?;
        Ok(Taped { commands, bytes, event_bytes, ended_by })
    }

    fn is_on(&self) -> bool {
        self.part == Part::On
    }

    #[inline]
    fn tag(&mut self, kind: u8, of: u8, flags: u8) {
        self.events.push(kind | of << 3 | flags);
    }

    #[inline]
    fn number(&mut self, number: u64) {
        put_number(&mut self.events, number);
    }

    #[inline]
    fn step(&mut self, from: u64, to: u64) {
        put_step(&mut self.events, from, to);
    }

    /// Time passes.
    #[inline]
    fn clock(&mut self, now_ns: u64) {
        if now_ns > self.now_ns {
            self.tag(kind::OTHER, kind::TIME, 0);
            self.number(now_ns - self.now_ns);
            self.now_ns = now_ns;
        }
    }

    /// A logical unit was given a place; what it was in before is no longer valid.
    pub fn place(
        &mut self,
        drive: &DriveState,
        at: Located,
        (lpn, old): (Lpn, Unit),
        cause: Cause,
        now_ns: u64,
    ) {
        if !self.is_on() {
            return;
        }
        self.clock(now_ns);
        let of = cause as usize;
        let is_guessed = self.guess.unit(&drive.geometry, of) == at.unit;
        self.tag(kind::PLACE, cause as u8, if is_guessed { kind::GUESSED } else { 0 });
        if !is_guessed {
            self.step(self.guess.last.unit.0, at.unit.0);
        }
        self.guess.placed(of, at);
        // 0 stands for data that has no older version; its address follows.
        let last = self.guess.old[of];
        match old.known() {
            Some(Unit(old)) => {
                let step = old.wrapping_sub(last) as i64;
                self.number(((step << 1) ^ (step >> 63)) as u64 + 1);
                self.guess.old[of] = old;
            }
            None => {
                self.number(0);
                self.number(lpn.0);
            }
        }
    }

    /// The data of a unit is no longer valid, and nowhere else.
    pub fn drop_unit(&mut self, unit: Unit) {
        if self.is_on() {
            self.tag(kind::DROP, 0, 0);
            self.step(self.guess.old[0], unit.0);
            self.guess.old[0] = unit.0;
        }
    }

    /// A block has passed on in its life.
    pub fn block(&mut self, entry: &Block, block: BlockId, was_erased: bool) {
        if !self.is_on() {
            return;
        }
        self.tag(kind::BLOCK, entry.state as u8, if was_erased { kind::MORE } else { 0 });
        self.step(self.guess.other, block.number().into());
        self.guess.other = block.number().into();
        self.number(entry.stream().0.into());
        if was_erased {
            self.number(entry.erases.into());
        }
    }

    /// A request is over.
    pub fn done(&mut self, op: Op, latency_ns: u64) {
        if self.is_on() {
            self.tag(kind::DONE, op as u8, 0);
            self.number(latency_ns);
            self.curve.done(op, latency_ns);
        }
    }

    /// Units were programmed with something else than data of the map.
    pub fn other(&mut self, what: Other, units: u64) {
        if self.is_on() && units > 0 {
            self.tag(kind::OTHER, kind::FILLED, 0);
            self.number(match what {
                Other::Of(cause) => cause as u64,
                Other::Padding => CAUSES as u64,
                Other::Parity => CAUSES as u64 + 1,
            });
            self.number(units);
        }
    }

    /// Counting is about to begin anew.
    pub fn count_anew(&mut self, counters: &Counters) {
        if self.is_on() {
            self.tag(kind::OTHER, kind::ANEW, 0);
            self.curve.count_anew(counters);
        }
    }

    /// A command is issued.
    #[inline(never)]
    pub fn command(
        &mut self,
        drive: &DriveState,
        command: &Command<'_>,
        (counters, now_ns): (&Counters, u64),
    ) {
        if !self.is_on() {
            return;
        }
        self.clock(now_ns);
        if self.commands.is_multiple_of(STRIDE) && self.commands > 0 {
            self.curve.mark(self.commands, now_ns, drive, counters);
        }
        self.commands += 1;
        match command {
            Command::Program(program) => self.program(drive, command, program),
            Command::Read(read) => self.read(read),
            Command::Erase(erase) => self.erase(erase),
        }
    }

    fn program(&mut self, drive: &DriveState, command: &Command<'_>, program: &Program<'_>) {
        let Program { span, others, cause, .. } = *program;
        let guess = self.guess.span(&drive.geometry, span.pages);
        let is_guessed = guess == span;
        let more = if others.is_empty() { 0 } else { kind::MORE };
        self.tag(kind::PROGRAM, cause as u8, more | if is_guessed { kind::GUESSED } else { 0 });
        self.events.push(drive.row_of(command, 0, span.block));
        self.number(span.pages.into());
        if !is_guessed {
            self.span(guess, span);
        }
        if !others.is_empty() {
            self.number(others.len() as u64);
            let mut last = span;
            for (at, &other) in others.iter().enumerate() {
                self.events.push(drive.row_of(command, at + 1, other.block));
                self.span(last, other);
                last = other;
            }
        }
    }

    /// The block and the first page of a span, as far as they lie from those of another.
    fn span(&mut self, from: Span, to: Span) {
        self.step(from.block.number().into(), to.block.number().into());
        self.step(from.page.into(), to.page.into());
    }

    fn read(&mut self, read: &Read<'_>) {
        let Read { span, sensing, others, cause, .. } = *read;
        let pages = self.guess.pages_per_block;
        let page = |span: Span| u64::from(span.block.number()) * pages + u64::from(span.page);
        let is_plain = span.pages == 1 && sensing.times == 1;
        let more = if others.is_empty() { 0 } else { kind::MORE };
        self.tag(kind::READ, cause as u8, more | if is_plain { kind::GUESSED } else { 0 });
        self.step(self.guess.read[cause as usize], page(span));
        self.guess.read[cause as usize] = page(span);
        if !is_plain {
            self.number(span.pages.into());
            self.number(sensing.times.into());
        }
        if !others.is_empty() {
            self.number(others.len() as u64);
            let mut last = span;
            for &other in others {
                self.step(page(last), page(other));
                last = other;
            }
        }
    }

    fn erase(&mut self, erase: &Erase<'_>) {
        let Erase { span, others, loops, cause, .. } = *erase;
        self.tag(kind::ERASE, cause as u8, kind::MORE);
        self.step(self.guess.other, span.block.number().into());
        self.guess.other = span.block.number().into();
        let slowest = loops.iter().max_by_key(|loops| loops.array_ns());
        self.number(slowest.map_or(0, |loops| loops.as_slice().len() as u64));
        self.number(slowest.map_or(0, Loops::array_ns) / 1000);
        self.number(others.len() as u64);
        let mut last = span.block;
        for other in others {
            self.step(last.number().into(), other.block.number().into());
            last = other.block;
        }
    }
}
