//! What the drive had promised at a moment: whatever was acknowledged before a flush that was over by then. With
//! a capacitor, whatever was acknowledged.

use super::recovery::Trim;
use crate::flash::{FIRST, Image};
use crate::host::log::{HostLog, Noted, Touched};
use crate::ids::{ById, Id, Lpn};
use wordline_trace::Op;

/// A promise: from a moment on, a logical unit has at least this version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Promise {
    /// The logical unit.
    pub lpn: Lpn,
    /// Its version.
    pub version: u32,
}

/// The promises of a run.
#[derive(Debug)]
pub struct Oracle {
    /// When promises are made, in order, and which.
    pub moments: Vec<(u64, Vec<Promise>)>,
    /// How many of them were flushes; the others were writes with FUA.
    pub flushes: usize,
    /// By logical unit, its trims in their order.
    trims: ById<Lpn, Vec<Trim>>,
    /// By logical unit, the version of the newest promise.
    promised: ById<Lpn, u32>,
}

impl Oracle {
    /// The promises that a log holds, of a drive that begins with data in the units that `holds` says.
    pub fn new(log: &HostLog, logical_units: u64, holds: impl Fn(Lpn) -> bool) -> Self {
        let mut trims: ById<Lpn, Vec<Trim>> = ById::filled(Vec::new(), logical_units);
        for request in log.requests.iter().filter(|it| it.op == Op::Trim) {
            for unit in &request.units {
                trims[unit.lpn].push(Trim { written: unit.written, version: unit.version });
            }
        }
        let at_first = |lpn| if holds(lpn) { FIRST } else { 0 };
        let promised = (0..logical_units).map(|lpn| at_first(Lpn::new(lpn))).collect();
        let is_over = |it: &&Noted| it.op == Op::Flush && it.done < u64::MAX;
        let flushes = log.requests.iter().filter(is_over).count();
        Self { moments: moments(log), flushes, trims, promised }
    }

    /// A flush is over, and its promises hold from now on; returns of which logical units.
    pub fn keep(&mut self, flush: usize) -> Vec<Lpn> {
        let promises = std::mem::take(&mut self.moments[flush].1);
        for promise in &promises {
            let version = &mut self.promised[promise.lpn];
            *version = promise.version.max(*version);
        }
        promises.iter().map(|promise| promise.lpn).collect()
    }

    /// What is promised after a restart: what was promised still is; trims of which it found nothing never were.
    pub fn restarted(&self, image: &Image) -> Self {
        let found = |lpn: Lpn| move |trim: &&Trim| trim.version <= image.versions[lpn];
        let trims = self.trims.iter_with_ids();
        let trims = trims.map(|(lpn, trims)| trims.iter().filter(found(lpn)).copied().collect());
        Self {
            moments: Vec::new(),
            flushes: 0,
            trims: trims.collect(),
            promised: self.promised.clone(),
        }
    }

    /// The version that a logical unit must have at least; 0: it need not hold anything.
    pub fn promised(&self, lpn: Lpn) -> u32 {
        self.promised[lpn]
    }

    /// When a logical unit was trimmed.
    pub fn trims(&self, lpn: Lpn) -> &[Trim] {
        &self.trims[lpn]
    }
}

/// When each flush was over, and what had been acknowledged when the drive got it, and not before the one ahead; and
/// when each write with FUA was over, and what it wrote.
fn moments(log: &HostLog) -> Vec<(u64, Vec<Promise>)> {
    let mut acknowledged: Vec<(u64, usize)> =
        log.requests.iter().enumerate().map(|(at, it)| (it.done, at)).collect();
    acknowledged.sort_unstable();
    let flushes = log.requests.iter().enumerate();
    let flushes = flushes.filter(|(_, it)| it.op == Op::Flush && it.done < u64::MAX);
    let mut rest = acknowledged.into_iter().peekable();
    let mut moments = Vec::new();
    for (number, flush) in flushes {
        let mut promises = Vec::new();
        let is_before = |&(done, at): &(u64, usize)| done <= flush.submitted && at < number;
        while let Some((_, at)) = rest.next_if(is_before) {
            let units = log.requests[at].units.iter();
            promises.extend(units.map(promise));
        }
        moments.push((flush.done, promises));
    }
    let durable = log.requests.iter().filter(|it| it.fua && it.done < u64::MAX);
    moments.extend(durable.map(|write| (write.done, write.units.iter().map(promise).collect())));
    moments.sort_by_key(|&(at, _)| at);
    moments
}

fn promise(touched: &Touched) -> Promise {
    Promise { lpn: touched.lpn, version: touched.version }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(lpn: u64, done: u64) -> Noted {
        let units = vec![Touched { lpn: Lpn(lpn), version: FIRST + 1, written: 0 }];
        Noted { number: 0, op: Op::Write, fua: false, units, submitted: 0, done }
    }

    fn flush(submitted: u64, done: u64) -> Noted {
        Noted { number: 0, op: Op::Flush, fua: false, units: Vec::new(), submitted, done }
    }

    #[test]
    fn a_flush_promises_what_was_acknowledged_when_it_was_sent_and_came_before_it() {
        let requests = vec![write(0, 5), write(1, 6), flush(5, 9), write(2, 5), flush(6, 8)];
        let of = |(at, promises): (u64, Vec<Promise>)| {
            (at, promises.iter().map(|promise| promise.lpn.0).collect::<Vec<u64>>())
        };
        let found: Vec<_> = moments(&HostLog { requests }).into_iter().map(of).collect();
        // The second flush is over first; what came after the first one waits for it.
        assert_eq!(found, [(8, vec![2, 1]), (9, vec![0])]);
    }

    #[test]
    fn a_write_with_fua_promises_what_it_wrote_once_it_is_over() {
        let requests = vec![write(0, 5), Noted { fua: true, ..write(1, 7) }];
        let found = moments(&HostLog { requests });
        assert_eq!(found, [(7, vec![Promise { lpn: Lpn(1), version: FIRST + 1 }])]);
    }
}
