//! CloudPhysics' binary traces of virtual SCSI disks, versions 1 and 2.

use super::scsi;
use crate::read::columns::{MAX_OFFSET_BYTES, SECTOR_BYTES};
use crate::read::fields::{BadField, little_endian};
use crate::read::format::{Described, Format, Record, Shape, TimeUnit};

/// Waldspurger et al., "Efficient MRC Construction with SHARDS", FAST 2015, on traces that
/// CloudPhysics collected; the records are those of libCacheSim's `vscsi.h`. Little-endian.
#[derive(Clone, Default)]
pub(in crate::read) struct Vscsi1;

/// Version 2 adds the response time and begins with the command.
#[derive(Clone, Default)]
pub(in crate::read) struct Vscsi2;

impl Described for Vscsi1 {
    const NAME: &'static str = "vscsi1";
    const ALIASES: &'static [&'static str] = &["vscsi"];
    const SUMMARY: &'static str = "CloudPhysics vscsi, version 1: binary records of 32 bytes";
    const COLUMNS: &'static str = "u32 serial, u32 length (bytes), u32 segments, u16 command, u16 version, u64 LBN \
         (sectors of 512 bytes), u64 time (µs)";
    const TIME_UNIT: TimeUnit = TimeUnit::MICROSECOND;
}

impl Format for Vscsi1 {
    const SHAPE: Shape = Shape::Records { bytes: 32 };

    #[inline]
    fn parse<'a>(&mut self, record: &'a [u8]) -> Result<Record, BadField<'a>> {
        let places = Places { length: 4, command: 12, version: 14, lbn: 16, time: 24 };
        parse(record, 1, "1 in the upper byte", &places)
    }
}

impl Described for Vscsi2 {
    const NAME: &'static str = "vscsi2";
    const SUMMARY: &'static str = "CloudPhysics vscsi, version 2: binary records of 40 bytes";
    const COLUMNS: &'static str = "u16 command, u16 version, u32 serial, u32 length (bytes), u32 segments, u64 LBN \
         (sectors of 512 bytes), u64 time (µs), u64 response time (µs)";
    const TIME_UNIT: TimeUnit = TimeUnit::MICROSECOND;
}

impl Format for Vscsi2 {
    const SHAPE: Shape = Shape::Records { bytes: 40 };

    #[inline]
    fn parse<'a>(&mut self, record: &'a [u8]) -> Result<Record, BadField<'a>> {
        let places = Places { length: 8, command: 0, version: 2, lbn: 16, time: 24 };
        parse(record, 2, "2 in the upper byte", &places)
    }
}

/// Where the fields begin, in bytes from the record's first.
struct Places {
    length: usize,
    command: usize,
    version: usize,
    lbn: usize,
    time: usize,
}

#[inline]
fn parse<'a>(
    record: &'a [u8],
    version: u8,
    version_expected: &'static str,
    places: &Places,
) -> Result<Record, BadField<'a>> {
    let bad = |column, expected, at: usize, bytes: usize| BadField {
        column,
        expected,
        found: record.get(at..at + bytes),
    };
    if little_endian(record, places.version, 2) >> 8 != u64::from(version) {
        return Err(bad("version", version_expected, places.version, 2));
    }
    let opcode = u8::try_from(little_endian(record, places.command, 2))
        .map_err(|_| bad("command", "a SCSI operation code, at most 255", places.command, 2))?;
    let arrival_ns = little_endian(record, places.time, 8)
        .checked_mul(TimeUnit::MICROSECOND.ns)
        .ok_or_else(|| bad("time", "microseconds, at most 2^64 ns", places.time, 8))?;
    let size_bytes = little_endian(record, places.length, 4) as u32;
    let offset_bytes = little_endian(record, places.lbn, 8)
        .checked_mul(SECTOR_BYTES)
        .filter(|&bytes| bytes < MAX_OFFSET_BYTES)
        .ok_or_else(|| bad("LBN", "a sector of 512 bytes, below 2^54", places.lbn, 8))?;
    Ok(scsi::record(opcode, arrival_ns, offset_bytes, size_bytes, 0))
}
