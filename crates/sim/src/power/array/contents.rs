//! What an array asked of its drives, page by page: the version of a page of data, and of parity the versions of the
//! data of which it was made.

use crate::array::{Cached, Contents, DriveRequest, Drives, Layout, Level, Logged, Part};
use crate::flash::FIRST;
use crate::host::log::Touched;
use crate::ids::{ById, DriveId, HeadId, Lpn, MemberId, StripeId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What a page of a drive is the XOR of: pages of data of its stripe, by the drive that each belongs to, in a version.
/// A page of data is that of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Content(Vec<(DriveId, u32)>);

impl Content {
    /// A page of data of a drive.
    pub fn of_data(drive: DriveId, version: u32) -> Self {
        Self(vec![(drive, version)])
    }

    /// A page of an entry of a log.
    pub fn of_log(number: u32) -> Self {
        Self::of_data(DriveId::NONE, number)
    }

    /// The number of the entry of a log of which it is a page.
    pub fn entry(&self) -> Option<u32> {
        self.version_of(DriveId::NONE)
    }

    /// The parity of pages of data.
    pub fn parity(data: impl Iterator<Item = (DriveId, u32)>) -> Self {
        let mut content = Self::default();
        data.for_each(|page| content.toggle(page));
        content
    }

    fn toggle(&mut self, page: (DriveId, u32)) {
        match self.0.binary_search(&page) {
            Ok(at) => drop(self.0.remove(at)),
            Err(at) => self.0.insert(at, page),
        }
    }

    /// The XOR of both.
    pub fn add(&mut self, other: &Self) {
        other.0.iter().for_each(|&page| self.toggle(page));
    }

    /// The version of a drive's page of data, where it is nothing but that.
    pub fn version_of(&self, drive: DriveId) -> Option<u32> {
        match self.0[..] {
            [(of, version)] if of == drive => Some(version),
            _ => None,
        }
    }

    /// True for the XOR of equals.
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }
}

/// What each request to a drive wrote, or trimmed: pages of its stripes.
pub type Sent = Vec<Vec<(StripeId, Content)>>;

/// What a log or journal holds of a stripe.
#[derive(Debug, Clone)]
pub enum Kept {
    /// What its parity is made of again.
    Partial {
        /// The XOR of the data that is not written.
        partial: Content,
        /// The drives whose data is written.
        written: Vec<DriveId>,
    },
    /// Pages of data, and the parity.
    Pages(Vec<(DriveId, Content)>),
}

impl Kept {
    /// The drives that are read for it.
    pub fn read(&self) -> &[DriveId] {
        match self {
            Self::Partial { written, .. } => written,
            Self::Pages(_) => &[],
        }
    }
}

/// A stripe in a log or journal.
#[derive(Debug, Clone)]
pub struct LoggedStripe {
    /// The stripe.
    pub stripe: StripeId,
    /// What is kept of it.
    pub kept: Kept,
}

/// An entry of a log or of a journal.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its first page.
    pub first: StripeId,
    /// Its pages.
    pub pages: u32,
    /// Its stripes.
    pub stripes: Vec<LoggedStripe>,
}

/// What an array wrote before stripes: entries, counted from 1.
#[derive(Debug, Default)]
pub struct Logs {
    /// Whether any are kept: stripes of which they tell nothing then match.
    pub are_kept: bool,
    /// Those of the partial parity log of each drive.
    pub partial: ById<DriveId, Vec<Entry>>,
    /// Those of the journal.
    pub journal: Vec<Entry>,
}

/// Notes what an array sends to its drives.
#[derive(Debug)]
pub struct Noting {
    layout: Layout,
    /// How often each page of the array was written; what it holds at the start is the first version.
    versions: ById<Lpn, u32>,
    /// The version that a request of the host gave a page.
    given: BTreeMap<(u64, Lpn), u32>,
    cached: FxHashMap<(HeadId, DriveId), Content>,
    held: FxHashMap<(DriveId, StripeId), Content>,
    /// Pages of the next request.
    next: Vec<(StripeId, Content)>,
    sent: ById<MemberId, Sent>,
    logs: Logs,
}

impl Noting {
    /// Of an array of so many members that was not asked for anything, and which keeps logs or does not.
    pub fn new(layout: Layout, members: u32, are_kept: bool) -> Self {
        let partial = ById::filled(Vec::new(), layout.drives);
        Self {
            layout,
            versions: ById::filled(FIRST, layout.pages()),
            given: BTreeMap::new(),
            cached: FxHashMap::default(),
            held: FxHashMap::default(),
            next: Vec::new(),
            sent: ById::filled(Vec::new(), members),
            logs: Logs { are_kept, partial, journal: Vec::new() },
        }
    }

    /// What was sent to each drive, request by request.
    pub fn take_sent(&mut self) -> ById<MemberId, Sent> {
        std::mem::take(&mut self.sent)
    }

    /// What was written before stripes.
    pub fn take_logs(&mut self) -> Logs {
        std::mem::take(&mut self.logs)
    }

    /// What the log of a drive holds of a stripe whose new parity is in the cache.
    fn logged(&self, parity: DriveId, logged: &Logged) -> LoggedStripe {
        let data = logged.drives.iter().copied().filter(|&drive| drive != parity);
        let written: Vec<DriveId> = data.collect();
        let mut partial = self.cached(Cached { head: logged.head, drive: parity });
        for &drive in &written {
            partial.add(&self.cached(Cached { head: logged.head, drive }));
        }
        LoggedStripe { stripe: logged.stripe, kept: Kept::Partial { partial, written } }
    }

    /// What a journal holds of a stripe whose new pages are in the cache.
    fn journaled(&self, logged: &Logged) -> LoggedStripe {
        let page = |&drive: &DriveId| (drive, self.cached(Cached { head: logged.head, drive }));
        let pages = logged.drives.iter().map(page).collect();
        LoggedStripe { stripe: logged.stripe, kept: Kept::Pages(pages) }
    }

    /// Pages of an entry are about to be sent.
    fn send_entry(&mut self, first: StripeId, pages: u32, number: usize) {
        let content = Content::of_log(number as u32);
        self.next.extend((0..pages).map(|place| (first.plus(place), content.clone())));
    }

    /// The pages of a request of the host and the versions that it gave them.
    pub fn given(&self, request: u64) -> impl Iterator<Item = Touched> {
        let all = self.given.range((request, Lpn(0))..=(request, Lpn::NONE));
        all.map(|(&(_, page), &version)| Touched { lpn: page, version, written: 0 })
    }

    fn version(&mut self, part: Part) -> u32 {
        let versions = &mut self.versions;
        *self.given.entry((part.request, part.page)).or_insert_with(|| {
            versions[part.page] += 1;
            versions[part.page]
        })
    }

    fn cached(&self, page: Cached) -> Content {
        self.cached.get(&(page.head, page.drive)).cloned().unwrap_or_default()
    }
}

/// What a drive holds of a stripe before anything is written.
pub fn at_start(layout: &Layout, drive: DriveId, stripe: StripeId) -> Content {
    let is_parity = |of: DriveId| layout.level == Level::Raid5 && layout.parity_of(stripe) == of;
    match layout.level {
        Level::Raid1 => Content::of_data(DriveId(0), FIRST),
        _ if is_parity(drive) => {
            let data = layout.drives().iter().filter(|&of| !is_parity(of));
            Content::parity(data.map(|of| (of, FIRST)))
        }
        _ => Content::of_data(drive, FIRST),
    }
}

impl<M> Contents<M> for Noting {
    fn fetch(&mut self, page: Cached, stripe: StripeId, _: &mut Drives<'_, M>) {
        let held = self.held.get(&(page.drive, stripe)).cloned();
        let content = held.unwrap_or_else(|| at_start(&self.layout, page.drive, stripe));
        self.cached.insert((page.head, page.drive), content);
    }

    fn store(&mut self, page: Cached, stripe: StripeId) {
        self.held.insert((page.drive, stripe), self.cached(page));
    }

    fn fill(&mut self, page: Cached, part: Part) {
        let content = Content::of_data(page.drive, self.version(part));
        self.cached.insert((page.head, page.drive), content);
    }

    fn compute(&mut self, page: Cached) {
        let mut content = Content::default();
        for drive in self.layout.drives().iter().filter(|&drive| drive != page.drive) {
            content.add(&self.cached(Cached { drive, ..page }));
        }
        self.cached.insert((page.head, page.drive), content);
    }

    fn add(&mut self, page: Cached, other: DriveId) {
        let mut content = self.cached(page);
        content.add(&self.cached(Cached { drive: other, ..page }));
        self.cached.insert((page.head, page.drive), content);
    }

    fn send(&mut self, page: Cached, stripe: StripeId) {
        let content = self.cached(page);
        self.next.push((stripe, content));
    }

    fn send_direct(&mut self, drive: DriveId, stripe: StripeId, part: Part) {
        let drive = if self.layout.level == Level::Raid1 { DriveId(0) } else { drive };
        let content = Content::of_data(drive, self.version(part));
        self.next.push((stripe, content));
    }

    fn log(&mut self, drive: DriveId, first: StripeId, pages: u32, entry: &[Logged]) {
        let stripes = entry.iter().map(|logged| self.logged(drive, logged)).collect();
        self.logs.partial[drive].push(Entry { first, pages, stripes });
        self.send_entry(first, pages, self.logs.partial[drive].len());
    }

    fn journal(&mut self, first: StripeId, pages: u32, entry: &[Logged]) {
        let stripes = entry.iter().map(|logged| self.journaled(logged)).collect();
        self.logs.journal.push(Entry { first, pages, stripes });
        self.send_entry(first, pages, self.logs.journal.len());
    }

    fn begin_journal(&mut self, page: StripeId, entry: u32) {
        self.send_entry(page, 1, entry as usize);
    }

    fn sent(&mut self, member: MemberId, _: &DriveRequest, _: &mut M) {
        self.sent[member].push(std::mem::take(&mut self.next));
    }
}
