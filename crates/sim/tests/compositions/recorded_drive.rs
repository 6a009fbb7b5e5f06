//! What a recording says of its drive: its kinds of flash, its rows of operations, and its state in keyframes.

use crate::replay::{CAUSES, State};
use crate::sections::Bytes;
use serde_json::Value;

/// A kind of flash of the drive.
pub struct Kind {
    pub first_block: u64,
    pub first_unit: u64,
    pub first_line: u64,
    pub blocks: u64,
    pub units_per_block: u64,
    pub lines_per_block: u64,
    pub pages_per_block: u64,
    pub bits: u64,
    pub units_per_page: u64,
    pub pages_per_unit: u64,
    pub blocks_at_once: u64,
}

/// A row of the table of operations: the mode that it leaves, and whether it programs in place.
pub struct Row(pub u16, pub bool);

/// The drive of a recording.
pub struct Drive {
    pub kinds: Vec<Kind>,
    pub rows: Vec<Row>,
    pub words_per_block: usize,
}

impl Drive {
    pub fn of(head: &Value) -> Self {
        let mut kinds: Vec<Kind> = Vec::new();
        for group in head["groups"].as_array().expect("groups") {
            let of = |key: &str| group[key].as_u64().expect("a number");
            let (block, unit, line) = kinds.last().map_or((0, 0, 0), |it| {
                (
                    it.first_block + it.blocks,
                    it.first_unit + it.blocks * it.units_per_block,
                    it.first_line + it.blocks * it.lines_per_block,
                )
            });
            kinds.push(Kind {
                first_block: block,
                first_unit: unit,
                first_line: line,
                blocks: of("dies") * of("planes_per_die") * of("blocks_per_plane"),
                units_per_block: of("units_per_block"),
                pages_per_block: of("pages_per_block"),
                lines_per_block: of("pages_per_block").div_ceil(of("bits")),
                bits: of("bits"),
                units_per_page: of("units_per_page"),
                pages_per_unit: of("pages_per_unit"),
                blocks_at_once: of("blocks_at_once"),
            });
        }
        let row = |row: &Value| {
            Row(
                row["mode"].as_u64().expect("a mode") as u16,
                row["in_place"].as_bool().expect("yes or no"),
            )
        };
        Self {
            kinds,
            rows: head["rows"].as_array().expect("rows").iter().map(row).collect(),
            words_per_block: head["stride"].as_u64().expect("units").div_ceil(64) as usize,
        }
    }

    pub fn kind(&self, block: u64) -> &Kind {
        let kind = self.kinds.iter().find(|it| block < it.first_block + it.blocks);
        kind.expect("a block of the drive")
    }

    pub fn locate(&self, unit: u64) -> (u64, u64) {
        let kind =
            self.kinds.iter().find(|it| unit < it.first_unit + it.blocks * it.units_per_block);
        let kind = kind.expect("a unit of the drive");
        let within = unit - kind.first_unit;
        (kind.first_block + within / kind.units_per_block, within % kind.units_per_block)
    }

    pub fn unit(&self, block: u64, place: u64) -> u64 {
        let kind = self.kind(block);
        kind.first_unit + (block - kind.first_block) * kind.units_per_block + place
    }

    /// A keyframe: its command and its state.
    pub fn keyframe(&self, bytes: &[u8]) -> (u64, State) {
        let mut bytes = Bytes(bytes);
        let commands = bytes.number();
        bytes.number();
        let counts: Vec<u64> = (0..2 * CAUSES + 6).map(|_| bytes.number()).collect();
        let last = self.kinds.last().expect("flash");
        let lines = (last.first_line + last.blocks * last.lines_per_block) as usize;
        let blocks = (last.first_block + last.blocks) as usize;
        let mut found = Vec::with_capacity(lines);
        while found.len() < lines {
            let (line, count) = (bytes.number() as u16, bytes.number() as usize);
            found.resize(found.len() + count, line);
        }
        let lines = found;
        let mut valid = Vec::new();
        for block in 0..blocks as u64 {
            let words = bytes.take(8 * self.words_per_block);
            let bit = |place: u64| words[place as usize / 8] >> (place % 8) & 1 == 1;
            valid.extend((0..self.kind(block).units_per_block).map(bit));
        }
        let states = bytes.take(blocks).to_vec();
        let streams = bytes.take(blocks).to_vec();
        let u32_of = |four: &[u8]| u32::from_le_bytes(four.try_into().expect("four bytes"));
        let erases = bytes.take(4 * blocks).chunks(4).map(u32_of).collect();
        assert!(bytes.0.is_empty(), "{} bytes after a keyframe", bytes.0.len());
        (commands, State { lines, valid, states, streams, erases, counts })
    }
}
