//! The volumes of a workload, which may be very many: one with few requests keeps these alone, until it is measured.

use super::arrivals::Arrivals;
use super::report::{FootprintStats, OtherVolumes, VolumeStats};
use super::volume::{Shared, Sums, Volume};
use crate::{Op, Request};

/// Requests that a volume keeps before it is measured: they take less than half of what the measures take.
pub(super) const KEPT_REQUESTS: usize = 2048;
/// What the measures of a volume take besides its pages, bytes: histograms, mostly.
const VOLUME_BYTES: u64 = 100 * 1024;
/// Volumes whose statistics are given one by one.
pub(super) const DETAILED: usize = 1000;

/// A volume, and the memory that was counted for it.
#[derive(Debug)]
pub(super) struct Slot {
    pub stream: u32,
    pub bytes: u64,
    pub kept: Kept,
}

/// What is kept of a volume.
#[derive(Debug)]
pub(super) enum Kept {
    Requests(Vec<KeptRequest>),
    Measures(Box<Volume>),
}

/// A request of a volume that is known: the volume would take a quarter of the memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeptRequest {
    arrival_ns: u64,
    offset_bytes: u64,
    size_bytes: u32,
    op: Op,
    fua: bool,
}

impl KeptRequest {
    fn of(request: &Request) -> Self {
        let &Request { arrival_ns, offset_bytes, size_bytes, op, fua, stream: _, placement: _ } =
            request;
        Self { arrival_ns, offset_bytes, size_bytes, op, fua }
    }

    fn of_volume(self, stream: u32) -> Request {
        let Self { arrival_ns, offset_bytes, size_bytes, op, fua } = self;
        Request::new(op, offset_bytes, size_bytes).at(arrival_ns).of_stream(stream).with_fua(fua)
    }
}

impl Slot {
    pub fn new(stream: u32) -> Self {
        Self { stream, bytes: 0, kept: Kept::Requests(Vec::new()) }
    }

    /// Counts a request; whether that takes more memory.
    #[inline]
    pub fn add(&mut self, request: &Request, shared: &mut Shared) -> bool {
        match &mut self.kept {
            Kept::Measures(volume) => {
                volume.add(request, shared);
                volume.pages.has_grown()
            }
            Kept::Requests(_) => self.keep(request, shared),
        }
    }

    #[inline(never)]
    fn keep(&mut self, request: &Request, shared: &mut Shared) -> bool {
        let Kept::Requests(requests) = &mut self.kept else { return false };
        if requests.len() < shared.kept_requests {
            let is_full = requests.len() == requests.capacity();
            requests.push(KeptRequest::of(request));
            return is_full;
        }
        let mut volume = measured(self.stream, requests, shared);
        volume.add(request, shared);
        self.kept = Kept::Measures(volume);
        true
    }

    /// Its place among all: those with more requests come later, and of equal ones those with lower numbers.
    pub fn rank(&self) -> (u64, u32) {
        (self.kept.requests(), u32::MAX - self.stream)
    }
}

fn measured(stream: u32, requests: &[KeptRequest], shared: &mut Shared) -> Box<Volume> {
    let mut volume = Box::<Volume>::default();
    requests.iter().for_each(|request| volume.add(&request.of_volume(stream), shared));
    volume
}

impl Kept {
    /// Memory in bytes.
    pub fn bytes(&self) -> u64 {
        let beside = match self {
            Self::Requests(requests) => (requests.capacity() * size_of::<KeptRequest>()) as u64,
            Self::Measures(volume) => volume.pages.bytes() + VOLUME_BYTES,
        };
        beside + size_of::<Slot>() as u64
    }

    /// Requests so far.
    pub fn requests(&self) -> u64 {
        match self {
            Self::Requests(requests) => requests.len() as u64,
            Self::Measures(volume) => volume.sums.requests().total,
        }
    }

    /// The measures of all of its requests, which are those of a volume.
    pub fn measured(self, stream: u32, shared: &mut Shared) -> Box<Volume> {
        match self {
            Self::Requests(requests) => measured(stream, &requests, shared),
            Self::Measures(volume) => volume,
        }
    }
}

/// The rank of the last volume that has statistics of its own.
pub(super) fn least_detailed(volumes: &[Slot]) -> (u64, u32) {
    let mut ranks: Vec<(u64, u32)> = volumes.iter().map(Slot::rank).collect();
    let beyond = ranks.len().saturating_sub(DETAILED);
    match beyond {
        0 => (0, 0),
        _ => *ranks.select_nth_unstable(beyond).1,
    }
}

/// Several volumes together.
#[derive(Debug, Default)]
pub(super) struct Together {
    volumes: u64,
    sums: Sums,
    footprint: FootprintStats,
}

impl Together {
    /// One more of them.
    pub fn add(&mut self, sums: &Sums, scale: f64) {
        self.volumes += 1;
        self.sums.merge(sums);
        self.footprint = [self.footprint, sums.footprint(scale)].into_iter().sum();
    }

    /// The statistics of all volumes, which arrive so.
    pub fn finish(&self, arrivals: Arrivals, scale: f64) -> VolumeStats {
        let mut stats = self.sums.finish(None, arrivals, scale);
        // Volumes do not share data, though they share addresses.
        stats.footprint = self.footprint;
        stats
    }

    /// What is told of volumes without statistics of their own; `None` where there is none.
    pub fn finish_others(&self, scale: f64) -> Option<OtherVolumes> {
        (self.volumes > 0).then(|| OtherVolumes {
            volumes: self.volumes,
            requests: self.sums.requests(),
            bytes: self.sums.bytes(),
            footprint: self.footprint,
            update_share: self.sums.updates(false, scale).share,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Meter, Options, Stats};
    use super::*;
    use proptest::prelude::*;

    fn measure(requests: &[Request], sample: f64, kept_requests: usize) -> Stats {
        let mut meter =
            Meter::new("some", &Options { sample, ..Options::default() }).expect("room");
        meter.shared.kept_requests = kept_requests;
        meter.add(requests).expect("room");
        let memory_mib = 0.0;
        Stats { memory_mib, ..meter.finish() }
    }

    fn write(n: u64, stream: u32) -> Request {
        let (arrival_ns, offset_bytes) = (n * 1_000_000, n % 50 * 4096);
        Request::new(Op::Write, offset_bytes, 4096).at(arrival_ns).of_stream(stream)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn volumes_that_are_measured_late_have_the_same_statistics(
            parts in prop::collection::vec(
                (0u64..1 << 34, 0u64..400, 1u32..200_000, 0usize..4, 0u32..5), 1..150,
            ),
            kept in 1usize..60,
            sample in prop::sample::select(vec![1.0, 0.3]),
        ) {
            let mut arrival_ns = 0;
            let requests: Vec<Request> = parts
                .into_iter()
                .map(|(gap_ns, place, size_bytes, op, stream)| {
                    arrival_ns += gap_ns;
                    let op = [Op::Read, Op::Write, Op::Trim, Op::Flush][op];
                    let size_bytes = if op == Op::Flush { 0 } else { size_bytes };
                    let offset_bytes = place * 4096;
                    Request::new(op, offset_bytes, size_bytes).at(arrival_ns).of_stream(stream)
                })
                .collect();
            prop_assert_eq!(measure(&requests, sample, kept), measure(&requests, sample, 0));
        }
    }

    #[test]
    fn of_very_many_volumes_the_largest_have_statistics_of_their_own() {
        let volumes = DETAILED as u32 + 200;
        let requests: Vec<Request> = (0..20_000u64)
            .map(|n| write(n, if n < 10_000 { n as u32 % volumes } else { n as u32 % 7 * 100 }))
            .collect();
        let stats = measure(&requests, 1.0, KEPT_REQUESTS);
        let others = stats.others.expect("others");
        assert_eq!((stats.volumes.len(), others.volumes), (DETAILED, 200));
        assert!(stats.volumes.is_sorted_by_key(|volume| volume.volume));
        let told = |of: &dyn Fn(&VolumeStats) -> u64| stats.volumes.iter().map(of).sum::<u64>();
        let requests = told(&|volume| volume.requests.total);
        assert_eq!(requests + others.requests.total, 20_000);
        assert_eq!(told(&|volume| volume.bytes.written) + others.bytes.written, 20_000 * 4096);
        let pages = told(&|volume| volume.footprint.page_16k.total_bytes);
        let all = stats.total.footprint.page_16k.total_bytes;
        assert_eq!(pages + others.footprint.page_16k.total_bytes, all);
        let least = stats.volumes.iter().map(|volume| volume.requests.total).min().expect("some");
        assert!(others.requests.total <= 200 * least);
        assert!(stats.volumes.iter().any(|volume| volume.volume == Some(600)));
    }

    #[test]
    fn a_volume_of_few_requests_takes_little_memory() {
        let options = Options { memory_mib: 16, ..Options::default() };
        let mut meter = Meter::new("many", &options).expect("valid");
        // 10,000 volumes of 16 requests, among them one that is measured.
        for n in 0..160_000u64 {
            meter.add(&[write(n, (n % 10_000) as u32), write(n, 3)]).expect("room");
        }
        assert_eq!(meter.bytes, meter.volumes.iter().map(|slot| slot.kept.bytes()).sum::<u64>());
        let each = size_of::<Slot>() + 16 * size_of::<KeptRequest>();
        assert!(meter.bytes < 10_000 * each as u64 + (1 << 20), "{}", meter.bytes);
    }
}
