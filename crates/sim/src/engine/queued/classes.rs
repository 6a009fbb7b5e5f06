//! Classes of the host's queues at dies: which of its reads goes first. Programs keep their order, because the pages of a
//! block are written one after the other.

use super::queues::Queues;
use super::rules::HOST_READ;
use super::slab::Slab;
use crate::engine::requests::Requests;
use crate::engine::scheduler::FlashOp;
use crate::ids::{ById, DieId};
use crate::nand::command::{Cause, RequestId};
use crate::schema::{Config, DieClasses, QueueClass};

/// From one turn to the next of a class that has one in a round.
const ROUND: u64 = 1 << 32;
/// The tag of what goes before all others, and the first of these.
const FIRST: u64 = 0;

/// What an operation is to those that wait with it.
#[derive(Debug, Clone, Copy)]
struct Rank {
    class: QueueClass,
    /// Those with lower tags go first; `None`: it has not waited.
    tag: Option<u64>,
}

/// The turns of classes at a die, by the tags of start-time fair queueing. An operation's tag is the last tag of its class
/// plus a step, or the tag of the operation that began last, if that is later.
#[derive(Debug, Clone, Copy)]
struct Turns {
    /// The tag of the operation that began last.
    now: u64,
    /// The next tags of the classes.
    next: [u64; QueueClass::ALL.len()],
}

impl Turns {
    const NONE_YET: Self = Self { now: FIRST + 1, next: [FIRST + 1; QueueClass::ALL.len()] };
}

/// Ranks of operations, by the classes of the requests that wait for them.
#[derive(Debug)]
pub struct Classes {
    of_streams: Vec<QueueClass>,
    /// From one turn of a class to the next; `None`: a class waits for those above it.
    steps: Option<[u64; QueueClass::ALL.len()]>,
    /// Of operations, at their indices.
    ranks: Vec<Rank>,
    turns: ById<DieId, Turns>,
}

impl Classes {
    /// Those of a configuration; `None`: dies know of no classes.
    pub fn new(config: &Config, dies: u32) -> Option<Self> {
        let mut of_streams = Vec::new();
        for queue in config.host.queue.values() {
            for &stream in &queue.streams {
                let stream = stream as usize;
                of_streams.resize(of_streams.len().max(stream + 1), QueueClass::Medium);
                of_streams[stream] = queue.class;
            }
        }
        let steps = match config.drive.scheduling.by_class {
            DieClasses::None => return None,
            DieClasses::Strict => None,
            DieClasses::Weighted => {
                let mut steps = [0; QueueClass::ALL.len()];
                for (step, &weight) in steps[1..].iter_mut().zip(&config.host.class_weights) {
                    *step = ROUND / (u64::from(weight) + 1);
                }
                Some(steps)
            }
        };
        let turns = (0..dies).map(|_| Turns::NONE_YET).collect();
        Some(Self { of_streams, steps, ranks: Vec::new(), turns })
    }

    fn of_stream(&self, stream: u32) -> QueueClass {
        self.of_streams.get(stream as usize).copied().unwrap_or(QueueClass::Medium)
    }

    /// An operation is issued for which these requests wait. It has the highest of their classes, or the medium one if no
    /// request waits. Reads of the map are urgent.
    pub fn issued(&mut self, index: u32, op: &FlashOp, waiters: &[RequestId], requests: &Requests) {
        let of = waiters.iter().map(|&id| requests.of(id)).filter(|of| !of.is_unit);
        let class = match op.cause {
            Cause::Mapping => QueueClass::Urgent,
            _ => {
                let classes = of.map(|of| self.of_stream(of.stream));
                classes.min_by_key(|&class| class as u8).unwrap_or(QueueClass::Medium)
            }
        };
        let index = index as usize;
        if self.ranks.len() <= index {
            self.ranks.resize(index + 1, Rank { class, tag: None });
        }
        self.ranks[index] = Rank { class, tag: None };
    }

    /// The tag of a read.
    fn tag(&mut self, die: DieId, index: u32) -> u64 {
        let Rank { class, tag } = &mut self.ranks[index as usize];
        let turns = &mut self.turns[die];
        *tag.get_or_insert_with(|| match self.steps {
            _ if *class == QueueClass::Urgent => FIRST,
            None => *class as u64,
            Some(steps) => {
                let next = &mut turns.next[*class as usize];
                let tag = turns.now.max(*next);
                *next = tag + steps[*class as usize];
                tag
            }
        })
    }

    /// A host read joins those that wait for its die, behind its own class and higher ones. False for any other
    /// operation.
    pub fn line_up(
        &mut self,
        (die, queues): (DieId, &mut Queues),
        priority: u8,
        index: u32,
        slab: &mut Slab,
    ) -> bool {
        if priority != HOST_READ {
            return false;
        }
        let own = (self.tag(die, index), slab.get(index).number);
        let ranks = &self.ranks;
        queues.sort_in_by(priority, index, slab, |other, slab| {
            let rank = ranks[other as usize];
            own < (rank.tag.unwrap_or(FIRST), slab.get(other).number)
        });
        true
    }

    /// A die takes up an operation of a priority.
    pub fn begins(&mut self, die: DieId, priority: u8, index: u32) {
        if priority == HOST_READ {
            let tag = self.tag(die, index);
            let turns = &mut self.turns[die];
            turns.now = turns.now.max(tag);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::slab::Turn;
    use super::*;
    use crate::engine::scheduler::Source;
    use crate::nand::command::NO_TICKET;
    use crate::nand::{Kind, Needs, Span};
    use crate::schema::QueueConfig;
    use proptest::prelude::*;
    use wordline_trace::{Op, Request};

    const DIE: DieId = DieId(0);
    const READ: FlashOp = FlashOp {
        kind: Kind::Read,
        needs: Needs::Programmed,
        cause: Cause::Host,
        source: Source::Controller,
        die: DIE,
        span: Span { block: crate::ids::BlockId(0), page: 0, pages: 1 },
        array_ns: 1,
        transfer_ns: 0,
        command_ns: 0,
        ticket: NO_TICKET,
        urgent: false,
    };

    /// A drive whose streams are each of the class of their number.
    fn config(by_class: DieClasses, weights: [u8; 3]) -> Config {
        let mut config = Config::default();
        config.drive.scheduling.by_class = by_class;
        config.host.class_weights = weights.to_vec();
        for &class in QueueClass::ALL {
            let streams = vec![class as u32];
            let queue = QueueConfig { streams, class, ..QueueConfig::default() };
            config.host.queue.insert(class.to_string(), queue);
        }
        config
    }

    proptest! {
        /// The read that goes is the one that a look at all of them finds; some begin at once.
        #[test]
        fn reads_go_by_their_class(
            is_weighted in any::<bool>(), weights in prop::array::uniform3(0u8..9),
            steps in prop::collection::vec((0u8..5, 0usize..4), 1..300)
        ) {
            let by_class = if is_weighted { DieClasses::Weighted } else { DieClasses::Strict };
            let mut classes = Classes::new(&config(by_class, weights), 1).expect("asked for");
            let (mut slab, mut queues) = (Slab::default(), Queues::default());
            let mut requests = Requests::default();
            let (mut now, mut next) = (1, [1; 4]);
            let mut waiting: Vec<(u64, u64, u32)> = Vec::new();
            for (step, class) in steps {
                if step < 2 {
                    waiting.sort_unstable();
                    let first = (!waiting.is_empty()).then(|| waiting.remove(0));
                    prop_assert_eq!(queues.pop(&slab), first.map(|it| it.2));
                    if let Some((tag, _, index)) = first {
                        classes.begins(DIE, HOST_READ, index);
                        now = now.max(tag);
                    }
                    continue;
                }
                let read = Request::new(Op::Read, 0, 4096).of_stream(class as u32);
                let (id, handle) = (requests.start(&read, 0), slab.next_handle(&READ));
                let index = handle.index();
                slab.add(handle, &READ, HOST_READ, Turn::default(), &[], 0);
                classes.issued(index, &READ, &[id], &requests);
                let tag = match (class, is_weighted) {
                    (0, _) => 0,
                    (_, false) => class as u64,
                    (_, true) => {
                        let tag = now.max(next[class]);
                        next[class] = tag + (1 << 32) / (u64::from(weights[class - 1]) + 1);
                        tag
                    }
                };
                if step == 4 && waiting.is_empty() {
                    classes.begins(DIE, HOST_READ, index);
                    now = now.max(tag);
                } else {
                    prop_assert!(classes.line_up((DIE, &mut queues), HOST_READ, index, &mut slab));
                    waiting.push((tag, slab.get(index).number, index));
                }
            }
        }
    }

    #[test]
    fn reads_of_the_map_are_urgent_and_units_are_of_no_stream() {
        let mut classes = Classes::new(&config(DieClasses::Strict, [3, 1, 0]), 1).expect("asked");
        let mut requests = Requests::default();
        let read = |stream| Request::new(Op::Read, 0, 4096).of_stream(stream);
        let (low, high) = (requests.start(&read(3), 0), requests.start(&read(1), 0));
        let unit = requests.start_unit(0);
        let map = FlashOp { cause: Cause::Mapping, ..READ };
        let mut class_of = |op: &FlashOp, waiters: &[RequestId]| {
            classes.issued(0, op, waiters, &requests);
            classes.ranks[0].class
        };
        assert_eq!(class_of(&READ, &[low]), QueueClass::Low);
        assert_eq!(class_of(&READ, &[low, high]), QueueClass::High);
        assert_eq!(class_of(&READ, &[unit]), QueueClass::Medium);
        assert_eq!(class_of(&map, &[low]), QueueClass::Urgent);
    }
}
