//! Traces of a virtual desktop infrastructure, SYSTOR '17.

use crate::read::fields::{BadField, Fields, decimal};
use crate::read::format::{Described, Format, Record, Shape, TimeUnit};
use crate::{Op, Request};

/// Lee et al., "Understanding Storage Traffic Characteristics on Enterprise Virtual Desktop
/// Infrastructure", SYSTOR 2017; the columns are those of the readme in SNIA's IOTTA repository.
#[derive(Clone, Default)]
pub(in crate::read) struct Systor;

impl Described for Systor {
    const NAME: &'static str = "systor";
    const ALIASES: &'static [&'static str] = &["systor17"];
    const SUMMARY: &'static str = "SYSTOR '17 (Fujitsu VDI): comma-separated, time in s";
    const COLUMNS: &'static str = "Timestamp,Response,IOType,LUN,Offset,Size (times in s, sizes in bytes, IOType R, W or \
         empty, Response may be empty)";
    const TIME_UNIT: TimeUnit = TimeUnit::SECOND;
}

impl Format for Systor {
    const UNIX_EPOCH_NS: Option<u64> = Some(0);
    const SHAPE: Shape = Shape::Lines { header: Some("Timestamp,Response") };
    /// Lines stand in the order of the responses, not of the time stamps. A request was overtaken by
    /// 16 others at most in a sample of 999; this leaves room.
    const REORDERED: usize = 4096;

    #[inline]
    fn parse<'a>(&mut self, line: &'a [u8]) -> Result<Record, BadField<'a>> {
        let mut fields = Fields::by_commas(line);
        let arrival_ns =
            fields.read("Timestamp", "seconds, a decimal number", |text| decimal(text, 9))?;
        fields.read("Response", "seconds, a decimal number, or nothing", |text| {
            if text.is_empty() { Some(0) } else { decimal(text, 9) }
        })?;
        let op = fields.read("IOType", "R, W or nothing", |text| match text {
            b"R" => Some(Some(Op::Read)),
            b"W" => Some(Some(Op::Write)),
            b"" => Some(None),
            _ => None,
        })?;
        let stream = fields.stream("LUN")?;
        let offset_bytes = fields.offset_bytes("Offset")?;
        let size_bytes = fields.size_bytes("Size")?;
        fields.end()?;
        Ok(match op {
            Some(op) => Record::Request(Request {
                arrival_ns,
                offset_bytes,
                size_bytes,
                op,
                stream,
                fua: false,
            }),
            None => Record::Skipped("no IOType (no response was captured)"),
        })
    }
}
