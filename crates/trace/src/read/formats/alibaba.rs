//! Alibaba's block traces of 2020.

use crate::Request;
use crate::read::fields::{BadField, Fields};
use crate::read::format::{Described, Format, Record, Shape, TimeUnit};

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

    #[inline]
    fn parse<'a>(&mut self, line: &'a [u8]) -> Result<Record, BadField<'a>> {
        let mut fields = Fields::by_commas(line);
        let stream = fields.stream("device_id")?;
        let op = fields.letter("opcode")?;
        let offset_bytes = fields.offset_bytes("offset")?;
        let size_bytes = fields.size_bytes("length")?;
        let arrival_ns = fields.number("timestamp", "microseconds, a whole number", |time_us| {
            time_us.checked_mul(Self::TIME_UNIT.ns)
        })?;
        fields.end()?;
        Ok(Record::Request(Request {
            arrival_ns,
            offset_bytes,
            size_bytes,
            op,
            stream,
            fua: false,
        }))
    }
}
