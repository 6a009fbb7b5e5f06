//! The loops of an erase: pulses, each followed by a verify-read.

/// Loops of an erase at most.
pub const LOOPS_MAX: usize = 8;

/// A pulse of an erase, and the verify-read after it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pulse {
    /// Time of the pulse.
    pub pulse_ns: u64,
    /// Time of the verify-read; 0: none.
    pub verify_ns: u32,
    /// Damage of the pulse, as microseconds of one at the first voltage; 0 where the scheme knows nothing of it.
    pub damage_us: u32,
    /// False where the pulse may not be interrupted.
    pub may_suspend: bool,
    /// Energy of both.
    pub energy_nj: u64,
}

impl Pulse {
    /// Time of the pulse and its verify-read.
    pub fn array_ns(&self) -> u64 {
        self.pulse_ns + u64::from(self.verify_ns)
    }
}

/// The loops of an erase, one after the other, without memory of their own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Loops {
    pulses: [Pulse; LOOPS_MAX],
    count: u8,
}

impl Loops {
    /// An erase that is one pulse, undivided: what is left of it when it is interrupted is what it
    /// still takes.
    pub fn undivided(array_ns: u64, energy_nj: u64) -> Self {
        let mut loops = Self::default();
        loops.push(Pulse { pulse_ns: array_ns, may_suspend: true, energy_nj, ..Pulse::default() });
        loops
    }

    /// One loop more.
    ///
    /// # Panics
    /// If there are [`LOOPS_MAX`].
    pub fn push(&mut self, pulse: Pulse) {
        self.pulses[usize::from(self.count)] = pulse;
        self.count += 1;
    }

    /// The loops.
    pub fn as_slice(&self) -> &[Pulse] {
        &self.pulses[..usize::from(self.count)]
    }

    /// The loops, to be changed.
    pub fn as_mut_slice(&mut self) -> &mut [Pulse] {
        &mut self.pulses[..usize::from(self.count)]
    }

    /// True without a loop.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Time of all.
    pub fn array_ns(&self) -> u64 {
        self.as_slice().iter().map(Pulse::array_ns).sum()
    }

    /// Energy of all.
    pub fn energy_nj(&self) -> u64 {
        self.as_slice().iter().map(|pulse| pulse.energy_nj).sum()
    }

    /// The loop that is under way when `done_ns` of the erase have passed, and how much of it has.
    pub fn at(&self, done_ns: u64) -> Option<(usize, u64)> {
        let mut into_ns = done_ns;
        for (index, pulse) in self.as_slice().iter().enumerate() {
            if into_ns < pulse.array_ns() {
                return Some((index, into_ns));
            }
            into_ns -= pulse.array_ns();
        }
        None
    }
}

impl FromIterator<Pulse> for Loops {
    fn from_iter<I: IntoIterator<Item = Pulse>>(pulses: I) -> Self {
        let mut loops = Self::default();
        pulses.into_iter().for_each(|pulse| loops.push(pulse));
        loops
    }
}

#[cfg(test)]
mod tests {
    use super::{Loops, Pulse};

    #[test]
    fn finds_the_loop_under_way() {
        let pulse = |pulse_ns| Pulse { pulse_ns, verify_ns: 1, energy_nj: 2, ..Pulse::default() };
        let loops: Loops = [pulse(9), pulse(4)].into_iter().collect();
        assert_eq!((loops.array_ns(), loops.energy_nj()), (15, 4));
        for (done_ns, at) in [(0, (0, 0)), (9, (0, 9)), (10, (1, 0)), (14, (1, 4))] {
            assert_eq!(loops.at(done_ns), Some(at));
        }
        assert_eq!(loops.at(15), None);
    }
}
