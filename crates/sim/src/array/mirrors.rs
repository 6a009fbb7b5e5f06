//! Mirrors of RAID 1: writes under way, and stretches that are copied or compared, which keep out of
//! each other's way (the barriers of Linux' drivers/md/raid1.c).

use super::contents::Contents;
use super::counts::Purpose;
use super::issue::Job;
use super::machine::Array;
use super::member::{DriveRequest, Member};
use crate::error::Error;
use std::ops::Range;
use wordline_trace::Op;

/// A stretch of rows that is copied to the mirror that is rebuilt, or compared.
#[derive(Debug, Clone)]
struct Copy {
    rows: Range<u32>,
    /// Requests to drives that are not over.
    left: u32,
    has_read: bool,
    /// A drive was lost meanwhile: the rebuild that follows begins anew.
    is_void: bool,
    /// Writes that wait for its end.
    waiting: Vec<u32>,
}

/// The mirrors of an array.
#[derive(Debug, Default)]
pub(super) struct Mirrors {
    /// Where the last read of each ended.
    pub head_bytes: Vec<u64>,
    /// Writes under way: their rows, and the mirrors that have not written them.
    writes: Vec<Option<(Range<u32>, u32)>>,
    spare_writes: Vec<u32>,
    copies: Vec<Option<Copy>>,
    spare_copies: Vec<u32>,
}

fn meet(a: &Range<u32>, b: &Range<u32>) -> bool {
    a.start < b.end && b.start < a.end
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
    pub fn new(drives: usize) -> Self {
        Self { head_bytes: vec![u64::MAX; drives], ..Self::default() }
    }

    /// A write begins; returns its number.
    pub fn begin_write(&mut self, rows: Range<u32>, mirrors: u32) -> u32 {
        put(&mut self.writes, &mut self.spare_writes, (rows, mirrors))
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

    fn is_written(&self, rows: &Range<u32>) -> bool {
        self.writes.iter().flatten().any(|(other, _)| meet(rows, other))
    }

    fn copy_over(&mut self, rows: &Range<u32>) -> Option<&mut Copy> {
        self.copies.iter_mut().flatten().find(|copy| meet(rows, &copy.rows))
    }
}

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
