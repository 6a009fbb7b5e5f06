//! The five columns that DiskSim, SSDSim and MQSim have in common.

use crate::read::columns::Columns;
use crate::read::format::Record;
use crate::{Op, Request};

/// Reads `device LBA size type`, which stand behind the time.
#[inline(always)]
pub(super) fn read_behind_time<'a, C: Columns<'a>>(
    columns: &mut C,
    arrival_ns: u64,
) -> Result<Record, C::Bad> {
    let stream = columns.stream("device")?;
    let offset_bytes = columns.offset_sectors("LBA")?;
    let size_bytes = columns.size_sectors("size")?;
    let op = columns.byte("type", "0 (write) or 1 (read)", |byte| match byte {
        b'0' => Some(Op::Write),
        b'1' => Some(Op::Read),
        _ => None,
    })?;
    columns.end()?;
    Ok(Record::Request(Request::new(op, offset_bytes, size_bytes).at(arrival_ns).of_stream(stream)))
}
