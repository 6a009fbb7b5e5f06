//! Requests that stand in a queue, in the order in which they leave it.

use crate::schema::WindowOrder;
use std::collections::BTreeMap;
use wordline_trace::Request;

/// The requests of a queue that the drive has not taken yet.
#[derive(Debug)]
pub(super) struct Held {
    order: WindowOrder,
    /// Those that wait, and when they arrived, by place in the order and number.
    held: BTreeMap<(u64, u64), (Request, u64)>,
    /// Place in the order of the request that left last.
    last: u64,
    arrived: u64,
}

impl Held {
    /// An empty queue.
    pub fn new(order: WindowOrder) -> Self {
        Self { order, held: BTreeMap::new(), last: 0, arrived: 0 }
    }

    /// A request joins them.
    pub fn hold(&mut self, request: Request, arrival_ns: u64) {
        let key = (self.place(&request), self.arrived);
        self.arrived += 1;
        self.held.insert(key, (request, arrival_ns));
    }

    /// When the request arrived that leaves next.
    pub fn arrival_ns(&self) -> Option<u64> {
        Some(self.held[&self.next_key()?].1)
    }

    /// The request that leaves next, and when it arrived.
    pub fn next(&mut self) -> Option<(Request, u64)> {
        let key = self.next_key()?;
        self.last = key.0;
        self.held.remove(&key)
    }

    fn next_key(&self) -> Option<(u64, u64)> {
        let above = self.held.range((self.last, 0)..).next();
        Some(*above.or_else(|| self.held.first_key_value())?.0)
    }

    fn place(&self, request: &Request) -> u64 {
        match self.order {
            WindowOrder::Arrival => 0,
            WindowOrder::CLook => request.offset_bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_trace::Op;

    fn order_of(order: WindowOrder) -> Vec<(u64, u64)> {
        let mut queue = Held::new(order);
        let request = |offset_bytes| Request::new(Op::Read, offset_bytes, 512);
        queue.hold(request(5000), 0);
        queue.next();
        for (at_ns, offset_bytes) in [(1, 9000), (2, 3000), (3, 5000), (4, 7000), (5, 3000)] {
            queue.hold(request(offset_bytes), at_ns);
        }
        std::iter::from_fn(|| queue.next()).map(|(next, ns)| (next.offset_bytes, ns)).collect()
    }

    #[test]
    fn requests_leave_upwards_from_the_last_and_then_from_the_lowest() {
        let expected = [(5000, 3), (7000, 4), (9000, 1), (3000, 2), (3000, 5)];
        assert_eq!(order_of(WindowOrder::CLook), expected);
    }

    #[test]
    fn requests_leave_as_they_came() {
        let expected = [(9000, 1), (3000, 2), (5000, 3), (7000, 4), (3000, 5)];
        assert_eq!(order_of(WindowOrder::Arrival), expected);
    }
}
