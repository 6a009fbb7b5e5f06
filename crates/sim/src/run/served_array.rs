//! An array that is asked request by request, whose drives hold data.

use super::array::{inject, outcome, scheduled};
use super::assembly::{empty_ftl, fill_ftl, stack};
use super::drive::Drive;
use super::front::Front;
use super::plan::{Plan, plan};
use super::served::{Clients, Opened, Served, Taken, check};
use super::{Outcome, Own, Replay, Watch};
use crate::array::{Array, Contents, Drives, Layout, Logging};
use crate::drive::DriveState;
use crate::error::Error;
use crate::ftl::Preconditioning;
use crate::host::Host;
use crate::nand::{Geometry, infeasible};
use crate::report::Facts;
use crate::schema::{Config, HostMode, RunMode};
use rustc_hash::FxHashMap;
use std::time::Instant;
use wordline_trace::{Op, Request};

/// An array whose pages are in `C`, and what its result is made of.
pub struct ServedArray<C: Contents<Box<dyn Drive>>> {
    front: Front<C>,
    drives: Vec<(Config, Preconditioning)>,
    page_bytes: u64,
    started: Instant,
    begun: Instant,
    /// Whether requests arrive at their times, and replies wait for their ends.
    is_open: bool,
    /// Whether time passes.
    is_timed: bool,
    /// Ends of requests that nobody has asked for yet.
    ended: FxHashMap<u64, u64>,
}

/// An array each of whose drives keeps its data in what `open` gives, one after the other. Drives restart from what is found
/// there; then the array does, and makes its stripes match.
///
/// # Errors
/// An array that cannot work or be served; `watch` said stop.
pub fn served_array<C: Contents<Box<dyn Drive>>>(
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
        let mut ftl = empty_ftl(&config, stack(&config, Vec::new())?, Own::default())?;
        let (medium, found) = open(&config, &ftl.state)?;
        ftl.carry(medium);
        let preconditioning = match &found {
            Some(image) => {
                ftl.take_up(&config.ftl, image);
                Preconditioning::none()
            }
            None => fill_ftl(&config, &mut ftl, watch)?,
        };
        let mut drive = scheduled(&config, ftl);
        if let Some(image) = &found {
            drive.clear(image)?;
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
    let mut front = Front::new(config, array, rules.page_bytes);
    front.ended = Some(Vec::new());
    Ok(ServedArray {
        front,
        drives,
        page_bytes: rules.page_bytes,
        started,
        begun: Instant::now(),
        is_open: config.host.mode == HostMode::Open,
        is_timed: config.run.mode == RunMode::Timed,
        ended: FxHashMap::default(),
    })
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

impl<C: Contents<Box<dyn Drive>>> ServedArray<C> {
    /// Bytes of a page.
    pub fn page_bytes(&self) -> u64 {
        self.page_bytes
    }

    /// Bytes that a host can address.
    pub fn size_bytes(&self) -> u64 {
        self.front.logical_bytes()
    }

    /// The number that the next request gets.
    pub fn next_number(&self) -> u64 {
        self.front.recorder.taken()
    }

    /// What the pages hold, and the drives that they are on.
    pub fn parts(&mut self) -> (&mut C, Drives<'_, Box<dyn Drive>>) {
        self.front.array.contents_and_drives()
    }

    /// Time passes until every request of the host has ended.
    ///
    /// # Errors
    /// An operation that the flash could not carry out.
    pub fn end_all(&mut self) -> Result<(), Error> {
        while self.front.array.requests.in_flight() > 0 {
            self.front.wait_for_end(u64::MAX)?;
        }
        Ok(())
    }

    /// The drives take note of what has ended by now.
    fn hear(&mut self) -> Result<(), Error> {
        self.front.array.bring_up();
        self.front.array.members.iter_mut().try_for_each(|drive| drive.hear())
    }

    fn collect_ends(&mut self) {
        let ended = self.front.ended.iter_mut().flat_map(|ended| ended.drain(..));
        self.ended.extend(ended);
    }
}

impl<C: Contents<Box<dyn Drive>>> Served for ServedArray<C> {
    fn submit(&mut self, request: &Request) -> Result<Taken, Error> {
        if !self.is_open {
            // Nobody asks for the ends of earlier requests any more.
            self.front.ended.iter_mut().for_each(Vec::clear);
        }
        self.front.feed_one(request, 0)?;
        let is_refused = request.op == Op::Write
            && self.front.array.members.iter().any(|drive| drive.is_read_only());
        Ok(Taken { number: self.front.recorder.number(), is_whole: !is_refused })
    }

    fn advance(&mut self, now_ns: u64) -> Result<(), Error> {
        if now_ns > self.front.array.now_ns() {
            self.front.arrive(now_ns)?;
            self.hear()?;
        }
        Ok(())
    }

    fn end_of(&mut self, number: u64) -> Option<u64> {
        self.collect_ends();
        self.ended.remove(&number)
    }

    fn finish(&mut self, number: u64) -> Result<(), Error> {
        while self.is_timed && self.end_of(number).is_none() {
            self.front.wait_for_end(u64::MAX)?;
        }
        self.hear()
    }

    fn now_ns(&self) -> u64 {
        Replay::now_ns(&self.front)
    }

    fn settle(&mut self) -> Result<(), Error> {
        self.front.drain()?;
        self.front.array.members.iter().try_for_each(|drive| drive.check())
    }

    fn outcome(&mut self, config: &Config) -> Outcome {
        let facts = Facts {
            config,
            preconditioning: &self.drives[0].1,
            workload: &Clients,
            life: Vec::new(),
            wall: (self.started.elapsed(), self.begun.elapsed()),
        };
        outcome(&mut self.front, &facts, &self.drives)
    }
}
