//! Opening blocks, and making room for them.

use super::gc::Collector;
use super::origin::{Room, hurried};
use super::{Allocator, Ftl, Io, Media, Writer};
use crate::drive::{DriveState, Filling, Shape};
use crate::engine::Scheduler;
use crate::flash::taping::tell_of;
use crate::ids::{BlockId, ById, DomainId, Ids, PlaneId, PointId, ScopeId, StreamId};
use crate::nand::BlockState;
use crate::nand::command::Cause;
use crate::policy::wear::Bet;
use crate::technique::{Hooks, Open, Placement};

/// Static wear levelling: how large a spread it allows, and how often it looks, or what it knows of erases.
#[derive(Debug, Clone)]
pub(super) struct WearLevelling {
    /// `None`: no static wear levelling.
    pub threshold_pec: Option<u32>,
    /// Erases between two looks.
    pub period: u32,
    /// Erases until the next look.
    pub countdown: u32,
    /// The table of each domain, where it goes by these; none otherwise.
    pub tables: Option<ById<DomainId, Bet>>,
}

impl<T: Hooks, S: Scheduler> Allocator<T, S> {
    /// Opens erased blocks for a write point that has no room; GC may run first. False when there is
    /// no room to be had.
    #[cold]
    #[inline(never)]
    pub(super) fn open(&mut self, io: &mut Io<S>, point: PointId, room: Room) -> bool {
        let shape = match self.own_block(point) {
            Open::Erased(shape) => shape,
            Open::Spare(shape) => {
                if !self.collector.has_spares(&self.writer, point) {
                    return false;
                }
                shape
            }
            Open::After(blocks, shape) => {
                self.make_way(io, point, &blocks, room);
                shape
            }
            Open::Again(blocks, shape) => {
                let shape = filling_of(&self.state, point).lay_out(shape);
                self.open_again(io, point, &blocks, shape);
                return true;
            }
        };
        let filling = filling_of(&self.state, point);
        let shape = shape.map_or(filling.shape, |shape| filling.lay_out(shape));
        if room != Room::HeldBack {
            if self.read_only {
                return false;
            }
            self.make_room(io, point, room);
            if self.state.points[point].room() > 0 {
                return true;
            }
            if !self.collector.can_open(&self.writer, point) {
                return false;
            }
        }
        self.open_erased(io, point, shape)
    }

    /// Reclaims blocks that a technique wants gone before a write point opens another one.
    fn make_way(&mut self, io: &mut Io<S>, point: PointId, blocks: &[BlockId], room: Room) {
        if room != Room::HeldBack && !self.read_only {
            self.make_room(io, point, room);
            self.reclaim_all(io, blocks, Cause::Technique, room);
        }
    }

    /// Reclaims blocks before a write that may take what GC itself needs would take the last one.
    pub(super) fn keep_room_for_gc(&mut self, io: &mut Io<S>, point: PointId) {
        let is_last = |plane| self.state.free[plane].len() <= 1;
        let takes_last = planes_of(&self.state, point).iter().any(is_last);
        if takes_last && self.state.points[point].room() == 0 && !self.read_only {
            self.make_room(io, point, Room::Collected);
        }
    }

    /// Reclaims blocks until the domains of a write point have more than they hold back.
    fn make_room(&mut self, io: &mut Io<S>, point: PointId, room: Room) {
        let planes = planes_of(&self.state, point);
        let layout = &self.state.layout;
        let is_own = layout.stream_of_point(point) >= layout.technique_stream;
        // Where the map writes as much for each victim as the victim gains, it would never end: a block is
        // gained once every unit of one is, or not at all.
        let domain = layout.domain_of(planes.first());
        let blocks = self.state.blocks_of_domain(domain).count();
        let mut rounds = 4 * (self.state.units_per_block_in(domain) + blocks);
        let mut more = true;
        while more && rounds > 0 && !self.collector.has_room(&self.writer, point) {
            (more, rounds) = (false, rounds - 1);
            for plane in planes {
                let domain = self.state.layout.domain_of(plane);
                let limit = match is_own {
                    true => self.collector.limits[domain].host,
                    false => self.collector.host_limit(&self.writer, domain),
                };
                if self.collector.is_low(&self.writer, domain, limit) {
                    more |= self.reclaim(io, domain, room);
                }
            }
            self.erase_together(io);
        }
    }

    /// GC at a pace moves what a unit that is about to be written to a scope asks of it.
    pub(super) fn pace(&mut self, io: &mut Io<S>, scope: ScopeId) {
        for plane in planes_of(&self.state, self.state.point_of(scope, StreamId(0))) {
            let domain = self.state.layout.domain_of(plane);
            if self.collector.limits[domain].pace > 0 && !self.read_only {
                self.collect_in_step(io, domain);
            }
        }
    }
}

impl<T: Hooks> Media<T> {
    /// The block that the technique has for a write point.
    fn own_block(&mut self, point: PointId) -> Open {
        let layout = &self.state.layout;
        let scope = layout.scope_of_point(point);
        let (plane, stream) =
            (layout.planes_of_scope(scope).first(), layout.stream_of_point(point));
        let group = self.group_of_scope(scope);
        self.technique.placement_mut(group).open(&self.state, stream, plane)
    }

    /// Erased blocks that a domain keeps for a technique's own streams.
    pub(super) fn set_aside_in(&self, domain: DomainId) -> u32 {
        let set_aside = self.state.layout.of_domain(domain).set_aside;
        let owner = self.technique.set_aside(self.group_of_domain(domain));
        set_aside.saturating_sub(owner.map_or(0, |owner| owner.in_use(domain)))
    }

    /// True when a domain has no more free pages than that many erased blocks.
    fn has_few_pages(&self, domain: DomainId, blocks: u32) -> bool {
        let state = &self.state;
        if state.free_in[domain] > blocks {
            return false;
        }
        let placement = self.technique.placement(self.group_of_domain(domain));
        let units = state.room_in(domain) + placement.unwritten(state, domain);
        units <= u64::from(blocks) * u64::from(state.units_per_block_in(domain))
    }
}

impl<T: Hooks, S: Scheduler> Writer<T, S> {
    /// Opens blocks that hold data already, one in each lane.
    fn open_again(&mut self, io: &mut Io<S>, point: PointId, blocks: &[BlockId], shape: Shape) {
        for &block in blocks {
            let domain = self.state.domain_of_block(block);
            let state = &mut self.state;
            if state.is_candidate(block) {
                state.victims.remove(&mut state.blocks, domain, block);
            }
            state.pass(block, BlockState::Open);
            if T::IN_USE {
                self.read_notes(io, block, Cause::Technique);
            }
        }
        self.fill_by(io, point, blocks, shape);
    }

    /// Blocks that have been opened are filled by a write point.
    fn fill_by(&mut self, io: &mut Io<S>, point: PointId, blocks: &[BlockId], shape: Shape) {
        let Media { state, door, .. } = self.eraser.media();
        for &block in blocks {
            let entry = &mut state.blocks[block];
            entry.set_stream(state.layout.stream_of_point(point));
            entry.set_point(point);
            if let Some(hotness) = &mut self.hotness {
                hotness.opened(block, io.sched.now_ns());
            }
            if let Some(planes) = &mut self.plane_policy {
                planes.opened(block);
            }
        }
        state.points[point].open(blocks, shape, 0, &state.geometry);
        blocks.iter().for_each(|&block| tell_of(&mut door.tape, state, block, false));
        if shape.asks {
            self.next_step(io, point);
        }
    }

    /// Opens erased blocks, one in each lane.
    fn open_erased(&mut self, io: &mut Io<S>, point: PointId, shape: Shape) -> bool {
        let layout = &self.eraser.state.layout;
        let scope = layout.scope_of_point(point);
        let stream = layout.stream_of_point(point);
        let is_cold = self.wear.threshold_pec.is_some() && stream == layout.wear_stream;
        let mut planes = planes_of(&self.state, point);
        let filling = layout.of_scope(scope);
        if filling.lanes == 1 && filling.scope_planes > 1 {
            let turn = &mut self.turns.next_plane[scope];
            planes = Ids::new(PlaneId(planes.first().0 + *turn), 1);
            *turn = (*turn + 1) % filling.scope_planes;
        }
        let mut opened = Vec::with_capacity(planes.count() as usize);
        for plane in planes {
            let Some(block) = self.state.take_free(plane, is_cold) else {
                opened.iter().for_each(|&block| self.state.release(block));
                return false;
            };
            opened.push(block);
        }
        for &block in &opened {
            self.state.blocks[block].next = 0;
            if T::IN_USE {
                self.note_open(io, block);
            }
            self.finish_erase(io, block);
        }
        self.fill_by(io, point, &opened, shape);
        true
    }
}

impl<S: Scheduler> Collector<S> {
    /// Whether a write point can take blocks that nobody else would wait for.
    fn has_spares<T: Hooks>(&self, media: &Media<T>, point: PointId) -> bool {
        let domain_of = |plane| media.state.layout.domain_of(plane);
        let is_low = |domain| self.is_low(media, domain, self.host_limit(media, domain));
        !planes_of(&media.state, point).iter().map(domain_of).any(is_low)
    }

    /// True when the blocks can be had without touching what GC itself needs.
    pub(super) fn can_open<T: Hooks>(&self, media: &Media<T>, point: PointId) -> bool {
        let spares = |plane| {
            let domain = media.state.layout.domain_of(plane);
            media.state.free_in[domain] > self.limits[domain].inner
        };
        planes_of(&media.state, point).iter().all(spares)
    }

    /// True when a write point has room, and GC keeps what it needs (with shared frontiers it may have
    /// opened the very blocks that now have room).
    fn has_room<T: Hooks>(&self, media: &Media<T>, point: PointId) -> bool {
        let is_safe = |plane| {
            let domain = media.state.layout.domain_of(plane);
            media.state.free_in[domain] >= self.limits[domain].inner
        };
        media.state.points[point].room() > 0 && planes_of(&media.state, point).iter().all(is_safe)
    }

    /// Free blocks of a domain at which a host write waits for GC: those that are set aside for a technique's
    /// own streams, and not taken by them, are not there for others.
    pub(super) fn host_limit<T: Hooks>(&self, media: &Media<T>, domain: DomainId) -> u32 {
        let limit = self.limits[domain].host;
        if !T::IN_USE {
            return limit;
        }
        limit + media.set_aside_in(domain)
    }

    /// True when a domain has no more space than that many erased blocks, as the drive counts it. What
    /// GC itself needs are always erased blocks.
    pub(super) fn is_low<T: Hooks>(&self, media: &Media<T>, domain: DomainId, blocks: u32) -> bool {
        let erased = media.state.free_in[domain];
        if !media.state.layout.of_domain(domain).counts_pages {
            return erased <= blocks;
        }
        erased <= self.limits[domain].inner || media.has_few_pages(domain, blocks)
    }
}

impl<T: Hooks, S: Scheduler> Ftl<T, S> {
    /// Reclaims blocks of each domain of a scope's die until none is low: an access of the host comes
    /// after that.
    #[inline(never)]
    pub(super) fn collect_before_access(&mut self, io: &mut Io<S>, scope: ScopeId) {
        let first = self.state.layout.planes_of_scope(scope).first();
        let geometry = &self.state.geometry;
        let planes = geometry.planes_of_die(geometry.die_of(first));
        // What gains nothing round after round is left to the write that needs a block.
        let mut rounds = geometry.blocks_of_plane(first).count();
        let mut more = !self.read_only;
        while more && rounds > 0 {
            (more, rounds) = (false, rounds - 1);
            for plane in planes {
                let domain = self.state.layout.domain_of(plane);
                if self.collector.is_low(
                    &self.writer,
                    domain,
                    self.collector.host_limit(&self.writer, domain),
                ) {
                    more |= self.reclaim(io, domain, Room::Collected);
                }
            }
            self.erase_together(io);
        }
    }

    /// What GC does before a write of the host, whether that needs a block or not.
    #[inline]
    pub(super) fn collect_before_write(&mut self, io: &mut Io<S>, scope: ScopeId) {
        if self.state.layout.of_scope(scope).collects_at_writes {
            self.collect_at_write(io, self.state.point_of(scope, StreamId(0)));
        }
    }

    /// Where pages are counted, the host's next write may be the one that leaves too few: reclaims a block
    /// of each domain in which its scope writes. Where GC is paced it moves units of each.
    #[inline(never)]
    fn collect_at_write(&mut self, io: &mut Io<S>, point: PointId) {
        if filling_of(&self.state, point).counts_pages {
            hurried(self, io, |ftl, io| ftl.reclaim_pages(io, point));
        }
        let scope = self.state.layout.scope_of_point(point);
        hurried(self, io, |ftl, io| ftl.pace(io, scope));
    }

    fn reclaim_pages(&mut self, io: &mut Io<S>, point: PointId) {
        let mut has_reclaimed = false;
        for plane in planes_of(&self.state, point) {
            let domain = self.state.layout.domain_of(plane);
            if self.has_few_pages(domain, self.collector.host_limit(&self.writer, domain)) {
                has_reclaimed |= self.reclaim(io, domain, Room::Collected);
            }
        }
        if has_reclaimed {
            self.erase_together(io);
        }
    }
}

/// How the dies of a write point are filled.
fn filling_of(state: &DriveState, point: PointId) -> &Filling {
    state.layout.of_scope(state.layout.scope_of_point(point))
}

/// The planes from which a write point takes its blocks.
fn planes_of(state: &DriveState, point: PointId) -> Ids<PlaneId> {
    let layout = &state.layout;
    let first = layout.planes_of_scope(layout.scope_of_point(point)).first();
    Ids::new(first, filling_of(state, point).lanes)
}

#[cfg(test)]
mod tests {
    use crate::engine::Count;
    use crate::ftl::Ftl;
    use crate::ids::{DomainId, ScopeId, StreamId};
    use crate::schema::Config;
    use crate::technique::Conventional;

    /// A write point fills a block of each of two planes. It takes them where both planes have a block more than GC
    /// needs, and they are spare where neither is low.
    #[test]
    fn blocks_side_by_side_are_there_only_where_every_plane_has_one() {
        let mut config = Config::default();
        (config.drive.chip.planes, config.drive.chip.multi_plane) = (2, true);
        let mut ftl = Ftl::<_, Count>::new(&config, Conventional).expect("the drive works");
        let point = ftl.state.point_of(ScopeId(0), StreamId(0));
        let planes = [0, 1].map(DomainId);
        let (inner, host) = (
            ftl.collector.limits[planes[0]].inner,
            ftl.collector.host_limit(&ftl.writer, planes[0]),
        );
        for (first, second) in [(1, 1), (1, 0), (0, 1), (0, 0)] {
            let both = (first, second) == (1, 1);
            for (plane, more) in planes.into_iter().zip([first, second]) {
                ftl.state.free_in[plane] = inner + more;
            }
            assert_eq!(
                ftl.collector.can_open(&ftl.writer, point),
                both,
                "{first} and {second} more than GC needs"
            );
            for (plane, more) in planes.into_iter().zip([first, second]) {
                ftl.state.free_in[plane] = host + more;
            }
            assert_eq!(
                ftl.collector.has_spares(&ftl.writer, point),
                both,
                "{first} and {second} beyond the limit"
            );
        }
    }
}
