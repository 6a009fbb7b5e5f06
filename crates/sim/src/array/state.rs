//! What an array is doing, and how long requests took meanwhile.

use crate::metrics::Latencies;

/// What an array is doing besides serving the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Nothing.
    Whole,
    /// A drive is missing.
    Degraded,
    /// A drive is rebuilt.
    Rebuild,
    /// All drives are read and compared.
    Scrub,
    /// Nothing, since a rebuild was over.
    Rebuilt,
}

impl State {
    const ALL: [Self; 5] = [Self::Whole, Self::Degraded, Self::Rebuild, Self::Scrub, Self::Rebuilt];

    /// Its name in a result.
    pub fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Degraded => "degraded",
            Self::Rebuild => "rebuild",
            Self::Scrub => "scrub",
            Self::Rebuilt => "rebuilt",
        }
    }
}

/// Latencies of reads and of writes by what the array was doing when they ended.
#[derive(Debug, Clone, Default)]
pub struct Phases([Option<Box<[Latencies; 2]>>; State::ALL.len()]);

impl Phases {
    /// Those of an array that was whole whenever a request ended: they are the latencies of all reads and writes.
    pub fn of_whole(reads: &Latencies, writes: &Latencies) -> Self {
        let mut phases = Self::default();
        if reads.count() + writes.count() > 0 {
            *phases.of(State::Whole) = [reads.clone(), writes.clone()];
        }
        phases
    }

    /// Those of one state.
    #[inline]
    pub fn of(&mut self, state: State) -> &mut [Latencies; 2] {
        self.0[state as usize].get_or_insert_default()
    }

    /// Those of each state in which a request ended.
    pub fn iter(&self) -> impl Iterator<Item = (State, &[Latencies; 2])> {
        let all = State::ALL.into_iter().zip(&self.0);
        all.filter_map(|(state, latencies)| Some((state, latencies.as_deref()?)))
    }
}
