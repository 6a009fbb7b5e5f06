//! Classes of the host's queues at dies: which of its reads, and which of its programs, goes first. Of programs of one block
//! no more than one waits for the die, because the pages of a block are written one after the other.

use super::die::Die;
use super::flin::{Flin, is_of_host};
use super::rules::{HOST_READ, HOST_WRITE};
use super::slab::Slab;
use crate::engine::requests::{Finished, Requests};
use crate::ids::{ById, DieId};
use crate::nand::command::{Cause, RequestId};
use crate::schema::{Config, DieClasses, QueueClass};

/// From one turn to the next of a class that has one in a round.
const ROUND: u64 = 1 << 32;
/// The tag of what goes before all others, and the first of these.
const FIRST: u64 = 0;
/// The tag of what goes behind all others.
const LAST: u64 = u64::MAX;
/// Priorities in which classes take turns: host reads, and host writes with what these wait for.
const SHARED: [u8; 2] = [HOST_READ, HOST_WRITE];

/// What an operation is to those that wait with it.
#[derive(Debug, Clone, Copy)]
struct Rank {
    class: QueueClass,
    /// Those with lower tags go first; `None`: it has not waited.
    tag: Option<u64>,
}

/// The turns of classes at a die in one priority, by the tags of start-time fair queueing. An operation's tag is the last tag of its class
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
    /// By stream: its queue, and the class of that.
    of_streams: Vec<Option<(u32, QueueClass)>>,
    /// Queues that have a name.
    named: u32,
    /// From one turn of a class to the next; `None`: a class waits for those above it.
    steps: Option<[u64; QueueClass::ALL.len()]>,
    /// Of operations, at their indices.
    ranks: Vec<Rank>,
    turns: ById<DieId, [Turns; SHARED.len()]>,
    flin: Option<Flin>,
}

impl Classes {
    /// Those of a configuration; `None`: dies know of no classes.
    pub fn new(config: &Config, dies: u32) -> Option<Self> {
        let mut of_streams = Vec::new();
        for (number, queue) in (0..).zip(config.host.queue.values()) {
            for &stream in &queue.streams {
                let stream = stream as usize;
                of_streams.resize(of_streams.len().max(stream + 1), None);
                of_streams[stream] = Some((number, queue.class));
            }
        }
        let by_class = config.drive.scheduling.by_class;
        let steps = match by_class {
            DieClasses::None => return None,
            DieClasses::Strict => None,
            DieClasses::Weighted | DieClasses::Flin => {
                let mut steps = [0; QueueClass::ALL.len()];
                for (step, &weight) in steps[1..].iter_mut().zip(&config.host.class_weights) {
                    *step = ROUND / (u64::from(weight) + 1);
                }
                Some(steps)
            }
        };
        Some(Self {
            of_streams,
            named: config.host.queue.len() as u32,
            steps,
            ranks: Vec::new(),
            turns: (0..dies).map(|_| [Turns::NONE_YET; SHARED.len()]).collect(),
            flin: (by_class == DieClasses::Flin).then(|| Flin::new(config, dies)),
        })
    }

    /// The queue in which a request stands, and its class.
    fn queue_of(&self, request: &Finished) -> (u32, QueueClass) {
        let stream = request.stream;
        let own = self.of_streams.get(stream as usize).copied().flatten();
        own.unwrap_or((self.named.saturating_add(stream), QueueClass::Medium))
    }

    /// An operation is issued for which these requests wait. It has the highest of their classes, or the medium one if no
    /// request waits. Reads of the map are urgent.
    pub fn issued(
        &mut self,
        index: u32,
        waiters: &[RequestId],
        requests: &Requests,
        slab: &Slab,
        now_ns: u64,
    ) {
        let entry = slab.get(index);
        let of = waiters.iter().map(|&id| requests.of(id)).filter(|of| of.has_stream());
        let queue = of.map(|of| self.queue_of(of)).min_by_key(|&(_, class)| class as u8);
        let class = match entry.op.cause {
            Cause::Mapping => QueueClass::Urgent,
            _ => queue.map_or(QueueClass::Medium, |(_, class)| class),
        };
        let mut rank = Rank { class, tag: None };
        if let Some(flin) = &mut self.flin
            && SHARED.contains(&entry.class)
        {
            let is_collected = entry.class == HOST_WRITE && !is_of_host(entry);
            rank.tag = is_collected.then_some(LAST);
            let flow = queue.map(|(queue, _)| queue).filter(|_| is_of_host(entry));
            flin.issued(index, flow, slab, now_ns);
        }
        let index = index as usize;
        if self.ranks.len() <= index {
            self.ranks.resize(index + 1, rank);
        }
        self.ranks[index] = rank;
    }

    /// The tag of an operation of one of the priorities that are shared.
    fn tag(&mut self, die: DieId, shared: usize, index: u32) -> u64 {
        let Rank { class, tag } = &mut self.ranks[index as usize];
        let turns = &mut self.turns[die][shared];
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

    /// An operation joins those of its priority that wait for its die, behind its own class and higher ones, or where
    /// FLIN says. False where classes are nothing to that priority.
    pub fn line_up(
        &mut self,
        die: &mut Die,
        priority: u8,
        index: u32,
        slab: &mut Slab,
        now_ns: u64,
    ) -> bool {
        let Some(shared) = SHARED.iter().position(|&it| it == priority) else { return false };
        let own = (self.tag(die.id, shared, index), slab.get(index).number);
        let ranks = &self.ranks;
        die.queues.sort_in_by(priority, index, slab, |other, slab| {
            let rank = ranks[other as usize];
            own < (rank.tag.unwrap_or(FIRST), slab.get(other).number)
        });
        if own.0 != LAST {
            self.move_forward(die, priority, index, slab, now_ns);
        }
        true
    }

    /// Moves an operation to the place that FLIN gives it within its class. Those that it passes exchange turns with it.
    fn move_forward(
        &mut self,
        die: &mut Die,
        priority: u8,
        index: u32,
        slab: &mut Slab,
        now_ns: u64,
    ) {
        let Some(flin) = &mut self.flin else { return };
        let ranks = &mut self.ranks;
        let class = ranks[index as usize].class;
        let is_like = |other: u32| {
            let rank = ranks[other as usize];
            rank.class == class && rank.tag != Some(LAST)
        };
        let mut order: Vec<u32> = die.queues.of_class(priority, slab).collect();
        let turns: Vec<usize> = (0..order.len()).filter(|&at| is_like(order[at])).collect();
        let mut alike: Vec<u32> = turns.iter().map(|&at| order[at]).collect();
        let tags: Vec<Option<u64>> = alike.iter().map(|&it| ranks[it as usize].tag).collect();
        alike.retain(|&other| other != index);
        alike.insert(flin.place(die, &alike, index, slab, now_ns), index);
        for ((at, tag), next) in turns.into_iter().zip(tags).zip(alike) {
            ranks[next as usize].tag = tag;
            order[at] = next;
        }
        die.queues.put_in_order(priority, &order, slab);
    }

    /// What an idle die takes up.
    pub fn take(&mut self, die: &mut Die, slab: &mut Slab, now_ns: u64) -> Option<u32> {
        let balanced = self.flin.as_mut().and_then(|flin| flin.take(die, slab, now_ns));
        balanced.or_else(|| die.queues.pop(slab))
    }

    /// A die takes up an operation.
    pub fn begins(&mut self, die: DieId, index: u32, slab: &Slab) {
        let priority = slab.get(index).class;
        if let Some(shared) = SHARED.iter().position(|&it| it == priority) {
            let tag = self.tag(die, shared, index);
            let turns = &mut self.turns[die][shared];
            if tag != LAST {
                turns.now = turns.now.max(tag);
            }
            if let Some(flin) = &mut self.flin {
                flin.begins(index, slab);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::slab::Turn;
    use super::*;
    use crate::engine::scheduler::{FlashOp, Source};
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
            let (mut slab, mut die) = (Slab::default(), Die::default());
            let mut requests = Requests::default();
            let (mut now, mut next) = (1, [1; 4]);
            let mut waiting: Vec<(u64, u64, u32)> = Vec::new();
            for (step, class) in steps {
                if step < 2 {
                    waiting.sort_unstable();
                    let first = (!waiting.is_empty()).then(|| waiting.remove(0));
                    prop_assert_eq!(classes.take(&mut die, &mut slab, 0), first.map(|it| it.2));
                    if let Some((tag, _, index)) = first {
                        classes.begins(DIE, index, &slab);
                        now = now.max(tag);
                    }
                    continue;
                }
                let read = Request::new(Op::Read, 0, 4096).of_stream(class as u32);
                let (id, handle) = (requests.start(&read, 0), slab.next_handle(&READ));
                let index = handle.index();
                slab.add(handle, &READ, HOST_READ, Turn::default(), &[], 0);
                classes.issued(index, &[id], &requests, &slab, 0);
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
                    classes.begins(DIE, index, &slab);
                    now = now.max(tag);
                } else {
                    prop_assert!(classes.line_up(&mut die, HOST_READ, index, &mut slab, 0));
                    waiting.push((tag, slab.get(index).number, index));
                }
            }
        }
    }

    #[test]
    fn operations_have_the_class_of_whoever_waits_for_them() {
        let mut classes = Classes::new(&config(DieClasses::Strict, [3, 1, 0]), 1).expect("asked");
        let mut requests = Requests::default();
        let read = |stream| Request::new(Op::Read, 0, 4096).of_stream(stream);
        let (low, high) = (requests.start(&read(3), 0), requests.start(&read(1), 0));
        let [unit, own, others] = [Some(3), None, Some(7)].map(|of| requests.start_unit(0, of));
        let map = FlashOp { cause: Cause::Mapping, ..READ };
        let mut class_of = |op: &FlashOp, waiters: &[RequestId]| {
            let mut slab = Slab::default();
            let handle = slab.next_handle(op);
            slab.add(handle, op, HOST_READ, Turn::default(), &[], 0);
            classes.issued(0, waiters, &requests, &slab, 0);
            classes.ranks[0].class
        };
        assert_eq!(class_of(&READ, &[low]), QueueClass::Low);
        assert_eq!(class_of(&READ, &[low, high]), QueueClass::High);
        assert_eq!(class_of(&READ, &[unit]), QueueClass::Low);
        assert_eq!(class_of(&READ, &[own]), QueueClass::Medium);
        // A stream that no queue names.
        assert_eq!(class_of(&READ, &[unit, others]), QueueClass::Medium);
        assert_eq!(class_of(&map, &[low]), QueueClass::Urgent);
    }
}
