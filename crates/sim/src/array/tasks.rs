//! Host requests on their way into the stripe cache, page by page.

use super::contents::Contents;
use super::layout::Level;
use super::machine::Array;
use super::member::Member;
use super::stripes::{Queue, Waiter};
use crate::error::Error;
use crate::ids::{HeadId, TaskId};

/// Why a task cannot go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    /// All stripe heads are in use.
    NoHead,
    /// The sectors are about to be written by another request; its stripe head.
    Overlap(HeadId),
}

impl<M: Member, C: Contents<M>> Array<M, C> {
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
        let state = &self.tasks[task];
        let (part, is_write, id) = (state.part(state.at), state.is_write, state.id);
        let fua = state.fua;
        let place = self.layout.locate(part.page);
        let Some(head) = self.cache.activate(place.stripe) else { return Some(Stop::NoHead) };
        let whole = self.whole;
        let block = self.cache.block(head, place.drive);
        let waiter = Waiter { id, part, fua };
        if !is_write {
            block.readers.push(waiter);
        } else if block.wanted & part.sectors & whole != 0 {
            return Some(Stop::Overlap(head));
        } else {
            block.wanted |= part.sectors & whole;
            block.writers.push(waiter);
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
                self.direct(task)?;
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
