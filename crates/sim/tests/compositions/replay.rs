//! A reader of recordings, which knows of them what docs/player.md says and nothing else.

use crate::recorded_drive::{Drive, Row};
use crate::sections::{Bytes, sections, unfold};
use serde_json::Value;

/// On whose behalf a command may be.
pub const CAUSES: usize = 8;

/// What a drive holds, as a recording tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    pub lines: Vec<u16>,
    pub valid: Vec<bool>,
    pub states: Vec<u8>,
    pub streams: Vec<u8>,
    pub erases: Vec<u32>,
    /// Units programmed by cause, pages read by cause, program operations, reprograms, erases, units of the host,
    /// of padding and of parity.
    pub counts: Vec<u64>,
}

/// A recording that was read.
pub struct Replayed {
    pub keyframes: usize,
    pub commands: u64,
    /// Commands of its stretches, and those between them.
    pub kept: u64,
    pub gaps: Vec<u64>,
    /// Its course: twelve figures a mark.
    pub marks: Vec<[u64; 12]>,
    pub event_bytes: u64,
    /// Stretches of units that were moved.
    pub stretches: u64,
    /// The counts at its end, and the result of its run.
    pub counts: Vec<u64>,
    pub result: Value,
    pub ended_by: String,
}

/// The events between two keyframes, carried out one by one.
struct Player<'a> {
    drive: &'a Drive,
    state: State,
    commands: u64,
    then: Vec<u64>,
    place: Vec<u64>,
    block: [u64; CAUSES],
    last: (u64, u64),
    old: [u64; CAUSES],
    read: [u64; CAUSES],
    /// The row and the pages of the last program as guessed.
    program: [(u8, u64); CAUSES],
    other: u64,
    stretches: u64,
}

impl<'a> Player<'a> {
    fn new(drive: &'a Drive, (commands, state): (u64, State)) -> Self {
        let blocks = state.states.len() as u64;
        Self {
            drive,
            state,
            commands,
            then: (0..blocks).collect(),
            place: vec![0; blocks as usize],
            block: [0; CAUSES],
            last: (0, 0),
            old: [0; CAUSES],
            read: [0; CAUSES],
            program: [(0, 0); CAUSES],
            other: 0,
            stretches: 0,
        }
    }

    fn play(&mut self, bytes: &[u8]) {
        let mut bytes = Bytes(bytes);
        while !bytes.0.is_empty() {
            let tag = bytes.byte();
            let (of, guessed, more) = ((tag >> 3 & 7) as usize, tag & 0x40 > 0, tag & 0x80 > 0);
            match tag & 7 {
                0 => self.place(&mut bytes, of, guessed, more),
                1 => self.program(&mut bytes, of, guessed, more),
                2 => self.reads(&mut bytes, of, guessed, more),
                3 => self.erase(&mut bytes, guessed),
                4 => self.block(&mut bytes, of, more),
                5 => {
                    let unit = bytes.step(self.old[0]);
                    self.old[0] = unit;
                    self.invalidate(unit);
                }
                6 => _ = bytes.number(),
                _ => match of {
                    0 => _ = bytes.number(),
                    1 => self.state.counts.fill(0),
                    3 => self.moves(&mut bytes, guessed),
                    4 => self.far(&mut bytes, guessed),
                    _ => {
                        let what = bytes.number() as usize;
                        // Padding and parity come last.
                        self.state.counts[if what < CAUSES { what } else { CAUSES + 4 + what }] +=
                            bytes.number();
                    }
                },
            }
        }
    }

    fn invalidate(&mut self, unit: u64) {
        assert!(self.state.valid[unit as usize], "unit {unit} is not valid");
        self.state.valid[unit as usize] = false;
    }

    fn place(&mut self, bytes: &mut Bytes<'_>, cause: usize, guessed: bool, ends: bool) {
        let unit = self.target(bytes, cause, guessed);
        match bytes.number() {
            0 => _ = bytes.number(),
            step => {
                self.old[cause] = self.old[cause].wrapping_add(unfold(step - 1));
                self.invalidate(self.old[cause]);
            }
        }
        self.put(unit, cause);
        if ends {
            let (row, pages) = self.program[cause];
            self.program_guessed(row, pages);
        }
    }

    /// A unit of the host, and its program.
    fn far(&mut self, bytes: &mut Bytes<'_>, guessed: bool) {
        let whole = bytes.take(if guessed { 4 } else { 7 });
        let word = whole.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        let unit = if guessed { self.target(bytes, 0, true) } else { word >> 28 };
        self.old[0] = word & ((1 << 28) - 1);
        self.invalidate(self.old[0]);
        self.put(unit, 0);
        let (row, pages) = self.program[0];
        self.program_guessed(row, pages);
    }

    fn target(&mut self, bytes: &mut Bytes<'_>, cause: usize, guessed: bool) -> u64 {
        let next = self.then[self.block[cause] as usize];
        match guessed {
            true => self.drive.unit(next, self.place[next as usize]),
            false => bytes.step(self.drive.unit(self.last.0, self.last.1)),
        }
    }

    fn put(&mut self, unit: u64, cause: usize) {
        let (block, place) = self.drive.locate(unit);
        self.then[self.block[cause] as usize] = block;
        self.block[cause] = block;
        self.place[block as usize] = place + 1;
        self.last = (block, place);
        assert!(!self.state.valid[unit as usize], "unit {unit} is in use");
        self.state.valid[unit as usize] = true;
        self.state.counts[cause] += 1;
        self.state.counts[2 * CAUSES + 3] += u64::from(cause == 0);
    }

    /// Units of a victim are read, put and programmed one by one.
    fn moves(&mut self, bytes: &mut Bytes<'_>, guessed: bool) {
        self.stretches += 1;
        let (cause, row) = (bytes.byte() as usize, bytes.byte());
        let to = self.target(bytes, cause, guessed);
        self.other = bytes.step(self.other);
        let (count, mut place) = (bytes.number(), bytes.number());
        self.program[cause] = (row, 1);
        let pages = self.drive.kinds.iter().map(|kind| kind.pages_per_block).max();
        for moved in 0..count {
            while !self.state.valid[self.drive.unit(self.other, place) as usize] {
                place += 1;
            }
            self.commands += 1;
            self.state.counts[CAUSES + cause] += 1;
            self.read[cause] = self.other * pages.expect("flash") + place;
            self.old[cause] = self.drive.unit(self.other, place);
            self.invalidate(self.old[cause]);
            self.put(to + moved, cause);
            self.program_guessed(row, 1);
        }
    }

    /// Where a program of so many pages begins that ends with the unit put last.
    fn span(&self, pages: u64) -> (u64, u64) {
        let kind = self.drive.kind(self.last.0);
        let end = self.last.1 / kind.units_per_page * kind.pages_per_unit + kind.pages_per_unit;
        (self.last.0, end.saturating_sub(pages))
    }

    fn program_guessed(&mut self, row: u8, pages: u64) {
        self.commands += 1;
        let (block, page) = self.span(pages);
        self.write(row, block, page, pages);
        self.count_program(row);
    }

    fn count_program(&mut self, row: u8) {
        self.state.counts[2 * CAUSES] += 1;
        self.state.counts[2 * CAUSES + 1] += u64::from(self.drive.rows[row as usize].1);
    }

    fn program(&mut self, bytes: &mut Bytes<'_>, cause: usize, guessed: bool, more: bool) {
        let row = bytes.byte();
        let pages = bytes.number();
        if guessed && !more {
            self.program[cause] = (row, pages);
            return self.program_guessed(row, pages);
        }
        self.commands += 1;
        let (mut block, mut page) = self.span(pages);
        if !guessed {
            (block, page) = (bytes.step(block), bytes.step(page));
        }
        self.write(row, block, page, pages);
        if more {
            for _ in 0..bytes.number() {
                let row = bytes.byte();
                (block, page) = (bytes.step(block), bytes.step(page));
                self.write(row, block, page, pages);
            }
        }
        self.count_program(row);
    }

    fn write(&mut self, row: u8, block: u64, page: u64, pages: u64) {
        let Row(mode, in_place) = self.drive.rows[row as usize];
        let kind = self.drive.kind(block);
        let first = kind.first_line + (block - kind.first_block) * kind.lines_per_block;
        for line in page / kind.bits..=(page + pages - 1) / kind.bits {
            let types =
                (0..kind.bits).filter(|it| (page..page + pages).contains(&(line * kind.bits + it)));
            let types = types.fold(0, |types, it| types | 1u16 << it);
            let was = &mut self.state.lines[(first + line) as usize];
            let passes = (*was >> 8) + u16::from(in_place);
            *was = mode | ((*was >> 4 & 0xf) | types) << 4 | passes << 8;
        }
    }

    fn reads(&mut self, bytes: &mut Bytes<'_>, cause: usize, plain: bool, more: bool) {
        self.commands += 1;
        self.read[cause] = bytes.step(self.read[cause]);
        let mut pages = 1;
        if !plain {
            pages = bytes.number();
            bytes.number();
        }
        let mut spans = 1;
        if more {
            let others = bytes.number();
            (0..others).for_each(|_| {
                bytes.number();
            });
            spans += others;
        }
        self.state.counts[CAUSES + cause] += pages * spans;
    }

    fn erase(&mut self, bytes: &mut Bytes<'_>, has_damage: bool) {
        self.commands += 1;
        let mut block = bytes.step(self.other);
        self.other = block;
        for _ in 0..bytes.number() {
            // The time of a pulse, and its damage.
            bytes.number();
            if has_damage {
                bytes.number();
            }
        }
        let others = bytes.number();
        self.clear(block);
        for _ in 0..others {
            block = bytes.step(block);
            self.clear(block);
        }
    }

    fn clear(&mut self, block: u64) {
        let kind = self.drive.kind(block);
        let first = kind.first_line + (block - kind.first_block) * kind.lines_per_block;
        self.state.lines[first as usize..(first + kind.lines_per_block) as usize].fill(0);
    }

    fn block(&mut self, bytes: &mut Bytes<'_>, state: usize, erased: bool) {
        let block = bytes.step(self.other);
        self.other = block;
        self.state.states[block as usize] = state as u8;
        self.state.streams[block as usize] = bytes.number() as u8;
        if erased {
            self.state.erases[block as usize] = bytes.number() as u32;
            self.state.counts[2 * CAUSES + 2] += self.drive.kind(block).blocks_at_once;
        }
    }
}

/// Carries out every event of a recording on the keyframe before it.
///
/// # Panics
/// A keyframe holds anything else than what the events before it lead to.
pub fn replay(file: &[u8]) -> Replayed {
    let sections = sections(file);
    let json = |kind: &str| {
        let (_, payload) = sections.iter().find(|(name, _)| *name == kind).expect("a section");
        serde_json::from_slice::<Value>(payload).expect("it is JSON")
    };
    let drive = Drive::of(&json("HEAD"));
    let mut player: Option<Player<'_>> = None;
    let (mut keyframes, mut event_bytes, mut stretches) = (0, 0, 0);
    let (mut kept, mut gaps, mut is_played) = (0, Vec::new(), false);
    for &(kind, payload) in &sections {
        match (kind, &mut player) {
            ("EVNT", Some(player)) => {
                event_bytes += payload.len() as u64;
                let before = player.commands;
                player.play(payload);
                kept += player.commands - before;
                is_played = true;
            }
            ("KEYF", player) => {
                let (commands, state) = drive.keyframe(payload);
                let before = player.as_ref().filter(|_| !is_played);
                gaps.extend(before.map(|before| commands - before.commands));
                if let Some(before) = player.as_mut().filter(|_| is_played) {
                    assert_eq!(before.commands, commands, "commands by keyframe {keyframes}");
                    compare(&before.state, &state, keyframes);
                    stretches += before.stretches;
                }
                (keyframes, is_played) = (keyframes + 1, false);
                *player = Some(Player::new(&drive, (commands, state)));
            }
            _ => {}
        }
    }
    let Player { commands, state, .. } = player.expect("a keyframe");
    let tail = json("TAIL");
    assert_eq!(tail["kept_commands"].as_u64(), Some(kept));
    Replayed {
        keyframes,
        commands,
        kept,
        gaps,
        marks: marks(&sections, &tail),
        event_bytes,
        stretches,
        counts: state.counts,
        ended_by: tail["ended_by"].as_str().expect("a word").to_owned(),
        result: tail["result"].clone(),
    }
}

fn marks(sections: &[(&str, &[u8])], tail: &Value) -> Vec<[u64; 12]> {
    let (_, payload) = sections.iter().find(|(name, _)| *name == "CURV").expect("a course");
    let mut bytes = Bytes(payload);
    let mut marks = vec![[0; 12]; tail["marks"].as_u64().expect("a count") as usize];
    for figure in 0..12 {
        let mut last = 0;
        for mark in &mut marks {
            last = bytes.step(last);
            mark[figure] = last;
        }
    }
    marks
}

fn compare(folded: &State, kept: &State, keyframe: usize) {
    let first = |one: &[u16], other: &[u16]| one.iter().zip(other).position(|(a, b)| a != b);
    let line = first(&folded.lines, &kept.lines);
    assert!(line.is_none(), "keyframe {keyframe}: word line {line:?} differs");
    let unit = folded.valid.iter().zip(&kept.valid).position(|(a, b)| a != b);
    assert!(unit.is_none(), "keyframe {keyframe}: unit {unit:?} differs");
    assert_eq!(folded.states, kept.states, "keyframe {keyframe}: states of blocks");
    assert_eq!(folded.streams, kept.streams, "keyframe {keyframe}: streams");
    assert_eq!(folded.erases, kept.erases, "keyframe {keyframe}: P/E cycles");
    assert_eq!(folded.counts, kept.counts, "keyframe {keyframe}: counts");
}
