//! The places of an array for drives, and the spare that takes one when a drive is lost.

use super::drive_set::DriveSet;
use crate::ids::{ById, DriveId, Id, Ids, MemberId, StripeId};
use std::ops::BitOr;

/// A bay of the array, for one drive.
#[derive(Debug, Clone, Copy)]
struct Bay {
    /// Which member sits in it; `None` once it is lost.
    member: Option<MemberId>,
    /// Stripes from the first that it holds.
    recovered: u32,
}

/// The bays of an array.
#[derive(Debug)]
pub(super) struct Bays {
    bays: ById<DriveId, Bay>,
    spare: Option<MemberId>,
    /// Stripes of a whole drive.
    stripes: u32,
    /// True while a drive is missing or not wholly rebuilt.
    is_degraded: bool,
}

impl Bays {
    /// Bays for the first members; one more is the spare.
    pub fn new(drives: u32, stripes: u32, has_spare: bool) -> Self {
        let bay = |member| Bay { member: Some(member), recovered: stripes };
        let bays = Ids::all(drives).into_iter().map(bay).collect();
        let spare = has_spare.then_some(MemberId(drives));
        Self { bays, spare, stripes, is_degraded: false }
    }

    /// True while a drive is missing or not wholly rebuilt.
    #[inline(always)]
    pub fn are_degraded(&self) -> bool {
        self.is_degraded
    }

    /// Whether a page can be read from its drive.
    #[inline]
    pub fn is_readable(&self, drive: DriveId, stripe: StripeId) -> bool {
        stripe.number() < self.bays[drive].recovered
    }

    /// The member in a bay, if it can be written.
    #[inline]
    pub fn member(&self, drive: DriveId) -> Option<MemberId> {
        self.bays[drive].member
    }

    /// The drives that can be written.
    pub fn writable(&self) -> impl Iterator<Item = DriveId> {
        self.bays.ids().into_iter().filter(|&drive| self.member(drive).is_some())
    }

    /// Those of some drives that can be written.
    #[inline]
    pub fn writable_of(&self, drives: DriveSet) -> DriveSet {
        if !self.is_degraded {
            return drives;
        }
        let writable = drives.forwards().filter(|&drive| self.member(drive).is_some());
        writable.map(DriveSet::of).fold(DriveSet::default(), BitOr::bitor)
    }

    /// The drive whose page of a stripe cannot be read, if there is one: of several, the first.
    #[inline]
    pub fn unreadable(&self, stripe: StripeId) -> DriveSet {
        if !self.is_degraded {
            return DriveSet::default();
        }
        let mut drives = self.bays.ids().into_iter();
        let failed = drives.find(|&drive| !self.is_readable(drive, stripe));
        failed.map_or(DriveSet::default(), DriveSet::of)
    }

    /// A drive is lost: its member, unless it was lost before. The spare takes its place, if there is one.
    pub fn lose(&mut self, drive: DriveId) -> Option<MemberId> {
        let member = self.bays[drive].member.take()?;
        self.bays[drive] = Bay { member: self.spare.take(), recovered: 0 };
        self.is_degraded = true;
        Some(member)
    }

    /// A drive is rebuilt up to a stripe.
    pub fn recover(&mut self, drive: DriveId, recovered: u32) {
        self.bays[drive].recovered = recovered;
        self.is_degraded = self.bays.iter().any(|bay| bay.recovered < self.stripes);
    }

    /// What has become of a member: `whole`, `failed`, `spare`, `rebuilding` or `rebuilt`.
    pub fn state(&self, member: MemberId) -> &'static str {
        match self.bays.iter().find(|bay| bay.member == Some(member)) {
            None if self.spare == Some(member) => "spare",
            None => "failed",
            Some(_) if member.number() < self.bays.count() => "whole",
            Some(bay) if bay.recovered < self.stripes => "rebuilding",
            Some(_) => "rebuilt",
        }
    }
}
