//! What each die has promised, and when it must begin to keep it.
//!
//! A die keeps its promises if, for each deadline, the second stages that are due by then fit before it.
//! They are counted with as much time as leaves the host its share of the die.

use super::hooks::{Outage, Promises};
use super::lists::Entry;
use super::mode::WriteMode;
use super::secure::Next;
use super::{LazyFtl, LazyFtlConfig};
use crate::drive::DriveState;
use crate::error::Error;
use crate::ids::{BlockId, DieId, Lpn, PlaneId, Unit};
use crate::nand::{BlockState, Load, OpTable};
use crate::schema::Config;
use crate::technique::Idle;
use crate::technique::die_group::DieGroup;

/// A die is looked at again after this part of the time that it still can wait.
const LOOKS: u64 = 16;
/// Entries for which there is room at first, where those of a die are counted.
const DUE: usize = 32;

impl LazyFtlConfig {
    /// The share of a conventional program that the longest second stage takes.
    pub(super) fn longest_second_share(&self) -> f64 {
        WriteMode::ALL.map(|mode| self.second_share(mode)).into_iter().fold(0.0, f64::max)
    }

    /// Time of the second stages of a word line in each plane that works with others: its pages are read
    /// one by one and cross the channel both ways, which every die of the channel may want at once.
    pub(super) fn line_ns(&self, die_group: &DieGroup<'_>, flash: &Config) -> Result<u64, Error> {
        let (chip, group) = (die_group.chip(), die_group.group);
        let mut ops = OpTable::default();
        let rows = ops.add_flash(chip, group)?.rows;
        let (read, program) = (rows.read, rows.program);
        let kind = flash.drive.kinds()[die_group.index];
        let dies = kind.chip.dies * kind.chips_per_channel;
        let lanes = if chip.multi_plane { chip.planes } else { 1 };
        let page_bytes = u64::from(group.page_bytes);
        let transfer_ns = ops.transfer_ns(read, page_bytes) * dies;
        let sensing =
            |page: usize| ops.row(read).array_ns[page] + ops.command_ns(read) + transfer_ns;
        let pages = group.bits;
        let reads_ns: u64 = (0..pages as usize).map(sensing).sum();
        let program_ns = (ops.row(program).array_ns[0] as f64 * self.longest_second_share()) as u64;
        let data_ns = u64::from(pages) * transfer_ns * lanes;
        Ok(lanes * reads_ns + data_ns + ops.command_ns(program) + program_ns)
    }
}

impl LazyFtl {
    /// Word lines of an entry for which a second stage may still be needed, in whole rows of a superblock.
    pub(super) fn lines_left(&self, state: &DriveState, entry: &Entry) -> u64 {
        let is_open = state.blocks[entry.block].state == BlockState::Open;
        let mut blocks = self.lists.members(entry.block);
        match is_open || blocks.any(|block| state.blocks[block].valid > 0) {
            true => u64::from((self.lines_per_block - entry.done).next_multiple_of(self.row_lines)),
            false => 0,
        }
    }

    /// When the second stages of a die must begin at the latest, with one more deadline of a whole block.
    fn latest_with(&self, state: &DriveState, die: DieId, more: Option<u64>) -> u64 {
        let of_entry = |entry: Entry| (entry.until_ns, self.lines_left(state, &entry));
        let mut due: Vec<(u64, u64)> = Vec::with_capacity(DUE);
        for mode in WriteMode::ALL {
            due.extend(self.lists.of_mode(die, mode).map(of_entry));
        }
        due.extend(more.map(|deadline_ns| (deadline_ns, u64::from(self.lines_per_block))));
        due.sort_unstable();
        // A row that has begun takes its dies as long as a whole one.
        let mut lines = u64::from(self.row_lines - 1);
        let latest = due.into_iter().map(|(deadline_ns, more)| {
            lines += more;
            deadline_ns.saturating_sub(lines * self.shared_line_ns)
        });
        latest.min().unwrap_or(u64::MAX)
    }

    /// Works out until when a die's second stages can wait.
    pub(super) fn plan(&mut self, state: &DriveState, die: DieId) {
        let latest_ns = self.latest_with(state, die, None);
        self.agenda.set_latest(die, latest_ns);
    }

    /// Whether a block that opens now in a mode can be secured in time, and all that wait on its die.
    pub(super) fn may_promise(
        &mut self,
        state: &DriveState,
        plane: PlaneId,
        mode: WriteMode,
    ) -> bool {
        let pec = self.most_pec(state, plane);
        if u64::from(pec) > self.config.pec_max {
            return false;
        }
        let die = state.geometry.die_of(plane);
        let deadline_ns = self.held_ns(mode, pec).end;
        let begin_ns = self.now_ns + self.backlog_ns[die] + self.margin_ns;
        let can = !self.config.valve || self.latest_with(state, die, Some(deadline_ns)) >= begin_ns;
        if !can {
            self.figures.turned_away += 1;
            self.selector.refuse(self.lines_per_block.into());
        }
        can
    }

    /// Whether what a plane's die wrote within a mode's retention, and still waits, would leave it in that mode
    /// as calm as the selector asks for.
    pub(super) fn could_have_promised(
        &self,
        state: &DriveState,
        plane: PlaneId,
        mode: WriteMode,
    ) -> bool {
        let held_ns = self.held_ns(mode, self.most_pec(state, plane));
        let held_ns = held_ns.end - held_ns.start;
        let entries = self.lists.of_die(state.geometry.die_of(plane));
        let recent = entries.filter(|entry| entry.since_ns.saturating_add(held_ns) > self.now_ns);
        let lines: u64 = recent.map(|entry| self.lines_left(state, &entry)).sum();
        (lines * self.shared_line_ns) as f64 <= self.selector.calm_share() * held_ns as f64
    }

    /// P/E cycles of the most worn block among which one of a plane's opens.
    fn most_pec(&self, state: &DriveState, plane: PlaneId) -> u32 {
        let layout = &state.layout;
        let planes = layout.planes_of_scope(layout.scope_of(plane)).into_iter();
        planes.map(|plane| self.most_pec[layout.domain_of(plane)]).max().unwrap_or(0)
    }

    /// The entry of a die that is due first.
    pub(super) fn first_due(&self, die: DieId) -> Option<Entry> {
        self.lists.first_due(die)
    }

    /// From when on an idle die secures an entry.
    pub(super) fn window_ns(&self, entry: &Entry) -> u64 {
        // A signed number becomes a float and an integer again in a fraction of the instructions.
        let held_ns = entry.until_ns.saturating_sub(entry.since_ns) as i64;
        entry.until_ns - (held_ns as f64 * self.config.window) as i64 as u64
    }

    /// Looks at a die that has `backlog_ns` before it: its next second stage, if it must be done or the
    /// die is idle. Otherwise says when to look again.
    #[inline(always)]
    pub(super) fn look(&mut self, state: &DriveState, die: DieId, backlog_ns: u64) -> Option<Idle> {
        let begin_ns = self.now_ns + backlog_ns + self.margin_ns;
        loop {
            if begin_ns >= self.agenda.of(die).latest_ns && self.agenda.of(die).is_stale {
                self.plan(state, die);
            }
            let urgent = begin_ns >= self.agenda.of(die).latest_ns;
            if !urgent && backlog_ns > 0 && !self.is_within_row(die) {
                break;
            }
            match self.step(state, die, urgent) {
                Next::Nothing => break,
                Next::Again => {}
                Next::Work(work) => {
                    let pause_ns = match work {
                        Idle::Apply(_) if urgent || self.is_within_row(die) => 0,
                        Idle::Apply(_) => self.line_ns * u64::from(self.row_lines / self.row_dies),
                        // Never at once: a move for which there is no room must not be asked for again now.
                        _ => (self.line_ns / u64::from(self.pages)).max(1),
                    };
                    self.agenda.look_at(die, self.now_ns + pause_ns);
                    return Some(work);
                }
            }
        }
        let look_ns = self.look_again_ns(die, backlog_ns);
        self.agenda.look_at(die, look_ns);
        None
    }

    /// Whether a row of a superblock has begun, whose next word line lies on another die than the one before it.
    fn is_within_row(&self, die: DieId) -> bool {
        self.row_lines > 1
            && self.first_due(die).is_some_and(|entry| !entry.done.is_multiple_of(self.row_lines))
    }

    /// When to look at a die again that has nothing to do now. What it has before it may grow faster than
    /// time passes, so that it is looked at more often as its deadline comes closer.
    fn look_again_ns(&self, die: DieId, backlog_ns: u64) -> u64 {
        let Some(entry) = self.first_due(die) else { return u64::MAX };
        let soon_ns = (self.line_ns / 4).max(1);
        let begin_ns = self.now_ns + backlog_ns + self.margin_ns;
        let slack_ns = self.agenda.of(die).latest_ns.saturating_sub(begin_ns);
        let latest_ns = self.now_ns + (slack_ns / LOOKS).max(soon_ns);
        let opens_ns = self.window_ns(&entry);
        let idle_ns =
            if opens_ns > self.now_ns { opens_ns } else { self.now_ns + backlog_ns.max(soon_ns) };
        latest_ns.min(idle_ns)
    }

    /// Notes the wear of a block, which decides how much its domain may promise.
    pub(super) fn note_wear(&mut self, state: &DriveState, block: BlockId) {
        let most_pec = &mut self.most_pec[state.domain_of_block(block)];
        *most_pec = state.blocks[block].erases.max(*most_pec);
    }
}

impl Promises for LazyFtl {
    fn overdue(&mut self, state: &DriveState, load: &dyn Load, now_ns: u64) -> Idle {
        self.now_ns = now_ns;
        while let Some(die) = self.agenda.due(now_ns) {
            if let Some(work) = self.look(state, die, state.backlog_ns(load, die)) {
                return work;
            }
        }
        Idle::Nothing
    }

    fn ended(&mut self, _: &DriveState, ticket: u32, end_ns: u64) {
        self.note_end(ticket, end_ns);
    }

    fn power_was_off(&mut self, state: &DriveState, outage: &Outage) -> Vec<Unit> {
        self.lose(state, outage)
    }

    fn due_ns(&self) -> u64 {
        self.agenda.next_ns()
    }

    fn missed(&mut self, _: &DriveState, _: Lpn) {
        self.figures.lost_reads += 1;
    }

    fn broken(&self, state: &DriveState) -> Option<String> {
        self.broken.clone().or_else(|| self.broken_by_now(state))
    }

    fn owed_ns(&self, state: &DriveState) -> u64 {
        self.time_to_secure_ns(state)
    }
}
