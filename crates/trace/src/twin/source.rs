//! A twin as a source of requests.

use super::arrivals::ArrivalState;
use super::ground::Ground;
use super::model::{Model, Operation};
use super::reads::ReadState;
use super::writes::WriteState;
use crate::generate::rng::Rng;
use crate::{Error, Op, Request, Source};

/// Chunks of the address space hold this many of the largest requests, where there is room.
const REQUESTS_PER_CHUNK: u32 = 16;

/// Requests drawn from a model.
pub struct Twin {
    name: String,
    model: Model,
    seed: u64,
    state: Option<Box<State>>,
}

struct State {
    requests: u64,
    writes: u64,
    /// `None` where nothing is written.
    write: Option<WriteState>,
    /// `None` where nothing is read.
    read: Option<ReadState>,
    arrivals: ArrivalState,
    ground: Ground,
    rng: Rng,
}

impl Model {
    /// Requests that write.
    pub(super) fn writes(&self) -> f64 {
        (self.requests as f64 * self.write_share).round()
    }

    /// Pages that the writes touch, in all; a place's pages count as often as it is written.
    pub(super) fn pages_written(&self) -> f64 {
        let Some(writes) = &self.write else { return 0.0 };
        let per_page: f64 = writes
            .classes
            .iter()
            .map(|class| class.total() * self.pieces(class) / self.mean_pages(&class.sizes))
            .sum();
        self.writes() / per_page
    }

    /// Requests in which a place of `class` is written, on the average.
    fn pieces(&self, class: &super::model::Class) -> f64 {
        match class.piece_bytes {
            0 => 1.0,
            piece => class.sizes.mean_of(|bytes| f64::from(bytes.div_ceil(piece))),
        }
    }

    /// Pages that the reads touch, in all.
    pub(super) fn pages_read(&self) -> f64 {
        let Some(reads) = &self.read else { return 0.0 };
        self.requests as f64 * (1.0 - self.write_share) * self.mean_pages(&reads.sizes)
    }

    /// Pages written or read at least once, each counted once for either.
    fn footprint_pages(&self) -> (f64, f64) {
        let new: f64 =
            self.write.iter().flat_map(|write| &write.classes).map(|class| class.new).sum();
        let read = self.read.as_ref().map_or(0.0, |read| read.new);
        (self.pages_written() * new, self.pages_read() * read)
    }

    fn chunk_pages(&self) -> u32 {
        let largest = self.write.iter().flat_map(|write| &write.classes).map(|class| &class.sizes);
        let largest = largest.chain(self.read.iter().map(|read| &read.sizes));
        let max_bytes = largest.map(super::sizes::Sizes::max_bytes).max().unwrap_or(1);
        let max_pages = max_bytes.div_ceil(self.page_bytes);
        let (written, read) = self.footprint_pages();
        let fair = ((written + read) / 64.0) as u32;
        fair.clamp(2 * max_pages, REQUESTS_PER_CHUNK * max_pages)
    }

    /// The address space that a twin of this model needs at least, in bytes. It may take more: chunks
    /// keep a rest that the next place does not fit.
    pub fn span_bytes(&self) -> u64 {
        let (written, read) = self.footprint_pages();
        let overlap = self.read.as_ref().map_or(0.0, |reads| reads.overlap);
        (written + read * (1.0 - overlap)) as u64 * u64::from(self.page_bytes)
    }
}

impl Twin {
    /// The twin that `model` describes, drawn from `seed`.
    pub fn new(name: &str, model: Model, seed: u64) -> Self {
        Self { name: name.to_owned(), model, seed, state: None }
    }
}

impl State {
    fn new(model: &Model, seed: u64) -> Self {
        let chunk_pages = model.chunk_pages();
        let stream = |purpose: &str| Rng::new(seed, purpose);
        let write = model.write.as_ref();
        let read = model.read.as_ref();
        Self {
            requests: model.requests,
            writes: model.writes() as u64,
            write: write.map(|w| WriteState::new(model, w, chunk_pages, seed)),
            read: read.map(|r| ReadState::new(model, r, chunk_pages, seed)),
            arrivals: ArrivalState::new(&model.arrivals, model.interval_us, stream("twin arrival")),
            ground: Ground::new(chunk_pages),
            rng: stream("twin operation"),
        }
    }

    #[inline]
    fn next(&mut self) -> Request {
        let (arrival_ns, wanted) = self.arrivals.next();
        let reads = self.requests - self.writes;
        let writes = match wanted {
            Some(Operation::Write) => self.writes > 0,
            Some(Operation::Read) => reads == 0,
            None => self.rng.below(self.requests) < self.writes,
        };
        self.requests -= 1;
        let (op, extent) = match (&mut self.write, &mut self.read) {
            (Some(write), _) if writes => {
                self.writes -= 1;
                (Op::Write, write.next(arrival_ns, &mut self.ground))
            }
            (_, Some(read)) => (Op::Read, read.next(&mut self.ground)),
            (write, None) => {
                let write = write.as_mut().expect("a model reads or writes");
                (Op::Write, write.next(arrival_ns, &mut self.ground))
            }
        };
        let (offset_bytes, size_bytes) = (extent.offset_bytes, extent.size_bytes);
        Request::new(op, offset_bytes, size_bytes).at(arrival_ns)
    }
}

impl Source for Twin {
    fn name(&self) -> &str {
        &self.name
    }

    fn next_batch(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        batch.clear();
        let state = self.state.get_or_insert_with(|| Box::new(State::new(&self.model, self.seed)));
        let room = batch.capacity().max(1) as u64;
        for _ in 0..room.min(state.requests) {
            batch.push(state.next());
        }
        Ok(())
    }

    fn rewind(&mut self) -> Result<(), Error> {
        self.state = None;
        Ok(())
    }

    fn len_hint(&self) -> Option<u64> {
        Some(self.model.requests)
    }

    fn is_synthetic(&self) -> bool {
        true
    }
}
