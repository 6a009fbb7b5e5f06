//! The recording of a run for whoever plays it: every flash command, every unit that it moved, and now and then the
//! whole state of the drive. docs/player.md has the format.
//!
//! An event is a byte, which has its kind and its cause, and numbers of few bytes: what the reader can guess
//! takes none. Events between two keyframes can be read without those before.

mod curve;
mod events;
mod guess;
mod sections;
mod state;
mod stretches;

use crate::drive::DriveState;
use crate::error::{Error, infeasible};
use crate::metrics::{Counters, RunResult};
use crate::nand::WordLines;
use crate::nand::command::Cause;
use curve::Curve;
use guess::Guess;
pub use sections::MAGIC;
use sections::{Sections, put_number};
use serde_json::json;
use std::io::Write;
use stretches::Stretches;

/// Flash commands after which a keyframe is not put off for the sake of its bytes, so that a reader gets anywhere soon.
const MOST_BETWEEN: u64 = 1 << 20;

/// The number of the format.
const FORMAT: u32 = 2;

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

/// What a keyframe keeps: the drive, and its word lines where they may differ from those of the conventional drive.
#[derive(Debug, Clone, Copy)]
pub struct Kept<'a> {
    /// The drive.
    pub drive: &'a DriveState,
    /// Its word lines.
    pub lines: Option<&'a WordLines>,
}

/// Which part of a run is recorded.
#[derive(Debug, Clone, Copy)]
pub struct TapeOptions {
    /// Simulated time at which it begins.
    pub from_ns: u64,
    /// Simulated time that it lasts at most.
    pub length_ns: u64,
    /// Flash commands after which it ends.
    pub most_commands: u64,
    /// Flash commands that it keeps at most: of a longer run it keeps stretches, which are spread evenly over it.
    pub kept_commands: u64,
    /// Flash commands between two keyframes, or a little more. A keyframe also waits until the events before it take
    /// twice its bytes.
    pub keyframe_commands: u64,
}

impl Default for TapeOptions {
    fn default() -> Self {
        Self {
            from_ns: 0,
            length_ns: u64::MAX,
            most_commands: u64::MAX,
            kept_commands: 10_000_000,
            keyframe_commands: 1 << 16,
        }
    }
}

/// How far a recording has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Before,
    On,
    /// It goes on after so many commands.
    Between(u64),
    /// It is over, and why: the run, its commands, or its time.
    Over(&'static str),
}

/// What was recorded of a run.
#[derive(Debug, Clone, Copy)]
pub struct Taped {
    /// Flash commands from its beginning to its end.
    pub commands: u64,
    /// Those of them that it kept.
    pub kept_commands: u64,
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
    /// Where the last one begins, if a unit was given a place by it.
    placed: usize,
    stretches: Stretches,
    keyframe_bytes: u64,
    /// Commands so far, and before the last keyframe.
    commands: u64,
    commands_before: u64,
    /// Commands after which the figures are noted next.
    next_mark: u64,
    /// Commands, and the time, from which on something may be due.
    due: (u64, u64),
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
            placed: usize::MAX,
            stretches: Stretches::new(options.kept_commands),
            keyframe_bytes: 0,
            commands: 0,
            commands_before: 0,
            next_mark: curve::STRIDE,
            due: (u64::MAX, options.from_ns),
            now_ns: 0,
            guess: Guess::default(),
            curve: Curve::default(),
        }
    }

    /// The tape of a drive on which time passes, or does not.
    #[must_use]
    pub fn at_work(self, is_timed: bool) -> Self {
        Self { is_timed, ..self }
    }

    /// No command is being carried out: the recording may begin, keep the state of the drive, or end.
    #[inline(always)]
    pub fn at_rest(&mut self, kept: Kept<'_>, (counters, now_ns): (&Counters, u64)) {
        if self.commands >= self.due.0 || now_ns >= self.due.1 {
            self.rest(kept, (counters, now_ns));
        }
    }

    #[inline(never)]
    fn rest(&mut self, kept: Kept<'_>, told: (&Counters, u64)) {
        let TapeOptions { from_ns, length_ns, most_commands, keyframe_commands, .. } = self.options;
        let end_ns = from_ns.saturating_add(length_ns);
        match self.part {
            Part::Before => self.begin(kept, told),
            Part::Over(_) => {}
            _ if self.commands >= most_commands => self.end(kept, told, "commands"),
            _ if told.1 >= end_ns => self.end(kept, told, "time"),
            Part::On if self.is_keyframe_due() => self.keep_state(kept, told),
            Part::Between(until) if self.commands >= until => self.go_on(kept, told),
            Part::On | Part::Between(_) => {}
        }
        let next = match self.part {
            Part::On => self.commands + (keyframe_commands / 8).max(1),
            Part::Between(until) => until,
            Part::Before | Part::Over(_) => return self.due = (u64::MAX, u64::MAX),
        };
        self.due = (next.min(most_commands), end_ns);
    }

    fn is_keyframe_due(&self) -> bool {
        let commands = self.commands - self.commands_before;
        commands >= self.options.keyframe_commands
            && (self.events.len() as u64 >= 2 * self.keyframe_bytes || commands >= MOST_BETWEEN)
    }

    fn begin(&mut self, kept: Kept<'_>, told: (&Counters, u64)) {
        self.file.begin();
        let head = state::describe(kept.drive, self.is_timed).to_string();
        self.file.add(*b"HEAD", &[head.as_bytes()]);
        self.file.add(*b"ADDR", &[&state::addresses(kept.drive)]);
        self.curve.mark(0, told.1, kept.drive, told.0);
        self.go_on(kept, told);
    }

    /// Records what happens from here on.
    fn go_on(&mut self, kept: Kept<'_>, (counters, now_ns): (&Counters, u64)) {
        self.part = Part::On;
        self.now_ns = now_ns;
        let state = self.state_of(kept, counters);
        self.stretches.open(state);
    }

    /// The state of the drive, from which on the reader guesses anew.
    fn state_of(&mut self, kept: Kept<'_>, counters: &Counters) -> Vec<u8> {
        let mut bytes = Vec::new();
        put_number(&mut bytes, self.commands);
        put_number(&mut bytes, self.now_ns);
        state::counts(&mut bytes, counters);
        state::put_keyframe(&mut bytes, kept);
        self.keyframe_bytes = bytes.len() as u64;
        self.commands_before = self.commands;
        self.guess = Guess::new(&kept.drive.geometry);
        self.placed = usize::MAX;
        bytes
    }

    /// Keeps the events so far and the state that they lead to.
    fn keep_state(&mut self, kept: Kept<'_>, (counters, now_ns): (&Counters, u64)) {
        self.clock(now_ns);
        let commands = self.commands - self.commands_before;
        let state = self.state_of(kept, counters);
        let room = self.events.len();
        let events = std::mem::replace(&mut self.events, Vec::with_capacity(room));
        if self.stretches.close(&mut self.file, events, state, commands) {
            self.curve.halve();
        }
        if self.stretches.every > 1 {
            self.part = Part::Between(self.commands + self.stretches.gap);
        }
    }

    /// The run, or what is recorded of it, is over.
    pub fn end(&mut self, kept: Kept<'_>, (counters, now_ns): (&Counters, u64), why: &'static str) {
        if !self.is_told() {
            return;
        }
        self.curve.mark(self.commands, now_ns, kept.drive, counters);
        let is_between = !self.is_on();
        if is_between {
            self.now_ns = now_ns;
            let state = self.state_of(kept, counters);
            self.stretches.write(&mut self.file);
            self.file.add(*b"KEYF", &[&state]);
        } else {
            self.keep_state(kept, (counters, now_ns));
            self.stretches.write(&mut self.file);
        }
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
        let Stretches { every, event_bytes, .. } = self.stretches;
        let (commands, kept_commands) = (self.commands, self.stretches.commands());
        self.file.add(*b"CURV", &[&self.curve.bytes()]);
        let mut result = json!(result);
        // How fast the machine was is no part of the run: the same run gives the same file.
        if let Some(fields) = result.as_object_mut() {
            fields.remove("simulator");
        }
        let tail = json!({
            "commands": commands,
            "kept_commands": kept_commands,
            "every": every,
            "event_bytes": event_bytes,
            "marks": self.curve.count(),
            "ended_by": ended_by,
            "result": result,
        });
        self.file.add(*b"TAIL", &[tail.to_string().as_bytes()]);
        let bytes = self.file.end().map_err(|fault| {
            infeasible(format!("the recording cannot be written: {fault}"), "make room for it")
        })?;
        Ok(Taped { commands, kept_commands, bytes, event_bytes, ended_by })
    }
}
