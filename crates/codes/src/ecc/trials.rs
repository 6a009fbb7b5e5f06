//! Failure rates of codewords by Monte Carlo: random data, random errors, the real decoder.

use super::bch::Bch;
use super::channel::{Sensing, SensingError, WrongBits};
use super::codec::{Corrected, Ecc};
use super::ldpc::Ldpc;
use crate::bits;
use crate::monte_carlo::{self, Stop, Tally};
use std::ops::ControlFlow;

/// A code and how it is read.
#[derive(Debug, Clone)]
pub enum Reader {
    /// A BCH code.
    Bch(Box<Bch>),
    /// An LDPC code from hard decisions.
    Hard(Box<Ldpc>),
    /// An LDPC code from this many sensings.
    Soft(Box<Ldpc>, usize),
}

/// What became of codewords, by number: refused, miscorrected, then decoded after 0, 1, … rounds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcomes(pub Vec<u64>);

const REFUSED: usize = 0;
const MISCORRECTED: usize = 1;
const DECODED: usize = 2;

impl Outcomes {
    /// Codewords, and those of them that were lost.
    pub fn tally(&self) -> Tally {
        let failures = self.0.iter().take(DECODED).sum();
        Tally { trials: self.0.iter().sum(), failures }
    }

    /// Codewords that were turned into another one.
    pub fn miscorrected(&self) -> u64 {
        self.0.get(MISCORRECTED).copied().unwrap_or(0)
    }

    /// Rounds of the decoder, on average over the words that it decoded.
    pub fn mean_rounds(&self) -> Option<f64> {
        let decoded = self.0.get(DECODED..)?;
        let all: u64 = decoded.iter().sum();
        let rounds: u64 = decoded.iter().zip(0..).map(|(count, rounds)| count * rounds).sum();
        (all > 0).then(|| rounds as f64 / all as f64)
    }
}

impl Reader {
    /// The code.
    pub fn code(&mut self) -> &mut dyn Ecc {
        match self {
            Self::Bch(code) => &mut **code,
            Self::Hard(code) | Self::Soft(code, _) => &mut **code,
        }
    }

    /// Bytes of data and of parity in a codeword.
    pub fn sizes(&self) -> (usize, usize) {
        let code: &dyn Ecc = match self {
            Self::Bch(code) => &**code,
            Self::Hard(code) | Self::Soft(code, _) => &**code,
        };
        (code.data_bytes(), code.parity_bytes())
    }

    /// Bits of a codeword.
    pub fn codeword_bits(&self) -> usize {
        match self {
            Self::Bch(code) => code.codeword_bits(),
            Self::Hard(code) | Self::Soft(code, _) => code.codeword_bits(),
        }
    }

    fn most_rounds(&self) -> usize {
        match self {
            Self::Bch(_) => 1,
            Self::Hard(code) | Self::Soft(code, _) => 2 * code.rounds(), // with a second search
        }
    }

    fn channel(&self, rber: f64) -> Result<Option<Sensing>, SensingError> {
        match self {
            Self::Soft(_, reads) => Sensing::new(*reads, rber).map(Some),
            _ if rber > 0.0 && rber < 0.5 => Ok(None),
            _ => Err(SensingError::Rber(rber)),
        }
    }

    /// Goes on from `outcomes`, or from none, until `stop`. Trial i depends on `seed` and i alone.
    /// `progress` is called between rounds and may stop early.
    ///
    /// # Errors
    /// When there is no channel of this error rate, or the outcomes belong to another decoder.
    pub fn measure(
        &self,
        rber: f64,
        seed: u64,
        outcomes: &mut Outcomes,
        stop: Stop,
        progress: &mut dyn FnMut(&Outcomes) -> ControlFlow<()>,
    ) -> Result<(), SensingError> {
        let channel = self.channel(rber)?;
        outcomes.0.resize(outcomes.0.len().max(DECODED + self.most_rounds() + 1), 0);
        let trial = |worker: &mut Worker, trial: u64| {
            worker.run(rber, channel.as_ref(), bits::stream(seed, trial))
        };
        let worker = || Worker::new(self.clone());
        monte_carlo::run_counted(&mut outcomes.0, stop.trials, worker, trial, &mut |counts| {
            let now = Outcomes(counts.to_vec());
            if now.tally().failures >= stop.failures {
                return ControlFlow::Break(());
            }
            progress(&now)
        });
        Ok(())
    }
}

/// What a thread needs.
struct Worker {
    reader: Reader,
    sent: Vec<u8>,
    received: Vec<u8>,
    beliefs: Vec<i8>,
}

impl Worker {
    fn new(reader: Reader) -> Self {
        Self { reader, sent: Vec::new(), received: Vec::new(), beliefs: Vec::new() }
    }

    /// One codeword; returns its place among the [`Outcomes`].
    fn run(&mut self, rber: f64, channel: Option<&Sensing>, seed: u64) -> usize {
        let Self { reader, sent, received, beliefs } = self;
        let seeds: [u64; 2] = [bits::stream(seed, 0), bits::stream(seed, 1)];
        let decoded = match (reader, channel) {
            (Reader::Soft(code, _), Some(channel)) => {
                let data_bytes = encode(&mut **code, sent, seeds[0]);
                channel.read(sent, seeds[1], beliefs);
                received.resize(sent.len(), 0);
                let (data, parity) = received.split_at_mut(data_bytes);
                code.decode_soft(beliefs, data, parity)
            }
            (Reader::Bch(code), _) => {
                let length = code.codeword_bits();
                hard(&mut **code, length, |at| 0x80 >> (at % 8), (sent, received), rber, seeds)
            }
            (Reader::Hard(code) | Reader::Soft(code, _), _) => {
                let length = code.codeword_bits();
                hard(&mut **code, length, |at| 1 << (at % 8), (sent, received), rber, seeds)
            }
        };
        match decoded {
            Err(_) => REFUSED,
            Ok(_) if received != sent => MISCORRECTED,
            Ok(Corrected { iterations, .. }) => DECODED + iterations,
        }
    }
}

/// Puts a random codeword into `sent`; returns the bytes of its data.
fn encode(code: &mut dyn Ecc, sent: &mut Vec<u8>, seed: u64) -> usize {
    let data_bytes = code.data_bytes();
    sent.resize(data_bytes + code.parity_bytes(), 0);
    let (data, parity) = sent.split_at_mut(data_bytes);
    for (chunk, index) in data.chunks_mut(8).zip(0..) {
        chunk.copy_from_slice(&bits::random_word(seed, index).to_le_bytes()[..chunk.len()]);
    }
    if let Err(error) = code.encode(data, parity) {
        unreachable!("the buffers have the code's lengths: {error}");
    }
    data_bytes
}

fn hard(
    code: &mut dyn Ecc,
    length: usize,
    mask: impl Fn(usize) -> u8,
    (sent, received): (&mut Vec<u8>, &mut Vec<u8>),
    rber: f64,
    seeds: [u64; 2],
) -> Result<Corrected, super::DecodeError> {
    let data_bytes = encode(code, sent, seeds[0]);
    received.clone_from(sent);
    for place in WrongBits::new(length, rber, seeds[1]) {
        received[place / 8] ^= mask(place);
    }
    let (data, parity) = received.split_at_mut(data_bytes);
    code.decode(data, parity)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn go_on() -> impl FnMut(&Outcomes) -> ControlFlow<()> {
        |_| ControlFlow::Continue(())
    }

    /// The decoder as it is against the closed form, which knows nothing of it.
    #[test]
    fn bch_fails_as_often_as_the_binomial_distribution_says() {
        for (data_bytes, t, rber) in [(64, 4, 5e-3), (512, 8, 1.5e-3), (1024, 40, 4e-3)] {
            let code = Bch::new(data_bytes, t).unwrap();
            let expected = code.failure_probability(rber);
            let reader = Reader::Bch(Box::new(code));
            let mut outcomes = Outcomes::default();
            let stop = Stop { trials: 4_000, failures: u64::MAX };
            reader.measure(rber, 11, &mut outcomes, stop, &mut go_on()).unwrap();
            let (low, high) = outcomes.tally().interval(0.999);
            assert!(low < expected && expected < high, "t {t}: {low} {expected} {high}");
        }
    }

    #[test]
    fn what_became_of_codewords_is_counted() {
        // 3 refused, 5 miscorrected; 7 right at once, 11 after a round, 2 after two.
        let outcomes = Outcomes(vec![3, 5, 7, 11, 2]);
        assert_eq!(outcomes.tally(), Tally { trials: 28, failures: 8 });
        assert_eq!(outcomes.miscorrected(), 5);
        assert_eq!(outcomes.mean_rounds(), Some(15.0 / 20.0));
    }

    #[test]
    fn a_measurement_ends_with_the_round_in_which_the_last_failure_falls() {
        let reader = Reader::Bch(Box::new(Bch::new(64, 4).unwrap()));
        let measure = |failures: u64, seen: &mut Vec<Tally>| {
            let (mut outcomes, stop) = (Outcomes::default(), Stop { trials: 100_000, failures });
            let mut look = |now: &Outcomes| {
                seen.push(now.tally());
                if seen.len() == 7 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            reader.measure(8e-3, 2, &mut outcomes, stop, &mut look).unwrap();
            outcomes.tally()
        };
        let mut rounds = Vec::new();
        measure(u64::MAX, &mut rounds);
        let [.., before, last] = rounds[..] else { panic!("{rounds:?}") };
        assert!(before.failures > rounds[0].failures && last.failures > before.failures);
        assert_eq!(measure(before.failures, &mut Vec::new()), before);
        assert_eq!(measure(before.failures + 1, &mut Vec::new()), last);
    }

    #[test]
    fn stored_outcomes_go_on_where_they_stopped() {
        let reader = Reader::Bch(Box::new(Bch::new(64, 4).unwrap()));
        let measure = |outcomes: &mut Outcomes, trials| {
            let stop = Stop { trials, failures: u64::MAX };
            reader.measure(8e-3, 2, outcomes, stop, &mut go_on()).unwrap();
        };
        let (mut whole, mut parts) = (Outcomes::default(), Outcomes::default());
        measure(&mut whole, 900);
        measure(&mut parts, 300);
        measure(&mut parts, 900);
        assert_eq!(whole, parts);
        assert!(whole.tally().failures > 0 && whole.mean_rounds().unwrap() > 0.5);
    }

    #[test]
    fn soft_reading_loses_fewer_codewords() {
        let code = Box::new(Ldpc::load(14).unwrap());
        let lost = |reader: Reader| {
            let mut outcomes = Outcomes::default();
            let stop = Stop { trials: 64, failures: u64::MAX };
            reader.measure(8e-3, 1, &mut outcomes, stop, &mut go_on()).unwrap();
            outcomes.tally().failures
        };
        let (hard, soft) = (lost(Reader::Hard(code.clone())), lost(Reader::Soft(code, 3)));
        assert!(hard > 10 && soft < 2, "{hard} of 64 hard, {soft} soft");
    }

    #[test]
    fn impossible_error_rates_are_refused() {
        let reader = Reader::Bch(Box::new(Bch::new(64, 4).unwrap()));
        for rber in [0.0, 0.5, -1.0, f64::NAN] {
            let stop = Stop { trials: 1, failures: 1 };
            let outcome = reader.measure(rber, 1, &mut Outcomes::default(), stop, &mut go_on());
            assert!(outcome.is_err(), "{rber}");
        }
    }
}
