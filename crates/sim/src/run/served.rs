//! Drives and arrays that are served, built: they restart from what their media hold.

use super::array::inject;
use super::assembly::{empty_ftl, fill_ftl, stack};
use super::drive::{Drive, MemberDrive};
use super::front::Front;
use super::plan::{Plan, plan};
use super::scheduled::{Plain, scheduled};
use super::session::Session;
use super::{Own, Watch};
use crate::array::{Array, Contents, Drives, Layout, Logging};
use crate::drive::DriveState;
use crate::error::Error;
use crate::flash::{Image, Medium};
use crate::ftl::Preconditioning;
use crate::host::Host;
use crate::nand::{Geometry, infeasible};
use crate::schema::{ArrayLevel, Config, HostInterface, HostMode};
use std::time::Instant;

/// A drive alone that is asked request by request.
pub type ServedDrive = Session<dyn MemberDrive>;

/// An array that is asked request by request, whose pages are in `C`.
pub type ServedArray<C> = Session<Front<C>>;

/// What a drive's data is kept in, and what was found there if there was any.
pub type Opened = (Box<dyn Medium>, Option<Image>);

/// A drive that keeps its data in what `open` gives. Where that holds anything the drive restarts from it;
/// otherwise it is preconditioned.
///
/// # Errors
/// A drive that cannot work; `watch` said stop.
pub fn served(
    config: &Config,
    open: impl FnOnce(&DriveState) -> Result<Opened, Error>,
    watch: &mut dyn Watch,
) -> Result<ServedDrive, Error> {
    check(config)?;
    if config.array.level != ArrayLevel::None {
        return Err(Error::Invariant("an array was taken for a drive alone".into()));
    }
    let started = Instant::now();
    let Started { drive, preconditioning, .. } = start(config, open, watch)?;
    Ok(Session::new(config, drive, preconditioning, started))
}

/// Refuses what the pace of replies does not decide.
fn check(config: &Config) -> Result<(), Error> {
    if config.host.interface == HostInterface::Fdp {
        return Err(infeasible(
            "host.interface = \"fdp\": the network block protocol (NBD) carries no placement identifiers",
            "set host.interface to \"block\", or replay a trace that has identifiers",
        ));
    }
    match config.host.mode {
        HostMode::Auto => {
            Err(Error::Invariant("host.mode of a served drive is not decided".into()))
        }
        HostMode::Open | HostMode::Closed => Ok(()),
    }
}

/// A drive that holds data.
struct Started {
    drive: Box<dyn MemberDrive>,
    preconditioning: Preconditioning,
    /// Whether it held any before.
    has_restarted: bool,
}

fn start(
    config: &Config,
    open: impl FnOnce(&DriveState) -> Result<Opened, Error>,
    watch: &mut dyn Watch,
) -> Result<Started, Error> {
    let mut ftl = empty_ftl(config, stack(config, Vec::new())?, Own::default())?;
    let (medium, found) = open(&ftl.state)?;
    ftl.carry(medium);
    let preconditioning = match &found {
        Some(image) => {
            ftl.take_up(&config.ftl, image);
            Preconditioning::none()
        }
        None => fill_ftl(config, &mut ftl, watch)?,
    };
    let mut drive = scheduled::<Plain, _>(config, ftl);
    if let Some(image) = &found {
        drive.clear(image)?;
    }
    Ok(Started { drive, preconditioning, has_restarted: found.is_some() })
}

/// An array each of whose drives keeps its data in what `open` gives, one after the other. Drives restart from what is found
/// there; then the array does, and makes its stripes match.
///
/// # Errors
/// An array that cannot work or be served; `watch` said stop.
pub fn served_array<C: Contents<Box<dyn MemberDrive>>>(
    config: &Config,
    mut open: impl FnMut(&Config, &DriveState) -> Result<Opened, Error>,
    contents: impl FnOnce(Layout, u64) -> C,
    watch: &mut dyn Watch,
) -> Result<ServedArray<C>, Error> {
    check(config)?;
    let started = Instant::now();
    let Plan { layout, rules, drives: configs } = plan(config)?;
    if rules.logging != Logging::None {
        return Err(infeasible(
            format!(
                "array.write_hole = {}, and nobody reads the log of an array that is served",
                config.array.write_hole
            ),
            "set array.write_hole to \"open\"",
        ));
    }
    let (mut members, mut drives) = (Vec::new(), Vec::new());
    let mut restarted_ns = None;
    for (number, config) in configs.into_iter().enumerate() {
        check_unit(number, &config, rules.page_bytes)?;
        let Started { drive, preconditioning, has_restarted } =
            start(&config, |state| open(&config, state), watch)?;
        if has_restarted {
            restarted_ns = restarted_ns.max(Some(drive.quiet_at_ns()));
        }
        members.push(drive);
        drives.push((config, preconditioning));
    }
    let contents = contents(layout, rules.page_bytes);
    let mut array = Array::new(layout, rules, members, contents);
    if let Some(at_ns) = restarted_ns {
        array.restart(at_ns)?;
    }
    inject(&config.array, &mut array);
    let preconditioning = drives[0].1.clone();
    let front = Front::new(config, array, rules.page_bytes, drives);
    Ok(Session::new(config, Box::new(front), preconditioning, started))
}

/// A page of the array goes to its drive as whole units, so that none need be completed.
fn check_unit(number: usize, drive: &Config, page_bytes: u64) -> Result<(), Error> {
    let unit_bytes = Geometry::new(drive)?.unit_bytes;
    if page_bytes.is_multiple_of(unit_bytes) {
        return Ok(());
    }
    Err(infeasible(
        format!(
            "array.page_kib makes pages of {page_bytes} bytes, and drive {number} maps units of {unit_bytes}: a page that is served would be a part of a unit"
        ),
        "set array.page_kib to the mapping unit of the drives (ftl.mapping_unit_kib), or to a multiple",
    ))
}

impl<C: Contents<Box<dyn MemberDrive>>> ServedArray<C> {
    /// What the pages hold, and the drives that they are on.
    pub fn parts(&mut self) -> (&mut C, Drives<'_, Box<dyn MemberDrive>>) {
        self.drive.array.contents_and_drives()
    }

    /// Bytes of a page.
    pub fn page_bytes(&self) -> u64 {
        self.drive.page_bytes
    }

    /// Bytes that a host can address.
    pub fn size_bytes(&self) -> u64 {
        self.drive.logical_bytes()
    }

    /// The number that the next request gets.
    pub fn next_number(&self) -> u64 {
        self.drive.recorder.taken()
    }

    /// Time passes until every request of the host has ended.
    ///
    /// # Errors
    /// An operation that the flash could not carry out.
    pub fn end_all(&mut self) -> Result<(), Error> {
        while self.drive.array.core.requests.in_flight() > 0 {
            self.drive.wait_for_end(u64::MAX)?;
        }
        Ok(())
    }
}
