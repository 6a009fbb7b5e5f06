//! Reads of different planes that a die senses at once, though they do not belong together.

use super::Queued;
use super::die::{Activity, Die};
use super::rules::HOST_READ;
use super::shared::{Shared, Taken};
use super::slab::Slab;
use crate::engine::requests::Requests;
use crate::ids::DieId;
use crate::nand::Kind;
use crate::util::NONE;

/// Of so many reads that wait, the oldest, a die takes up those that suit.
const LOOKED_AT: usize = 64;

impl Shared {
    /// Takes up, beside a read that an idle die has taken up, the oldest that wait in planes which no other of them
    /// needs.
    #[inline(never)]
    pub fn take_up_beside(&mut self, die: &mut Die, first: u32, taken: &mut Taken) {
        if self.slab.get(first).class != HOST_READ {
            return;
        }
        let mut last = first;
        let mut sensed = self.planes.of(first, &self.slab);
        for _ in 1..die.reads_at_once {
            let Self { slab, planes, .. } = self;
            let suits = |index, slab: &Slab| {
                slab.get(index).op.kind == Kind::Read && planes.of(index, slab) & sensed == 0
            };
            let Some(index) = die.queues.take_first(HOST_READ, slab, LOOKED_AT, suits) else {
                break;
            };
            sensed |= planes.of(index, slab);
            let own = self.take_up(die, index);
            taken.array_ns = taken.array_ns.max(own.array_ns);
            taken.loading_ns += own.loading_ns;
            self.slab.get_mut(index).next = NONE;
            match last == first {
                true => die.beside = Some(index),
                false => self.slab.get_mut(last).next = index,
            }
            last = index;
        }
        // All commands go over the channel as one.
        self.slab.get_mut(first).op.command_ns = taken.loading_ns;
    }

    /// How long the array senses what a die has taken up.
    pub fn sensing_ns(&self, die: &Die, first: u32) -> u64 {
        let others = self.beside(die.beside).map(|index| self.slab.get(index).op.array_ns);
        others.fold(self.slab.get(first).op.array_ns, u64::max)
    }

    /// A read that is sensed beside another, and those behind it.
    fn beside(&self, first: Option<u32>) -> impl Iterator<Item = u32> {
        std::iter::successors(first, |&index| {
            Some(self.slab.get(index).next).filter(|&next| next != NONE)
        })
    }
}

impl Queued {
    /// Several reads are sensed: their data leaves, one after the other.
    #[inline(never)]
    pub(super) fn sensed_beside(&mut self, id: DieId, first: u32, requests: &mut Requests) {
        let Self { dies, shared } = self;
        let die = &mut dies[id];
        if die.unloading.is_some() {
            die.activity = Activity::Sensed(first);
            return;
        }
        let others = shared.beside(die.beside.take());
        let all: Vec<u32> = std::iter::once(first).chain(others).collect();
        let has_data = |&index: &u32| shared.slab.get(index).op.transfer_ns > 0;
        let (leave, end): (Vec<u32>, Vec<u32>) = all.into_iter().partition(has_data);
        // Under no operation's name: the first of them may be over, and its place taken, before the last has left.
        die.unloading = leave.first().map(|_| NONE);
        die.unloading_others = (leave.len() as u32).saturating_sub(1);
        die.activity = die.unloading.map_or(Activity::Idle, Activity::OnChannel);
        for &index in &leave {
            shared.slab.get_mut(index).is_sensed = true;
        }
        if leave.is_empty() || die.cache_read {
            die.free(shared.now_ns);
        }
        for index in end {
            self.end_and_tell(id, index, requests);
        }
        let Self { dies, shared } = self;
        shared.dispatch(&mut dies[id]);
        for index in leave {
            let entry = shared.slab.get(index);
            let (channel, transfer_ns) = (dies[id].channel, entry.op.transfer_ns);
            shared.request_channel(channel, index, transfer_ns);
        }
    }

    /// The data of one read has left, and others' of the same die still leaves.
    #[inline(never)]
    pub(super) fn one_unloaded(&mut self, id: DieId, index: u32, requests: &mut Requests) {
        self.dies[id].unloading_others -= 1;
        self.end_and_tell(id, index, requests);
    }

    /// An operation is over with which its die is not busy any more, or not alone.
    fn end_and_tell(&mut self, id: DieId, index: u32, requests: &mut Requests) {
        let waiters = self.shared.end(&mut self.dies[id], index, requests);
        self.tell(waiters, requests);
    }
}
