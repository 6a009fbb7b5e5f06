//! What a recording says of the drive as a whole: its shape once, its state in keyframes.

use super::Kept;
use super::sections::{put_number, put_step};
use crate::drive::DriveState;
use crate::ids::{Lpn, Unit};
use crate::metrics::Counters;
use crate::nand::command::Cause;
use crate::nand::{BlockState, Kind, Needs, WordLines};
use serde_json::{Value, json};

/// The logical units whose places are told at the start at most: with more, only data that is written later has a
/// known address.
const MOST_ADDRESSES: u64 = 1 << 21;

/// The drive, as a reader needs to know it.
pub(super) fn describe(drive: &DriveState, is_timed: bool) -> Value {
    let groups = drive.geometry.groups.iter().map(|group| {
        json!({
            "name": group.name,
            "dies": group.dies.count(),
            "planes_per_die": group.planes_per_die,
            "blocks_per_plane": group.blocks_per_plane,
            "pages_per_block": group.pages_per_block,
            "bits": group.bits,
            "units_per_page": group.units_per_page,
            "pages_per_unit": group.pages_per_unit,
            "units_per_block": group.units_per_block,
            "blocks_at_once": drive.blocks_at_once(group.blocks.first()),
        })
    });
    let modes = drive.ops.modes();
    let rows = drive.ops.rows().map(|row| {
        json!({
            "name": row.name,
            "kind": match row.kind { Kind::Read => "read", Kind::Program => "program", Kind::Erase => "erase" },
            "mode": modes.iter().position(|&mode| mode == row.transition.to),
            "in_place": row.kind == Kind::Program && row.needs == Needs::Programmed,
        })
    });
    let layout = &drive.layout;
    let sites = drive.flash().dies().into_iter().map(|die| drive.flash().site(die));
    json!({
        "format": super::FORMAT,
        "version": env!("CARGO_PKG_VERSION"),
        "timed": is_timed,
        "unit_bytes": drive.geometry.unit_bytes,
        "logical_units": drive.logical_units,
        "stride": drive.geometry.stride,
        "word_lines": word_lines(drive),
        "dies": sites.map(|site| [site.channel, site.way, site.die]).collect::<Vec<_>>(),
        "groups": groups.collect::<Vec<_>>(),
        "modes": modes,
        "rows": rows.collect::<Vec<_>>(),
        "causes": Cause::ALL.map(|cause| format!("{cause:?}").to_lowercase()),
        "streams": {
            "count": layout.streams,
            "gc": layout.gc_stream.0,
            "map": layout.map_stream.0,
            "technique": layout.technique_stream.0,
        },
    })
}

/// What each word line of a superblock holds: `d` data, `p` parity, `m` metadata. Empty where all hold data, and for
/// several kinds of flash.
fn word_lines(drive: &DriveState) -> String {
    let stripe = drive.layout.fillings[0].stripe.filter(|_| !drive.geometry.is_mixed());
    let (Some(superblocks), Some((stripe, _))) = (&drive.superblocks, stripe) else {
        return String::new();
    };
    let group = &drive.geometry.groups[0];
    let of_program = superblocks.program_with(group.blocks.first(), 0).end;
    let of_plane = of_program / stripe.planes;
    let held = |page: u32| {
        let (program, plane) = (page / of_program, page % of_program / of_plane);
        match stripe.is_metadata(program) {
            true => 'm',
            false if plane >= stripe.planes - stripe.parity_planes(program) => 'p',
            false => 'd',
        }
    };
    (0..group.pages_per_block).step_by(group.bits as usize).map(held).collect()
}

/// Where each logical unit is, as steps from one to the next; empty for a large drive.
pub(super) fn addresses(drive: &DriveState) -> Vec<u8> {
    let mut bytes = Vec::new();
    if drive.map.count() <= MOST_ADDRESSES {
        let mut last = 0;
        for lpn in (0..drive.map.count()).map(Lpn) {
            let unit = drive.unit_of(lpn).known().map_or(0, |Unit(unit)| unit + 1);
            put_step(&mut bytes, last, unit);
            last = unit;
        }
    }
    bytes
}

/// The counts that commands add up to, and those of the drive besides.
pub(super) fn counts(bytes: &mut Vec<u8>, counters: &Counters) {
    let Counters { programs, reads, program_ops, reprograms, erases, host_units, .. } = counters;
    let sums = [*program_ops, *reprograms, *erases, *host_units, counters.padding, counters.parity];
    programs.iter().chain(reads).chain(&sums).for_each(|&count| put_number(bytes, count));
}

fn put_runs(bytes: &mut Vec<u8>, runs: impl Iterator<Item = (u16, usize)>) {
    for (line, count) in runs.filter(|&(_, count)| count > 0) {
        put_number(bytes, line.into());
        put_number(bytes, count as u64);
    }
}

/// The state of a drive: every word line, every valid unit, every block.
pub(super) fn keyframe(Kept { drive, lines }: Kept<'_>) -> Vec<u8> {
    let blocks = drive.blocks.as_slice();
    let words = drive.geometry.blocks().into_iter().flat_map(|block| drive.valid.words(block));
    let of_block = 8 * drive.geometry.stride as usize / 64 + 14;
    let mut bytes = Vec::with_capacity(of_block * blocks.len());
    match lines {
        Some(lines) => put_runs(&mut bytes, lines.runs()),
        None => drive.geometry.blocks().into_iter().for_each(|block| {
            let group = drive.geometry.of(block);
            let entry = &drive.blocks[block];
            let is_erased = matches!(entry.state, BlockState::Free | BlockState::Bad);
            let pages = if is_erased { 0 } else { group.pages_of(entry.next) };
            put_runs(&mut bytes, WordLines::runs_of_filled(group, pages).into_iter());
        }),
    }
    words.for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
    bytes.extend(blocks.iter().map(|block| block.state as u8));
    bytes.extend(blocks.iter().map(|block| block.stream().0 as u8));
    blocks.iter().for_each(|block| bytes.extend_from_slice(&block.erases.to_le_bytes()));
    bytes
}
