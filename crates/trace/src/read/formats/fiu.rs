//! Traces of Florida International University: mail, web and home servers.

use crate::Error;
use crate::Request;
use crate::read::columns::Columns;
use crate::read::fields::Separator;
use crate::read::format::{Described, Format, Record, Shape, TimeUnit, Times, read_by_columns};
use crate::read::names::Names;
use crate::read::options::Options;

/// Koller and Rangaswami, "I/O Deduplication: Utilizing Content Similarity to Improve I/O
/// Performance", FAST 2010; the columns are those of the readme in SNIA's IOTTA repository.
#[derive(Clone, Default)]
pub(in crate::read) struct Fiu {
    has_seconds: bool,
    devices: Names,
}

impl Described for Fiu {
    const NAME: &'static str = "fiu";
    const SUMMARY: &'static str = "FIU (mail, web, homes): blank-separated, time in ns";
    const COLUMNS: &'static str = "time pid process LBA size op major minor digests (time in ns, or in s with a decimal \
         point; LBA and size in sectors of 512 bytes; op R or W)";
    const TIME_UNIT: TimeUnit = TimeUnit::NANOSECOND;
}

impl Format for Fiu {
    const SHAPE: Shape = Shape::Lines { header: None };

    fn configure(&mut self, _: &Options, sample: &[u8]) -> Result<Times, Error> {
        let mut stamps = sample.split(|&byte| byte == b'\n').map(first_column);
        let first = stamps.find(|stamp| !stamp.is_empty());
        self.has_seconds = first.is_some_and(|stamp| stamp.contains(&b'.'));
        let unit = if self.has_seconds { TimeUnit::SECOND } else { Self::TIME_UNIT };
        Ok(Times { unit, is_inferred: true })
    }

    read_by_columns!(Separator::Blanks);

    fn stream_names(&self) -> &[String] {
        self.devices.list()
    }
}

impl Fiu {
    #[inline(always)]
    fn columns<'a, C: Columns<'a>>(&mut self, columns: &mut C) -> Result<Record, C::Bad> {
        let arrival_ns = match self.has_seconds {
            true => columns.decimal("time", "seconds, a decimal number", 9)?,
            false => columns.number("time", "whole nanoseconds", Some)?,
        };
        columns.small_number("pid", "a whole number", Some)?;
        // The name of a process may hold blanks; the column behind it is a number.
        columns.words("process")?;
        let offset_bytes = columns.offset_sectors("LBA")?;
        let size_bytes = columns.size_sectors("size")?;
        let op = columns.letter("op")?;
        let devices = &mut self.devices;
        let stream = columns
            .pair(["major", "minor"], "at most 1048576 devices", |text| devices.number(text))?;
        columns.pass_over_rest()?;
        Ok(Record::Request(
            Request::new(op, offset_bytes, size_bytes).at(arrival_ns).of_stream(stream),
        ))
    }
}

fn first_column(line: &[u8]) -> &[u8] {
    line.split(|byte| byte.is_ascii_whitespace()).find(|text| !text.is_empty()).unwrap_or_default()
}
