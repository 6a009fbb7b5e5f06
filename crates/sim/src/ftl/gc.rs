//! Garbage collection: when, and which victim.
//!
//! What is valid in it is moved by [`moving`](super::moving).

use super::moving::{Job, has_room_for, stream_from};
use super::origin::Room;
use super::{Allocator, Eraser, Io, Media};
use crate::drive::{DriveState, Filling};
use crate::engine::Scheduler;
use crate::ids::{BlockId, ById, DomainId, Ids};
use crate::nand::command::Cause;
use crate::policy::gc::{Candidates, VictimPolicy};
use crate::schema::{Config, GcConfig, GcMode};
use crate::technique::{Hooks, Placement};
use crate::util::Rng;

/// Free blocks of a domain at which something happens.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// A host write that needs a block waits for GC at or below this.
    pub host: u32,
    /// Idle time is used at or below this.
    pub idle: u32,
    /// GC itself needs this many.
    pub inner: u32,
    /// True when GC goes page by page in idle time.
    pub preemptible: bool,
    /// At or below this GC goes in step with what the host writes; 0: never.
    pub pace: u32,
}

impl Limits {
    /// The limits of `config` for a domain of `blocks` blocks.
    pub fn new(config: &GcConfig, blocks: u32, filling: &Filling) -> Self {
        let &Filling { reserve, inner, spares, in_step, .. } = filling;
        let share = |share: f64| (share * f64::from(blocks)).floor() as u32;
        let (host, idle) = match config.mode {
            GcMode::Background => (reserve, share(config.background_threshold).max(reserve + 1)),
            GcMode::Preemptible => {
                (share(config.hard_threshold).max(inner), reserve.max(inner + 1))
            }
            GcMode::Paced | GcMode::Foreground => (reserve, 0),
        };
        let preemptible = idle > 0 && (in_step || config.mode == GcMode::Preemptible);
        // In step it begins well before the host would wait for it.
        let (host, pace) = if in_step { (spares, reserve) } else { (host, 0) };
        Self { host, idle, inner, preemptible, pace }
    }

    /// Blocks at or below which a drive in use reclaims some. In idle time it stops once it has more than its limit,
    /// and one of these is open by the time it is idle again; in a closed loop without pauses it never is.
    pub fn in_use(&self, config: &Config) -> u32 {
        let idle = if config.host.has_idle_time() && self.idle > 0 { self.idle + 1 } else { 0 };
        self.host.max(idle)
    }
}

/// Garbage collection.
pub(super) struct Collector<S: Scheduler> {
    pub victim_policy: Box<dyn VictimPolicy>,
    pub victim_rng: Rng,
    pub limits: ById<DomainId, Limits>,
    /// Victims of which a part has been moved.
    pub jobs: ById<DomainId, Option<Job<S::Join>>>,
    /// Victims since the last one that gained room.
    pub fruitless: u32,
    /// What GC has gained since the drive became idle.
    pub idle_gain: IdleGain,
}

impl<S: Scheduler> Collector<S> {
    pub fn new(config: &Config, state: &DriveState, victim_policy: Box<dyn VictimPolicy>) -> Self {
        let limits = |domain| {
            let filling = state.layout.of_domain(domain);
            let blocks = state.blocks_of_domain(domain).count();
            Limits::new(&config.ftl.gc, blocks, filling)
        };
        Self {
            victim_policy,
            victim_rng: Rng::new(config.run.seed, "victims"),
            limits: state.layout.domains().into_iter().map(limits).collect(),
            jobs: state.layout.domains().into_iter().map(|_| None).collect(),
            fruitless: 0,
            idle_gain: IdleGain::default(),
        }
    }

    pub fn under<S2: Scheduler>(self) -> Collector<S2> {
        debug_assert!(self.jobs.iter().all(Option::is_none));
        Collector {
            victim_policy: self.victim_policy,
            victim_rng: self.victim_rng,
            jobs: self.limits.iter().map(|_| None).collect(),
            limits: self.limits,
            fruitless: 0,
            idle_gain: IdleGain::default(),
        }
    }
}

/// What GC gains in an idle time.
#[derive(Debug, Default)]
pub(super) struct IdleGain {
    /// The most room that all domains together had, in units.
    pub most_room: u64,
    /// Victims since then.
    pub fruitless: u64,
}

impl IdleGain {
    /// False once it was nothing for as many victims as a domain has blocks.
    pub fn may_go_on(&self, domain: Ids<BlockId>) -> bool {
        self.fruitless < u64::from(domain.count())
    }
}

impl<T: Hooks, S: Scheduler> Allocator<T, S> {
    /// Reclaims one block of a domain (the erase may still be held back, to go together with
    /// others of its die); false when nothing can be gained.
    pub(super) fn reclaim(&mut self, io: &mut Io<S>, domain: DomainId, room: Room) -> bool {
        let job = match self.collector.jobs[domain].take() {
            Some(job) => job,
            None => match self.choose(domain) {
                Some(victim) => match self.make_room_beyond(io, victim, room) {
                    Some(victim) => self.start_job(io, victim, Cause::Gc),
                    None => return false,
                },
                None => return false,
            },
        };
        let (so_far, before) = (job.gained, self.watched_room(domain));
        let done = self.finish_job(io, job);
        let goes_on = self.collector.note_gained(
            &self.writer,
            domain,
            so_far + gained_since(&self.state, domain, before),
        );
        self.rewrite_stale(io, room);
        done && goes_on
    }

    /// Reclaims blocks of the domains to which a victim's data goes, while they are low. The pages of the map that
    /// this makes stale may set off GC in the victim's own domain: if that took the victim, another one is chosen.
    fn make_room_beyond(&mut self, io: &mut Io<S>, victim: BlockId, room: Room) -> Option<BlockId> {
        if !T::IN_USE {
            return Some(victim);
        }
        let own = self.state.domain_of_block(victim);
        let Media { state, technique, .. } = self.media();
        let routing = technique.routing_mut();
        let beyond = routing.map_or(Ids::all(0), |owner| owner.leaves_for(state, victim));
        for domain in beyond {
            debug_assert_ne!(domain, own, "it would never end");
            while self.collector.is_low(
                &self.writer,
                domain,
                self.collector.host_limit(&self.writer, domain),
            ) && self.reclaim(io, domain, room)
            {}
        }
        if self.state.is_candidate(victim) { Some(victim) } else { self.choose(own) }
    }

    /// GC in step with the host, which is about to write a unit. A victim with `valid` units gains what it has
    /// besides, so that for each unit of the host `valid` for so many gained must be moved.
    pub(super) fn collect_in_step(&mut self, io: &mut Io<S>, domain: DomainId) {
        let Limits { idle, pace, .. } = self.collector.limits[domain];
        let is_low = self.collector.is_low(&self.writer, domain, pace + self.set_aside_in(domain));
        // What was begun in idle time goes on there, as long as there is room.
        if !is_low && (idle > 0 || self.collector.jobs[domain].is_none()) {
            return;
        }
        let mut job = match self.collector.jobs[domain].take() {
            Some(job) => job,
            None => match self.choose(domain) {
                Some(victim) => self.start_job(io, victim, Cause::Gc),
                None => return,
            },
        };
        let units = self.units_at_most(domain, self.state.units_per_block_in(domain));
        // Where planes work together, of so many units of the host one is this plane's.
        let lanes = self.state.layout.of_domain(domain).lanes;
        let gain = units.saturating_sub(job.valid).max(1) * lanes;
        job.asked += job.valid + self.collector.haste(&self.writer, domain, job.valid);
        let mut more = self.state.blocks[job.victim].valid > 0;
        while more && job.asked >= gain {
            more = self.move_next(io, &mut job);
            job.asked -= gain;
        }
        // A victim that took the last blocks GC needs is not left half done.
        if more && self.state.free_in[domain] >= self.collector.limits[domain].inner {
            self.collector.jobs[domain] = Some(job);
            return;
        }
        self.finish_job(io, job);
        self.erase_together(io);
        self.rewrite_translations(io);
    }

    /// The next victim; `None` when no block would free any space, or GC has no room to move it.
    /// Blocks that a technique keeps for itself are asked for last.
    pub(super) fn choose(&mut self, domain: DomainId) -> Option<BlockId> {
        loop {
            if let Some(victim) = self.collector.choose_candidate(&mut self.writer, domain) {
                return Some(victim);
            }
            let group = self.group_of_domain(domain);
            let Media { state, technique, .. } = self.media();
            let block = technique.placement_mut(group).surrender(state, domain)?;
            self.make_candidate(block);
        }
    }
}

impl<S: Scheduler> Collector<S> {
    /// What GC moves besides in step with the host, so that it makes good what others took: nothing down to a block
    /// below the limit where it begins, and nearly as much again above that where the host would wait for it.
    fn haste<T: Hooks>(&self, media: &Media<T>, domain: DomainId, valid: u32) -> u32 {
        let Limits { host, pace, .. } = self.limits[domain];
        let begins = pace + media.set_aside_in(domain);
        // Where the host waits before GC goes in step, there is nothing to make good.
        let most = pace.saturating_sub(host);
        let missing = begins.saturating_sub(media.state.free_in[domain] + 1).min(most);
        (u64::from(valid) * u64::from(missing) / u64::from(most.max(1))) as u32
    }

    /// A victim has gained so much; returns whether others may gain more.
    pub(super) fn note_gained<T: Hooks>(
        &mut self,
        eraser: &Eraser<T, S>,
        domain: DomainId,
        gained: i64,
    ) -> bool {
        if eraser.watched_room(domain).is_some() {
            self.fruitless = if gained > 0 { 0 } else { self.fruitless.saturating_add(1) };
        }
        self.may_gain(eraser, domain)
    }

    /// False once as many victims as a domain has blocks, one after the other, have gained nothing.
    pub(super) fn may_gain<T: Hooks>(&self, media: &Media<T>, domain: DomainId) -> bool {
        self.fruitless < media.state.blocks_of_domain(domain).count()
    }

    fn choose_candidate<T: Hooks>(
        &mut self,
        media: &mut Media<T>,
        domain: DomainId,
    ) -> Option<BlockId> {
        let units_per_block = media.state.units_per_block_in(domain);
        let units_of_data = media.units_at_most(domain, units_per_block);
        let state = &mut media.state;
        state.list_victims(domain);
        let victim = self.victim_policy.select(
            domain,
            &mut Candidates {
                victims: &mut state.victims,
                blocks: &state.blocks,
                units_per_block,
                units_of_data,
                rng: &mut self.victim_rng,
            },
        )?;
        if media.gains_nothing(domain, victim) && !media.something_to_gain(domain) {
            return None;
        }
        has_room_for(&media.state, victim, stream_from(&media.state, victim)).then_some(victim)
    }
}

impl<T: Hooks, S: Scheduler> Eraser<T, S> {
    /// The room of a domain, where a technique may fill blocks in part, or word lines are filled up before an
    /// erase: victims may then cost more than they seem to, and GC could go in circles.
    pub(super) fn watched_room(&self, domain: DomainId) -> Option<u64> {
        let places =
            self.technique.places(self.group_of_domain(domain)) || self.safeguard.is_some();
        let lanes = self.state.layout.of_domain(domain).lanes;
        (places && lanes == 1).then(|| self.state.room_in(domain))
    }
}

impl<T: Hooks> Media<T> {
    /// Units of data that a block of a domain can hold, of those that it has.
    fn units_at_most(&self, domain: DomainId, units_per_block: u32) -> u32 {
        match T::IN_USE && self.state.superblocks.is_some() {
            true => self.state.layout.of_domain(domain).usable_units,
            false => units_per_block,
        }
    }

    /// Whether reclaiming a full block of a domain gains no space.
    fn gains_nothing(&mut self, domain: DomainId, block: BlockId) -> bool {
        let group = self.group_of_domain(domain);
        let units = self.units_at_most(domain, self.state.units_per_block_in(domain));
        let rounds = self.technique.rounds(group);
        let most = rounds.map_or(units, |owner| owner.units_of_data(&self.state, block));
        self.victim_cost(group, block) >= units.min(most)
    }

    /// True when reclaiming some full block of the domain gains space. Where planes work together, of
    /// any of them: a victim's units are spread over all, so that even a block without invalid data
    /// gives its own plane room.
    fn something_to_gain(&mut self, domain: DomainId) -> bool {
        let state = &self.state;
        let planes = state.layout.planes_of_domain(domain);
        let planes = match state.layout.of_domain(domain).lanes {
            1 => planes,
            _ => state.layout.planes_of_scope(state.layout.scope_of(planes.first())),
        };
        let blocks = state.blocks_of_planes(planes);
        blocks
            .into_iter()
            .any(|block| self.state.is_candidate(block) && !self.gains_nothing(domain, block))
    }
}

/// Room that a domain has gained, in units; nothing where it is not watched.
pub(super) fn gained_since(state: &DriveState, domain: DomainId, room: Option<u64>) -> i64 {
    room.map_or(0, |room| state.room_in(domain) as i64 - room as i64)
}

#[cfg(test)]
mod tests {
    use super::Limits;
    use crate::drive::{Filling, Streams};
    use crate::engine::Count;
    use crate::ftl::Ftl;
    use crate::ids::DomainId;
    use crate::nand::Geometry;
    use crate::schema::{Config, GcConfig, GcMode};
    use crate::technique::Conventional;

    /// The limits of 100 blocks of which 5 are held back and GC needs one.
    fn limits(gc: &GcConfig, in_step: bool) -> Limits {
        let config = Config::default();
        let geometry = Geometry::new(&config).expect("the default is a drive");
        let streams = Streams { all: 2, host_only: 1 };
        let filling = Filling::new(&config, &config.drive.chip, &geometry.groups[0], streams, None);
        let filling = filling.expect("the default can be filled");
        let filling = Filling { reserve: 5, inner: 1, spares: 1, in_step, ..filling };
        Limits::new(gc, 100, &filling)
    }

    #[test]
    fn background_gc_begins_before_the_host_must_wait() {
        let limits = |background_threshold, in_step| {
            let gc =
                GcConfig { mode: GcMode::Background, background_threshold, ..GcConfig::default() };
            let Limits { host, idle, pace, .. } = limits(&gc, in_step);
            (host, idle, pace)
        };
        assert_eq!(limits(0.2, false), (5, 20, 0));
        assert_eq!([limits(0.06, false), limits(0.05, false), limits(0.0, false)], [(5, 6, 0); 3]);
        assert_eq!([limits(0.2, true), limits(0.0, true)], [(1, 20, 5), (1, 6, 5)]);
    }

    #[test]
    fn gc_in_step_begins_before_the_host_must_wait() {
        for mode in [GcMode::Paced, GcMode::Background, GcMode::Preemptible] {
            let limits = limits(&GcConfig { mode, ..GcConfig::default() }, true);
            assert_eq!((limits.host, limits.pace), (1, 5), "{mode}");
            assert_eq!(limits.preemptible, mode != GcMode::Paced, "{mode}");
        }
    }

    /// It begins at five erased blocks, and the host would wait at one: a quarter more for each block that lacks
    /// below four.
    #[test]
    fn gc_in_step_makes_haste_once_more_than_a_block_lacks() {
        let mut ftl = Ftl::<_, Count>::new(&Config::default(), Conventional).expect("it works");
        let domain = DomainId(0);
        let limits = Limits { host: 1, idle: 0, inner: 1, preemptible: false, pace: 5 };
        ftl.collector.limits[domain] = limits;
        let haste = [6, 5, 4, 3, 2, 1, 0].map(|free| {
            ftl.state.free_in[domain] = free;
            ftl.collector.haste(&ftl.writer, domain, 100)
        });
        assert_eq!(haste, [0, 0, 0, 25, 50, 75, 100]);
    }
}
