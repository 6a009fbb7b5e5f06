//! Wordline's own compact format; `compact` says what stands where.

mod lookup;

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::compact::{
    self, BLOCK, BLOCK_MARKER, BlockHead, Damage, ENTRY_BYTES, FOOTER_BYTES, Footer, HEAD_BYTES,
    HEADER_BYTES, INDEX_HEAD_BYTES, Index, IndexEntry, MAGIC, MAX_META_BYTES, NAMES_MARKER,
    NOTES_MARKER, NumberBytes, SLACK_BYTES, TraceMeta, VERSIONS,
};
use crate::read::cycle::Cycle;
use crate::read::failure::failure;
use crate::read::format::{Container, Described, TimeUnit};
use crate::read::input;
use crate::read::options::Options;
use crate::read::stream::Stream;
use crate::{Error, Position, Request, Source};

/// docs/formats/wordline.md.
pub(in crate::read) struct Wordline;

impl Described for Wordline {
    const NAME: &'static str = "wordline";
    const ALIASES: &'static [&'static str] = &["wlt"];
    const SUMMARY: &'static str = "Wordline's own: binary, compact, seekable, with checksums";
    const COLUMNS: &'static str = "arrival (ns), size (bytes), operation, stream, offset (bytes), \
         in blocks of columns";
    const TIME_UNIT: TimeUnit = TimeUnit::NANOSECOND;
}

impl Container for Wordline {
    const MAGIC: &'static [u8] = MAGIC;

    fn start(stream: Stream, path: &Path, _: &Options) -> Result<Box<dyn Source>, Error> {
        Ok(Box::new(CompactSource::new(Box::new(stream), path)?))
    }
}

/// The requests of a file.
struct CompactSource {
    path: PathBuf,
    version: u16,
    meta: TraceMeta,
    volume_names: Vec<String>,
    /// What was mended of the trace that the file was made from.
    notes: Vec<String>,
    input: Box<dyn Read + Send>,
    /// Requests in all, where the footer could be reached.
    records: Option<u64>,
    /// Bytes taken from the file.
    at: u64,
    /// The part that is being read, for messages.
    part: Part,
    /// What the index must say, while the file is read from its beginning.
    index: Option<Index>,
    next_record: u64,
    last_ns: u64,
    columns: Vec<u8>,
    requests: Vec<Request>,
    taken: usize,
    cycle: Cycle,
    ended: bool,
}

/// A part of a file, and where it begins.
#[derive(Clone, Copy)]
enum Part {
    Header,
    Block(u64),
    Index(u64),
    Names(u64),
    Notes(u64),
}

impl CompactSource {
    fn new(input: Box<dyn Read + Send>, path: &Path) -> Result<Self, Error> {
        let mut source = Self {
            path: path.to_owned(),
            version: 0,
            meta: TraceMeta::default(),
            volume_names: Vec::new(),
            notes: Vec::new(),
            input,
            records: None,
            at: 0,
            part: Part::Header,
            index: Some(Index::default()),
            next_record: 0,
            last_ns: 0,
            columns: Vec::new(),
            requests: Vec::with_capacity(BLOCK),
            taken: 0,
            cycle: Cycle::default(),
            ended: false,
        };
        source.read_header()?;
        // What stands at the end is of use from the beginning on. Damage shows when it is reached.
        if let Some(mut file) = lookup::seekable(path)
            && let Ok(footer) = lookup::read_footer(&mut file)
        {
            source.records = Some(footer.records);
            if source.has_names() {
                let lists = (source.numbers(), source.has_notes());
                (source.volume_names, source.notes) =
                    lookup::find_lists(&mut file, footer.index_at, lists).unwrap_or_default();
            }
        }
        Ok(source)
    }

    fn read_header(&mut self) -> Result<(), Error> {
        let mut header = vec![0; HEADER_BYTES];
        self.take(&mut header)?;
        self.version = u16::from_le_bytes([header[8], header[9]]);
        if header[..MAGIC.len()] != *MAGIC {
            return Err(self.damaged(Damage::Marker));
        }
        if !VERSIONS.contains(&self.version) {
            let (first, last) = VERSIONS.into_inner();
            let what = format!(
                "version {} of Wordline's format; this reads {first} to {last}",
                self.version
            );
            return Err(Error::new(
                what,
                self.place(),
                "use the Wordline that wrote it, or a newer",
            ));
        }
        let length = u32::from_le_bytes([header[12], header[13], header[14], header[15]]);
        if length > MAX_META_BYTES {
            return Err(self.damaged(Damage::Number));
        }
        let end = HEADER_BYTES + length as usize;
        header.resize(end + 4, 0);
        self.take(&mut header[HEADER_BYTES..])?;
        let found = u32::from_le_bytes([0, 1, 2, 3].map(|i| header[end + i]));
        if !compact::is_checksum(crc32fast::hash(&header[..end]), found) {
            return Err(self.damaged(Damage::Checksum));
        }
        self.meta = TraceMeta::parse(&header[HEADER_BYTES..end]).map_err(|d| self.damaged(d))?;
        Ok(())
    }

    /// Decodes the next block into `requests`; at the end checks that all of it was read.
    fn read_block(&mut self) -> Result<(), Error> {
        self.requests.clear();
        self.taken = 0;
        let start = self.at;
        self.part = Part::Block(start);
        let mut head = [0; HEAD_BYTES];
        self.take(&mut head[..BLOCK_MARKER.len()])?;
        if head[..BLOCK_MARKER.len()] == compact::INDEX_MARKER {
            self.part = Part::Index(start);
            return self.read_end(start);
        }
        self.take(&mut head[BLOCK_MARKER.len()..])?;
        let found = BlockHead::parse(&head).map_err(|damage| self.damaged(damage))?;
        let mut columns = std::mem::take(&mut self.columns);
        columns.resize(found.payload_bytes as usize + SLACK_BYTES, 0);
        let payload = found.payload_bytes as usize;
        self.take(&mut columns[..payload])?;
        columns[payload..].fill(0);
        let decoded = BlockHead::verify(&head, &columns[..payload]).and_then(|()| {
            let (count, first_ns) = (found.records as usize, found.first_ns);
            compact::decode(&columns, count, first_ns, &mut self.requests)
        });
        self.columns = columns;
        decoded.map_err(|damage| self.damaged(damage))?;
        if found.first_record != self.next_record || found.first_ns < self.last_ns {
            return Err(self.damaged(Damage::Order));
        }
        if let Some(index) = &mut self.index {
            index.add(IndexEntry::of(start, &found));
        }
        self.next_record += u64::from(found.records);
        self.last_ns = self.requests.last().map_or(self.last_ns, |last| last.arrival_ns);
        Ok(())
    }

    /// Checks index and footer against what was read.
    fn read_end(&mut self, index_at: u64) -> Result<(), Error> {
        let mut head = [0; INDEX_HEAD_BYTES];
        head[..BLOCK_MARKER.len()].copy_from_slice(&compact::INDEX_MARKER);
        self.take(&mut head[BLOCK_MARKER.len()..])?;
        if let Some(index) = &self.index {
            index.verify(&head).map_err(|damage| self.damaged(damage))?;
        }
        let blocks = Index::blocks_of(&head).map_err(|damage| self.damaged(damage))?;
        let mut hasher = crc32fast::Hasher::new();
        let mut entry = [0; ENTRY_BYTES];
        for _ in 0..blocks {
            self.take(&mut entry)?;
            hasher.update(&entry);
        }
        Index::verify_entries(hasher, &head).map_err(|damage| self.damaged(damage))?;
        let numbers = self.numbers();
        if self.has_names() {
            self.part = Part::Names(self.at);
            let names = compact::read_list(NAMES_MARKER, numbers, |into| self.take(into))?;
            self.volume_names = names.map_err(|damage| self.damaged(damage))?;
        }
        if self.has_notes() {
            self.part = Part::Notes(self.at);
            let notes = compact::read_list(NOTES_MARKER, numbers, |into| self.take(into))?;
            self.notes = notes.map_err(|damage| self.damaged(damage))?;
        }
        let mut footer = [0; FOOTER_BYTES];
        self.take(&mut footer)?;
        let found = Footer::parse(&footer).map_err(|damage| self.damaged(damage))?;
        let read = Footer { records: self.next_record, index_at, last_ns: self.last_ns };
        if found != read {
            return Err(self.damaged(Damage::Order));
        }
        if !matches!(self.input.read(&mut [0]), Ok(0)) {
            return Err(self.damaged(Damage::Long));
        }
        if self.next_record == 0 {
            return Err(Error::new("a trace without a request", self.place(), ""));
        }
        self.ended = true;
        Ok(())
    }

    /// Whether names of volumes stand behind the index.
    fn has_names(&self) -> bool {
        self.version >= 2
    }

    /// Whether notes stand behind the names.
    fn has_notes(&self) -> bool {
        self.version >= 4
    }

    /// How names and notes are numbered.
    fn numbers(&self) -> NumberBytes {
        NumberBytes::of(self.version)
    }

    /// Fills `into` from the file.
    fn take(&mut self, into: &mut [u8]) -> Result<(), Error> {
        match self.input.read_exact(into) {
            Ok(()) => {
                self.at += into.len() as u64;
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Err(self.damaged(Damage::Short))
            }
            Err(error) => {
                let mut error = failure(&error, self.place());
                error.what += &format!("; {} records were read", self.next_record);
                Err(error)
            }
        }
    }

    fn place(&self) -> String {
        self.path.display().to_string()
    }

    #[cold]
    fn damaged(&self, damage: Damage) -> Error {
        let blocks = self.next_record.div_ceil(BLOCK as u64);
        let (part, at) = match self.part {
            Part::Header => ("the header".to_owned(), 0),
            Part::Block(at) => (format!("block {blocks}"), at),
            Part::Index(at) => ("the index behind the last block".to_owned(), at),
            Part::Names(at) => ("the names of volumes behind the index".to_owned(), at),
            Part::Notes(at) => ("the notes behind the names of volumes".to_owned(), at),
        };
        let records = self.next_record;
        let what = match damage {
            Damage::Short => format!("the file ends within {part}, which begins at byte {at}"),
            Damage::Long => format!("{part}, at byte {at}, holds more than it should"),
            Damage::Number => format!("{part}, at byte {at}, holds a number that cannot be"),
            Damage::Checksum => format!("the checksum of {part}, at byte {at}, does not fit"),
            Damage::Marker => format!("{part} should begin at byte {at}, but does not"),
            Damage::Order => format!("{part}, at byte {at}, does not follow what stands ahead"),
        };
        let help = match damage {
            Damage::Short => "the file looks truncated: fetch or convert it again",
            _ => "the file is damaged: fetch or convert it again",
        };
        Error::new(format!("{what}; {records} records were read"), self.place(), help)
    }

    /// Goes on with the last block that begins at `position` or ahead of it.
    fn jump(&mut self, mut file: File, position: Position) -> Result<(), Damage> {
        let footer = lookup::read_footer(&mut file)?;
        let entry = lookup::find_block(&mut file, footer.index_at, position)?;
        file.seek(SeekFrom::Start(entry.offset)).map_err(|_| Damage::Short)?;
        self.input = Box::new(BufReader::with_capacity(READ_BYTES, file));
        self.at = entry.offset;
        self.index = None;
        self.next_record = entry.first_record;
        self.last_ns = entry.first_ns;
        self.requests.clear();
        self.taken = 0;
        self.cycle = Cycle::default();
        self.ended = false;
        Ok(())
    }

    /// Drops decoded requests ahead of `position`.
    fn drop_until(&mut self, position: Position) -> Result<(), Error> {
        loop {
            let first = self.next_record - self.requests.len() as u64;
            let place = match position {
                Position::Request(number) => {
                    (number - first).min(self.requests.len() as u64) as usize
                }
                Position::Time(ns) => self.requests.partition_point(|r| r.arrival_ns < ns),
            };
            self.taken = place;
            if place < self.requests.len() || self.ended {
                return Ok(());
            }
            self.read_block()?;
        }
    }
}

/// How a remark begins that is one of the trace that a file was made from.
const ORIGIN: &str = "in the trace that this file was made from: ";

/// Bytes asked of the system at a time.
const READ_BYTES: usize = 256 * 1024;

impl Source for CompactSource {
    fn name(&self) -> &str {
        &self.meta.name
    }

    fn next_batch(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        batch.clear();
        let room = batch.capacity().max(1);
        while batch.len() < room && !self.ended {
            if self.taken == self.requests.len() {
                self.read_block()?;
            }
            let count = (self.requests.len() - self.taken).min(room - batch.len());
            batch.extend_from_slice(&self.requests[self.taken..self.taken + count]);
            batch[batch.len() - count..].iter().for_each(|request| self.cycle.add(request));
            self.taken += count;
        }
        Ok(())
    }

    fn rewind(&mut self) -> Result<(), Error> {
        let (input, _) = input::open(&self.path)?;
        *self = Self::new(Box::new(BufReader::with_capacity(READ_BYTES, input)), &self.path)?;
        Ok(())
    }

    fn seek(&mut self, position: Position) -> Result<bool, Error> {
        let Some(file) = lookup::seekable(&self.path) else { return Ok(false) };
        self.part = Part::Index(self.records.unwrap_or(0));
        self.jump(file, position).map_err(|damage| self.damaged(damage))?;
        self.drop_until(position)?;
        Ok(true)
    }

    fn remarks(&self) -> Vec<String> {
        let told = self.notes.iter().map(|note| match note.starts_with(ORIGIN) {
            true => note.clone(),
            false => format!("{ORIGIN}{note}"),
        });
        let cycle = self.cycle.remark().filter(|text| !self.notes.contains(text));
        told.chain(cycle).collect()
    }

    fn start_unix_ns(&self) -> Option<u64> {
        self.meta.start_unix_ns
    }

    fn len_hint(&self) -> Option<u64> {
        self.records
    }

    fn stream_names(&self) -> &[String] {
        &self.volume_names
    }

    fn is_synthetic(&self) -> bool {
        self.meta.synthetic
    }
}
