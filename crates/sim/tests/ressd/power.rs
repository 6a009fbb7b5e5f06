//! Power cuts: what ReSSD does to flash is done to a model of it as well, and power fails before, in
//! and after every operation there. A restart must find everything that was acknowledged.

use crate::common::Dice;
use crate::mirror::Mirror;
use crate::rig::{layers, technique, tlc, writes};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use wordline_sim::config::RunMode;
use wordline_sim::ids::{Id, Lpn, Unit};
use wordline_sim::nand::Geometry;
use wordline_sim::technique::ressd::recovery::{
    Found, Mark, OutOfBand, Recovered, from_image, image, scan,
};
use wordline_sim::technique::ressd::{ReSsdConfig, Status, WordLines};
use wordline_sim::with;

/// A page's data: whose, the number of the write that put it there, and the version of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copy {
    pub lpn: Lpn,
    pub sequence: u64,
    pub version: u64,
    pub mark: Mark,
}

impl Copy {
    fn area(&self) -> OutOfBand {
        OutOfBand { lpn: self.lpn, sequence: self.sequence, mark: self.mark }
    }
}

/// What flash holds, without anything that a power cut takes.
#[derive(Debug, Default)]
pub struct Flash {
    pub pages: Vec<Option<Copy>>,
    preserved: Vec<Copy>,
    bits: u32,
    logical_pages: u32,
    /// The newest version of each logical page that was acknowledged: its program ended.
    acknowledged: Vec<u64>,
    /// Whether copies are made of what an operation puts at risk.
    pub backs_up: bool,
    pub cuts: u64,
    /// Cuts after which something acknowledged was gone.
    pub losses: u64,
    pub backups: u64,
    pub most_preserved: usize,
}

impl Flash {
    pub fn new(pages: u32, bits: u32, logical_pages: u32) -> Self {
        Self {
            pages: vec![None; pages as usize],
            acknowledged: vec![0; logical_pages as usize],
            bits,
            logical_pages,
            backs_up: true,
            ..Self::default()
        }
    }

    fn restart(&self, pages: &[Option<Copy>]) -> Recovered {
        let areas: Vec<_> = pages.iter().map(|page| page.map(|copy| copy.area())).collect();
        let preserved: Vec<_> = self.preserved.iter().map(Copy::area).collect();
        scan(&areas, &preserved, self.logical_pages, self.bits)
    }

    /// Power fails with these pages readable.
    fn cut(&mut self, pages: &[Option<Copy>]) {
        self.cuts += 1;
        let recovered = self.restart(pages);
        let version = |found: &Found| match *found {
            Found::Nowhere => 0,
            Found::Page(page) => pages[page.index()].map_or(0, |copy| copy.version),
            Found::Preserved(place) => self.preserved[place as usize].version,
        };
        let versions = recovered.map.iter().map(version);
        let lost = versions.zip(&self.acknowledged).any(|(found, &known)| found < known);
        self.losses += u64::from(lost);
        self.check_writable(pages, &recovered);
    }

    /// No page that a reprogram may write after the restart holds data that the map leads to.
    fn check_writable(&self, pages: &[Option<Copy>], recovered: &Recovered) {
        for (page, copy) in (0..).map(Unit).zip(pages) {
            let Some(copy) = copy else { continue };
            let (line, place) = recovered.lines.locate(page);
            let is_newest = recovered.map[copy.lpn.index()] == Found::Page(page);
            assert!(!(is_newest && recovered.lines.get(line).may_write(place)), "page {page}");
        }
    }

    /// The newest copy of every logical page that a page of flash or a copy holds.
    fn newest(&self) -> HashMap<Lpn, u64> {
        let mut newest = HashMap::new();
        for copy in self.pages.iter().flatten().chain(&self.preserved) {
            let sequence: &mut u64 = newest.entry(copy.lpn).or_default();
            *sequence = copy.sequence.max(*sequence);
        }
        newest
    }

    /// An operation: until it ends `pages` cannot be read. It writes `copies`, or erases them all. Power
    /// fails before, in and after it.
    fn operate(&mut self, pages: std::ops::Range<u32>, copies: &[(u32, Copy)]) {
        let at_risk = pages.start as usize..pages.end as usize;
        if self.backs_up {
            let newest = self.newest();
            let only = |copy: &&Copy| newest[&copy.lpn] == copy.sequence;
            let saved: Vec<Copy> =
                self.pages[at_risk.clone()].iter().flatten().filter(only).copied().collect();
            self.backups += saved.len() as u64;
            self.preserved.extend(saved);
            self.most_preserved = self.most_preserved.max(self.preserved.len());
        }
        self.cut(&self.pages.clone());
        let mut torn = self.pages.clone();
        torn[at_risk.clone()].fill(None);
        self.cut(&torn);
        if copies.is_empty() {
            self.pages[at_risk].fill(None);
        }
        for &(page, copy) in copies {
            self.pages[page as usize] = Some(copy);
            let known = &mut self.acknowledged[copy.lpn.index()];
            *known = copy.version.max(*known);
        }
        self.prune();
        self.cut(&self.pages.clone());
    }

    /// Copies whose data a page holds again, or newer data, are given up.
    fn prune(&mut self) {
        let mut held = HashMap::new();
        for copy in self.pages.iter().flatten() {
            let sequence: &mut u64 = held.entry(copy.lpn).or_default();
            *sequence = copy.sequence.max(*sequence);
        }
        self.preserved.retain(|copy| held.get(&copy.lpn).is_none_or(|&at| at < copy.sequence));
    }

    fn word_line(&self, page: u32) -> std::ops::Range<u32> {
        let first = page / self.bits * self.bits;
        first..first + self.bits
    }

    pub fn program(&mut self, copies: &[(u32, Copy)]) {
        self.operate(self.word_line(copies[0].0), copies);
    }

    pub fn erase(&mut self, pages: std::ops::Range<u32>) {
        self.operate(pages, &[]);
    }
}

/// What became of a drive on which hot and cold data was written at random.
fn run(own: &ReSsdConfig, seed: u64, backs_up: bool) -> Flash {
    let mut config = tlc(2);
    config.run.mode = RunMode::Count;
    let geometry = Geometry::new(&config).expect("the drive works");
    let pages = crate::common::logical_pages(&config);
    let bits = geometry.groups[0].bits;
    let model = Flash { backs_up, ..Flash::new(geometry.units() as u32, bits, pages as u32) };
    let model = Arc::new(Mutex::new(model));
    let mut dice = Dice::new(seed);
    let hot = 4 + dice.below(pages / 8);
    let drawn: Vec<u64> = (0..2000)
        .map(|_| if dice.below(10) < 6 { dice.below(hot) } else { dice.below(pages) })
        .collect();
    let mirror = Mirror::new(technique(own, &config), Arc::clone(&model), bits);
    let source = crate::common::Script::source(writes(drawn, 0, 1));
    let outcome = with(&config, mirror, source, &mut ()).expect("the drive works").result;
    assert!(outcome.flash.reprograms > 300 && outcome.flash.erases > 20, "{:?}", outcome.flash);
    let mut model = model.lock().unwrap_or_else(PoisonError::into_inner);
    std::mem::take(&mut model)
}

#[test]
fn a_scan_finds_everything_acknowledged_whenever_power_fails() {
    let own =
        [layers(1), layers(2), ReSsdConfig { virtual_layers: true, candidates: 2, ..layers(2) }];
    for (seed, own) in (0..).zip(&own) {
        let flash = run(own, seed, true);
        assert!(flash.cuts > 3000, "{}", flash.cuts);
        assert_eq!(flash.losses, 0, "of {} cuts, seed {seed}", flash.cuts);
        assert!(flash.backups > 300);
        // Preserved space holds what one erase and the registers can lack.
        assert!(flash.most_preserved < 48, "{}", flash.most_preserved);
    }
}

#[test]
fn without_copies_interrupted_reprograms_lose_acknowledged_data() {
    let flash = run(&layers(2), 1, false);
    assert!(flash.losses > 100, "{} of {} cuts", flash.losses, flash.cuts);
}

#[test]
fn a_capacitor_saves_the_status_of_word_lines_in_six_bits() {
    let mut lines = WordLines::new(Unit(0), 3 * 101, 3);
    let mut dice = Dice::new(9);
    for line in 0..101 {
        let counts = [dice.below(3), dice.below(3)].map(|count| count as u8);
        let status = lines.get_mut(line);
        if counts[0] + counts[1] <= 2 {
            *status = Status::of_writes(counts);
            (0..2).filter(|_| dice.below(2) == 1).for_each(|page| status.validate(page));
        }
    }
    let saved = image(&lines);
    assert_eq!(saved.len(), (101 * 6usize).div_ceil(8));
    let restored = from_image(&saved, 3 * 101, 3);
    assert!(lines.all().eq(restored.all()));
}
