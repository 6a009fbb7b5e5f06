//! A twin drawn from a profile, as a source of requests.

use super::gaps::Cascade;
use super::kind::{GROUPS, Kind};
use super::land::{Land, Space};
use super::model::{Accesses, Profile};
use super::order::Order;
use crate::generate::rng::Rng;
use crate::twin::sizes::EvenSizes;
use crate::{Error, Request, Source};

/// Pages by which new data may be ahead or behind its course.
const SLACK_PAGES: f64 = 8.0;

/// Requests drawn from a profile.
pub struct Profiled {
    name: String,
    profile: Profile,
    seed: u64,
    state: Option<Box<State>>,
}

struct State {
    row: usize,
    at: usize,
    gaps_us: Vec<f64>,
    now_us: f64,
    cascade: Cascade,
    order: Order,
    space: Space,
    /// Reads, then writes.
    sides: [Side; 2],
    rng: Rng,
}

/// Requests of one operation.
struct Side {
    land: Land,
    sizes: Vec<Option<EvenSizes>>,
    /// Pages that should be covered by now, and more with each request of this stretch.
    due: f64,
    step: f64,
}

impl Profiled {
    /// The twin that `profile` describes, drawn from `seed`.
    pub fn new(name: &str, profile: Profile, seed: u64) -> Self {
        Self { name: name.to_owned(), profile, seed, state: None }
    }
}

impl Side {
    fn new(side: Option<&Accesses>, profile: &Profile, purpose: &str, seed: u64) -> Self {
        let none = Accesses::default();
        let side = side.unwrap_or(&none);
        let mut sizes: Vec<Option<EvenSizes>> = vec![None; GROUPS];
        for (index, of) in side.sizes.iter().enumerate() {
            sizes[usize::from(of.group)] =
                Some(EvenSizes::new(&of.sizes, index as f64 * 0.37, seed));
        }
        let rng = Rng::new(seed, purpose);
        let land = Land::new(side, profile.page_bytes, side.pages as f64, rng);
        Self { land, sizes, due: 0.0, step: 0.0 }
    }

    /// The size of a request of this kind, or of the nearest group that has sizes.
    fn bytes(&mut self, kind: Kind) -> u32 {
        let index = kind.group();
        let has = |&at: &usize| self.sizes[at].is_some();
        let at = if has(&index) {
            index
        } else {
            (0..GROUPS).filter(has).min_by_key(|at| at.abs_diff(index)).unwrap_or(index)
        };
        self.sizes[at].as_mut().map_or(4096, EvenSizes::next_bytes)
    }

    /// The kind that keeps new data on its course.
    fn steered(&mut self, kind: Kind) -> Kind {
        self.due += self.step;
        let ahead = self.land.covered as f64 - self.due;
        let slack = SLACK_PAGES + 0.002 * self.due;
        match kind.old {
            true if ahead < -slack => Kind { old: false, ..kind },
            false if ahead > slack => Kind { old: true, ..kind },
            _ => kind,
        }
    }
}

impl State {
    fn new(profile: &Profile, seed: u64) -> Self {
        let sides = [(&profile.read, "profile read"), (&profile.write, "profile write")];
        Self {
            row: 0,
            at: 0,
            gaps_us: Vec::new(),
            now_us: 0.0,
            cascade: Cascade::new(&profile.splits),
            order: Order::new(profile),
            space: Space::new(profile.covered_pages()),
            sides: sides.map(|(side, purpose)| Side::new(side.as_ref(), profile, purpose, seed)),
            rng: Rng::new(seed, "profile order"),
        }
    }

    /// Begins the next stretch that has requests; false at the end.
    fn begin(&mut self, course: &[Vec<u64>]) -> bool {
        while let Some(row) = course.get(self.row) {
            self.row += 1;
            let requests: u64 = row[1..=GROUPS].iter().sum();
            if requests == 0 {
                continue;
            }
            self.at = 0;
            self.gaps_us.resize(requests as usize, 0.0);
            // The first request of all comes at once.
            let from = usize::from(self.row == 1);
            self.cascade.fill(&mut self.gaps_us[from..], row[0] as f64, &mut self.rng);
            self.order.begin(&row[1..=GROUPS]);
            let halves = row[1..=GROUPS].chunks(GROUPS / 2);
            for ((side, counts), &new) in self.sides.iter_mut().zip(halves).zip(&row[GROUPS + 1..])
            {
                side.step = new as f64 / (counts.iter().sum::<u64>() as f64).max(1.0);
            }
            return true;
        }
        false
    }

    #[inline]
    fn next(&mut self) -> Request {
        let gap_us = self.gaps_us[self.at];
        self.at += 1;
        self.now_us += gap_us;
        let kind = self.order.next(gap_us, &mut self.rng);
        let [reads, writes] = &mut self.sides;
        let (side, other) = if kind.write { (writes, reads) } else { (reads, writes) };
        let kind = side.steered(kind);
        let bytes = side.bytes(kind);
        let extent = side.land.next(kind, bytes, &mut self.space, &mut other.land);
        Request::new(kind.op(), extent.offset_bytes, extent.size_bytes)
            .at(self.now_us as u64 * 1000)
    }
}

impl Source for Profiled {
    fn name(&self) -> &str {
        &self.name
    }

    fn next_batch(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        batch.clear();
        let (profile, seed) = (&self.profile, self.seed);
        let state = self.state.get_or_insert_with(|| Box::new(State::new(profile, seed)));
        for _ in 0..batch.capacity().max(1) {
            if state.at == state.gaps_us.len() && !state.begin(&profile.course) {
                break;
            }
            batch.push(state.next());
        }
        Ok(())
    }

    fn rewind(&mut self) -> Result<(), Error> {
        self.state = None;
        Ok(())
    }

    fn len_hint(&self) -> Option<u64> {
        Some(self.profile.requests())
    }

    fn is_synthetic(&self) -> bool {
        true
    }
}
