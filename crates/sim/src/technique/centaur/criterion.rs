//! The dispatching criterion: from how many bytes on a part is for the 3D flash (Algorithm 1).

/// A kind of flash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Small programs, many cycles.
    TwoD,
    /// Large programs, few cycles.
    ThreeD,
}

/// The criterion, which follows the lifetimes of both kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Criterion {
    /// Parts of at least so many bytes are for the 3D flash.
    pub bytes: u64,
    /// The least that it becomes.
    pub min_bytes: u64,
    /// The most that it becomes.
    pub max_bytes: u64,
    /// How much it changes at a time.
    pub step_bytes: u64,
    /// After how many parts it changes.
    pub period_parts: u64,
    /// Parts since it changed.
    pub since: u64,
}

impl Criterion {
    /// The kind of flash for the next part, of so many bytes. `spares_2d` says whether the 2D flash has
    /// spent less of its life; where both have spent as much, the criterion falls.
    pub fn dispatch(&mut self, bytes: u64, spares_2d: impl FnOnce() -> bool) -> Kind {
        self.since += 1;
        if self.since >= self.period_parts {
            self.since = 0;
            self.bytes = match spares_2d() {
                true if self.bytes < self.max_bytes => self.bytes + self.step_bytes,
                false if self.bytes > self.min_bytes => self.bytes - self.step_bytes,
                _ => self.bytes,
            };
        }
        self.judge(bytes)
    }

    /// The kind of flash for a part of so many bytes, as things are.
    pub fn judge(&self, bytes: u64) -> Kind {
        if self.bytes <= bytes { Kind::ThreeD } else { Kind::TwoD }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: u64 = 1024;

    /// The published values.
    fn published(bytes: u64) -> Criterion {
        let (min_bytes, max_bytes) = (32 * KIB, 88 * KIB);
        Criterion { bytes, min_bytes, max_bytes, step_bytes: 512, period_parts: 1000, since: 0 }
    }

    /// The criterion after a period.
    fn after_a_period(bytes: u64, spares_2d: bool) -> u64 {
        let mut criterion = published(bytes);
        (0..1000).for_each(|_| {
            criterion.dispatch(0, || spares_2d);
        });
        criterion.bytes
    }

    #[test]
    fn the_thousandth_part_is_judged_by_the_new_value() {
        let mut criterion = published(72 * KIB);
        let part = 72 * KIB - 512;
        for _ in 0..999 {
            assert_eq!(criterion.dispatch(part, || false), Kind::TwoD);
            assert_eq!(criterion.bytes, 72 * KIB);
        }
        assert_eq!(criterion.dispatch(part, || false), Kind::ThreeD);
        assert_eq!((criterion.bytes, criterion.since), (part, 0));
    }

    #[test]
    fn it_stays_within_its_bounds() {
        assert_eq!(after_a_period(88 * KIB, true), 88 * KIB);
        assert_eq!(after_a_period(88 * KIB - 512, true), 88 * KIB);
        assert_eq!(after_a_period(32 * KIB, false), 32 * KIB);
        assert_eq!(after_a_period(32 * KIB + 512, false), 32 * KIB);
        assert_eq!(after_a_period(72 * KIB, true), 72 * KIB + 512);
    }

    #[test]
    fn it_falls_to_its_bound_in_eighty_periods() {
        let mut criterion = published(72 * KIB);
        (0..79_999).for_each(|_| {
            criterion.dispatch(0, || false);
        });
        assert_eq!(criterion.bytes, 32 * KIB + 512);
        criterion.dispatch(0, || false);
        assert_eq!(criterion.bytes, 32 * KIB);
    }

    #[test]
    fn a_part_of_its_very_size_is_for_the_3d_flash() {
        let criterion = published(72 * KIB);
        assert_eq!(criterion.judge(72 * KIB - 1), Kind::TwoD);
        assert_eq!(criterion.judge(72 * KIB), Kind::ThreeD);
    }
}
