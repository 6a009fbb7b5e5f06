//! What first stages do not hold while power is off: nothing is secured meanwhile, and charge leaks by the
//! temperature of that time.

use super::LazyFtl;
use super::lists::Entry;
use crate::drive::DriveState;
use crate::ids::{BlockId, DieId, Unit};
use crate::nand::BlockState;
use crate::technique::Outage;

impl LazyFtl {
    /// Power is back. What was exposed for too long is lost, and so is what cannot be secured in time any more;
    /// returns those units.
    pub(super) fn lose(&mut self, state: &DriveState, outage: &Outage) -> Vec<Unit> {
        let passed_ns = (outage.to_ns - outage.from_ns) as f64;
        let faster = self.config.acceleration(outage.temperature_c)
            / self.config.acceleration(self.config.temperature_c);
        self.lists.age((passed_ns * (faster - 1.0)) as i64);
        self.now_ns = outage.to_ns;
        let mut lost = Vec::new();
        for die in self.dies.iter() {
            for entry in self.out_of_time(state, die) {
                self.give_up(state, die, entry, &mut lost);
            }
            self.plan(state, die);
            self.agenda.look_at(die, self.now_ns + 1);
        }
        self.figures.lost_units += lost.len() as u64;
        lost
    }

    /// The entries of a die whose second stages would not be over in time, were they carried out from now on,
    /// the earliest deadline first.
    fn out_of_time(&self, state: &DriveState, die: DieId) -> Vec<Entry> {
        let mut entries: Vec<Entry> = self.lists.of_die(die).collect();
        entries.sort_by_key(|entry| (entry.until_ns, entry.block));
        let mut end_ns = self.now_ns + self.margin_ns;
        entries.retain(|entry| {
            let needed_ns = self.lines_left(state, entry) * self.shared_line_ns;
            let is_late = needed_ns > 0 && end_ns + needed_ns > entry.until_ns;
            end_ns += if is_late { 0 } else { needed_ns };
            is_late
        });
        entries
    }

    /// What an entry's first stages alone hold is lost.
    fn give_up(&mut self, state: &DriveState, die: DieId, entry: Entry, lost: &mut Vec<Unit>) {
        let members: Vec<BlockId> = self.lists.members(entry.block).collect();
        let programmed = self.programmed_lines(state, entry.block);
        for &block in &members {
            let first = state.geometry.first_unit(block);
            let places = entry.done * self.units_per_line..programmed * self.units_per_line;
            let held = state.valid.places(block).filter(|place| places.contains(place));
            lost.extend(held.map(|place| first.plus(place)));
        }
        for _ in entry.done..programmed {
            for &block in &members {
                self.lists.finish_line(block);
            }
        }
        self.figures.lost_lines += u64::from(programmed - entry.done) * members.len() as u64;
        match state.blocks[entry.block].state {
            BlockState::Open => {
                let held_ns = self.held_in_ns(state, &entry);
                self.lists.wait_again(die, entry, held_ns);
            }
            _ => self.lists.remove(die, entry),
        }
    }
}
