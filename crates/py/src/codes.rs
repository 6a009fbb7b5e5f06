//! Write-once-memory codes.

use crate::failure::{Failure, detached};
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use wordline_codes::cpu::Isa;
use wordline_codes::monte_carlo::{Stop, Tally};
use wordline_codes::page::{self, PageCodec, RoundTrips, Shape};
use wordline_codes::wom::ldgm::{self, Effort, Ldgm};
use wordline_codes::wom::polar::{self, Polar, Size};
use wordline_codes::wom::rivest_shamir::RivestShamir;
use wordline_codes::wom::trials::{Attempts, Pages, Reads};
use wordline_codes::wom::{SecondWrite, SpecError, speed, trials};
use wordline_sim::config::ConfigError;

/// Signals are looked for, and progress is told, this often.
const PERIOD: Duration = Duration::from_millis(100);

fn bad(error: SpecError) -> Failure {
    ConfigError { what: error.what, place: "the code".into(), help: error.help }.into()
}

/// A code for a second write.
#[pyclass(frozen, module = "wordline._native")]
pub struct WomCode {
    code: Box<dyn SecondWrite>,
    /// Upper bound of the failure rate of one attempt, where the construction gives one.
    #[pyo3(get)]
    failure_bound: Option<f64>,
    /// Sub-channels that bear no message so that reads correct wrong cells.
    #[pyo3(get)]
    correcting: usize,
}

#[pymethods]
impl WomCode {
    /// A polar code; its message has `size.0` bits, or as many as keep the bound of the failure
    /// rate of one attempt at `size.1`. `attempts` are their number, whether each lays the
    /// cells out anew, and the seed. Reads correct wrong cells, of which there is a share of
    /// `reads.0`, so that at most `reads.1` of them are lost; none where that share is 0.
    #[staticmethod]
    fn polar(
        py: Python<'_>,
        cells: usize,
        size: (Option<usize>, f64),
        writable: f64,
        attempts: (u32, bool, u64),
        reads: (f64, f64),
        isa: Option<&str>,
    ) -> PyResult<Self> {
        let isa = isa_named(isa)?;
        let (tries, shuffle, seed) = attempts;
        detached(py, || {
            let (message_bits, failure_rate) = size;
            let size = message_bits.map_or(Size::FailureRate(failure_rate), Size::Bits);
            let fixed = fixed(cells, reads)?;
            let spec = polar::Spec { cells, writable, size, tries, shuffle, seed, fixed };
            let code = Polar::new(spec).map_err(bad)?.with_isa(isa);
            let (failure_bound, correcting) = (Some(code.failure_bound()), code.fixed());
            Ok(Self { failure_bound, correcting, code: Box::new(code) })
        })
    }

    /// An LDGM code; `most_aside` equations may be left to elimination, none by message passing
    /// alone.
    #[staticmethod]
    fn ldgm(
        py: Python<'_>,
        cells: usize,
        message_bits: usize,
        most_aside: usize,
        tries: u32,
        seed: u64,
        isa: Option<&str>,
    ) -> PyResult<Self> {
        let isa = isa_named(isa)?;
        detached(py, || {
            let effort = match most_aside {
                0 => Effort::MessagePassing,
                most => Effort::Complete(most),
            };
            let spec = ldgm::Spec { cells, message_bits, effort, tries, seed };
            let code = Ldgm::new(spec).map_err(bad)?.with_isa(isa);
            Ok(Self { failure_bound: None, correcting: 0, code: Box::new(code) })
        })
    }

    /// Rivest and Shamir's code.
    #[staticmethod]
    fn rivest_shamir(message_bits: usize) -> PyResult<Self> {
        let code = RivestShamir::new(message_bits).map_err(bad)?;
        Ok(Self { failure_bound: None, correcting: 0, code: Box::new(code) })
    }

    #[getter]
    fn cells(&self) -> usize {
        self.code.cells()
    }

    #[getter]
    fn message_bits(&self) -> usize {
        self.code.message_bits()
    }

    #[getter]
    fn tries(&self) -> u32 {
        self.code.tries()
    }

    /// Writes random messages over random pages until there are `trials`, or `failures` failed.
    /// Returns how many succeeded at each attempt, and last how many failed; `counts` is what an
    /// earlier call returned, or empty. `progress(done, total, failed)` may raise to stop.
    fn attempts(
        &self,
        py: Python<'_>,
        pages: (usize, f64, u64),
        counts: Vec<u64>,
        trials: u64,
        failures: u64,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Vec<u64>> {
        let places = self.code.tries() as usize + 1;
        detached(py, || {
            let pages = self.pages(pages)?;
            let mut attempts = Attempts { counts };
            if attempts.counts.is_empty() {
                attempts = Attempts::none(self.code.tries());
            } else if attempts.counts.len() != places {
                let what = "the stored counts belong to another number of tries";
                return Err(at(what, "counts", "go on with that number, or begin anew"));
            }
            let mut watch = Watch::new(progress.as_ref());
            trials::run(&*self.code, &pages, &mut attempts, trials, failures, &mut |so_far| {
                let Tally { trials: done, failures } = so_far.tally(self.code.tries());
                watch.told((done, trials, failures))
            });
            watch.finish(attempts.counts)
        })
    }

    /// Writes random messages over random pages, spoils each cell with the probability `rber` and
    /// reads, until there are `trials`, or `failures` reads were lost. Returns how many reads were
    /// right, how many were lost, and how many writes had failed.
    fn spoiled_reads(
        &self,
        py: Python<'_>,
        pages: (usize, f64, u64),
        rber: f64,
        trials: u64,
        failures: u64,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(u64, u64, u64)> {
        detached(py, || {
            let pages = self.pages(pages)?;
            if !(rber > 0.0 && rber < 0.5) {
                return Err(no_rber(rber));
            }
            let mut watch = Watch::new(progress.as_ref());
            let mut reads = Reads::default();
            let stop = Stop { trials, failures };
            trials::spoiled_reads(&*self.code, &pages, rber, &mut reads, stop, &mut |now| {
                let done = now.right + now.lost + now.unwritten;
                watch.told((done, trials, now.lost))
            });
            watch.finish((reads.right, reads.lost, reads.unwritten))
        })
    }

    /// Writes random logical pages over random used ones and reads them, as they are and damaged.
    /// `shape` has the bytes of data, of the spare area, of its reserved end, and of a logical page.
    /// Returns pages that were refused when damaged, were corrected, were misread unnoticed, did
    /// not fit, and did not come back.
    fn round_trips(
        &self,
        py: Python<'_>,
        shape: (usize, usize, usize, usize),
        seed: u64,
        pages: u64,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(u64, u64, u64, u64, u64)> {
        detached(py, || {
            let (data_bytes, spare_bytes, reserved_bytes, logical_bytes) = shape;
            let shape = Shape { data_bytes, spare_bytes, reserved_bytes, logical_bytes };
            let mut watch = Watch::new(progress.as_ref());
            let told = &mut |now: &RoundTrips| watch.told((now.pages(), pages, now.wrong));
            let found = page::round_trips(shape, &*self.code, seed, pages, told).map_err(bad)?;
            let RoundTrips { refused, corrected, unnoticed, does_not_fit, wrong } = found;
            watch.finish((refused, corrected, unnoticed, does_not_fit, wrong))
        })
    }

    /// Microseconds of a write and of a read, attempts of a write, failed writes and their total.
    fn speed(
        &self,
        py: Python<'_>,
        pages: (usize, f64, u64),
        seconds: f64,
    ) -> PyResult<(f64, f64, f64, u64, u64)> {
        detached(py, || {
            let pages = self.pages(pages)?;
            let duration = Duration::try_from_secs_f64(seconds)
                .map_err(|_| at("not a time to measure for", "seconds", "give seconds from 0"))?;
            let speed = speed::measure(&*self.code, &pages, duration);
            Ok((speed.write_us, speed.read_us, speed.attempts, speed.failed, speed.pages))
        })
    }

    /// Writes `logical` over the page `used`: the page to program, and the metadata for a read;
    /// `None` where it does not fit. The last `reserved` bytes stay as they are.
    fn write_page(
        &self,
        py: Python<'_>,
        used: &[u8],
        logical: &[u8],
        reserved: usize,
    ) -> PyResult<Option<(Vec<u8>, u32)>> {
        detached(py, || {
            let shape = page_shape(used.len(), logical.len(), reserved);
            let mut codec = PageCodec::new(shape, &*self.code).map_err(bad)?;
            let mut target = vec![0; used.len()];
            let metadata = codec.write(used, logical, &mut target).ok();
            Ok(metadata.map(|metadata| (target, metadata)))
        })
    }

    /// Reads a logical page of `logical_bytes` from what [`Self::write_page`] gave, and says how many
    /// cells were wrong.
    fn read_page(
        &self,
        py: Python<'_>,
        page: &[u8],
        metadata: u32,
        logical_bytes: usize,
        reserved: usize,
    ) -> PyResult<(Vec<u8>, usize)> {
        detached(py, || {
            let shape = page_shape(page.len(), logical_bytes, reserved);
            let mut codec = PageCodec::new(shape, &*self.code).map_err(bad)?;
            let mut logical = vec![0; logical_bytes];
            let wrong = codec.read(page, metadata, &mut logical).map_err(|error| Failure::Run {
                what: error.to_string(),
                help: "give the page, the metadata and the code of the write".into(),
            })?;
            Ok((logical, wrong))
        })
    }
}

impl WomCode {
    /// Pages of which the first cells hold data, with a share of ones, from a seed.
    fn pages(&self, (data_cells, writable, seed): (usize, f64, u64)) -> Result<Pages, Failure> {
        let cells = self.code.cells();
        if data_cells > cells {
            let what = format!("{data_cells} data cells are more than all {cells}");
            return Err(at(&what, "data_cells", "give as many as the code has, or fewer"));
        }
        if !(0.0..=1.0).contains(&writable) {
            let what = format!("a writable share of {writable} cannot be");
            return Err(at(&what, "writable", "give 0 to 1"));
        }
        Ok(Pages { cells, data_cells, writable, seed })
    }
}

/// A page of which data and spare area need not be told apart.
fn page_shape(page: usize, logical_bytes: usize, reserved_bytes: usize) -> Shape {
    let reserved = reserved_bytes.min(page);
    Shape { data_bytes: page - reserved, spare_bytes: reserved, reserved_bytes, logical_bytes }
}

/// The longest messages of polar codes over these cells, one for each bound of the failure rate.
#[pyfunction]
pub fn polar_longest(
    py: Python<'_>,
    cells: usize,
    writable: f64,
    rates: Vec<f64>,
) -> PyResult<Vec<usize>> {
    detached(py, || {
        let spec = polar::Spec { writable, ..polar::Spec::new(cells, Size::FailureRate(0.0)) };
        polar::longest(&spec, &rates).map_err(bad)
    })
}

/// The largest share of used cells at which message passing succeeds at this rate, for LDGM codes
/// without end.
#[pyfunction]
pub fn ldgm_threshold(py: Python<'_>, rate: f64) -> PyResult<f64> {
    detached(py, || {
        if !(0.0 < rate && rate < 1.0) {
            return Err(at(
                &format!("a rate of {rate} cannot be"),
                "rate",
                "give above 0, below 1",
            ));
        }
        Ok(ldgm::threshold(rate))
    })
}

/// The least failure rate that any code can have over random pages.
#[pyfunction]
pub fn least_failure(cells: usize, data_cells: usize, writable: f64, message_bits: usize) -> f64 {
    let data_cells = data_cells.min(cells);
    Pages { cells, data_cells, writable, seed: 0 }.least_failure(message_bits)
}

/// Clopper and Pearson's interval of a failure probability.
#[pyfunction]
pub fn failure_interval(trials: u64, failures: u64, confidence: f64) -> (f64, f64) {
    Tally { trials, failures: failures.min(trials) }.interval(confidence)
}

/// The names of the instruction sets that this processor has, the best last.
#[pyfunction]
pub fn instruction_sets() -> Vec<&'static str> {
    Isa::ALL.into_iter().filter(|isa| isa.is_available()).map(Isa::name).collect()
}

fn isa_named(name: Option<&str>) -> Result<Isa, Failure> {
    let Some(name) = name else { return Ok(Isa::best()) };
    let found = Isa::ALL.into_iter().find(|isa| isa.name() == name && isa.is_available());
    found.ok_or_else(|| {
        let what = format!("this processor has no instructions `{}`", name.escape_debug());
        at(&what, "instructions", &format!("valid: {}", instruction_sets().join(", ")))
    })
}

/// Bad input in the argument `place`.
fn at(what: &str, place: &str, help: &str) -> Failure {
    ConfigError { what: what.into(), place: place.into(), help: help.into() }.into()
}

/// The sub-channels that a polar code fixes for reads at a bit error rate.
fn fixed(cells: usize, (rber, lost): (f64, f64)) -> Result<Vec<u32>, Failure> {
    if rber == 0.0 || !polar::CELLS.contains(&cells) {
        return Ok(Vec::new()); // the code says which cells there can be
    }
    if !(rber > 0.0 && rber < 0.5) {
        return Err(no_rber(rber));
    }
    if !(lost > 0.0 && lost < 1.0) {
        let what = format!("a share of {lost} lost reads cannot be");
        return Err(at(&what, "read_failure", "give above 0, below 1"));
    }
    Ok(polar::fixed_for(cells, rber, lost))
}

fn no_rber(rber: f64) -> Failure {
    at(&format!("a bit error rate of {rber} cannot be"), "rber", "give above 0, below 0.5")
}

/// Tells progress now and then, and keeps what that raised.
pub(crate) struct Watch<'a> {
    callback: Option<&'a Py<PyAny>>,
    last: Instant,
    raised: Option<PyErr>,
}

impl<'a> Watch<'a> {
    pub fn new(callback: Option<&'a Py<PyAny>>) -> Self {
        Self { callback, last: Instant::now(), raised: None }
    }

    /// Of trials made, trials in all, and failures; says whether to go on.
    pub fn told(&mut self, now: (u64, u64, u64)) -> ControlFlow<()> {
        if self.last.elapsed() < PERIOD {
            return ControlFlow::Continue(());
        }
        self.last = Instant::now();
        match tell(self.callback, now) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.raised = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    /// `found`, unless telling raised.
    pub fn finish<T>(self, found: T) -> Result<T, Failure> {
        self.raised.map_or(Ok(found), |error| Err(Failure::Python(error)))
    }
}

fn tell(callback: Option<&Py<PyAny>>, now: (u64, u64, u64)) -> PyResult<()> {
    Python::attach(|py| {
        py.check_signals()?;
        if let Some(callback) = callback {
            callback.call1(py, now)?;
        }
        Ok(())
    })
}
