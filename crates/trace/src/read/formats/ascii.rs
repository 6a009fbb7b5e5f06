//! The five columns that DiskSim, SSDSim and MQSim have in common.

use crate::read::fields::{BadField, Fields};
use crate::read::format::Record;
use crate::{Op, Request};

/// Reads `time device LBA size type`; `time_ns` reads the first column.
#[inline]
pub(super) fn parse<'a>(
    line: &'a [u8],
    time_ns: impl FnOnce(&mut Fields<'a>) -> Result<u64, BadField<'a>>,
) -> Result<Record, BadField<'a>> {
    let mut fields = Fields::by_blanks(line);
    let arrival_ns = time_ns(&mut fields)?;
    let stream = fields.stream("device")?;
    let offset_bytes = fields.offset_sectors("LBA")?;
    let size_bytes = fields.size_sectors("size")?;
    let op = fields.read("type", "0 (write) or 1 (read)", operation)?;
    fields.end()?;
    Ok(Record::Request(Request { arrival_ns, offset_bytes, size_bytes, op, stream, fua: false }))
}

#[inline]
fn operation(text: &[u8]) -> Option<Op> {
    match text {
        b"0" => Some(Op::Write),
        b"1" => Some(Op::Read),
        _ => None,
    }
}
