//! The statistics of a workload, as results carry them. Shares are from 0 to 1; what a workload
//! cannot tell – times of one without time, shares of nothing – is `None`.

use super::locality::LocalityStats;
use serde::Serialize;
use std::iter::Sum;
use std::ops::Add;

/// The statistics of a workload. What each figure means, and where its definition comes from,
/// stands in `docs/workloads.md`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stats {
    /// How the figures were estimated; `None` where they are exact.
    pub sampling: Option<Sampling>,
    /// All volumes together: pages of different volumes are different pages.
    pub total: VolumeStats,
    /// Each volume by itself, in ascending order; of more than 1,000 those with the most requests.
    pub volumes: Vec<VolumeStats>,
    /// All other volumes together; `None` where there is none.
    pub others: Option<OtherVolumes>,
    /// The course over time, of all volumes together.
    pub series: Series,
    /// Memory that the statistics took, in MiB.
    pub memory_mib: f64,
}

/// An estimate from some of the addresses.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sampling {
    /// Share of the addresses that was looked at.
    pub share: f64,
    /// Pages that were looked at.
    pub pages: u64,
    /// Standard error of the number of pages touched, relative to it.
    pub footprint_error: Option<f64>,
    /// Standard error of `updates.share`, absolute.
    pub update_share_error: Option<f64>,
}

/// The statistics of a volume, or of all together.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VolumeStats {
    /// The volume; `None` for all together.
    pub volume: Option<u32>,
    /// What the trace calls the volume, where it has names.
    pub name: Option<String>,
    /// Numbers of requests.
    pub requests: RequestStats,
    /// Bytes that requests ask for.
    pub bytes: ByteStats,
    /// Span and rate.
    pub time: TimeStats,
    /// Sizes of reads.
    pub read_size: Option<SizeStats>,
    /// Sizes of writes.
    pub write_size: Option<SizeStats>,
    /// How requests lie on sectors, blocks and pages.
    pub alignment: AlignmentStats,
    /// Times between arrivals.
    pub arrivals: Option<ArrivalStats>,
    /// Distinct data touched.
    pub footprint: FootprintStats,
    /// Writes to data written before.
    pub updates: UpdateStats,
    /// How unevenly updates and reads fall on pages.
    pub skew: SkewStats,
    /// Share of written data that LLH-FTL's rules call hot.
    pub hot_writes: HotWriteStats,
    /// Requests that continue earlier ones.
    pub sequentiality: SequentialityStats,
    /// Where writes go beside earlier ones.
    pub locality: LocalityStats,
    /// How long written data lives.
    pub lifetimes: Option<LifetimeStats>,
    /// What reads find.
    pub reuse: ReuseStats,
}

/// Volumes that are told of together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OtherVolumes {
    /// How many they are.
    pub volumes: u64,
    /// Numbers of requests.
    pub requests: RequestStats,
    /// Bytes that requests ask for.
    pub bytes: ByteStats,
    /// Distinct data touched: the sums, and the highest address.
    pub footprint: FootprintStats,
    /// Share of the pages written that held data of this workload.
    pub update_share: Option<f64>,
}

/// Numbers of requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RequestStats {
    /// Of every kind.
    pub total: u64,
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Trims.
    pub trims: u64,
    /// Flushes.
    pub flushes: u64,
    /// Writes that are durable before they are acknowledged (FUA).
    pub fua_writes: u64,
    /// Writes among reads and writes.
    pub write_share: Option<f64>,
}

/// Bytes that requests ask for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ByteStats {
    /// Read.
    pub read: u64,
    /// Written.
    pub written: u64,
    /// Trimmed.
    pub trimmed: u64,
}

/// Span and rate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TimeStats {
    /// The first arrival, since that of the workload.
    pub first_s: f64,
    /// From the first arrival to the last.
    pub span_s: f64,
    /// Requests per second of the span.
    pub requests_per_s: Option<f64>,
    /// MB (10^6 bytes) read and written per second of the span.
    pub mb_per_s: Option<f64>,
}

/// Sizes of requests of one kind. The mean, the least and the greatest are exact; percentiles are
/// exact for multiples of a sector up to 128 KiB, else up to a 128th too low.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SizeStats {
    /// Mean.
    pub mean_kib: f64,
    /// Least.
    pub min_kib: f64,
    /// Median.
    pub p50_kib: f64,
    /// 90th percentile.
    pub p90_kib: f64,
    /// 99th percentile.
    pub p99_kib: f64,
    /// Greatest.
    pub max_kib: f64,
    /// `(bytes, requests)`: requests of at most that many bytes, and of more than half of them;
    /// every class from the first with a request to the last.
    pub histogram_bytes: Vec<(u64, u64)>,
}

/// How reads and writes lie: shares that begin and end on a boundary.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AlignmentStats {
    /// Of 512 bytes.
    pub sector_share: Option<f64>,
    /// Of 4 KiB.
    pub block_4k_share: Option<f64>,
    /// Of 16 KiB.
    pub page_16k_share: Option<f64>,
    /// The largest power of two at whose multiples all of them begin and end; for warnings only.
    #[serde(skip)]
    pub grain_bytes: Option<u64>,
}

/// Times between arrivals. Percentiles are up to a 128th too low; the rest is exact.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArrivalStats {
    /// Mean.
    pub mean_ms: f64,
    /// Standard deviation over mean: 0 for a clock, 1 for a Poisson process.
    pub cv: f64,
    /// (cv − 1) / (cv + 1): −1 for a clock, 0 for a Poisson process, to 1 for bursts.
    /// Goh and Barabási, "Burstiness and memory in complex systems", EPL 81 (2008) 48002, eq. 1.
    pub burstiness: f64,
    /// Median.
    pub p50_ms: f64,
    /// 90th percentile.
    pub p90_ms: f64,
    /// 99th percentile.
    pub p99_ms: f64,
    /// 99.9th percentile.
    pub p999_ms: f64,
    /// Longest.
    pub max_ms: f64,
    /// Share of requests that arrive together with the one ahead.
    pub simultaneous_share: f64,
    /// Most requests in a second; seconds count from the first arrival.
    pub peak_per_s: u64,
    /// Variance over mean of the requests in each second: 1 for a Poisson process.
    pub dispersion: f64,
    /// `(low, count)`: gaps of `low` to 2 × `low` nanoseconds, and of 0.
    pub histogram_ns: Vec<(u64, u64)>,
}

/// Distinct data touched, by the unit in which it is counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FootprintStats {
    /// In sectors of 512 bytes.
    pub sector: Footprint,
    /// In blocks of 4 KiB.
    pub block_4k: Footprint,
    /// In pages of 16 KiB.
    pub page_16k: Footprint,
    /// One past the highest byte of a read, write or trim.
    pub end_bytes: u64,
}

impl Sum for FootprintStats {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            sector: sum.sector + one.sector,
            block_4k: sum.block_4k + one.block_4k,
            page_16k: sum.page_16k + one.page_16k,
            end_bytes: sum.end_bytes.max(one.end_bytes),
        })
    }
}

/// Distinct data, bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Footprint {
    /// Read.
    pub read_bytes: u64,
    /// Written.
    pub written_bytes: u64,
    /// Read or written.
    pub total_bytes: u64,
}

impl Add for Footprint {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            read_bytes: self.read_bytes + other.read_bytes,
            written_bytes: self.written_bytes + other.written_bytes,
            total_bytes: self.total_bytes + other.total_bytes,
        }
    }
}

/// Writes to data written before. A page counts once for each request that writes to it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UpdateStats {
    /// Pages of 16 KiB written.
    pub pages_written: u64,
    /// Those that held data of this workload.
    pub pages_updated: u64,
    /// `pages_updated` / `pages_written`.
    pub share: Option<f64>,
    /// Share of the 4 KiB blocks written of which a part had been written before.
    pub share_of_blocks_4k: Option<f64>,
    /// Share of the sectors written that had been written before.
    pub share_of_bytes: Option<f64>,
    /// Share of the write requests that update a page.
    pub share_of_requests: Option<f64>,
    /// Times from the writing of a page to its update.
    pub intervals: Option<IntervalStats>,
}

/// Times from the writing of a page to its update. Percentiles are up to a 128th too low.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IntervalStats {
    /// Mean.
    pub mean_s: f64,
    /// Median.
    pub p50_s: f64,
    /// 90th percentile.
    pub p90_s: f64,
    /// 99th percentile.
    pub p99_s: f64,
    /// Longest.
    pub max_s: f64,
    /// Shares of the updates after less than 30 minutes, 30 to 60, 60 to 120, and later: the zones
    /// of Gao et al., ACM TOS 18(1):9, Table 5.
    pub zone_shares: [f64; 4],
    /// Of the updates of pages that were updated before, the share by the zone of the update before
    /// and, within, by their own: what lies off the diagonal has switched (the same, Figure 26).
    /// `None` where no page was updated twice.
    pub zone_switches: Option<[[f64; 4]; 4]>,
    /// `(low, count)`: intervals of `low` to 2 × `low` nanoseconds, and of 0.
    pub histogram_ns: Vec<(u64, u64)>,
}

/// How unevenly updates and reads fall on pages.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SkewStats {
    /// Updates, over the pages ever written.
    pub updates: Option<Skew>,
    /// Reads, over the pages ever read.
    pub reads: Option<Skew>,
}

/// Shares of the accesses that fall on the most accessed pages.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Skew {
    /// On the hottest fifth of the pages.
    pub on_hottest_20_percent: f64,
    /// `(share of the pages, share of the accesses)`, the hottest pages first.
    pub curve: Vec<(f64, f64)>,
}

/// Share of written 4 KiB blocks that is hot by the rules of Margaglia et al., FAST 2016,
/// section 5.3.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HotWriteStats {
    /// The rule for MSR's traces: written by a request of less than 64 KiB.
    pub small_request_share: Option<f64>,
    /// The rule for FIU's: the first or the second block of a sequence.
    pub short_sequence_share: Option<f64>,
}

/// Requests that continue earlier ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SequentialityStats {
    /// Reads.
    pub reads: Sequentiality,
    /// Writes.
    pub writes: Sequentiality,
}

/// Requests of one kind that begin where an earlier one of that kind and volume ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sequentiality {
    /// Share of the requests that continue the last one.
    pub after_last_share: Option<f64>,
    /// Share of the bytes in such requests.
    pub after_last_share_of_bytes: Option<f64>,
    /// Share of the requests that continue one of the last 32.
    pub after_recent_share: Option<f64>,
    /// Share of the bytes in such requests.
    pub after_recent_share_of_bytes: Option<f64>,
}

/// How long written pages live: until they are written again or trimmed as a whole.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LifetimeStats {
    /// Limits of the classes: a minute, 30 minutes, an hour, two, a day, a week, 30 days.
    pub limits_s: [f64; 7],
    /// Share of the written pages that died in each class; the last one has no upper limit.
    pub died_shares: [f64; 8],
    /// Share of those that lived when the workload ended, by their age then.
    pub alive_shares: [f64; 8],
    /// For each limit the least and the greatest share that may have lived longer: what was
    /// younger when the workload ended may have died the next moment, or never.
    pub longer_than_shares: [(f64, f64); 7],
}

/// What reads find: shares of the sectors read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReuseStats {
    /// Written before by this workload.
    pub after_write_share: Option<f64>,
    /// Never written, but read before.
    pub after_read_share: Option<f64>,
    /// Neither.
    pub first_touch_share: Option<f64>,
}

/// The course of a workload.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Course"))]
pub struct Series {
    /// Length of an interval.
    pub interval_s: f64,
    /// The intervals, the first from 0 on.
    pub intervals: Vec<Interval>,
}

/// One interval of the course.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Interval {
    /// Reads that arrived.
    pub reads: u64,
    /// Writes that arrived.
    pub writes: u64,
    /// Bytes that they read.
    pub bytes_read: u64,
    /// Bytes that they wrote.
    pub bytes_written: u64,
    /// Distinct pages of 16 KiB that they touched.
    pub working_set_pages: u64,
    /// Distinct pages touched since the beginning.
    pub footprint_pages: u64,
    /// Distinct pages read since the beginning.
    pub read_footprint_pages: u64,
    /// Distinct pages written since the beginning.
    pub written_footprint_pages: u64,
}
