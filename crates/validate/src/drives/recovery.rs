//! Recovery of an SLC cache in idle time: the cache is filled, the host pauses, and as much is written elsewhere.
//!
//! A smaller drive stands for the real one, and the pause is shorter by as much.

use super::published::check;
use super::smaller::smaller;
use crate::case::{Case, Setup};
use wordline_sim::Outcome;
use wordline_sim::config::Config;
use wordline_trace::{Error, Op, Request, Source};

const PRESET: &str = "samsung-840-evo-1t";
/// Pages of a block of the preset, and of ours.
const PAGES: (u64, u64) = (384, 12);
/// What the review writes each time, in GB: as much as the cache holds.
const BURST_GB: f64 = 12.0;
/// The pause between, in seconds.
const PAUSE_S: f64 = 25.0;
const ID: &str = "drives/840-evo/recovery/s=25";
const REQUEST_BYTES: u32 = 1 << 17;

/// The run.
pub fn cases() -> Vec<Case> {
    let scale = PAGES.0 as f64 / PAGES.1 as f64;
    let requests = (BURST_GB * 1e9 / scale / f64::from(REQUEST_BYTES)).round() as u64;
    let config = config(PAGES.1, requests);
    let burst_s = requests as f64 * f64::from(REQUEST_BYTES) / (config.host.bus_mb_s * 1e6);
    let again_ns = ((burst_s + PAUSE_S / scale) * 1e9) as u64;
    let workload = format!("{BURST_GB} GB in order, a pause of {PAUSE_S} s, as much elsewhere");
    let source = move |_| -> Result<Box<dyn Source>, Error> {
        Ok(Box::new(Bursts { requests, again_ns, done: 0 }))
    };
    let setup = Ok(Setup { config, workload: Box::new(source) });
    let checks = vec![check(ID, Box::new(|outcome| BURST_GB * cached(outcome)))];
    vec![Case { id: ID.into(), workload, setup, others: Vec::new(), checks }]
}

/// The preset with blocks of so many pages; what is counted begins with the second burst.
fn config(pages: u64, requests: u64) -> Config {
    let from = format!("run.measure_from_request={requests}");
    smaller(PRESET, pages, &["precondition.pattern=none", "host.mode=open", &from])
}

/// The share of what was written that the cache took.
fn cached(outcome: &Outcome) -> f64 {
    let units = |name: &str| {
        let cache = outcome.result.technique.get("slc_cache");
        let count = cache.and_then(|cache| cache["host_units"][name].as_f64());
        count.unwrap_or(f64::NAN)
    };
    let cached = units("cached");
    cached / (cached + units("written_through"))
}

/// Writes in order, as fast as the drive takes them, and later as many behind them.
struct Bursts {
    requests: u64,
    /// When the second burst comes.
    again_ns: u64,
    done: u64,
}

impl Source for Bursts {
    fn name(&self) -> &str {
        "bursts"
    }

    fn next_batch(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        batch.clear();
        let left = 2 * self.requests - self.done;
        for number in self.done..self.done + left.min(batch.capacity().max(1) as u64) {
            batch.push(
                Request::new(Op::Write, number * u64::from(REQUEST_BYTES), REQUEST_BYTES)
                    .at(if number < self.requests { 0 } else { self.again_ns }),
            );
        }
        self.done += batch.len() as u64;
        Ok(())
    }

    fn rewind(&mut self) -> Result<(), Error> {
        self.done = 0;
        Ok(())
    }

    fn len_hint(&self) -> Option<u64> {
        Some(2 * self.requests)
    }

    fn is_synthetic(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::smaller::cache_mib;
    use super::*;

    const MIB: f64 = (1_u64 << 20) as f64;

    #[test]
    fn as_much_is_written_behind_it_after_the_pause() {
        let mut source = Bursts { requests: 5, again_ns: 700, done: 0 };
        for _ in 0..2 {
            let (mut batch, mut all) = (Vec::with_capacity(3), Vec::new());
            loop {
                source.next_batch(&mut batch).expect("no file is read");
                if batch.is_empty() {
                    break;
                }
                let number = |request: &Request| request.offset_bytes / u64::from(REQUEST_BYTES);
                all.extend(batch.iter().map(|request| (request.arrival_ns, number(request))));
            }
            let expected: Vec<_> = (0..10).map(|number| (number / 5 * 700, number)).collect();
            assert_eq!(all, expected);
            source.rewind().expect("no file is read");
        }
    }

    #[test]
    fn a_burst_fills_the_cache() {
        for pages in [PAGES.0, PAGES.1] {
            let mib = cache_mib(&config(pages, 1), "static_mib").expect("the preset sets it");
            let bytes = mib * PAGES.0 as f64 / pages as f64 * MIB;
            assert!((bytes / (BURST_GB * 1e9) - 1.0).abs() < 1e-3, "{bytes}");
        }
    }
}
