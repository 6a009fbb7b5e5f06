//! Any text with a request per line, whose columns and units the user names.

mod layout;

use layout::Layout;

use crate::read::columns::{MAX_OFFSET_BYTES, MAX_SIZE_BYTES};
use crate::read::fields::{BadField, Fields, decimal, hexadecimal, whole};
use crate::read::format::{Described, Format, Record, Shape, TimeUnit, Times};
use crate::read::names::Names;
use crate::read::options::{FormatOption, Options};
use crate::{Error, Op, PlacementId, Request};

/// The columns, units and spellings are those that the options name.
#[derive(Clone, Default)]
pub(in crate::read) struct Csv {
    layout: Layout,
    /// Lines so far.
    lines: u64,
    volumes: Names,
}

impl Described for Csv {
    const NAME: &'static str = "csv";
    const SUMMARY: &'static str =
        "any text with a request per line: the options name its columns and units";
    const COLUMNS: &'static str = "those that the options name, as in \
         `csv:time=1:us,op=2,offset=3:bytes,size=4:sectors,volume=5`";
    const TIME_UNIT: TimeUnit = TimeUnit::NONE;
    const OPTIONS: &'static [FormatOption] = &[
        FormatOption {
            key: "time",
            help: "column of the arrival and its unit: s, ms, us, 100ns or ns; without it, all \
                   requests arrive at once",
        },
        FormatOption {
            key: "op",
            help: "column of the operation, and how it is spelt: `op=2:R/W`, `op=2:28|88/2a|8a`, \
                   `op=2:0/1/3` (read/write/trim/flush); without spellings, words such as R, \
                   Read, w, WS, trim or flush",
        },
        FormatOption {
            key: "offset",
            help: "column of the address and its unit: bytes, sectors (512 bytes) or a number of bytes",
        },
        FormatOption { key: "size", help: "column of the length and its unit, as for offset" },
        FormatOption { key: "volume", help: "column of the volume; any text" },
        FormatOption {
            key: "placement",
            help: "column of the placement identifier of a write, from 0 to 65535; an empty one: none",
        },
        FormatOption { key: "read", help: "without `op`: the share of reads, from 0 to 1" },
        FormatOption {
            key: "header",
            help: "lines ahead of the first request; 1 where a column is named by its header, else 0",
        },
        FormatOption {
            key: "sep",
            help: "what stands between columns: comma (the default), semicolon, tab, blanks, or a character",
        },
        FormatOption {
            key: "other",
            help: "`skip` passes over operations that are spelt otherwise, and counts them",
        },
    ];
}

impl Format for Csv {
    const SHAPE: Shape = Shape::Lines { header: None };

    fn configure(&mut self, options: &Options, sample: &[u8]) -> Result<Times, Error> {
        self.layout = Layout::new(options, sample)?;
        Ok(Times::fixed(self.layout.time.map_or(TimeUnit::NONE, |(_, unit)| unit)))
    }

    fn detector(_: &[u8]) -> Option<Self> {
        None
    }

    fn parse<'a>(&mut self, line: &'a [u8]) -> Result<Record, BadField<'a>> {
        self.lines += 1;
        if self.lines <= self.layout.header_lines {
            return Ok(Record::Silent);
        }
        let row = self.layout.row(Fields::by(line, self.layout.separator));
        if row.iter().all(Option::is_none) {
            return Err(BadField { column: "line", expected: "columns", found: None });
        }
        let [time, op, offset, size, volume, placement] = row;
        let arrival_ns = match self.layout.time {
            Some((_, unit)) => {
                read(time, "time", "a time, a decimal number without sign", |text| {
                    decimal(text, unit.ns.ilog10())
                })?
            }
            None => 0,
        };
        let Some((op, fua)) = self.op(op)? else {
            return Ok(Record::Noted("operation of another spelling"));
        };
        let (offset_unit, size_unit) = (self.layout.offset.1, self.layout.size.1);
        let expected = "an address, a whole number below 2^63 bytes";
        let offset_bytes = read(offset, "offset", expected, |text| {
            number(text)?.checked_mul(offset_unit).filter(|&bytes| bytes < MAX_OFFSET_BYTES)
        })?;
        let expected = "a length, a whole number from 1 byte to 2 TiB";
        let is_flush = op == Op::Flush;
        let size = read(size, "size", expected, |text| match text {
            b"" if is_flush => Some(0),
            _ => {
                let bytes = number(text)?.checked_mul(size_unit)?;
                let least = u64::from(!is_flush);
                Some(bytes).filter(|bytes| (least..=MAX_SIZE_BYTES).contains(bytes))
            }
        })?;
        let stream = match self.layout.volume {
            Some(_) => {
                let volumes = &mut self.volumes;
                read(volume, "volume", "one of at most 1048576 volumes", |text| {
                    volumes.number(text)
                })?
            }
            None => 0,
        };
        let placement = match self.layout.placement {
            Some(_) if op == Op::Write => {
                let expected = "nothing, or a placement identifier from 0 to 65535";
                read(placement, "placement", expected, |text| match text {
                    b"" => Some(None),
                    _ => u16::try_from(number(text)?).ok().map(|id| Some(PlacementId(id))),
                })?
            }
            _ => None,
        };
        let size_bytes = size as u32;
        let request = Request::new(op, offset_bytes, size_bytes)
            .at(arrival_ns)
            .of_stream(stream)
            .with_fua(fua)
            .with_placement(placement);
        Ok(Record::Request(request).with_upper((size >> 32) as u32))
    }

    fn has_sizes_in_bytes(&self) -> bool {
        self.layout.size.1 == 1
    }

    fn stream_names(&self) -> &[String] {
        self.volumes.list()
    }
}

impl Csv {
    /// The operation, and whether it is durable at once; `None` where it is to be passed over.
    fn op<'a>(&self, found: Option<&'a [u8]>) -> Result<Option<(Op, bool)>, BadField<'a>> {
        if self.layout.op.is_none() {
            return Ok(Some((self.layout.mix.op(self.lines), false)));
        }
        let known = |text: &[u8]| {
            let mut spellings = self.layout.spellings.iter();
            spellings
                .find(|known| known.word.as_bytes().eq_ignore_ascii_case(text))
                .map(|known| (known.op, known.fua))
        };
        match found.and_then(known) {
            None if self.layout.skips_other && found.is_some() => Ok(None),
            None => {
                let expected = "an operation as the option `op` spells it";
                Err(BadField { column: "op", expected, found })
            }
            op => Ok(op),
        }
    }
}

/// A whole number, or a hexadecimal one behind `0x`.
fn number(text: &[u8]) -> Option<u64> {
    match text.strip_prefix(b"0x").or(text.strip_prefix(b"0X")) {
        Some(digits) if digits.starts_with(b"0x") => None,
        Some(digits) => hexadecimal(digits),
        None => whole(text),
    }
}

/// A column as `understand` takes it.
fn read<'a, T>(
    found: Option<&'a [u8]>,
    column: &'static str,
    expected: &'static str,
    understand: impl FnOnce(&'a [u8]) -> Option<T>,
) -> Result<T, BadField<'a>> {
    found.and_then(understand).ok_or(BadField { column, expected, found })
}
