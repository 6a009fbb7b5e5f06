//! The table of formats that can be written.

use std::fmt;
use std::path::Path;

use super::ascii::Ascii;
use super::compact::Compact;
use super::encoder::Encoder;
use super::fio::{FioV2, FioV3};
use super::fit::Limits;
use super::msr::Msr;
use crate::compact::TraceMeta;
use crate::{Error, suggest};

/// The declaration of a format that can be written.
pub struct WriterDecl {
    /// The name by which it is chosen.
    pub name: &'static str,
    /// The ending that stands for it; empty where none does.
    pub ending: &'static str,
    /// What it is, in a sentence.
    pub summary: &'static str,
    /// What it can hold.
    pub limits: Limits,
    pub(super) encoder: fn(&TraceMeta) -> Box<dyn Encoder>,
}

impl fmt::Debug for WriterDecl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// One past the highest address that the readers take, in bytes.
const END_BYTES: u64 = 1 << 63;
/// Sectors that SSDSim can name: it reads sector numbers as `int`.
const SSDSIM_SECTORS: u64 = 1 << 31;
const SECTOR_BYTES: u64 = 512;

/// Formats of lines, unless said otherwise: reads and writes in bytes.
const LINES: Limits = Limits {
    time_unit_ns: 1,
    sector_bytes: 1,
    end_bytes: END_BYTES,
    trims: false,
    flushes: false,
    fuas: false,
    placements: false,
};
const FIO: Limits = Limits { time_unit_ns: 1000, trims: true, flushes: true, ..LINES };

/// The formats that can be written.
pub fn writers() -> &'static [WriterDecl] {
    const WRITERS: &[WriterDecl] = &[
        WriterDecl {
            name: "wordline",
            ending: "wlt",
            summary: "Wordline's own: compact, seekable, with checksums; holds everything",
            limits: Limits::NONE,
            encoder: |meta| Box::new(Compact::new(meta)),
        },
        WriterDecl {
            name: "msr",
            ending: "csv",
            summary: "MSR Cambridge CSV: reads and writes in bytes, times in 100 ns",
            limits: Limits { time_unit_ns: 100, ..LINES },
            encoder: |meta| Box::new(Msr::new(meta)),
        },
        WriterDecl {
            name: "mqsim",
            ending: "trace",
            summary: "MQSim ASCII: reads and writes in sectors, times in ns",
            limits: Limits { sector_bytes: SECTOR_BYTES, ..LINES },
            encoder: |_| Box::new(Ascii),
        },
        WriterDecl {
            name: "ssdsim",
            ending: "ascii",
            summary: "SSDSim ASCII: as mqsim, up to 1 TiB",
            limits: Limits {
                sector_bytes: SECTOR_BYTES,
                end_bytes: SSDSIM_SECTORS * SECTOR_BYTES,
                ..LINES
            },
            encoder: |_| Box::new(Ascii),
        },
        WriterDecl {
            name: "fio-v2",
            ending: "",
            summary: "fio iolog version 2: every operation, times in ms",
            limits: Limits { time_unit_ns: 1_000_000, ..FIO },
            encoder: |_| Box::new(FioV2::default()),
        },
        WriterDecl {
            name: "fio-v3",
            ending: "iolog",
            summary: "fio iolog version 3: every operation, times in µs",
            limits: FIO,
            encoder: |_| Box::new(FioV3::default()),
        },
    ];
    WRITERS
}

/// The format called `name`.
pub(super) fn by_name(name: &str) -> Result<&'static WriterDecl, Error> {
    writers().iter().find(|format| format.name == name).ok_or_else(|| {
        let names: Vec<&str> = writers().iter().map(|format| format.name).collect();
        let what = format!("`{name}` is not a format that can be written");
        Error::new(what, "to", suggest::help(name, &names))
    })
}

/// The format that the ending of `inner` stands for; `path` is what the user wrote.
pub(super) fn by_ending(inner: &Path, path: &Path) -> Result<&'static WriterDecl, Error> {
    let ending = inner.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let fits = |format: &&WriterDecl| !format.ending.is_empty() && format.ending == ending;
    writers().iter().find(fits).ok_or_else(|| {
        let known: Vec<String> = writers()
            .iter()
            .map(|f| match f.ending {
                "" => f.name.to_owned(),
                ending => format!("{} (.{ending})", f.name),
            })
            .collect();
        let help =
            format!("name the format, as with `to={}`: {}", writers()[0].name, known.join(", "));
        Error::new("its ending stands for no format", path.display().to_string(), help)
    })
}
