//! What a cut leaves of a stripe.

use super::contents::{Content, Kept, LoggedStripe};
use crate::array::{Layout, Level, Place};
use crate::ids::{DriveId, Id, Lpn, StripeId};
use std::collections::BTreeSet;

/// What the drives of an array hold of a stripe, drive by drive; `None`: what was there is gone.
#[derive(Debug, PartialEq, Eq)]
pub struct Stripe {
    layout: Layout,
    stripe: StripeId,
    held: Vec<Option<Content>>,
}

impl Stripe {
    /// A stripe of which `holds` says what each drive holds.
    pub fn new(
        layout: Layout,
        stripe: StripeId,
        holds: impl Fn(DriveId) -> Option<Content>,
    ) -> Self {
        Self { layout, stripe, held: layout.drives().iter().map(holds).collect() }
    }

    /// What logs say of the stripe is written, oldest first.
    pub fn replay_all(&mut self, logged: Option<&Vec<&LoggedStripe>>) {
        logged.into_iter().flatten().for_each(|logged| self.replay(logged));
    }

    /// Writes what logs say of the stripe, oldest first; returns what is written for it.
    pub fn redo(&mut self, logged: &Vec<&LoggedStripe>) -> Vec<(DriveId, Content)> {
        let parity = self.layout.parity_of(self.stripe);
        self.replay_all(Some(logged));
        let mut drives: BTreeSet<DriveId> = BTreeSet::new();
        for logged in logged {
            match &logged.kept {
                Kept::Partial { .. } => drives.extend([parity]),
                Kept::Pages(pages) => drives.extend(pages.iter().map(|(drive, _)| *drive)),
            }
        }
        self.written(drives.into_iter())
    }

    /// The stripe is made to match: parity is made of data again, and copies of the first one. Returns what is written for
    /// it.
    pub fn mend(&mut self) -> Vec<(DriveId, Content)> {
        if self.matches() {
            return Vec::new();
        }
        let drives = self.resync();
        assert!(self.matches() || self.held.contains(&None), "{self:?} does not match yet");
        self.written(drives.into_iter())
    }

    fn written(&self, drives: impl Iterator<Item = DriveId>) -> Vec<(DriveId, Content)> {
        drives.filter_map(|drive| Some((drive, self.held[drive.index()].clone()?))).collect()
    }

    /// Makes the stripe match, if its data is there; returns the drives to which that writes.
    fn resync(&mut self) -> Vec<DriveId> {
        let drives = self.layout.drives().iter();
        match self.layout.level {
            Level::Raid0 => Vec::new(),
            Level::Raid1 => {
                let others: Vec<DriveId> =
                    drives.filter(|drive| self.held[drive.index()] != self.held[0]).collect();
                others.iter().for_each(|drive| self.held[drive.index()] = self.held[0].clone());
                others
            }
            Level::Raid5 => {
                let parity = self.layout.parity_of(self.stripe);
                let Some(sum) = self.sum(&|drive| drive != parity) else { return Vec::new() };
                self.held[parity.index()] = Some(sum);
                vec![parity]
            }
        }
    }

    /// What a log or journal says of the stripe is written: the parity, made again of that and of what the drives hold, or
    /// all pages that are in the journal.
    fn replay(&mut self, logged: &LoggedStripe) {
        match &logged.kept {
            Kept::Partial { partial, written } => {
                let mut parity = partial.clone();
                for &drive in written {
                    let Some(held) = &self.held[drive.index()] else { return };
                    parity.add(held);
                }
                self.held[self.layout.parity_of(self.stripe).index()] = Some(parity);
            }
            Kept::Pages(pages) => {
                for (drive, content) in pages {
                    self.held[drive.index()] = Some(content.clone());
                }
            }
        }
    }

    /// Whether the parity matches the data, or all copies are the same.
    pub fn matches(&self) -> bool {
        match self.layout.level {
            Level::Raid0 => true,
            Level::Raid1 => self.held.iter().all(|held| *held == self.held[0]),
            Level::Raid5 => self.sum(&|_| true).is_some_and(|sum| sum.is_zero()),
        }
    }

    /// The XOR of what some drives hold; `None` where one of them lost it.
    fn sum(&self, is_meant: &dyn Fn(DriveId) -> bool) -> Option<Content> {
        let mut sum = Content::default();
        let drives = self.layout.drives();
        for (held, _) in self.held.iter().zip(drives).filter(|&(_, drive)| is_meant(drive)) {
            sum.add(held.as_ref()?);
        }
        Some(sum)
    }

    /// The pages of data, each with its drive.
    pub fn pages(&self) -> impl Iterator<Item = (DriveId, Lpn)> + '_ {
        let drives = match self.layout.level {
            Level::Raid1 => 1,
            Level::Raid0 | Level::Raid5 => self.layout.drives,
        };
        let place = |drive| Place { drive, stripe: self.stripe };
        let page = move |drive| self.layout.page_at(place(drive)).map(|page| (drive, page));
        (0..drives).map(DriveId).filter_map(page)
    }

    /// The version of a drive's page that the array then has: of copies the oldest, since any of them may be the one
    /// that the others are made of; 0: none.
    pub fn version(&self, drive: DriveId) -> u32 {
        let of = |held: &Option<Content>| {
            held.as_ref().and_then(|held| held.version_of(drive)).unwrap_or(0)
        };
        match self.layout.level {
            Level::Raid1 => self.held.iter().map(of).min().unwrap_or(0),
            Level::Raid0 | Level::Raid5 => of(&self.held[drive.index()]),
        }
    }

    /// The version of a page if its drive fails before anything was mended, where that can be had without it.
    pub fn version_without(&self, drive: DriveId) -> Option<u32> {
        let others = |of| of != drive;
        let of_sum = || self.sum(&others).and_then(|sum| sum.version_of(drive)).unwrap_or(0);
        (self.layout.level == Level::Raid5).then(of_sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUT: Layout = Layout { level: Level::Raid5, drives: 3, chunk: 1, stripes: 3 };

    /// Stripe 0, whose parity is on the last drive, with these versions of its data and in its parity.
    fn stripe(data: [u32; 2], parity: [u32; 2]) -> Stripe {
        let holds = |drive: DriveId| match drive.0 {
            2 => Content::parity([(DriveId(0), parity[0]), (DriveId(1), parity[1])].into_iter()),
            of => Content::of_data(drive, data[of as usize]),
        };
        Stripe::new(LAYOUT, StripeId(0), |drive| Some(holds(drive)))
    }

    #[test]
    fn a_parity_of_other_versions_gives_no_page_back() {
        let whole = stripe([4, 2], [4, 2]);
        assert!(whole.matches());
        assert_eq!(whole.version_without(DriveId(0)), Some(4));
        let torn = stripe([4, 2], [5, 2]);
        assert!(!torn.matches());
        // A failing drive takes the other page too, which nobody was writing; its own comes back newer.
        assert_eq!(torn.version_without(DriveId(0)), Some(5));
        assert_eq!(torn.version_without(DriveId(1)), Some(0));
        assert_eq!((torn.version(DriveId(0)), torn.version(DriveId(1))), (4, 2));
    }

    #[test]
    fn of_copies_the_oldest_counts() {
        let layout = Layout { level: Level::Raid1, ..LAYOUT };
        let copy = |drive: DriveId| Some(Content::of_data(DriveId(0), 7 - drive.0));
        let copies = Stripe::new(layout, StripeId(1), copy);
        assert!(!copies.matches());
        assert_eq!(copies.version(DriveId(0)), 5);
        assert_eq!(copies.pages().collect::<Vec<_>>(), [(DriveId(0), Lpn(1))]);
    }
}
