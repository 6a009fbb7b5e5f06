//! Block traces of Microsoft Research Cambridge.

use crate::read::columns::Columns;
use crate::read::fields::Separator;
use crate::read::format::{Described, Format, Record, Shape, TimeUnit, read_by_columns};
use crate::{Op, Request};

/// Ticks of 100 ns from 1601-01-01, where Windows' file time begins, to 1970-01-01, where Unix
/// time does: 369 years, of which 89 are leap years.
pub(crate) const UNIX_EPOCH_TICKS: u64 = (369 * 365 + 89) * 86_400 * 10_000_000;

/// Narayanan et al., "Write Off-Loading: Practical Power Management for Enterprise Storage",
/// FAST 2008; the format is that of SNIA's IOTTA repository.
#[derive(Clone, Default)]
pub(in crate::read) struct Msr;

impl Described for Msr {
    const NAME: &'static str = "msr";
    const SUMMARY: &'static str = "MSR Cambridge: comma-separated, with or without a header";
    const COLUMNS: &'static str = "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime \
         (times in 100 ns, sizes in bytes, Type Read or Write)";
    const TIME_UNIT: TimeUnit = TimeUnit::TICK;
}

impl Format for Msr {
    const UNIX_EPOCH_NS: Option<u64> = Some(UNIX_EPOCH_TICKS * Self::TIME_UNIT.ns);
    const SHAPE: Shape = Shape::Lines { header: Some("Timestamp,Hostname") };

    read_by_columns!(Separator::Byte(b','));
}

impl Msr {
    #[inline(always)]
    fn columns<'a, C: Columns<'a>>(&mut self, columns: &mut C) -> Result<Record, C::Bad> {
        let arrival_ns =
            columns.number("Timestamp", "ticks of 100 ns, a whole number", |ticks| {
                ticks.checked_mul(Self::TIME_UNIT.ns)
            })?;
        columns.skip("Hostname")?;
        let stream = columns.stream("DiskNumber")?;
        let op = columns.read("Type", "Read or Write", |text| match text {
            b"Read" => Some(Op::Read),
            b"Write" => Some(Op::Write),
            _ if text.eq_ignore_ascii_case(b"Read") => Some(Op::Read),
            _ if text.eq_ignore_ascii_case(b"Write") => Some(Op::Write),
            _ => None,
        })?;
        let offset_bytes = columns.offset_bytes("Offset")?;
        let size_bytes = columns.size_bytes("Size")?;
        columns.number("ResponseTime", "ticks of 100 ns, a whole number", Some)?;
        columns.end()?;
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
