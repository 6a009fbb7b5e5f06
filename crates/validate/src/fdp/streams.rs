//! Several streams side by side, each over its part of the space and with its placement identifier.

use crate::SEED;
use wordline_trace::{Error, GeneratorContext, Op, PlacementId, Request, Source, from_spec};

const PAGE_BYTES: u64 = super::PAGE_BYTES;
/// Addresses of the jumper on the emulator, of which those of Zipf's law are drawn: 90 % of 224 GiB. Twice as many make no
/// difference to exponents above 1.
const ADDRESSES: u64 = 52_848_230;
/// Steps by which popular pages are scattered over the space: the golden section of 2^64.
const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;

/// How a stream chooses its next page.
#[derive(Clone, Debug, PartialEq)]
pub enum Law {
    /// One after the other, round and round.
    Sequential,
    /// Any.
    Uniform,
    /// By Zipf's law over the emulator's addresses. A page of ours stands for several that follow one another in popularity,
    /// so that as many writes of the stream as fill a reclaim unit write a page again in both.
    Zipf { exponent: &'static str, scale: u64 },
}

impl Law {
    /// The jumper's law by its name: parts with their place and space, as shares of the jumper's, and how much of its
    /// writes each gets. `zoned` is fio's zoned:80/20:10/20:10/60.
    pub fn of_jumper(name: &str, scale: u64) -> Vec<(Self, f64, f64, f64)> {
        let zipf = |exponent| vec![(Self::Zipf { exponent, scale }, 0.0, 1.0, 1.0)];
        match name {
            "zipf-2.2" => zipf("2.2"),
            "zipf-1.2" => zipf("1.2"),
            "uniform" => vec![(Self::Uniform, 0.0, 1.0, 1.0)],
            _ => [(0.0, 0.2, 0.8), (0.2, 0.2, 0.1), (0.4, 0.6, 0.1)]
                .map(|(place, space, share)| (Self::Uniform, place, space, share))
                .to_vec(),
        }
    }

    fn source(&self, number: usize, pages: u64) -> Result<Box<dyn Source>, Error> {
        let (spec, span) = match self {
            Self::Sequential => ("sequential:requests=9e15,size_kib=4".to_owned(), pages),
            Self::Uniform => ("uniform:requests=9e15,size_kib=4".to_owned(), pages),
            Self::Zipf { exponent, .. } => {
                (format!("zipf:requests=9e15,size_kib=4,scatter=off,theta={exponent}"), ADDRESSES)
            }
        };
        from_spec(&spec, &GeneratorContext::on_drive(span * PAGE_BYTES, SEED + number as u64))
    }

    /// The page of a stream of so many for what its source drew.
    fn page(&self, drawn: u64, pages: u64) -> u64 {
        match self {
            Self::Sequential | Self::Uniform => drawn,
            Self::Zipf { scale, .. } => {
                let rank = drawn / scale;
                ((u128::from(rank.wrapping_mul(SCATTER)) * u128::from(pages)) >> 64) as u64
            }
        }
    }
}

/// A stream over pages from a first one on, with its share of the writes.
#[derive(Clone, Debug)]
pub struct Stream {
    pub law: Law,
    pub first: u64,
    pub pages: u64,
    pub share: f64,
    pub id: u16,
}

/// Streams after a fill: the first of them writes its space in order, the second at random as often.
#[derive(Clone, Debug)]
pub struct Streams {
    /// Handles of the drive, each of which has taken a unit before the fill.
    pub handles: u16,
    /// Writes in all.
    pub writes: u64,
    pub streams: Vec<Stream>,
}

impl Streams {
    pub fn source(&self) -> Box<dyn Source> {
        Box::new(Running::new(self.clone()))
    }
}

/// A stream as it runs.
struct Flow {
    source: Box<dyn Source>,
    batch: Vec<Request>,
    next: usize,
}

struct Running {
    all: Streams,
    flows: Vec<Flow>,
    written: u64,
    random: u64,
}

impl Running {
    fn new(all: Streams) -> Self {
        let flow = |(number, stream): (usize, &Stream)| Flow {
            source: stream.law.source(number, stream.pages).expect("a generator of ours"),
            batch: Vec::with_capacity(1024),
            next: 0,
        };
        let flows = all.streams.iter().enumerate().map(flow).collect();
        Self { all, flows, written: 0, random: SEED }
    }

    /// The stream whose turn it is: in the fill the first, then the second, then by chance.
    fn turn(&mut self) -> usize {
        let (first, second) = (self.all.streams[0].pages, self.all.streams[1].pages);
        match self.written - u64::from(self.all.handles) {
            written if written < first => return 0,
            written if written < first + second => return 1,
            _ => {}
        }
        self.random = self.random.wrapping_add(SCATTER);
        let mixed = (self.random ^ (self.random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mut draw = (mixed ^ (mixed >> 31)) as f64 / 2f64.powi(64);
        let found = self.all.streams.iter().position(|stream| {
            draw -= stream.share;
            draw < 0.0
        });
        found.unwrap_or(0)
    }

    fn next(&mut self) -> Result<Request, Error> {
        let write = |page: u64, id| {
            let request = Request::new(Op::Write, page * PAGE_BYTES, PAGE_BYTES as u32);
            request.with_placement(Some(PlacementId(id)))
        };
        if self.written < u64::from(self.all.handles) {
            // The fill writes over it.
            return Ok(write(self.written, self.written as u16));
        }
        let turn = self.turn();
        let Flow { source, batch, next } = &mut self.flows[turn];
        if *next == batch.len() {
            source.next_batch(batch)?;
            *next = 0;
        }
        let drawn = batch[*next].offset_bytes / PAGE_BYTES;
        *next += 1;
        let Stream { law, first, pages, id, .. } = &self.all.streams[turn];
        Ok(write(first + law.page(drawn, *pages), *id))
    }
}

impl Source for Running {
    fn name(&self) -> &str {
        "streams"
    }

    fn next_batch(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        batch.clear();
        let room = (batch.capacity().max(1) as u64).min(self.all.writes - self.written);
        for _ in 0..room {
            let request = self.next()?;
            batch.push(request);
            self.written += 1;
        }
        Ok(())
    }

    fn rewind(&mut self) -> Result<(), Error> {
        *self = Self::new(self.all.clone());
        Ok(())
    }

    fn len_hint(&self) -> Option<u64> {
        Some(self.all.writes)
    }

    fn is_synthetic(&self) -> bool {
        true
    }
}
