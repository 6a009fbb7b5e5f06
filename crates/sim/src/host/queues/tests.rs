//! Queues against a look at all of them, and against what NVM Express says of turns.

use super::*;
use crate::schema::{Arbitration, QueueConfig, Streams};
use proptest::prelude::*;
use wordline_trace::Op;

fn request(stream: u32) -> Request {
    Request::new(Op::Read, 0, 4096).of_stream(stream)
}

/// A closed loop of streams with a queue each.
fn each(depth: u64, change: impl FnOnce(&mut HostConfig)) -> Queues {
    let mut host = HostConfig {
        mode: HostMode::Closed,
        streams: Streams::Each,
        queue_depth: depth,
        ..HostConfig::default()
    };
    change(&mut host);
    Queues::new(&host).expect("a closed loop")
}

#[test]
fn the_stream_whose_slot_has_been_free_the_longest_goes_first() {
    let mut queues = each(1, |_| {});
    for (stream, end_ns) in [(0, 700), (1, 300), (2, 500)] {
        queues.wait(request(stream));
        queues.next().expect("its slot is free");
        queues.will_end(stream, end_ns);
        queues.wait(request(stream));
    }
    assert!(queues.next().is_none(), "no slot is free");
    (0..3).for_each(|_| queues.free());
    let order: Vec<(u32, u64, u64)> = std::iter::from_fn(|| queues.next())
        .map(|(it, ns, at_ns)| (it.stream, ns, at_ns))
        .collect();
    assert_eq!(order, [(1, 300, 300), (2, 500, 500), (0, 700, 700)]);
    assert_eq!(queues.waiting(), 0);
}

/// Which streams have their requests taken, of so many that all have more, where one goes as another ends.
fn taken(queues: &mut Queues, streams: u32, count: usize) -> Vec<u32> {
    for stream in 0..streams {
        (0..count).for_each(|_| queues.wait(request(stream)));
    }
    let mut taken = Vec::new();
    let mut now_ns = 0;
    while taken.len() < count {
        match queues.next() {
            Some((next, arrival_ns, leaves_ns)) => {
                assert!(arrival_ns <= leaves_ns && leaves_ns == now_ns);
                taken.push(next.stream);
                now_ns += 10;
                queues.will_end(next.stream, now_ns);
            }
            None => queues.free(),
        }
    }
    taken
}

#[test]
fn queues_take_turns_with_their_bursts() {
    for burst in 1..5 {
        let mut queues = each(64, |host| {
            (host.fetch_limit, host.arbitration_burst) = (1, burst);
        });
        let expected: Vec<u32> = (0..60).map(|n| (n / burst % 3) as u32).collect();
        assert_eq!(taken(&mut queues, 3, 60), expected, "{burst}");
    }
}

/// Classes, from urgent to low, with weights 7, 3 and 1 as the standard counts them.
fn weighted(of_streams: &[QueueClass]) -> Queues {
    each(64, |host| {
        (host.fetch_limit, host.arbitration) = (1, Arbitration::Weighted);
        host.class_weights = vec![7, 3, 1];
        for (stream, &class) in (0..).zip(of_streams) {
            let queue = QueueConfig { streams: vec![stream], class, ..QueueConfig::default() };
            host.queue.insert(stream.to_string(), queue);
        }
    })
}

#[test]
fn classes_share_as_their_weights_say() {
    let mut queues = weighted(&[QueueClass::Low, QueueClass::High, QueueClass::Medium]);
    let taken = taken(&mut queues, 3, 14 * 20);
    let count = |stream| taken.iter().filter(|&&it| it == stream).count();
    assert_eq!([1, 2, 0].map(count), [8 * 20, 4 * 20, 2 * 20]);
    // Queues of one class share what it has.
    let mut queues = weighted(&[QueueClass::Low, QueueClass::High, QueueClass::High]);
    let taken = taken_of(&mut queues, 10 * 20);
    assert_eq!(taken, [2 * 20, 4 * 20, 4 * 20]);
}

fn taken_of(queues: &mut Queues, count: usize) -> [usize; 3] {
    let taken = taken(queues, 3, count);
    [0, 1, 2].map(|stream| taken.iter().filter(|&&it| it == stream).count())
}

#[test]
fn an_urgent_queue_goes_before_all_others() {
    let mut queues = weighted(&[QueueClass::High, QueueClass::Urgent, QueueClass::Medium]);
    assert_eq!(taken_of(&mut queues, 100), [0, 100, 0]);
}

/// A queue whose class has credits but no request leaves its turn to others.
#[test]
fn no_turn_waits_for_an_empty_queue() {
    let mut queues = weighted(&[QueueClass::Low, QueueClass::High, QueueClass::Medium]);
    (0..9).for_each(|_| queues.wait(request(0)));
    for n in 0..9 {
        let (next, ..) = queues.next().expect("the drive has room");
        assert_eq!(next.stream, 0);
        assert!(queues.next().is_none(), "it has room for one alone");
        queues.will_end(0, 10 * n);
        queues.free();
    }
}

#[test]
fn no_request_goes_from_a_time_on() {
    let mut queues = each(2, |host| host.until_s = 25e-9);
    let taken: Vec<u64> = {
        (0..10).for_each(|_| queues.wait(request(0)));
        let mut now_ns = 0;
        let mut taken = Vec::new();
        while queues.waiting() > 0 {
            match queues.next() {
                Some((_, arrival_ns, _)) => {
                    taken.push(arrival_ns);
                    now_ns += 10;
                    queues.will_end(0, now_ns);
                }
                None => queues.free(),
            }
        }
        taken
    };
    assert_eq!(taken, [0, 0, 10, 20]);
}

proptest! {
    #[test]
    fn the_request_goes_that_a_look_at_all_finds(
        depth in 1usize..4, window in 0u64..3, limit in 0u64..4,
        steps in prop::collection::vec((0u32..6, 0u64..50, 0u8..3), 1..300)
    ) {
        let mut queues = each(depth as u64, |host| {
            (host.window, host.fetch_limit) = (window, limit);
        });
        let mut now_ns = 0;
        // Of each stream: requests that wait for a slot, when those arrived that stand in its queue, and its ends to come.
        let mut known: Vec<(usize, VecDeque<u64>, usize)> = vec![(0, VecDeque::new(), 0); 6];
        let mut ends: Vec<(u64, u32)> = Vec::new();
        for (stream, pause_ns, step) in steps {
            now_ns += pause_ns;
            match step {
                0 => {
                    queues.wait(request(stream));
                    known[stream as usize].0 += 1;
                }
                1 => {
                    queues.free_until(now_ns);
                    ends.retain(|&(end_ns, of)| {
                        if end_ns <= now_ns {
                            known[of as usize].2 -= 1;
                        }
                        end_ns > now_ns
                    });
                }
                _ => {
                    let goes = |(at, queue): (usize, &Queue)| Some((queue.goes_ns?, at));
                    let longest = queues.queues.iter().enumerate().filter_map(goes).min();
                    let next = queues.next();
                    let has_room = limit == 0 || ends.len() < limit as usize;
                    let can_go: Vec<usize> = (0..6)
                        .filter(|&of| {
                            let (_, held, taken) = &known[of];
                            let is_free = window == 0 || *taken < window as usize;
                            has_room && is_free && !held.is_empty()
                        })
                        .collect();
                    prop_assert_eq!(next.is_some(), !can_go.is_empty());
                    if let Some((next, _, leaves_ns)) = next {
                        prop_assert!(can_go.contains(&(next.stream as usize)));
                        prop_assert!(leaves_ns <= now_ns);
                        let is_longest = longest == Some((leaves_ns, next.stream as usize));
                        prop_assert!(limit > 0 || is_longest, "{:?}", longest);
                        let of = &mut known[next.stream as usize];
                        of.1.pop_front();
                        of.2 += 1;
                        ends.push((now_ns + 10 + pause_ns, next.stream));
                        queues.will_end(next.stream, now_ns + 10 + pause_ns);
                    }
                }
            }
            for (waiting, held, taken) in &mut known {
                while *waiting > 0 && held.len() + *taken < depth {
                    *waiting -= 1;
                    held.push_back(now_ns);
                }
            }
            let waiting: usize = known.iter().map(|(waiting, held, _)| waiting + held.len()).sum();
            prop_assert_eq!(queues.waiting(), waiting);
        }
    }
}
