//! The bytes of an array: what the host has handed over, the pages of the stripe cache with their XOR, and what goes
//! to the flash of each drive.
//!
//! A write goes from the host into `newest`, from there into a page of the cache or straight to a drive, and is in a drive's
//! flash once the drive was sent it. A page is taken from the first of these that has it, and where its own drive lost it,
//! from the others.

use crate::carried;
use crate::store::Sensing;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use wordline_media::{Lost, Reads, Sensed};
use wordline_sim::MemberDrive;
use wordline_sim::array::{Cached, Contents, DriveRequest, Drives, Layout, Level, Part, Place};
use wordline_sim::ids::{DriveId, HeadId, Id, Lpn, MemberId, StripeId};
use wordline_trace::Op;

/// The bytes of a page; `None`: they are lost.
pub type Page = Option<Arc<[u8]>>;

/// A drive of the array.
type Member = Box<dyn MemberDrive>;

/// Data of the host whose writes are not over.
struct Newest {
    data: Arc<[u8]>,
    /// Writes of the page under way.
    writes: u32,
}

/// What the pages of an array hold.
pub struct Bytes {
    layout: Layout,
    page_bytes: u64,
    zeroes: Arc<[u8]>,
    newest: FxHashMap<Lpn, Newest>,
    /// The pages of each write that is not over.
    writes: FxHashMap<u64, Vec<Lpn>>,
    cached: FxHashMap<(HeadId, DriveId), Page>,
    /// Pages of the next request to a drive.
    next: Vec<(StripeId, Page)>,
    /// Pages that a drive does not hold as they were last meant to be: lost before they were written, or refused.
    stale: FxHashSet<(MemberId, StripeId)>,
    /// What reads of the host came to.
    pub reads: Reads,
    /// What reads within the array came to.
    pub moves: Reads,
    /// Pages that were taken from the other drives because their own had lost them.
    pub repaired: u64,
    /// Whether power failed since the stripes last matched.
    must_mend: bool,
}

/// Adds another page, which is whole words: their XOR.
fn add(sum: &mut [u8], page: &[u8]) {
    for (word, other) in sum.chunks_exact_mut(8).zip(page.chunks_exact(8)) {
        let sum = u64::from_le_bytes((&*word).try_into().expect("eight bytes"));
        let other = u64::from_le_bytes(other.try_into().expect("eight bytes"));
        word.copy_from_slice(&(sum ^ other).to_le_bytes());
    }
}

/// The XOR of pages; `None` where one of them is lost.
fn xor(pages: impl Iterator<Item = Page>, page_bytes: u64) -> Page {
    let mut sum = vec![0; page_bytes as usize];
    for page in pages {
        add(&mut sum, &page?);
    }
    Some(sum.into())
}

impl Bytes {
    /// Of an array to which nothing was written, or which restarts; `must_mend`: after a power cut.
    pub fn new(layout: Layout, page_bytes: u64, must_mend: bool) -> Self {
        Self {
            layout,
            page_bytes,
            zeroes: std::iter::repeat_n(0, page_bytes as usize).collect(),
            newest: FxHashMap::default(),
            writes: FxHashMap::default(),
            cached: FxHashMap::default(),
            next: Vec::new(),
            stale: FxHashSet::default(),
            reads: Reads::default(),
            moves: Reads::default(),
            repaired: 0,
            must_mend,
        }
    }

    /// Whether every drive holds its pages as they were meant to be.
    pub fn is_whole(&self) -> bool {
        self.stale.is_empty()
    }

    /// The host writes a page by the request of this number.
    pub fn hand_over(&mut self, request: u64, page: Lpn, data: Arc<[u8]>) {
        assert_eq!(data.len() as u64, self.page_bytes, "bytes of a page");
        let newest =
            self.newest.entry(page).or_insert_with(|| Newest { data: data.clone(), writes: 0 });
        newest.data = data;
        newest.writes += 1;
        self.writes.entry(request).or_default().push(page);
    }

    /// The host has trimmed a page, which RAID 5 keeps. A write that still waits writes zeroes.
    pub fn trim(&mut self, page: Lpn) {
        if self.layout.level != Level::Raid5
            && let Some(newest) = self.newest.get_mut(&page)
        {
            newest.data = self.zeroes.clone();
        }
    }

    /// The newest data of a page of the host, as its drive gives it: a page of several units is decoded elsewhere.
    pub fn sense_page(&mut self, page: Lpn, drives: &mut Drives<'_, Member>) -> Sensing {
        if let Some(newest) = self.newest.get(&page) {
            return Sensing { by: 0, sensed: Sensed::Data(newest.data.clone()) };
        }
        let Place { drive, stripe } = self.layout.locate(page);
        match drives.holder(drive, stripe) {
            Some((member, drive)) if self.is_one_unit(drive) && !self.is_stale(member, stripe) => {
                let sensed = carried::sense(&mut **drive, Lpn(stripe.number().into()));
                Sensing { by: member.index(), sensed }
            }
            _ => Sensing { by: 0, sensed: Sensed::Lost(Lost::Before) },
        }
    }

    /// The newest data of a page of the host that could not be had of what was sensed.
    pub fn repair(&mut self, page: Lpn, drives: &mut Drives<'_, Member>) -> Page {
        if let Some(newest) = self.newest.get(&page) {
            return Some(newest.data.clone());
        }
        let moves = std::mem::take(&mut self.moves);
        let Place { drive, stripe } = self.layout.locate(page);
        let direct = match drives.holder(drive, stripe) {
            Some(holder) if !self.is_one_unit(holder.1) => self.sense(holder, stripe),
            _ => None,
        };
        let known = direct.or_else(|| self.cached(drives.cached(drive, stripe)?));
        let found = known.or_else(|| self.made(drive, stripe, drives));
        self.reads.add(std::mem::replace(&mut self.moves, moves));
        found
    }

    /// What the flash of each drive gives for its page of a stripe.
    pub fn stripe(&mut self, stripe: StripeId, drives: &mut Drives<'_, Member>) -> Vec<Page> {
        let layout = self.layout;
        let of = |drive| drives.holder(drive, stripe).and_then(|holder| self.sense(holder, stripe));
        layout.drives().into_iter().map(of).collect()
    }

    /// False where a page reads as zeroes because nothing was written there.
    pub fn has_data(&self, page: Lpn, drives: &mut Drives<'_, Member>) -> bool {
        let place = self.layout.locate(page);
        let units = |member: &Member| self.units_of(member_unit_bytes(member), place.stripe);
        self.newest.contains_key(&page)
            || drives.holder(place.drive, place.stripe).is_none_or(|(_, member)| {
                units(member).any(|lpn| carried::has_data(&mut **member, lpn))
            })
    }

    /// A drive's page of a stripe: its own, or what the others make of it.
    fn page(&mut self, drive: DriveId, stripe: StripeId, drives: &mut Drives<'_, Member>) -> Page {
        let held = self.held(drive, stripe, drives);
        held.or_else(|| self.made(drive, stripe, drives))
    }

    /// A drive's page of a stripe that the drive cannot give, because it has lost the page or is lost itself.
    fn made(&mut self, drive: DriveId, stripe: StripeId, drives: &mut Drives<'_, Member>) -> Page {
        let made = self.rebuilt(drive, stripe, drives);
        let is_repair = made.is_some() && drives.holder(drive, stripe).is_some();
        self.repaired += u64::from(is_repair);
        made
    }

    /// A drive's page of a stripe as the cache or the drive has it.
    fn held(&mut self, drive: DriveId, stripe: StripeId, drives: &mut Drives<'_, Member>) -> Page {
        match drives.cached(drive, stripe) {
            Some(cached) => self.cached(cached),
            None => drives.holder(drive, stripe).and_then(|holder| self.sense(holder, stripe)),
        }
    }

    /// A drive's page of a stripe, made of those of the other drives.
    fn rebuilt(
        &mut self,
        drive: DriveId,
        stripe: StripeId,
        drives: &mut Drives<'_, Member>,
    ) -> Page {
        let (layout, page_bytes) = (self.layout, self.page_bytes);
        let others = layout.drives().into_iter().filter(|&other| other != drive);
        let mut held = others.map(|other| self.held(other, stripe, drives));
        match layout.level {
            Level::Raid0 => None,
            Level::Raid1 => held.find_map(|page| page),
            Level::Raid5 => xor(held, page_bytes),
        }
    }

    /// What a drive's flash gives for a page. What it cannot give may be had of the other drives.
    fn sense(&mut self, (member, drive): (MemberId, &mut Member), stripe: StripeId) -> Page {
        if self.is_stale(member, stripe) {
            return None;
        }
        let unit_bytes = member_unit_bytes(drive);
        let mut data = self.zeroes.to_vec();
        let mut reads = Reads::default();
        let mut units = self.units_of(unit_bytes, stripe).zip(data.chunks_mut(unit_bytes as usize));
        let is_read =
            units.all(|(lpn, unit)| carried::read(&mut **drive, lpn, unit, &mut reads).is_ok());
        self.moves.add(Reads { lost: 0, ..reads });
        is_read.then(|| data.into())
    }

    /// The logical units of a drive that make up its page of a stripe.
    fn units_of(&self, unit_bytes: u64, stripe: StripeId) -> impl Iterator<Item = Lpn> + use<> {
        let units = self.page_bytes / unit_bytes;
        (0..units).map(move |unit| Lpn(u64::from(stripe.number()) * units + unit))
    }

    fn is_one_unit(&self, drive: &Member) -> bool {
        member_unit_bytes(drive) == self.page_bytes
    }

    fn is_stale(&self, member: MemberId, stripe: StripeId) -> bool {
        self.stale.contains(&(member, stripe))
    }

    /// Whether no drive has anything in a stripe.
    fn is_empty(&self, stripe: StripeId, drives: &mut Drives<'_, Member>) -> bool {
        !self.layout.drives().into_iter().any(|drive| {
            drives.holder(drive, stripe).is_some_and(|(_, member)| {
                let mut units = self.units_of(member_unit_bytes(member), stripe);
                units.any(|lpn| carried::has_data(&mut **member, lpn))
            })
        })
    }

    fn cached(&self, page: Cached) -> Page {
        self.cached
            .get(&(page.head, page.drive))
            .expect("a page of the cache has been filled")
            .clone()
    }

    fn newest(&self, page: Lpn) -> Page {
        self.newest.get(&page).map(|newest| newest.data.clone())
    }
}

fn is_zero(page: &[u8]) -> bool {
    page.iter().all(|&byte| byte == 0)
}

fn member_unit_bytes(member: &Member) -> u64 {
    member.state().geometry.unit_bytes
}

/// The logical units that a request begins, and their part of its first page on.
fn units(request: &DriveRequest, unit_bytes: u64) -> impl Iterator<Item = Lpn> + use<> {
    let end = request.offset_bytes + u64::from(request.size_bytes);
    (request.offset_bytes / unit_bytes..end.div_ceil(unit_bytes)).map(Lpn)
}

impl Contents<Member> for Bytes {
    fn fetch(&mut self, page: Cached, stripe: StripeId, drives: &mut Drives<'_, Member>) {
        let found = self.page(page.drive, stripe, drives);
        self.moves.lost += u64::from(found.is_none());
        self.cached.insert((page.head, page.drive), found);
    }

    fn fill(&mut self, page: Cached, part: Part) {
        let data = self.newest(part.page);
        assert!(data.is_some(), "the host handed over what it writes");
        self.cached.insert((page.head, page.drive), data);
    }

    fn compute(&mut self, page: Cached) {
        let others = self.layout.drives().into_iter().filter(|&drive| drive != page.drive);
        let sum = xor(others.map(|drive| self.cached(Cached { drive, ..page })), self.page_bytes);
        self.cached.insert((page.head, page.drive), sum);
    }

    fn add(&mut self, page: Cached, other: DriveId) {
        let both = [page, Cached { drive: other, ..page }].map(|page| self.cached(page));
        self.cached.insert((page.head, page.drive), xor(both.into_iter(), self.page_bytes));
    }

    fn is_consistent(&mut self, head: HeadId) -> bool {
        let drives = self.layout.drives().into_iter();
        let sum = xor(drives.map(|drive| self.cached(Cached { head, drive })), self.page_bytes);
        sum.is_some_and(|sum| is_zero(&sum))
    }

    /// The first copy that can be had is the one that counts. A parity is made anew of the data; where some of that is lost,
    /// nobody knows whether the parity is of it, and the parity is given up.
    fn unmatched(&mut self, stripe: StripeId, drives: &mut Drives<'_, Member>) -> Vec<DriveId> {
        if !self.must_mend || self.is_empty(stripe, drives) {
            return Vec::new();
        }
        let held = self.stripe(stripe, drives);
        let of = self.layout.drives().into_iter().zip(&held);
        match self.layout.level {
            Level::Raid0 => Vec::new(),
            Level::Raid1 => {
                let Some(first) = held.iter().flatten().next() else { return Vec::new() };
                let others = of.filter(|(_, page)| page.as_ref() != Some(first));
                others.map(|(drive, _)| drive).collect()
            }
            Level::Raid5 => {
                let sum = xor(held.iter().cloned(), self.page_bytes);
                let matches = sum.is_some_and(|sum| is_zero(&sum));
                if matches { Vec::new() } else { vec![self.layout.parity_of(stripe)] }
            }
        }
    }

    fn send(&mut self, page: Cached, stripe: StripeId) {
        let data = self.cached(page);
        self.next.push((stripe, data));
    }

    fn send_copy(&mut self, drive: DriveId, stripe: StripeId, drives: &mut Drives<'_, Member>) {
        let copy = self.rebuilt(drive, stripe, drives);
        self.next.push((stripe, copy));
    }

    fn send_direct(&mut self, _: DriveId, stripe: StripeId, part: Part) {
        let data = self.newest(part.page);
        self.next.push((stripe, data));
    }

    fn sent(&mut self, member: MemberId, request: &DriveRequest, drive: &mut Member) {
        let pages: FxHashMap<StripeId, Page> = self.next.drain(..).collect();
        if request.op != Op::Write {
            return;
        }
        let unit_bytes = member_unit_bytes(drive);
        for lpn in units(request, unit_bytes) {
            let at = lpn.number() * unit_bytes;
            let stripe = StripeId((at / self.page_bytes) as u32);
            let page = pages.get(&stripe).expect("what is sent was said before");
            let Some(page) = page else {
                self.stale.insert((member, stripe));
                continue;
            };
            self.stale.remove(&(member, stripe));
            let within = (at % self.page_bytes) as usize;
            let unit = match page.len() as u64 == unit_bytes {
                true => page.clone(),
                false => page[within..within + unit_bytes as usize].into(),
            };
            carried::hand_over(&mut **drive, lpn, unit);
        }
    }

    fn taken(&mut self, member: MemberId, request: &DriveRequest, drive: &mut Member) {
        let unit_bytes = member_unit_bytes(drive);
        let stripe_of = |lpn: Lpn| StripeId((lpn.number() * unit_bytes / self.page_bytes) as u32);
        match request.op {
            Op::Write => {
                if drive.is_read_only() {
                    let stripes = units(request, unit_bytes).map(stripe_of);
                    self.stale.extend(stripes.map(|stripe| (member, stripe)));
                }
                carried::release(&mut **drive, units(request, unit_bytes));
            }
            Op::Trim => {
                for lpn in units(request, unit_bytes) {
                    self.stale.remove(&(member, stripe_of(lpn)));
                    carried::flash(&mut **drive).1.trim(lpn);
                }
            }
            Op::Read | Op::Flush => {}
        }
    }

    fn unsent(&mut self) {
        self.next.clear();
    }

    fn over(&mut self, request: u64) {
        for page in self.writes.remove(&request).into_iter().flatten() {
            let newest = self.newest.get_mut(&page).expect("its write was under way");
            newest.writes -= 1;
            if newest.writes == 0 {
                self.newest.remove(&page);
            }
        }
    }
}
