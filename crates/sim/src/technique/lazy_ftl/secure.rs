//! How data that outlives its first stage is secured: word line by word line in place, or moved.

use super::entry::Secures;
use super::lists::Entry as Waiting;
use super::stages::Stage;
use super::{LazyFtl, LazyFtlConfig};
use crate::drive::DriveState;
use crate::error::Error;
use crate::ids::{BlockId, DieId, Unit};
use crate::nand::{BlockState, OpTable, Span};
use crate::technique::die_group::DieGroup;
use crate::technique::{Apply, Few, Idle};

/// What a step towards the next second stage came to.
pub(super) enum Next {
    /// A second stage, or a move.
    Work(Idle),
    /// Something else had to be cleared away first.
    Again,
    /// Nothing is to be done now.
    Nothing,
}

/// Array time of a die for each way to secure data, ns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Costs {
    /// A second stage of a word line, with its reads.
    line_ns: f64,
    /// A move of a page: its read, its part of a conventional program, and of the erase of the block that it
    /// fills.
    page_ns: f64,
}

impl Costs {
    pub fn new(own: &LazyFtlConfig, die_group: &DieGroup<'_>) -> Result<Self, Error> {
        let group = die_group.group;
        let mut ops = OpTable::default();
        let flash = ops.add_flash(die_group.chip(), group)?;
        let array_ns = |row: u8| ops.row(row).array_ns;
        let reads_ns: u64 = array_ns(flash.rows.read).iter().take(group.bits as usize).sum();
        let program_ns = array_ns(flash.rows.program)[0] as f64;
        let erase_ns = array_ns(flash.rows.erase)[0] as f64;
        let pages = f64::from(group.bits);
        Ok(Self {
            line_ns: reads_ns as f64 + own.longest_second_share() * program_ns,
            page_ns: (reads_ns as f64 + program_ns) / pages
                + erase_ns / f64::from(group.pages_per_block),
        })
    }

    /// Whether it takes a die less time to move so many pages than to secure so many word lines.
    fn prefers_moves(&self, pages: u64, lines: u64) -> bool {
        self.page_ns * (pages as f64) < self.line_ns * lines as f64
    }
}

impl LazyFtl {
    /// One step towards the next second stage of a die. What is not due is secured within the window only.
    // Part of its caller: what is to be done would otherwise go through memory once more.
    #[inline(always)]
    pub(super) fn step(&mut self, state: &DriveState, die: DieId, urgent: bool) -> Next {
        let Some(entry) = self.first_due(die) else { return Next::Nothing };
        if !urgent && self.window_ns(&entry) > self.now_ns {
            return Next::Nothing;
        }
        let is_open = state.blocks[entry.block].state == BlockState::Open;
        if !is_open && self.lists.members(entry.block).all(|block| state.blocks[block].valid == 0) {
            for block in self.lists.members(entry.block) {
                let was_moved = u64::from(self.lists.was_moved(block));
                self.figures.moved_lines += was_moved;
                self.figures.dropped += u64::from(self.lines_per_block - entry.done) - was_moved;
            }
            self.lists.remove(die, entry);
            self.agenda.is_stale(die);
        } else if entry.done < self.programmed_lines(state, entry.block) {
            return match self.unit_to_move(state, &entry) {
                Some(unit) => Next::Work(Idle::Move(unit)),
                None => self.finish_line(state, die, entry, urgent),
            };
        } else if is_open && entry.since_ns == self.now_ns {
            return Next::Nothing;
        } else if is_open {
            // What waits in the merge buffer is not on the flash yet, and later data is younger still.
            let held_ns = self.held_in_ns(state, &entry);
            self.lists.wait_again(die, entry, held_ns);
            self.plan(state, die);
        } else {
            self.lists.remove(die, entry);
            self.agenda.is_stale(die);
        }
        Next::Again
    }

    /// The next unit of an entry's word line that is moved; `None` where that is secured in place, or empty.
    #[inline(always)]
    fn unit_to_move(&mut self, state: &DriveState, entry: &Waiting) -> Option<Unit> {
        match self.config.secures {
            Secures::InPlace => None,
            Secures::Moved | Secures::Cheaper => self.next_to_move(state, entry),
        }
    }

    /// The next unit of an entry's word line that is moved, where data may be moved.
    fn next_to_move(&mut self, state: &DriveState, entry: &Waiting) -> Option<Unit> {
        if !self.moves(state, entry) {
            return None;
        }
        let place = entry.done * self.units_per_line;
        let members = self.lists.members(entry.block);
        let unit = members
            .filter(|&block| self.holds_data(state, block, entry.done))
            .filter_map(|block| {
                let place = state.valid.next(block, place)?;
                Some((block, state.geometry.first_unit(block).plus(place)))
            })
            .next();
        let (block, unit) = unit?;
        if unit == self.moved {
            // There was no room for it.
            return None;
        }
        self.moved = unit;
        self.lists.note_move(block);
        self.figures.moved_units += 1;
        Some(unit)
    }

    /// Whether the data of an entry is moved. That is decided once, by block.
    fn moves(&mut self, state: &DriveState, entry: &Waiting) -> bool {
        if let Some(moves) = self.lists.decided(entry.block) {
            return moves;
        }
        let moves = self.config.secures == Secures::Moved || {
            let units_per_page = u64::from(self.units_per_line / self.pages);
            let pages = self.exposed_units(state, entry).div_ceil(units_per_page);
            let lines = entry.done..self.programmed_lines(state, entry.block);
            let members = self.lists.members(entry.block);
            let held = members.flat_map(|block| lines.clone().map(move |line| (block, line)));
            let held = held.filter(|&(block, line)| self.holds_data(state, block, line));
            self.costs.prefers_moves(pages, held.count() as u64)
        };
        self.lists.decide(entry.block, moves);
        moves
    }

    /// The next word line of an entry is secured in the blocks where it holds valid data.
    #[inline(always)]
    fn finish_line(
        &mut self,
        state: &DriveState,
        die: DieId,
        entry: Waiting,
        urgent: bool,
    ) -> Next {
        let line = entry.done;
        debug_assert!(line < self.lines_per_block);
        let pages = self.pages;
        let (mut lines, mut moved, mut empty) = (0, 0, 0);
        let (mut first, mut others) = (BlockId::NONE, Vec::new());
        let mut block = entry.block;
        loop {
            let (mate, was_moved) = self.lists.finish_line(block);
            let is_held = self.holds_data(state, block, line);
            if is_held {
                self.secured[block].get_or_insert((entry.mode, self.now_ns));
            }
            match is_held {
                true if lines == 0 => (first, lines) = (block, 1),
                true => {
                    others.push(block);
                    lines += 1;
                }
                false if was_moved => moved += 1,
                false => empty += 1,
            }
            block = mate;
            if block == entry.block {
                break;
            }
        }
        self.agenda.gain(die, self.shared_line_ns);
        self.figures.moved_lines += moved;
        self.figures.dropped += empty;
        if lines == 0 {
            return Next::Again;
        }
        self.selector.note(urgent, lines);
        match urgent {
            true => self.figures.due += lines,
            false => self.figures.idle += lines,
        }
        let ticket = self.under_way.begin(Stage { entry, line, lines });
        let row = self.rows.second[entry.mode as usize];
        let span = |block| Span { block, page: line * pages, pages };
        let spans = match others.is_empty() {
            true => Few::One(span(first)),
            false => std::iter::once(first).chain(others).map(span).collect(),
        };
        Next::Work(Idle::Apply(Apply { spans, row, urgent, ticket: Some(ticket) }))
    }

    /// The second stages of this name are over.
    pub(super) fn note_end(&mut self, ticket: u32, end_ns: u64) {
        let is_late = |stage: &Stage| (end_ns > stage.entry.until_ns).then_some(*stage);
        if let Some(stage) = self.under_way.end(ticket, is_late) {
            self.figures.late += stage.lines;
            let told = self.late_text(&stage.entry, stage.line, Some(end_ns));
            self.broken.get_or_insert(told);
        }
    }

    /// The host reads a word line now: its data must still be there.
    pub(super) fn note_read(&mut self, block: BlockId, line: u32) {
        let Some(entry) = self.lists.entry_of(block) else { return };
        if line >= entry.done && self.now_ns > entry.until_ns {
            let told = self.late_text(&entry, line, None);
            self.broken.get_or_insert(told);
        }
    }

    /// What is told of a word line that held data for longer than its mode retains it.
    pub(super) fn late_text(&self, entry: &Waiting, line: u32, end_ns: Option<u64>) -> String {
        let s = |ns: u64| ns as f64 / 1e9;
        let (since, until) = (s(entry.since_ns), s(entry.until_ns));
        let end = end_ns.map_or_else(
            || format!("no second stage had begun at {} s", s(self.now_ns)),
            |end_ns| format!("its second stage ended at {} s", s(end_ns)),
        );
        let over_ms = (end_ns.unwrap_or(self.now_ns) - entry.until_ns) as f64 / 1e6;
        let valve = if self.config.valve { "" } else { ", or set its valve to true" };
        format!(
            "technique lazy_ftl: word line {line} of block {} was written in mode {} at {since} s at the earliest, which holds until {until} s; {end}, {over_ms:.3} ms too late, so that a real drive would have lost its data (raise technique.lazy_ftl.margin_s{valve})",
            entry.block,
            entry.mode.name()
        )
    }

    /// The first word line that waits although its retention is over, if there is one.
    pub(super) fn broken_by_now(&self, state: &DriveState) -> Option<String> {
        let is_late = |entry: &Waiting| entry.until_ns < self.now_ns;
        let late = self.entries().filter(|(_, entry)| is_late(entry));
        late.filter_map(|(_, entry)| {
            let line = self.first_held_line(state, &entry)?;
            Some(self.late_text(&entry, line, None))
        })
        .next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::PerPage;
    use crate::ids::BlockId;
    use crate::nand::Geometry;
    use crate::schema::{Cell, Config, ProgramUnit};
    use crate::technique::lazy_ftl::{SecondStage, WriteMode};

    /// Word lines of three pages: 50 us for a read, 900 us for a program, 9 ms for an erase of 90 pages.
    fn drive() -> Config {
        let mut config = Config::default();
        let chip = &mut config.drive.chip;
        (chip.cell, chip.program, chip.pages_per_block) = (Cell::Tlc, ProgramUnit::OneShot, 90);
        (chip.read_us, chip.program_us) = (PerPage::One(50.0), PerPage::One(900.0));
        chip.erase_ms = 9.0;
        config
    }

    #[test]
    fn a_second_stage_may_end_when_the_retention_does_and_no_later() {
        for (late_ns, late, valve) in [(0, 0, true), (1, 2, true), (1, 2, false)] {
            let own = LazyFtlConfig { valve, ..LazyFtlConfig::default() };
            let mut technique = LazyFtl::new(own, &drive()).expect("it works");
            let since_ns = 17;
            let until_ns = since_ns + 7 * 86_400_000_000_000;
            let entry =
                Waiting { block: BlockId(5), mode: WriteMode::M7, since_ns, until_ns, done: 3 };
            let ticket = technique.under_way.begin(Stage { entry, line: 3, lines: 2 });
            technique.note_end(ticket, until_ns + late_ns);
            assert_eq!((technique.figures.late, technique.broken.is_some()), (late, late > 0));
            if let Some(told) = technique.broken {
                for part in
                    ["word line 3 of block 5", "m7", "604800.000000018 s", "0.000 ms too late"]
                {
                    assert!(told.contains(part), "{told}");
                }
                assert_eq!(told.contains("valve"), !valve, "{told}");
            }
        }
    }

    #[test]
    fn moving_costs_the_read_its_part_of_a_program_and_of_an_erase() {
        let config = drive();
        let geometry = Geometry::new(&config).expect("a valid geometry");
        for (second_stage, line_us) in [(SecondStage::Whole, 1050.0), (SecondStage::Rest, 780.0)] {
            let own = LazyFtlConfig { second_stage, ..LazyFtlConfig::default() };
            let die_group =
                DieGroup::of("lazy_ftl", "", &config, &geometry).expect("one kind of flash");
            let costs = Costs::new(&own, &die_group).expect("it works");
            // Rests of 0.7, 0.6 and 0.5: the longest counts.
            assert_eq!(costs.line_ns, line_us * 1000.0);
            assert_eq!(costs.page_ns, (50.0 + 300.0 + 100.0) * 1000.0);
            // Two pages of a word line take 900 us.
            assert_eq!(costs.prefers_moves(2, 1), line_us > 900.0);
            assert!(costs.prefers_moves(1, 1) && !costs.prefers_moves(3, 1));
        }
    }
}
