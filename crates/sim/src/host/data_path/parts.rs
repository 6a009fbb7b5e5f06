//! Requests in parts, where the technique asks for them: each lies in one range of units, and may wait in the controller's
//! DRAM before the drive decides where it goes. Until when, the technique says. Parts that wait are read from there, and
//! what is written again meanwhile never reaches the flash.

use super::Placed;
use crate::engine::Scheduler;
use crate::host::Device;
use crate::host::address::overlap;
use crate::ids::{Id, Lpn};
use crate::nand::command::RequestId;
use crate::policy::hotness::{HostWrite, Part};
use crate::technique::{Hooks, Ready};
use crate::util::GrowingBits;
use std::collections::VecDeque;

/// A unit that waits.
pub struct Deferred<J> {
    pub write: HostWrite,
    /// What must be over before it can be programmed.
    pub after: J,
    /// The request that waits for it.
    pub id: Option<RequestId>,
}

/// Parts of requests, and those that wait, the oldest first.
pub struct Parts<S: Scheduler> {
    /// Units of the ranges by which requests are cut; 0: they are not.
    range_units: u32,
    /// Parts up to now.
    count: u64,
    waiting: VecDeque<Vec<Deferred<S::Join>>>,
    /// Units that wait.
    held: GrowingBits,
    /// When the technique is asked again.
    due_ns: u64,
}

impl<S: Scheduler> Parts<S> {
    pub fn new(range_units: u32) -> Self {
        let (waiting, held) = (VecDeque::new(), GrowingBits::default());
        Self { range_units, count: 0, waiting, held, due_ns: u64::MAX }
    }

    /// Whether requests are cut into parts.
    #[inline(always)]
    pub fn are_cut(&self) -> bool {
        self.range_units > 0
    }

    /// Whether nothing waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether a unit waits.
    #[inline]
    pub fn holds(&self, lpn: Lpn) -> bool {
        !self.waiting.is_empty() && self.held.contains(lpn.number())
    }

    /// When the technique is asked again; never, where nothing waits any longer.
    #[inline]
    pub fn due_ns(&self) -> u64 {
        if self.waiting.is_empty() { u64::MAX } else { self.due_ns }
    }

    /// Whether another range begins with unit `index` of a request.
    pub fn begins(&self, lpns: &[Lpn], index: usize) -> bool {
        index == 0 || lpns[index - 1].range(self.range_units) != lpns[index].range(self.range_units)
    }

    /// The part of a request that begins with its unit `index`.
    pub fn part_from(&mut self, placed: &Placed<'_>, unit_bytes: u64, index: usize) -> Part {
        let rest = &placed.lpns[index..];
        let range = rest[0].range(self.range_units);
        let units = rest.iter().take_while(|&&lpn| lpn.range(self.range_units) == range).count();
        let bytes = overlap(&placed.request, unit_bytes, index).start
            ..overlap(&placed.request, unit_bytes, index + units - 1).end;
        self.count += 1;
        let last = rest[..units].iter().copied().max().unwrap_or(rest[0]);
        Part { number: self.count, bytes: bytes.end - bytes.start, last, has_waited: false }
    }

    /// Whether the part that begins with a unit has to wait, which then is the last one.
    pub fn must_wait<T: Hooks>(&mut self, device: &mut Device<T, S>, first: &HostWrite) -> bool {
        if !S::TIMED || device.ftl.read_only {
            return false;
        }
        let Ready { place, until_ns } =
            device.ftl.first_ready(&device.io, &mut std::iter::once(first));
        let waits = place.is_none();
        if waits {
            self.ask_at(until_ns, device.now_ns());
            self.waiting.push_back(Vec::new());
        }
        waits
    }

    /// The technique is asked again at a time, or as soon as time passes.
    fn ask_at(&mut self, until_ns: u64, now_ns: u64) {
        self.due_ns = self.due_ns().min(until_ns.max(now_ns + 1));
    }

    /// The next unit of the part that waits last.
    pub fn defer(&mut self, unit: Deferred<S::Join>) {
        let part = unit.write.part.map(|part| Part { has_waited: true, ..part });
        self.held.insert(unit.write.lpn.number());
        let write = HostWrite { part, ..unit.write };
        self.waiting.back_mut().expect("a part waits").push(Deferred { write, ..unit });
    }

    /// A unit is written anew, or its data is dead: what waits of it is of no use. True where that did wait; `is_over` is told
    /// of the request that waited for it.
    #[inline]
    pub fn supersede(&mut self, lpn: Lpn, is_over: impl FnOnce(RequestId)) -> bool {
        let waits = self.holds(lpn);
        if waits && let Some(id) = self.remove(lpn) {
            is_over(id);
        }
        waits
    }

    /// Takes a unit out that waits; the request that waited for it. What is left of its part ends with its
    /// last unit.
    #[inline(never)]
    fn remove(&mut self, lpn: Lpn) -> Option<RequestId> {
        self.held.remove(lpn.number());
        let place = |part: &Vec<Deferred<S::Join>>| part.iter().position(|it| it.write.lpn == lpn);
        let found = self.waiting.iter().enumerate().find_map(|(at, part)| Some((at, place(part)?)));
        let (at, place) = found.expect("a part holds what waits");
        let part = &mut self.waiting[at];
        let id = part.remove(place).id;
        match part.iter().map(|unit| unit.write.lpn).max() {
            None => drop(self.waiting.remove(at)),
            Some(last) => {
                for unit in part {
                    unit.write.part = unit.write.part.map(|part| Part { last, ..part });
                }
            }
        }
        id
    }

    /// Whether the technique is to be asked of the parts now; with `all`, as soon as any waits.
    pub fn begin_asking(&mut self, now_ns: u64, all: bool) -> bool {
        let asks = !self.waiting.is_empty() && (all || now_ns >= self.due_ns);
        if asks {
            self.due_ns = u64::MAX;
        }
        asks
    }

    /// Takes out the next part, from place `from` on, that has to wait no longer; with `all`, the next one.
    pub fn take_ready<T: Hooks>(
        &mut self,
        device: &mut Device<T, S>,
        from: &mut usize,
        all: bool,
    ) -> Option<Vec<Deferred<S::Join>>> {
        if *from >= self.waiting.len() {
            return None;
        }
        let asked = if all { 1 } else { usize::MAX };
        let mut firsts = self.waiting.range(*from..).map(|part| &part[0].write).take(asked);
        let Ready { place, until_ns } = device.ftl.first_ready(&device.io, &mut firsts);
        self.ask_at(until_ns, device.now_ns());
        match place {
            _ if all => {}
            Some(place) => *from += place,
            None => return None,
        }
        let part = self.waiting.remove(*from).unwrap_or_default();
        for unit in &part {
            self.held.remove(unit.write.lpn.number());
        }
        Some(part)
    }
}
