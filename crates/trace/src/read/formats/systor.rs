//! Traces of a virtual desktop infrastructure, SYSTOR '17.

use crate::read::columns::Columns;
use crate::read::fields::Separator;
use crate::read::format::{Described, Format, Record, Shape, TimeUnit, read_by_columns};
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

    read_by_columns!(Separator::Byte(b','));
}

impl Systor {
    #[inline(always)]
    fn columns<'a, C: Columns<'a>>(&mut self, columns: &mut C) -> Result<Record, C::Bad> {
        let arrival_ns = columns.decimal("Timestamp", "seconds, a decimal number", 9)?;
        match columns.is_next_empty() {
            true => columns.skip("Response")?,
            false => {
                columns.decimal("Response", "seconds, a decimal number, or nothing", 9)?;
            }
        }
        let op = columns.read("IOType", "R, W or nothing", |text| match text {
            b"R" => Some(Some(Op::Read)),
            b"W" => Some(Some(Op::Write)),
            b"" => Some(None),
            _ => None,
        })?;
        let stream = columns.stream("LUN")?;
        let offset_bytes = columns.offset_bytes("Offset")?;
        let size_bytes = columns.size_bytes("Size")?;
        columns.end()?;
        Ok(match op {
            Some(op) => Record::Request(
                Request::new(op, offset_bytes, size_bytes).at(arrival_ns).of_stream(stream),
            ),
            None => Record::Skipped("no IOType (no response was captured)"),
        })
    }
}
