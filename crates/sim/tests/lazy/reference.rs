//! A naive drive with lazyFTL, by lists and linear scans: it must count as the engine does, whatever the
//! drive and the requests.

use crate::common::Dice;
use crate::rig::{DAY_NS, LINE_NS, at_ns, figure, m1, tlc, try_run};
use wordline_sim::config::{Config, RunMode};
use wordline_sim::metrics::RunResult;
use wordline_sim::technique::lazy_ftl::LazyFtlConfig;
use wordline_sim::{Error, logical_bytes};
use wordline_trace::{Op, Request};

const DRIVES: u64 = 1_000;
/// Erased blocks that GC holds back, and the one that it needs itself.
const RESERVE: usize = 2;
const INNER: usize = 1;
const HOST: usize = 0;
const MOVED: usize = 1;
const PAGES: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Erased,
    Open,
    Full,
    Victim,
}

/// Since when a block waits for its second stages, and how many of its word lines need none any more.
#[derive(Debug, Clone, Copy)]
struct Waits {
    since_ns: u64,
    done: usize,
}

#[derive(Debug, Clone)]
struct Block {
    stage: Stage,
    pages: Vec<Option<u64>>,
    next: usize,
    erases: u64,
    changed_at: u64,
    waits: Option<Waits>,
}

impl Block {
    fn valid(&self) -> usize {
        self.pages.iter().flatten().count()
    }

    fn holds(&self, line: usize) -> bool {
        self.pages[line * PAGES..(line + 1) * PAGES].iter().any(Option::is_some)
    }

    fn lines(&self) -> usize {
        self.pages.len() / PAGES
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Counts {
    erases: u64,
    host: u64,
    moved: u64,
    opened: u64,
    first_stages: u64,
    secured: u64,
    dropped: u64,
    waiting: u64,
    longest: u64,
    wear: Vec<[u64; 2]>,
}

/// A die.
struct Drive {
    blocks: Vec<Block>,
    free: Vec<usize>,
    open: [Option<usize>; 2],
    /// Blocks that wait, the oldest first.
    list: Vec<usize>,
    window_ns: u64,
    /// Word lines that are secured at once: those of a superblock's row.
    row: usize,
    /// Not before then is a second stage looked for.
    pause_ns: u64,
    now_ns: u64,
    clock: u64,
    counts: Counts,
    is_stuck: bool,
}

impl Drive {
    fn new(config: &Config, own: &LazyFtlConfig) -> Self {
        let chip = &config.drive.chip;
        let count = chip.blocks_per_plane as usize;
        let row = config.ftl.superblock_dies.max(1) as usize;
        let block = Block {
            stage: Stage::Erased,
            pages: vec![None; row * chip.pages_per_block as usize],
            next: 0,
            erases: 0,
            changed_at: 0,
            waits: None,
        };
        Self {
            blocks: vec![block; count],
            free: (0..count).collect(),
            open: [None; 2],
            list: Vec::new(),
            row,
            window_ns: DAY_NS - (DAY_NS as f64 * own.window) as u64,
            pause_ns: 0,
            now_ns: 0,
            clock: 0,
            counts: Counts::default(),
            is_stuck: false,
        }
    }

    /// Second stages that come before a time.
    fn wait_until(&mut self, ns: u64) {
        while let Some(&block) = self.list.first() {
            let waits = self.blocks[block].waits.expect("it is listed");
            let at_ns = self.pause_ns.max(waits.since_ns + self.window_ns);
            if at_ns >= ns {
                break;
            }
            self.now_ns = self.now_ns.max(at_ns);
            self.secure(block, waits);
        }
        self.now_ns = ns;
    }

    /// The next word line of the block that has waited longest.
    fn secure(&mut self, block: usize, waits: Waits) {
        let is_open = self.blocks[block].stage == Stage::Open;
        if self.blocks[block].valid() == 0 && !is_open {
            self.counts.dropped += (self.blocks[block].lines() - waits.done) as u64;
            self.leave(block);
        } else if waits.done < self.blocks[block].next / PAGES {
            let holds = self.blocks[block].holds(waits.done);
            self.blocks[block].waits = Some(Waits { done: waits.done + 1, ..waits });
            match holds {
                true => {
                    self.counts.secured += 1;
                    if (waits.done + 1).is_multiple_of(self.row) {
                        self.pause_ns = self.now_ns + LINE_NS;
                    }
                }
                false => self.counts.dropped += 1,
            }
        } else if is_open {
            // What is written later waits from now on.
            self.list.remove(0);
            self.list.push(block);
            self.blocks[block].waits = Some(Waits { since_ns: self.now_ns, ..waits });
        } else {
            self.leave(block);
        }
    }

    fn leave(&mut self, block: usize) {
        self.list.retain(|&one| one != block);
        self.blocks[block].waits = None;
    }

    fn forget(&mut self, lpn: u64) {
        self.clock += 1;
        for block in &mut self.blocks {
            let Some(place) = block.pages.iter().position(|&page| page == Some(lpn)) else {
                continue;
            };
            block.pages[place] = None;
            block.changed_at = self.clock;
        }
    }

    fn write(&mut self, lpn: u64) {
        if self.open[HOST].is_none() && !self.take(HOST, false) {
            self.is_stuck = true;
            return;
        }
        self.counts.host += 1;
        self.put(HOST, lpn);
    }

    fn put(&mut self, stream: usize, lpn: u64) {
        self.forget(lpn);
        let block = self.open[stream].expect("it is open");
        let place = self.blocks[block].next;
        if stream == HOST && place == 0 {
            self.blocks[block].waits = Some(Waits { since_ns: self.now_ns, done: 0 });
            self.list.push(block);
            self.counts.opened += 1;
            self.counts.longest = self.counts.longest.max(self.list.len() as u64);
            self.pause_ns = self.pause_ns.min(self.now_ns + 1);
        }
        self.counts.first_stages += u64::from(stream == HOST && place.is_multiple_of(PAGES));
        self.blocks[block].pages[place] = Some(lpn);
        self.blocks[block].next += 1;
        if self.blocks[block].next == self.blocks[block].pages.len() {
            self.clock += 1;
            self.blocks[block].changed_at = self.clock;
            self.blocks[block].stage = Stage::Full;
            self.open[stream] = None;
        }
    }

    /// Opens a block.
    fn take(&mut self, stream: usize, is_moving: bool) -> bool {
        while !is_moving && self.free.len() <= RESERVE {
            if !self.collect() {
                break;
            }
        }
        if self.free.len() <= if is_moving { 0 } else { INNER } {
            return false;
        }
        let block = self.free.remove(0);
        self.blocks[block].stage = Stage::Open;
        self.open[stream] = Some(block);
        true
    }

    fn collect(&mut self) -> bool {
        let full = (0..self.blocks.len()).filter(|&at| self.blocks[at].stage == Stage::Full);
        let victim = full.min_by_key(|&at| (self.blocks[at].valid(), self.blocks[at].changed_at));
        let Some(victim) = victim else { return false };
        if self.blocks[victim].valid() == self.blocks[victim].pages.len() {
            return false;
        }
        self.blocks[victim].stage = Stage::Victim;
        for place in 0..self.blocks[victim].pages.len() {
            let Some(lpn) = self.blocks[victim].pages[place] else { continue };
            if self.open[MOVED].is_none() && !self.take(MOVED, true) {
                self.is_stuck = true;
                return false;
            }
            self.put(MOVED, lpn);
            self.counts.moved += 1;
        }
        if let Some(waits) = self.blocks[victim].waits {
            self.counts.dropped += (self.blocks[victim].lines() - waits.done) as u64;
            self.leave(victim);
        }
        self.counts.erases += self.row as u64;
        let block = &mut self.blocks[victim];
        (block.stage, block.next, block.erases) = (Stage::Erased, 0, block.erases + 1);
        self.free.push(victim);
        true
    }

    fn counts(mut self) -> Counts {
        let waits =
            self.blocks.iter().filter_map(|block| Some(block.next / PAGES - block.waits?.done));
        self.counts.waiting = waits.sum::<usize>() as u64;
        let most = self.blocks.iter().map(|block| block.erases).max().unwrap_or(0);
        let blocks = |erases| self.blocks.iter().filter(|block| block.erases == erases).count();
        let wear = (0..=most).map(|erases| [erases, (blocks(erases) * self.row) as u64]);
        Counts { wear: wear.filter(|[_, blocks]| *blocks > 0).collect(), ..self.counts }
    }
}

fn counts_of(result: &RunResult) -> Counts {
    let of = |path| figure(result, path);
    Counts {
        erases: result.flash.erases,
        host: result.flash.page_programs.host,
        moved: result.gc.pages_moved,
        opened: of("blocks_opened.m1"),
        first_stages: of("first_stages"),
        secured: of("second_stages.idle"),
        dropped: of("dropped"),
        waiting: of("waiting"),
        longest: of("longest_list_blocks"),
        wear: result.wear.histogram.clone(),
    }
}

/// A drive of one die, or of several whose superblocks it has, and requests of whole word lines, of which some trim a page or two; bursts, and pauses
/// in which windows open.
fn case(seed: u64) -> (Config, LazyFtlConfig, Vec<Request>) {
    let mut dice = Dice::new(seed);
    let blocks = dice.between(12, 40);
    let mut config = tlc(blocks);
    config.run.mode = RunMode::Count;
    config.ftl.superblock_dies = dice.pick(&[0, 0, 1, 2, 4]);
    config.drive.channels = config.ftl.superblock_dies.max(1);
    config.drive.chip.pages_per_block = PAGES as u64 * dice.between(2, 6);
    config.drive.over_provisioning = dice.pick(&[0.4, 0.6, 1.0, 2.0]);
    config.ftl.gc.free_block_threshold = (RESERVE as f64 + 0.1) / blocks as f64;
    let own = LazyFtlConfig { window: dice.pick(&[0.1, 0.3, 0.6]), ..m1() };
    let lines = logical_bytes(&config).map_or(1, |bytes| bytes / crate::common::PAGE) / 3;
    let (hot, pauses) = (dice.between(1, lines), dice.pick(&[15, 60, 200]));
    let mut now_ns = 0;
    let mut draw = |_| {
        now_ns += if dice.one_in(pauses) { dice.below(DAY_NS) } else { dice.between(1, 4_000_000) };
        let among = if dice.one_in(3) { lines } else { hot };
        let line = dice.below(among);
        match dice.one_in(5) {
            true => at_ns(now_ns, Op::Trim, 3 * line + dice.below(2), dice.between(1, 2) as u32),
            false => at_ns(now_ns, Op::Write, 3 * line, 3),
        }
    };
    let requests = (0..600).map(&mut draw).collect();
    (config, own, requests)
}

/// What the naive drive counts; `None` where it has no room left.
fn naive(config: &Config, own: &LazyFtlConfig, requests: &[Request]) -> Option<Counts> {
    let mut drive = Drive::new(config, own);
    for request in requests {
        drive.wait_until(request.arrival_ns);
        let first = request.offset_bytes / crate::common::PAGE;
        let pages = u64::from(request.size_bytes) / crate::common::PAGE;
        for page in first..first + pages {
            match request.op {
                Op::Trim => drive.forget(page),
                _ => drive.write(page),
            }
        }
        if drive.is_stuck {
            return None;
        }
    }
    Some(drive.counts())
}

#[test]
fn a_naive_drive_counts_the_same() {
    let only = std::env::var("REFERENCE_SEED").ok().and_then(|seed| seed.parse().ok());
    let (mut compared, mut secured, mut moved, mut seed) = (0, [0, 0], 0, only.unwrap_or(0));
    while compared < if only.is_some() { 1 } else { DRIVES } {
        assert!(seed < 4 * DRIVES, "only {compared} drives could be compared");
        let (config, own, requests) = case(seed);
        seed += 1;
        let result = match try_run(&config, &own, &requests) {
            Ok(result) => result,
            Err(Error::Infeasible { .. }) => continue,
            Err(error) => panic!("{error}, REFERENCE_SEED={}", seed - 1),
        };
        // What comes when it can wait no longer, or is never promised, is shown by hand (`deadlines.rs`).
        let is_urgent = figure(&result, "second_stages.due") + figure(&result, "turned_away") > 0;
        if is_urgent || result.host.refused_writes > 0 {
            continue;
        }
        let found = counts_of(&result);
        let expected = naive(&config, &own, &requests);
        assert!(
            expected.as_ref() == Some(&found),
            "engine {found:?}\nnaive  {expected:?}\nREFERENCE_SEED={} with {own:?}",
            seed - 1
        );
        compared += 1;
        secured[usize::from(config.ftl.superblock_dies > 1)] += u64::from(found.secured > 0);
        moved += u64::from(found.moved > 0);
    }
    let covered =
        only.is_some() || (secured.iter().all(|&drives| drives > DRIVES / 6) && moved > DRIVES / 3);
    assert!(covered, "{secured:?} drives secured word lines, {moved} moved data");
}
