//! Logs of fio: `write_iolog`, versions 2 and 3.

use crate::read::columns::{Columns, volume_number};
use crate::read::fields::{BadField, Fields, whole};
use crate::read::format::{Described, Format, Record, Shape, TimeUnit, Times};
use crate::read::names::Names;
use crate::read::options::{FormatOption, Options};
use crate::{Error, Op, Request};

/// fio's HOWTO, "Trace file format v2" and "v3". Two things its program does otherwise than the
/// HOWTO says, or that the HOWTO leaves out, are taken from the program (`iolog.c`): version 3
/// stamps in microseconds; `wait` of version 2 waits until that many milliseconds after the start.
#[derive(Clone, Default)]
pub(in crate::read) struct Fio {
    version: Version,
    wait: Wait,
    now_ns: u64,
    files: Names,
    /// Whether files are called `volume-N`, as Wordline writes them; open until the first is met.
    are_volumes: Option<bool>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Version {
    #[default]
    Two,
    Three,
}

/// What `wait N` means.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Wait {
    /// Until N milliseconds after the start of the run.
    #[default]
    AsFioDoes,
    /// For N microseconds after the wait before.
    AsManualSays,
}

const HEADERS: [(&str, Version); 2] =
    [(Fio::FIRST_LINES[0], Version::Two), (Fio::FIRST_LINES[1], Version::Three)];

impl Described for Fio {
    const NAME: &'static str = "fio";
    const ALIASES: &'static [&'static str] = &["fio-v2", "fio-v3", "iolog"];
    const SUMMARY: &'static str = "fio iolog, versions 2 and 3: blank-separated, by file";
    const COLUMNS: &'static str = "[timestamp] file action [offset length], timestamp (µs) in version 3 only, offset and \
         length in bytes; the first line is `fio version 2 iolog` or `fio version 3 iolog`";
    const TIME_UNIT: TimeUnit = TimeUnit::MICROSECOND;
    const FIRST_LINES: &'static [&'static str] = &["fio version 2 iolog", "fio version 3 iolog"];
    const OPTIONS: &'static [FormatOption] = &[FormatOption {
        key: "wait",
        help: "version 2: `wait N` is until N ms after the start (`fio`, what fio does and the \
               default), or for N µs after the wait before (`manual`, what its manual says)",
    }];
}

impl Format for Fio {
    const SHAPE: Shape = Shape::Lines { header: None };

    fn configure(&mut self, options: &Options, sample: &[u8]) -> Result<Times, Error> {
        let first = sample.split(|&byte| byte == b'\n').next().unwrap_or_default().trim_ascii();
        let found = HEADERS.iter().find(|(header, _)| header.as_bytes() == first);
        let Some(&(_, version)) = found else {
            let what = "a log of fio begins with `fio version 2 iolog` or `fio version 3 iolog`";
            return Err(options.error(what, "version 1 (rw, offset, length) has no such line"));
        };
        self.version = version;
        self.wait = match options.get("wait") {
            None | Some("fio") => Wait::AsFioDoes,
            Some("manual") => Wait::AsManualSays,
            Some(other) => {
                let what = format!("wait = `{other}`: expected fio or manual");
                return Err(options.error(what, Self::OPTIONS[0].help));
            }
        };
        let waits = sample.windows(6).any(|window| window == b" wait ");
        Ok(Times::fixed(match (version, self.wait) {
            (Version::Two, _) if !waits => TimeUnit::NONE,
            (Version::Two, Wait::AsFioDoes) => TimeUnit::MILLISECOND,
            _ => TimeUnit::MICROSECOND,
        }))
    }

    #[inline]
    fn parse<'a>(&mut self, line: &'a [u8]) -> Result<Record, BadField<'a>> {
        if HEADERS.iter().any(|&(header, version)| {
            version == self.version && header.as_bytes() == line.trim_ascii()
        }) {
            return Ok(Record::Silent);
        }
        let mut fields = Fields::by_blanks(line);
        if self.version == Version::Three {
            self.now_ns = fields.read("timestamp", "microseconds, a whole number", |text| {
                whole(text)?.checked_mul(TimeUnit::MICROSECOND.ns)
            })?;
        }
        let rest = fields.rest();
        let file = fields.read("file", "the name of a file", Some)?;
        if fields.peek().is_none_or(|text| action(text).is_none())
            && let Some((file, rest)) = behind_blanks(rest)
        {
            let stream = self.stream(file)?;
            return self.act(Fields::by_blanks(rest), stream);
        }
        let stream = self.stream(file)?;
        self.act(fields, stream)
    }

    fn stream_names(&self) -> &[String] {
        self.files.list()
    }
}

/// The name of a file with blanks in it, and what follows: the last action of the line, and numbers.
fn behind_blanks(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut end = line.len();
    loop {
        let blank = line[..end].iter().rposition(|&byte| byte == b' ')?;
        let word = &line[blank + 1..end];
        if action(word).is_some() {
            return Some((line[..blank].trim_ascii(), &line[blank + 1..]));
        }
        whole(word).or(word.is_empty().then_some(0))?;
        end = blank;
    }
}

enum Action {
    Transfer(Op),
    Flush,
    Wait,
    File,
}

fn action(text: &[u8]) -> Option<Action> {
    Some(match text {
        b"read" => Action::Transfer(Op::Read),
        b"write" => Action::Transfer(Op::Write),
        b"trim" => Action::Transfer(Op::Trim),
        b"sync" | b"datasync" | b"sync_file_range" | b"syncfs" => Action::Flush,
        b"wait" => Action::Wait,
        b"add" | b"open" | b"close" => Action::File,
        _ => return None,
    })
}

impl Fio {
    fn act<'a>(&mut self, mut fields: Fields<'a>, stream: u32) -> Result<Record, BadField<'a>> {
        let action = fields.read("action", "an action of fio's log", action)?;
        self.record(action, fields, stream)
    }

    /// The stream that a file stands for: the number in its name, or that of its appearance.
    fn stream<'a>(&mut self, file: &'a [u8]) -> Result<u32, BadField<'a>> {
        let volume = file.strip_prefix(b"volume-").and_then(whole);
        let expected = match *self.are_volumes.get_or_insert(volume.is_some()) {
            true => "volume-N, N from 0 to 1048575, as the files before",
            false => "at most 1048576 files",
        };
        let stream = match self.are_volumes {
            Some(true) => volume.and_then(volume_number),
            _ => self.files.number(file),
        };
        stream.ok_or(BadField { column: "file", expected, found: Some(file) })
    }

    fn record<'a>(
        &mut self,
        action: Action,
        mut fields: Fields<'a>,
        stream: u32,
    ) -> Result<Record, BadField<'a>> {
        let (op, offset_bytes, size_bytes) = match action {
            Action::File => {
                fields.end()?;
                return Ok(Record::Silent);
            }
            Action::Wait if self.version == Version::Three => {
                return Ok(Record::Noted("wait in a log of version 3, as fio ignores it"));
            }
            Action::Wait => {
                self.wait(&mut fields)?;
                return Ok(Record::Silent);
            }
            Action::Flush => (Op::Flush, 0, 0),
            Action::Transfer(op) => {
                let place = (fields.offset_bytes("offset")?, fields.size_bytes("length")?);
                fields.end()?;
                (op, place.0, place.1)
            }
        };
        let arrival_ns = self.now_ns;
        let request = Request::new(op, offset_bytes, size_bytes).at(arrival_ns).of_stream(stream);
        Ok(Record::Request(request).with_upper(fields.upper()))
    }

    fn wait<'a>(&mut self, fields: &mut Fields<'a>) -> Result<(), BadField<'a>> {
        let (wait, now_ns) = (self.wait, self.now_ns);
        self.now_ns = fields.read("offset", "a time to wait, a whole number", |text| {
            let time = whole(text)?;
            match wait {
                Wait::AsFioDoes => Some(time.checked_mul(TimeUnit::MILLISECOND.ns)?.max(now_ns)),
                Wait::AsManualSays => {
                    time.checked_mul(TimeUnit::MICROSECOND.ns)?.checked_add(now_ns)
                }
            }
        })?;
        Ok(())
    }
}
