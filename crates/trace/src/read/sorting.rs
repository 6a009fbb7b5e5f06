//! All requests of a file in the order of their time stamps, in a memory that does not grow with the file.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};

use crate::{Error, Op, PlacementId, Request};

/// Requests that are sorted in memory; a file that has more goes through a temporary one: 26 bytes a request.
const RUN_REQUESTS: usize = 1 << 21;
/// Requests that are read back at a time, of each run.
const CHUNK_REQUESTS: usize = 1 << 10;
const RECORD_BYTES: usize = 26;

/// Takes requests in any order, and cuts them into sorted runs.
pub(super) struct Sorter {
    held: Vec<Request>,
    most: usize,
    spilled: Option<File>,
    /// Requests of each run in the temporary file.
    runs: Vec<u64>,
}

/// The requests of a [`Sorter`], the earliest first; of equal ones the one that came first.
pub(super) struct Sorted {
    spilled: Option<File>,
    runs: Vec<Run>,
    /// The next stamp of each run that is not over.
    heads: BinaryHeap<Reverse<(u64, usize)>>,
}

/// Requests in order: the last run lies in memory, all others in the temporary file.
struct Run {
    /// The first of those that are not in memory, and the end, by number in the temporary file.
    next: u64,
    first: u64,
    end: u64,
    chunk: Vec<Request>,
    taken: usize,
}

impl Default for Sorter {
    fn default() -> Self {
        Self { held: Vec::new(), most: RUN_REQUESTS, spilled: None, runs: Vec::new() }
    }
}

impl Sorter {
    /// Takes one more.
    ///
    /// # Errors
    /// The temporary file cannot be written.
    pub fn push(&mut self, request: Request) -> Result<(), Error> {
        if self.held.len() == self.most {
            self.spill().map_err(|error| failure(&error))?;
        }
        self.held.push(request);
        Ok(())
    }

    fn spill(&mut self) -> io::Result<()> {
        let file = match &mut self.spilled {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        self.held.sort_by_key(|request| request.arrival_ns);
        let mut out = BufWriter::new(file);
        self.held.iter().try_for_each(|request| out.write_all(&bytes(request)))?;
        out.flush()?;
        self.runs.push(self.held.len() as u64);
        self.held.clear();
        Ok(())
    }

    /// All of them in order.
    ///
    /// # Errors
    /// The temporary file cannot be read.
    pub fn finish(mut self) -> Result<Sorted, Error> {
        self.held.sort_by_key(|request| request.arrival_ns);
        let mut end = 0;
        let mut runs: Vec<Run> = Vec::with_capacity(self.runs.len() + 1);
        for count in self.runs {
            let first = end;
            end += count;
            runs.push(Run { next: first, first, end, chunk: Vec::new(), taken: 0 });
        }
        runs.push(Run { next: 0, first: 0, end: 0, chunk: self.held, taken: 0 });
        let mut sorted = Sorted { spilled: self.spilled, runs, heads: BinaryHeap::new() };
        sorted.rewind()?;
        Ok(sorted)
    }
}

impl Sorted {
    /// The next one; `None` at the end.
    ///
    /// # Errors
    /// The temporary file cannot be read.
    pub fn next(&mut self) -> Result<Option<Request>, Error> {
        let Some(Reverse((_, number))) = self.heads.pop() else { return Ok(None) };
        let run = &mut self.runs[number];
        let request = run.chunk[run.taken];
        run.taken += 1;
        self.list(number)?;
        Ok(Some(request))
    }

    /// Begins again.
    ///
    /// # Errors
    /// The temporary file cannot be read.
    pub fn rewind(&mut self) -> Result<(), Error> {
        self.heads.clear();
        for number in 0..self.runs.len() {
            let run = &mut self.runs[number];
            (run.next, run.taken) = (run.first, 0);
            if run.end > run.first {
                run.chunk.clear();
            }
            self.list(number)?;
        }
        Ok(())
    }

    /// Notes the next stamp of a run, unless it is over.
    fn list(&mut self, number: usize) -> Result<(), Error> {
        let run = &mut self.runs[number];
        if run.taken == run.chunk.len()
            && let Some(file) = self.spilled.as_mut().filter(|_| run.next < run.end)
        {
            run.fill(file).map_err(|error| failure(&error))?;
        }
        if let Some(request) = run.chunk.get(run.taken) {
            self.heads.push(Reverse((request.arrival_ns, number)));
        }
        Ok(())
    }
}

impl Run {
    fn fill(&mut self, file: &mut File) -> io::Result<()> {
        let count = (self.end - self.next).min(CHUNK_REQUESTS as u64);
        let mut records = vec![0; count as usize * RECORD_BYTES];
        file.seek(SeekFrom::Start(self.next * RECORD_BYTES as u64))?;
        file.read_exact(&mut records)?;
        self.next += count;
        self.taken = 0;
        self.chunk.clear();
        self.chunk.extend(records.chunks_exact(RECORD_BYTES).map(request));
        Ok(())
    }
}

/// The bits of a write that is durable at once, and of one that carries a placement identifier, beside the operation.
const FUA: u8 = 1 << 7;
const PLACED: u8 = 1 << 6;
const OPS: [Op; 4] = [Op::Read, Op::Write, Op::Trim, Op::Flush];

fn bytes(request: &Request) -> [u8; RECORD_BYTES] {
    let mut record = [0; RECORD_BYTES];
    record[..8].copy_from_slice(&request.arrival_ns.to_le_bytes());
    record[8..16].copy_from_slice(&request.offset_bytes.to_le_bytes());
    record[16..20].copy_from_slice(&request.size_bytes.to_le_bytes());
    // Numbers of volumes leave a byte.
    record[20..24].copy_from_slice(&request.stream.to_le_bytes());
    record[23] = request.op as u8 | if request.fua { FUA } else { 0 };
    if let Some(PlacementId(number)) = request.placement {
        record[23] |= PLACED;
        record[24..].copy_from_slice(&number.to_le_bytes());
    }
    record
}

fn request(record: &[u8]) -> Request {
    let number = |at: usize, bytes: usize| super::fields::little_endian(record, at, bytes);
    let placement = (record[23] & PLACED != 0).then(|| PlacementId(number(24, 2) as u16));
    Request::new(OPS[usize::from(record[23]) % OPS.len()], number(8, 8), number(16, 4) as u32)
        .at(number(0, 8))
        .of_stream(number(20, 3) as u32)
        .with_fua(record[23] & FUA != 0)
        .with_placement(placement)
}

#[cold]
fn failure(error: &io::Error) -> Error {
    let folder = std::env::temp_dir().display().to_string();
    let help = "sorting takes 26 bytes a request there; set TMPDIR to a folder with room";
    Error::new(format!("cannot sort the trace by time: {error}"), folder, help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VOLUMES;
    use proptest::prelude::*;

    fn any_request() -> impl Strategy<Value = Request> {
        let hints = (any::<bool>(), any::<Option<u16>>());
        let parts = (0u64..40, any::<u64>(), any::<u32>(), 0..VOLUMES as u32, 0usize..4, hints);
        parts.prop_map(|(arrival_ns, offset_bytes, size_bytes, stream, op, (fua, placement))| {
            Request::new(OPS[op], offset_bytes, size_bytes)
                .at(arrival_ns)
                .of_stream(stream)
                .with_fua(fua)
                .with_placement(placement.map(PlacementId))
        })
    }

    fn all(sorted: &mut Sorted) -> Vec<Request> {
        std::iter::from_fn(|| sorted.next().expect("read")).collect()
    }

    proptest! {
        #[test]
        fn it_is_a_stable_sort_whatever_fits_in_memory(
            requests in prop::collection::vec(any_request(), 0..80), most in 1usize..90
        ) {
            let mut sorter = Sorter { most, ..Sorter::default() };
            requests.iter().try_for_each(|&request| sorter.push(request)).expect("taken");
            let mut sorted = sorter.finish().expect("sorted");
            let mut expected = requests;
            expected.sort_by_key(|request| request.arrival_ns);
            prop_assert_eq!(&all(&mut sorted), &expected);
            sorted.rewind().expect("rewound");
            sorted.next().expect("read");
            sorted.rewind().expect("rewound");
            prop_assert_eq!(&all(&mut sorted), &expected);
        }
    }

    #[test]
    fn runs_longer_than_a_chunk_are_read_back_whole() {
        let count = 3 * CHUNK_REQUESTS as u64;
        let mut sorter = Sorter { most: CHUNK_REQUESTS * 2, ..Sorter::default() };
        for number in 0..count {
            sorter.push(Request::flush((number * 7919) % count, 0)).expect("taken");
        }
        let arrivals = all(&mut sorter.finish().expect("sorted")).into_iter();
        assert!(arrivals.map(|request| request.arrival_ns).eq(0..count));
    }
}
