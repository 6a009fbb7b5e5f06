//! CloudPhysics' traces of virtual SCSI disks, as text.

use super::scsi;
use crate::read::columns::Columns;
use crate::read::fields::{Separator, hexadecimal};
use crate::read::format::{Described, Format, Record, Shape, TimeUnit, read_by_columns};

/// The binary records of `vscsi1` as libCacheSim's tools print them; time in whole seconds.
#[derive(Clone, Default)]
pub(in crate::read) struct CloudPhysics;

impl Described for CloudPhysics {
    const NAME: &'static str = "cloudphysics";
    const SUMMARY: &'static str =
        "CloudPhysics CSV: comma-separated, time in whole s, SCSI opcodes";
    const COLUMNS: &'static str = "version,time,op,size,lbn (version 1 or 2, time in s, op a SCSI operation code in \
         hexadecimal, size in bytes, lbn in sectors of 512 bytes)";
    const TIME_UNIT: TimeUnit = TimeUnit::SECOND;
}

impl Format for CloudPhysics {
    const SHAPE: Shape = Shape::Lines { header: Some("version,time,op") };

    read_by_columns!(Separator::Byte(b','));
}

impl CloudPhysics {
    #[inline(always)]
    fn columns<'a, C: Columns<'a>>(&mut self, columns: &mut C) -> Result<Record, C::Bad> {
        columns.byte("version", "1 or 2", |byte| matches!(byte, b'1' | b'2').then_some(()))?;
        let arrival_ns = columns.number("time", "seconds, a whole number", |time_s| {
            time_s.checked_mul(Self::TIME_UNIT.ns)
        })?;
        let opcode = columns.read("op", "a SCSI operation code, 00 to ff", |text| {
            hexadecimal(text).and_then(|code| u8::try_from(code).ok())
        })?;
        let size_bytes = columns.number("size", "bytes, a whole number below 2^32", |bytes| {
            u32::try_from(bytes).ok()
        })?;
        let offset_bytes = columns.offset_sectors("lbn")?;
        columns.end()?;
        Ok(scsi::record(opcode, arrival_ns, offset_bytes, size_bytes, 0))
    }
}
