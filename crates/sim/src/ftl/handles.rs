//! Reclaim unit handles: what goes with them, and what is counted of each.

use super::Io;
use crate::drive::{DriveState, Handles};
use crate::engine::Scheduler;
use crate::error::Error;
use crate::ids::{BlockId, StreamId};
use crate::nand::infeasible;
use crate::schema::{Config, FdpConfig, HotnessChoice, VictimChoice, WearChoice};
use std::collections::BTreeSet;

/// The host has written a unit to a stream.
#[inline]
pub(super) fn note_host_write<S: Scheduler>(state: &DriveState, io: &mut Io<S>, stream: StreamId) {
    if state.layout.handles.is_some() {
        io.counters.of_stream(stream).host_units += 1;
    }
}

/// What a victim held, so many units, has been moved to a stream.
pub(super) fn note_reclaimed<S: Scheduler>(
    state: &DriveState,
    io: &mut Io<S>,
    (victim, moved): (BlockId, u32),
    to: StreamId,
) {
    if state.layout.handles.is_none() {
        return;
    }
    let from = io.counters.of_stream(state.blocks[victim].stream());
    from.moved_out += u64::from(moved);
    from.reclaimed += 1;
    io.counters.of_stream(to).moved_in += u64::from(moved);
}

/// Refuses what the host's interface does not go with.
pub fn check_interface(config: &Config) -> Result<(), Error> {
    let fdp = &config.host.fdp;
    let Some(handles) = Handles::of(config)? else {
        return match *fdp == FdpConfig::default() {
            true => Ok(()),
            false => Err(infeasible(
                "host.fdp is set, and host.interface = \"block\": the drive takes no placement identifiers",
                "set host.interface to \"fdp\", or leave host.fdp out",
            )),
        };
    };
    check_drive(config)?;
    check_list(fdp)?;
    check_shares(config, &handles)
}

/// Refuses drives that handles are not built for.
fn check_drive(config: &Config) -> Result<(), Error> {
    let drive = &config.drive;
    let dies: u64 = drive.channels * drive.chips_per_channel * drive.chip.dies;
    let refused: [(bool, String, String); 5] = [
        (
            !drive.group.is_empty(),
            "a drive of several kinds of flash: a reclaim unit is of one".into(),
            "leave drive.group out".into(),
        ),
        (
            config.ftl.superblock_dies < dies,
            format!(
                "ftl.superblock_dies = {}: a reclaim unit is a superblock of all {dies} dies, because a drive has one reclaim group",
                config.ftl.superblock_dies
            ),
            format!("set ftl.superblock_dies to {dies}"),
        ),
        (
            !config.technique.is_empty(),
            format!(
                "technique.{}: techniques decide where data goes, too",
                config.technique.keys().next().map_or("", String::as_str)
            ),
            "leave the technique out".into(),
        ),
        (
            config.ftl.hotness.policy != HotnessChoice::None,
            format!(
                "ftl.hotness.policy = \"{}\": the host says which data belongs together",
                config.ftl.hotness.policy
            ),
            "set ftl.hotness.policy to \"none\"".into(),
        ),
        (
            matches!(config.ftl.wear.policy, WearChoice::Static | WearChoice::Bet),
            format!(
                "ftl.wear.policy = \"{}\": it moves data of all handles to one unit",
                config.ftl.wear.policy
            ),
            "set ftl.wear.policy to \"dynamic\" or \"none\"".into(),
        ),
    ];
    match refused.into_iter().find(|&(is_refused, ..)| is_refused) {
        None => Ok(()),
        Some((_, what, help)) => Err(infeasible(
            format!("host.interface = \"fdp\" does not go with {what}"),
            format!("{help}, or set host.interface to \"block\""),
        )),
    }
}

/// Refuses a namespace's list of handles that the drive does not have, or has twice.
fn check_list(fdp: &FdpConfig) -> Result<(), Error> {
    let FdpConfig { handles, placement_handles, .. } = fdp;
    let mut met = BTreeSet::new();
    for &handle in placement_handles {
        let what = match u64::from(handle) < *handles {
            false => format!("handle {handle}, and the handles are 0 to {}", handles - 1),
            true if !met.insert(handle) => format!("handle {handle} twice"),
            true => continue,
        };
        return Err(infeasible(
            format!("host.fdp.placement_handles names {what}"),
            "name handles of the drive, each once, or raise host.fdp.handles",
        ));
    }
    Ok(())
}

/// Refuses shares of handles whose data does not stay with them, or of another number.
fn check_shares(config: &Config, handles: &Handles) -> Result<(), Error> {
    let FdpConfig { shares, .. } = &config.host.fdp;
    if shares.iter().all(|&share| share == 0.0) {
        return Ok(());
    }
    let policy = config.ftl.gc.policy;
    let (what, help) = if shares.len() as u32 != handles.count() {
        (
            format!("it has {} entries for {} handles", shares.len(), handles.count()),
            "give one for each of host.fdp.handles, or 0 for none".to_owned(),
        )
    } else if !handles.are_apart() {
        (
            "what GC moves does not stay with its handle".to_owned(),
            "set host.fdp.isolation to [\"persistent\"], or ftl.frontiers to \"shared\"".to_owned(),
        )
    } else if !matches!(policy, VictimChoice::Greedy | VictimChoice::Fifo) {
        (
            format!("ftl.gc.policy = \"{policy}\" does not choose within a handle"),
            "set ftl.gc.policy to \"greedy\" or \"fifo\"".to_owned(),
        )
    } else {
        return Ok(());
    };
    Err(infeasible(format!("host.fdp.shares: {what}"), help))
}
