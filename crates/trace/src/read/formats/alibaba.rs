//! Alibaba's block traces of 2020.

use crate::Request;
use crate::read::columns::Columns;
use crate::read::fields::Separator;
use crate::read::format::{Described, Format, Record, Shape, TimeUnit, read_by_columns};

/// Li et al., "An In-Depth Analysis of Cloud Block Storage Workloads in Large-Scale Production",
/// IISWC 2020; the columns are those of the readme of github.com/alibaba/block-traces.
#[derive(Clone, Default)]
pub(in crate::read) struct Alibaba;

impl Described for Alibaba {
    const NAME: &'static str = "alibaba";
    const SUMMARY: &'static str = "Alibaba cloud disks: comma-separated, time in µs";
    const COLUMNS: &'static str =
        "device_id,opcode,offset,length,timestamp (opcode R or W, sizes in bytes, time in µs)";
    const TIME_UNIT: TimeUnit = TimeUnit::MICROSECOND;
}

impl Format for Alibaba {
    const UNIX_EPOCH_NS: Option<u64> = Some(0);
    const SHAPE: Shape = Shape::Lines { header: Some("device_id,opcode") };

    read_by_columns!(Separator::Byte(b','));
}

impl Alibaba {
    #[inline(always)]
    fn columns<'a, C: Columns<'a>>(&mut self, columns: &mut C) -> Result<Record, C::Bad> {
        let stream = columns.stream("device_id")?;
        let op = columns.letter("opcode")?;
        let offset_bytes = columns.offset_bytes("offset")?;
        let size_bytes = columns.size_bytes("length")?;
        let arrival_ns =
            columns.number("timestamp", "microseconds, a whole number", |time_us| {
                time_us.checked_mul(Self::TIME_UNIT.ns)
            })?;
        columns.end()?;
        Ok(Record::Request(
            Request::new(op, offset_bytes, size_bytes).at(arrival_ns).of_stream(stream),
        ))
    }
}
