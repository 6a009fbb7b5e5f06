//! Each die works in order of arrival. An operation's times are known when it is issued, so that
//! nothing but next-free times need be kept.

use super::channel::Channel;
use super::least_loaded::LeastLoaded;
use super::requests::{Phase, Requests};
use super::scheduler::{FlashOp, Scheduler};
use crate::ids::{ById, DieId, Ids};
use crate::nand::command::{NO_TICKET, RequestId};
use crate::nand::{Geometry, Group, Kind, Load, Span};
use crate::schema::{Chips, Config};

#[derive(Debug, Clone, Default)]
struct Die {
    free_ns: u64,
    /// When its register can take the data of the next program.
    register_ns: u64,
    /// When its last program or erase is over: reads behind that are not waited for.
    changed_ns: u64,
    busy_ns: u64,
    channel: u32,
    cache_program: bool,
    cache_read: bool,
}

/// Next-free times of dies and channels.
#[derive(Debug)]
pub struct InOrder {
    now_ns: u64,
    quiet_ns: u64,
    dies: ById<DieId, Die>,
    by_free_ns: LeastLoaded,
    channels: Vec<Channel>,
}

impl InOrder {
    /// An idle drive.
    pub fn new(config: &Config, geometry: &Geometry) -> Self {
        let kinds = config.drive.kinds();
        let of_group = |(kind, group): (&Chips<'_>, &Group)| {
            let (cache_program, cache_read) = (kind.chip.cache_program, kind.chip.cache_read);
            let die = Die { cache_program, cache_read, ..Die::default() };
            group.dies.into_iter().map(move |_| die.clone())
        };
        let mut dies: ById<DieId, Die> =
            kinds.iter().zip(&geometry.groups).flat_map(of_group).collect();
        for number in dies.ids() {
            dies[number].channel = geometry.channel_of(number);
        }
        Self {
            now_ns: 0,
            quiet_ns: 0,
            by_free_ns: LeastLoaded::new(config, dies.count()),
            dies,
            channels: vec![Channel::default(); geometry.channels as usize],
        }
    }

    /// Returns when it begins and when it ends.
    #[inline]
    fn read(&mut self, op: &FlashOp, ready_ns: u64) -> (u64, u64) {
        let die = &mut self.dies[op.die];
        let channel = &mut self.channels[die.channel as usize];
        let start = ready_ns.max(die.free_ns);
        let sensed = start + op.array_ns;
        // A controller slips the short command in between transfers. Here it is booked together
        // with the data: the same time on die and channel, and no wait behind bookings to come.
        let end = match op.command_ns + op.transfer_ns {
            0 => sensed,
            length => channel.reserve(self.now_ns, sensed, length) + length,
        };
        die.busy_ns += end - start.max(die.register_ns.min(end));
        // A page is sensed into the register once the page before it has left.
        die.free_ns = if die.cache_read { sensed.max(die.register_ns) } else { end };
        die.register_ns = die.register_ns.max(end);
        (start, end)
    }

    #[inline]
    fn program(&mut self, op: &FlashOp, ready_ns: u64) -> (u64, u64) {
        let die = &mut self.dies[op.die];
        let channel = &mut self.channels[die.channel as usize];
        let register_ns = if die.cache_program { die.register_ns } else { die.free_ns };
        let ready = ready_ns.max(register_ns);
        let length = op.command_ns + op.transfer_ns;
        let loaded = match length {
            0 => ready,
            length => channel.reserve(self.now_ns, ready, length) + length,
        };
        let start = loaded.max(die.free_ns);
        let end = start + op.array_ns;
        let begin = (loaded - length).max(die.free_ns).min(start);
        die.busy_ns += end - begin.max(die.register_ns.min(end));
        die.register_ns = die.register_ns.max(start);
        (die.free_ns, die.changed_ns) = (end, end);
        (loaded - length, end)
    }

    #[inline]
    fn erase(&mut self, op: &FlashOp, ready_ns: u64) -> (u64, u64) {
        let die = &mut self.dies[op.die];
        let start = ready_ns.max(die.free_ns);
        let end = start + op.command_ns + op.array_ns;
        // The data of the page read before may still leave.
        die.busy_ns += end - start.max(die.register_ns.min(end));
        (die.free_ns, die.changed_ns) = (end, end);
        die.register_ns = die.register_ns.max(end);
        (start, end)
    }
}

impl Load for InOrder {
    #[inline]
    fn backlog_ns(&self, die: DieId) -> u64 {
        self.dies[die].free_ns.saturating_sub(self.now_ns)
    }

    fn least_loaded(&self, dies: Ids<DieId>, turn: u32) -> u32 {
        let found = self.by_free_ns.find(dies, turn, self.now_ns);
        found.unwrap_or_else(|| self.by_looking(dies, turn))
    }
}

impl Scheduler for InOrder {
    type Stamp = u64;
    type Join = u64;

    const TIMED: bool = true;

    #[inline]
    fn join(&self, join: &mut u64, stamp: u64) {
        *join = (*join).max(stamp);
    }

    #[inline]
    fn is_over(&self, stamp: u64) -> bool {
        stamp <= self.now_ns
    }

    #[inline]
    fn merge(&self, join: &mut u64, other: &u64) -> usize {
        *join = (*join).max(*other);
        0
    }

    #[inline]
    fn issue(
        &mut self,
        op: &FlashOp,
        _: &[Span],
        after: &u64,
        waiters: &[RequestId],
        requests: &mut Requests,
    ) -> u64 {
        let ready_ns = self.now_ns.max(*after);
        let (begin, end) = match op.kind {
            Kind::Read => self.read(op, ready_ns),
            Kind::Program => self.program(op, ready_ns),
            Kind::Erase => self.erase(op, ready_ns),
        };
        self.by_free_ns.set(op.die, || self.dies[op.die].free_ns);
        self.quiet_ns = self.quiet_ns.max(end);
        if op.ticket != NO_TICKET {
            requests.notice(op.ticket, Phase::Begun, begin);
            requests.notice(op.ticket, Phase::Ended, end);
        }
        for &id in waiters {
            requests.part_done(id, end);
        }
        end
    }

    fn wait(&mut self, after: &u64, id: RequestId, requests: &mut Requests) {
        requests.part_done(id, self.now_ns.max(*after));
    }

    #[inline]
    fn advance(&mut self, to_ns: u64, _: &mut Requests) {
        self.now_ns = self.now_ns.max(to_ns);
    }

    fn now_ns(&self) -> u64 {
        self.now_ns
    }

    fn step(&mut self, _: u64, _: &mut Requests) -> bool {
        false
    }

    fn quiet_at_ns(&self) -> u64 {
        self.quiet_ns.max(self.now_ns)
    }

    /// A program that is issued among reads has its turn after those that came before it.
    fn idle_from_ns(&self, die: DieId) -> u64 {
        self.dies[die].changed_ns.max(self.now_ns)
    }

    fn busy_ns(&self) -> (Vec<u64>, Vec<u64>) {
        (
            self.dies.iter().map(|die| die.busy_ns).collect(),
            self.channels.iter().map(Channel::busy_ns).collect(),
        )
    }
}
