//! The energy that a cut leaves, and what it finishes of what was begun.
//!
//! One thing is done after the other in a fixed order, and with the first that does not fit nothing more is done, not
//! even what would take less: a controller goes on until its voltage falls, and it does not know beforehand when that
//! will be. So a greater energy finishes all that a smaller one does, and never loses more.

use crate::drive::DriveState;
use crate::flash::{OpKind, Recorded};
use crate::nand::Needs;
use crate::nand::command::Cause;
use crate::schema::Config;

/// What is finished first. An interrupted program damages what was programmed before, and an interrupted erase nothing
/// that is needed: erases come last, behind what the controller's memory holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// Checkpoints and the journal, without which a restart takes longest.
    Metadata,
    /// Programs over word lines that hold data, all of which they put at risk.
    InPlace,
    /// The host's data.
    Host,
    /// Copies: what they were made of still stands elsewhere.
    Other,
    /// Erases.
    Erase,
}

impl Rank {
    /// The rank of a command.
    pub(super) fn of(state: &DriveState, command: &Recorded) -> Self {
        let is_in_place = |row| state.ops.row(row).needs == Needs::Programmed;
        match (command.deed, command.cause) {
            (OpKind::Erase, _) => Self::Erase,
            (_, Cause::Metadata) => Self::Metadata,
            _ if command.done.iter().any(|done| is_in_place(done.row)) => Self::InPlace,
            (_, Cause::Host) => Self::Host,
            _ => Self::Other,
        }
    }
}

/// A command in whose midst power fails.
#[derive(Debug, Clone, Copy)]
pub(super) struct Begun {
    /// Its number.
    pub number: usize,
    /// When its turn comes.
    pub rank: Rank,
    /// All that it takes, however far it has come: nanojoules.
    pub energy_nj: u64,
}

/// What an energy was spent on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Spent {
    /// The numbers of commands that were finished.
    pub finished: Vec<usize>,
    /// How many entries of the controller's memory were saved, the first ones.
    pub saved: usize,
    /// What everything would take, nanojoules.
    pub needed_nj: u64,
}

/// A program that saves memory.
#[derive(Debug, Clone, Copy)]
struct Saving {
    bytes: u64,
    energy_nj: u64,
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Finish(usize),
    /// A program, after which so many bytes are saved.
    Save(u64),
}

/// An energy, and the programs by which memory is saved.
#[derive(Debug, Clone)]
pub struct HoldUp {
    /// Nanojoules.
    pub energy_nj: u64,
    /// Those of a word line, in turn.
    savings: Vec<Saving>,
}

impl HoldUp {
    /// The energy of a configuration; `None`: `power.protection` is no energy. Memory is saved to the first kind of flash, a page at a
    /// time, or a word line where its programs are of whole ones.
    pub fn of(config: &Config, state: &DriveState) -> Option<Self> {
        let energy_nj = config.power.protection.energy_nj()?;
        let group = &state.geometry.groups[0];
        let page_bytes = u64::from(group.page_bytes);
        let by_type = state.ops.row(state.ops.of_group(0).program).energy_nj;
        let of_pages = by_type.into_iter().take(group.bits as usize);
        let is_word_line = config.drive.kinds().first()?.chip.program.is_word_line();
        let savings = if is_word_line {
            let bytes = page_bytes * u64::from(group.bits);
            vec![Saving { bytes, energy_nj: of_pages.sum() }]
        } else {
            of_pages.map(|energy_nj| Saving { bytes: page_bytes, energy_nj }).collect()
        };
        Some(Self { energy_nj, savings })
    }

    /// Spends the energy on commands, in the order in which they began, and on entries of so many bytes.
    pub(super) fn spend(&self, begun: &[Begun], entries: &[u64]) -> Spent {
        let mut begun = begun.to_vec();
        begun.sort_by_key(|it| it.rank);
        let (programs, erases): (Vec<Begun>, Vec<Begun>) =
            begun.into_iter().partition(|it| it.rank < Rank::Erase);
        let finish = |it: Begun| (it.energy_nj, Step::Finish(it.number));
        let programs = programs.into_iter().map(finish);
        let steps = programs.chain(self.saving(entries)).chain(erases.into_iter().map(finish));
        let mut spent = Spent::default();
        let mut saved_bytes = 0;
        for (energy_nj, step) in steps {
            spent.needed_nj += energy_nj;
            match step {
                _ if spent.needed_nj > self.energy_nj => {}
                Step::Finish(number) => spent.finished.push(number),
                Step::Save(bytes) => saved_bytes = bytes,
            }
        }
        let mut end = 0;
        let is_saved = |bytes: &&u64| {
            end += **bytes;
            end <= saved_bytes
        };
        spent.saved = entries.iter().take_while(is_saved).count();
        spent
    }

    /// The programs that save entries one behind the other.
    fn saving(&self, entries: &[u64]) -> impl Iterator<Item = (u64, Step)> + '_ {
        let all: u64 = entries.iter().sum();
        let programs = self.savings.iter().cycle();
        let mut end = 0;
        let from = programs.map(move |saving| {
            let begin = end;
            end += saving.bytes;
            (begin, (saving.energy_nj, Step::Save(end)))
        });
        from.take_while(move |&(begin, _)| begin < all).map(|(_, step)| step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::PerPage;
    use crate::engine::Count;
    use crate::ftl::Ftl;
    use crate::schema::{Cell, ProgramUnit, Protection};
    use crate::technique::Conventional;

    /// Begun in this order, each taking an energy of its own.
    const BEGUN: [Begun; 6] = [
        Begun { number: 0, rank: Rank::Erase, energy_nj: 1000 },
        Begun { number: 1, rank: Rank::Other, energy_nj: 7 },
        Begun { number: 2, rank: Rank::Host, energy_nj: 50 },
        Begun { number: 3, rank: Rank::Host, energy_nj: 3 },
        Begun { number: 4, rank: Rank::InPlace, energy_nj: 200 },
        Begun { number: 5, rank: Rank::Metadata, energy_nj: 11 },
    ];
    /// What is in memory: units of 4 KiB and a trim.
    const ENTRIES: [u64; 4] = [4096, 8, 4096, 4096];

    fn spend(energy_nj: u64) -> Spent {
        let saving = |energy_nj| Saving { bytes: 8192, energy_nj };
        HoldUp { energy_nj, savings: vec![saving(20), saving(30)] }.spend(&BEGUN, &ENTRIES)
    }

    #[test]
    fn an_energy_finishes_what_fits_to_the_nanojoule() {
        // By rank, the oldest first; then memory, two programs of 8 KiB for 12,296 bytes; then erases.
        let steps: [(u64, &[usize], usize); 8] = [
            (11, &[5], 0),
            (200, &[5, 4], 0),
            (50, &[5, 4, 2], 0),
            (3, &[5, 4, 2, 3], 0),
            (7, &[5, 4, 2, 3, 1], 0),
            (20, &[5, 4, 2, 3, 1], 2),
            (30, &[5, 4, 2, 3, 1], 4),
            (1000, &[5, 4, 2, 3, 1, 0], 4),
        ];
        let all_nj: u64 = steps.iter().map(|step| step.0).sum();
        let mut before: (&[usize], usize) = (&[], 0);
        let mut sum_nj = 0;
        for (energy_nj, finished, saved) in steps {
            sum_nj += energy_nj;
            let short = spend(sum_nj - 1);
            assert_eq!((&*short.finished, short.saved), before, "{sum_nj} nJ less one");
            for enough_nj in [sum_nj, sum_nj + 1] {
                let spent = spend(enough_nj);
                assert_eq!((&*spent.finished, spent.saved), (finished, saved), "{enough_nj} nJ");
                assert_eq!(spent.needed_nj, all_nj);
            }
            before = (finished, saved);
        }
    }

    #[test]
    fn nothing_is_finished_behind_what_does_not_fit() {
        // The program of 3 nJ would fit into what the one of 50 leaves.
        assert_eq!(spend(11 + 200 + 49).finished, [5, 4]);
    }

    #[test]
    fn without_energy_nothing_is_finished_and_an_empty_memory_takes_none() {
        assert_eq!(spend(0), Spent { finished: Vec::new(), saved: 0, needed_nj: 1321 });
        let savings = vec![Saving { bytes: 1, energy_nj: 5 }];
        assert_eq!(HoldUp { energy_nj: 9, savings }.spend(&[], &[]), Spent::default());
    }

    /// A page takes what its type does; a word line that is programmed at once takes all of its pages and their energy.
    #[test]
    fn memory_is_saved_by_the_programs_of_the_flash() {
        let savings = |program| {
            let mut config = Config::default();
            let chip = &mut config.drive.chip;
            (chip.cell, chip.program, chip.page_kib) = (Cell::Tlc, program, 16.0);
            chip.pages_per_block = 96;
            chip.program_uj = PerPage::Many(vec![1.0, 2.0, 4.0]);
            (chip.read_uj, chip.erase_uj) = (PerPage::One(1.0), 9.0);
            config.power.protection = Protection::EnergyNj(9.0);
            let state = Ftl::<_, Count>::new(&config, Conventional).expect("it works").into_state();
            let hold_up = HoldUp::of(&config, &state).expect("it is an energy");
            hold_up.savings.iter().map(|it| (it.bytes, it.energy_nj)).collect::<Vec<_>>()
        };
        let page = 16 * 1024;
        assert_eq!(savings(ProgramUnit::Page), [(page, 1000), (page, 2000), (page, 4000)]);
        assert_eq!(savings(ProgramUnit::OneShot), [(3 * page, 7000)]);
    }
}
