//! Host requests on their way into the stripe cache, page by page.

use super::asked::{Asked, Task};
use super::contents::Contents;
use super::drive_set::DriveSet;
use super::layout::{Level, Place};
use super::machine::Array;
use super::member::Member;
use super::pages::Part;
use super::stripes::{Queue, Waiter};
use crate::engine::RequestId;
use crate::error::Error;
use crate::ids::{HeadId, Lpn, TaskId};

/// Why a task cannot go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    /// All stripe heads are in use.
    NoHead,
    /// The sectors are about to be written by another request; its stripe head.
    Overlap(HeadId),
}

impl<M: Member, C: Contents<M>> Array<M, C> {
    /// Takes a request to read or to write pages.
    pub(super) fn take(&mut self, asked: &Asked, pages: &[Lpn]) -> Result<(), Error> {
        if self.layout.level == Level::Raid5 && (asked.is_write || self.is_degraded()) {
            let task = self.new_task(asked, pages);
            self.attach(task);
            return Ok(());
        }
        if !self.is_held_up(asked, pages) {
            return self.direct(asked, pages);
        }
        let task = self.new_task(asked, pages);
        self.wait_for_copy(task);
        Ok(())
    }

    /// Its request waits for it.
    fn new_task(&mut self, asked: &Asked, pages: &[Lpn]) -> TaskId {
        self.requests.add_part(asked.id);
        let task = self.spare_tasks.pop();
        let task = task.unwrap_or_else(|| self.tasks.push(Task::default()));
        let state = &mut self.tasks[task];
        (state.asked, state.at) = (*asked, 0);
        state.pages.clear();
        state.pages.extend_from_slice(pages);
        task
    }

    /// A task has wholly been taken.
    fn end_task(&mut self, task: TaskId) {
        let id = self.tasks[task].asked.id;
        self.requests.part_done(id, self.now_ns);
        self.spare_tasks.push(task);
    }

    /// A task for what is left of a read whose drive was lost.
    pub(super) fn read_again(&mut self, id: RequestId, parts: &[Part]) {
        for &Part { request: number, page, sectors } in parts {
            let (first, last) = (sectors, sectors);
            let asked = Asked { id, number, is_write: false, fua: false, first, last };
            let task = self.new_task(&asked, &[page]);
            self.resumed.push_back(task);
        }
    }

    /// Goes on with a task that passes the cache by, unless another copy is in its way.
    fn direct_again(&mut self, task: TaskId) -> Result<(), Error> {
        let Task { asked, pages, .. } = &mut self.tasks[task];
        let (asked, pages) = (*asked, std::mem::take(pages));
        let waits = self.is_held_up(&asked, &pages);
        if !waits {
            self.direct(&asked, &pages)?;
        }
        self.tasks[task].pages = pages;
        match waits {
            true => self.wait_for_copy(task),
            false => self.end_task(task),
        }
        Ok(())
    }

    /// Takes a task as far as it goes; what stops it will resume it.
    pub(super) fn attach(&mut self, task: TaskId) {
        match self.take_pages(task) {
            None => self.end_task(task),
            Some(Stop::NoHead) => {
                self.counts.waits_for_stripe += 1;
                self.no_head.push_back(task);
            }
            Some(Stop::Overlap(head)) => {
                self.counts.waits_for_overlap += 1;
                self.cache.head(head).overlaps.push(task);
            }
        }
    }

    fn take_pages(&mut self, task: TaskId) -> Option<Stop> {
        while self.tasks[task].at < self.tasks[task].pages.len() {
            if let Some(stop) = self.take_page(task) {
                return Some(stop);
            }
            self.tasks[task].at += 1;
        }
        None
    }

    fn take_page(&mut self, task: TaskId) -> Option<Stop> {
        let Task { asked, pages, at } = &self.tasks[task];
        let &Asked { id, is_write, fua, .. } = asked;
        let part = asked.part(pages, *at);
        let Place { drive, stripe } = self.layout.locate(part.page);
        let Some(head) = self.cache.activate(stripe) else { return Some(Stop::NoHead) };
        let (whole, page) = (self.whole, DriveSet::of(drive));
        let block = self.cache.block(head, drive);
        let waiter = Waiter { id, part, fua };
        if !is_write {
            block.readers.push(waiter);
            self.cache.pages(head).to_read |= page;
        } else if block.wanted & part.sectors & whole != 0 {
            return Some(Stop::Overlap(head));
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
        self.requests.add_part(id);
        self.cache.enqueue(head, Queue::Handle);
        None
    }

    /// Tasks that were stopped go on where that is possible; true when any did.
    pub(super) fn resume_tasks(&mut self) -> Result<bool, Error> {
        let mut did = false;
        while let Some(task) = self.resumed.pop_front() {
            did = true;
            if self.layout.level == Level::Raid5 {
                self.attach(task);
            } else {
                self.direct_again(task)?;
            }
        }
        while let Some(&task) = self.no_head.front() {
            let from = self.tasks[task].at;
            let stop = self.take_pages(task);
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
