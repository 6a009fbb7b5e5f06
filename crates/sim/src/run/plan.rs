//! What an array is made of: its drives, its layout, and why it may not work.

use crate::array::{Layout, Level, Logging, Rules, SECTOR_BYTES};
use crate::error::Error;
use crate::ftl::logical_units;
use crate::nand::{Geometry, infeasible};
use crate::schema::{ArrayConfig, Config, DieClasses, HostInterface, Pattern, WriteHole};
use std::collections::BTreeSet;

/// What an array is made of, and what its drives hold.
pub(super) struct Plan {
    pub layout: Layout,
    pub rules: Rules,
    /// The configuration of each drive, the spare behind them, and that of the journal last.
    pub drives: Vec<Config>,
}

/// Bytes that the host can address.
///
/// # Errors
/// An array that cannot work, with the arithmetic.
pub(super) fn logical_bytes(config: &Config) -> Result<u64, Error> {
    let Plan { layout, rules, .. } = plan(config)?;
    Ok(layout.pages() * rules.page_bytes)
}

/// The array of a configuration.
///
/// # Errors
/// One that cannot work, with the arithmetic.
pub(super) fn plan(config: &Config) -> Result<Plan, Error> {
    let array = &config.array;
    let Some(level) = Level::of(array.level) else {
        return Err(Error::Invariant("a drive alone was taken for an array".into()));
    };
    check_interface(config)?;
    check_members(array, level)?;
    let has_journal = array.write_hole == WriteHole::Journal;
    let mut drives = Vec::new();
    for number in 0..members(array) {
        drives.push(of_drive(config, number)?);
    }
    let bytes = |kib: f64| (kib * 1024.0).round() as u64;
    let (page_bytes, chunk_bytes) = (bytes(array.page_kib), bytes(array.chunk_kib));
    let mut units = BTreeSet::new();
    let mut capacities = Vec::new();
    for (number, drive) in (0..).zip(&drives) {
        let geometry = Geometry::new(drive)?;
        if !(has_journal && number + 1 == members(array)) {
            units.insert(geometry.unit_bytes);
        }
        capacities.push(logical_units(drive, &geometry) * geometry.unit_bytes);
    }
    let unit_bytes = units.last().copied().unwrap_or(page_bytes);
    let journal_bytes = capacities.pop_if(|_| has_journal).unwrap_or(0);
    check_sizes(page_bytes, chunk_bytes, &units)?;
    let logging = logging(array, level, page_bytes, journal_bytes)?;
    let drive_bytes = same_capacity(&capacities)?;
    let data_bytes = match logging {
        Logging::Ppl { pages } => drive_bytes.saturating_sub(u64::from(pages) * page_bytes),
        Logging::None | Logging::Journal { .. } => drive_bytes,
    };
    let layout = layout(level, array.drives as u32, (page_bytes, chunk_bytes), data_bytes)?;
    let rules = Rules {
        page_bytes,
        unit_bytes,
        logging,
        stripe_cache: array.stripe_cache as usize,
        rmw: array.rmw,
        bypass_threshold: array.bypass_threshold as u32,
        counts_updates: array.count_updates,
        sync_min_mb_s: array.sync_min_mb_s,
        sync_max_mb_s: array.sync_max_mb_s,
    };
    Ok(Plan { layout, rules, drives })
}

/// Refuses placement identifiers: no array of drives that take them is built.
fn check_interface(config: &Config) -> Result<(), Error> {
    if config.host.interface == HostInterface::Block {
        return Ok(());
    }
    Err(infeasible(
        format!(
            "array.level = {}, and host.interface = \"{}\": an array hands no placement identifiers on to its drives",
            config.array.level, config.host.interface
        ),
        "set host.interface to \"block\", or array.level to \"none\"",
    ))
}

/// Drives, the spare and that of the journal included.
fn members(array: &ArrayConfig) -> u32 {
    let has_journal = array.write_hole == WriteHole::Journal;
    array.drives as u32 + u32::from(array.spare) + u32::from(has_journal)
}

/// What is written before stripes are; `journal_bytes` has the drive of a journal.
fn logging(
    array: &ArrayConfig,
    level: Level,
    page_bytes: u64,
    journal_bytes: u64,
) -> Result<Logging, Error> {
    if array.write_hole == WriteHole::Open {
        return Ok(Logging::None);
    }
    if level != Level::Raid5 {
        return Err(infeasible(
            format!(
                "array.write_hole = {}, and array.level = {} keeps no parity",
                array.write_hole, array.level
            ),
            "set array.write_hole to \"open\", or array.level to \"raid5\"",
        ));
    }
    if array.write_hole == WriteHole::Journal {
        return journal(array, page_bytes, journal_bytes);
    }
    let pages = (array.log_kib * 1024.0) as u64 / page_bytes;
    if pages < FEWEST_LOG_PAGES {
        return Err(infeasible(
            format!(
                "array.log_kib = {} holds {pages} pages of {page_bytes} bytes: an entry is a page and the partial parity of a stripe",
                array.log_kib
            ),
            format!(
                "raise array.log_kib to {} or more, or choose a smaller array.page_kib",
                FEWEST_LOG_PAGES * page_bytes / 1024
            ),
        ));
    }
    Ok(Logging::Ppl { pages: pages as u32 })
}

/// The journal: a page says where it begins, and the rest is entries.
fn journal(array: &ArrayConfig, page_bytes: u64, drive_bytes: u64) -> Result<Logging, Error> {
    let room = drive_bytes / page_bytes;
    let pages = match (array.journal_kib * 1024.0) as u64 / page_bytes {
        0 if array.journal_kib == 0.0 => room,
        pages => pages,
    };
    let fewest = 1 + 2 * (1 + array.drives);
    let kib = |pages: u64| pages * page_bytes / 1024;
    if pages > room {
        return Err(infeasible(
            format!(
                "array.journal_kib = {}, and drive {} has {} KiB for its host",
                array.journal_kib,
                members(array) - 1,
                kib(room)
            ),
            "lower array.journal_kib, or 0 for all of the drive, or raise drive.chip.blocks_per_plane",
        ));
    }
    if pages < fewest {
        return Err(infeasible(
            format!(
                "array.journal_kib = {} leaves {pages} pages of {page_bytes} bytes: a stripe takes up to {}, and the next one has to fit beside it",
                array.journal_kib,
                1 + array.drives
            ),
            format!(
                "raise array.journal_kib to {} or more, or choose a smaller array.page_kib",
                kib(fewest)
            ),
        ));
    }
    Ok(Logging::Journal { pages: u32::try_from(pages - 1).unwrap_or(u32::MAX) })
}

/// Pages of an entry of the log with one stripe.
const FEWEST_LOG_PAGES: u64 = 2;

/// The configuration of a drive; a spare and that of a journal are erased.
fn of_drive(config: &Config, number: u32) -> Result<Config, Error> {
    let mut drive = config
        .of_drive(number)
        .map_err(|error| infeasible(error.to_string(), "see `wordline describe array`"))?;
    if drive.drive.scheduling.by_class != DieClasses::None {
        return Err(infeasible(
            "drive.scheduling.by_class: drives of an array are not told of which queue a request is",
            "set it to \"none\", or array.level to \"none\"",
        ));
    }
    if drive.host.link.generation > 0 {
        return Err(infeasible(
            "host.link: the links of an array's drives are not simulated",
            "set host.link.generation to 0, or array.level to \"none\"; host.bus_mb_s holds for each drive",
        ));
    }
    if u64::from(number) >= config.array.drives {
        drive.precondition.pattern = Pattern::None;
    }
    Ok(drive)
}

fn check_members(array: &ArrayConfig, level: Level) -> Result<(), Error> {
    let (name, drives, fewest) = (array.level, array.drives, level.fewest_drives());
    if drives < fewest {
        return Err(infeasible(
            format!(
                "array.level = {name} needs {fewest} drives at least, array.drives is {drives}"
            ),
            format!("set array.drives to {fewest} or more"),
        ));
    }
    if !level.is_redundant() && (array.spare || array.scrub || !array.fail.is_empty()) {
        return Err(infeasible(
            format!(
                "array.level = {name} has no redundancy: what fails is lost, and there is nothing to rebuild or to compare"
            ),
            "choose raid1 or raid5, or leave array.spare, array.fail and array.scrub out",
        ));
    }
    if let Some(drive) = array.fail.iter().find(|&&drive| u64::from(drive) >= drives) {
        return Err(infeasible(
            format!("array.fail names drive {drive}; the drives are 0 to {}", drives - 1),
            "choose one of these, or raise array.drives",
        ));
    }
    check_failures(array, level)?;
    let members = members(array);
    let is_absent = |name: &&String| name.parse::<u32>().is_ok_and(|number| number >= members);
    if let Some(name) = array.drive.keys().find(is_absent) {
        return Err(infeasible(
            format!(
                "[array.drive.{name}]: the drives are 0 to {}, the spare and that of the journal included",
                members - 1
            ),
            "number them from 0, or raise array.drives",
        ));
    }
    Ok(())
}

/// One drive may fail; what more would cost depends on the level.
fn check_failures(array: &ArrayConfig, level: Level) -> Result<(), Error> {
    let mut failed = array.fail.clone();
    failed.sort_unstable();
    failed.dedup();
    if failed.len() < array.fail.len() {
        return Err(infeasible("array.fail names a drive twice", "name it once"));
    }
    let (lost, drives) = (failed.len() as u64, array.drives);
    if lost < 2 {
        return Ok(());
    }
    let percent = 100.0 * lost as f64 / drives as f64;
    let what = match level {
        Level::Raid5 => format!(
            "RAID 5 gives back what one drive held, and {lost} of the {drives} pages of every stripe would be gone: {percent:.0} % of the data lost, and the rest without parity"
        ),
        _ if lost >= drives => "no mirror would be left, and all data be lost".into(),
        _ => "a mirror would be left, but the simulator lets only one drive fail".into(),
    };
    let names: Vec<String> = failed.iter().map(u16::to_string).collect();
    Err(infeasible(
        format!("array.fail names drives {}: {what}", names.join(", ")),
        "keep one of them",
    ))
}

/// Pages of whole sectors, chunks of whole pages and of whole units of every drive.
fn check_sizes(page_bytes: u64, chunk_bytes: u64, units: &BTreeSet<u64>) -> Result<(), Error> {
    if !page_bytes.is_multiple_of(SECTOR_BYTES) {
        return Err(infeasible(
            format!(
                "array.page_kib makes pages of {page_bytes} bytes: not whole sectors of {SECTOR_BYTES}"
            ),
            "choose a multiple of 0.5",
        ));
    }
    let wholes = std::iter::once((page_bytes, "pages of the array"))
        .chain(units.iter().map(|&unit| (unit, "mapping units of the drives")));
    for (part_bytes, parts) in wholes {
        if !chunk_bytes.is_multiple_of(part_bytes) {
            let kib = |bytes: u64| bytes as f64 / 1024.0;
            return Err(infeasible(
                format!(
                    "a chunk of {} KiB holds {:.2} {parts} of {} KiB: data and parity would share one",
                    kib(chunk_bytes),
                    chunk_bytes as f64 / part_bytes as f64,
                    kib(part_bytes)
                ),
                format!(
                    "set array.chunk_kib to a multiple of {}, or choose a smaller ftl.mapping_unit_kib or array.page_kib",
                    kib(part_bytes)
                ),
            ));
        }
    }
    Ok(())
}

fn same_capacity(capacities: &[u64]) -> Result<u64, Error> {
    let first = capacities[0];
    let Some(other) = capacities.iter().position(|&bytes| bytes != first) else { return Ok(first) };
    let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
    Err(infeasible(
        format!(
            "drive 0 has {first} bytes ({:.3} GiB) for its host, drive {other} {} ({:.3} GiB)",
            gib(first),
            capacities[other],
            gib(capacities[other])
        ),
        format!(
            "give [array.drive.{other}.drive] the size of the others, or an over_provisioning that makes up for it"
        ),
    ))
}

fn layout(
    level: Level,
    drives: u32,
    (page_bytes, chunk_bytes): (u64, u64),
    drive_bytes: u64,
) -> Result<Layout, Error> {
    let chunks = drive_bytes / chunk_bytes;
    if chunks == 0 {
        return Err(infeasible(
            format!("a chunk of {chunk_bytes} bytes does not fit a drive of {drive_bytes}"),
            "choose a smaller array.chunk_kib, or raise drive.chip.blocks_per_plane",
        ));
    }
    let chunk = chunk_bytes / page_bytes;
    let pages = chunks * chunk;
    if pages >= u64::from(u32::MAX) {
        return Err(infeasible(
            format!(
                "each drive has {pages} pages of {page_bytes} bytes for the array; at most {} fit",
                u32::MAX - 1
            ),
            "choose a larger array.page_kib, up to 32",
        ));
    }
    Ok(Layout { level, drives, chunk: chunk as u32, stripes: pages as u32 })
}
