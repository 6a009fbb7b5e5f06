//! Mirrors of RAID 1: writes under way, and stretches that are copied or compared, which keep out of
//! each other's way (the barriers of Linux' drivers/md/raid1.c).

use super::asked::Asked;
use super::barriers::{Copy, put};
use super::contents::Contents;
use super::counts::Purpose;
use super::jobs::Job;
use super::layout::Level;
use super::machine::Array;
use super::member::{DriveRequest, Member};
use crate::error::Fallible;
use crate::ids::{DriveId, Id, Ids, Lpn, StripeId, TaskId};
use wordline_trace::Op;

impl<M: Member, C: Contents<M>> Array<M, C> {
    /// True where a request must wait for a copy of the stripes that it writes.
    #[inline]
    pub(super) fn is_held_up(&mut self, asked: &Asked, pages: &[Lpn]) -> bool {
        self.core.layout.level == Level::Raid1 && asked.is_write && self.copy_over(pages).is_some()
    }

    /// A task waits for that copy, and will be resumed.
    pub(super) fn wait_for_copy(&mut self, task: TaskId) {
        let pages = std::mem::take(&mut self.tasks[task].pages);
        if let Some(copy) = self.copy_over(&pages) {
            copy.waiting.push(task);
        }
        self.tasks[task].pages = pages;
    }

    fn copy_over(&mut self, pages: &[Lpn]) -> Option<&mut Copy> {
        let stripe = |page: &Lpn| Ids::new(StripeId(page.number() as u32), 1);
        let page = pages.iter().find(|page| self.mirrors.copy_over(stripe(page)).is_some())?;
        self.mirrors.copy_over(stripe(page))
    }

    /// Starts to copy stripes to `to`, or to compare all mirrors where there is none to rebuild; false
    /// while the host writes there.
    pub(super) fn copy(&mut self, stripes: Ids<StripeId>, to: Option<DriveId>) -> Fallible<bool> {
        if self.mirrors.is_written(stripes) {
            return Ok(false);
        }
        let can = |&drive: &DriveId| self.core.bays.is_readable(drive, stripes.last());
        let mut sources: Vec<DriveId> = self.core.layout.drives().iter().filter(can).collect();
        if to.is_some() {
            sources.truncate(1);
        }
        let copy = Copy {
            stripes,
            left: sources.len() as u32,
            has_read: to.is_none(),
            is_void: false,
            waiting: Vec::new(),
        };
        let mirrors = &mut self.mirrors;
        let number = put(&mut mirrors.copies, &mut mirrors.spare_copies, copy);
        for drive in sources {
            stripes.iter().for_each(|stripe| self.core.contents.copy_from(drive, stripe));
            self.send_copy(drive, Op::Read, stripes, number)?;
        }
        Ok(true)
    }

    fn send_copy(&mut self, drive: DriveId, op: Op, stripes: Ids<StripeId>, copy: u32) -> Fallible {
        let page_bytes = self.core.rules.page_bytes;
        let request = DriveRequest {
            op,
            offset_bytes: u64::from(stripes.first().number()) * page_bytes,
            size_bytes: (u64::from(stripes.count()) * page_bytes) as u32,
            parity: false,
            fua: false,
        };
        self.core.send(drive, &request, Purpose::Sync, Job::Copy(copy))
    }

    /// A read or write of a copy is over.
    pub(super) fn copy_step(&mut self, number: u32) -> Fallible {
        let rebuilds = self.rebuilds();
        let Some(copy) = &mut self.mirrors.copies[number as usize] else { return Ok(()) };
        copy.left -= 1;
        if copy.left > 0 {
            return Ok(());
        }
        let (stripes, is_void) = (copy.stripes, copy.is_void);
        if !copy.has_read
            && !is_void
            && let Some(to) = rebuilds
        {
            (copy.has_read, copy.left) = (true, 1);
            for stripe in stripes {
                let (contents, mut drives) = self.core.contents_and_drives(&self.cache);
                contents.send_copy(to, stripe, &mut drives);
            }
            return self.send_copy(to, Op::Write, stripes, number);
        }
        if let Some(copy) = self.mirrors.copies[number as usize].take() {
            self.mirrors.spare_copies.push(number);
            self.resumed.extend(copy.waiting);
        }
        if !is_void {
            if let Some(to) = rebuilds {
                stripes.iter().for_each(|stripe| self.core.contents.copy_to(to, stripe));
            }
            self.synced(stripes);
        }
        Ok(())
    }
}
