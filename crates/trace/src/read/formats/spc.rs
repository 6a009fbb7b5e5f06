//! SPC traces: UMass's Financial and WebSearch.

use crate::Error;
use crate::Request;
use crate::read::columns::{Columns, MAX_OFFSET_BYTES, SECTOR_BYTES};
use crate::read::fields::Separator;
use crate::read::format::{Described, Format, Record, Shape, TimeUnit, Times, read_by_columns};
use crate::read::options::{FormatOption, Options};

/// Storage Performance Council, "SPC Trace File Format Specification", revision 1.0.1, 2002. It
/// leaves the size of a block to the description of each trace; UMass's have 512 bytes.
#[derive(Clone)]
pub(in crate::read) struct Spc {
    block_bytes: u64,
}

impl Default for Spc {
    fn default() -> Self {
        Self { block_bytes: SECTOR_BYTES }
    }
}

impl Described for Spc {
    const NAME: &'static str = "spc";
    const ALIASES: &'static [&'static str] = &["umass"];
    const SUMMARY: &'static str = "SPC (UMass Financial, WebSearch): comma-separated, time in s";
    const COLUMNS: &'static str = "ASU,LBA,Size,Opcode,Timestamp (LBA in blocks, Size in bytes, Opcode R or W, time in \
         s); further columns are passed over";
    const TIME_UNIT: TimeUnit = TimeUnit::SECOND;
    const OPTIONS: &'static [FormatOption] =
        &[FormatOption { key: "block", help: "bytes in a block of LBA; 512 where left out" }];
}

impl Format for Spc {
    const SHAPE: Shape = Shape::Lines { header: None };

    fn configure(&mut self, options: &Options, _: &[u8]) -> Result<Times, Error> {
        self.block_bytes = options.bytes("block")?.unwrap_or(SECTOR_BYTES);
        Ok(Times::fixed(Self::TIME_UNIT))
    }

    read_by_columns!(Separator::Byte(b','));
}

impl Spc {
    #[inline(always)]
    fn columns<'a, C: Columns<'a>>(&mut self, columns: &mut C) -> Result<Record, C::Bad> {
        let stream = columns.stream("ASU")?;
        let offset_bytes =
            columns.number("LBA", "a block, a whole number below 2^63 bytes", |block| {
                let bytes = block.checked_mul(self.block_bytes)?;
                Some(bytes).filter(|&bytes| bytes < MAX_OFFSET_BYTES)
            })?;
        let size_bytes = columns.size_bytes("Size")?;
        let op = columns.letter("Opcode")?;
        let arrival_ns = columns.decimal("Timestamp", "seconds, a decimal number", 9)?;
        columns.pass_over_rest()?;
        Ok(Record::Request(
            Request::new(op, offset_bytes, size_bytes).at(arrival_ns).of_stream(stream),
        ))
    }
}
