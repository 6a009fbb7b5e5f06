//! The memory that a run takes, told before it does.

use super::plan::{Plan, plan};
use crate::array::Intervals;
use crate::error::Error;
use crate::ftl::logical_units;
use crate::ids::is_wide;
use crate::nand::{Block, Geometry};
use crate::schema::{ArrayLevel, Config, HotnessChoice, ReadErrors};

/// Bytes of an entry of the map, either way, and of a stamp of a logical unit.
const ENTRY: u64 = size_of::<u32>() as u64;
/// More bytes of an entry of the map, either way, where the drive has more units than the others tell apart.
const ENTRY_BEYOND: u64 = size_of::<u8>() as u64;
/// Of the units of the host, the drive has as many pages of its own at most: those of the map, and those that tell of trims.
const OWN_PAGES: u64 = 32;
/// Bytes of what a word line has been through.
const LINE: u64 = 2;
/// Bytes that techniques keep of each word line at most: the range and the valid units of a program.
const LINE_OF_TECHNIQUE: u64 = 8;
/// Bytes of the time at which a word line was programmed, where pages have errors.
const LINE_OF_READS: u64 = 4;
/// Bytes of a block besides its own state: its place among the erased or the full ones, what techniques keep of it, and
/// what flash that holds data has before anything is written to it.
const BESIDES: u64 = 80;

/// Memory that a run takes, roughly, in bytes, and rather more than less: that of its maps, blocks and word lines, and of
/// what policies and techniques keep of these. Records of requests come on top, and so does what power cuts are judged by.
///
/// # Errors
/// A drive or an array that cannot work.
pub fn memory_bytes(config: &Config) -> Result<u64, Error> {
    match config.array.level {
        ArrayLevel::None => of_drive(config),
        ArrayLevel::Raid0 | ArrayLevel::Raid1 | ArrayLevel::Raid5 => {
            let Plan { layout, rules, drives } = plan(config)?;
            let units = (u64::from(layout.stripes) * rules.page_bytes).div_ceil(rules.unit_bytes);
            let of_updates = if rules.counts_updates { Intervals::bytes(units) } else { 0 };
            let of_member = |drive| Ok(of_drive(drive)? + of_updates);
            drives.iter().map(of_member).sum()
        }
    }
}

fn of_drive(config: &Config) -> Result<u64, Error> {
    let geometry = Geometry::new(config)?;
    let logical_units = logical_units(config, &geometry);
    let mapped = logical_units + logical_units / OWN_PAGES;
    let stamped = if config.ftl.hotness.policy == HotnessChoice::PageInterval { mapped } else { 0 };
    let entries = geometry.units() + mapped + stamped;
    let of_reads = if config.drive.reads.model == ReadErrors::None { 0 } else { LINE_OF_READS };
    let of_technique = if config.technique.is_empty() { 0 } else { LINE_OF_TECHNIQUE };
    let of_line = LINE + of_technique + of_reads;
    let valid = u64::from(geometry.stride.div_ceil(u64::BITS) * u64::BITS / u8::BITS);
    let of_blocks = geometry.groups.iter().map(|group| {
        let lines = u64::from(group.pages_per_block.div_ceil(group.bits));
        let of_block = size_of::<Block>() as u64 + BESIDES + valid + lines * of_line;
        u64::from(group.blocks.count()) * of_block
    });
    let beyond = if is_wide(geometry.units()) { geometry.units() + mapped } else { 0 };
    Ok(ENTRY * entries + ENTRY_BEYOND * beyond + of_blocks.sum::<u64>())
}
