//! What a file says of itself: `key=value` lines.

use super::{Damage, MAGIC, VERSION};
use crate::request::Source;

/// Bytes of metadata at most.
pub(crate) const MAX_META_BYTES: u32 = 1 << 16;
/// Bytes ahead of the metadata: magic, version, a reserved field, the length of the metadata.
pub(crate) const HEADER_BYTES: usize = 16;

/// What a trace says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TraceMeta {
    /// A name for tables and results.
    pub name: String,
    /// Where the requests come from: a file and its format, or a generator with its parameters.
    pub source: String,
    /// Whether they were generated rather than recorded.
    pub synthetic: bool,
    /// When a request with arrival 0 was issued, in nanoseconds since 1970-01-01 UTC, where that is
    /// known.
    pub start_unix_ns: Option<u64>,
}

impl TraceMeta {
    /// What `source`, which `origin` describes, says of itself.
    pub fn of(source: &dyn Source, origin: impl Into<String>) -> Self {
        Self {
            name: source.name().to_owned(),
            source: origin.into(),
            synthetic: source.is_synthetic(),
            start_unix_ns: source.start_unix_ns(),
        }
    }

    /// The header of a file: magic, version, this, checksum.
    pub(crate) fn header(&self) -> Vec<u8> {
        let text = self.text();
        let mut header = Vec::with_capacity(HEADER_BYTES + text.len() + 4);
        header.extend(MAGIC);
        header.extend(VERSION.to_le_bytes());
        header.extend([0; 2]);
        header.extend((text.len() as u32).to_le_bytes());
        header.extend(text.as_bytes());
        header.extend(crc32fast::hash(&header).to_le_bytes());
        header
    }

    fn text(&self) -> String {
        // A line holds a value; a name of more than a few hundred characters names nothing.
        let clean = |value: &str| -> String {
            value.chars().filter(|c| !c.is_control()).take(MAX_VALUE_CHARS).collect()
        };
        let mut text = format!(
            "name={}\nsource={}\nsynthetic={}\n",
            clean(&self.name),
            clean(&self.source),
            self.synthetic
        );
        if let Some(start) = self.start_unix_ns {
            text += &format!("start_unix_ns={start}\n");
        }
        text
    }

    /// Reads the metadata; keys of later writers are passed over.
    pub(crate) fn parse(text: &[u8]) -> Result<Self, Damage> {
        let text = std::str::from_utf8(text).map_err(|_| Damage::Number)?;
        let mut meta = Self::default();
        for line in text.lines() {
            let (key, value) = line.split_once('=').ok_or(Damage::Number)?;
            match key {
                "name" => meta.name = value.to_owned(),
                "source" => meta.source = value.to_owned(),
                "synthetic" => meta.synthetic = value.parse().map_err(|_| Damage::Number)?,
                "start_unix_ns" => {
                    meta.start_unix_ns = Some(value.parse().map_err(|_| Damage::Number)?);
                }
                _ => {}
            }
        }
        Ok(meta)
    }
}

const MAX_VALUE_CHARS: usize = 2000;
