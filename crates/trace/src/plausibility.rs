//! Whether figures of a workload can be right: a unit that was guessed wrong shows itself in them.

/// Fewer requests say nothing about the rate.
const FEWEST_REQUESTS: u64 = 100;
/// Requests per second below and above which the unit of time is doubted: more than a minute and a
/// half between requests; more than any drive serves.
const SLOWEST_PER_S: f64 = 0.01;
const FASTEST_PER_S: f64 = 5e6;
/// Rates that traces of real drives have.
const USUAL_PER_S: std::ops::RangeInclusive<f64> = 0.1..=1e5;
/// Addresses beyond 256 TiB are doubted: the largest drive of 2025 holds 246 TB.
const FURTHEST_BYTES: u64 = 1 << 48;
/// More than that per second is doubted: the raw rate of four lanes of PCIe 6.0.
const FASTEST_BYTES_PER_S: f64 = 32e9;
/// The largest request that one command can make: an NVMe command covers 2^16 blocks of 4 KiB at most. Single ones
/// that are larger are those of a tool; many are doubted.
pub const LARGEST_BYTES: u64 = 1 << 28;
/// Of all requests, as many may be larger.
const LARGER_SHARE: f64 = 0.1;
/// Requests that all begin and end at multiples of 512 × 512 bytes are doubted.
const COARSEST_BYTES: u64 = 1 << 18;
/// Nanoseconds in the units that traces come in.
const UNITS_NS: [(&str, u64); 5] =
    [("ns", 1), ("100 ns", 100), ("µs", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)];

/// Says what is wrong with the rate of a workload of `requests` over `span_s` seconds, if anything;
/// `unit_ns` is the unit in which its times were taken, where that is known.
pub fn doubtful_time(requests: u64, span_s: f64, unit_ns: Option<u64>) -> Option<String> {
    if requests <= FEWEST_REQUESTS {
        return None;
    }
    if span_s <= 0.0 {
        return Some(format!("all {requests} requests have the same time: rates mean nothing"));
    }
    let per_s = requests as f64 / span_s;
    if (SLOWEST_PER_S..=FASTEST_PER_S).contains(&per_s) {
        return None;
    }
    let rather = unit_ns.map(|ns| other_units(per_s * ns as f64)).unwrap_or_default();
    Some(format!(
        "the workload has {} requests per second: its unit of time looks wrong{rather}",
        figure(per_s)
    ))
}

/// What can be carried at most, and by what.
#[derive(Debug, Clone)]
pub struct Link {
    /// Bytes per second.
    pub bytes_per_s: f64,
    /// What carries them.
    pub name: String,
}

impl Default for Link {
    /// The fastest host link.
    fn default() -> Self {
        Self { bytes_per_s: FASTEST_BYTES_PER_S, name: "any drive".into() }
    }
}

/// Says so if `bytes` over `span_s` seconds are more than a link carries.
pub fn doubtful_bandwidth(requests: u64, bytes: u64, span_s: f64, link: &Link) -> Option<String> {
    let per_s = bytes as f64 / span_s;
    (requests > FEWEST_REQUESTS && span_s > 0.0 && per_s > link.bytes_per_s).then(|| {
        format!(
            "the workload brings {} GB per second, and {} carries {} at most: the unit of its \
             sizes or times looks wrong (bytes taken for sectors are 512 times too many)",
            figure(per_s / 1e9),
            link.name,
            figure(link.bytes_per_s / 1e9)
        )
    })
}

/// Says so if every request begins and ends at multiples of `grain_bytes` that are so large that the
/// trace's numbers look like bytes that were taken for sectors.
pub fn doubtful_grain(requests: u64, grain_bytes: Option<u64>) -> Option<String> {
    let grain_bytes = grain_bytes.filter(|&grain| grain >= COARSEST_BYTES)?;
    (requests > FEWEST_REQUESTS).then(|| {
        format!(
            "every request begins and ends at a multiple of {} KiB: its addresses and sizes look \
             like bytes that were taken for sectors of 512 bytes; name the unit with format csv",
            grain_bytes >> 10
        )
    })
}

/// Says so if more than a few of the requests are larger than [`LARGEST_BYTES`], as `larger` are, or if all are
/// multiples of a grain that bytes taken for sectors have.
pub fn doubtful_size(
    requests: u64,
    larger: u64,
    largest_bytes: u64,
    grain_bytes: Option<u64>,
) -> Option<String> {
    let are_many = requests > FEWEST_REQUESTS && larger as f64 > LARGER_SHARE * requests as f64;
    let are_coarse = grain_bytes.is_some_and(|grain| grain >= COARSEST_BYTES);
    (largest_bytes > LARGEST_BYTES && (are_many || are_coarse)).then(|| {
        format!(
            "the largest request covers {:.0} MiB, more than one command can ({} MiB): the unit of \
             sizes looks wrong",
            largest_bytes as f64 / f64::from(1 << 20),
            LARGEST_BYTES >> 20
        )
    })
}

/// The rates in units that would make them usual.
fn other_units(per_unit: f64) -> String {
    let rates = UNITS_NS.iter().map(|&(name, ns)| (name, per_unit / ns as f64));
    let usual: Vec<String> = rates
        .filter(|(_, per_s)| USUAL_PER_S.contains(per_s))
        .map(|(name, per_s)| format!("{} if its times were in {name}", figure(per_s)))
        .collect();
    if usual.is_empty() { String::new() } else { format!("; it would be {}", usual.join(", ")) }
}

/// Says what is wrong with where requests lie, if anything: `end_bytes` is one past the highest
/// byte, `sector_share` the share of requests that begin and end on a sector.
pub fn doubtful_addresses(end_bytes: u64, sector_share: Option<f64>) -> Vec<String> {
    let mut doubts = Vec::new();
    if end_bytes > FURTHEST_BYTES {
        let tib = end_bytes as f64 / (1u64 << 40) as f64;
        doubts.push(format!("addresses reach {tib:.0} TiB: their unit looks wrong"));
    }
    if let Some(share) = sector_share.filter(|&share| share < 0.5) {
        doubts.push(format!(
            "{:.0} % of the requests do not begin and end on a sector of 512 bytes: the unit of \
             addresses or sizes looks wrong",
            (1.0 - share) * 100.0
        ));
    }
    doubts
}

/// Three significant digits, in full.
fn figure(value: f64) -> String {
    let decimals = (2.0 - value.log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_rates_raise_no_doubt() {
        assert_eq!(doubtful_time(1_000_000, 86_400.0, Some(100)), None);
        assert_eq!(doubtful_time(100, 1e12, Some(1)), None, "too few to tell");
        assert_eq!(doubtful_addresses(1 << 40, Some(1.0)), Vec::<String>::new());
    }

    #[test]
    fn milliseconds_taken_for_nanoseconds_are_named() {
        // 50 requests per second.
        let doubt = doubtful_time(5_000, 100.0 / 1e6, Some(1)).expect("a doubt");
        assert!(doubt.contains("50000000 requests per second"), "{doubt}");
        assert!(doubt.contains("50.0 if its times were in ms"), "{doubt}");
        assert!(!doubt.contains("in s"), "{doubt}");
    }

    #[test]
    fn nanoseconds_taken_for_milliseconds_are_named() {
        let doubt = doubtful_time(12_200, 100.0 * 1e6, Some(1_000_000)).expect("a doubt");
        assert!(doubt.contains("0.000122 requests per second"), "{doubt}");
        assert!(doubt.contains("122 if its times were in ns"), "{doubt}");
    }

    #[test]
    fn bytes_taken_for_sectors_are_told() {
        let sector = 512;
        // 4 KiB at 200 MB/s on a drive of 800 GB, each number 512 times too large.
        let any = Link::default();
        let rate = doubtful_bandwidth(1000, sector * 4096 * 1000, 1000.0 * 4096.0 / 200e6, &any);
        assert!(rate.expect("a doubt").contains("102 GB per second, and any drive carries 32.0"));
        let told = |requests, bytes, span_s| doubtful_bandwidth(requests, bytes, span_s, &any);
        assert_eq!(told(1000, 32_000_000_000, 1.0), None, "as fast as a drive may be");
        assert!(told(101, 32_000_000_001, 1.0).is_some());
        assert_eq!(told(100, 32_000_000_001, 1.0), None, "too few to tell");
        assert_eq!(told(1000, 32_000_000_000, 0.0), None, "no time at all");
        let told = doubtful_grain(101, Some(sector * sector)).expect("a doubt");
        assert!(told.contains("multiple of 256 KiB"), "{told}");
        assert_eq!(doubtful_grain(100, Some(sector * sector)), None, "too few to tell");
        assert_eq!(doubtful_grain(101, Some(sector * sector / 2)), None);
        assert!(doubtful_addresses(439_000_000_000_000, Some(1.0))[0].contains("399 TiB"));
        assert!(doubtful_addresses(256 << 40, Some(1.0)).is_empty());
    }

    #[test]
    fn requests_larger_than_a_command_are_told() {
        let (coarse, fine) = (Some(COARSEST_BYTES), Some(COARSEST_BYTES / 2));
        assert_eq!(doubtful_size(200, 0, LARGEST_BYTES, coarse), None);
        let told = doubtful_size(1, 1, 4 << 30, coarse).expect("a doubt");
        assert!(told.contains("4096 MiB"), "{told}");
        assert_eq!(doubtful_size(200, 20, 4 << 30, fine), None, "few of many are a tool's");
        assert!(doubtful_size(200, 21, 4 << 30, fine).is_some());
        assert_eq!(doubtful_size(100, 100, 4 << 30, fine), None, "too few to tell");
    }

    #[test]
    fn one_time_for_all_and_strange_addresses_are_told() {
        assert!(doubtful_time(200, 0.0, None).expect("a doubt").contains("same time"));
        let doubts = doubtful_addresses(1 << 60, Some(0.2));
        assert!(doubts[0].contains("1048576 TiB") && doubts[1].contains("80 %"), "{doubts:?}");
    }
}
