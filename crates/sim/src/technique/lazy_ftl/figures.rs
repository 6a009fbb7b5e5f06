//! What lazyFTL reports.

use super::LazyFtl;
use super::entry::Moves;
use super::lists::{Entry, Lists};
use super::mode::WriteMode;
use crate::drive::DriveState;
use crate::ids::{BlockId, DieId};
use serde_json::{Map, Value, json};

/// Where more is moved than one part in so many of what the host writes, how it is written decides.
const MOVED_MUCH: u64 = 10;

/// Where more is put off than takes one part in so many of a run, it is told.
const MUCH_OWED: u64 = 100;

/// Counts since the run began.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Figures {
    /// Blocks opened in each mode, and in the secured one.
    pub opened: [u64; 4],
    /// Units that the host wrote, and that garbage collection moved.
    pub host_units: u64,
    pub gc_units: u64,
    /// Word lines whose first stage is done or being filled.
    pub first_stages: u64,
    /// Word lines secured in idle time, and because they were due.
    pub idle: u64,
    pub due: u64,
    /// Word lines that needed no second stage.
    pub dropped: u64,
    /// Word lines whose data was moved in place of a second stage, and the units.
    pub moved_lines: u64,
    pub moved_units: u64,
    /// Word lines and units that did not outlive a time without power, and reads of such units.
    pub lost_lines: u64,
    pub lost_units: u64,
    pub lost_reads: u64,
    /// Blocks that opened in the secured mode because deadlines would not have been met.
    pub turned_away: u64,
    /// Word lines whose second stage ended after their retention.
    pub late: u64,
}

impl LazyFtl {
    pub(super) fn entries(&self) -> impl Iterator<Item = (DieId, Entry)> + '_ {
        let of_die = |die| self.lists.of_die(die).map(move |entry| (die, entry));
        self.dies.iter().flat_map(of_die)
    }

    /// Word lines of an entry that were programmed and wait, in all of its blocks.
    fn waiting_lines(&self, state: &DriveState, entry: &Entry) -> u64 {
        let lines = |block: BlockId| self.programmed_lines(state, block) - entry.done;
        self.lists.members(entry.block).map(lines).map(u64::from).sum()
    }

    /// Word lines of all entries that wait for a second stage.
    pub(super) fn waiting(&self, state: &DriveState) -> u64 {
        self.entries().map(|(_, entry)| self.waiting_lines(state, &entry)).sum()
    }

    /// The word lines of an entry for which a second stage would be carried out now: those that wait and hold valid
    /// data, in steps of the planes that work together.
    fn lines_to_secure(&self, state: &DriveState, entry: &Entry) -> impl Iterator<Item = u32> {
        let lines = entry.done..self.programmed_lines(state, entry.block);
        lines.filter(|&line| {
            self.lists.members(entry.block).any(|block| self.holds_data(state, block, line))
        })
    }

    /// The first of them.
    pub(super) fn first_held_line(&self, state: &DriveState, entry: &Entry) -> Option<u32> {
        self.lines_to_secure(state, entry).next()
    }

    /// How many they are.
    fn steps_to_secure(&self, state: &DriveState, entry: &Entry) -> u64 {
        self.lines_to_secure(state, entry).count() as u64
    }

    /// Valid units that only a first stage holds.
    pub(super) fn exposed_units(&self, state: &DriveState, entry: &Entry) -> u64 {
        let from = entry.done * self.units_per_line;
        let of_block = |block| state.valid.places(block).filter(|&place| place >= from).count();
        self.lists.members(entry.block).map(of_block).sum::<usize>() as u64
    }

    /// Word lines that wait although their retention is over.
    fn late_waiting(&self, state: &DriveState) -> u64 {
        let is_late = |(_, entry): &(DieId, Entry)| entry.until_ns < self.now_ns;
        let late = self.entries().filter(is_late);
        late.map(|(_, entry)| self.steps_to_secure(state, &entry)).sum()
    }

    /// Word lines whose data was held longer than their mode retains it.
    pub(super) fn late(&self, state: &DriveState) -> u64 {
        self.figures.late + self.late_waiting(state)
    }

    /// How long power may be off, at the drive's temperature, before the first data is lost; `None` where
    /// all of it is secured.
    fn first_lost_ns(&self, state: &DriveState) -> Option<u64> {
        let exposed = self.entries().filter(|(_, entry)| self.exposed_units(state, entry) > 0);
        let left = exposed.map(|(_, entry)| entry.until_ns.saturating_sub(self.now_ns));
        left.min()
    }

    /// How long the die with the most second stages takes for all that wait.
    pub(super) fn time_to_secure_ns(&self, state: &DriveState) -> u64 {
        let of_die = |die| {
            let steps = self.lists.of_die(die).map(|entry| self.steps_to_secure(state, &entry));
            steps.sum::<u64>().div_ceil(self.row_dies.into()) * self.line_ns
        };
        self.dies.iter().map(of_die).max().unwrap_or(0)
    }

    /// What a run says that ended before any second stage came due; `None` where one did, or none is needed.
    fn on_credit(&self, state: &DriveState) -> Option<String> {
        let Figures { idle, due, moved_lines, .. } = self.figures;
        let owed_ns = self.time_to_secure_ns(state);
        let is_much = owed_ns > self.now_ns / MUCH_OWED;
        let put_off = idle + due + moved_lines == 0 && is_much && self.now_ns > 0;
        put_off.then(|| {
            format!(
                "technique lazy_ftl: no second stage came due in {:.1} s; those that wait take the dies {:.1} s, {:.0} % of the run: host.iops_if_secured counts them; run for longer than the modes hold, or shorten technique.lazy_ftl.day_s",
                self.now_ns as f64 / 1e9,
                owed_ns as f64 / 1e9,
                100.0 * owed_ns as f64 / self.now_ns as f64
            )
        })
    }

    /// What a run says whose data did not outlive a time without power; `None` where all of it did.
    fn lost(&self) -> Option<String> {
        let Figures { lost_units, lost_reads, .. } = self.figures;
        (lost_units > 0).then(|| {
            format!(
                "technique lazy_ftl: data was lost: {lost_units} units that only a first stage held did not outlive a time without power, and {lost_reads} reads of them failed (technique.lazy_ftl.without_power)"
            )
        })
    }

    /// The changes of the mode, the first thousand: when, how full the list was, and to which mode.
    fn transcript(&self) -> Vec<Value> {
        let told = self.selector.transcript.iter().map(|switch| {
            json!({
                "at_s": switch.at_ns as f64 / 1e9,
                "u": switch.share,
                "mode": switch.mode.name(),
            })
        });
        told.collect()
    }

    /// The figures of the run.
    pub(super) fn report(&self, state: &DriveState) -> Map<String, Value> {
        let figures = &self.figures;
        let exposed: u64 = self.entries().map(|(_, e)| self.exposed_units(state, &e)).sum();
        let gib = (exposed * state.geometry.unit_bytes) as f64 / f64::from(1 << 30);
        let modes = WriteMode::ALL.map(WriteMode::name).into_iter().chain(["secured"]);
        let opened: Map<String, Value> =
            modes.zip(figures.opened).map(|(name, count)| (name.into(), count.into())).collect();
        let report = json!({
            "blocks_opened": opened,
            "first_stages": figures.first_stages,
            "second_stages": { "idle": figures.idle, "due": figures.due },
            "dropped": figures.dropped,
            "moved": { "word_lines": figures.moved_lines, "units": figures.moved_units },
            "waiting": self.waiting(state),
            "late": self.late(state),
            "turned_away": figures.turned_away,
            "mode": self.selector.mode().name(),
            "mode_switches": self.selector.switches,
            "switches": self.transcript(),
            "longest_list_blocks": self.lists.longest(),
            "list_bytes": self.lists.longest() * Lists::NODE_BYTES,
            "list_bytes_simulated": self.lists.bytes(),
            "without_power": {
                "exposed_gib": gib,
                "first_lost_after_s": self.first_lost_ns(state).map(|ns| ns as f64 / 1e9),
                "time_to_secure_s": self.time_to_secure_ns(state) as f64 / 1e9,
                "holds_a_year": exposed == 0,
                "lost_word_lines": figures.lost_lines,
                "lost_units": figures.lost_units,
                "reads_of_lost_units": figures.lost_reads,
            },
        });
        report.as_object().cloned().unwrap_or_default()
    }

    /// What a reader must know before believing the figures.
    pub(super) fn tell(&self, state: &DriveState) -> Vec<String> {
        let mut told = Vec::new();
        told.extend(self.lost());
        told.extend(self.on_credit(state));
        if self.figures.first_stages > 0 && self.now_ns == 0 {
            told.push("technique lazy_ftl: no time passed, so that no second stage was ever due; set run.mode to \"timed\"".into());
        }
        if self.errors_spent > 0.0 {
            let share = self.config.share_left(self.errors_spent);
            told.push(format!(
                "technique lazy_ftl: erases spend a margin of {:.1} errors per KiB, so that the modes promise {:.0} % of their time (technique.lazy_ftl.halved_by): {} holds {:.4} days",
                self.errors_spent,
                100.0 * share,
                WriteMode::M1.name(),
                WriteMode::M1.days() * share
            ));
        }
        let Figures { host_units, gc_units, .. } = self.figures;
        if self.config.moves == Moves::Secured && gc_units * MOVED_MUCH > host_units {
            told.push(format!(
                "technique lazy_ftl: garbage collection moved {:.0} % of what the host wrote, in conventional programs: technique.lazy_ftl.moves = \"secured\", of which the paper says nothing, decides more than the modes do; compare it with \"lazy\"",
                100.0 * gc_units as f64 / host_units.max(1) as f64
            ));
        }
        told
    }
}
