//! Every adapter does what a plain list of requests would have done.

use std::collections::HashMap;

use super::*;
use crate::{
    Error, GeneratorContext, Op, PlacementId, Position, Request, Skipped, Source, from_spec,
};
use proptest::prelude::*;

/// A list as a source; it can go on anywhere if `seeks`.
struct List {
    requests: Vec<Request>,
    next: usize,
    seeks: bool,
}

impl Source for List {
    fn name(&self) -> &str {
        "list"
    }

    fn next_batch(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        batch.clear();
        let end = (self.next + batch.capacity().max(1)).min(self.requests.len());
        batch.extend_from_slice(&self.requests[self.next..end]);
        self.next = end;
        Ok(())
    }

    fn rewind(&mut self) -> Result<(), Error> {
        self.next = 0;
        Ok(())
    }

    fn seek(&mut self, position: Position) -> Result<bool, Error> {
        if self.seeks {
            self.next = match position {
                Position::Request(number) => (number as usize).min(self.requests.len()),
                Position::Time(ns) => self.requests.partition_point(|r| r.arrival_ns < ns),
            };
        }
        Ok(self.seeks)
    }

    fn len_hint(&self) -> Option<u64> {
        Some(self.requests.len() as u64)
    }

    fn skipped(&self) -> &[Skipped] {
        &[Skipped { reason: "odd", count: 2, is_missed: true }]
    }

    fn is_synthetic(&self) -> bool {
        false
    }
}

fn list(requests: &[Request]) -> Box<dyn Source> {
    Box::new(List { requests: requests.to_vec(), next: 0, seeks: false })
}

/// All requests, twice: what comes after a rewind is the same. None where none is left.
fn all(mut source: Box<dyn Source>, batch: usize) -> Vec<Request> {
    let mut rounds = Vec::new();
    for _ in 0..2 {
        let (mut requests, mut part) = (Vec::new(), Vec::with_capacity(batch));
        loop {
            match source.next_batch(&mut part) {
                Ok(()) if !part.is_empty() => requests.extend_from_slice(&part),
                Ok(()) => break,
                Err(error) => {
                    assert!(error.what.contains("no request is left"), "{error}");
                    assert!(requests.is_empty());
                    break;
                }
            }
        }
        rounds.push(requests);
        source.rewind().expect("rewound");
    }
    assert_eq!(rounds[0], rounds[1]);
    rounds.swap_remove(0)
}

fn applied(shape: &Shape, traces: &[Vec<Request>], batch: usize) -> Vec<Request> {
    let sources = traces.iter().map(|trace| list(trace)).collect();
    all(shape.apply(sources).expect("a shape"), batch)
}

fn together() -> Shape {
    Shape { layout: Layout::Together, ..Shape::default() }
}

fn trace() -> impl Strategy<Value = Vec<Request>> {
    let one = (0u64..40, 0u64..1 << 22, 1u32..100_000, 0u32..4);
    prop::collection::vec(one, 1..60).prop_map(|all| {
        let mut now_ns = 0;
        let mut request = |(i, (gap_ns, offset_bytes, size_bytes, stream))| {
            now_ns += if i == 0 { 0 } else { gap_ns };
            Request::new(Op::Write, offset_bytes, size_bytes).at(now_ns).of_stream(stream)
        };
        all.into_iter().enumerate().map(&mut request).collect()
    })
}

fn from_zero(mut requests: Vec<Request>) -> Vec<Request> {
    let first_ns = requests.first().map_or(0, |first| first.arrival_ns);
    requests.iter_mut().for_each(|request| request.arrival_ns -= first_ns);
    requests
}

#[test]
fn workloads_without_times_take_turns() {
    let of = |bytes: u32| format!("sequential:requests=3,size_kib={bytes}");
    let context = GeneratorContext::on_drive(1 << 20, 1);
    let sources = [1, 2].map(|kib| from_spec(&of(kib), &context).expect("a generator"));
    let mut source = together().apply(sources.into()).expect("a shape");
    for _ in 0..2 {
        let mut batch = Vec::with_capacity(8);
        source.next_batch(&mut batch).expect("requests");
        let streams: Vec<u32> = batch.iter().map(|request| request.stream).collect();
        assert_eq!(streams, [0, 1, 0, 1, 0, 1]);
        source.rewind().expect("it goes back");
    }
}

proptest! {
    #[test]
    fn a_part_is_what_lies_within(
        trace in trace(), from_ns in 0u64..500, length_ns in 1u64..900, first in 1u64..70,
        batch in 1usize..9, seeks: bool,
    ) {
        let until_ns = from_ns + length_ns;
        let shape = Shape { from_ns, until_ns: Some(until_ns), first: Some(first), ..together() };
        let source = Box::new(List { requests: trace.clone(), next: 0, seeks });
        let found = all(shape.apply(vec![source]).expect("a shape"), batch);
        let within = |request: &Request| (from_ns..until_ns).contains(&request.arrival_ns);
        let expected: Vec<Request> =
            trace.into_iter().filter(within).take(first as usize).collect();
        prop_assert_eq!(found, from_zero(expected));
    }

    #[test]
    fn volumes_are_chosen(
        trace in trace(), volumes in prop::collection::vec(0u32..5, 1..4), batch in 1usize..9,
    ) {
        let shape = Shape { volumes: volumes.clone(), ..together() };
        let found = applied(&shape, std::slice::from_ref(&trace), batch);
        let chosen = |request: &Request| volumes.contains(&request.stream);
        prop_assert_eq!(found, from_zero(trace.into_iter().filter(chosen).collect()));
    }

    #[test]
    fn workloads_are_merged_by_time(
        traces in prop::collection::vec(trace(), 2..4), batch in 1usize..9,
    ) {
        let found = applied(&together(), &traces, batch);
        let mut expected: Vec<(usize, Request)> = traces
            .iter()
            .enumerate()
            .flat_map(|(i, trace)| trace.iter().map(move |&request| (i, request)))
            .collect();
        expected.sort_by_key(|(_, request)| request.arrival_ns);
        let mut numbers = HashMap::new();
        let expected: Vec<Request> = expected
            .into_iter()
            .map(|(i, request)| {
                let next = numbers.len() as u32;
                let stream = *numbers.entry((i, request.stream)).or_insert(next);
                Request { stream, ..request }
            })
            .collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn a_stream_alone_is_what_it_is_among_all(
        traces in prop::collection::vec(trace(), 2..4), stream in 0u32..5, batch in 1usize..9,
    ) {
        let whole = applied(&Shape::default(), &traces, batch);
        let alone = applied(&Shape { streams: vec![stream], ..Shape::default() }, &traces, batch);
        let own: Vec<Request> = whole.into_iter().filter(|it| it.stream == stream).collect();
        prop_assert_eq!(alone, own);
    }

    #[test]
    fn volumes_side_by_side_never_meet(
        traces in prop::collection::vec(trace(), 1..3), batch in 1usize..9,
    ) {
        let before = applied(&together(), &traces, batch);
        let sources = traces.iter().map(|trace| list(trace)).collect();
        let mut source = Shape::default().apply(sources).expect("a shape");
        let mut after = Vec::new();
        let mut part = Vec::with_capacity(batch);
        while source.next_batch(&mut part).is_ok() && !part.is_empty() {
            after.extend_from_slice(&part);
        }
        let placed = source.placed();
        prop_assert_eq!(before.len(), after.len());
        if placed.is_empty() {
            prop_assert!(before.iter().all(|request| request.stream == before[0].stream));
            prop_assert_eq!(before, after);
            return Ok(());
        }
        for pair in placed.windows(2) {
            prop_assert!(pair[0].first_byte + pair[0].bytes <= pair[1].first_byte);
            prop_assert_eq!(pair[1].first_byte % (1 << 20), 0);
        }
        for (old, new) in before.iter().zip(&after) {
            let range = placed.iter().find(|p| p.stream == old.stream).expect("placed");
            prop_assert_eq!(new.offset_bytes, old.offset_bytes + range.first_byte);
            let end = old.offset_bytes + u64::from(old.size_bytes);
            prop_assert!(end <= range.bytes);
            let back = Request { offset_bytes: old.offset_bytes, ..*new };
            prop_assert_eq!(back, *old);
        }
        source.rewind().expect("rewound");
        source.next_batch(&mut part).expect("no failure");
        prop_assert_eq!(&part[..], &after[..part.len()]);
    }

    #[test]
    fn rounds_follow_one_another(trace in trace(), repeat in 1u64..5, batch in 1usize..9) {
        let shape = Shape { repeat, ..together() };
        let found = applied(&shape, std::slice::from_ref(&trace), batch);
        let last_ns = trace.last().expect("a request").arrival_ns;
        let period_ns = last_ns + last_ns / (trace.len() as u64 - 1).max(1);
        let expected: Vec<Request> = (0..repeat)
            .flat_map(|round| {
                let shift_ns = round * period_ns;
                trace.iter().map(move |r| Request { arrival_ns: r.arrival_ns + shift_ns, ..*r })
            })
            .collect();
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn a_survey_takes_the_quick_way_where_there_is_one() {
    let request =
        |i: u64| Request::new(Op::Read, i << 12, 4096).at(i).of_stream(u32::from(i >= 90));
    let requests: Vec<Request> = (0..100).map(request).collect();
    let mut expected = requests.clone();
    expected[90..].iter_mut().for_each(|request| request.offset_bytes += 1 << 20);
    for seeks in [false, true] {
        let source = Box::new(List { requests: requests.clone(), next: 0, seeks });
        let shaped = Shape::default().apply(vec![source]).expect("a shape");
        assert_eq!(all(shaped, 7), expected);
    }
}

/// A workload that was begun again before its second volume was met has handed out nothing yet.
#[test]
fn a_survey_after_a_new_beginning_goes_on_from_there() {
    let request =
        |i: u64| Request::new(Op::Write, i << 12, 4096).at(i).of_stream(u32::from(i >= 7));
    let requests: Vec<Request> = (0..10).map(request).collect();
    let mut source = Shape::default().apply(vec![list(&requests)]).expect("a shape");
    let mut batch = Vec::with_capacity(3);
    source.next_batch(&mut batch).expect("a batch");
    assert_eq!(batch, requests[..3]);
    source.rewind().expect("rewound");
    let mut found = Vec::new();
    while source.next_batch(&mut batch).is_ok() && !batch.is_empty() {
        found.extend(batch.iter().map(|request| request.arrival_ns));
    }
    assert_eq!(found, (0..10).collect::<Vec<_>>());
}

#[test]
fn joined_volumes_keep_their_names() {
    let request = |stream| Request::new(Op::Read, 0, 1).of_stream(stream);
    let sources = vec![list(&[request(7), request(3)]), list(&[request(3)])];
    let mut source = Shape::default().apply(sources).expect("a shape");
    source.next_batch(&mut Vec::with_capacity(9)).expect("no failure");
    assert_eq!(source.stream_names(), ["list:7", "list:3", "list:3"]);
    let ranges: Vec<u64> = source.placed().iter().map(|placed| placed.first_byte).collect();
    assert_eq!(ranges, [0, 1 << 20, 2 << 20]);
}

/// However many batches are asked for, what the sources passed over is told as they tell it.
#[test]
fn records_that_were_passed_over_are_counted_once() {
    let request = Request::new(Op::Read, 0, 1);
    let mut source =
        Shape::default().apply(vec![list(&[request; 3]), list(&[request])]).expect("a shape");
    let mut batch = Vec::with_capacity(1);
    for _ in 0..3 {
        source.next_batch(&mut batch).expect("no failure");
        let told: Vec<_> = source.skipped().iter().map(|it| (it.reason, it.count)).collect();
        assert_eq!(told, [("odd", 4)]);
    }
}

#[test]
fn time_is_stretched() {
    let request = |ns| Request::new(Op::Read, 0, 1).at(ns);
    let shape = Shape { time_scale: 0.25, ..together() };
    let found = applied(&shape, &[vec![request(0), request(5), request(1 << 40)]], 2);
    assert_eq!(found, [request(0), request(1), request(1 << 38)]);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = |shape: Shape, sources: Vec<Box<dyn Source>>| {
        shape.apply(sources).err().expect("refused").what
    };
    assert!(refused(together(), Vec::new()).contains("no workload"));
    let backwards = Shape { from_ns: 5, until_ns: Some(5), ..together() };
    assert!(refused(backwards, vec![list(&[])]).contains("ends before it begins"));
    // Two volumes that each reach to the end of what can be addressed.
    let far = |stream| Request::new(Op::Read, (1 << 63) - 512, 512).of_stream(stream);
    let mut source = Shape::default().apply(vec![list(&[far(0), far(1)])]).expect("a shape");
    let error = source.next_batch(&mut Vec::with_capacity(4)).expect_err("too large");
    assert!(error.what.contains("2 volumes side by side"), "{error}");
}

/// Whether anything arrives later than at 0 is known of generators, and looked up of lists, which then
/// begin again.
#[test]
fn times_are_found_wherever_they_are() {
    let at = |arrival_ns| Request::new(Op::Write, 0, 512).at(arrival_ns);
    let still = vec![at(0); 10_000];
    let late: Vec<Request> = still.iter().copied().chain([at(5)]).collect();
    let of = |interval_us: u64| {
        let spec = format!("uniform:requests=9e15,interval_us={interval_us}");
        crate::from_spec(&spec, &crate::GeneratorContext::on_drive(1 << 26, 1)).expect("valid")
    };
    let found = |sources| {
        let shape = Shape { first: Some(10_001), ..Shape::default() };
        let mut source = shape.apply(sources).expect("a shape");
        let found = crate::has_times(&mut *source).expect("no malformed record");
        let mut first = Vec::with_capacity(1);
        source.next_batch(&mut first).expect("a request");
        assert_eq!(first[0].arrival_ns, 0, "it begins again");
        found
    };
    assert!(!found(vec![list(&still)]));
    assert!(found(vec![list(&late)]));
    // Reading these to their end would take days.
    assert!(!found(vec![of(0)]) && found(vec![of(1)]));
    assert!(!found(vec![of(0), of(0)]) && found(vec![of(0), of(1)]));
    assert!(found(vec![list(&still), of(1)]));
}

#[test]
fn writes_carry_the_identifiers_of_a_rule() {
    let write = |offset_bytes, size_bytes, stream| {
        Request::new(Op::Write, offset_bytes, size_bytes).of_stream(stream)
    };
    let given = Request { placement: Some(PlacementId(9)), ..write(100, 4096, 70_000) };
    let read = Request::new(Op::Read, 0, 512);
    let trace = vec![write(0, 512, 0), write(99, 4097, 3), read, given];
    let ids = |placement: Placing| {
        let shape = Shape { placement, ..together() };
        let ids = |request: &Request| request.placement.map(|PlacementId(id)| id);
        applied(&shape, std::slice::from_ref(&trace), 3).iter().map(ids).collect::<Vec<_>>()
    };
    assert_eq!(ids(Placing::AsGiven), [None, None, None, Some(9)]);
    assert_eq!(ids(Placing::ByStream), [Some(0), Some(3), None, Some(65_535)]);
    assert_eq!(ids(Placing::BySize(vec![512, 4096])), [Some(0), Some(2), None, Some(1)]);
    let lines = ["99,100, 7", "0, 100, 1"].map(str::to_owned).to_vec();
    assert_eq!(ids(Placing::ByRange(lines)), [Some(1), Some(7), None, Some(0)]);
}

#[test]
fn rules_of_placement_that_cannot_be_followed_are_refused() {
    let refusal = |placement| {
        let shape = Shape { placement, ..together() };
        shape.apply(vec![list(&[])]).err().expect("refused").to_string()
    };
    assert!(refusal(Placing::BySize(vec![8, 8])).contains("rising order"));
    let lines = |line: &str| Placing::ByRange(vec!["0, 1, 0".to_owned(), line.to_owned()]);
    for line in ["", "1, 2", "1, 2, 65536", "2, 2, 0", "1, 2, 3, 4", "a, 2, 3"] {
        let message = refusal(lines(line));
        assert!(message.contains(&format!("range 2: `{line}` is no range")), "{message}");
    }
    assert!(refusal(Placing::ByRange(Vec::new())).contains("no range"));
}
