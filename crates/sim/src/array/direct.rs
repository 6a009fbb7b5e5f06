//! Requests that pass the stripe cache by: all of RAID 0 and RAID 1, and in RAID 5 the reads of an
//! array that is whole.

use super::contents::Contents;
use super::core::{Core, Storage};
use super::counts::Purpose;
use super::jobs::Job;
use super::layout::{Level, Place};
use super::member::DriveRequest;
use super::pages::Part;
use super::rules::SECTOR_BYTES;
use crate::error::Fallible;
use crate::ids::{DriveId, Id, Ids, Lpn, StripeId};
use crate::nand::command::RequestId;
use crate::util::Few;
use wordline_trace::{Op, Request};

/// Pages that follow one another on a drive.
#[derive(Debug)]
pub(super) struct Run {
    pub place: Place,
    pub parts: Few<Part>,
    /// True for a write that is durable at once.
    pub fua: bool,
}

impl Run {
    /// The stripes of its pages.
    pub fn stripes(&self) -> Ids<StripeId> {
        Ids::new(self.place.stripe, self.parts.len() as u32)
    }

    /// Its pages on another drive.
    pub fn on(&self, drive: DriveId) -> Self {
        let place = Place { drive, ..self.place };
        Self { place, parts: self.parts.clone(), fua: self.fua }
    }

    /// Its pages on its drive: the first, and the one behind the last.
    #[inline]
    fn pages(&self) -> (u64, u64) {
        let first = u64::from(self.place.stripe.number());
        (first, first + self.parts.len() as u64)
    }
}

impl<S: Storage> Core<S> {
    /// Whether a drive carries out a request of one page alone.
    #[inline(always)]
    pub(super) fn goes_to_one_drive(&self, op: Op) -> bool {
        let is_one = match self.layout.level {
            Level::Raid0 => matches!(op, Op::Read | Op::Write),
            Level::Raid1 => false,
            Level::Raid5 => op == Op::Read,
        };
        is_one && self.is_plain && !S::Contents::IS_TOLD
    }

    /// Passes a request for one whole page on to its drive; returns when it ends, where the drive tells, and otherwise
    /// `u64::MAX`.
    #[inline(always)]
    pub(super) fn pass_on(
        &mut self,
        request: &Request,
        arrival_ns: u64,
        page: Lpn,
    ) -> Fallible<u64> {
        let number = self.counts.host_requests;
        self.counts.host_requests += 1;
        self.contents.arrives(number, arrival_ns, self.now_ns);
        let place = self.layout.locate(page);
        let part = Part { request: number, page, sectors: self.whole_page };
        let run = || Run { place, parts: Few::One(part), fua: request.fua };
        let (asked, pages) = (self.request(&run(), request.op), run().pages());
        let member = self.bays.member(place.drive).expect("no drive of a plain array is lost");
        let end_ns = self.hand_over(member, &asked, pages, Purpose::Data)?;
        if self.is_known(end_ns) {
            self.requests.pass();
            self.members.note_no_job(member);
            self.note_ends(member);
            return Ok(end_ns.max(self.now_ns));
        }
        let id = self.requests.start(request, arrival_ns);
        let Run { place: Place { drive, stripe }, parts, .. } = run();
        self.note_job(member, end_ns, || match request.op {
            Op::Write => Job::Write { id, drive, stripe, parts, mirrors: None },
            _ => Job::Read { id, drive, stripe, parts },
        });
        Ok(u64::MAX)
    }

    /// Parts in runs that follow one another on a drive without a gap.
    pub(super) fn runs(&self, parts: &[Part]) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        let last_sector = self.whole_page ^ (self.whole_page >> 1);
        for &part in parts {
            let place = self.layout.locate(part.page);
            match runs.last_mut() {
                Some(run)
                    if run.place.drive == place.drive
                        && run.stripes().end() == place.stripe
                        && run.parts[run.parts.len() - 1].sectors & last_sector != 0
                        && part.sectors & 1 != 0 =>
                {
                    run.parts.push(part);
                }
                _ => runs.push(Run { place, parts: Few::One(part), fua: false }),
            }
        }
        runs
    }

    /// The request for a run.
    #[inline]
    pub(super) fn request(&self, run: &Run, op: Op) -> DriveRequest {
        let (first, last) = (run.parts[0], run.parts[run.parts.len() - 1]);
        let (pages, page_bytes) = (run.parts.len() as u64, self.rules.page_bytes);
        let (mut skipped, mut left_out) = (0, 0);
        if first.sectors & last.sectors != self.whole_page {
            skipped = u64::from(first.sectors.trailing_zeros()) * SECTOR_BYTES;
            let behind = last.sectors.leading_zeros() - self.whole_page.leading_zeros();
            left_out = u64::from(behind) * SECTOR_BYTES;
        }
        DriveRequest {
            op,
            offset_bytes: u64::from(run.place.stripe.number()) * page_bytes + skipped,
            size_bytes: (pages * page_bytes - skipped - left_out) as u32,
            parity: false,
            fua: run.fua,
        }
    }

    /// Writes a run; of mirrors, the number of the write.
    pub(super) fn write_run(&mut self, id: RequestId, run: Run, mirrors: Option<u32>) -> Fallible {
        let request = self.request(&run, Op::Write);
        self.send_parts(run.place.drive, &run);
        let Run { place: Place { drive, stripe }, parts, .. } = run;
        let pages = (stripe, parts.len());
        let job = || Job::Write { id, drive, stripe, parts, mirrors };
        self.send_pages(drive, &request, pages, Purpose::Data, job)
    }

    /// Says what of a run is about to go to a drive.
    pub(super) fn send_parts(&mut self, drive: DriveId, run: &Run) {
        for (stripe, &part) in run.stripes().into_iter().zip(run.parts.iter()) {
            self.contents.send_direct(drive, stripe, part);
        }
    }

    /// Reads a run.
    pub(super) fn read_run(&mut self, id: RequestId, run: Run) -> Fallible {
        let request = self.request(&run, Op::Read);
        let Run { place: Place { drive, stripe }, parts, .. } = run;
        let pages = (stripe, parts.len());
        let job = || Job::Read { id, drive, stripe, parts };
        self.send_pages(drive, &request, pages, Purpose::Data, job)
    }

    /// Sends a request to drives, as parts of a request of the host.
    pub(super) fn send_to_all(
        &mut self,
        id: RequestId,
        request: &DriveRequest,
        drives: Ids<DriveId>,
    ) -> Fallible {
        for drive in drives {
            if self.bays.member(drive).is_some() {
                self.requests.add_part(id);
                self.send(drive, request, Purpose::Data, Job::Part(id))?;
            }
        }
        Ok(())
    }

    /// A trim is passed on, but not by RAID 5, whose parity it would leave wrong: Linux md does not
    /// either, unless it is told that trimmed pages read as zeros.
    #[inline(never)]
    pub(super) fn trim(&mut self, id: RequestId, number: u64, pages: &[Lpn]) -> Fallible {
        if self.layout.level == Level::Raid5 {
            self.counts.trims_dropped += 1;
            return Ok(());
        }
        let sectors = self.whole_page;
        let whole = |&page: &Lpn| Part { request: number, page, sectors };
        let parts: Vec<Part> = pages.iter().map(whole).collect();
        for run in self.runs(&parts) {
            let request = self.request(&run, Op::Trim);
            let drives = match self.layout.level {
                Level::Raid1 => self.layout.drives(),
                _ => Ids::new(run.place.drive, 1),
            };
            for drive in drives.into_iter() {
                if self.bays.member(drive).is_some() {
                    self.send_parts(drive, &run);
                    self.send_to_all(id, &request, Ids::new(drive, 1))?;
                }
            }
        }
        Ok(())
    }
}
