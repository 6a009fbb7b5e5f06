//! Requests that pass the stripe cache by: all of RAID 0 and RAID 1, and in RAID 5 the reads of an
//! array that is whole.

use super::asked::Asked;
use super::contents::Contents;
use super::counts::Purpose;
use super::events::Event;
use super::jobs::Job;
use super::layout::{Level, Place};
use super::machine::Array;
use super::member::{DriveRequest, Member};
use super::pages::Part;
use super::rules::SECTOR_BYTES;
use crate::error::Fallible;
use crate::ids::{DriveId, Id, Ids, Lpn, StripeId};
use crate::nand::command::RequestId;
use crate::util::Few;
use wordline_trace::{Op, Request};

/// Pages that follow one another on a drive.
#[derive(Debug)]
struct Run {
    place: Place,
    parts: Few<Part>,
    /// True for a write that is durable at once.
    fua: bool,
}

impl Run {
    /// The stripes of its pages.
    fn stripes(&self) -> Ids<StripeId> {
        Ids::new(self.place.stripe, self.parts.len() as u32)
    }

    /// Its pages on its drive: the first, and the one behind the last.
    #[inline]
    fn pages(&self) -> (u64, u64) {
        let first = u64::from(self.place.stripe.number());
        (first, first + self.parts.len() as u64)
    }
}

impl<M: Member, C: Contents<M>> Array<M, C> {
    /// Carries out a request without the cache: a part of it, which is over when all of that is.
    #[inline(always)]
    pub(super) fn direct(&mut self, asked: &Asked, pages: &[Lpn]) -> Fallible {
        let &Asked { id, is_write, fua, .. } = asked;
        let part = |at| {
            let part = asked.part(pages, at);
            Part { sectors: part.sectors & self.core.whole_page, ..part }
        };
        // Most requests are of one page, which needs no lists.
        if pages.len() == 1 {
            let part = part(0);
            let place = self.core.layout.locate(part.page);
            return self.carry_out(id, is_write, || Run { place, parts: Few::One(part), fua });
        }
        self.carry_out_runs(asked, &(0..pages.len()).map(part).collect::<Vec<Part>>())
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
        let number = self.core.counts.host_requests;
        self.core.counts.host_requests += 1;
        let place = self.core.layout.locate(page);
        let part = Part { request: number, page, sectors: self.core.whole_page };
        let run = || Run { place, parts: Few::One(part), fua: request.fua };
        let (asked, pages) = (self.request(&run(), request.op), run().pages());
        let member = self.core.bays.member(place.drive).expect("no drive of a plain array is lost");
        let end_ns = self.core.hand_over(member, &asked, pages, Purpose::Data)?;
        if self.core.is_known(end_ns) {
            self.core.requests.pass();
            self.core.members.note_no_job(member);
            self.core.note_ends(member);
            return Ok(end_ns.max(self.core.now_ns));
        }
        let id = self.core.requests.start(request, arrival_ns);
        let Run { place: Place { drive, stripe }, parts, .. } = run();
        self.core.note_job(member, end_ns, || match request.op {
            Op::Write => Job::Write { id, drive, stripe, parts, mirrors: None },
            _ => Job::Read { id, drive, stripe, parts },
        });
        Ok(u64::MAX)
    }

    #[inline(never)]
    fn carry_out_runs(&mut self, asked: &Asked, parts: &[Part]) -> Fallible {
        for run in self.runs(parts) {
            self.core.requests.add_part(asked.id);
            self.carry_out(asked.id, asked.is_write, || Run { fua: asked.fua, ..run })?;
        }
        self.core.part_done(asked.id);
        Ok(())
    }

    /// Each way makes the run itself: what others are shown of it stands in memory, where one that is written to a
    /// drive need never stand.
    #[inline(always)]
    fn carry_out(&mut self, id: RequestId, is_write: bool, run: impl FnOnce() -> Run) -> Fallible {
        match (self.core.layout.level, is_write) {
            (Level::Raid1, true) => self.write_mirrors(id, run()),
            (Level::Raid1, false) => self.read_mirror(id, run()),
            (_, true) => self.write_run(id, run(), None),
            (_, false) => self.read_run(id, run()),
        }
    }

    /// Parts in runs that follow one another on a drive without a gap.
    fn runs(&self, parts: &[Part]) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        let last_sector = self.core.whole_page ^ (self.core.whole_page >> 1);
        for &part in parts {
            let place = self.core.layout.locate(part.page);
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

    #[inline]
    fn request(&self, run: &Run, op: Op) -> DriveRequest {
        let (first, last) = (run.parts[0], run.parts[run.parts.len() - 1]);
        let (pages, page_bytes) = (run.parts.len() as u64, self.core.rules.page_bytes);
        let (mut skipped, mut left_out) = (0, 0);
        if first.sectors & last.sectors != self.core.whole_page {
            skipped = u64::from(first.sectors.trailing_zeros()) * SECTOR_BYTES;
            let behind = last.sectors.leading_zeros() - self.core.whole_page.leading_zeros();
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

    #[inline(always)]
    fn write_run(&mut self, id: RequestId, run: Run, mirrors: Option<u32>) -> Fallible {
        let request = self.request(&run, Op::Write);
        self.send_parts(run.place.drive, &run);
        let pages = run.pages();
        let Run { place: Place { drive, stripe }, parts, .. } = run;
        self.send_part(id, drive, &request, pages, || Job::Write {
            id,
            drive,
            stripe,
            parts,
            mirrors,
        })
    }

    /// Sends a part of a request to a drive.
    #[inline(always)]
    fn send_part(
        &mut self,
        id: RequestId,
        drive: DriveId,
        request: &DriveRequest,
        pages: (u64, u64),
        job: impl FnOnce() -> Job,
    ) -> Fallible {
        let Some(member) = self.core.bays.member(drive) else {
            self.core.lose(job());
            return Ok(());
        };
        let end_ns = self.core.hand_over(member, request, pages, Purpose::Data)?;
        // Mirrors are chosen by how many jobs they have.
        if C::IS_TOLD || self.core.layout.level == Level::Raid1 || !self.core.is_known(end_ns) {
            self.core.note_job(member, end_ns, job);
        } else {
            self.core.note_end(member, end_ns, Event::Part(id));
        }
        Ok(())
    }

    /// Says what of a run is about to go to a drive.
    fn send_parts(&mut self, drive: DriveId, run: &Run) {
        for (stripe, &part) in run.stripes().into_iter().zip(run.parts.iter()) {
            self.core.contents.send_direct(drive, stripe, part);
        }
    }

    fn read_run(&mut self, id: RequestId, run: Run) -> Fallible {
        let request = self.request(&run, Op::Read);
        let pages = run.pages();
        let Run { place: Place { drive, stripe }, parts, .. } = run;
        self.send_part(id, drive, &request, pages, || Job::Read { id, drive, stripe, parts })
    }

    #[inline(never)]
    fn write_mirrors(&mut self, id: RequestId, run: Run) -> Fallible {
        let mirrors: Vec<DriveId> = self.core.bays.writable().collect();
        let write = self.mirrors.begin_write(run.stripes(), mirrors.len() as u32);
        for drive in mirrors {
            let place = Place { drive, ..run.place };
            self.core.requests.add_part(id);
            self.write_run(id, Run { place, parts: run.parts.clone(), fua: run.fua }, Some(write))?;
        }
        self.core.part_done(id);
        Ok(())
    }

    /// Reads the mirror that has least to do, the first of equals; a read that goes on where the
    /// last one of a mirror ended stays there (`read_balance` of Linux' drivers/md/raid1.c).
    #[inline(never)]
    fn read_mirror(&mut self, id: RequestId, run: Run) -> Fallible {
        let request = self.request(&run, Op::Read);
        let last = run.stripes().last();
        let can = |&drive: &DriveId| self.core.bays.is_readable(drive, last);
        let goes_on = |&drive: &DriveId| self.mirrors.head_bytes[drive] == request.offset_bytes;
        let pending = |&drive: &DriveId| {
            self.core
                .bays
                .member(drive)
                .map_or(usize::MAX, |member| self.core.members.pending(member))
        };
        let mirrors = || self.core.layout.drives().into_iter().filter(can);
        let drive = mirrors().find(goes_on).or_else(|| mirrors().min_by_key(pending));
        let drive = drive.unwrap_or(DriveId(0));
        self.mirrors.head_bytes[drive] = request.offset_bytes + u64::from(request.size_bytes);
        self.read_run(id, Run { place: Place { drive, ..run.place }, ..run })
    }

    /// A flush goes to every drive. A journal holds whatever was acknowledged, so that there is nothing to be done
    /// (`r5l_handle_flush_request` of drivers/md/raid5-cache.c).
    #[inline(never)]
    pub(super) fn flush(&mut self, id: RequestId) -> Fallible {
        match self.journal {
            Some(_) => Ok(()),
            None => self.send_to_all(id, &DriveRequest::FLUSH, self.core.layout.drives()),
        }
    }

    fn send_to_all(
        &mut self,
        id: RequestId,
        request: &DriveRequest,
        drives: Ids<DriveId>,
    ) -> Fallible {
        for drive in drives {
            if self.core.bays.member(drive).is_some() {
                self.core.requests.add_part(id);
                self.core.send(drive, request, Purpose::Data, Job::Part(id))?;
            }
        }
        Ok(())
    }

    /// A trim is passed on, but not by RAID 5, whose parity it would leave wrong: Linux md does not
    /// either, unless it is told that trimmed pages read as zeros.
    #[inline(never)]
    pub(super) fn trim(&mut self, id: RequestId, number: u64, pages: &[Lpn]) -> Fallible {
        if self.core.layout.level == Level::Raid5 {
            self.core.counts.trims_dropped += 1;
            return Ok(());
        }
        let whole =
            |page: &Lpn| Part { request: number, page: *page, sectors: self.core.whole_page };
        let parts: Vec<Part> = pages.iter().map(whole).collect();
        for run in self.runs(&parts) {
            let request = self.request(&run, Op::Trim);
            let drives = match self.core.layout.level {
                Level::Raid1 => self.core.layout.drives(),
                _ => Ids::new(run.place.drive, 1),
            };
            for drive in drives {
                if self.core.bays.member(drive).is_none() {
                    continue;
                }
                self.send_parts(drive, &run);
                self.send_to_all(id, &request, Ids::new(drive, 1))?;
            }
        }
        Ok(())
    }
}
