//! A restart in whose midst power fails again: whatever the first cut left and the restart has not put elsewhere
//! yet must still be found.

use super::course::Course;
use super::damage::Damage;
use super::oracle::Oracle;
use super::restart::Restarted;
use super::verdict::{Numbers, Verdict};
use crate::error::Error;
use crate::flash::{Image, Mark};
use crate::ids::{Id, Lpn, Unit};
use crate::util::Rng;

/// A restart after a cut.
#[derive(Debug)]
pub struct Second<'a> {
    course: Course<'a>,
    image: &'a Image,
    oracle: Oracle,
    numbers: Numbers,
    /// What the first cut left, and may not be readable a second time.
    unstable: Vec<(Unit, Mark)>,
}

/// What the cuts of a restart took.
#[derive(Debug, Clone, Default)]
pub struct Again {
    /// Cuts made.
    pub cuts: u64,
    /// Cuts after which something was missing that had been promised.
    pub losing_cuts: u64,
    /// The first losses: the logical unit, and the version that was found.
    pub lost: Vec<(Lpn, u32)>,
}

impl<'a> Second<'a> {
    /// A restart that found `image`, which `damage` had left; promised is what had been before.
    pub fn new(
        restarted: &'a Restarted,
        image: &'a Image,
        damage: &Damage,
        before: &Oracle,
        numbers: Numbers,
    ) -> Self {
        let course = Course::new(&restarted.recording, &restarted.state, numbers.mapped);
        let marks = &image.held.marks;
        let readable = |&unit: &Unit| marks[unit].map(|mark| (unit, mark));
        let unstable = damage.unstable.iter().filter_map(readable).collect();
        Self { course, image, oracle: before.restarted(image), numbers, unstable }
    }

    /// Power fails before the restart has done anything, and at every moment of it.
    ///
    /// # Errors
    /// A second restart, after the whole first one, that finds something else than it did.
    pub fn cut_everywhere(mut self, torn_share: f64, seed: u64) -> Result<Again, Error> {
        let mut again = Again::default();
        let mut rng = Rng::new(seed, "second power cut");
        self.cut(torn_share, &mut rng, Some(&[]), &mut again);
        for (_, event) in self.course.events(&[]) {
            let changed = self.course.take_place(event);
            let changed = Some(&*changed).filter(|_| !self.course.concerns_metadata(event));
            self.cut(torn_share, &mut rng, changed, &mut again);
        }
        self.check_end(torn_share, &mut rng)?;
        Ok(again)
    }

    /// A cut; of `changed` units are gone, where metadata is not concerned.
    fn cut(&self, torn_share: f64, rng: &mut Rng, changed: Option<&[Lpn]>, again: &mut Again) {
        let damage = self.damage(torn_share, rng);
        let lost = match changed {
            Some(changed) => self.verdict().lost_among(&damage, changed),
            None => self.verdict().lost_by_scan(&damage),
        };
        again.cuts += 1;
        again.losing_cuts += u64::from(!lost.is_empty());
        again.lost.extend(lost.into_iter().take(1));
    }

    fn damage(&self, torn_share: f64, rng: &mut Rng) -> Damage {
        let mut damage = self.course.damage(torn_share, rng);
        damage.tear_again(&self.course.surface, &self.unstable, torn_share, rng);
        damage
    }

    fn verdict(&self) -> Verdict<'_> {
        Verdict::new(&self.course, &self.oracle, self.numbers)
    }

    /// Once it is over, a restart finds of every logical unit what this one did.
    fn check_end(&self, torn_share: f64, rng: &mut Rng) -> Result<(), Error> {
        let found = self.verdict().found(&self.damage(torn_share, rng));
        for lpn in (0..self.numbers.logical).map(Lpn::new) {
            let (first, second) = (self.image.versions[lpn], found[lpn].map_or(0, |it| it.version));
            if first != second {
                return Err(Error::Invariant(format!(
                    "a restart finds version {first} of logical unit {}, and the next one version {second}",
                    lpn.number()
                )));
            }
        }
        Ok(())
    }
}
