//! What the options say of the columns.

use super::super::mix::Mix;
use crate::read::columns::SECTOR_BYTES;
use crate::read::fields::{Fields, Separator};
use crate::read::format::TimeUnit;
use crate::read::options::Options;
use crate::{Error, Op, suggest};

/// Columns by number from 0, with their units.
#[derive(Clone)]
pub(super) struct Layout {
    pub separator: Separator,
    pub header_lines: u64,
    pub time: Option<(usize, TimeUnit)>,
    pub op: Option<usize>,
    pub spellings: Vec<Spelling>,
    pub skips_other: bool,
    pub mix: Mix,
    /// Column, and bytes in one of its unit.
    pub offset: (usize, u64),
    pub size: (usize, u64),
    pub volume: Option<usize>,
    pub placement: Option<usize>,
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            separator: Separator::Byte(b','),
            header_lines: 0,
            time: None,
            op: None,
            spellings: Vec::new(),
            skips_other: false,
            mix: Mix::default(),
            offset: (0, 1),
            size: (0, 1),
            volume: None,
            placement: None,
        }
    }
}

/// Words that are understood without being named, what they mean, and whether at once durable (FUA).
const WORDS: [(&str, Op, bool); 20] = [
    ("R", Op::Read, false),
    ("RS", Op::Read, false),
    ("RA", Op::Read, false),
    ("Read", Op::Read, false),
    ("W", Op::Write, false),
    ("WS", Op::Write, false),
    ("Write", Op::Write, false),
    ("WF", Op::Write, true),
    ("WFS", Op::Write, true),
    ("FUA", Op::Write, true),
    ("WriteFUA", Op::Write, true),
    ("D", Op::Trim, false),
    ("T", Op::Trim, false),
    ("Trim", Op::Trim, false),
    ("Discard", Op::Trim, false),
    ("Unmap", Op::Trim, false),
    ("F", Op::Flush, false),
    ("Flush", Op::Flush, false),
    ("Sync", Op::Flush, false),
    ("Fsync", Op::Flush, false),
];

/// How an operation is spelt.
#[derive(Debug, Clone)]
pub(super) struct Spelling {
    pub word: String,
    pub op: Op,
    /// True for a write that is durable at once.
    pub fua: bool,
}

impl Layout {
    /// The layout that `options` name, of the trace that begins with `sample`.
    ///
    /// # Errors
    /// A column, unit or spelling that cannot be; one that is missing.
    pub fn new(options: &Options, sample: &[u8]) -> Result<Self, Error> {
        let reader = Reader::new(options, sample)?;
        let mut layout = Self {
            separator: reader.separator,
            header_lines: reader.header_lines,
            volume: reader.column("volume")?.map(|(column, _)| column),
            placement: reader.column("placement")?.map(|(column, _)| column),
            offset: reader.place("offset")?,
            size: reader.place("size")?,
            time: reader.time()?,
            ..Self::default()
        };
        match (reader.column("op")?, options.share("read")?) {
            (Some((column, spellings)), None) => {
                layout.op = Some(column);
                layout.spellings = reader.spellings(spellings)?;
            }
            (None, Some(read)) => layout.mix = Mix::new(read),
            (None, None) => {
                let help = "name the column (`op=2`), or a share of reads (`read=0.7`)";
                return Err(options.error("nothing says what is a read and what a write", help));
            }
            (Some(_), Some(_)) => {
                let help = "`read` is for traces without operations: leave one out";
                return Err(options.error("both `op` and `read` are given", help));
            }
        }
        layout.skips_other = match options.get("other") {
            None => false,
            Some("skip") => true,
            Some(other) => {
                let what = format!("other = `{other}`: expected skip");
                return Err(options.error(what, "leave it out to have them refused"));
            }
        };
        Ok(layout)
    }

    /// The columns of a line that mean something: time, op, offset, size, volume, placement.
    pub fn row<'a>(&self, mut fields: Fields<'a>) -> [Option<&'a [u8]>; 6] {
        let time = self.time.map(|(column, _)| column);
        let (offset, size) = (Some(self.offset.0), Some(self.size.0));
        let wanted = [time, self.op, offset, size, self.volume, self.placement];
        let last = wanted.iter().flatten().max().copied().unwrap_or(0);
        let mut row = [None; 6];
        for column in 0..=last {
            let Some(text) = fields.next() else { break };
            for (place, wanted) in row.iter_mut().zip(wanted) {
                if wanted == Some(column) {
                    *place = Some(unquoted(text));
                }
            }
        }
        row
    }
}

/// A column without the quotation marks around it.
fn unquoted(text: &[u8]) -> &[u8] {
    let inner = text.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\""));
    inner.unwrap_or(text).trim_ascii()
}

/// Reads the options against the header of the trace.
struct Reader<'a> {
    options: &'a Options,
    separator: Separator,
    header_lines: u64,
    /// The names in the last line of the header.
    names: Vec<String>,
}

impl<'a> Reader<'a> {
    fn new(options: &'a Options, sample: &[u8]) -> Result<Self, Error> {
        let separator = separator(options)?;
        let given = options.get("header").map(|text| {
            text.parse::<u64>().map_err(|_| {
                options.error(format!("header = `{text}`: expected a number of lines"), "")
            })
        });
        let header_lines = match given {
            Some(lines) => lines?,
            None => u64::from(Self::has_named_column(options)),
        };
        let last = usize::try_from(header_lines.saturating_sub(1)).unwrap_or(usize::MAX);
        let line = match header_lines {
            0 => None,
            _ => sample.split(|&byte| byte == b'\n').nth(last),
        };
        let mut fields = Fields::by(line.unwrap_or_default().trim_ascii(), separator);
        let names = std::iter::from_fn(|| fields.next())
            .map(|text| String::from_utf8_lossy(unquoted(text)).into_owned())
            .collect();
        Ok(Self { options, separator, header_lines, names })
    }

    fn has_named_column(options: &Options) -> bool {
        ["time", "op", "offset", "size", "volume", "placement"].iter().any(|key| {
            let column = options.get(key).map(|value| split_unit(value).0);
            column.is_some_and(|column| column.parse::<usize>().is_err())
        })
    }

    /// The column that `key` names, and its unit; `None` where it is not given.
    fn column(&self, key: &str) -> Result<Option<(usize, &'a str)>, Error> {
        let Some(value) = self.options.get(key) else { return Ok(None) };
        let (column, unit) = split_unit(value);
        if let Ok(number) = column.parse::<usize>() {
            return match number {
                0 => {
                    let what = format!("{key} = `{value}`: columns are counted from 1");
                    Err(self.options.error(what, ""))
                }
                _ => Ok(Some((number - 1, unit))),
            };
        }
        let found = self.names.iter().position(|name| name.eq_ignore_ascii_case(column));
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        found.map(|number| Some((number, unit))).ok_or_else(|| {
            let what = format!("{key} = `{value}`: no column is called `{column}`");
            self.options.error(what, suggest::help(column, &names))
        })
    }

    fn needed(&self, key: &str, example: &str) -> Result<(usize, &'a str), Error> {
        self.column(key)?.ok_or_else(|| {
            self.options
                .error(format!("the column `{key}` is missing"), format!("as in `{example}`"))
        })
    }

    /// The column of an address or a length, and bytes in one of its unit.
    fn place(&self, key: &str) -> Result<(usize, u64), Error> {
        let (column, unit) = self.needed(key, &format!("{key}=3:bytes"))?;
        let bytes = match unit {
            "bytes" => Some(1),
            "sectors" => Some(SECTOR_BYTES),
            _ => unit.parse().ok().filter(|bytes| (1..=1 << 32).contains(bytes)),
        };
        bytes.map(|bytes| (column, bytes)).ok_or_else(|| {
            let what = format!(
                "{key} has the unit `{unit}`: expected bytes, sectors or a number of bytes"
            );
            self.options.error(what, format!("as in `{key}=3:bytes` or `{key}=3:4096`"))
        })
    }

    fn time(&self) -> Result<Option<(usize, TimeUnit)>, Error> {
        let Some((column, name)) = self.column("time")? else { return Ok(None) };
        let unit = match name {
            "s" => TimeUnit::SECOND,
            "ms" => TimeUnit::MILLISECOND,
            "us" => TimeUnit::MICROSECOND,
            "100ns" => TimeUnit::TICK,
            "ns" => TimeUnit::NANOSECOND,
            _ => {
                let what = format!("time has the unit `{name}`: expected s, ms, us, 100ns or ns");
                return Err(self.options.error(what, "as in `time=1:us`"));
            }
        };
        Ok(Some((column, unit)))
    }

    /// How operations are spelt: `read/write/trim/flush/fua`, several spellings between bars; the last are writes
    /// that are durable at once.
    fn spellings(&self, text: &str) -> Result<Vec<Spelling>, Error> {
        if text.is_empty() {
            let word =
                |(word, op, fua): (&str, Op, bool)| Spelling { word: word.to_owned(), op, fua };
            return Ok(WORDS.map(word).to_vec());
        }
        let ops = [
            (Op::Read, false),
            (Op::Write, false),
            (Op::Trim, false),
            (Op::Flush, false),
            (Op::Write, true),
        ];
        let groups: Vec<&str> = text.split('/').collect();
        if groups.len() < 2 || groups.len() > ops.len() {
            let what = format!(
                "op is spelt `{text}`: expected READ/WRITE, READ/WRITE/TRIM/FLUSH or READ/WRITE/TRIM/FLUSH/FUA"
            );
            return Err(self.options.error(what, "as in `op=2:R/W` or `op=4:28|88/2a|8a`"));
        }
        let mut spellings: Vec<Spelling> = Vec::new();
        for (group, (op, fua)) in groups.iter().zip(ops) {
            for word in group.split('|').map(str::trim).filter(|word| !word.is_empty()) {
                if spellings.iter().any(|known| known.word.eq_ignore_ascii_case(word)) {
                    let what = format!("op is spelt `{text}`: `{word}` means two things");
                    return Err(self.options.error(what, "case does not count"));
                }
                spellings.push(Spelling { word: word.to_owned(), op, fua });
            }
        }
        Ok(spellings)
    }
}

/// `COLUMN:UNIT`; the unit is empty where there is no colon.
fn split_unit(value: &str) -> (&str, &str) {
    let (column, unit) = value.rsplit_once(':').unwrap_or((value, ""));
    (column.trim(), unit.trim())
}

fn separator(options: &Options) -> Result<Separator, Error> {
    Ok(match options.get("sep") {
        None | Some("comma") => Separator::Byte(b','),
        Some("semicolon") => Separator::Byte(b';'),
        Some("tab") => Separator::Byte(b'\t'),
        Some("blanks") => Separator::Blanks,
        Some(text) => match text.as_bytes() {
            &[byte] if byte.is_ascii_graphic() => Separator::Byte(byte),
            _ => {
                let what = format!(
                    "sep = `{text}`: expected comma, semicolon, tab, blanks or a character"
                );
                return Err(options.error(what, ""));
            }
        },
    })
}
