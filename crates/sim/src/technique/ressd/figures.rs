//! What ReSSD reports.

use super::planes::{Planes, Switch};
use super::word_line::{PAGES, Status, WordLines};
use crate::drive::DriveState;
use crate::metrics::Counters;
use crate::nand::Group;
use crate::nand::command::{CAUSES, Cause};
use serde_json::{Map, Value, json};

/// Counts since the run began.
#[derive(Debug, Clone, Default)]
pub(super) struct Figures {
    /// Pages written to normal blocks, by cause.
    normal: [u64; CAUSES],
    /// Pages written by two-bit programs.
    programmed: u64,
    /// Word lines that hold two bits in a cell since.
    pub word_lines: u64,
    /// Reprograms of word lines that had none before, and one.
    reprograms: [u64; 2],
    /// Reprograms of word lines without a valid page.
    of_none_valid: u64,
    /// Erased blocks that became reprogrammable.
    pub opened: u64,
    /// Super layers that were programmed after the first of their block; the virtual ones of them.
    super_layers: u64,
    virtual_super_layers: u64,
    /// Blocks that became candidates.
    pub suspended: u64,
    proactive: u64,
    passive: u64,
    /// Candidates all of whose pages in the way were moved.
    pub reclaimed: u64,
    /// Pages moved for that along with data of the host, and in idle time.
    pub moved_along: u64,
    pub moved_idle: u64,
    /// Those of them that left blocks that were spent.
    pub moved_of_spent: u64,
    /// Copies of what reprograms put at risk: programs and pages.
    copies: [u64; 2],
    /// Blocks given up to garbage collection unfinished.
    pub surrendered: u64,
    /// Hot writes that went to normal blocks, or waited, because a candidate was still to be reclaimed.
    pub turned_away: u64,
}

impl Figures {
    /// A page was written.
    pub fn written(&mut self, cause: Cause, is_reprogrammable: bool) {
        match is_reprogrammable {
            true => self.programmed += 1,
            false => self.normal[cause as usize] += 1,
        }
    }

    /// The page that was just written is one of a reprogram, of a word line of that status before.
    pub fn reprogrammed(&mut self, before: Status) {
        self.programmed -= 1;
        self.reprograms[usize::from(before.rp_count().min(1))] += 1;
        self.of_none_valid += u64::from(before.validity() == 0);
    }

    /// Pages were copied before a reprogram.
    pub fn copied(&mut self, pages: u32) {
        self.copies[0] += 1;
        self.copies[1] += u64::from(pages);
    }

    /// A candidate became active again.
    pub fn switched_back(&mut self, how: Switch) {
        match how {
            Switch::Proactive => self.proactive += 1,
            Switch::Passive => self.passive += 1,
        }
    }

    /// Another super layer of a block was opened.
    pub fn advanced(&mut self, is_virtual: bool) {
        self.super_layers += 1;
        self.virtual_super_layers += u64::from(is_virtual);
    }

    /// Flash pages that were taken, over pages that the host wrote; `None` before the first write. A normal block takes a
    /// page for each that is programmed, a reprogrammable one all of its `pages_per_block` when it is opened.
    pub fn write_amplification(&self, counters: &Counters, pages_per_block: u32) -> Option<f64> {
        let reprograms = self.reprograms[0] + self.reprograms[1];
        let in_word_lines = u64::from(PAGES) * self.word_lines + reprograms;
        let in_normal = counters.units_programmed() as f64 - in_word_lines as f64;
        let pages = in_normal + (self.opened * u64::from(pages_per_block)) as f64;
        (counters.host_units > 0).then(|| pages / counters.host_units as f64)
    }

    fn consumption(&self) -> Value {
        let by = |cause: Cause| self.normal[cause as usize];
        let writes = by(Cause::Host) + self.programmed;
        // A drive that turns read-only is asked for moves that it does not program.
        let moved = (self.moved_along + self.moved_idle).min(by(Cause::Technique));
        let gc = self.normal.iter().sum::<u64>() - by(Cause::Host) - moved;
        json!({
            "writes": writes,
            "gc": gc,
            "fully_invalidated": moved,
            "third_pages": self.word_lines,
        })
    }

    /// Everything, with what the drive holds now. `pages_left` are those that reprogrammable blocks can
    /// still take by two-bit programs.
    pub fn report(
        &self,
        (state, group): (&DriveState, usize),
        pages_left: u64,
        planes: &Planes,
        lines: &WordLines,
    ) -> Map<String, Value> {
        let reprograms = self.reprograms[0] + self.reprograms[1];
        let writes = u64::from(PAGES) * self.word_lines + reprograms;
        let report = json!({
            "page_consumption": self.consumption(),
            "word_lines": self.word_lines,
            "pages_per_word_line": (self.word_lines > 0).then(|| writes as f64 / self.word_lines as f64),
            "reprograms": { "first": self.reprograms[0], "second": self.reprograms[1], "of_none_valid": self.of_none_valid },
            "blocks": { "opened": self.opened, "reprogrammable": planes.all().count() - planes.candidates(), "candidates": planes.candidates(), "surrendered": self.surrendered },
            "super_layers": { "followed": self.super_layers, "virtual": self.virtual_super_layers },
            "candidates": { "suspended": self.suspended, "proactive": self.proactive, "passive": self.passive, "reclaimed": self.reclaimed, "turned_away": self.turned_away },
            "fully_invalidated": { "along": self.moved_along, "idle": self.moved_idle, "of_spent": self.moved_of_spent },
            "copies": { "programs": self.copies[0], "pages": self.copies[1] },
            "capacity": capacity(state.free_units_of(group), pages_left, lines),
            "metadata_bytes": metadata_bytes(&state.geometry.groups[group], planes.levels()),
        });
        match report {
            Value::Object(map) => map,
            _ => Map::new(),
        }
    }
}

/// Pages that can be programmed before anything is erased, those of reprogrammable blocks among them
/// at two a word line (Section 7.2.5); what the two bits cost so far, and what reprograms gave.
fn capacity(free_units: u64, pages_left: u64, lines: &WordLines) -> Value {
    let two_bits = lines.all().filter(|status| status.holds_two_bits());
    let (mut lost, mut gained) = (0u64, 0u64);
    for status in two_bits {
        match status.rp_count() {
            0 => lost += 1,
            1 => {}
            _ => gained += 1,
        }
    }
    json!({
        "free_pages": free_units + pages_left,
        "pages_lost": lost,
        "pages_gained": gained,
    })
}

/// What the drive must remember besides, in bytes (Section 4.4.1): a time stamp and tags of each block,
/// pointers to the active block and word line of each plane and level, the status of each word line.
pub fn metadata_bytes(group: &Group, levels: u32) -> Value {
    const TIME_STAMP_BITS: u64 = 32;
    const TAG_BITS: u64 = 2 + 1;
    let blocks = u64::from(group.blocks.count());
    let word_lines_per_block = group.pages_per_block / group.bits;
    let address_bits = |places: u32| u64::from(u32::BITS - (places - 1).leading_zeros());
    let pointer_bits = address_bits(group.blocks_per_plane) + address_bits(word_lines_per_block);
    let pointers = u64::from(levels) * u64::from(group.planes.count());
    let bytes = [
        blocks * TIME_STAMP_BITS,
        blocks * TAG_BITS,
        pointers * pointer_bits,
        blocks * u64::from(word_lines_per_block) * u64::from(Status::BITS),
    ]
    .map(|bits| bits.div_ceil(8));
    json!({
        "time_stamps": bytes[0],
        "tags": bytes[1],
        "pointers": bytes[2],
        "word_lines": bytes[3],
        "total": bytes.iter().sum::<u64>(),
    })
}
