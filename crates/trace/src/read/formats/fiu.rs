//! Traces of Florida International University: mail, web and home servers.

use crate::Error;
use crate::Request;
use crate::read::fields::{BadField, Fields, decimal, whole};
use crate::read::format::{Described, Format, Record, Shape, TimeUnit, Times};
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

    #[inline]
    fn parse<'a>(&mut self, line: &'a [u8]) -> Result<Record, BadField<'a>> {
        let mut fields = Fields::by_blanks(line);
        let arrival_ns = match self.has_seconds {
            true => fields.read("time", "seconds, a decimal number", |text| decimal(text, 9))?,
            false => fields.read("time", "whole nanoseconds", whole)?,
        };
        fields.read("pid", "a whole number", whole)?;
        fields.skip("process")?;
        // The name of a process may hold blanks; the column behind it is a number.
        while fields.peek().is_some_and(|text| whole(text).is_none()) {
            fields.skip("process")?;
        }
        let offset_bytes = fields.offset_sectors("LBA")?;
        let size_bytes = fields.size_sectors("size")?;
        let op = fields.letter("op")?;
        let device = fields.pair(["major", "minor"])?;
        let stream = self.devices.number(device).ok_or(BadField {
            column: "major",
            expected: "at most 65536 devices",
            found: Some(device),
        })?;
        Ok(Record::Request(Request {
            arrival_ns,
            offset_bytes,
            size_bytes,
            op,
            stream,
            fua: false,
        }))
    }

    fn stream_names(&self) -> &[String] {
        self.devices.list()
    }
}

fn first_column(line: &[u8]) -> &[u8] {
    line.split(|byte| byte.is_ascii_whitespace()).find(|text| !text.is_empty()).unwrap_or_default()
}
