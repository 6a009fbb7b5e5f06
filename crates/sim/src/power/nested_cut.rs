//! A restart in whose midst power fails again: whatever the first cut left and the restart has not put elsewhere
//! yet must still be found.

use super::damage::{Damage, Shares};
use super::hold_up::HoldUp;
use super::memory::Memory;
use super::promises::Oracle;
use super::restart::Restarted;
use super::saved::{Kept, Saved};
use super::timeline::Course;
use super::verdict::{Numbers, Verdict};
use crate::flash::{Image, Mark};
use crate::ids::{Id, Lpn, Unit};
use crate::util::Rng;

/// What the first cut left.
#[derive(Debug, Clone, Copy)]
pub struct First<'a> {
    /// What the restart found.
    pub image: &'a Image,
    /// What the flash suffered.
    pub damage: &'a Damage,
    /// What was saved out of the controller's memory. It stays where it is until the restart is over.
    pub saved: &'a Saved,
    /// The energy that every cut leaves, where it is a number.
    pub hold_up: Option<&'a HoldUp>,
}

/// A restart after a cut.
#[derive(Debug)]
pub struct Second<'a> {
    course: Course<'a>,
    first: First<'a>,
    memory: Option<Memory<'a>>,
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
    /// The first losses, and what the restart after a whole one finds otherwise: the logical unit, and the version that
    /// was found.
    pub lost: Vec<(Lpn, u32)>,
}

impl<'a> Second<'a> {
    /// A restart after a first cut; promised is what had been before.
    pub fn new(
        restarted: &'a Restarted,
        first: First<'a>,
        before: &Oracle,
        numbers: Numbers,
    ) -> Self {
        let First { image, damage, hold_up, .. } = first;
        let mut course = Course::new(&restarted.recording, &restarted.state, numbers.mapped);
        course.surface.distrust(&damage.blank);
        let marks = &image.held.marks;
        let readable = |&unit: &Unit| marks[unit].map(|mark| (unit, mark));
        let unstable = damage.unstable.iter().filter_map(readable).collect();
        let memory = hold_up.map(|it| Memory::restarted(it, image, numbers));
        Self { course, first, memory, oracle: before.restarted(image), numbers, unstable }
    }

    /// Power fails before the restart has done anything, and at every moment of it. A second restart, after the whole
    /// first one, has to find what that did.
    pub fn cut_everywhere(mut self, shares: Shares, seed: u64) -> Again {
        let mut again = Again::default();
        let mut rng = Rng::new(seed, "second power cut");
        self.cut(shares, &mut rng, Some(&[]), &mut again);
        for (at, event) in self.course.events(&[]) {
            let changed = self.course.take_place(event);
            let verdict = Verdict::new(&self.course, &self.oracle, self.numbers);
            if let Some(memory) = &mut self.memory {
                memory.pass(&self.course, verdict, (at, event), &changed);
            }
            let changed = Some(&*changed).filter(|_| !self.course.concerns_metadata(event));
            self.cut(shares, &mut rng, changed, &mut again);
        }
        let differs = self.differs_at_end(shares, &mut rng);
        again.losing_cuts += u64::from(differs.is_some());
        again.lost.extend(differs);
        again
    }

    /// A cut; of `changed` units are gone, where metadata is not concerned.
    fn cut(&self, shares: Shares, rng: &mut Rng, changed: Option<&[Lpn]>, again: &mut Again) {
        let verdict = self.verdict();
        let mut kept = self.kept(verdict);
        let damage = self.damage(&kept, shares, rng);
        for (&lpn, &version) in self.first.saved {
            let saved = kept.saved.entry(lpn).or_default();
            *saved = version.max(*saved);
        }
        let verdict = verdict.with(&kept.saved);
        let promised = |lpn| self.oracle.promised(lpn);
        let lost = match changed {
            Some(changed) => verdict.lost_among(&damage, changed.iter().copied(), promised),
            None => verdict.lost_by_scan(&damage, promised),
        };
        again.cuts += 1;
        again.losing_cuts += u64::from(!lost.is_empty());
        again.lost.extend(lost.into_iter().take(1));
    }

    /// What the energy keeps at a cut.
    fn kept(&self, verdict: Verdict<'_>) -> Kept {
        let memory = self.memory.as_ref();
        memory.map(|it| it.keep(&self.course, verdict, &self.oracle)).unwrap_or_default()
    }

    fn damage(&self, kept: &Kept, shares: Shares, rng: &mut Rng) -> Damage {
        let mut damage = self.course.damage(kept, shares, rng);
        damage.tear_again(&self.course.surface, &self.unstable, shares.torn, rng);
        damage
    }

    fn verdict(&self) -> Verdict<'_> {
        Verdict::new(&self.course, &self.oracle, self.numbers)
    }

    /// Once it is over: the first logical unit of which a restart finds something else than this one did, and what.
    fn differs_at_end(&self, shares: Shares, rng: &mut Rng) -> Option<(Lpn, u32)> {
        let found = self.verdict().found(&self.damage(&Kept::default(), shares, rng));
        let version = |lpn: Lpn| found[lpn].map_or(0, |it| it.version);
        let all = (0..self.numbers.logical).map(Lpn::new);
        all.map(|lpn| (lpn, version(lpn)))
            .find(|&(lpn, found)| found != self.first.image.versions[lpn])
    }
}
