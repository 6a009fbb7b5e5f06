//! The drives of an array as they stand at a moment, and what a cut then leaves of its stripes.

use super::super::damage::{Damage, Shares};
use super::super::promises::Oracle;
use super::super::timeline::Event;
use super::contents::Logs;
use super::member::Member;
use super::replay::{Replays, pages_read, replays};
use super::stripe::Stripe;
use crate::array::Layout;
use crate::ids::{ById, Id, Ids, Lpn, MemberId, StripeId};
use crate::util::Rng;
use std::collections::BTreeSet;

/// What a cut leaves of each drive.
pub type Damages = ById<MemberId, Damage>;

/// What a cut leaves of an array, once the logs were replayed.
#[derive(Debug, Default)]
pub struct Left {
    /// Pages of which less is there than was promised, and what is.
    pub lost: Vec<(Lpn, u32)>,
    /// Stripes that do not match.
    pub unmatched: u64,
    /// Promised pages that a failing drive would take.
    pub hole_pages: u64,
}

/// An array at a moment.
pub struct Standing<'a> {
    /// Where its pages lie.
    pub layout: Layout,
    /// Its drives.
    pub members: ById<MemberId, Member<'a>>,
    /// What was written before stripes.
    pub logs: &'a Logs,
    /// Stripes that do not match as the flash stands, without a cut.
    unmatched: BTreeSet<StripeId>,
}

impl<'a> Standing<'a> {
    /// An array whose stripes match as the flash stands.
    pub fn new(layout: Layout, members: ById<MemberId, Member<'a>>, logs: &'a Logs) -> Self {
        Self { layout, members, logs, unmatched: BTreeSet::new() }
    }

    /// An array any of whose stripes may not match.
    pub fn after_cut(layout: Layout, members: ById<MemberId, Member<'a>>, logs: &'a Logs) -> Self {
        let mut standing = Self::new(layout, members, logs);
        standing.compare(standing.stripes().iter());
        standing
    }

    /// Its stripes.
    pub fn stripes(&self) -> Ids<StripeId> {
        Ids::all(self.layout.stripes)
    }

    /// Something happens to a drive; returns the stripes for which that may make a difference.
    pub fn take_place(&mut self, member: MemberId, event: Event) -> Vec<StripeId> {
        let touched = self.members[member].take_place(event);
        self.compare(touched.iter().copied());
        touched
    }

    fn compare(&mut self, stripes: impl Iterator<Item = StripeId>) {
        let whole = self.members.iter().map(|_| Damage::default()).collect();
        for stripe in stripes {
            match self.stripe(&whole, stripe).matches() {
                true => self.unmatched.remove(&stripe),
                false => self.unmatched.insert(stripe),
            };
        }
    }

    /// Power fails in all drives.
    pub fn fall(&self, shares: Shares, rng: &mut Rng) -> Damages {
        self.members.iter().map(|member| member.fall(shares, rng)).collect()
    }

    /// What the drives hold of a stripe.
    pub fn stripe(&self, damages: &Damages, stripe: StripeId) -> Stripe {
        Stripe::new(self.layout, stripe, |drive| {
            let member = MemberId(drive.0);
            self.members[member].holds(&damages[member], stripe)
        })
    }

    /// What the logs say of stripes.
    pub fn replays(&self, damages: &Damages) -> Replays<'a> {
        replays(self.logs, self.layout, &self.members, damages)
    }

    /// What a restart reads of each drive before it writes: of its logs, and of the data that these lack of `replays`; or
    /// all stripes, where there are copies or parity to compare.
    pub fn reads(&self, damages: &Damages, replays: &Replays<'_>) -> ById<MemberId, Vec<StripeId>> {
        let mut reads: ById<MemberId, Vec<StripeId>> =
            self.members.iter().map(|_| Vec::new()).collect();
        if !self.logs.are_kept && self.layout.level.is_redundant() {
            return reads.iter().map(|_| self.stripes().iter().collect()).collect();
        }
        for (member, page) in pages_read(self.logs, self.layout, &self.members, damages) {
            reads[member].push(page);
        }
        for logged in replays.values().flatten() {
            for drive in logged.kept.read() {
                reads[MemberId(drive.number())].push(logged.stripe);
            }
        }
        reads
    }

    /// What a cut leaves of the stripes for which it makes a difference, `touched` and those over which power failed,
    /// by what was promised.
    pub fn left(
        &self,
        damages: &Damages,
        touched: impl Iterator<Item = StripeId>,
        oracle: &Oracle,
    ) -> Left {
        let replays = self.replays(damages);
        let mut stripes: BTreeSet<StripeId> = touched.collect();
        stripes.extend(&self.unmatched);
        stripes.extend(replays.keys());
        for (member, damage) in damages.iter_with_ids() {
            stripes.extend(self.members[member].concerned(damage));
        }
        let mut left = Left::default();
        for number in stripes {
            let mut stripe = self.stripe(damages, number);
            stripe.replay_all(replays.get(&number));
            left.unmatched += u64::from(!stripe.matches());
            for (drive, page) in stripe.pages() {
                let (promised, found) = (oracle.promised(page), stripe.version(drive));
                if found < promised {
                    left.lost.push((page, found));
                }
                let is_short = |version| version < promised;
                left.hole_pages += u64::from(stripe.version_without(drive).is_some_and(is_short));
            }
        }
        left
    }

    /// The commands under way, by drive.
    pub fn under_way(&self) -> impl Iterator<Item = (MemberId, usize)> {
        let members = self.members.iter_with_ids();
        members.flat_map(|(member, drive)| {
            drive.course.under_way.iter().map(move |&command| (member, command))
        })
    }
}
