//! The five columns that DiskSim, SSDSim and MQSim have in common.

use crate::read::columns::Columns;
use crate::read::format::Record;
use crate::{Op, Request};

/// Reads `time device LBA size type`; `time_ns` reads the first column.
#[inline(always)]
pub(super) fn read<'a, C: Columns<'a>>(
    columns: &mut C,
    time_ns: impl FnOnce(&mut C) -> Result<u64, C::Bad>,
) -> Result<Record, C::Bad> {
    let arrival_ns = time_ns(columns)?;
    let stream = columns.stream("device")?;
    let offset_bytes = columns.offset_sectors("LBA")?;
    let size_bytes = columns.size_sectors("size")?;
    let op = columns.byte("type", "0 (write) or 1 (read)", |byte| match byte {
        b'0' => Some(Op::Write),
        b'1' => Some(Op::Read),
        _ => None,
    })?;
    columns.end()?;
    Ok(Record::Request(Request { arrival_ns, offset_bytes, size_bytes, op, stream, fua: false }))
}
