//! Error-correcting codes.

use crate::codes::Watch;
use crate::failure::{Failure, detached};
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use wordline_codes::ecc::bch::Bch;
use wordline_codes::ecc::ldpc::Ldpc;
use wordline_codes::ecc::speed;
use wordline_codes::ecc::trials::{Outcomes, Reader};
use wordline_codes::ecc::{DecodeError, Ecc, EccTable, check_reads};
use wordline_codes::monte_carlo::Stop;
use wordline_sim::config::ConfigError;

/// A code, and how its words are read.
#[pyclass(frozen, module = "wordline._native")]
pub struct EccCode {
    reader: Reader,
    /// Readers with the memory to work in, for the threads that call at the same time: a new one
    /// copies tens of kilobytes, which takes longer than to encode.
    idle: Mutex<Vec<Reader>>,
}

impl EccCode {
    fn new(reader: Reader) -> Self {
        Self { reader, idle: Mutex::new(Vec::new()) }
    }

    /// `work` of a reader that no other thread has.
    fn with<T>(&self, work: impl FnOnce(&mut dyn Ecc) -> T) -> T {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = idle().pop();
        let mut reader = kept.unwrap_or_else(|| self.reader.clone());
        let found = work(reader.code());
        idle().push(reader);
        found
    }
}

#[pymethods]
impl EccCode {
    /// The BCH code for `data_bytes` that corrects `t` errors.
    #[staticmethod]
    fn bch(py: Python<'_>, data_bytes: usize, t: usize) -> PyResult<Self> {
        detached(py, || {
            let help = "take fewer bytes of data, or correct fewer errors";
            let code = Bch::new(data_bytes, t).map_err(|error| bad(&error.to_string(), help))?;
            Ok(Self::new(Reader::Bch(Box::new(code))))
        })
    }

    /// The stored LDPC code with `rows` block rows, from `reads` sensings; 1 is a hard decision.
    #[staticmethod]
    fn ldpc(py: Python<'_>, rows: usize, reads: usize, rounds: usize) -> PyResult<Self> {
        detached(py, || {
            check_reads(reads)
                .map_err(|error| at(&error.to_string(), "reads", "give 1, 3 or 7"))?;
            let code = Ldpc::load(rows).ok_or_else(|| {
                let known: Vec<String> = Ldpc::stored().map(|rows| rows.to_string()).collect();
                let help = format!("one of {}", known.join(", "));
                at(&format!("there is no stored code with {rows} rows"), "rows", &help)
            })?;
            let code = Box::new(code.with_rounds(rounds));
            let hard = reads == 1;
            Ok(Self::new(if hard { Reader::Hard(code) } else { Reader::Soft(code, reads) }))
        })
    }

    #[getter]
    fn data_bytes(&self) -> usize {
        self.reader.sizes().0
    }

    #[getter]
    fn parity_bytes(&self) -> usize {
        self.reader.sizes().1
    }

    #[getter]
    fn codeword_bits(&self) -> usize {
        self.reader.codeword_bits()
    }

    /// P(more than t errors) at a bit error rate; `None` where there is no closed form.
    fn failure_probability(&self, rber: f64) -> PyResult<Option<f64>> {
        let Reader::Bch(code) = &self.reader else { return Ok(None) };
        if !(0.0..=1.0).contains(&rber) {
            return Err(at(
                &format!("a bit error rate of {rber} cannot be"),
                "rber",
                "give 0 to 1",
            )
            .into());
        }
        Ok(Some(code.failure_probability(rber)))
    }

    /// The share of random words that decode to some codeword; `None` where it is not known.
    fn miscorrection_bound(&self) -> Option<f64> {
        let Reader::Bch(code) = &self.reader else { return None };
        Some(code.miscorrection_bound())
    }

    /// Sends random codewords until there are `trials`, or `failures` were lost. Returns how many
    /// were refused, how many miscorrected, and how many decoded after 0, 1, … rounds; `counts` is
    /// what an earlier call returned, or empty. `progress(done, total, lost)` may raise to stop.
    #[expect(clippy::too_many_arguments, reason = "the call is made in one place, by name")]
    fn outcomes(
        &self,
        py: Python<'_>,
        rber: f64,
        seed: u64,
        counts: Vec<u64>,
        trials: u64,
        failures: u64,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Vec<u64>> {
        detached(py, || {
            let mut watch = Watch::new(progress.as_ref());
            let told = &mut |so_far: &Outcomes| {
                let tally = so_far.tally();
                watch.told((tally.trials, trials, tally.failures))
            };
            let mut outcomes = Outcomes(counts);
            let stop = Stop { trials, failures };
            self.reader
                .measure(rber, seed, &mut outcomes, stop, told)
                .map_err(|error| at(&error.to_string(), "rber", "give a share of wrong bits"))?;
            watch.finish(outcomes.0)
        })
    }

    /// Microseconds to encode, and to decode words with `errors` wrong bits from hard decisions;
    /// words that the decoder refused, and all.
    fn speed(
        &self,
        py: Python<'_>,
        errors: usize,
        seconds: f64,
    ) -> PyResult<(f64, f64, usize, usize)> {
        detached(py, || {
            let duration = Duration::try_from_secs_f64(seconds)
                .map_err(|_| at("not a time to measure for", "seconds", "give seconds from 0"))?;
            let speed = self.with(|code| speed::measure(code, errors, duration));
            Ok((speed.encode_us, speed.decode_us, speed.refused, speed.words))
        })
    }

    /// The parity of `data`.
    fn encode(&self, py: Python<'_>, data: &[u8]) -> PyResult<Vec<u8>> {
        detached(py, || {
            let mut parity = vec![0; self.reader.sizes().1];
            let encoded = self.with(|code| code.encode(data, &mut parity));
            encoded.map_err(|error| at(&error.to_string(), "data", "give one codeword's"))?;
            Ok(parity)
        })
    }

    /// The data that were encoded, from hard decisions of `data` and `parity`, and how many bits of
    /// both were wrong.
    fn decode(&self, py: Python<'_>, data: &[u8], parity: &[u8]) -> PyResult<(Vec<u8>, usize)> {
        detached(py, || {
            let (mut data, mut parity) = (data.to_vec(), parity.to_vec());
            match self.with(|code| code.decode(&mut data, &mut parity)) {
                Ok(corrected) => Ok((data, corrected.bits)),
                Err(DecodeError::Length(error)) => {
                    Err(at(&error.to_string(), error.buffer, "give one codeword's"))
                }
                Err(error @ DecodeError::Uncorrectable) => Err(Failure::Run {
                    what: error.to_string(),
                    help: "read it again, or take a code that corrects more".into(),
                }),
            }
        })
    }

    /// Bit error rates, ascending, and the probability at each that a codeword is lost: the closed
    /// form, or what was measured.
    fn table(&self) -> PyResult<Vec<(f64, f64)>> {
        let table = match &self.reader {
            Reader::Bch(code) => Some(EccTable::bch(code)),
            Reader::Hard(code) => EccTable::ldpc(code.matrix().rows(), 1),
            Reader::Soft(code, reads) => EccTable::ldpc(code.matrix().rows(), *reads),
        };
        let none = || at("nothing was measured with so many sensings", "reads", "take 1, 3 or 7");
        Ok(table.ok_or_else(none)?.points().to_vec())
    }
}

/// What was measured of the stored LDPC codes: rows, sensings, bit error rate, codewords, lost ones.
#[pyfunction]
pub fn ldpc_measured() -> Vec<(usize, usize, f64, u64, u64)> {
    wordline_codes::ecc::measured()
        .map(|at| (at.rows, at.reads, at.rber, at.tally.trials, at.tally.failures))
        .collect()
}

fn bad(what: &str, help: &str) -> Failure {
    at(what, "the code", help)
}

/// Bad input in the argument `place`.
fn at(what: &str, place: &str, help: &str) -> Failure {
    ConfigError { what: what.into(), place: place.into(), help: help.into() }.into()
}
