//! A run of an array whose power is cut at every operation, of all of its drives at once.

use super::Run;
use super::assembly::{recorded, restarted};
use super::cut_choice::{self, CutChoice};
use super::drive::{Drive, MemberDrive};
use super::front::Front;
use super::plan::{Plan, plan};
use crate::array::{Array, DriveRequest};
use crate::error::Error;
use crate::flash::Image;
use crate::ids::{ById, DriveId, Id, MemberId, StripeId};
use crate::nand::infeasible;
use crate::power::array::{ArrayCuts, ArrayRestarts, Member, Noting, Recorded, Restarted};
use crate::power::{CutReport, Did};
use crate::schema::{Config, RunMode, WriteHole};
use wordline_trace::Op;

/// Runs the workload on an array, and cuts its power.
///
/// # Errors
/// An array that cannot work or be cut.
pub(super) fn cut(mut run: Run<'_>, choice: CutChoice) -> Result<CutReport, Error> {
    let config = run.config;
    let Plan { layout, rules, drives } = plan(config)?;
    check(config, &drives, rules.page_bytes)?;
    let mut members = Vec::new();
    for config in &drives {
        members.push(recorded(config, &mut *run.watch)?);
    }
    let keeps_logs = config.array.write_hole != WriteHole::Open;
    let noting = Noting::new(layout, members.len() as u32, keeps_logs);
    let array = Array::new(layout, rules, members, noting);
    let mut front = Front::new(config, array, rules.page_bytes, Vec::new());
    front.note_requests();
    run.replay_all(&mut front)?;
    front.drain()?;
    let mut log = front.take_log();
    let sent = front.array.core.contents.take_sent();
    let logs = front.array.core.contents.take_logs();
    for (request, noted) in (0..).zip(&mut log.requests) {
        // A drive may pass over a trim, which is never promised.
        if noted.op == Op::Write {
            noted.units = front.array.core.contents.given(request).collect();
        }
    }
    let members = front.array.core.members.all.iter_mut();
    let recorded: Result<Vec<Recorded>, Error> =
        members.map(|member| member.take_recorded()).collect();
    let recorded: ById<MemberId, Recorded> = recorded?.into();
    let members = front.array.core.members.all.iter_with_ids().map(|(id, member)| {
        let place = (DriveId(id.0), layout, rules.page_bytes);
        Member::new(place, &recorded[id], member.state(), &sent[id])
    });
    let members = members.collect();
    let plan = cut_choice::plan(config, choice, None);
    let mut anew = Anew { drives: &drives, page_bytes: rules.page_bytes };
    let report = ArrayCuts::new(layout, members, (&log, &logs), &plan).run(&mut anew)?;
    Ok(CutReport { warnings: run.workload.remarks(), ..report })
}

/// Restarts the drives of an array.
struct Anew<'a> {
    drives: &'a [Config],
    page_bytes: u64,
}

impl ArrayRestarts for Anew<'_> {
    fn restart(
        &mut self,
        images: &ById<MemberId, Image>,
        writes: &ById<MemberId, Vec<StripeId>>,
    ) -> Result<ById<MemberId, Restarted>, Error> {
        let mut drives = Vec::new();
        for (config, image) in self.drives.iter().zip(images.iter()) {
            drives.push(restarted(config, image)?);
        }
        // The array begins once all of its drives are there.
        let begin_ns = drives.iter().map(|drive| drive.quiet_at_ns()).max().unwrap_or(0);
        let drives = drives.into_iter().zip(writes.iter());
        drives.map(|(drive, writes)| self.write(drive, writes, begin_ns)).collect()
    }
}

impl Anew<'_> {
    /// Writes pages to a drive that has restarted, and flushes it.
    fn write(
        &self,
        mut drive: Box<dyn MemberDrive>,
        writes: &[StripeId],
        begin_ns: u64,
    ) -> Result<Restarted, Error> {
        let (counters, quiet_at_ns) = (drive.counters(), drive.quiet_at_ns());
        let mut ends = Vec::new();
        for stripe in writes {
            let request = DriveRequest {
                op: Op::Write,
                offset_bytes: u64::from(stripe.number()) * self.page_bytes,
                size_bytes: self.page_bytes as u32,
                parity: false,
                fua: false,
            };
            drive.submit(&request, begin_ns, &mut ends)?;
        }
        drive.drain()?;
        let flush_ns = drive.quiet_at_ns().max(begin_ns);
        drive.submit(&DriveRequest::FLUSH, flush_ns, &mut ends)?;
        drive.drain()?;
        drive.check()?;
        let recorded = drive.take_recorded()?;
        let commands = recorded.recording.commands.iter();
        let before = commands.filter(|command| command.begin < quiet_at_ns);
        let did = Did::of(&counters, quiet_at_ns, before);
        Ok(Restarted { did, recorded, state: drive.into_state() })
    }
}

/// Refuses arrays of which it cannot be said what a cut leaves.
fn check(config: &Config, drives: &[Config], page_bytes: u64) -> Result<(), Error> {
    if config.run.mode == RunMode::Count {
        return Err(infeasible(
            "run.mode = \"count\": the drives of an array are cut at the same instant, and without time there is none",
            "set run.mode to \"timed\"",
        ));
    }
    if config.array.spare || !config.array.fail.is_empty() {
        return Err(infeasible(
            "array.spare or array.fail is set, and power is cut of an array that is whole",
            "leave them out: the report tells what a drive that fails after the cut takes",
        ));
    }
    for (number, drive) in drives.iter().enumerate() {
        if drive.power.protection.bears_all() || drive.power.protection.energy_nj().is_some() {
            return Err(infeasible(
                format!(
                    "power.protection = {}, and drive {number} of an array is cut without any",
                    drive.power.protection
                ),
                "set power.protection to \"none\"",
            ));
        }
        let unit_bytes = crate::nand::Geometry::new(drive)?.unit_bytes;
        if !unit_bytes.is_multiple_of(page_bytes) {
            return Err(infeasible(
                format!(
                    "array.page_kib makes pages of {page_bytes} bytes, and drive {number} maps units of {unit_bytes}: a cut could tear a page"
                ),
                "set array.page_kib to the mapping unit of the drives, or to a part of it",
            ));
        }
    }
    Ok(())
}
