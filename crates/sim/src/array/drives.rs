//! The drives of an array as its contents see them.

use super::bays::Bays;
use super::cache::Cache;
use super::layout::Layout;
use super::pages::Cached;
use crate::ids::{ById, DriveId, MemberId, StripeId};

/// What of an array holds data at the present: its drives, and its stripe cache.
pub struct Drives<'a, M> {
    pub(super) layout: &'a Layout,
    pub(super) bays: &'a Bays,
    pub(super) cache: &'a Cache,
    pub(super) members: &'a mut ById<MemberId, M>,
}

impl<M> Drives<'_, M> {
    /// Where the pages lie.
    pub fn layout(&self) -> &Layout {
        self.layout
    }

    /// The member that holds a drive's page of a stripe; `None` where it is lost and not rebuilt.
    pub fn holder(&mut self, drive: DriveId, stripe: StripeId) -> Option<(MemberId, &mut M)> {
        let member = self.bays.member(drive).filter(|_| self.bays.is_readable(drive, stripe))?;
        Some((member, &mut self.members[member]))
    }

    /// All members, the lost ones too.
    pub fn members(&mut self) -> impl Iterator<Item = &mut M> {
        self.members.iter_mut()
    }

    /// The page of the cache that holds a drive's page of a stripe, or is newer.
    pub fn cached(&self, drive: DriveId, stripe: StripeId) -> Option<Cached> {
        let head = self.cache.find(stripe)?;
        self.cache.heads[head].pages.uptodate.has(drive).then_some(Cached { head, drive })
    }
}
