//! What keeps the data behind the units, where a drive has any: told of all that the flash does with it.

use super::recording::{OpKind, RecordedSpan};
use crate::drive::DriveState;
use crate::engine::Phase;
use crate::ids::{Lpn, Unit};
use crate::nand::command::Cause;
use std::any::Any;

/// Where the data of a unit comes from that was given a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum From {
    /// From the host, which has handed it over and of which this is the newest.
    Host,
    /// From another unit, which still holds it.
    Unit(Unit),
    /// From the drive itself: a page of the map, or what a drive was filled with.
    Drive,
}

impl From {
    /// Of data that `cause` writes and that stood in a unit until then, if that is one.
    #[inline]
    pub fn of(cause: Cause, old: Unit) -> Self {
        match old.known() {
            _ if cause == Cause::Host => Self::Host,
            Some(old) => Self::Unit(old),
            None => Self::Drive,
        }
    }
}

/// A command on its way: its ticket, what it does, and to which pages.
#[derive(Debug, Clone, Copy)]
pub struct Issued<'a> {
    /// The ticket under which its phases are told.
    pub ticket: u32,
    /// What it does.
    pub deed: OpKind,
    /// Its pages, and the rows of its operations.
    pub pages: &'a [RecordedSpan],
}

/// Keeps data. Nothing of it reaches a decision of the drive but whether a second write [fits](Self::fits): otherwise
/// the same requests give the same counts with any medium.
///
/// Data has a place ([`stage`](Self::stage)) before the program that writes it is issued, is read from there at
/// any time, and stands in the cells once that program has ended.
pub trait Medium: Any + Send {
    /// A block was filled without a program: its unit holds what the drive was filled with.
    fn preset(&mut self, state: &DriveState, unit: Unit, lpn: Lpn);

    /// The data of a logical unit was given a place.
    fn stage(&mut self, state: &DriveState, unit: Unit, lpn: Lpn, from: From);

    /// Whether the data of a logical unit can be coded over what the page of `unit` holds: then it is staged there
    /// next. `None`: no code is tried, and the drive draws.
    fn fits(&mut self, _: &DriveState, _: Unit, _: Lpn, _: From) -> Option<bool> {
        None
    }

    /// What a unit holds is copied to another one as it is, and its logical unit stays where it was.
    fn stage_copy(&mut self, state: &DriveState, unit: Unit, of: Unit);

    /// A program or an erase was issued.
    fn issue(&mut self, state: &DriveState, issued: &Issued<'_>);

    /// A program or an erase has begun or ended.
    fn note_phase(&mut self, state: &DriveState, ticket: u32, phase: Phase);
}
