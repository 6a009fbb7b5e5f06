//! What the pages of an array hold. A run carries no data. An array that is served does, and so do tests, which
//! find out whether what the array does with its pages keeps them readable.

use super::counts::Purpose;
use super::drives::Drives;
use super::member::DriveRequest;
use super::pages::{Cached, Logged, Part};
use crate::engine::{Finished, Itemisation};
use crate::ids::{DriveId, HeadId, MemberId, StripeId};
use wordline_trace::Op;

/// Told of everything that moves data. Every method does nothing by default.
#[allow(unused_variables)]
pub trait Contents<M>: Send {
    /// False where nothing comes of what it is told.
    const IS_TOLD: bool = true;

    /// A page of the cache takes what its drive holds of a stripe.
    fn fetch(&mut self, page: Cached, stripe: StripeId, drives: &mut Drives<'_, M>) {}

    /// A drive's page of a stripe takes what the page of the cache holds.
    fn store(&mut self, page: Cached, stripe: StripeId) {}

    /// A page of the cache takes data of the host.
    fn fill(&mut self, page: Cached, part: Part) {}

    /// A page of the cache becomes the XOR of all others of its stripe.
    fn compute(&mut self, page: Cached) {}

    /// A page of the cache becomes the XOR of itself and the page of `other`.
    fn add(&mut self, page: Cached, other: DriveId) {}

    /// False when the pages of a stripe, all of which are in the cache, do not XOR to zero.
    fn is_consistent(&mut self, head: HeadId) -> bool {
        true
    }

    /// The host reads from a page of the cache.
    fn serve(&mut self, page: Cached, part: Part) {}

    /// The host reads from a drive.
    fn serve_direct(&mut self, drive: DriveId, stripe: StripeId, part: Part) {}

    /// The host writes to a drive, without the cache.
    fn store_direct(&mut self, drive: DriveId, stripe: StripeId, part: Part) {}

    /// A drive's page of a stripe is read, to be copied.
    fn copy_from(&mut self, drive: DriveId, stripe: StripeId) {}

    /// What was read of a stripe has been written to another drive.
    fn copy_to(&mut self, drive: DriveId, stripe: StripeId) {}

    /// A page of the cache is about to be written to its drive.
    fn send(&mut self, page: Cached, stripe: StripeId) {}

    /// The drives whose page of a stripe does not match those of the others, as the array restarts, and which are then
    /// written anew.
    fn unmatched(&mut self, stripe: StripeId, drives: &mut Drives<'_, M>) -> Vec<DriveId> {
        Vec::new()
    }

    /// A drive's page of a stripe is about to be written with what another mirror holds, or what the others make of it.
    fn send_copy(&mut self, drive: DriveId, stripe: StripeId, drives: &mut Drives<'_, M>) {}

    /// What the host writes or trims is about to go to a drive, without the cache.
    fn send_direct(&mut self, drive: DriveId, stripe: StripeId, part: Part) {}

    /// An entry is about to be written to the log of a drive: to so many pages from the first on.
    fn log(&mut self, drive: DriveId, first: StripeId, pages: u32, entry: &[Logged]) {}

    /// An entry is about to be written to the journal: to so many pages of its drive from the first on.
    fn journal(&mut self, first: StripeId, pages: u32, entry: &[Logged]) {}

    /// A page of the drive of the journal is about to say that it begins with the entry of this number, from 1 on.
    fn begin_journal(&mut self, page: StripeId, entry: u32) {}

    /// A request goes to a drive: a read, or what was about to be sent.
    fn sent(&mut self, member: MemberId, request: &DriveRequest, drive: &mut M) {}

    /// The drive has taken it.
    fn taken(&mut self, member: MemberId, request: &DriveRequest, drive: &mut M) {}

    /// What was about to be sent goes nowhere: its drive is lost.
    fn unsent(&mut self) {}

    /// The request of the host of this number is over.
    fn over(&mut self, request: u64) {}

    /// A drive is lost, and an empty one takes its place if there is a spare.
    fn lose(&mut self, drive: DriveId) {}

    /// Whether the methods below are called, to take latencies of the host's requests apart.
    const ITEMISES: bool = false;

    /// A request of the host that arrived in its queue at `arrival_ns` is fetched; what follows now follows from that.
    fn arrives(&mut self, request: u64, arrival_ns: u64, now_ns: u64) {}

    /// A drive is handed its next request.
    fn asked(&mut self, member: MemberId, asked: Asked) {}

    /// The request of this number to a drive is over; what follows now follows from that.
    fn ended(&mut self, member: MemberId, number: u64, now_ns: u64, drive: &mut M) {}

    /// What follows now follows from neither.
    fn comes_about(&mut self) {}

    /// A request of the host that was stopped has wholly been taken.
    fn taken_whole(&mut self, request: u64, now_ns: u64) {}

    /// A part of a request of the host is over.
    fn part_done(&mut self, request: u64) {}

    /// A request of the host is over, and counts or does not.
    fn finished(&mut self, request: &Finished, counts: bool) {}

    /// Latencies count anew from here on.
    fn count_anew(&mut self) {}

    /// Of what latencies consist, where it takes them apart.
    fn itemisation(&self) -> Option<&Itemisation> {
        None
    }
}

/// What a drive is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// What it asks for.
    pub op: Op,
    /// What for.
    pub purpose: Purpose,
    /// When.
    pub now_ns: u64,
}

/// Carries nothing.
impl<M> Contents<M> for () {
    const IS_TOLD: bool = false;
}
