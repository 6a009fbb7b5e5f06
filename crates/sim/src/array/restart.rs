//! A restart after power failed: the copies of a page may differ, or a parity from its data. They are made to match before
//! the host is served.

use super::contents::Contents;
use super::counts::Purpose;
use super::jobs::Job;
use super::layout::Level;
use super::machine::Array;
use super::member::{DriveRequest, Member};
use crate::error::Fallible;
use crate::ids::{DriveId, Ids, StripeId};
use wordline_trace::Op;

impl<M: Member, C: Contents<M>> Array<M, C> {
    /// Goes on at a time at which every drive has restarted, and makes all stripes match.
    ///
    /// # Errors
    /// A drive refuses what it is asked.
    pub fn restart(&mut self, at_ns: u64) -> Fallible {
        self.advance(at_ns)?;
        for stripe in Ids::new(StripeId(0), self.core.layout.stripes) {
            let (contents, mut drives) = self.contents_and_drives();
            for drive in contents.unmatched(stripe, &mut drives) {
                self.repair(drive, stripe)?;
            }
        }
        for drive in self.core.layout.drives() {
            self.core.send(drive, &DriveRequest::FLUSH, Purpose::Sync, Job::Repair)?;
        }
        while self.core.members.are_busy() {
            self.step()?;
        }
        Ok(())
    }

    /// Writes a drive's page of a stripe anew, made of those of the other drives.
    fn repair(&mut self, drive: DriveId, stripe: StripeId) -> Fallible {
        let (contents, mut drives) = self.contents_and_drives();
        contents.send_copy(drive, stripe, &mut drives);
        let request = DriveRequest::pages(Op::Write, stripe, 1, self.core.rules.page_bytes);
        let level = self.core.layout.level;
        let parity = level == Level::Raid5 && self.core.layout.parity_of(stripe) == drive;
        let request = DriveRequest { parity, ..request };
        self.core.send(drive, &request, Purpose::Sync, Job::Repair)
    }

    /// Every drive comes to the present.
    pub fn bring_up(&mut self) {
        for member in self.core.members.ids() {
            self.core.wake(member);
        }
    }
}
