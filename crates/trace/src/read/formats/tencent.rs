//! Tencent's traces of cloud block storage.

use crate::read::columns::Columns;
use crate::read::fields::Separator;
use crate::read::format::{Described, Format, Record, Shape, TimeUnit, read_by_columns};
use crate::{Op, Request};

/// Zhang et al., "OSCA: An Online-Model Based Cache Allocation Scheme in Cloud Block Storage
/// Systems", ATC 2020; the columns are those of the readme in SNIA's IOTTA repository.
#[derive(Clone, Default)]
pub(in crate::read) struct Tencent;

impl Described for Tencent {
    const NAME: &'static str = "tencent";
    const ALIASES: &'static [&'static str] = &["tencent-cbs"];
    const SUMMARY: &'static str = "Tencent CBS: comma-separated, time in whole s";
    const COLUMNS: &'static str = "Timestamp,Offset,Size,IOType,VolumeID (time in s, Offset and Size in sectors of 512 \
         bytes, IOType 0 = read, 1 = write)";
    const TIME_UNIT: TimeUnit = TimeUnit::SECOND;
}

impl Format for Tencent {
    const UNIX_EPOCH_NS: Option<u64> = Some(0);
    const SHAPE: Shape = Shape::Lines { header: Some("Timestamp,Offset") };

    read_by_columns!(Separator::Byte(b','));
}

impl Tencent {
    #[inline(always)]
    fn columns<'a, C: Columns<'a>>(&mut self, columns: &mut C) -> Result<Record, C::Bad> {
        let arrival_ns = columns.number("Timestamp", "seconds, a whole number", |time_s| {
            time_s.checked_mul(Self::TIME_UNIT.ns)
        })?;
        let offset_bytes = columns.offset_sectors("Offset")?;
        let size_bytes = columns.size_sectors("Size")?;
        let op = columns.byte("IOType", "0 (read) or 1 (write)", |byte| match byte {
            b'0' => Some(Op::Read),
            b'1' => Some(Op::Write),
            _ => None,
        })?;
        let stream = columns.stream("VolumeID")?;
        columns.end()?;
        Ok(Record::Request(
            Request::new(op, offset_bytes, size_bytes).at(arrival_ns).of_stream(stream),
        ))
    }
}
