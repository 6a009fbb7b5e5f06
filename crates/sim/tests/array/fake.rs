//! Drives that take the time they are told, and what their pages hold: a word for each sector, in
//! which every bit is as good as a byte.

use std::collections::BTreeMap;
use wordline_sim::Fallible;
use wordline_sim::array::{
    Array, Cached, Contents, DriveRequest, Drives, Layout, Level, Logging, Member, Part, Rmw,
    Rules, SECTOR_BYTES, Told,
};
use wordline_sim::ids::{ById, DriveId, HeadId, Id, Lpn, StripeId};
use wordline_trace::{Op, Request};

/// Sectors of a page.
pub const SECTORS: usize = 4;
/// Bytes of a page.
pub const PAGE: u64 = SECTORS as u64 * SECTOR_BYTES;

/// A pseudo-random word.
pub fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A drive: each request takes a time of its own, in no order.
pub struct Fake {
    seed: u64,
    /// Longest time of a request; 0: all end at once.
    pub longest_ns: u64,
    /// Whether ends are told ahead, or only when they come.
    tells_ahead: bool,
    taken: u64,
    ahead: Vec<(u64, u64)>,
    due: Vec<(u64, u64)>,
    /// What it was asked.
    pub log: Vec<DriveRequest>,
    /// And when.
    pub times: Vec<u64>,
}

impl Fake {
    pub fn new(seed: u64, longest_ns: u64, tells_ahead: bool) -> Self {
        let (ahead, due, log, times) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { seed, longest_ns, tells_ahead, taken: 0, ahead, due, log, times }
    }
}

impl Member for Fake {
    fn submit(
        &mut self,
        request: &DriveRequest,
        now_ns: u64,
        ends: &mut Vec<(u64, u64)>,
    ) -> Fallible<Told> {
        let length_ns = match self.longest_ns {
            0 => 0,
            longest_ns => 1 + mix(self.seed ^ self.taken) % longest_ns,
        };
        let end = (self.taken, now_ns + length_ns);
        if self.tells_ahead {
            self.due.push(end)
        } else {
            self.ahead.push(end)
        }
        self.taken += 1;
        self.log.push(*request);
        self.times.push(now_ns);
        let next_ns = self.tell(ends);
        let end_ns = match ends[..] {
            [only] if only == end => {
                ends.clear();
                end.1
            }
            _ => u64::MAX,
        };
        Ok(Told { end_ns, next_ns })
    }

    fn wake(&mut self, now_ns: u64, ends: &mut Vec<(u64, u64)>) -> u64 {
        let is_due = |end: &mut (u64, u64)| end.1 <= now_ns;
        self.due.extend(self.ahead.extract_if(.., is_due));
        self.tell(ends)
    }
}

impl Fake {
    fn tell(&mut self, ends: &mut Vec<(u64, u64)>) -> u64 {
        ends.append(&mut self.due);
        self.ahead.iter().map(|&(_, at_ns)| at_ns).min().unwrap_or(u64::MAX)
    }
}

/// A word of the host for a sector.
#[derive(Debug, Clone, Default)]
struct Truth {
    /// What a read gives for certain: the last acknowledged word.
    settled: u64,
    /// Words of requests that are not acknowledged, oldest first.
    open: Vec<(u64, u64)>,
}

/// What drives and cache hold, and what the host may expect of them.
pub struct Words {
    layout: Layout,
    drives: ById<DriveId, ById<StripeId, [u64; SECTORS]>>,
    cache: BTreeMap<(HeadId, DriveId), [u64; SECTORS]>,
    truth: Vec<Truth>,
    /// Stripes that are being copied.
    copies: BTreeMap<StripeId, [u64; SECTORS]>,
    /// Writes under way: request, first sector, end.
    writes: Vec<(u64, u64, u64)>,
    asked: u64,
    /// Parts that the host has read.
    pub served: u64,
}

/// The word that a request writes to a sector.
fn word(request: u64, page: Lpn, sector: usize) -> u64 {
    mix(request << 32 ^ page.number() << 8 ^ sector as u64)
}

fn sectors(part: Part) -> impl Iterator<Item = usize> {
    (0..SECTORS).filter(move |sector| part.sectors >> sector & 1 == 1)
}

impl Words {
    pub fn new(layout: Layout) -> Self {
        let pages = ById::filled([0; SECTORS], layout.stripes);
        Self {
            drives: ById::filled(pages, layout.drives),
            cache: BTreeMap::new(),
            truth: vec![Truth::default(); layout.pages() as usize * SECTORS],
            copies: BTreeMap::new(),
            writes: Vec::new(),
            asked: 0,
            served: 0,
            layout,
        }
    }

    fn page(&mut self, page: Cached) -> &mut [u64; SECTORS] {
        self.cache.entry((page.head, page.drive)).or_insert([0; SECTORS])
    }

    fn expects(&mut self, part: Part, words: [u64; SECTORS], whence: &str) {
        self.served += 1;
        for sector in sectors(part) {
            let truth = &self.truth[part.page.index() * SECTORS + sector];
            let word = words[sector];
            assert!(
                word == truth.settled || truth.open.iter().any(|open| open.1 == word),
                "page {} sector {sector}, read from {whence}: lost",
                part.page
            );
        }
    }

    fn write(&mut self, part: Part) {
        for sector in sectors(part) {
            let open = &mut self.truth[part.page.index() * SECTORS + sector].open;
            if open.iter().all(|&(request, _)| request != part.request) {
                open.push((part.request, word(part.request, part.page, sector)));
            }
        }
    }

    /// A request is acknowledged.
    pub fn settle(&mut self, request: u64) {
        self.writes.retain(|write| write.0 != request);
        for truth in &mut self.truth {
            if let Some(at) = truth.open.iter().position(|open| open.0 == request) {
                truth.settled = truth.open[at].1;
                truth.open.drain(..=at);
            }
        }
    }

    /// Every page is on the drives that `holds` names, or follows from them.
    pub fn check(&self, holds: impl Fn(DriveId) -> bool) {
        for page in (0..self.layout.pages()).map(Lpn) {
            let place = self.layout.locate(page);
            let drives = self.layout.drives().iter();
            let copies: Vec<DriveId> = match self.layout.level {
                Level::Raid1 => drives.clone().filter(|&drive| holds(drive)).collect(),
                _ => [place.drive].into_iter().filter(|&drive| holds(drive)).collect(),
            };
            let at = |drive: DriveId| self.drives[drive][place.stripe];
            let xor = |sector: usize| {
                let others = drives.clone().filter(|&drive| drive != place.drive);
                others.fold(0, |xor, drive| xor ^ at(drive)[sector])
            };
            for sector in 0..SECTORS {
                let truth = &self.truth[page.index() * SECTORS + sector];
                assert!(truth.open.is_empty(), "a write was never acknowledged");
                for &drive in &copies {
                    assert_eq!(at(drive)[sector], truth.settled, "page {page} on {drive}");
                }
                if self.layout.level == Level::Raid5
                    && drives.clone().filter(|d| !holds(*d)).all(|d| d == place.drive)
                {
                    assert_eq!(xor(sector), truth.settled, "page {page} from parity");
                }
            }
        }
    }
}

impl Contents<Fake> for Words {
    fn fetch(&mut self, page: Cached, stripe: StripeId, _: &mut Drives<'_, Fake>) {
        *self.page(page) = self.drives[page.drive][stripe];
    }

    fn store(&mut self, page: Cached, stripe: StripeId) {
        self.drives[page.drive][stripe] = *self.page(page);
    }

    fn fill(&mut self, page: Cached, part: Part) {
        self.write(part);
        for sector in sectors(part) {
            self.page(page)[sector] = word(part.request, part.page, sector);
        }
    }

    fn compute(&mut self, page: Cached) {
        let mut xor = [0; SECTORS];
        for drive in self.layout.drives().iter().filter(|&drive| drive != page.drive) {
            let other = *self.page(Cached { drive, ..page });
            (0..SECTORS).for_each(|sector| xor[sector] ^= other[sector]);
        }
        *self.page(page) = xor;
    }

    fn add(&mut self, page: Cached, other: DriveId) {
        let other = *self.page(Cached { drive: other, ..page });
        (0..SECTORS).for_each(|sector| self.page(page)[sector] ^= other[sector]);
    }

    fn is_consistent(&mut self, head: HeadId) -> bool {
        let drives = self.layout.drives().iter();
        (0..SECTORS).all(|sector| {
            drives.clone().fold(0, |xor, drive| xor ^ self.page(Cached { head, drive })[sector])
                == 0
        })
    }

    fn serve(&mut self, page: Cached, part: Part) {
        let words = *self.page(page);
        self.expects(part, words, "the cache");
    }

    fn serve_direct(&mut self, drive: DriveId, stripe: StripeId, part: Part) {
        let words = self.drives[drive][stripe];
        self.expects(part, words, "a drive");
    }

    fn store_direct(&mut self, drive: DriveId, stripe: StripeId, part: Part) {
        self.write(part);
        for sector in sectors(part) {
            self.drives[drive][stripe][sector] = word(part.request, part.page, sector);
        }
    }

    fn copy_from(&mut self, drive: DriveId, stripe: StripeId) {
        let words = self.drives[drive][stripe];
        self.copies.insert(stripe, words);
    }

    fn copy_to(&mut self, drive: DriveId, stripe: StripeId) {
        self.drives[drive][stripe] = self.copies[&stripe];
    }

    fn lose(&mut self, drive: DriveId) {
        for (at, words) in (0u64..).zip(self.drives[drive].iter_mut()) {
            *words = [mix(at ^ 0xdead); SECTORS];
        }
    }
}

impl Words {
    /// A page of a drive changes unnoticed.
    pub fn spoil(&mut self, drive: DriveId, stripe: StripeId) {
        self.drives[drive][stripe][0] ^= 1;
    }
}

/// An array of drives that hold words.
pub type Rig = Array<Fake, Words>;

/// Rules that limit nothing but the stripe cache.
pub fn rules(stripe_cache: usize) -> Rules {
    Rules {
        page_bytes: PAGE,
        unit_bytes: PAGE,
        logging: Logging::None,
        stripe_cache,
        rmw: Rmw::Enable,
        bypass_threshold: 1,
        counts_updates: true,
        sync_min_mb_s: 0.0,
        sync_max_mb_s: 1e9,
    }
}

/// An array of `members` drives, those beyond the layout's spares, each of whose requests takes up
/// to `longest_ns`.
pub fn rig(layout: Layout, rules: Rules, members: u32, longest_ns: u64) -> Rig {
    let drive = |number| Fake::new(mix(u64::from(number)), longest_ns, number % 2 == 0);
    Array::new(layout, rules, (0..members).map(drive).collect(), Words::new(layout))
}

/// A request of the host: sectors of the array from `first` on.
#[derive(Debug, Clone, Copy)]
pub struct Ask {
    pub at_ns: u64,
    pub op: Op,
    pub first: u64,
    pub sectors: u64,
    /// True for a write that is durable at once.
    pub fua: bool,
}

/// Hands a request to an array; time must have come to it.
pub fn ask(array: &mut Rig, ask: Ask) {
    let Ask { at_ns, op, first, sectors, fua } = ask;
    let per_page = SECTORS as u64;
    let end = first + sectors;
    let writes = &array.core.contents.writes;
    // Who writes the same sectors twice at the same time must expect mirrors to differ.
    if op == Op::Write && writes.iter().any(|write| write.1 < end && first < write.2) {
        return;
    }
    if op == Op::Write && array.core.contents.layout.level == Level::Raid1 {
        let number = array.core.contents.asked;
        array.core.contents.writes.push((number, first, end));
    }
    array.core.contents.asked += 1;
    let pages = first / per_page..end.div_ceil(per_page);
    let pages: Vec<Lpn> = pages.map(Lpn).collect();
    let masks = (u64::MAX << (first % per_page), u64::MAX >> (64 - ((end - 1) % per_page + 1)));
    let request = Request::new(op, first * SECTOR_BYTES, (sectors * SECTOR_BYTES) as u32)
        .at(at_ns)
        .with_fua(fua);
    array.submit(&request, at_ns, &pages, masks).expect("drives take everything");
    settle(array);
}

/// Acknowledged requests count as written.
fn settle(array: &mut Rig) {
    for finished in std::mem::take(&mut array.core.requests.finished) {
        if finished.op == Op::Write {
            array.core.contents.settle(finished.number);
        }
    }
}

/// Lets time pass.
pub fn pass(array: &mut Rig, to_ns: u64) {
    while array.next_ns() <= to_ns {
        array.step().expect("drives take everything");
        settle(array);
    }
    array.advance(to_ns).expect("nothing is left to do");
}

/// Lets everything come to its end.
pub fn finish(array: &mut Rig) {
    while array.next_ns() < u64::MAX {
        array.step().expect("drives take everything");
        settle(array);
    }
    assert_eq!(array.core.requests.in_flight(), 0, "a request never ends");
    assert!(!array.is_syncing(), "a rebuild or scrub never ends");
}
