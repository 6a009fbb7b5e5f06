//! What a recording says of the drive as a whole: its shape once, its state in keyframes.

use super::Kept;
use super::sections::{put_number, put_step};
use crate::drive::DriveState;
use crate::ids::{Id, Lpn, PlaneId, Unit};
use crate::metrics::Counters;
use crate::nand::command::Cause;
use crate::nand::{BlockState, Kind, Mode, Needs, SuperblockRows, Superblocks, WordLines};
use serde_json::{Value, json};

/// The logical units whose places are told at the start at most: with more, only data that is written later has a
/// known address.
const MOST_ADDRESSES: u64 = 1 << 21;

/// The drive, as a reader needs to know it.
pub(super) fn describe(drive: &DriveState, is_timed: bool) -> Value {
    let groups = drive.geometry.groups.iter().enumerate().map(|(at, group)| {
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
            "superblocks": drive.superblocks.as_ref().map(|superblocks| superblocks_of(superblocks, at)),
        })
    });
    let modes = drive.ops.modes();
    let number = |name: &Mode| modes.iter().position(|mode| mode == name);
    let rows = drive.ops.rows().map(|row| {
        json!({
            "name": row.name,
            "kind": match row.kind { Kind::Read => "read", Kind::Program => "program", Kind::Erase => "erase" },
            "from": row.transition.from.iter().map(number).collect::<Vec<_>>(),
            "mode": number(&row.transition.to),
            "in_place": row.kind == Kind::Program && row.needs == Needs::Programmed,
            "passes": row.transition.passes,
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

/// Where the pages of superblocks lie: the dies below them, how a row goes round, and of each of their planes the
/// first plane of each program of a row.
fn superblocks_of(superblocks: &Superblocks, group: usize) -> Value {
    let flash = &superblocks.flash.groups[group];
    let SuperblockRows { programs, planes, pages, rotates } = superblocks.filling(group);
    let first = flash.planes.first().number();
    let of_row = |row: &Vec<PlaneId>| row.iter().map(|at| at.number() - first).collect::<Vec<_>>();
    json!({
        "dies": flash.dies.count(),
        "planes_per_die": flash.planes_per_die,
        "pages_per_block": flash.pages_per_block,
        "programs": programs.iter().map(of_row).collect::<Vec<_>>(),
        "planes": planes,
        "pages": pages,
        "rotates": rotates,
    })
}

/// What each word line of a superblock holds, or each page where they are programmed page by page: `d` data, `p`
/// parity, `m` metadata. Empty where all hold data, and for several kinds of flash.
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
    let is_whole = superblocks.filling(0).pages.is_multiple_of(group.bits);
    let step = if is_whole { group.bits } else { 1 };
    (0..group.pages_per_block).step_by(step as usize).map(held).collect()
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

/// Word lines as runs of those that are alike.
#[derive(Default)]
struct Runs {
    bytes: Vec<u8>,
    last: (u16, usize),
}

impl Runs {
    fn add(&mut self, (line, count): (u16, usize)) {
        if line != self.last.0 && count > 0 {
            self.end();
            self.last = (line, 0);
        }
        self.last.1 += count;
    }

    fn end(&mut self) {
        if self.last.1 > 0 {
            put_number(&mut self.bytes, self.last.0.into());
            put_number(&mut self.bytes, self.last.1 as u64);
        }
    }
}

fn runs(Kept { drive, lines }: Kept<'_>) -> Vec<u8> {
    let mut runs = Runs::default();
    match lines {
        Some(lines) => lines.runs().for_each(|run| runs.add(run)),
        None => drive.geometry.blocks().into_iter().for_each(|block| {
            let group = drive.geometry.of(block);
            let entry = &drive.blocks[block];
            let is_erased = matches!(entry.state, BlockState::Free | BlockState::Bad);
            let pages = if is_erased { 0 } else { group.pages_of(entry.next) };
            WordLines::runs_of_filled(group, pages).into_iter().for_each(|run| runs.add(run));
        }),
    }
    runs.end();
    runs.bytes
}

/// Appends numbers of a fixed size, all at once.
fn put_all<const SIZE: usize>(
    bytes: &mut Vec<u8>,
    numbers: impl ExactSizeIterator<Item = [u8; SIZE]>,
) {
    let begin = bytes.len();
    bytes.resize(begin + SIZE * numbers.len(), 0);
    bytes[begin..]
        .chunks_exact_mut(SIZE)
        .zip(numbers)
        .for_each(|(to, from)| to.copy_from_slice(&from));
}

/// Appends the state of a drive: every word line, every valid unit, every block.
pub(super) fn put_keyframe(bytes: &mut Vec<u8>, kept: Kept<'_>) {
    bytes.append(&mut runs(kept));
    let blocks = kept.drive.blocks.as_slice().iter();
    put_all(bytes, kept.drive.valid.all_words().iter().map(|word| word.to_le_bytes()));
    put_all(bytes, blocks.clone().map(|block| [block.state as u8]));
    put_all(bytes, blocks.clone().map(|block| [block.stream().0 as u8]));
    put_all(bytes, blocks.map(|block| block.erases.to_le_bytes()));
}
