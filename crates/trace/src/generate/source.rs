//! A generator as a source of requests.

use super::pattern::Pattern;
use super::space::Extent;
use super::traffic::Traffic;
use crate::{Error, Op, Request, Source};

/// Requests that go where `P` says.
pub(super) struct Generator<P> {
    name: String,
    first: State<P>,
    now: State<P>,
}

#[derive(Clone)]
struct State<P> {
    pattern: P,
    traffic: Traffic,
}

impl<P: Pattern> Generator<P> {
    pub fn new(name: &str, pattern: P, traffic: Traffic) -> Self {
        let first = State { pattern, traffic };
        Self { name: name.to_owned(), now: first.clone(), first }
    }
}

impl<P: Pattern> State<P> {
    #[inline]
    fn next(&mut self) -> Request {
        let op = self.traffic.mix.next();
        self.traffic.end.count(op);
        if op == Op::Flush {
            // It has no address: the other requests go where they would go without it.
            return Request::flush(self.traffic.arrivals.next_ns(), 0);
        }
        let size_bytes = self.traffic.sizes.next_bytes();
        let Extent { offset_bytes, size_bytes } = self.pattern.next(size_bytes);
        let arrival_ns = self.traffic.arrivals.next_ns();
        self.traffic.hinted(Request::new(op, offset_bytes, size_bytes).at(arrival_ns))
    }
}

impl<P: Pattern> Source for Generator<P> {
    fn name(&self) -> &str {
        &self.name
    }

    fn next_batch(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        batch.clear();
        let room = batch.capacity().max(1);
        while batch.len() < room && !self.now.traffic.end.reached() {
            batch.push(self.now.next());
        }
        Ok(())
    }

    fn rewind(&mut self) -> Result<(), Error> {
        self.now = self.first.clone();
        Ok(())
    }

    fn len_hint(&self) -> Option<u64> {
        Some(self.first.traffic.end.requests_hint)
    }

    fn uniform_span_bytes(&self) -> Option<u64> {
        self.first.pattern.uniform_span_bytes()
    }

    fn has_times(&self) -> Option<bool> {
        Some(self.first.traffic.arrivals.has_gaps())
    }

    fn is_synthetic(&self) -> bool {
        true
    }
}
