//! What the controller's memory holds at a moment: what it has acknowledged and the flash does not hold yet, or no
//! longer, because a copy of it is still on its way. A part of it may be saved as power fails.

use super::damage::Damage;
use super::hold_up::{Begun, HoldUp, Rank, Spent};
use super::promises::Oracle;
use super::saved::Kept;
use super::timeline::{Course, Event};
use super::verdict::{Numbers, Verdict};
use crate::flash::Image;
use crate::host::log::HostLog;
use crate::ids::{ById, Id, Lpn};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Bytes that say that a logical unit was trimmed.
const TRIM_BYTES: u64 = 8;

/// The controller's memory, and the energy that saves it.
#[derive(Debug)]
pub struct Memory<'a> {
    hold_up: &'a HoldUp,
    /// By the time of their acknowledgement, requests and what they wrote or trimmed.
    acknowledgements: Vec<(u64, Vec<(Lpn, u32)>)>,
    /// How many of them have come to pass.
    passed: usize,
    /// The version of each logical unit that was acknowledged last.
    acknowledged: ById<Lpn, u32>,
    /// What the flash does not hold of that, the oldest first, and where each stands.
    waiting: BTreeMap<u64, Lpn>,
    places: FxHashMap<Lpn, u64>,
    next_place: u64,
    unit_bytes: u64,
}

impl<'a> Memory<'a> {
    /// The memory during a run, at whose start `oracle` says what was promised.
    pub fn new(hold_up: &'a HoldUp, log: &HostLog, oracle: &Oracle, numbers: Numbers) -> Self {
        let done = log.requests.iter().filter(|it| it.done < u64::MAX && !it.units.is_empty());
        let versions = |units: &[crate::host::log::Touched]| {
            units.iter().map(|unit| (unit.lpn, unit.version)).collect()
        };
        let mut acknowledgements: Vec<(u64, Vec<(Lpn, u32)>)> =
            done.map(|it| (it.done, versions(&it.units))).collect();
        acknowledgements.sort_by_key(|&(done, _)| done);
        let all = (0..numbers.logical).map(Lpn::new);
        let acknowledged = all.map(|lpn| oracle.promised(lpn)).collect();
        Self::with(hold_up, acknowledgements, acknowledged, numbers)
    }

    /// The memory of a drive that restarts, from whatever the restart found.
    pub fn restarted(hold_up: &'a HoldUp, image: &Image, numbers: Numbers) -> Self {
        let found = image.versions.iter().take(numbers.logical as usize).copied();
        Self::with(hold_up, Vec::new(), found.collect(), numbers)
    }

    fn with(
        hold_up: &'a HoldUp,
        acknowledgements: Vec<(u64, Vec<(Lpn, u32)>)>,
        acknowledged: ById<Lpn, u32>,
        numbers: Numbers,
    ) -> Self {
        Self {
            hold_up,
            acknowledgements,
            passed: 0,
            acknowledged,
            waiting: BTreeMap::new(),
            places: FxHashMap::default(),
            next_place: 0,
            unit_bytes: numbers.unit_bytes,
        }
    }

    /// The version of a logical unit that was acknowledged last.
    pub fn acknowledged(&self, lpn: Lpn) -> u32 {
        self.acknowledged[lpn]
    }

    /// What the flash does not hold of that, the oldest first.
    pub fn waiting(&self) -> impl Iterator<Item = Lpn> {
        self.waiting.values().copied()
    }

    /// An event has taken place, with which of `changed` units are gone.
    pub fn pass(
        &mut self,
        course: &Course<'_>,
        verdict: Verdict<'_>,
        (at, event): (u64, Event),
        changed: &[Lpn],
    ) {
        let mut touched = Vec::new();
        // What is acknowledged as a program ends may be so because of another one that ends then.
        let is_past = |done: u64| done < at || done == at && !matches!(event, Event::Ended(_));
        while let Some((_, units)) =
            self.acknowledgements.get(self.passed).filter(|(done, _)| is_past(*done))
        {
            for &(lpn, version) in units {
                self.acknowledged[lpn] = version.max(self.acknowledged[lpn]);
                self.places.remove(&lpn).map(|place| self.waiting.remove(&place));
                touched.push(lpn);
            }
            self.passed += 1;
        }
        if let Event::Ended(command) = event {
            let written = course.command(command).written.iter().map(|(_, mark)| mark.lpn);
            let of_flash = written.chain(changed.iter().copied());
            touched.extend(of_flash.flat_map(|lpn| verdict.host_units(lpn)));
        }
        for lpn in touched {
            self.look_at(lpn, verdict.version_of(&Damage::default(), lpn));
        }
    }

    /// The flash holds this version of a logical unit.
    fn look_at(&mut self, lpn: Lpn, on_flash: u32) {
        let is_there = on_flash >= self.acknowledged[lpn];
        match self.places.get(&lpn).copied() {
            Some(place) if is_there => {
                self.waiting.remove(&place);
                self.places.remove(&lpn);
            }
            None if !is_there => {
                self.waiting.insert(self.next_place, lpn);
                self.places.insert(lpn, self.next_place);
                self.next_place += 1;
            }
            _ => {}
        }
    }

    /// Power fails: what the energy keeps.
    pub fn keep(&self, course: &Course<'_>, verdict: Verdict<'_>, oracle: &Oracle) -> Kept {
        let state = course.state();
        let begun = course.interrupted().map(|(number, command)| Begun {
            number,
            rank: Rank::of(state, command),
            energy_nj: command.energy_nj,
        });
        let begun: Vec<Begun> = begun.collect();
        let all = |_| true;
        let whole = Damage::finished(&course.surface, &state.geometry, course.interrupted(), all);
        let concerned = whole.concerned.iter().flat_map(|&lpn| verdict.host_units(lpn));
        let mut is_known = FxHashSet::default();
        let is_lacking = |&lpn: &Lpn| {
            is_known.insert(lpn) && verdict.version_of(&whole, lpn) < self.acknowledged[lpn]
        };
        let lacking: Vec<Lpn> = self.waiting().chain(concerned).filter(is_lacking).collect();
        let bytes = |&lpn: &Lpn| {
            let version = self.acknowledged[lpn];
            let is_trim = oracle.trims(lpn).iter().any(|trim| trim.version == version);
            if is_trim { TRIM_BYTES } else { self.unit_bytes }
        };
        let entries: Vec<u64> = lacking.iter().map(bytes).collect();
        let Spent { finished, saved, needed_nj } = self.hold_up.spend(&begun, &entries);
        let saved = lacking[..saved].iter().map(|&lpn| (lpn, self.acknowledged[lpn])).collect();
        Kept { finished: finished.into_iter().collect(), saved, needed_nj }
    }
}
