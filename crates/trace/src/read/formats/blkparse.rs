//! Text that blkparse prints.

use crate::read::columns::{Columns, MAX_SECTORS, SECTOR_BYTES};
use crate::read::fields::{BadField, Fields, decimal, whole};
use crate::read::format::{Described, Format, Record, Shape, TimeUnit, Times};
use crate::read::names::Names;
use crate::read::options::{FormatOption, Options};
use crate::{Error, Op, Request};

/// blkparse(1), its default output. A request passes through many events; only one kind of them
/// is read: D, what the driver was given, unless Q, what was queued, is asked for.
#[derive(Clone)]
pub(in crate::read) struct Blkparse {
    event: &'static [u8],
    devices: Names,
    /// Requests that will be seen once more.
    repeats: Vec<Repeat>,
    is_summary: bool,
}

/// A request by its device, first byte and sectors.
#[derive(Clone)]
struct Repeat {
    device: Box<[u8]>,
    place: (u64, u64),
}

/// What has neither an operation nor sectors.
const NO_DATA: &str = "no data (packet commands and such)";

/// Repeats to remember; far more than any queue holds.
const MAX_REPEATS: usize = 4096;

impl Default for Blkparse {
    fn default() -> Self {
        Self { event: b"D", devices: Names::default(), repeats: Vec::new(), is_summary: false }
    }
}

impl Described for Blkparse {
    const NAME: &'static str = "blkparse";
    const ALIASES: &'static [&'static str] = &["blktrace"];
    const SUMMARY: &'static str = "blkparse text: blank-separated, time in s, one kind of event";
    const COLUMNS: &'static str = "device cpu sequence time pid event RWBS sector + sectors [process] (time in s, sectors \
         of 512 bytes)";
    const TIME_UNIT: TimeUnit = TimeUnit::SECOND;
    const OPTIONS: &'static [FormatOption] = &[FormatOption {
        key: "event",
        help: "the events to read: `D`, what the driver was given, after merging (the default), \
               or `Q`, what was queued, before it",
    }];
}

impl Format for Blkparse {
    const SHAPE: Shape = Shape::Lines { header: None };

    fn configure(&mut self, options: &Options, _: &[u8]) -> Result<Times, Error> {
        self.event = match options.get("event") {
            None | Some("D") => b"D",
            Some("Q") => b"Q",
            Some(other) => {
                let what = format!("event = `{other}`: expected D or Q");
                return Err(options.error(what, Self::OPTIONS[0].help));
            }
        };
        Ok(Times::fixed(Self::TIME_UNIT))
    }

    fn parse<'a>(&mut self, line: &'a [u8]) -> Result<Record, BadField<'a>> {
        self.is_summary |= line.starts_with(b"CPU") || line.starts_with(b"Total (");
        if self.is_summary && line.contains(&b':') {
            return Ok(Record::Noted("blkparse's summary"));
        }
        let mut fields = Fields::by_blanks(line);
        let device = fields.read("device", "major,minor", device)?;
        fields.read("cpu", "a whole number", whole)?;
        fields.read("sequence", "a whole number", whole)?;
        let arrival_ns = fields.read("time", "seconds, a decimal number", |text| {
            text.contains(&b'.').then(|| decimal(text, 9)).flatten()
        })?;
        fields.read("pid", "a whole number", whole)?;
        let event = fields.read("event", "an event of blkparse", Some)?;
        let why_not = meaning(event).ok_or(BadField {
            column: "event",
            expected: "an event of blkparse, such as Q or D",
            found: Some(event),
        })?;
        match event {
            _ if event == self.event => self.request(device, arrival_ns, fields),
            b"R" if self.event == b"D" => self.expect_repeat(device, fields, why_not),
            b"A" if self.event == b"Q" => self.expect_repeat(device, fields, why_not),
            _ => Ok(Record::Noted(why_not)),
        }
    }

    fn stream_names(&self) -> &[String] {
        self.devices.list()
    }
}

/// `major,minor`.
fn device(text: &[u8]) -> Option<&[u8]> {
    let comma = text.iter().position(|&byte| byte == b',')?;
    whole(&text[..comma]).and(whole(&text[comma + 1..])).map(|_| text)
}

/// What an event is, for the count of those that were passed over.
fn meaning(event: &[u8]) -> Option<&'static str> {
    Some(match event {
        b"A" => "event A (remapped)",
        b"B" => "event B (bounced)",
        b"C" => "event C (completed)",
        b"D" => "event D (issued to the driver)",
        b"F" => "event F (merged in front)",
        b"G" => "event G (request allocated)",
        b"I" => "event I (inserted into the scheduler)",
        b"M" => "event M (merged behind)",
        b"P" => "event P (plugged)",
        b"Q" => "event Q (queued)",
        b"R" => "event R (requeued)",
        b"S" => "event S (slept for a request)",
        b"T" | b"UT" => "event UT (unplugged by a timer)",
        b"U" => "event U (unplugged)",
        b"X" => "event X (split)",
        b"m" => "event m (message)",
        _ => return None,
    })
}

/// What the RWBS column says.
struct Asked {
    /// Or why it is none that is replayed.
    op: Result<Op, &'static str>,
    /// A flush goes ahead of the letter of the operation.
    is_flush: bool,
    /// FUA follows a write's letter; sync, readahead and metadata, which follow too, change no request.
    fua: bool,
}

fn asked(rwbs: &[u8]) -> Asked {
    let is_flush = rwbs.first() == Some(&b'F');
    let rest = &rwbs[usize::from(is_flush)..];
    // As the kernel's blk_fill_rwbs spells them, whose tracepoints some tools print in blkparse's columns. Write
    // zeroes are N there; blkparse itself says W of whatever goes to the device.
    let op = match rest {
        [b'R', ..] => Ok(Op::Read),
        [b'W', b'Z', ..] => {
            Err("write zeroes (WZ): drives trim or write them, as their firmware has it")
        }
        [b'W', ..] | [b'Z', b'A', ..] => Ok(Op::Write),
        [b'D', ..] => Ok(Op::Trim),
        [b'Z', ..] => Err("zone management (ZR, ZF, ZO, ZC): reset, finish, open, close"),
        _ => Err(NO_DATA),
    };
    Asked { op, is_flush, fua: op == Ok(Op::Write) && rest.contains(&b'F') }
}

/// `sector + sectors`, as the first byte and sectors; `None` where the event has no such place.
fn place<'a>(fields: &mut Fields<'a>) -> Result<Option<(u64, u64)>, BadField<'a>> {
    if fields.peek().and_then(whole).is_none() {
        return Ok(None);
    }
    let offset_bytes = fields.offset_sectors("sector")?;
    if fields.peek() != Some(b"+") {
        return Ok(None);
    }
    fields.skip("+")?;
    let expected = "sectors, a whole number up to 4294967296 (2 TiB)";
    let sectors = fields.number("sectors", expected, |number| {
        Some(number).filter(|&sectors| sectors <= MAX_SECTORS)
    })?;
    Ok(Some((offset_bytes, sectors)))
}

impl Blkparse {
    fn request<'a>(
        &mut self,
        device: &'a [u8],
        arrival_ns: u64,
        mut fields: Fields<'a>,
    ) -> Result<Record, BadField<'a>> {
        let rwbs = fields.read("RWBS", "letters such as R or WS", Some)?;
        let Asked { op, is_flush, fua } = asked(rwbs);
        let place = place(&mut fields)?;
        let (op, offset_bytes, sectors) = match (op, place) {
            (Ok(op), Some((offset_bytes, sectors))) if sectors > 0 => (op, offset_bytes, sectors),
            _ if is_flush => (Op::Flush, 0, 0),
            (Err(NO_DATA), Some((_, sectors))) if sectors > 0 => {
                return Ok(Record::Skipped(
                    "write zeroes or another operation without a letter (N)",
                ));
            }
            (Err(NO_DATA) | Ok(_), _) => return Ok(Record::Noted(NO_DATA)),
            (Err(why_not), _) => return Ok(Record::Skipped(why_not)),
        };
        let place = (offset_bytes, sectors);
        let is_this = |repeat: &Repeat| *repeat.device == *device && repeat.place == place;
        if let Some(at) = self.repeats.iter().position(is_this) {
            self.repeats.swap_remove(at);
            return Ok(Record::Noted("seen before (requeued, or passed on by a device above)"));
        }
        let stream = self.devices.number(device).ok_or(BadField {
            column: "device",
            expected: "at most 1048576 devices",
            found: Some(device),
        })?;
        let size_bytes = fields.lower(sectors * SECTOR_BYTES)?;
        let request = Request::new(op, offset_bytes, size_bytes)
            .at(arrival_ns)
            .of_stream(stream)
            .with_fua(fua);
        let record = match is_flush && op != Op::Flush {
            true => Record::AfterFlush(request, 0),
            false => Record::Request(request),
        };
        Ok(record.with_upper(fields.upper()))
    }

    /// Remembers a request that was requeued, and will be issued again, or that a device above
    /// passed on, and that will be queued again here.
    fn expect_repeat<'a>(
        &mut self,
        device: &'a [u8],
        mut fields: Fields<'a>,
        why_not: &'static str,
    ) -> Result<Record, BadField<'a>> {
        fields.skip("RWBS")?;
        let Some(place) = place(&mut fields)? else { return Ok(Record::Noted(why_not)) };
        // `<- (major,minor) sector`: remapped from a device whose own requests were read before?
        let above = match fields.peek() {
            Some(b"<-") => {
                fields.skip("<-")?;
                fields.read("device", "(major,minor)", |text| {
                    device_in_brackets(text).map(|above| self.devices.contains(above))
                })?
            }
            _ => self.devices.contains(device),
        };
        if above && self.repeats.len() < MAX_REPEATS {
            self.repeats.push(Repeat { device: device.into(), place });
        }
        Ok(Record::Noted(why_not))
    }
}

fn device_in_brackets(text: &[u8]) -> Option<&[u8]> {
    device(text.strip_prefix(b"(")?.strip_suffix(b")")?)
}
