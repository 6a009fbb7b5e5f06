//! Host requests that were stopped on their way into an array, page by page.

use super::contents::Contents;
use super::core::{Core, Storage};
use super::host_request::HostRequest;
use super::pages::Part;
use super::stripes::{Stop, Stripes};
use crate::ids::{ById, Lpn, TaskId};
use crate::nand::command::RequestId;
use std::collections::VecDeque;

/// A host request that has not wholly been taken yet.
#[derive(Debug, Default)]
pub(super) struct Task {
    pub asked: HostRequest,
    pub pages: Vec<Lpn>,
    /// The first page that has not been taken.
    at: usize,
}

/// Host requests that were stopped.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    tasks: ById<TaskId, Task>,
    spare: Vec<TaskId>,
    /// Those that wait for a stripe head.
    no_head: VecDeque<TaskId>,
    /// Those that may go on.
    resumed: VecDeque<TaskId>,
}

impl Tasks {
    /// A task for the pages of a request from the one at `at` on, a part of which ends with it.
    pub fn add(&mut self, asked: &HostRequest, pages: &[Lpn], at: usize) -> TaskId {
        let task = self.spare.pop();
        let task = task.unwrap_or_else(|| self.tasks.push(Task::default()));
        let state = &mut self.tasks[task];
        (state.asked, state.at) = (*asked, at);
        state.pages.clear();
        state.pages.extend_from_slice(pages);
        task
    }

    /// Tasks for what is left of a read whose drive was lost.
    pub fn read_again<S: Storage>(&mut self, id: RequestId, parts: &[Part], core: &mut Core<S>) {
        for &Part { request: number, page, sectors } in parts {
            let (first, last) = (sectors, sectors);
            let asked = HostRequest { id, number, is_write: false, fua: false, first, last };
            core.requests.add_part(id);
            let task = self.add(&asked, &[page], 0);
            self.resumed.push_back(task);
        }
    }

    /// A task is over.
    pub fn end<S: Storage>(&mut self, task: TaskId, core: &mut Core<S>) {
        let HostRequest { id, number, .. } = self.tasks[task].asked;
        core.contents.taken_whole(number, core.now_ns);
        core.part_done(id);
        self.spare.push(task);
    }

    /// Takes what is left of a task, which is put back or ends.
    pub fn take(&mut self, task: TaskId) -> Task {
        std::mem::take(&mut self.tasks[task])
    }

    /// Puts back what is left of a task.
    pub fn put_back(&mut self, task: TaskId, state: Task) {
        self.tasks[task] = state;
    }

    /// Tasks may go on.
    pub fn resume(&mut self, tasks: impl IntoIterator<Item = TaskId>) {
        self.resumed.extend(tasks);
    }

    /// Whether tasks were stopped.
    #[inline(always)]
    pub fn has_stopped(&self) -> bool {
        !(self.resumed.is_empty() && self.no_head.is_empty())
    }

    /// A task that may go on.
    pub fn next_resumed(&mut self) -> Option<TaskId> {
        self.resumed.pop_front()
    }

    /// Takes a request whose pages go through the stripe cache.
    #[inline(always)]
    pub fn take_into_cache<S: Storage>(
        &mut self,
        asked: &HostRequest,
        pages: &[Lpn],
        stripes: &mut Stripes,
        core: &mut Core<S>,
    ) {
        // Most requests are of one page, which needs no loop, and no part besides the request's own.
        let stopped = match pages.len() {
            1 => match stripes.take_page(asked, asked.part(pages, 0), core) {
                Ok(head) => return stripes.will_handle_alone(head, core),
                Err(stop) => Some((0, stop)),
            },
            _ => stripes.take_pages(asked, pages, 0, core),
        };
        if let Some((at, stop)) = stopped {
            core.requests.add_part(asked.id);
            let task = self.add(asked, pages, at);
            self.stop(task, stop, stripes, core);
        }
        core.part_done(asked.id);
    }

    /// A task goes no further; what stops it will resume it.
    #[inline(never)]
    fn stop<S: Storage>(
        &mut self,
        task: TaskId,
        stop: Stop,
        stripes: &mut Stripes,
        core: &mut Core<S>,
    ) {
        match stop {
            Stop::NoHead => {
                core.counts.waits_for_stripe += 1;
                self.no_head.push_back(task);
            }
            Stop::Overlap(head) => {
                core.counts.waits_for_overlap += 1;
                stripes.wait_for_writers(head, task);
            }
        }
    }

    /// Takes a task as far as it goes; returns what stops it.
    fn go_on<S: Storage>(
        &mut self,
        task: TaskId,
        stripes: &mut Stripes,
        core: &mut Core<S>,
    ) -> Option<Stop> {
        let Task { asked, pages, at } = &mut self.tasks[task];
        let stopped = stripes.take_pages(asked, pages, *at, core);
        *at = stopped.map_or(pages.len(), |(at, _)| at);
        Some(stopped?.1)
    }

    /// Tasks whose pages go through the stripe cache go on where that is possible; true when any did.
    #[inline(never)]
    pub fn resume_into_cache<S: Storage>(
        &mut self,
        stripes: &mut Stripes,
        core: &mut Core<S>,
    ) -> bool {
        let mut did = false;
        while let Some(task) = self.next_resumed() {
            did = true;
            match self.go_on(task, stripes, core) {
                Some(stop) => self.stop(task, stop, stripes, core),
                None => self.end(task, core),
            }
        }
        while let Some(&task) = self.no_head.front() {
            let from = self.tasks[task].at;
            let stop = self.go_on(task, stripes, core);
            did |= self.tasks[task].at > from;
            if stop == Some(Stop::NoHead) {
                break;
            }
            self.no_head.pop_front();
            match stop {
                Some(Stop::Overlap(head)) => stripes.wait_for_writers(head, task),
                _ => self.end(task, core),
            }
        }
        did
    }
}
