//! A naive drive with LLH-FTL, by lists and linear scans: it must count as the engine does, whatever the
//! drive and the requests.

use crate::common::{Dice, Script, at};
use crate::rig::{bank, figure, technique};
use wordline_sim::config::{Config, Ties};
use wordline_sim::metrics::RunResult;
use wordline_sim::technique::llh_ftl::{LlhFtlConfig, Order, ReuseWhen, Updated};
use wordline_sim::{Error, logical_bytes};
use wordline_trace::{Op, Request};

const DRIVES: u64 = 1_000;
/// Erased blocks that GC holds back, and the one that it needs itself.
const RESERVE: usize = 2;
const INNER: usize = 1;
const HOT: usize = 0;
const COLD: usize = 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Erased,
    /// Being filled page by page, in the first round, in the second round.
    Regular,
    First,
    Second,
    /// Waiting for the second round.
    Waiting,
    /// To be reclaimed.
    Full,
    Victim,
}

#[derive(Debug, Clone)]
struct Block {
    stage: Stage,
    is_hot: bool,
    units: Vec<Option<u64>>,
    erases: u64,
    changed_at: u64,
    has_list: bool,
}

impl Block {
    fn valid(&self) -> usize {
        self.units.iter().flatten().count()
    }
}

/// What a write point writes: places that are left of its page, and pages that are left of its round.
#[derive(Debug, Clone, Default)]
struct Point {
    block: Option<usize>,
    page: Vec<usize>,
    pages: Vec<usize>,
    begun: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Counts {
    erases: u64,
    host: u64,
    moved: u64,
    collections: u64,
    reprograms: u64,
    left_out: u64,
    rounds: [u64; 3],
    page_by_page: u64,
    valid_at_reuse: u64,
    /// Units that lists were written to; and pages read of the technique's own accord.
    listed: u64,
    looked_at: u64,
    steps: [u64; 2],
    wear: Vec<[u64; 2]>,
}

/// A bank.
struct Bank {
    units_per_page: usize,
    word_lines: usize,
    own: LlhFtlConfig,
    blocks: Vec<Block>,
    free: Vec<usize>,
    waiting: Vec<usize>,
    points: [Point; 2],
    threshold: u64,
    ceiling: u64,
    ties: Ties,
    victims: Vec<u64>,
    alike: [u64; 2],
    clock: u64,
    counts: Counts,
    is_stuck: bool,
}

impl Bank {
    fn new(config: &Config, own: &LlhFtlConfig) -> Self {
        let chip = &config.drive.chip;
        let units_per_page = (chip.page_kib / config.ftl.mapping_unit_kib) as usize;
        let count = chip.blocks_per_plane as usize;
        let units = units_per_page * chip.pages_per_block as usize;
        let (stage, units) = (Stage::Erased, vec![None; units]);
        let erased =
            Block { stage, is_hot: false, units, erases: 0, changed_at: 0, has_list: false };
        let spare = count as f64 - count as f64 / (1.0 + config.drive.over_provisioning);
        Self {
            units_per_page,
            word_lines: chip.pages_per_block as usize / 2,
            own: own.clone(),
            blocks: vec![erased; count],
            free: (0..count).collect(),
            waiting: Vec::new(),
            points: Default::default(),
            threshold: (spare * own.threshold).round() as u64,
            ceiling: if own.ceiling == 0 { spare.round() as u64 } else { own.ceiling },
            ties: config.ftl.gc.ties,
            victims: Vec::new(),
            alike: [0, 0],
            clock: 0,
            counts: Counts::default(),
            is_stuck: false,
        }
    }

    /// Wherever a unit stands it is no longer valid.
    fn forget(&mut self, lpn: u64) {
        self.clock += 1;
        for block in &mut self.blocks {
            let Some(place) = block.units.iter().position(|&unit| unit == Some(lpn)) else {
                continue;
            };
            block.units[place] = None;
            block.changed_at = self.clock;
        }
    }

    fn write(&mut self, lpn: u64, is_hot: bool) {
        let stream = if is_hot { HOT } else { COLD };
        if self.points[stream].page.is_empty() && !self.open(stream, false) {
            self.is_stuck = true;
            return;
        }
        self.counts.host += 1;
        self.put(stream, lpn);
    }

    fn put(&mut self, stream: usize, lpn: u64) {
        self.forget(lpn);
        let point = &mut self.points[stream];
        let (block, place) = (point.block.expect("it is open"), point.page.remove(0));
        let is_again = self.blocks[block].stage == Stage::Second
            && (place / self.units_per_page).is_multiple_of(2);
        self.counts.reprograms += u64::from(is_again && place.is_multiple_of(self.units_per_page));
        self.blocks[block].units[place] = Some(lpn);
        self.points[stream].begun = true;
        if self.points[stream].page.is_empty() {
            self.next_page(stream);
        }
    }

    /// The next page of a round, or its end.
    fn next_page(&mut self, stream: usize) {
        self.points[stream].begun = false;
        let block = self.points[stream].block.expect("it is open");
        while !self.points[stream].pages.is_empty() {
            let page = self.points[stream].pages.remove(0);
            if self.own.lists && self.points[stream].pages.is_empty() {
                self.blocks[block].has_list = true;
                self.counts.listed += self.units_per_page as u64;
                break;
            }
            let from = page * self.units_per_page;
            let mut places: Vec<usize> = (from..from + self.units_per_page).collect();
            if self.blocks[block].stage == Stage::Second && page.is_multiple_of(2) {
                if places.iter().any(|&place| self.blocks[block].units[place].is_some()) {
                    self.counts.left_out += 1;
                    continue;
                }
                places.truncate(self.units_per_page / 2);
                // What stands there decides how data is encoded.
                self.counts.looked_at += 1;
            }
            self.points[stream].page = places;
            return;
        }
        self.points[stream].block = None;
        self.clock += 1;
        self.blocks[block].changed_at = self.clock;
        if self.blocks[block].stage == Stage::First {
            self.blocks[block].stage = Stage::Waiting;
            self.waiting.push(block);
        } else {
            self.blocks[block].stage = Stage::Full;
        }
    }

    /// The pages of a round, in their order.
    fn pages(&self, stage: Stage) -> Vec<usize> {
        let lines = self.word_lines;
        match stage {
            Stage::First => (0..lines).map(|line| 2 * line).collect(),
            Stage::Second if self.own.order == Order::Numbered => {
                // The low page of the next word line before the high page: 0, 2, 1, 4, 3, …
                let mut pages = vec![0];
                for line in 1..lines {
                    pages.extend([2 * line, 2 * line - 1]);
                }
                pages.push(2 * lines - 1);
                pages
            }
            _ => (0..2 * lines).collect(),
        }
    }

    /// The waiting block with the fewest valid units, if its second round may begin.
    fn due(&self) -> Option<(usize, bool)> {
        let valid = |&at: &usize| self.blocks[self.waiting[at]].valid();
        let at = (0..self.waiting.len()).min_by_key(valid)?;
        let is_empty = valid(&at) == 0;
        let wait = self.waiting.len() as u64;
        let is_due = match self.own.reuse_when {
            ReuseWhen::Scarce => is_empty || wait > self.threshold,
            ReuseWhen::Threshold => wait >= self.threshold,
        };
        is_due.then_some((at, is_empty))
    }

    fn open(&mut self, stream: usize, is_moving: bool) -> bool {
        let at_any_time = self.own.reuse_when == ReuseWhen::Threshold;
        if stream == HOT && (at_any_time || self.free.len() <= RESERVE) {
            let due = self.due();
            if self.own.updated == Updated::Opening
                && due.is_none_or(|(_, is_empty)| !is_empty)
                && let Some(victim) = self.cheapest()
            {
                self.compare(self.blocks[victim].valid() as u64);
            }
            if let Some((at, is_empty)) = self.due() {
                let block = self.waiting.remove(at);
                self.counts.rounds[if is_empty { 1 } else { 2 }] += 1;
                self.counts.valid_at_reuse += self.blocks[block].valid() as u64;
                self.counts.looked_at += u64::from(self.own.lists);
                self.begin(stream, block, Stage::Second);
                return true;
            }
        }
        if !is_moving {
            while self.free.len() <= RESERVE && self.points[stream].page.is_empty() {
                if !self.collect() {
                    break;
                }
            }
            if !self.points[stream].page.is_empty() {
                return true;
            }
            if self.free.len() <= INNER {
                return false;
            }
        }
        if self.free.is_empty() {
            return false;
        }
        let block = self.free.remove(0);
        let may_wait = !at_any_time || (self.waiting.len() as u64) < self.threshold;
        let is_first = stream == HOT && may_wait;
        self.counts.rounds[0] += u64::from(is_first);
        self.counts.page_by_page += u64::from(stream == HOT && !may_wait);
        self.begin(stream, block, if is_first { Stage::First } else { Stage::Regular });
        true
    }

    fn begin(&mut self, stream: usize, block: usize, stage: Stage) {
        self.blocks[block].stage = stage;
        self.blocks[block].is_hot = stream == HOT;
        self.points[stream].block = Some(block);
        self.points[stream].pages = self.pages(stage);
        self.next_page(stream);
    }

    /// Of the full blocks with the fewest valid units the one that has had so few the longest; where ties say
    /// so, a reused one before any other.
    fn cheapest(&self) -> Option<usize> {
        let full = (0..self.blocks.len()).filter(|&at| self.blocks[at].stage == Stage::Full);
        let is_later = |block: &Block| self.ties == Ties::Hottest && !block.is_hot;
        full.min_by_key(|&at| {
            let block = &self.blocks[at];
            (block.valid(), is_later(block), block.changed_at)
        })
    }

    fn collect(&mut self) -> bool {
        let Some(victim) = self.cheapest() else { return false };
        let valid = self.blocks[victim].valid();
        let lists = if self.own.lists { self.units_per_page } else { 0 };
        if valid == self.blocks[victim].units.len() - lists {
            return false;
        }
        self.counts.looked_at += u64::from(self.blocks[victim].has_list && valid > 0);
        if self.own.updated == Updated::Collection {
            self.compare(valid as u64);
        }
        self.note(valid as u64);
        self.blocks[victim].stage = Stage::Victim;
        for place in 0..self.blocks[victim].units.len() {
            let Some(lpn) = self.blocks[victim].units[place] else { continue };
            if self.points[COLD].page.is_empty() && !self.open(COLD, true) {
                self.is_stuck = true;
                return false;
            }
            self.put(COLD, lpn);
            self.counts.moved += 1;
        }
        self.counts.collections += 1;
        self.counts.erases += 1;
        self.blocks[victim].erases += 1;
        self.blocks[victim].stage = Stage::Erased;
        self.blocks[victim].has_list = false;
        self.free.push(victim);
        true
    }

    fn compare(&mut self, valid: u64) {
        let window = self.own.window as usize;
        if self.victims.len() < window {
            return;
        }
        let last = &self.victims[self.victims.len() - window..];
        let sum: u64 = last.iter().sum();
        match (valid * self.own.window).cmp(&sum) {
            std::cmp::Ordering::Less => self.alike = [self.alike[0] + 1, 0],
            std::cmp::Ordering::Greater => self.alike = [0, self.alike[1] + 1],
            std::cmp::Ordering::Equal => {}
        }
        if self.alike[0] == self.own.steps {
            self.alike[0] = 0;
            let rises = u64::from(self.threshold < self.ceiling);
            (self.threshold, self.counts.steps[0]) =
                (self.threshold + rises, self.counts.steps[0] + rises);
        }
        if self.alike[1] == self.own.steps {
            self.alike[1] = 0;
            let falls = u64::from(self.threshold > self.own.floor);
            (self.threshold, self.counts.steps[1]) =
                (self.threshold - falls, self.counts.steps[1] + falls);
        }
    }

    fn note(&mut self, valid: u64) {
        self.victims.push(valid);
    }

    /// The figures, once what waits for a program to fill has been programmed.
    fn counts(mut self) -> Counts {
        for stream in [HOT, COLD] {
            if self.points[stream].begun {
                self.points[stream].page.clear();
                self.next_page(stream);
            }
        }
        let most = self.blocks.iter().map(|block| block.erases).max().unwrap_or(0);
        let blocks = |erases| self.blocks.iter().filter(|block| block.erases == erases).count();
        let wear = (0..=most).map(|erases| [erases, blocks(erases) as u64]);
        Counts { wear: wear.filter(|[_, blocks]| *blocks > 0).collect(), ..self.counts }
    }
}

fn counts_of(result: &RunResult) -> Counts {
    let of = |path| figure(result, path);
    Counts {
        erases: result.flash.erases,
        host: result.flash.page_programs.host,
        moved: result.gc.pages_moved,
        collections: result.gc.count,
        reprograms: of("/reprograms"),
        left_out: of("/low_pages_left_out"),
        rounds: ["/rounds/first", "/rounds/second_empty", "/rounds/second_beyond_threshold"]
            .map(of),
        page_by_page: of("/rounds/page_by_page"),
        valid_at_reuse: of("/rounds/valid_units_at_reuse"),
        listed: result.flash.page_programs.technique,
        looked_at: result.flash.page_reads.technique,
        steps: ["/threshold/rises", "/threshold/falls"].map(of),
        wear: result.wear.histogram.clone(),
    }
}

/// A drive of one bank, its technique, and requests of which some trim.
fn case(seed: u64) -> (Config, LlhFtlConfig, Vec<Request>) {
    let mut dice = Dice::new(seed);
    let mut config = bank();
    let blocks = dice.between(14, 40);
    config.drive.chip.blocks_per_plane = blocks;
    config.drive.chip.pages_per_block = 2 * dice.between(1, 6);
    config.drive.chip.page_kib = dice.pick(&[8.0, 16.0, 32.0]);
    config.drive.over_provisioning = dice.pick(&[0.3, 0.45, 0.6, 1.0]);
    config.ftl.gc.free_block_threshold = (RESERVE as f64 + 0.1) / blocks as f64;
    config.ftl.gc.ties = dice.pick(&[Ties::Listed, Ties::Hottest]);
    config.ftl.hotness.hot_share = dice.pick(&[0.02, 0.1, 0.3, 0.5]);
    let own = LlhFtlConfig {
        threshold: dice.pick(&[0.0, 0.25, 0.5, 1.0]),
        reuse_when: dice.pick(ReuseWhen::ALL),
        updated: dice.pick(Updated::ALL),
        order: dice.pick(Order::ALL),
        window: dice.between(1, 6),
        steps: dice.between(1, 8),
        floor: dice.below(4),
        ceiling: dice.pick(&[0, 0, 2, 6]),
        failure: 0.0,
        strain: 1.0,
        lists: config.drive.chip.pages_per_block > 2 && dice.one_in(3),
        ..LlhFtlConfig::default()
    };
    let units = logical_bytes(&config).map_or(1, |bytes| bytes / crate::common::PAGE);
    let hot = (config.ftl.hotness.hot_share * units as f64).round().max(1.0) as u64;
    let (share, trims) = (dice.below(100), dice.pick(&[0, 0, 50]));
    let draw = |n: u64| {
        let unit = if dice.below(100) < share { dice.below(hot) } else { dice.below(units) };
        let op = if trims > 0 && dice.one_in(trims) { Op::Trim } else { Op::Write };
        at(n * 1000, op, unit, 1)
    };
    (config, own, (0..2_500).map(draw).collect())
}

/// What the naive drive counts; `None` where it has no room left.
fn naive(config: &Config, own: &LlhFtlConfig, requests: &[Request]) -> Option<Counts> {
    let units = logical_bytes(config).ok()? / crate::common::PAGE;
    let hot = (config.ftl.hotness.hot_share * units as f64).round() as u64;
    let mut bank = Bank::new(config, own);
    for request in requests {
        let unit = request.offset_bytes / crate::common::PAGE;
        match request.op {
            Op::Trim => bank.forget(unit),
            _ => bank.write(unit, unit < hot),
        }
        if bank.is_stuck {
            return None;
        }
    }
    Some(bank.counts())
}

#[test]
fn a_naive_drive_counts_the_same() {
    let only = std::env::var("REFERENCE_SEED").ok().and_then(|seed| seed.parse().ok());
    let (mut compared, mut reused, mut moved, mut seed) = (0, 0, 0, only.unwrap_or(0));
    while compared < if only.is_some() { 1 } else { DRIVES } {
        assert!(seed < 4 * DRIVES, "only {compared} drives could be compared");
        let (mut config, own, requests) = case(seed);
        config.run.mode = wordline_sim::config::RunMode::Count;
        seed += 1;
        let outcome = match wordline_sim::technique::llh_ftl::LlhFtl::new(own.clone(), &config) {
            Ok(_) => wordline_sim::with(
                &config,
                technique(&own, &config),
                Script::source(requests.clone()),
                &mut (),
            ),
            Err(error) => Err(error),
        };
        let result = match outcome {
            Ok(outcome) => outcome.result,
            Err(Error::Infeasible { .. }) => continue,
            Err(error) => panic!("{error}, REFERENCE_SEED={}", seed - 1),
        };
        // What happens to a drive without room for reuse is shown by hand (`runs.rs`).
        if figure(&result, "/rounds/surrendered") > 0 || result.host.refused_writes > 0 {
            continue;
        }
        let found = counts_of(&result);
        let expected = naive(&config, &own, &requests);
        assert!(
            expected.as_ref() == Some(&found),
            "engine {found:?}\nnaive  {expected:?}\nREFERENCE_SEED={} with {own:?}, hot {}",
            seed - 1,
            config.ftl.hotness.hot_share
        );
        compared += 1;
        reused += u64::from(found.reprograms > 0);
        moved += u64::from(found.moved > 0);
    }
    let covered = only.is_some() || (reused > DRIVES / 3 && moved > DRIVES / 3);
    assert!(covered, "{reused} drives reused pages, {moved} moved data");
}
