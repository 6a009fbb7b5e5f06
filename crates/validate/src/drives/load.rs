//! Latencies at a load: uniform writes and a few reads, from a fraction of what a drive takes to all of it.

use super::published::{self, ONCE_LOADED, WAITING, check, measured, row};
use super::smaller::smaller;
use crate::case::{Case, Check, Setup};
use wordline_sim::Outcome;
use wordline_sim::config::Config;

/// The log's tool: one thread makes this many reads and as many writes a second. The others read this share of
/// the time.
const PROBES_PER_S: f64 = 5000.0;
const READ_SHARE: f64 = 0.01;
/// Requests under way where the drive is given all it takes: 64 of each of six threads, and some probes.
const SATURATED_DEPTH: u32 = 400;
/// Requests under way of a log that has writes alone.
const WRITES_DEPTH: u32 = 512;
/// Requests of a run at a load, and of writes alone. Those before a share of them do not count.
const REQUESTS: f64 = 200_000.0;
const WRITES: f64 = 800_000.0;
const MEASURED_FROM: f64 = 0.5;
/// The lightest load, in an id and in requests a second. Its median write says what a write takes in the host
/// and the controller.
const LIGHT: (&str, f64) = ("10k", 10e3);
/// Uniform writes alone: the end of an id, and the law.
const UNIFORM: (&str, &str) = ("uniform", "uniform");
/// What an id has in place of a load where the drive is given all it takes.
const SATURATED: &str = "saturated";

/// How a drive serves a read that finds its die at work: the end of its rows' ids, and keys besides the preset's.
type Reading = (&'static str, &'static [&'static str]);

/// As the preset says: it interrupts programs and erases.
const PRESET: Reading = ("", &[]);
/// It waits.
const OTHERS: [Reading; 2] = [
    (WAITING, &["drive.scheduling.suspend_program=false", "drive.scheduling.suspend_erase=false"]),
    (ONCE_LOADED, &["drive.scheduling.suspend_loading=false"]),
];

/// A drive of the catalogue, and the loads it was given.
struct Drive {
    /// The name in ids.
    id: &'static str,
    preset: &'static str,
    /// Pages of a block of ours: at a load, and where it is given all it takes, because blocks of few pages make a
    /// rate some 3 % lower.
    pages: (u64, u64),
    /// Loads besides the lightest: in an id, and what the tool was asked for a second.
    loads: &'static [(&'static str, f64)],
    /// Workloads of writes alone besides uniform ones.
    writes: &'static [(&'static str, &'static str)],
}

const DRIVES: [Drive; 4] = [
    Drive {
        id: "7450-max",
        preset: "micron-7450-max-800g",
        pages: (27, 27),
        loads: &[("30k", 30e3), ("70k", 70e3)],
        writes: &[],
    },
    Drive {
        id: "p5520",
        preset: "solidigm-p5520-1920g",
        pages: (24, 24),
        loads: &[("50k", 50e3), ("110k", 110e3)],
        writes: &[],
    },
    Drive {
        id: "cm7-r",
        preset: "kioxia-cm7-r-3840g",
        pages: (6, 24),
        loads: &[("70k", 70e3), ("90k", 90e3), ("200k", 200e3)],
        writes: &[("zipf", "zipf:theta=0.8")],
    },
    Drive {
        id: "pm9a3",
        preset: "samsung-pm9a3-960g",
        pages: (24, 24),
        loads: &[("50k", 50e3), ("70k", 70e3)],
        writes: &[],
    },
];

/// The runs.
pub fn cases() -> Vec<Case> {
    DRIVES.iter().flat_map(Drive::cases).collect()
}

/// The runs of uniform writes alone: a row of logs, and one of data sheets.
pub fn writes_at_random() -> impl Iterator<Item = Case> {
    DRIVES.iter().map(|drive| drive.writes_alone(&UNIFORM))
}

impl Drive {
    fn cases(&self) -> Vec<Case> {
        let mut cases = vec![self.at(LIGHT, PRESET, &[WRITE_P50, WRITE_P99, READ_P99])];
        cases.extend(self.loads.iter().map(|&load| self.at(load, PRESET, &[WRITE_P99, READ_P99])));
        let lightest = [LIGHT, self.loads[0]];
        let waiting = |reading| lightest.map(|load| self.at(load, reading, &[READ_P99]));
        cases.extend(OTHERS.into_iter().flat_map(waiting));
        cases.push(self.saturated());
        cases.extend(self.writes.iter().map(|writes| self.writes_alone(writes)));
        cases
    }

    /// A load that the drive takes: requests come at Poisson's times.
    fn at(&self, (name, asked_per_s): (&str, f64), reading: Reading, figures: &[Figure]) -> Case {
        let mix = Mix::of(asked_per_s);
        let times = format!("interval_us={},arrival=exponential", 1e6 / mix.requests_per_s());
        let sets = [&["host.mode=open"], reading.1].concat();
        self.mixed((name, reading.0), mix, &times, &sets, figures)
    }

    /// All that the drive takes, with as many reads among it as the log has.
    fn saturated(&self) -> Case {
        let writes_per_s = row(&self.id_of(SATURATED, IOPS)).reference;
        let mix = Mix::with(writes_per_s.expect("a published rate"));
        let depth = format!("host.queue_depth={SATURATED_DEPTH}");
        let sets = ["host.mode=closed", &depth];
        self.mixed((SATURATED, PRESET.0), mix, "interval_us=0", &sets, &[IOPS, WRITE_P99, READ_P99])
    }

    fn mixed(
        &self,
        (name, reading): (&str, &str),
        mix: Mix,
        times: &str,
        sets: &[&str],
        figures: &[Figure],
    ) -> Case {
        let workload = format!("uniform:requests={REQUESTS},read={},{times}", mix.read_share());
        let overhead_us = measured(&self.id_of(LIGHT.0, WRITE_P50));
        let overhead = format!("host.overhead_us={overhead_us}");
        let id = format!("drives/{}/load/{name}{reading}", self.id);
        let pages = if name == SATURATED { self.pages.1 } else { self.pages.0 };
        let row = |&figure: &Figure| {
            let id = self.id_of(name, figure) + reading;
            check(&id, Box::new(figure.1))
        };
        let checks = figures.iter().map(row).collect();
        case(id, workload, self.config(pages, REQUESTS, &[sets, &[&overhead]].concat()), checks)
    }

    fn writes_alone(&self, &(name, law): &(&str, &str)) -> Case {
        let id = format!("drives/{}/{name}/iops", self.id);
        let of_sheet = format!("drives/{}/sheet/random-write", self.id);
        let keys = if law.contains(':') { "," } else { ":" };
        let depth = format!("host.queue_depth={WRITES_DEPTH}");
        let of_sheet = Some(&of_sheet).filter(|_| name == UNIFORM.0);
        let published = of_sheet.into_iter().chain([&id]).filter(|id| published::has(id));
        let checks = published.map(|id| check(id, Box::new(IOPS.1))).collect();
        let workload = format!("{law}{keys}writes={WRITES}");
        case(id, workload, self.config(self.pages.1, WRITES, &["host.mode=closed", &depth]), checks)
    }

    fn id_of(&self, load: &str, (figure, _): Figure) -> String {
        format!("drives/{}/load/{load}/{figure}", self.id)
    }

    fn config(&self, pages: u64, requests: f64, sets: &[&str]) -> Config {
        let from = format!("run.measure_from_request={}", MEASURED_FROM * requests);
        smaller(self.preset, pages, &[&["precondition.pattern=steady", &from], sets].concat())
    }
}

fn case(id: String, workload: String, config: Config, checks: Vec<Check>) -> Case {
    let setup = Setup { config, workload: crate::generated(workload.clone()) };
    Case { id, workload, setup: Ok(setup), others: Vec::new(), checks }
}

/// What the tool asks for.
#[derive(Clone, Copy)]
struct Mix {
    reads_per_s: f64,
    writes_per_s: f64,
}

impl Mix {
    /// The tool was asked for so much; half of the probes count towards it.
    fn of(asked_per_s: f64) -> Self {
        let others_per_s = asked_per_s - PROBES_PER_S;
        Self {
            reads_per_s: PROBES_PER_S + READ_SHARE * others_per_s,
            writes_per_s: PROBES_PER_S + (1.0 - READ_SHARE) * others_per_s,
        }
    }

    /// The drive took so many writes.
    fn with(writes_per_s: f64) -> Self {
        let others_per_s = (writes_per_s - PROBES_PER_S) / (1.0 - READ_SHARE);
        Self::of(PROBES_PER_S + others_per_s)
    }

    fn requests_per_s(self) -> f64 {
        self.reads_per_s + self.writes_per_s
    }

    fn read_share(self) -> f64 {
        self.reads_per_s / self.requests_per_s()
    }
}

/// A published figure: the end of its id, and what of a run it is.
type Figure = (&'static str, fn(&Outcome) -> f64);

const IOPS: Figure = ("iops", |outcome| {
    let host = &outcome.result.host;
    let writes = host.write.count as f64 / (host.write.count + host.read.count) as f64;
    host.iops.map_or(f64::NAN, |iops| iops * writes)
});
const WRITE_P50: Figure = ("write-p50", |outcome| outcome.result.host.write.p50_us);
const WRITE_P99: Figure = ("write-p99", |outcome| outcome.result.host.write.p99_us);
const READ_P99: Figure = ("read-p99", |outcome| outcome.result.host.read.p99_us);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_probes_read_and_of_the_others_next_to_none() {
        // The log: asked for 50,000, the tool made 49,554 writes and 5,449 reads a second.
        let mix = Mix::of(50e3);
        assert!((mix.writes_per_s - 49_550.0).abs() < 1.0, "{}", mix.writes_per_s);
        assert!((mix.reads_per_s - 5_450.0).abs() < 1.0, "{}", mix.reads_per_s);
        // Asked for more than the drive takes: 76,543 writes and 5,723 reads.
        let mix = Mix::with(76_543.0);
        assert!((mix.reads_per_s - 5_723.0).abs() < 1.0, "{}", mix.reads_per_s);
    }
}
