//! A drive of an array whose power is cut.

use super::super::damage::{Damage, Shares};
use super::super::promises::Oracle;
use super::super::saved::Kept;
use super::super::scanned_pages::Scan;
use super::super::timeline::{Course, Event};
use super::super::verdict::{Numbers, Verdict};
use super::contents::{Content, Sent, at_start};
use crate::array::Layout;
use crate::drive::DriveState;
use crate::error::Error;
use crate::flash::{Image, Mark, Recording};
use crate::host::log::{HostLog, Noted};
use crate::ids::{DriveId, Id, Ids, Lpn, StripeId, Unit};
use crate::util::Rng;
use rustc_hash::FxHashMap;

/// What a drive did in a run, and what it was asked.
#[derive(Debug)]
pub struct Recorded {
    /// Its programs and erases.
    pub recording: Recording,
    /// The requests of the array.
    pub log: HostLog,
    /// Its logical units.
    pub numbers: Numbers,
}

/// The drive as it stands, and what its units hold of the array's pages by their versions.
#[derive(Debug)]
pub struct Member<'a> {
    /// Its programs and erases, and its flash.
    pub course: Course<'a>,
    drive: DriveId,
    layout: Layout,
    oracle: Oracle,
    numbers: Numbers,
    /// By stripe, what was written of it, and the version of the unit from then on, in order.
    contents: FxHashMap<StripeId, Vec<(u32, Content)>>,
    stripes_per_unit: u32,
    /// What an earlier cut left, and may not be readable a second time.
    unstable: Vec<(Unit, Mark)>,
}

impl<'a> Member<'a> {
    /// A drive at the start of a run in which it was sent `sent`.
    pub fn new(
        (drive, layout, page_bytes): (DriveId, Layout, u64),
        recorded: &'a Recorded,
        state: &'a DriveState,
        sent: &Sent,
    ) -> Self {
        let Recorded { recording, log, numbers } = recorded;
        let course = Course::new(recording, state, numbers.mapped);
        let oracle =
            Oracle::new(log, numbers.logical, |lpn| course.surface.units_of(lpn).next().is_some());
        let stripes_per_unit = (numbers.unit_bytes / page_bytes) as u32;
        let (numbers, contents, unstable) = (*numbers, FxHashMap::default(), Vec::new());
        let mut member =
            Self { course, drive, layout, oracle, numbers, contents, stripes_per_unit, unstable };
        for (noted, pages) in log.requests.iter().zip(sent) {
            pages.iter().for_each(|page| member.note(noted, page));
        }
        member
    }

    /// The drive after a cut that left `damage`, as a restart found it, which it then went on from: pages were written to
    /// it one by one.
    pub fn restarted<'b>(
        &self,
        (image, damage): (&Image, &Damage),
        (recorded, state): (&'b Recorded, &'b DriveState),
        written: &[(StripeId, Content)],
    ) -> Member<'b> {
        let mut course = Course::new(&recorded.recording, state, self.numbers.mapped);
        course.surface.distrust(&damage.blank);
        let readable = |&unit: &Unit| image.held.marks[unit].map(|mark| (unit, mark));
        let mut contents = self.contents.clone();
        for (stripe, versions) in &mut contents {
            let found = image.versions[self.unit_of(*stripe)];
            versions.retain(|&(version, _)| version <= found);
        }
        let mut member = Member {
            course,
            drive: self.drive,
            layout: self.layout,
            oracle: self.oracle.restarted(image),
            numbers: self.numbers,
            contents,
            stripes_per_unit: self.stripes_per_unit,
            unstable: damage.unstable.iter().filter_map(readable).collect(),
        };
        for (noted, page) in recorded.log.requests.iter().zip(written) {
            member.note(noted, page);
        }
        member
    }

    /// A request wrote a page of a stripe.
    fn note(&mut self, noted: &Noted, (stripe, content): &(StripeId, Content)) {
        let lpn = self.unit_of(*stripe);
        if let Some(touched) = noted.units.iter().find(|unit| unit.lpn == lpn) {
            let version = (touched.version, content.clone());
            self.contents.entry(*stripe).or_default().push(version);
        }
    }

    /// The logical unit that holds a stripe.
    fn unit_of(&self, stripe: StripeId) -> Lpn {
        Lpn((stripe.number() / self.stripes_per_unit).into())
    }

    /// Reading what the drive, as `state` says, holds of stripes.
    pub fn scan(&self, state: &DriveState, stripes: &[StripeId]) -> Scan {
        Scan::of_units(state, stripes.iter().map(|&stripe| self.unit_of(stripe)))
    }

    /// What a restart makes of the drive after a cut.
    ///
    /// # Errors
    /// A checkpoint that leads elsewhere than a scan of the whole flash.
    pub fn image(&self, damage: &Damage) -> Result<Image, Error> {
        self.verdict().check_checkpoint(damage)?;
        Ok(self.verdict().image(damage))
    }

    /// Something happens to the drive; returns the stripes of which it may then hold something else.
    pub fn take_place(&mut self, event: Event) -> Vec<StripeId> {
        let changed = self.course.take_place(event);
        let Event::Ended(command) = event else { return Vec::new() };
        let written = self.course.command(command).written.iter().map(|(_, mark)| mark.lpn);
        self.stripes_of(written.chain(changed))
    }

    /// The stripes of logical units, and of those of whose trims they tell; the drive of a journal holds none.
    fn stripes_of(&self, units: impl Iterator<Item = Lpn>) -> Vec<StripeId> {
        if self.drive.number() >= self.layout.drives {
            return Vec::new();
        }
        let verdict = self.verdict();
        let host_units = units.flat_map(|lpn| verdict.host_units(lpn));
        let first = |lpn: Lpn| StripeId(lpn.number() as u32 * self.stripes_per_unit);
        let stripes = host_units.flat_map(|lpn| Ids::new(first(lpn), self.stripes_per_unit).iter());
        stripes.filter(|stripe| stripe.number() < self.layout.stripes).collect()
    }

    fn verdict(&self) -> Verdict<'_> {
        Verdict::new(&self.course, &self.oracle, self.numbers)
    }

    /// Power fails: what that leaves.
    pub fn fall(&self, shares: Shares, rng: &mut Rng) -> Damage {
        let mut damage = self.course.damage(&Kept::default(), shares, rng);
        damage.tear_again(&self.course.surface, &self.unstable, shares.torn, rng);
        damage
    }

    /// The stripes that a cut concerns.
    pub fn concerned(&self, damage: &Damage) -> Vec<StripeId> {
        self.stripes_of(damage.concerned.iter().copied())
    }

    /// Whether a restart finds any data of a stripe.
    pub fn has_data(&self, damage: &Damage, stripe: StripeId) -> bool {
        self.verdict().version_of(damage, self.unit_of(stripe)) > 0
    }

    /// What a restart finds of a stripe; `None`: what was there at the start, or was written since, is gone.
    pub fn holds(&self, damage: &Damage, stripe: StripeId) -> Option<Content> {
        let lpn = self.unit_of(stripe);
        let version = self.verdict().version_of(damage, lpn);
        if version == 0 && self.oracle.promised(lpn) > 0 {
            return None;
        }
        let written = self.contents.get(&stripe).into_iter().flatten();
        let newest = written.rev().find(|(from, _)| *from <= version);
        let content = newest.map(|(_, content)| content.clone());
        Some(content.unwrap_or_else(|| at_start(&self.layout, self.drive, stripe)))
    }
}
