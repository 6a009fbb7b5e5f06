//! A restart after power failed: the copies of a page may differ, or a parity from its data. They are made to match before
//! the host is served.

use super::contents::Contents;
use super::counts::Purpose;
use super::jobs::Job;
use super::machine::Array;
use super::member::{DriveRequest, Member};
use crate::error::Fallible;
use crate::ids::{DriveId, Id, Ids, StripeId};
use wordline_trace::Op;

impl<M: Member, C: Contents<M>> Array<M, C> {
    /// Goes on at a time at which every drive has restarted, and makes all stripes match.
    ///
    /// # Errors
    /// A drive refuses what it is asked.
    pub fn restart(&mut self, at_ns: u64) -> Fallible {
        self.advance(at_ns)?;
        for stripe in Ids::new(StripeId(0), self.core.layout.stripes) {
            let (contents, mut drives) = self.core.contents_and_drives(&self.cache);
            for drive in contents.unmatched(stripe, &mut drives) {
                self.mend(drive, stripe)?;
            }
        }
        for drive in self.core.layout.drives() {
            self.core.send(drive, &DriveRequest::FLUSH, Purpose::Sync, Job::Mend)?;
        }
        while self.core.members.are_busy() {
            self.step()?;
        }
        Ok(())
    }

    /// Writes a drive's page of a stripe anew, made of those of the other drives.
    fn mend(&mut self, drive: DriveId, stripe: StripeId) -> Fallible {
        let (contents, mut drives) = self.core.contents_and_drives(&self.cache);
        contents.send_copy(drive, stripe, &mut drives);
        let page_bytes = self.core.rules.page_bytes;
        let request = DriveRequest {
            op: Op::Write,
            offset_bytes: u64::from(stripe.number()) * page_bytes,
            size_bytes: page_bytes as u32,
            parity: self.core.purpose(drive, stripe) == Purpose::Parity,
            fua: false,
        };
        self.core.send(drive, &request, Purpose::Sync, Job::Mend)
    }

    /// Every drive comes to the present.
    pub fn bring_up(&mut self) {
        for member in self.core.members.ids() {
            self.core.wake(member);
        }
    }
}
