//! Power fails at every operation of a run, one cut after the other, each on the flash as it then stood.

use super::damage::Damage;
use super::oracle::{Oracle, Promise};
use super::recovery::{self, Found};
use super::restart::Restart;
use super::surface::Surface;
use crate::flash::{Deed, Mark, Recording};
use crate::host::log::HostLog;
use crate::ids::{ById, Id, Lpn, Unit};
use crate::nand::Geometry;
use crate::util::Rng;
use serde::Serialize;

/// Which cuts are made.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// One of so many.
    pub every: u64,
    /// Only those in the midst of the command of this number.
    pub at: Option<usize>,
    /// After so many cuts the whole flash is scanned, as a restart does it; between them only what the cut
    /// concerns.
    pub scan_every: u64,
    /// Share of the pages that a cut leaves unreadable.
    pub torn_share: f64,
    /// Seed of what is torn.
    pub seed: u64,
}

/// Promised data that a restart does not find.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Loss {
    /// The number of the moment.
    pub cut: u64,
    /// The command in whose midst power failed, by its number among programs and erases.
    pub command: usize,
    /// `program`, `erase` or `flush`: what had just begun or ended.
    pub moment: &'static str,
    /// When: nanoseconds; steps, where nothing takes time.
    pub at: u64,
    /// Requests that the drive had been given by then: no more are needed for the cut to happen again.
    pub requests: usize,
    /// The logical unit.
    pub lpn: u32,
    /// The version that was promised, counted from 1 for what the drive held at the start.
    pub promised: u32,
    /// The version that was found; 0: nothing.
    pub found: u32,
}

/// What the cuts of a run took.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CutReport {
    /// Cuts made.
    pub cuts: u64,
    /// Programs and erases recorded.
    pub commands: usize,
    /// Flushes that were over.
    pub flushes: usize,
    /// Units that these promised.
    pub promises: u64,
    /// Pages that a cut found in mid-program or mid-erase, and commands, in the mean.
    pub commands_cut_mean: f64,
    /// Cuts after which something was missing that had been promised.
    pub losing_cuts: u64,
    /// Cuts after which the whole flash was scanned.
    pub scans: u64,
    /// The first losses.
    pub losses: Vec<Loss>,
    /// What a restart takes.
    pub restart: Restart,
}

/// Losses that are told.
const TOLD: usize = 10;

/// Something that happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A command was over.
    Ended(usize),
    /// A flush was over: the number of its promises.
    Flushed(usize),
    /// A command began.
    Began(usize),
}

/// A run whose power is cut.
pub struct Cuts<'a> {
    recording: &'a Recording,
    log: &'a HostLog,
    geometry: &'a Geometry,
    oracle: Oracle,
    surface: Surface,
    /// Logical units, and with them the pages of the map and of trims.
    mapped: u32,
    /// The first page that tells of trims, and of how many logical units each does.
    trim_pages: (Lpn, u32),
    under_way: Vec<usize>,
    plan: Plan,
    report: CutReport,
    in_midst: u64,
}

/// The numbers of logical units of a drive.
#[derive(Debug, Clone, Copy)]
pub struct Numbers {
    /// Those of the host.
    pub logical: u32,
    /// With the pages of the map and those that tell of trims.
    pub mapped: u32,
    /// The first page that tells of trims, and of how many logical units each does.
    pub trim_pages: (Lpn, u32),
}

impl<'a> Cuts<'a> {
    /// Cuts of a run.
    pub fn new(
        recording: &'a Recording,
        log: &'a HostLog,
        geometry: &'a Geometry,
        numbers: Numbers,
        restart: Restart,
        plan: Plan,
    ) -> Self {
        let Numbers { logical, mapped, trim_pages } = numbers;
        let surface = Surface::new(&recording.start, mapped);
        let oracle = Oracle::new(log, logical, |lpn| surface.units_of(lpn).next().is_some());
        let report = CutReport {
            cuts: 0,
            commands: recording.commands.len(),
            flushes: oracle.moments.len(),
            promises: oracle.moments.iter().map(|(_, promises)| promises.len() as u64).sum(),
            commands_cut_mean: 0.0,
            losing_cuts: 0,
            scans: 0,
            losses: Vec::new(),
            restart,
        };
        let under_way = Vec::new();
        Self {
            recording,
            log,
            geometry,
            oracle,
            surface,
            mapped,
            trim_pages,
            under_way,
            plan,
            report,
            in_midst: 0,
        }
    }

    /// Makes all cuts.
    pub fn run(mut self) -> CutReport {
        for (number, (at, event)) in (0_u64..).zip(self.events()) {
            let promises = self.take_place(event);
            let is_meant = match self.plan.at {
                Some(command) => self.under_way.contains(&command),
                None => number.is_multiple_of(self.plan.every.max(1)),
            };
            if is_meant {
                self.cut(number, at, event, &promises);
            }
        }
        self.report.commands_cut_mean = self.in_midst as f64 / self.report.cuts.max(1) as f64;
        self.report
    }

    /// What happened, in order.
    fn events(&self) -> Vec<(u64, Event)> {
        let commands = self.recording.commands.iter().enumerate();
        let begun = commands.filter(|(_, command)| command.end < u64::MAX);
        let of_command = begun.flat_map(|(at, command)| {
            [(command.begin, Event::Began(at)), (command.end, Event::Ended(at))]
        });
        let flushes = self.oracle.moments.iter().enumerate();
        let flushes = flushes.map(|(at, &(done, _))| (done, Event::Flushed(at)));
        let mut events: Vec<(u64, Event)> = of_command.chain(flushes).collect();
        events.sort_unstable();
        events
    }

    /// Something happens; returns for which logical units that may make a difference even where nothing is
    /// damaged.
    fn take_place(&mut self, event: Event) -> Vec<Lpn> {
        match event {
            Event::Began(command) => {
                self.under_way.push(command);
                Vec::new()
            }
            Event::Ended(command) => {
                self.under_way.retain(|&other| other != command);
                self.surface.carry_out(self.geometry, &self.recording.commands[command])
            }
            Event::Flushed(number) => {
                let promises: Vec<Promise> = std::mem::take(&mut self.oracle.moments[number].1);
                self.oracle.promise(&promises);
                promises.iter().map(|promise| promise.lpn).collect()
            }
        }
    }

    /// Power fails.
    fn cut(&mut self, number: u64, at: u64, event: Event, changed: &[Lpn]) {
        let is_whole = self.report.cuts.is_multiple_of(self.plan.scan_every.max(1));
        self.report.cuts += 1;
        self.in_midst += self.under_way.len() as u64;
        let mut rng = Rng::new(self.plan.seed ^ number, "power cut");
        let commands = self.under_way.iter().map(|&at| &self.recording.commands[at]);
        let torn_share = self.plan.torn_share;
        let damage = Damage::draw(&self.surface, self.geometry, commands, torn_share, &mut rng);
        let lost = match is_whole {
            true => self.lost_by_scan(&damage),
            false => self.lost_among(&damage, changed),
        };
        self.report.scans += u64::from(is_whole);
        self.report.losing_cuts += u64::from(!lost.is_empty());
        for (lpn, found) in lost {
            if self.report.losses.len() < TOLD {
                self.report.losses.push(self.loss(number, at, event, lpn, found));
            }
        }
    }

    fn loss(&self, cut: u64, at: u64, event: Event, lpn: Lpn, found: u32) -> Loss {
        let of = |command: usize| match self.recording.commands[command].deed {
            Deed::Program => "program",
            Deed::Erase => "erase",
        };
        let (command, moment) = match event {
            Event::Began(command) => (command, of(command)),
            // It happens again as long as the oldest of the others is under way.
            Event::Ended(command) => {
                (self.under_way.first().copied().unwrap_or(command), of(command))
            }
            Event::Flushed(_) => (self.under_way.first().copied().unwrap_or(0), "flush"),
        };
        let requests = self.log.requests.iter().take_while(|it| it.submitted <= at).count();
        let promised = self.oracle.promised(lpn);
        Loss { cut, command, moment, at, requests, lpn: lpn.number(), promised, found }
    }

    /// The logical units that a cut takes, of those that it concerns, and what is found of each.
    fn lost_among(&self, damage: &Damage, changed: &[Lpn]) -> Vec<(Lpn, u32)> {
        let concerned = damage.concerned.iter().chain(changed);
        let mut lost = Vec::new();
        for &lpn in concerned {
            match lpn.number().checked_sub(self.trim_pages.0.number()) {
                Some(page) => {
                    let told = self.told_by(page);
                    lost.extend(told.filter_map(|lpn| self.missing(damage, lpn)));
                }
                None if lpn.number() < self.logical() => lost.extend(self.missing(damage, lpn)),
                None => {}
            }
        }
        lost
    }

    /// Logical units that were ever trimmed, of those of which a page tells.
    fn told_by(&self, page: u32) -> impl Iterator<Item = Lpn> + '_ {
        let per_page = self.trim_pages.1;
        let end = ((page + 1) * per_page).min(self.logical());
        (page * per_page..end).map(Lpn::new).filter(|&lpn| !self.oracle.trims(lpn).is_empty())
    }

    fn logical(&self) -> u32 {
        self.oracle.units()
    }

    /// What a restart finds of a logical unit of which too little is there; `None`: all is well.
    fn missing(&self, damage: &Damage, lpn: Lpn) -> Option<(Lpn, u32)> {
        let newest = |lpn| recovery::newest(damage.readable_of(&self.surface, lpn));
        let found = self.resolve(lpn, newest);
        let version = found.map_or(0, |found| found.version);
        (version < self.oracle.promised(lpn)).then_some((lpn, version))
    }

    fn resolve(&self, lpn: Lpn, newest: impl Fn(Lpn) -> Option<(Unit, Mark)>) -> Option<Found> {
        let trims = self.oracle.trims(lpn);
        let (first, per_page) = self.trim_pages;
        let page = first.plus(lpn.number() / per_page);
        let is_told = !trims.is_empty() && page.number() < self.mapped;
        let page = is_told.then(|| newest(page)).flatten().map(|(_, mark)| mark);
        recovery::resolve(newest(lpn), page, trims)
    }

    /// The same for every logical unit, by a scan of the whole flash.
    fn lost_by_scan(&self, damage: &Damage) -> Vec<(Lpn, u32)> {
        let scanned = recovery::scan(damage.readable(&self.surface), self.mapped);
        let version = |lpn| self.resolve(lpn, |lpn| scanned[lpn]).map_or(0, |found| found.version);
        let all = (0..self.logical()).map(|lpn| (Lpn::new(lpn), version(Lpn::new(lpn))));
        all.filter(|&(lpn, found)| found < self.oracle.promised(lpn)).collect()
    }
}

/// The map that a restart makes of the flash as the run left it, where nothing was under way.
pub fn map_at_end(
    recording: &Recording,
    geometry: &Geometry,
    mapped: u32,
) -> ById<Lpn, Option<Found>> {
    let mut surface = Surface::new(&recording.start, mapped);
    let mut commands: Vec<_> = recording.commands.iter().enumerate().collect();
    commands.sort_by_key(|&(at, command)| (command.end, at));
    for (_, command) in commands {
        surface.carry_out(geometry, command);
    }
    let scanned = recovery::scan(surface.all(), mapped);
    scanned.iter().map(|it| it.map(|(unit, mark)| Found { unit, version: mark.version })).collect()
}
