//! Workloads of several generators, one after another and side by side, as a TOML file.

use crate::generate::GeneratorContext;
use crate::generate::rng::Rng;
use crate::generate::traffic::{ARRIVALS, Arrivals};
use crate::generate::values::Values;
use crate::spec::from_spec;
use crate::{Error, Request, Source};
use serde::Deserialize;

/// Requests that a stream is asked for at a time.
const BATCH_REQUESTS: usize = 256;

const HELP: &str = "a file of phases has tables [[phase]], each with `requests` or `duration_s`, and \
                    [[phase.stream]] with `workload` and perhaps `weight`";

#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct File {
    /// How often all phases are run through.
    #[serde(default = "once")]
    repeat: u32,
    phase: Vec<Phase>,
}

fn once() -> u32 {
    1
}

#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct Phase {
    #[serde(default)]
    name: String,
    requests: Option<u64>,
    duration_s: Option<f64>,
    /// `interval_us=…,arrival=…`: when requests arrive; left out, each stream has its own times.
    arrivals: Option<String>,
    stream: Vec<Stream>,
}

#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct Stream {
    workload: String,
    weight: Option<f64>,
    /// Added to its addresses.
    #[serde(default)]
    offset_mib: f64,
}

/// Phases, each a mix of streams. A stream that ends begins again, with the same requests.
struct Phased {
    name: String,
    context: GeneratorContext,
    file: File,
    /// The phase that runs, counted through the repetitions.
    at: usize,
    running: Option<Running>,
    now_ns: u64,
}

/// True if `text` is a file of phases rather than something else in TOML.
pub(crate) fn is_phases(text: &str) -> bool {
    text.parse::<toml::Table>().is_ok_and(|table| table.contains_key("phase"))
}

/// The workload that the file of phases `text` describes; `place` names the file.
///
/// # Errors
/// What is not such a file; a phase that never ends or has no streams; a stream that cannot be
/// built.
pub(crate) fn from_toml(
    text: &str,
    place: &str,
    context: &GeneratorContext,
) -> Result<Box<dyn Source>, Error> {
    let file: File =
        toml::from_str(text).map_err(|error| Error::of_toml(&error, text, place, HELP))?;
    for (number, phase) in file.phase.iter().enumerate() {
        let named =
            if phase.name.is_empty() { String::new() } else { format!(" ({})", phase.name) };
        let place = format!("{place}: phase {}{named}", number + 1);
        phase.check().map_err(|what| Error::new(what, &place, HELP))?;
        Running::new(phase, context, number as u64)
            .map_err(|error| Error { place: format!("{place}: {}", error.place), ..error })?;
    }
    if file.phase.is_empty() || file.repeat == 0 {
        return Err(Error::new("there is no phase to run", place, HELP));
    }
    let name = place.to_owned();
    Ok(Box::new(Phased { name, context: *context, file, at: 0, running: None, now_ns: 0 }))
}

impl Phase {
    fn check(&self) -> Result<(), String> {
        if self.requests.is_none() && self.duration_s.is_none() {
            return Err("it never ends: neither `requests` nor `duration_s` is given".into());
        }
        if self.requests == Some(0) || self.duration_s.is_some_and(|s| !(s > 0.0 && s < 1e9)) {
            return Err("`requests` and `duration_s` must be above 0, the latter below 1e9".into());
        }
        if self.stream.is_empty() || self.stream.len() > usize::from(u16::MAX) {
            return Err(format!("it has {} streams: expected 1 to 65535", self.stream.len()));
        }
        if self.stream.iter().any(|s| s.weight.is_some_and(|w| !(w > 0.0 && w < 1e9))) {
            return Err("a weight must be above 0 and below 1e9".into());
        }
        if self.stream.iter().any(|s| !(0.0..1e12).contains(&s.offset_mib)) {
            return Err("offset_mib must be 0 or more, below 1e12".into());
        }
        if self.arrivals.is_none() && self.stream.iter().any(|stream| stream.weight.is_some()) {
            return Err("weights need `arrivals`: without, each stream has its own times".into());
        }
        Ok(())
    }
}

/// A phase as it runs.
struct Running {
    streams: Vec<Flow>,
    /// When requests arrive and which stream each is from; `None`: each stream at its own times.
    shared: Option<(Arrivals, Rng)>,
    weights: Vec<f64>,
    left: u64,
    end_ns: u64,
    begin_ns: u64,
}

/// A stream as it runs.
struct Flow {
    source: Box<dyn Source>,
    batch: Vec<Request>,
    next: usize,
    offset_bytes: u64,
    /// Added to its times: it began anew then.
    base_ns: u64,
    last_ns: u64,
    number: u32,
}

impl Running {
    fn new(phase: &Phase, context: &GeneratorContext, number: u64) -> Result<Self, Error> {
        let streams = phase.stream.iter().enumerate().map(|(index, stream)| {
            let seed =
                Rng::new(context.seed, &format!("phase {number} stream {index}")).bits() >> 12;
            let source = from_spec(&stream.workload, &GeneratorContext { seed, ..*context })?;
            Ok(Flow {
                source,
                batch: Vec::with_capacity(BATCH_REQUESTS),
                next: 0,
                offset_bytes: (stream.offset_mib * 1024.0 * 1024.0) as u64,
                base_ns: 0,
                last_ns: 0,
                number: index as u32,
            })
        });
        let shared = phase.arrivals.as_deref().map(|text| {
            let values = Values::parse(text, text, ARRIVALS)?;
            let stream = |purpose: &str| Rng::new(context.seed ^ number, purpose);
            Ok((Arrivals::new(&values, stream("phase arrival")), stream("phase stream")))
        });
        Ok(Self {
            streams: streams.collect::<Result<_, Error>>()?,
            shared: shared.transpose()?,
            weights: phase.stream.iter().map(|stream| stream.weight.unwrap_or(1.0)).collect(),
            left: phase.requests.unwrap_or(u64::MAX),
            end_ns: phase.duration_s.map_or(u64::MAX, |s| (s * 1e9) as u64),
            begin_ns: 0,
        })
    }

    /// The next request, its time from the beginning of the phase; `None` when the phase is over.
    fn next(&mut self) -> Result<Option<Request>, Error> {
        if self.left == 0 {
            return Ok(None);
        }
        let request = match &mut self.shared {
            Some((arrivals, rng)) => {
                let arrival_ns = arrivals.next_ns();
                let total: f64 = self.weights.iter().sum();
                let mut draw = rng.unit() * total;
                let chosen = self.weights.iter().position(|weight| {
                    draw -= weight;
                    draw < 0.0
                });
                let flow = &mut self.streams[chosen.unwrap_or(self.weights.len() - 1)];
                Request { arrival_ns, ..flow.take()? }
            }
            None => {
                let mut first = (u64::MAX, 0);
                for (index, flow) in self.streams.iter_mut().enumerate() {
                    first = first.min((flow.peek_ns()?, index));
                }
                self.streams[first.1].take()?
            }
        };
        if request.arrival_ns >= self.end_ns {
            return Ok(None);
        }
        self.left -= 1;
        Ok(Some(request))
    }
}

impl Flow {
    /// Makes sure that there is a next request.
    fn fill(&mut self) -> Result<(), Error> {
        if self.next < self.batch.len() {
            return Ok(());
        }
        self.next = 0;
        self.source.next_batch(&mut self.batch)?;
        if self.batch.is_empty() {
            self.source.rewind()?;
            self.base_ns = self.last_ns;
            self.source.next_batch(&mut self.batch)?;
        }
        Ok(())
    }

    fn peek_ns(&mut self) -> Result<u64, Error> {
        self.fill()?;
        Ok(self.base_ns.saturating_add(self.batch[self.next].arrival_ns))
    }

    fn take(&mut self) -> Result<Request, Error> {
        self.last_ns = self.peek_ns()?;
        let request = self.batch[self.next];
        self.next += 1;
        Ok(Request {
            arrival_ns: self.last_ns,
            offset_bytes: request.offset_bytes + self.offset_bytes,
            stream: self.number,
            ..request
        })
    }
}

impl Phased {
    fn next(&mut self) -> Result<Option<Request>, Error> {
        while self.at < self.file.phase.len() * self.file.repeat as usize {
            let number = self.at % self.file.phase.len();
            let phase = &self.file.phase[number];
            if self.running.is_none() {
                let mut running = Running::new(phase, &self.context, self.at as u64)?;
                running.begin_ns = self.now_ns;
                self.running = Some(running);
            }
            let Some(running) = &mut self.running else { continue };
            let begin_ns = running.begin_ns;
            if let Some(request) = running.next()? {
                self.now_ns = begin_ns.saturating_add(request.arrival_ns);
                return Ok(Some(Request { arrival_ns: self.now_ns, ..request }));
            }
            if let Some(duration_s) = phase.duration_s {
                // A phase that ran out of requests is over; one that ran out of time lasts it out.
                if running.left > 0 {
                    self.now_ns = begin_ns.saturating_add((duration_s * 1e9) as u64);
                }
            }
            self.running = None;
            self.at += 1;
        }
        Ok(None)
    }
}

impl Source for Phased {
    fn name(&self) -> &str {
        &self.name
    }

    fn next_batch(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        batch.clear();
        let room = batch.capacity().max(1);
        while batch.len() < room {
            let Some(request) = self.next()? else { break };
            batch.push(request);
        }
        Ok(())
    }

    fn rewind(&mut self) -> Result<(), Error> {
        (self.at, self.running, self.now_ns) = (0, None, 0);
        Ok(())
    }

    fn len_hint(&self) -> Option<u64> {
        let of = |phase: &Phase| phase.requests.filter(|_| phase.duration_s.is_none());
        let sum: Option<u64> = self.file.phase.iter().map(of).sum();
        sum.map(|sum| sum.saturating_mul(u64::from(self.file.repeat)))
    }

    fn is_synthetic(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Op;

    const CONTEXT: GeneratorContext = GeneratorContext::on_drive(64 << 20, 3);

    const TWO: &str = r#"
        repeat = 2
        [[phase]]
        name = "load"
        requests = 100
        arrivals = "interval_us=10,arrival=fixed"
        [[phase.stream]]
        workload = "sequential:size_kib=64"
        [[phase]]
        duration_s = 1
        arrivals = "interval_us=1000,arrival=bursty,burst=8"
        [[phase.stream]]
        workload = "uniform:read=1,requests=50"
        weight = 3
        [[phase.stream]]
        workload = "uniform"
        offset_mib = 64
    "#;

    fn all(text: &str) -> Vec<Request> {
        let mut source = from_toml(text, "test", &CONTEXT).expect("valid");
        let (mut requests, mut batch) = (Vec::new(), Vec::with_capacity(77));
        for _ in 0..2 {
            requests.clear();
            loop {
                source.next_batch(&mut batch).expect("a generator does not fail");
                if batch.is_empty() {
                    break;
                }
                requests.extend_from_slice(&batch);
            }
            source.rewind().expect("phases rewind");
        }
        requests
    }

    #[test]
    fn phases_follow_one_another_and_streams_share_them_by_weight() {
        let requests = all(TWO);
        assert!(requests.windows(2).all(|pair| pair[0].arrival_ns <= pair[1].arrival_ns));
        let load: Vec<&Request> = requests.iter().filter(|r| r.size_bytes == 65_536).collect();
        assert_eq!(load.len(), 200);
        assert_eq!((load[1].arrival_ns, load[99].arrival_ns), (10_000, 990_000));
        // The second load begins when the mix before it has had its second.
        assert_eq!(load[100].arrival_ns, 990_000 + 1_000_000_000);
        let mix = requests.iter().filter(|r| r.size_bytes == 4096);
        let (reads, writes): (Vec<&Request>, Vec<_>) = mix.partition(|r| r.op == Op::Read);
        let share = reads.len() as f64 / (reads.len() + writes.len()) as f64;
        assert!((share - 0.75).abs() < 0.04, "{share} of {}", reads.len() + writes.len());
        assert!(reads.iter().all(|r| r.offset_bytes < 64 << 20 && r.stream == 0));
        assert!(writes.iter().all(|r| r.offset_bytes >= 64 << 20 && r.stream == 1));
    }

    #[test]
    fn streams_without_shared_arrivals_keep_their_own_times() {
        let text = r#"
            [[phase]]
            requests = 30
            [[phase.stream]]
            workload = "uniform:interval_us=10,arrival=fixed"
            [[phase.stream]]
            workload = "uniform:interval_us=20,arrival=fixed"
        "#;
        let streams: Vec<u32> = all(text).iter().map(|request| request.stream).collect();
        assert_eq!(streams[..6], [0, 1, 0, 0, 1, 0]);
    }

    #[test]
    fn mistakes_are_answered() {
        for (from, to, expected) in [
            ("requests = 100", "", "phase 1 (load): it never ends"),
            ("requests = 100", "requests = 0", "must be above 0"),
            ("weight = 3", "weight = 0", "a weight must be above 0"),
            ("weight = 3", "weight = 1e9", "a weight must be above 0"),
            ("interval_us=1000", "intervall_us=1", "did you mean `interval_us`?"),
            ("uniform:read=1", "unifrom:read=1", "phase 2: unifrom"),
            ("weight", "wieght", "unknown field `wieght`"),
            (
                "arrivals = \"interval_us=1000,arrival=bursty,burst=8\"",
                "",
                "weights need `arrivals`",
            ),
            ("repeat = 2", "repeat = 0", "there is no phase to run"),
        ] {
            let text = TWO.replacen(from, to, 1);
            assert_ne!(text, TWO);
            let error = from_toml(&text, "my.toml", &CONTEXT).err().expect(expected).to_string();
            assert!(error.contains(expected) && error.contains("my.toml"), "{error}");
        }
    }
}
