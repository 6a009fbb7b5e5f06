//! What the drive does when the host leaves it alone.

use super::gc::{IdleGain, Limits, gained_since};
use super::issue::Reprogram;
use super::moving::{Job, has_room_for, stream_from};
use super::origin::{Origin, ReadOrigin, Room};
use super::read::{is_in_merge_buffer, unit_span};
use super::{Allocator, Backend, Ftl, Io, Media};
use crate::engine::Scheduler;
use crate::ids::{BlockId, DieId, DomainId, Unit};
use crate::nand::command::{Cause, Data};
use crate::nand::{BlockState, Span};
use crate::technique::{Apply, Hooks, Idle, Promises};

/// The page that was read last, and what must be over before its data is there.
pub(super) type LastRead<J> = Option<(Span, J)>;

impl<T: Hooks, S: Scheduler> Ftl<T, S> {
    /// Whether idle time is of use.
    pub fn uses_idle_time(&self) -> bool {
        self.collector.limits.iter().any(|limits| limits.idle > 0) || self.settings.idles
    }

    /// The drive has just become idle.
    pub fn begin_idle_time(&mut self) {
        self.collector.idle_gain = IdleGain::default();
    }

    /// One step of idle work; false when there is none.
    pub fn idle_step(&mut self, io: &mut Io<S>) -> bool {
        self.settings.idles && self.idle_work(io) || self.background_step(io)
    }

    /// What techniques must do by now.
    pub fn serve_technique(&mut self, io: &mut Io<S>) {
        loop {
            let ([promise_ns, duty_ns], now_ns) = (self.due_ns(), io.sched.now_ns());
            if promise_ns <= now_ns {
                if !self.overdue_work(io) {
                    self.declined_ns = promise_ns;
                }
            } else if duty_ns <= now_ns {
                self.drain_notices(io);
                let Media { state, technique, .. } = self.media();
                let work = technique.due(state, &io.sched, now_ns);
                self.carry_out(io, &work);
            } else {
                break;
            }
        }
    }

    /// When a technique must do something.
    #[inline]
    pub fn technique_due_ns(&self) -> u64 {
        if !T::IN_USE {
            return u64::MAX;
        }
        let [promise_ns, duty_ns] = self.due_ns();
        promise_ns.min(duty_ns)
    }

    /// When a promise is due, and when a duty. A time of a promise at which nothing was to be done is not asked for
    /// again.
    #[inline]
    fn due_ns(&self) -> [u64; 2] {
        let promise_ns = match self.settings.promises {
            true => self.technique.promises().map_or(u64::MAX, Promises::due_ns),
            false => u64::MAX,
        };
        let duty_ns = if self.settings.has_duties { self.technique.due_ns() } else { u64::MAX };
        [if promise_ns == self.declined_ns { u64::MAX } else { promise_ns }, duty_ns]
    }

    fn idle_work(&mut self, io: &mut Io<S>) -> bool {
        self.drain_notices(io);
        let Media { state, technique, .. } = self.media();
        let work = technique.idle(state, &io.sched, io.sched.now_ns());
        self.carry_out(io, &work)
    }

    fn overdue_work(&mut self, io: &mut Io<S>) -> bool {
        self.drain_notices(io);
        let Media { state, technique, .. } = self.media();
        let Some(promises) = technique.promises_mut() else { return false };
        let work = promises.overdue(state, &io.sched, io.sched.now_ns());
        self.carry_out(io, &work)
    }

    /// Does what a technique wants done; false where that is nothing.
    fn carry_out(&mut self, io: &mut Io<S>, work: &Idle) -> bool {
        match work {
            Idle::Nothing | Idle::Until(_) => false,
            &Idle::Move(unit) => {
                let moved = self.move_unit(io, unit);
                self.rewrite_translations(io);
                moved
            }
            Idle::MoveAll(units) => self.move_all(io, units),
            Idle::Reclaim(blocks) => {
                self.reclaim_all(io, blocks, Cause::Technique, Room::Collected)
            }
            Idle::Renew(blocks, cause) => {
                let renewed = self.reclaim_all(io, blocks, *cause, Room::Collected);
                for &block in blocks {
                    self.refill_lanes(io, self.state.domain_of_block(block));
                }
                renewed
            }
            Idle::Apply(apply) => self.apply(io, apply),
        }
    }

    /// Carries out an operation of the technique in place; false where the flash does not allow it, which ends
    /// the run.
    fn apply(&mut self, io: &mut Io<S>, apply: &Apply) -> bool {
        let Apply { ref spans, row, urgent, ticket } = *apply;
        let media = self.media();
        if !media.door.chips.as_mut().is_none_or(|it| it.reaches(&media.state, spans)) {
            media.read_only = true;
            return false;
        }
        if self.safeguard.is_some() {
            self.keep_up(io);
        }
        let cause = Cause::Technique;
        let mut after = S::Join::default();
        for span in &**spans {
            let first = self.state.geometry.first_unit(span.block);
            let unit = first.plus(self.state.geometry.of(span.block).units_of(*span).start);
            // What is urgent hurries the reads for which it waits.
            after = self.prepare(io, unit, row, ReadOrigin::of(cause), &after);
        }
        if self.safeguard.is_some() {
            after = self.preserve(io, spans, None, &after);
        }
        let again = Reprogram { spans, row, cause, data: Data::Kept, ticket, urgent };
        self.reprogram(io, &again, &after, None);
        self.door.chips.as_ref().is_none_or(|chips| chips.illegal().is_none())
    }

    /// Moves one valid unit for the technique; false when there is no room.
    fn move_unit(&mut self, io: &mut Io<S>, unit: Unit) -> bool {
        if !self.keep_pace(io, unit) {
            return true;
        }
        let after = self.read_to_move(io, unit, 1);
        self.write_moved(io, unit, &after)
    }

    fn background_step(&mut self, io: &mut Io<S>) -> bool {
        for domain in self.state.free_in.ids() {
            let Limits { idle, preemptible, .. } = self.collector.limits[domain];
            let low = idle > 0
                && self.collector.is_low(&self.writer, domain, idle + self.set_aside_in(domain));
            let goes_on = preemptible && self.collector.jobs[domain].is_some();
            if (low || goes_on) && self.background_gc(io, domain) {
                return true;
            }
        }
        false
    }

    /// A victim, or with preemptible GC one unit of it.
    fn background_gc(&mut self, io: &mut Io<S>, domain: DomainId) -> bool {
        let limits = self.collector.limits[domain];
        if !limits.preemptible {
            let before = io.counters.gc_count;
            let done = self.reclaim(io, domain, Room::Collected);
            self.erase_together(io);
            self.refill_lanes(io, domain);
            return done && self.gains_in_idle_time(domain, io.counters.gc_count - before);
        }
        let mut job: Job<S::Join> = match self.collector.jobs[domain].take() {
            Some(job) => job,
            // What gains nothing victim after victim is left to the write that needs a block.
            None if !self.collector.may_gain(&self.writer, domain)
                || !self.collector.idle_gain.may_go_on(self.state.blocks_of_domain(domain)) =>
            {
                return false;
            }
            None => match self.choose(domain) {
                Some(victim) => self.start_job(io, victim, Cause::Gc),
                None => return false,
            },
        };
        let before = self.watched_room(domain);
        let moved = self.move_next(io, &mut job);
        job.gained += gained_since(&self.state, domain, before);
        // A victim that took the last blocks GC needs is not left half done: with shared frontiers
        // the host could use up what the rest of it has to move into.
        if moved && self.state.free_in[domain] >= limits.inner {
            self.collector.jobs[domain] = Some(job);
            return true;
        }
        let (so_far, before) = (job.gained, self.watched_room(domain));
        let victims_before = io.counters.gc_count;
        let done = self.finish_job(io, job);
        self.erase_together(io);
        self.rewrite_translations(io);
        let Allocator { writer, collector, .. } = &mut self.allocator;
        let gained = so_far + gained_since(&writer.state, domain, before);
        let goes_on = collector.note_gained(writer, domain, gained);
        done && goes_on && self.gains_in_idle_time(domain, io.counters.gc_count - victims_before)
    }

    /// False once as many victims as a domain has blocks, one after the other, have left the drive no more room than it had:
    /// what they make stale of the map, in their domain or in others, may take all that they gain.
    fn gains_in_idle_time(&mut self, domain: DomainId, victims: u64) -> bool {
        let room =
            self.state.free_in.ids().into_iter().map(|domain| self.state.room_in(domain)).sum();
        let Allocator { writer, collector, .. } = &mut self.allocator;
        let gain = &mut collector.idle_gain;
        if room > gain.most_room {
            *gain = IdleGain { most_room: room, fruitless: 0 };
        } else {
            gain.fruitless += victims;
        }
        gain.may_go_on(writer.state.blocks_of_domain(domain))
    }

    /// Where planes work together, GC of one plane may have opened a block in each of them: those that
    /// now have fewer erased blocks than GC needs are reclaimed in turn.
    fn refill_lanes(&mut self, io: &mut Io<S>, domain: DomainId) {
        let layout = &self.state.layout;
        let scope = layout.scope_of(layout.planes_of_domain(domain).first());
        let planes = layout.planes_of_scope(scope);
        let mut more = layout.of_scope(scope).lanes > 1;
        // What gains nothing round after round is left to the write that needs a block.
        let blocks = self.state.blocks_of_domain(domain).count();
        let mut rounds = 4 * (self.state.units_per_block_in(domain) + blocks);
        while more && rounds > 0 {
            (more, rounds) = (false, rounds - 1);
            for plane in planes {
                let domain = self.state.layout.domain_of(plane);
                if self.state.free_in[domain] < self.collector.limits[domain].inner {
                    more |= self.reclaim(io, domain, Room::Collected);
                }
            }
            self.erase_together(io);
        }
    }
}

impl<T: Hooks, S: Scheduler> Allocator<T, S> {
    /// Moves valid units for the technique, as far as there is room; false when there is none. All are read first:
    /// reads would wait for the programs on their dies of what was read before them.
    #[inline(never)]
    pub(super) fn move_all(&mut self, io: &mut Io<S>, units: &[Unit]) -> bool {
        // GC may have been there first.
        let is_valid = |unit: &Unit| {
            let (block, place) = self.state.geometry.locate(*unit);
            self.state.valid.get(block, place)
        };
        let units: Vec<Unit> = units.iter().copied().filter(is_valid).collect();
        let reads = self.read_pages(io, &units, Cause::Technique);
        let mut has_moved = false;
        for (&unit, read) in units.iter().zip(&reads) {
            has_moved |= self.keep_pace(io, unit) && self.write_moved(io, unit, read);
        }
        self.rewrite_translations(io);
        has_moved
    }

    /// Reclaims blocks for the technique, those of a die together; false when none has been. What GC has
    /// come to, or what there is no room for, is left out.
    pub(super) fn reclaim_all(
        &mut self,
        io: &mut Io<S>,
        blocks: &[BlockId],
        cause: Cause,
        room: Room,
    ) -> bool {
        let mut die: Option<DieId> = None;
        let mut has_reclaimed = false;
        for &block in blocks {
            if !matches!(self.state.blocks[block].state, BlockState::Full | BlockState::Kept)
                || !has_room_for(&self.state, block, stream_from(&self.state, block))
            {
                continue;
            }
            let of_block = self.state.geometry.die_of_block(block);
            if die.replace(of_block) != Some(of_block) {
                self.erase_together(io);
            }
            let job = self.start_job(io, block, cause);
            has_reclaimed |= self.finish_job(io, job);
        }
        self.erase_together(io);
        self.rewrite_stale(io, room);
        has_reclaimed
    }

    /// What is moved for the technique takes room as a write of the host does: GC at a pace moves as much.
    /// False where that has taken the unit away.
    fn keep_pace(&mut self, io: &mut Io<S>, unit: Unit) -> bool {
        let (block, place) = self.state.geometry.locate(unit);
        let scope = self.state.layout.scope_of(self.state.geometry.plane_of(block));
        self.pace(io, scope);
        self.state.valid.get(block, place)
    }

    /// Writes a unit that was read to where the technique says.
    fn write_moved(&mut self, io: &mut Io<S>, unit: Unit, after: &S::Join) -> bool {
        let (block, _) = self.state.geometry.locate(unit);
        let scope = self.state.layout.scope_of(self.state.geometry.plane_of(block));
        let lpn = self.state.lpn_of(unit);
        let stream = self.state.layout.gc_stream;
        let origin = Origin::controller(after);
        let moved = self.write_unit(io, lpn, Cause::Technique, stream, scope, &origin);
        if moved {
            self.mapper.note_move(&self.writer.state, lpn);
        }
        moved
    }
}

impl<T: Hooks> Backend<T> {
    /// Reads units of a page, the first of which the technique moves, unless that has not left the controller
    /// yet.
    pub(super) fn read_to_move<S: Scheduler>(
        &mut self,
        io: &mut Io<S>,
        unit: Unit,
        units: u32,
    ) -> S::Join {
        let mut after = S::Join::default();
        if !is_in_merge_buffer(&self.state, unit) {
            let at = self.state.geometry.located(unit);
            let stamp = self.read_page(io, at, units, ReadOrigin::of(Cause::Technique));
            io.sched.join(&mut after, stamp);
        }
        after
    }

    /// Reads a unit that goes along, unless its page has just been read. Like GC it takes whole pages.
    pub(super) fn read_along<S: Scheduler>(
        &mut self,
        io: &mut Io<S>,
        unit: Unit,
        read: &mut LastRead<S::Join>,
    ) {
        let page = unit_span(&self.state, unit);
        if read.as_ref().is_some_and(|(last, _)| *last == page) {
            return;
        }
        let units = self.state.geometry.of(page.block).units_per_page;
        *read = Some((page, self.read_to_move(io, unit, units)));
    }
}
