//! What all generators have in common: how many requests, which operations, what sizes, when.

use super::param::{GeneratorParam, Kind, MAX_COUNT};
use super::rng::{Chance, Rng};
use super::space::{ALIGN_KIB, SIZE_KIB, SPAN_MIB, Space};
use super::values::Values;
use crate::{Error, Op, PlacementId, Request};

const REQUESTS: GeneratorParam =
    GeneratorParam::new("requests", Kind::Count(1.0, MAX_COUNT), "1e6", "", "Requests in all.");
const WRITES: GeneratorParam = GeneratorParam::new(
    "writes",
    Kind::Count(1.0, MAX_COUNT),
    "",
    "",
    "Ends the workload after this many writes, in place of `requests`.",
);
const READ: GeneratorParam =
    GeneratorParam::new("read", Kind::Real(0.0, 1.0), "0", "share", "Share of requests that read.");
const TRIM: GeneratorParam =
    GeneratorParam::new("trim", Kind::Real(0.0, 1.0), "0", "share", "Share of requests that trim.");
const FLUSH: GeneratorParam = GeneratorParam::new(
    "flush",
    Kind::Real(0.0, 1.0),
    "0",
    "share",
    "Share of requests that are flushes.",
);
const FUA: GeneratorParam = GeneratorParam::new(
    "fua",
    Kind::Real(0.0, 1.0),
    "0",
    "share",
    "Share of writes that are durable before they are acknowledged (force unit access).",
);
const PLACEMENT: GeneratorParam = GeneratorParam::new(
    "placement",
    Kind::Count(0.0, 65_535.0),
    "",
    "",
    "Placement identifier that every write carries; by default none.",
);
const SIZE: GeneratorParam = GeneratorParam::new(
    "size",
    Kind::OneOf(&["fixed", "exponential"]),
    "fixed",
    "",
    "Distribution of sizes; exponential ones are rounded up to the alignment.",
);
const INTERVAL_US: GeneratorParam = GeneratorParam::new(
    "interval_us",
    Kind::Real(0.0, 1e9),
    "0",
    "us",
    "Mean time between arrivals; 0: all arrive at 0, which host.mode = auto replays in closed loop.",
);
const ARRIVAL: GeneratorParam = GeneratorParam::new(
    "arrival",
    Kind::OneOf(&["exponential", "uniform", "fixed", "bursty"]),
    "exponential",
    "",
    "Distribution of the time between arrivals; uniform is on [0, 2 × interval_us], bursty is on \
     and off.",
);
const BURST: GeneratorParam = GeneratorParam::new(
    "burst",
    Kind::Real(1.0, 1e9),
    "32",
    "",
    "Requests of a burst, if arrivals are bursty: the mean of a geometric distribution.",
);
const BURST_SPEED: GeneratorParam = GeneratorParam::new(
    "burst_speed",
    Kind::Real(1.0, 1e9),
    "20",
    "",
    "How many times faster than on the average requests arrive within a burst; pauses between \
     bursts are as long as interval_us then needs. Both are exponential.",
);
pub(crate) const SEED: GeneratorParam = GeneratorParam::new(
    "seed",
    Kind::Count(0.0, MAX_COUNT),
    "",
    "",
    "Seed of this workload; by default that of the run.",
);

/// The parameters of arrivals alone, which phases of a file may have.
#[cfg(feature = "files")]
pub(crate) const ARRIVALS: &[GeneratorParam] = &[INTERVAL_US, ARRIVAL, BURST, BURST_SPEED];

/// The parameters that every generator has.
pub(crate) const PARAMS: &[GeneratorParam] = &[
    REQUESTS,
    WRITES,
    READ,
    TRIM,
    FLUSH,
    FUA,
    PLACEMENT,
    SIZE_KIB,
    SIZE,
    ALIGN_KIB,
    SPAN_MIB,
    INTERVAL_US,
    ARRIVAL,
    BURST,
    BURST_SPEED,
    SEED,
];

/// The requests of a generator but for their addresses.
#[derive(Clone)]
pub(crate) struct Traffic {
    pub end: End,
    pub mix: Mix,
    /// Which writes are durable at once, if any; drawn apart, so that the others stay as they are without.
    fuas: Option<(Rng, Chance)>,
    /// Where the host asks for writes to go.
    placement: Option<PlacementId>,
    pub sizes: Sizes,
    pub arrivals: Arrivals,
}

impl Traffic {
    pub fn new(values: &Values<'_>, space: &Space, seed: u64) -> Result<Self, Error> {
        let mix = Mix::new(values, Rng::new(seed, "operation"), Rng::new(seed, "flush"))?;
        let fua = values.number(&FUA);
        Ok(Self {
            end: End::new(values, &mix)?,
            mix,
            fuas: (fua > 0.0).then(|| (Rng::new(seed, "fua"), Chance::new(fua))),
            placement: values.given(&PLACEMENT).map(|id| PlacementId(id as u16)),
            sizes: Sizes::new(values, space, Rng::new(seed, "size")),
            arrivals: Arrivals::new(values, Rng::new(seed, "arrival")),
        })
    }
}

impl Traffic {
    /// A request with its hints.
    #[inline]
    pub fn hinted(&mut self, request: Request) -> Request {
        if request.op != Op::Write {
            return request;
        }
        let fua = self.fuas.as_mut().is_some_and(|(rng, fua)| rng.happens(*fua));
        request.with_fua(fua).with_placement(self.placement)
    }
}

/// When the workload ends.
#[derive(Clone, Copy)]
pub(crate) struct End {
    /// What is left of the count: of requests, or of writes alone.
    left: u64,
    writes_only: bool,
    /// Requests in all, exactly or on the average.
    pub requests_hint: u64,
}

impl End {
    fn new(values: &Values<'_>, mix: &Mix) -> Result<Self, Error> {
        let Some(writes) = values.given(&WRITES) else {
            let requests = values.number(&REQUESTS) as u64;
            return Ok(Self { left: requests, writes_only: false, requests_hint: requests });
        };
        if values.given(&REQUESTS).is_some() {
            let help = "leave one out: `writes` counts writes, `requests` all requests";
            return Err(values.error("both `writes` and `requests` are given", help));
        }
        if mix.write_share <= 1e-9 {
            let help = "give `requests` instead, or lower `read` or `trim`";
            return Err(values.error("`writes` never ends a workload without writes", help));
        }
        let requests_hint = (writes / mix.write_share).round() as u64;
        Ok(Self { left: writes as u64, writes_only: true, requests_hint })
    }

    #[inline]
    pub fn reached(&self) -> bool {
        self.left == 0
    }

    #[inline]
    pub fn count(&mut self, op: Op) {
        self.left -= u64::from(!self.writes_only || op == Op::Write);
    }
}

/// Which operation a request is.
#[derive(Clone)]
pub(crate) struct Mix {
    rng: Rng,
    read: Chance,
    /// Of the requests that do not read.
    trim: Chance,
    /// Which requests are flushes, if any; drawn apart, so that the others stay as they are without.
    flush: Option<(Rng, Chance)>,
    write_share: f64,
}

impl Mix {
    fn new(values: &Values<'_>, rng: Rng, flushes: Rng) -> Result<Self, Error> {
        let (read, trim) = (values.number(&READ), values.number(&TRIM));
        let flush = values.number(&FLUSH);
        let write_share = 1.0 - read - trim - flush;
        if write_share < -1e-9 {
            let flushes = if flush > 0.0 { format!(", flush = {flush}") } else { String::new() };
            let what =
                format!("read = {read} and trim = {trim}{flushes} are more than all requests");
            return Err(values.error(what, "their sum may be 1 at most"));
        }
        // Of the requests that are no flushes, and of those that are no reads either.
        let share = |share: f64, of: f64| if of > 0.0 { (share / of).min(1.0) } else { 0.0 };
        let data = 1.0 - flush;
        Ok(Self {
            rng,
            read: Chance::new(share(read, data)),
            trim: Chance::new(share(trim, data - read)),
            flush: (flush > 0.0).then(|| (flushes, Chance::new(flush))),
            write_share,
        })
    }

    #[inline]
    pub fn next(&mut self) -> Op {
        if self.flush.as_mut().is_some_and(|(rng, flush)| rng.happens(*flush)) {
            Op::Flush
        } else if self.rng.happens(self.read) {
            Op::Read
        } else if self.rng.happens(self.trim) {
            Op::Trim
        } else {
            Op::Write
        }
    }
}

/// How long a request is.
#[derive(Clone)]
pub(crate) enum Sizes {
    Fixed { size_bytes: u32 },
    Exponential { rng: Rng, mean_bytes: f64, align_bytes: u64, span_bytes: u64 },
}

impl Sizes {
    fn new(values: &Values<'_>, space: &Space, rng: Rng) -> Self {
        if values.name(&SIZE) == "fixed" {
            return Self::Fixed { size_bytes: space.size_bytes };
        }
        let &Space { align_bytes, span_bytes, .. } = space;
        Self::Exponential { rng, mean_bytes: f64::from(space.size_bytes), align_bytes, span_bytes }
    }

    #[inline]
    pub fn next_bytes(&mut self) -> u32 {
        match self {
            Self::Fixed { size_bytes } => *size_bytes,
            Self::Exponential { rng, mean_bytes, align_bytes, span_bytes } => {
                let bytes = (rng.exponential() * *mean_bytes).ceil().max(1.0) as u64;
                // 2^-53 is the least that is drawn: at most 37 × 64 MiB, which fits.
                bytes.next_multiple_of(*align_bytes).min(*span_bytes) as u32
            }
        }
    }
}

/// When a request arrives.
#[derive(Clone)]
pub(crate) struct Arrivals {
    rng: Rng,
    interval_ns: f64,
    gaps: Gaps,
    now_ns: u64,
}

#[derive(Clone, Copy)]
enum Gaps {
    None,
    Fixed,
    Uniform,
    Exponential,
    Bursty(Bursts),
}

/// On and off: each request ends its burst with the chance `ends`.
#[derive(Clone, Copy)]
struct Bursts {
    ends: Chance,
    /// Mean gap within a burst and between bursts, as shares of the mean gap.
    within: f64,
    between: f64,
}

impl Bursts {
    fn new(values: &Values<'_>) -> Self {
        let (requests, within) = (values.number(&BURST), 1.0 / values.number(&BURST_SPEED));
        let between = requests - (requests - 1.0) * within;
        Self { ends: Chance::new(1.0 / requests), within, between }
    }
}

impl Arrivals {
    pub fn new(values: &Values<'_>, rng: Rng) -> Self {
        let interval_ns = values.number(&INTERVAL_US) * 1000.0;
        let gaps = match values.name(&ARRIVAL) {
            _ if interval_ns == 0.0 => Gaps::None,
            "fixed" => Gaps::Fixed,
            "uniform" => Gaps::Uniform,
            "bursty" => Gaps::Bursty(Bursts::new(values)),
            _ => Gaps::Exponential,
        };
        Self { rng, interval_ns, gaps, now_ns: 0 }
    }

    /// False where all requests arrive at 0.
    pub fn has_gaps(&self) -> bool {
        !matches!(self.gaps, Gaps::None)
    }

    /// The arrival of this request; the first comes at 0.
    #[inline]
    pub fn next_ns(&mut self) -> u64 {
        let factor = match self.gaps {
            Gaps::None => return 0,
            Gaps::Fixed => 1.0,
            Gaps::Uniform => 2.0 * self.rng.unit(),
            Gaps::Exponential => self.rng.exponential(),
            Gaps::Bursty(bursts) => {
                let ends = self.rng.happens(bursts.ends);
                self.rng.exponential() * if ends { bursts.between } else { bursts.within }
            }
        };
        let gap_ns = (self.interval_ns * factor).round() as u64;
        let arrival_ns = self.now_ns;
        self.now_ns = arrival_ns.saturating_add(gap_ns);
        arrival_ns
    }
}
