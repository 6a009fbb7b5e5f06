//! Host requests on their way into the stripe cache, page by page.

use super::asked::{Asked, Task};
use super::contents::Contents;
use super::drive_set::DriveSet;
use super::layout::{Level, Place};
use super::machine::Array;
use super::member::Member;
use super::pages::Part;
use super::stripes::Waiter;
use crate::error::Fallible;
use crate::ids::{HeadId, Lpn, TaskId};
use crate::nand::command::RequestId;

/// Why a task cannot go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    /// All stripe heads are in use.
    NoHead,
    /// The sectors are about to be written by another request; its stripe head.
    Overlap(HeadId),
}

impl<M: Member, C: Contents<M>> Array<M, C> {
    /// Takes a request to read or to write pages, which ends with the last of them.
    #[inline(always)]
    pub(super) fn take(&mut self, asked: &Asked, pages: &[Lpn]) -> Fallible {
        if self.core.layout.level == Level::Raid5
            && (asked.is_write || self.core.bays.are_degraded())
        {
            self.take_into_cache(asked, pages);
            return Ok(());
        }
        if !self.is_held_up(asked, pages) {
            return self.direct(asked, pages);
        }
        let task = self.new_task(asked, pages, 0);
        self.wait_for_copy(task);
        self.core.part_done(asked.id);
        Ok(())
    }

    /// Takes a request whose pages go through the stripe cache.
    #[inline(always)]
    fn take_into_cache(&mut self, asked: &Asked, pages: &[Lpn]) {
        // Most requests are of one page, which needs no loop, and no part besides the request's own.
        let stopped = match pages.len() {
            1 => match self.take_page(asked, asked.part(pages, 0)) {
                Ok(head) => return self.will_handle_alone(head),
                Err(stop) => Some((0, stop)),
            },
            _ => self.take_pages(asked, pages, 0),
        };
        if let Some((at, stop)) = stopped {
            let task = self.new_task(asked, pages, at);
            self.is_stopped(task, stop);
        }
        self.core.part_done(asked.id);
    }

    /// A task for the pages of a request from the one at `at` on, which waits for it.
    fn new_task(&mut self, asked: &Asked, pages: &[Lpn], at: usize) -> TaskId {
        self.core.requests.add_part(asked.id);
        let task = self.spare_tasks.pop();
        let task = task.unwrap_or_else(|| self.tasks.push(Task::default()));
        let state = &mut self.tasks[task];
        (state.asked, state.at) = (*asked, at);
        state.pages.clear();
        state.pages.extend_from_slice(pages);
        task
    }

    /// A task has wholly been taken.
    fn end_task(&mut self, task: TaskId) {
        let id = self.tasks[task].asked.id;
        self.core.part_done(id);
        self.spare_tasks.push(task);
    }

    /// A task for what is left of a read whose drive was lost.
    pub(super) fn read_again(&mut self, id: RequestId, parts: &[Part]) {
        for &Part { request: number, page, sectors } in parts {
            let (first, last) = (sectors, sectors);
            let asked = Asked { id, number, is_write: false, fua: false, first, last };
            let task = self.new_task(&asked, &[page], 0);
            self.resumed.push_back(task);
        }
    }

    /// Goes on with a task that passes the cache by, unless another copy is in its way.
    fn direct_again(&mut self, task: TaskId) -> Fallible {
        let Task { asked, pages, .. } = &mut self.tasks[task];
        let (asked, pages) = (*asked, std::mem::take(pages));
        let waits = self.is_held_up(&asked, &pages);
        if !waits {
            self.core.requests.add_part(asked.id);
            self.direct(&asked, &pages)?;
            self.fail_lost()?;
        }
        self.tasks[task].pages = pages;
        match waits {
            true => self.wait_for_copy(task),
            false => self.end_task(task),
        }
        Ok(())
    }

    /// A task goes no further; what stops it will resume it.
    #[inline(never)]
    fn is_stopped(&mut self, task: TaskId, stop: Stop) {
        match stop {
            Stop::NoHead => {
                self.core.counts.waits_for_stripe += 1;
                self.no_head.push_back(task);
            }
            Stop::Overlap(head) => {
                self.core.counts.waits_for_overlap += 1;
                self.cache.head(head).overlaps.push(task);
            }
        }
    }

    /// Takes a task as far as it goes; returns what stops it.
    fn go_on(&mut self, task: TaskId) -> Option<Stop> {
        let Task { asked, pages, at } = std::mem::take(&mut self.tasks[task]);
        let stopped = self.take_pages(&asked, &pages, at);
        let at = stopped.map_or(pages.len(), |(at, _)| at);
        self.tasks[task] = Task { asked, pages, at };
        Some(stopped?.1)
    }

    /// Takes the pages of a request from the one at `from` on; returns the one at which it has to stop.
    #[inline(never)]
    fn take_pages(&mut self, asked: &Asked, pages: &[Lpn], from: usize) -> Option<(usize, Stop)> {
        for at in from..pages.len() {
            match self.take_page(asked, asked.part(pages, at)) {
                Ok(head) => {
                    self.core.requests.add_part(asked.id);
                    self.cache.will_handle(head);
                }
                Err(stop) => return Some((at, stop)),
            }
        }
        None
    }

    /// Takes a page of a request, a part of which ends with it; returns its stripe's head.
    #[inline(always)]
    fn take_page(&mut self, asked: &Asked, part: Part) -> Result<HeadId, Stop> {
        let &Asked { id, is_write, fua, .. } = asked;
        let (Place { drive, stripe }, parity) = self.core.layout.locate_with_parity(part.page);
        let head = self.cache.activate(stripe, parity).ok_or(Stop::NoHead)?;
        self.split_pair(head);
        let (whole, page) = (self.core.whole_page, DriveSet::of(drive));
        let block = self.cache.block(head, drive);
        let waiter = Waiter { id, part, fua };
        if !is_write {
            block.readers.push(waiter);
            self.cache.pages(head).to_read |= page;
        } else if block.wanted & part.sectors & whole != 0 {
            return Err(Stop::Overlap(head));
        } else {
            block.wanted |= part.sectors & whole;
            debug_assert!(block.wanted != 0, "a write has sectors");
            block.writers.push(waiter);
            let is_partial = block.wanted != whole;
            let pages = self.cache.pages(head);
            pages.to_write |= page;
            match is_partial {
                true => pages.partial |= page,
                false => pages.partial &= !page,
            }
        }
        Ok(head)
    }

    /// True where tasks were stopped.
    #[inline(always)]
    pub(super) fn has_stopped(&self) -> bool {
        !(self.resumed.is_empty() && self.no_head.is_empty())
    }

    /// Tasks that were stopped go on where that is possible; true when any did.
    #[inline(never)]
    pub(super) fn resume_tasks(&mut self) -> Fallible<bool> {
        let mut did = false;
        while let Some(task) = self.resumed.pop_front() {
            did = true;
            if self.core.layout.level != Level::Raid5 {
                self.direct_again(task)?;
            } else if let Some(stop) = self.go_on(task) {
                self.is_stopped(task, stop);
            } else {
                self.end_task(task);
            }
        }
        while let Some(&task) = self.no_head.front() {
            let from = self.tasks[task].at;
            let stop = self.go_on(task);
            did |= self.tasks[task].at > from;
            if stop == Some(Stop::NoHead) {
                break;
            }
            self.no_head.pop_front();
            match stop {
                Some(Stop::Overlap(head)) => self.cache.head(head).overlaps.push(task),
                _ => self.end_task(task),
            }
        }
        Ok(did)
    }
}
