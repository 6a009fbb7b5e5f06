//! libCacheSim's `oracleGeneral`: accesses to objects, without operations.

use super::mix::Mix;
use crate::read::columns::MAX_OFFSET_BYTES;
use crate::read::fields::{BadField, little_endian};
use crate::read::format::{Described, Format, Record, Shape, TimeUnit, Times};
use crate::read::options::{FormatOption, Options};
use crate::{Error, Request};

/// libCacheSim, `oracleGeneralBin.h`. The format has no operations, and often hashes for
/// addresses: it is read only with a mix and a place for objects that the user names.
#[derive(Clone)]
pub(in crate::read) struct OracleGeneral {
    mix: Mix,
    object_bytes: u64,
    accesses: u64,
    /// Set to tell a file of this format from any other binary one; else a trace is taken as it is.
    is_strict: bool,
    /// The time of the record before.
    clock_s: u64,
    /// Accesses to objects whose addresses lie beyond the highest.
    wrapped: u64,
}

impl Default for OracleGeneral {
    fn default() -> Self {
        Self {
            mix: Mix::default(),
            object_bytes: 1,
            accesses: 0,
            is_strict: false,
            clock_s: 0,
            wrapped: 0,
        }
    }
}

impl Described for OracleGeneral {
    const NAME: &'static str = "oraclegeneral";
    const ALIASES: &'static [&'static str] = &["oracleGeneral"];
    const SUMMARY: &'static str =
        "libCacheSim oracleGeneral: binary records of 24 bytes, no operations";
    const COLUMNS: &'static str = "u32 time (s), u64 object, u32 size (bytes), i64 next access (number of the access that \
         is the object's next, or -1)";
    const TIME_UNIT: TimeUnit = TimeUnit::SECOND;
    const OPTIONS: &'static [FormatOption] = &[
        FormatOption { key: "read", help: "the share of accesses that are reads, from 0 to 1" },
        FormatOption { key: "object", help: "bytes from one object number to the next" },
    ];
}

const EXAMPLE: &str = "say what to take, as in `oraclegeneral:read=0.7,object=4096`";

impl Format for OracleGeneral {
    const SHAPE: Shape = Shape::Records { bytes: 24 };

    fn configure(&mut self, options: &Options, _: &[u8]) -> Result<Times, Error> {
        let needed = |what: &str| {
            let what = format!("libCacheSim's oracleGeneral has {what}");
            options.error(what, EXAMPLE)
        };
        let read =
            options.share("read")?.ok_or_else(|| needed("no operations: reads or writes?"))?;
        self.mix = Mix::new(read);
        self.object_bytes = options
            .bytes("object")?
            .ok_or_else(|| needed("numbers of objects, and not their addresses in bytes"))?;
        Ok(Times::fixed(Self::TIME_UNIT))
    }

    fn detector(_: &[u8]) -> Option<Self> {
        Some(Self { is_strict: true, ..Self::default() })
    }

    fn remarks(&self) -> Option<String> {
        wrapped(self.wrapped, self.accesses, self.object_bytes)
    }

    #[inline]
    fn parse<'a>(&mut self, record: &'a [u8]) -> Result<Record, BadField<'a>> {
        let clock_s = little_endian(record, 0, 4);
        let object = little_endian(record, 4, 8);
        let size_bytes = little_endian(record, 12, 4) as u32;
        let next = little_endian(record, 16, 8);
        let bad = |column, expected, at: usize| {
            Err(BadField { column, expected, found: record.get(at..) })
        };
        if size_bytes == 0 {
            return bad("size", "bytes, at least 1", 12);
        }
        if self.is_strict && clock_s < self.clock_s {
            return bad("time", "seconds, not less than in the record before", 0);
        }
        self.accesses += 1;
        // Some writers put the greatest i64 for no next access.
        let is_none = next == u64::MAX || next == i64::MAX as u64;
        if self.is_strict && !is_none && !(self.accesses..MAX_ACCESSES).contains(&next) {
            return bad("next access", "-1, or the number of a later access", 16);
        }
        self.clock_s = clock_s;
        let op = self.mix.op(self.accesses);
        let places = MAX_OFFSET_BYTES / self.object_bytes;
        self.wrapped += u64::from(object >= places);
        Ok(Record::Request(
            Request::new(op, object % places * self.object_bytes, size_bytes)
                .at(clock_s * TimeUnit::SECOND.ns),
        ))
    }
}

/// Says how many addresses lay beyond the highest.
fn wrapped(wrapped: u64, accesses: u64, object_bytes: u64) -> Option<String> {
    let percent = 100.0 * wrapped as f64 / accesses.max(1) as f64;
    (wrapped > 0).then(|| {
        format!(
            "{wrapped} of {accesses} accesses ({percent:.1} %) are to objects whose numbers times {object_bytes} bytes \
             lie beyond 2^63, and were wrapped to lower addresses: the numbers look like hashes, which have no place \
             on a drive; number the objects from 0 on"
        )
    })
}

/// More accesses than any trace has; what lies beyond is no number of one.
const MAX_ACCESSES: u64 = 1 << 48;
