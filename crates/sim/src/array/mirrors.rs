//! Mirrors of RAID 1: writes under way, and stretches that are copied or compared, which keep out of
//! each other's way (the barriers of Linux' drivers/md/raid1.c).

use super::barriers::{Copy, put};
use super::contents::Contents;
use super::counts::Purpose;
use super::jobs::Job;
use super::machine::Array;
use super::member::{DriveRequest, Member};
use crate::error::Error;
use std::ops::Range;
use wordline_trace::Op;

impl<M: Member, C: Contents> Array<M, C> {
    /// True when a task must wait for a copy of the rows that it writes; it will be resumed.
    pub(super) fn is_being_copied(&mut self, task: u32) -> bool {
        let pages = &self.tasks[task as usize].pages;
        for &page in pages {
            if let Some(copy) = self.mirrors.copy_over(&(page..page + 1)) {
                copy.waiting.push(task);
                return true;
            }
        }
        false
    }

    /// Starts to copy rows to `to`, or to compare all mirrors where there is none to rebuild; false
    /// while the host writes there.
    pub(super) fn copy(&mut self, rows: Range<u32>, to: Option<u32>) -> Result<bool, Error> {
        if self.mirrors.is_written(&rows) {
            return Ok(false);
        }
        let drives = 0..self.layout.drives;
        let mut sources: Vec<u32> =
            drives.filter(|&drive| self.is_readable(drive, rows.end - 1)).collect();
        if to.is_some() {
            sources.truncate(1);
        }
        let copy = Copy {
            rows: rows.clone(),
            left: sources.len() as u32,
            has_read: to.is_none(),
            is_void: false,
            waiting: Vec::new(),
        };
        let mirrors = &mut self.mirrors;
        let number = put(&mut mirrors.copies, &mut mirrors.spare_copies, copy);
        for drive in sources {
            rows.clone().for_each(|row| self.contents.copy_from(drive, row));
            self.send_copy(drive, Op::Read, &rows, number)?;
        }
        Ok(true)
    }

    fn send_copy(&mut self, drive: u32, op: Op, rows: &Range<u32>, copy: u32) -> Result<(), Error> {
        let page_bytes = self.rules.page_bytes;
        let request = DriveRequest {
            op,
            offset_bytes: u64::from(rows.start) * page_bytes,
            size_bytes: (u64::from(rows.end - rows.start) * page_bytes) as u32,
            parity: false,
            fua: false,
        };
        self.send(drive, &request, Purpose::Sync, Job::Copy(copy))
    }

    /// A read or write of a copy is over.
    pub(super) fn copy_step(&mut self, number: u32) -> Result<(), Error> {
        let rebuilds = self.rebuilds();
        let Some(copy) = &mut self.mirrors.copies[number as usize] else { return Ok(()) };
        copy.left -= 1;
        if copy.left > 0 {
            return Ok(());
        }
        let (rows, is_void) = (copy.rows.clone(), copy.is_void);
        if !copy.has_read
            && !is_void
            && let Some(to) = rebuilds
        {
            (copy.has_read, copy.left) = (true, 1);
            return self.send_copy(to, Op::Write, &rows, number);
        }
        if let Some(copy) = self.mirrors.copies[number as usize].take() {
            self.mirrors.spare_copies.push(number);
            self.resumed.extend(copy.waiting);
        }
        if !is_void {
            if let Some(to) = rebuilds {
                rows.clone().for_each(|row| self.contents.copy_to(to, row));
            }
            self.synced(rows.start, rows.end - rows.start);
        }
        Ok(())
    }
}
