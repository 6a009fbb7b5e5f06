//! The events of a recording.

use super::sections::{SHORT, Short, folded, put_number, put_step, put_with, put_word};
use super::{Other, Part, Tape};
use crate::drive::DriveState;
use crate::ids::{BlockId, Id, Lpn, Unit};
use crate::metrics::Counters;
use crate::nand::command::{CAUSES, Cause, Command, Erase, Program, Read};
use crate::nand::{Block, Located, Loops, PROGRAM, Span};
use std::ops::Range;
use wordline_trace::Op;

const _: () = assert!(CAUSES <= 8, "a cause has three bits");

/// Steps from here on are those of random writes.
const FAR: u64 = 1 << 14;
/// Bits of a unit that is told in whole bytes, and the last one.
const FAR_BITS: u32 = 28;
const MOST_FAR: u64 = (1 << FAR_BITS) - 1;

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
    /// Of [`OTHER`]: time passes; counting begins anew; units are programmed with something else than data; units are
    /// moved one by one, all that are valid.
    pub const TIME: u8 = 0;
    pub const ANEW: u8 = 1;
    pub const FILLED: u8 = 2;
    pub const MOVED: u8 = 3;
    /// A unit of the host that is programmed at once as the last one was: in four bytes, or together with its place
    /// in seven, the place of its data before.
    pub const FAR: u8 = 4;
    /// As the reader guesses it; of an erase: each pulse is followed by its damage.
    pub const GUESSED: u8 = 1 << 6;
    /// Pages in further planes follow; of a block: it was erased; of a unit: it ends a program that is as guessed.
    pub const MORE: u8 = 1 << 7;
}

impl Tape {
    /// Whether what happens is recorded.
    pub(super) fn is_on(&self) -> bool {
        self.part == Part::On
    }

    /// Whether what happens is counted.
    pub(super) fn is_told(&self) -> bool {
        matches!(self.part, Part::On | Part::Between(_))
    }

    #[inline]
    fn tag(&mut self, kind: u8, of: u8, flags: u8) {
        self.placed = usize::MAX;
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
    pub(super) fn clock(&mut self, now_ns: u64) {
        if now_ns > self.now_ns {
            self.placed = usize::MAX;
            let tag = kind::OTHER | kind::TIME << 3;
            put_with(&mut self.events, Some(tag), now_ns - self.now_ns);
            self.now_ns = now_ns;
        }
    }

    /// A logical unit was given a place; what it was in before is no longer valid.
    pub fn place(&mut self, at: Located, (lpn, old): (Lpn, Unit), cause: Cause, now_ns: u64) {
        if self.is_on() {
            self.clock(now_ns);
            self.put(at, (lpn, old), cause);
        }
    }

    /// [`Self::place`] of a unit that is programmed at once, by itself.
    pub fn put_page(
        &mut self,
        drive: &DriveState,
        at: Located,
        (lpn, old): (Lpn, Unit),
        cause: Cause,
        (counters, now_ns): (&Counters, u64),
    ) {
        if !self.counts(drive, (counters, now_ns)) {
            return;
        }
        let pages = drive.geometry.of(at.block).pages_per_unit;
        let (of, program) = (cause as usize, (drive.program_row(PROGRAM, at.block), pages));
        let is_guessed = self.guess.is_next(of, at);
        let from = old.known().map_or(u64::MAX, |Unit(old)| folded(self.guess.old[of], old));
        let is_same = self.guess.program[of] == program;
        // Random writes have no short steps: whole bytes take less time than groups of bits.
        let is_far = from >= FAR && old.0 <= MOST_FAR && at.unit.0 <= MOST_FAR;
        if is_far && is_same && cause == Cause::Host {
            let word = u64::from(kind::OTHER | kind::FAR << 3) | old.0 << 8;
            match is_guessed {
                true => put_word(&mut self.events, word | u64::from(kind::GUESSED), 5),
                false => put_word(&mut self.events, word | at.unit.0 << (8 + FAR_BITS), 8),
            }
            self.placed = usize::MAX;
            self.guess.placed(of, at);
            self.guess.old[of] = old.0;
            return;
        }
        let step = folded(self.guess.last.unit.0, at.unit.0);
        if !is_same || step.max(from) >= SHORT - 1 {
            self.put(at, (lpn, old), cause);
            return self.program_guessed(cause, program);
        }
        let flags = kind::MORE | if is_guessed { kind::GUESSED } else { 0 };
        let mut event = Short::byte(kind::PLACE | (cause as u8) << 3 | flags);
        if !is_guessed {
            event.add(step);
        }
        event.add(from + 1);
        event.put(&mut self.events);
        self.placed = usize::MAX;
        self.guess.placed(of, at);
        self.guess.old[of] = old.0;
    }

    #[inline(always)]
    fn put(&mut self, at: Located, (lpn, old): (Lpn, Unit), cause: Cause) {
        let of = cause as usize;
        let is_guessed = self.guess.is_next(of, at);
        let flags = if is_guessed { kind::GUESSED } else { 0 };
        let mut tag = Some(kind::PLACE | (cause as u8) << 3 | flags);
        self.placed = self.events.len();
        if !is_guessed {
            put_with(&mut self.events, tag.take(), folded(self.guess.last.unit.0, at.unit.0));
        }
        self.guess.placed(of, at);
        // 0 stands for data that has no older version; its address follows.
        match old.known() {
            Some(Unit(old)) => {
                put_with(&mut self.events, tag, folded(self.guess.old[of], old) + 1);
                self.guess.old[of] = old;
            }
            None => {
                put_with(&mut self.events, tag, 0);
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
        if self.is_on() && self.is_timed {
            self.placed = usize::MAX;
            put_with(&mut self.events, Some(kind::DONE | (op as u8) << 3), latency_ns);
        }
        if self.is_told() {
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
        }
        if self.is_told() {
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
        if !self.counts(drive, (counters, now_ns)) {
            return;
        }
        match command {
            Command::Program(program) => self.program(drive, command, program),
            Command::Read(read) => self.read(read),
            Command::Erase(erase) => self.erase(erase),
        }
    }

    /// Counts a command; true where it is recorded, too.
    #[inline(always)]
    fn counts(&mut self, drive: &DriveState, (counters, now_ns): (&Counters, u64)) -> bool {
        if self.is_on() {
            self.clock(now_ns);
        } else if !self.is_told() {
            return false;
        }
        self.mark_if_due(drive, (counters, now_ns));
        self.commands += 1;
        self.is_on()
    }

    #[inline(always)]
    fn mark_if_due(&mut self, drive: &DriveState, (counters, now_ns): (&Counters, u64)) {
        if self.commands >= self.next_mark {
            self.curve.mark(self.commands, now_ns, drive, counters);
            self.next_mark = self.commands + self.curve.stride;
        }
    }

    /// Valid units of a victim, each a page, were moved to a place and those after it: each was read, placed and
    /// programmed. They are all that were valid from `places.start` on, the last one right before `places.end`.
    pub fn moved(
        &mut self,
        drive: &DriveState,
        (victim, places): (BlockId, Range<u32>),
        (to, count, cause): (Located, u32, Cause),
        (counters, now_ns): (&Counters, u64),
    ) {
        if !self.is_told() || count == 0 {
            return;
        }
        if self.is_on() {
            self.clock(now_ns);
            let of = cause as usize;
            let is_guessed = self.guess.is_next(of, to);
            self.tag(kind::OTHER, kind::MOVED, if is_guessed { kind::GUESSED } else { 0 });
            let row = drive.program_row(PROGRAM, to.block);
            self.events.extend_from_slice(&[cause as u8, row]);
            if !is_guessed {
                self.step(self.guess.last.unit.0, to.unit.0);
            }
            self.step(self.guess.other, victim.number().into());
            self.number(count.into());
            self.number(places.start.into());
            let last = places.end - 1;
            self.guess.moved(&drive.geometry, of, (victim, last), (to, count), row);
        }
        self.commands += 2 * u64::from(count);
        self.mark_if_due(drive, (counters, now_ns));
    }

    /// A program that ends with the unit placed last, of one span; takes no bytes where it is like the last one.
    #[inline(always)]
    fn program_guessed(&mut self, cause: Cause, (row, pages): (u8, u32)) {
        let before = std::mem::replace(&mut self.guess.program[cause as usize], (row, pages));
        if let Some(tag) = self.events.get_mut(self.placed).filter(|_| before == (row, pages))
            && *tag >> 3 & 7 == cause as u8
        {
            *tag |= kind::MORE;
            return;
        }
        self.tag(kind::PROGRAM, cause as u8, kind::GUESSED);
        self.events.push(row);
        self.number(pages.into());
    }

    fn program(&mut self, drive: &DriveState, command: &Command<'_>, program: &Program<'_>) {
        let Program { span, others, cause, .. } = *program;
        let guess = self.guess.span(&drive.geometry, span.pages);
        let is_guessed = guess == span;
        let row = drive.row_of(command, 0, span.block);
        if is_guessed && others.is_empty() {
            return self.program_guessed(cause, (row, span.pages));
        }
        let more = if others.is_empty() { 0 } else { kind::MORE };
        self.tag(kind::PROGRAM, cause as u8, more | if is_guessed { kind::GUESSED } else { 0 });
        self.events.push(row);
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
        let slowest = loops.iter().max_by_key(|loops| loops.array_ns());
        let pulses = slowest.map_or(&[][..], Loops::as_slice);
        let is_known = pulses.iter().any(|pulse| pulse.damage_us > 0);
        self.tag(kind::ERASE, cause as u8, if is_known { kind::GUESSED } else { 0 });
        self.step(self.guess.other, span.block.number().into());
        self.guess.other = span.block.number().into();
        self.number(pulses.len() as u64);
        for pulse in pulses {
            self.number(pulse.array_ns() / 1000);
            if is_known {
                self.number(pulse.damage_us.into());
            }
        }
        self.number(others.len() as u64);
        let mut last = span.block;
        for other in others {
            self.step(last.number().into(), other.block.number().into());
            last = other.block;
        }
    }
}
