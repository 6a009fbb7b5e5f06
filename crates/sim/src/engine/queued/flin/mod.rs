//! FLIN (Tavakkol et al., ISCA 2018): which operation a die takes up next, so that flows suffer alike from one another.
//! Flows are the host's queues. Its second stage, turns of classes by weights, is that of [`Classes`](super::classes::Classes).

mod balance;
mod insertion;

use super::die::{Activity, Die};
use super::rules::{HOST_READ, HOST_WRITE, URGENT};
use super::slab::{Entry, Slab};
use crate::ids::{ById, DieId};
use crate::nand::Kind;
use crate::nand::command::Cause;
use crate::schema::Config;
use balance::{Debts, Slot, read_goes_first};
use insertion::{Waiting, place};
use rustc_hash::FxHashMap;

/// Operations of one flow at a die that are of one priority: its reads, or its programs.
#[derive(Debug, Clone, Copy, Default)]
struct Activities {
    /// The epoch that its last operation was issued in.
    epoch: u64,
    /// Pages of those issued in that epoch.
    pages: u64,
    /// Whether there were few in the epoch before.
    is_low: bool,
    /// When the last would have ended, had the flow been alone.
    alone_until_ns: u64,
}

/// What a die knows of flows.
#[derive(Debug, Default)]
struct Knowledge {
    /// By flow and priority.
    flows: FxHashMap<(u32, u8), Activities>,
    debts: Debts,
}

/// What the first stage keeps of an operation.
#[derive(Debug, Clone, Copy, Default)]
struct Note {
    flow: Option<u32>,
    alone_ns: u64,
    is_low: bool,
    is_pinned: bool,
}

/// The policy, and what it knows.
#[derive(Debug)]
pub struct Flin {
    epoch_ns: u64,
    /// Of reads, and of programs: with fewer pages in an epoch and at a die a flow is of low intensity.
    few_pages: [f64; 2],
    threshold: f64,
    /// Of operations, at their indices.
    notes: Vec<Note>,
    dies: ById<DieId, Knowledge>,
}

/// Time of an operation on its die and its channel.
fn service_ns(entry: &Entry) -> u64 {
    entry.op.command_ns + entry.op.array_ns + entry.op.transfer_ns
}

/// How long a die is busy with what it does, as far as that is known.
fn busy_ns(die: &Die, now_ns: u64) -> u64 {
    match die.activity {
        Activity::Array { end_ns, .. } => end_ns.saturating_sub(now_ns),
        _ => 0,
    }
}

/// Pages on which an operation works.
fn pages_of(index: u32, slab: &Slab) -> u64 {
    let others = slab.others(index).iter().map(|other| u64::from(other.span.pages));
    others.sum::<u64>() + u64::from(slab.get(index).op.span.pages)
}

impl Flin {
    /// The policy by its configuration.
    pub fn new(config: &Config, dies: u32) -> Self {
        let keys = &config.drive.scheduling.flin;
        let page_bytes = config.drive.chip.page_kib * 1024.0;
        let few = |bytes: f64| bytes / f64::from(dies) / page_bytes;
        Self {
            epoch_ns: (keys.epoch_ms * 1e6).round() as u64,
            few_pages: [few(keys.low_read_mib * 1_048_576.0), few(keys.low_write_kib * 1024.0)],
            threshold: keys.threshold,
            notes: Vec::new(),
            dies: (0..dies).map(|_| Knowledge::default()).collect(),
        }
    }

    /// An operation of a flow is issued.
    pub fn issued(&mut self, index: u32, flow: Option<u32>, slab: &Slab, now_ns: u64) {
        let entry = slab.get(index);
        let is_map = entry.op.cause == Cause::Mapping;
        let mut note = Note { flow, is_low: is_map, is_pinned: is_map, ..Note::default() };
        note.alone_ns = service_ns(entry);
        if let Some(flow) = flow {
            let few = self.few_pages[usize::from(entry.class != HOST_READ)];
            let flows = &mut self.dies[entry.op.die].flows;
            let of = flows.entry((flow, entry.class)).or_default();
            note.is_low = of.issue(now_ns / self.epoch_ns, pages_of(index, slab), few);
            of.alone_until_ns = of.alone_until_ns.max(now_ns) + service_ns(entry);
            note.alone_ns = of.alone_until_ns - now_ns;
        }
        let index = index as usize;
        if self.notes.len() <= index {
            self.notes.resize(index + 1, Note::default());
        }
        self.notes[index] = note;
    }

    fn waiting(&self, index: u32, slab: &Slab, now_ns: u64) -> Waiting {
        let Note { flow, alone_ns, is_low, is_pinned } = self.notes[index as usize];
        let entry = slab.get(index);
        let (service_ns, age_ns) = (service_ns(entry), now_ns - entry.issued_ns);
        Waiting { flow, service_ns, alone_ns, age_ns, is_low, is_pinned }
    }

    /// Where an operation goes among those of its class that wait for a die, in their order; it is noted whether it is
    /// pinned there.
    pub fn place(
        &mut self,
        die: &Die,
        others: &[u32],
        new: u32,
        slab: &Slab,
        now_ns: u64,
    ) -> usize {
        let of = |&index: &u32| self.waiting(index, slab, now_ns);
        let waiting: Vec<Waiting> = others.iter().map(of).collect();
        let busy_ns = busy_ns(die, now_ns);
        let (at, is_pinned) = place(&waiting, &of(&new), busy_ns, self.threshold);
        self.notes[new as usize].is_pinned |= is_pinned;
        at
    }

    /// What an idle die takes up: what must be done now, or else a read or a write of the host, and before a write what
    /// of garbage collection is due; `None`: nothing of those waits.
    pub fn take(&mut self, die: &mut Die, slab: &mut Slab, now_ns: u64) -> Option<u32> {
        if die.queues.peek_class(URGENT).is_some() {
            return die.queues.pop_class(URGENT, slab);
        }
        let first = die.queues.peek_class(HOST_WRITE);
        let write = first.filter(|&index| is_of_host(slab.get(index)));
        let moved = die.queues.of_class(HOST_WRITE, slab).filter(|&it| !is_of_host(slab.get(it)));
        let moved: Vec<u32> = moved.collect();
        let debts = &mut self.dies[die.id].debts;
        let due = write.map_or(0, |write| {
            let flow = self.notes[write as usize].flow;
            debts.due(slab.get(write).number, flow, moved.len() as u64)
        });
        let slot = |index: u32| {
            let entry = slab.get(index);
            Slot { wait_ns: now_ns - entry.issued_ns, service_ns: service_ns(entry) }
        };
        let due_ns = moved[..due as usize].iter().map(|&index| slot(index).service_ns).sum();
        let read = die.queues.peek_class(HOST_READ).filter(|&read| {
            first.is_none_or(|first| read_goes_first(slot(read), slot(first), due_ns))
        });
        if read.is_some() {
            return die.queues.pop_class(HOST_READ, slab);
        }
        if due > 0 {
            debts.pay();
            die.queues.remove(HOST_WRITE, moved[0], slab);
            return Some(moved[0]);
        }
        die.queues.pop_class(HOST_WRITE, slab)
    }

    /// A die takes up an operation.
    pub fn begins(&mut self, index: u32, slab: &Slab) {
        let entry = slab.get(index);
        let debts = &mut self.dies[entry.op.die].debts;
        match entry.op.kind {
            Kind::Program if is_of_host(entry) => {
                debts.write(self.notes[index as usize].flow, pages_of(index, slab));
            }
            Kind::Erase => debts.erased(),
            _ => {}
        }
    }
}

/// Whether the host asked for an operation, and no garbage collection.
pub fn is_of_host(entry: &Entry) -> bool {
    entry.op.cause == Cause::Host
}

impl Activities {
    /// An operation is issued in an epoch; whether its flow is of low intensity: by what was issued in the epoch before,
    /// and not in the first.
    fn issue(&mut self, epoch: u64, pages: u64, few_pages: f64) -> bool {
        if epoch > self.epoch {
            let before = if epoch == self.epoch + 1 { self.pages } else { 0 };
            (self.epoch, self.pages, self.is_low) = (epoch, 0, (before as f64) < few_pages);
        }
        self.pages += pages;
        self.is_low
    }
}

#[cfg(test)]
mod tests {
    use super::Activities;

    #[test]
    fn a_flow_is_of_low_intensity_by_the_epoch_before() {
        let mut of = Activities::default();
        let mut issue = |epoch, pages| of.issue(epoch, pages, 4.0);
        // In the first epoch none is.
        assert_eq!([issue(0, 1), issue(0, 1)], [false; 2]);
        assert_eq!([issue(1, 1), issue(1, 3)], [true; 2]);
        assert_eq!([issue(2, 1), issue(2, 1)], [false; 2]);
        // Nor is one that was silent in the epoch before of high intensity.
        assert_eq!([issue(3, 9), issue(5, 1)], [true; 2]);
    }
}
