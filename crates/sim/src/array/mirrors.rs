//! Mirrors of RAID 1: writes under way, and stretches that are copied or compared, which keep out of
//! each other's way (the barriers of Linux' drivers/md/raid1.c).

use super::cache::Cache;
use super::contents::Contents;
use super::core::{Core, Storage};
use super::counts::Purpose;
use super::direct::Run;
use super::host_request::HostRequest;
use super::jobs::Job;
use super::member::DriveRequest;
use super::tasks::Tasks;
use crate::error::Fallible;
use crate::ids::{ById, DriveId, Id, Ids, Lpn, StripeId, TaskId};
use crate::nand::command::RequestId;
use wordline_trace::Op;

/// A stretch of stripes that is copied to the mirror that is rebuilt, or compared.
#[derive(Debug, Clone)]
struct Copy {
    stripes: Ids<StripeId>,
    /// Requests to drives that are not over.
    left: u32,
    has_read: bool,
    /// A drive was lost meanwhile: the rebuild that follows begins anew.
    is_void: bool,
    /// Writes that wait for its end.
    waiting: Vec<TaskId>,
}

/// The mirrors of an array.
#[derive(Debug, Default)]
pub(super) struct Mirrors {
    /// Where the last read of each ended.
    head_bytes: ById<DriveId, u64>,
    /// Writes under way: their stripes, and the mirrors that have not written them.
    writes: Vec<Option<(Ids<StripeId>, u32)>>,
    spare_writes: Vec<u32>,
    copies: Vec<Option<Copy>>,
    spare_copies: Vec<u32>,
}

fn meet(a: Ids<StripeId>, b: Ids<StripeId>) -> bool {
    a.first() < b.end() && b.first() < a.end()
}

fn put<T>(list: &mut Vec<Option<T>>, spare: &mut Vec<u32>, item: T) -> u32 {
    let at = spare.pop().unwrap_or_else(|| {
        list.push(None);
        list.len() as u32 - 1
    });
    list[at as usize] = Some(item);
    at
}

impl Mirrors {
    /// Mirrors that nothing is done with.
    pub fn new(drives: u32) -> Self {
        Self { head_bytes: ById::filled(u64::MAX, drives), ..Self::default() }
    }

    /// A write begins; returns its number.
    fn begin_write(&mut self, stripes: Ids<StripeId>, mirrors: u32) -> u32 {
        put(&mut self.writes, &mut self.spare_writes, (stripes, mirrors))
    }

    /// One of the mirrors has written.
    pub fn has_written(&mut self, write: u32) {
        let Some((_, left)) = &mut self.writes[write as usize] else { return };
        *left -= 1;
        if *left == 0 {
            self.writes[write as usize] = None;
            self.spare_writes.push(write);
        }
    }

    /// Nothing comes of the copies under way.
    pub fn void_copies(&mut self) {
        self.copies.iter_mut().flatten().for_each(|copy| copy.is_void = true);
    }

    /// True while one of these stripes is written.
    fn is_written(&self, stripes: Ids<StripeId>) -> bool {
        self.writes.iter().flatten().any(|(other, _)| meet(stripes, *other))
    }

    /// The copy that covers one of these stripes.
    fn copy_over(&mut self, stripes: Ids<StripeId>) -> Option<&mut Copy> {
        self.copies.iter_mut().flatten().find(|copy| meet(stripes, copy.stripes))
    }

    /// A task waits for the end of the copy that its pages are in, and will be resumed.
    pub fn hold_up(&mut self, task: TaskId, pages: &[Lpn]) {
        if let Some(copy) = self.copy_over_any(pages) {
            copy.waiting.push(task);
        }
    }

    /// Whether pages are to be written that are in a copy.
    #[inline]
    pub fn is_copied(&mut self, asked: &HostRequest, pages: &[Lpn]) -> bool {
        asked.is_write && self.copy_over_any(pages).is_some()
    }

    fn copy_over_any(&mut self, pages: &[Lpn]) -> Option<&mut Copy> {
        let stripe = |page: &Lpn| Ids::new(StripeId(page.number() as u32), 1);
        let page = pages.iter().find(|page| self.copy_over(stripe(page)).is_some())?;
        self.copy_over(stripe(page))
    }

    /// Starts to copy stripes to `to`, or to compare all mirrors where there is none to rebuild; false
    /// while the host writes there.
    pub fn copy<S: Storage>(
        &mut self,
        stripes: Ids<StripeId>,
        to: Option<DriveId>,
        core: &mut Core<S>,
    ) -> Fallible<bool> {
        if self.is_written(stripes) {
            return Ok(false);
        }
        let can = |&drive: &DriveId| core.bays.is_readable(drive, stripes.last());
        let mut sources: Vec<DriveId> = core.layout.drives().iter().filter(can).collect();
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
        let number = put(&mut self.copies, &mut self.spare_copies, copy);
        for drive in sources {
            stripes.iter().for_each(|stripe| core.contents.copy_from(drive, stripe));
            send_copy(drive, Op::Read, stripes, number, core)?;
        }
        Ok(true)
    }

    /// A read or write of a copy is over; returns its stripes once it has been made, or compared.
    pub fn copy_step<S: Storage>(
        &mut self,
        number: u32,
        rebuilt: Option<DriveId>,
        tasks: &mut Tasks,
        cache: &Cache,
        core: &mut Core<S>,
    ) -> Fallible<Option<Ids<StripeId>>> {
        let Some(copy) = &mut self.copies[number as usize] else { return Ok(None) };
        copy.left -= 1;
        if copy.left > 0 {
            return Ok(None);
        }
        let (stripes, is_void) = (copy.stripes, copy.is_void);
        if !copy.has_read
            && !is_void
            && let Some(to) = rebuilt
        {
            (copy.has_read, copy.left) = (true, 1);
            for stripe in stripes {
                let (contents, mut drives) = core.contents_and_drives(cache);
                contents.send_copy(to, stripe, &mut drives);
            }
            send_copy(to, Op::Write, stripes, number, core)?;
            return Ok(None);
        }
        if let Some(copy) = self.copies[number as usize].take() {
            self.spare_copies.push(number);
            tasks.resume(copy.waiting);
        }
        if let Some(to) = rebuilt.filter(|_| !is_void) {
            stripes.iter().for_each(|stripe| core.contents.copy_to(to, stripe));
        }
        Ok((!is_void).then_some(stripes))
    }

    /// Writes a run to every mirror, as parts of a request.
    #[inline(never)]
    pub fn write<S: Storage>(&mut self, id: RequestId, run: &Run, core: &mut Core<S>) -> Fallible {
        let mirrors: Vec<DriveId> = core.bays.writable().collect();
        let write = self.begin_write(run.stripes(), mirrors.len() as u32);
        for drive in mirrors {
            core.requests.add_part(id);
            core.write_run(id, run.on(drive), Some(write))?;
        }
        core.part_done(id);
        Ok(())
    }

    /// Reads the mirror that has least to do, the first of equals; a read that goes on where the
    /// last one of a mirror ended stays there (`read_balance` of Linux' drivers/md/raid1.c).
    #[inline(never)]
    pub fn read<S: Storage>(&mut self, id: RequestId, run: &Run, core: &mut Core<S>) -> Fallible {
        let request = core.request(run, Op::Read);
        let last = run.stripes().last();
        let can = |&drive: &DriveId| core.bays.is_readable(drive, last);
        let goes_on = |&drive: &DriveId| self.head_bytes[drive] == request.offset_bytes;
        let pending = |&drive: &DriveId| {
            let member = core.bays.member(drive);
            member.map_or(usize::MAX, |member| core.members.pending(member))
        };
        let mirrors = || core.layout.drives().into_iter().filter(can);
        let drive = mirrors().find(goes_on).or_else(|| mirrors().min_by_key(pending));
        let drive = drive.unwrap_or(DriveId(0));
        self.head_bytes[drive] = request.offset_bytes + u64::from(request.size_bytes);
        core.read_run(id, run.on(drive))
    }
}

fn send_copy<S: Storage>(
    drive: DriveId,
    op: Op,
    stripes: Ids<StripeId>,
    copy: u32,
    core: &mut Core<S>,
) -> Fallible {
    let (first, pages) = (stripes.first(), stripes.count());
    let request = DriveRequest::pages(op, first, pages, core.rules.page_bytes);
    core.send(drive, &request, Purpose::Sync, Job::Copy(copy))
}

#[cfg(test)]
mod tests {
    use super::Mirrors;
    use crate::ids::{Ids, StripeId};

    #[test]
    fn stretches_that_only_touch_do_not_meet() {
        let mut mirrors = Mirrors::new(2);
        let stripes = |from: u32, to: u32| Ids::between(StripeId(from), StripeId(to - 1));
        let write = mirrors.begin_write(stripes(4, 8), 2);
        for (from, to, meets) in [(0, 4, false), (0, 5, true), (7, 9, true), (8, 9, false)] {
            assert_eq!(mirrors.is_written(stripes(from, to)), meets, "{from} to {to}");
        }
        mirrors.has_written(write);
        assert!(mirrors.is_written(stripes(0, 5)), "one of two mirrors has written");
        mirrors.has_written(write);
        assert!(!mirrors.is_written(stripes(0, 5)));
    }
}
