//! The queue of a host's driver, which has only so many requests outstanding at a time.

use crate::schema::WindowOrder;
use std::collections::BTreeMap;
use wordline_trace::Request;

/// The requests that wait until others end.
#[derive(Debug)]
pub struct Window {
    order: WindowOrder,
    /// Those that wait, and when they arrived, by place in the order and number.
    held: BTreeMap<(u64, u64), (Request, u64)>,
    /// Place in the order of the request that left last.
    last: u64,
    arrived: u64,
}

impl Window {
    /// An empty queue.
    pub fn new(order: WindowOrder) -> Self {
        Self { order, held: BTreeMap::new(), last: 0, arrived: 0 }
    }

    /// True where no request waits.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// A request has to wait.
    pub fn hold(&mut self, request: Request, arrival_ns: u64) {
        let key = (self.place(&request), self.arrived);
        self.arrived += 1;
        self.held.insert(key, (request, arrival_ns));
    }

    /// A request goes without waiting.
    pub fn passes(&mut self, request: &Request) {
        self.last = self.place(request);
    }

    /// The request that leaves next, and when it arrived.
    pub fn next(&mut self) -> Option<(Request, u64)> {
        let mut above = self.held.range((self.last, 0)..);
        let key = *above.next().or_else(|| self.held.first_key_value())?.0;
        self.last = key.0;
        self.held.remove(&key)
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
        let mut window = Window::new(order);
        let request = |offset_bytes| Request::new(Op::Read, offset_bytes, 512);
        window.passes(&request(5000));
        for (at_ns, offset_bytes) in [(1, 9000), (2, 3000), (3, 5000), (4, 7000), (5, 3000)] {
            window.hold(request(offset_bytes), at_ns);
        }
        std::iter::from_fn(|| window.next()).map(|(next, ns)| (next.offset_bytes, ns)).collect()
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
