//! The first stage of FLIN: where an operation that comes is put among those of its class that wait for its die.

/// What waits, as the first stage sees it.
#[derive(Debug, Clone, Copy)]
pub struct Waiting {
    /// Whose it is; `None`: the drive's own, which keeps its place.
    pub flow: Option<u32>,
    /// How long it takes.
    pub service_ns: u64,
    /// How long it would have taken, from when it was issued, had its flow been alone.
    pub alone_ns: u64,
    /// How long ago it was issued.
    pub age_ns: u64,
    /// Whether its flow was of low intensity when it was issued.
    pub is_low: bool,
    /// Whether none that comes later goes ahead of it.
    pub is_pinned: bool,
}

impl Waiting {
    /// How many times as long it takes as alone, if it ends `end_ns` from now.
    fn slowdown(&self, end_ns: u64) -> f64 {
        (self.age_ns + end_ns) as f64 / self.alone_ns.max(1) as f64
    }
}

/// The least and the largest of some slowdowns.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Range {
    min: f64,
    max: f64,
}

impl Range {
    const EMPTY: Self = Self { min: f64::INFINITY, max: 0.0 };

    fn with(self, slowdown: f64) -> Self {
        Self { min: self.min.min(slowdown), max: self.max.max(slowdown) }
    }

    fn and(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The least by the largest: 1 where all suffer alike.
    fn fairness(self) -> f64 {
        self.min / self.max
    }
}

/// Where an operation goes among those that wait, and whether it is pinned there. Those of flows of low intensity stand
/// before all others. Among its like it goes where slowdowns differ least, but never ahead of one of its own flow or of
/// one that is pinned. One of high intensity whose flow suffers most, while fairness is below `threshold`, goes as far
/// ahead as that allows, and is pinned. The die is busy for `busy_ns`.
pub fn place(waiting: &[Waiting], new: &Waiting, busy_ns: u64, threshold: f64) -> (usize, bool) {
    let high = waiting.iter().rposition(|it| it.is_low).map_or(0, |last| last + 1);
    let (start, end) = if new.is_low { (0, high) } else { (high, waiting.len()) };
    let stops = |it: &Waiting| it.is_pinned || it.flow.is_none() || it.flow == new.flow;
    let first = waiting[start..end].iter().rposition(stops).map_or(start, |at| start + at + 1);
    if !new.is_low && suffers_most(waiting, new, busy_ns, threshold) {
        return (first, true);
    }
    (fairest(&waiting[..end], new, busy_ns, start, first), false)
}

/// Whether fairness between flows, by the mean slowdown of what each has waiting, is below `threshold` with `new` behind
/// all, and its flow is the one that suffers most.
fn suffers_most(waiting: &[Waiting], new: &Waiting, busy_ns: u64, threshold: f64) -> bool {
    let mut flows: Vec<(u32, f64, u32)> = Vec::new();
    let mut end_ns = busy_ns;
    for it in waiting.iter().chain([new]) {
        end_ns += it.service_ns;
        let Some(flow) = it.flow else { continue };
        let slowdown = it.slowdown(end_ns);
        match flows.iter_mut().find(|of| of.0 == flow) {
            Some((_, sum, count)) => (*sum, *count) = (*sum + slowdown, *count + 1),
            None => flows.push((flow, slowdown, 1)),
        }
    }
    let mean = |&(_, sum, count): &(u32, f64, u32)| sum / f64::from(count);
    let all = flows.iter().map(mean).fold(Range::EMPTY, Range::with);
    let own = flows.iter().find(|of| Some(of.0) == new.flow).map(mean);
    all.fairness() < threshold && own == Some(all.max)
}

/// The place, from `first` to behind all of `waiting`, at which slowdowns of those from `start` on differ least; the last of
/// several.
fn fairest(waiting: &[Waiting], new: &Waiting, busy_ns: u64, start: usize, first: usize) -> usize {
    let mut end_ns = busy_ns;
    let mut before = Range::EMPTY;
    // What stands before each place: when it ends, and how it suffers.
    let mut places = Vec::with_capacity(waiting.len() + 1);
    for (at, it) in waiting.iter().enumerate() {
        places.push((end_ns, before));
        end_ns += it.service_ns;
        if at >= start {
            before = before.with(it.slowdown(end_ns));
        }
    }
    places.push((end_ns, before));
    let mut behind = Range::EMPTY;
    let (mut best, mut best_fairness) = (waiting.len(), 0.0);
    for at in (first..=waiting.len()).rev() {
        let (end_ns, before) = places[at];
        let new_ns = end_ns + new.service_ns;
        if let Some(it) = waiting.get(at) {
            behind = behind.with(it.slowdown(new_ns + it.service_ns));
        }
        let fairness = before.and(behind).with(new.slowdown(new_ns)).fairness();
        if fairness > best_fairness {
            (best, best_fairness) = (at, fairness);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::{Waiting, place};
    use proptest::prelude::*;

    const READ_NS: u64 = 60;

    fn of(flow: u32, alone_ns: u64, is_low: bool) -> Waiting {
        let (service_ns, age_ns, is_pinned) = (READ_NS, 0, false);
        Waiting { flow: Some(flow), service_ns, alone_ns, age_ns, is_low, is_pinned }
    }

    /// `count` reads of a flow that came together.
    fn burst(flow: u32, count: u64, is_low: bool) -> Vec<Waiting> {
        (1..=count).map(|place| of(flow, place * READ_NS, is_low)).collect()
    }

    #[test]
    fn a_flow_of_low_intensity_goes_ahead_of_those_of_high_intensity() {
        let waiting = burst(0, 5, false);
        assert_eq!(place(&waiting, &of(1, READ_NS, true), 30, 0.6), (0, false));
        // Behind its own, and in the order of coming among those that suffer alike.
        let waiting = [burst(1, 1, true), burst(0, 5, false)].concat();
        assert_eq!(place(&waiting, &of(1, 2 * READ_NS, true), 30, 0.6), (1, false));
    }

    /// Five reads of flow 0 wait, and one of flow 1 comes, both of high intensity: behind all it would take 6 times as long
    /// as alone, and flow 0 is not slowed down.
    #[test]
    fn the_flow_that_suffers_most_goes_ahead_of_others_and_is_pinned() {
        let waiting = burst(0, 5, false);
        let new = of(1, READ_NS, false);
        assert_eq!(place(&waiting, &new, 0, 0.6), (0, true));
        // Where fairness may be a sixth, it goes where slowdowns differ least: with it second those of flow 0 take up to
        // 3/2 of their time, and it takes 2.
        assert_eq!(place(&waiting, &new, 0, 0.1), (1, false));
        // The next of flow 0 does not go ahead of it again.
        let mut pinned = new;
        pinned.is_pinned = true;
        let waiting = [vec![pinned], waiting].concat();
        assert_eq!(place(&waiting, &of(0, 6 * READ_NS, false), 0, 0.6).0, 6);
        assert!(place(&waiting, &of(2, READ_NS, false), 0, 0.6).0 >= 1);
    }

    #[test]
    fn one_flow_keeps_its_order() {
        for is_low in [false, true] {
            let waiting = burst(0, 4, is_low);
            let (at, is_pinned) = place(&waiting, &of(0, 5 * READ_NS, is_low), 0, 1.0);
            assert_eq!((at, is_pinned), (4, false));
        }
    }

    /// Tries every place.
    fn place_by_trying(
        waiting: &[Waiting],
        new: &Waiting,
        busy_ns: u64,
        threshold: f64,
    ) -> (usize, bool) {
        let high = (0..waiting.len()).filter(|&at| waiting[at].is_low).map(|at| at + 1).max();
        let high = high.unwrap_or(0);
        let (start, end) = if new.is_low { (0, high) } else { (high, waiting.len()) };
        let order = |at: usize, end: usize| -> Vec<Waiting> {
            let mut all = waiting[..end].to_vec();
            all.insert(at, *new);
            all
        };
        let slowdowns = |all: &[Waiting]| -> Vec<f64> {
            let end_ns =
                |at: usize| busy_ns + all[..=at].iter().map(|it| it.service_ns).sum::<u64>();
            let slowdown =
                |at: usize| (all[at].age_ns + end_ns(at)) as f64 / all[at].alone_ns as f64;
            (0..all.len()).map(slowdown).collect()
        };
        let fairness = |of: &[f64]| {
            let least = of.iter().copied().fold(f64::INFINITY, f64::min);
            least / of.iter().copied().fold(0.0, f64::max)
        };
        let may_stand = |&at: &usize| {
            waiting[at..end]
                .iter()
                .all(|it| !it.is_pinned && it.flow.is_some() && it.flow != new.flow)
        };
        let places: Vec<usize> = (start..=end).filter(may_stand).collect();
        if !new.is_low {
            let all = order(waiting.len(), waiting.len());
            let of = slowdowns(&all);
            let mean = |flow: u32| {
                let own: Vec<f64> = (0..all.len())
                    .filter(|&at| all[at].flow == Some(flow))
                    .map(|at| of[at])
                    .collect();
                (!own.is_empty()).then(|| own.iter().sum::<f64>() / own.len() as f64)
            };
            let means: Vec<f64> = (0..4).filter_map(mean).collect();
            let own = new.flow.and_then(mean);
            let worst = means.iter().copied().fold(0.0, f64::max);
            if fairness(&means) < threshold && own == Some(worst) {
                return (places[0], true);
            }
        }
        let of = |at: usize| fairness(&slowdowns(&order(at, end))[start..]);
        let best = places.iter().map(|&at| of(at)).fold(0.0, f64::max);
        (places.into_iter().rfind(|&at| of(at) == best).expect("behind all"), false)
    }

    proptest! {
        #[test]
        fn the_place_is_the_one_that_trying_all_finds(
            all in prop::collection::vec(
                (0u32..5, 1u64..9, 0u64..4, 0u64..40, any::<bool>(), 0u8..6), 1..14
            ),
            busy_ns in 0u64..30, threshold in 0.0f64..1.1,
        ) {
            let mut all: Vec<Waiting> = all
                .into_iter()
                .map(|(flow, service_ns, wait_ns, age_ns, is_low, pin)| Waiting {
                    flow: (flow < 4).then_some(flow),
                    service_ns,
                    alone_ns: service_ns + wait_ns,
                    age_ns,
                    is_low,
                    is_pinned: pin == 0,
                })
                .collect();
            let new = all.pop().expect("one");
            all.sort_by_key(|it| !it.is_low);
            let placed = place(&all, &new, busy_ns, threshold);
            prop_assert_eq!(placed, place_by_trying(&all, &new, busy_ns, threshold));
        }
    }
}
