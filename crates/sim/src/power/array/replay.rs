//! What a restart finds in the logs of an array: of each drive's partial parity log the newest entry that is whole, and of
//! a journal all entries from where it begins up to the first that is not whole.

use super::contents::{Entry, LoggedStripe, Logs};
use super::member::Member;
use crate::array::Layout;
use crate::flash::FIRST;
use crate::ids::{ById, Id, Ids, MemberId, StripeId};
use crate::power::damage::Damage;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// What logs say of stripes, oldest first.
pub type Replays<'a> = FxHashMap<StripeId, Vec<&'a LoggedStripe>>;

/// The stripes that the logs say something of, after a cut that left `damages`.
pub fn replays<'l>(
    logs: &'l Logs,
    layout: Layout,
    members: &ById<MemberId, Member<'_>>,
    damages: &ById<MemberId, Damage>,
) -> Replays<'l> {
    let log = |member| Log { member: &members[member], damage: &damages[member] };
    let partial = logs.partial.iter_with_ids();
    let partial = partial
        .filter_map(|(drive, entries)| log(MemberId(drive.number())).newest(layout, entries));
    let journal = &logs.journal;
    let journal = (!journal.is_empty()).then(|| log(MemberId(layout.drives)).needed(journal));
    let mut found = Replays::default();
    for logged in partial.chain(journal.into_iter().flatten()).flat_map(|entry| &entry.stripes) {
        found.entry(logged.stripe).or_default().push(logged);
    }
    found
}

/// The pages of the logs that are read for that: all of partial parity logs; of a journal the one that says where it
/// begins, and the entries up to the first page that belongs to none.
pub fn pages_read(
    logs: &Logs,
    layout: Layout,
    members: &ById<MemberId, Member<'_>>,
    damages: &ById<MemberId, Damage>,
) -> Vec<(MemberId, StripeId)> {
    let partial = logs.partial.iter_with_ids().flat_map(|(drive, entries)| {
        let pages = log_pages(layout, entries);
        pages.map(move |page| (MemberId(drive.number()), StripeId(page)))
    });
    let mut pages: Vec<(MemberId, StripeId)> = partial.collect();
    if !logs.journal.is_empty() {
        let member = MemberId(layout.drives);
        let log = Log { member: &members[member], damage: &damages[member] };
        let needed = log.needed(&logs.journal);
        let behind = needed.last().map(|entry| entry.first.plus(entry.pages));
        let of_entries = needed.iter().flat_map(|entry| Ids::new(entry.first, entry.pages).iter());
        let own = [StripeId(0)].into_iter().chain(of_entries).chain(behind);
        pages.extend(own.map(|page| (member, page)));
    }
    pages
}

/// The pages of a partial parity log, behind the stripes.
fn log_pages(layout: Layout, entries: &[Entry]) -> Range<u32> {
    let end = entries.iter().map(|entry| entry.first.plus(entry.pages)).max();
    layout.stripes..end.map_or(layout.stripes, StripeId::number)
}

/// A drive with a log, after a cut.
#[derive(Clone, Copy)]
struct Log<'a, 'm> {
    member: &'a Member<'m>,
    damage: &'a Damage,
}

impl Log<'_, '_> {
    /// The number of the entry of which a page is found.
    fn number_at(&self, page: StripeId) -> Option<u32> {
        self.member.holds(self.damage, page).and_then(|held| held.entry())
    }

    fn is_whole(&self, entry: &Entry, number: u32) -> bool {
        (0..entry.pages).all(|place| self.number_at(entry.first.plus(place)) == Some(number))
    }

    /// Of a partial parity log.
    fn newest(self, layout: Layout, entries: &[Entry]) -> Option<&Entry> {
        let entry = |number: u32| &entries[(number - FIRST) as usize];
        let is_whole = |&number: &u32| self.is_whole(entry(number), number);
        let numbers = log_pages(layout, entries).filter_map(|page| self.number_at(StripeId(page)));
        numbers.filter(is_whole).max().map(entry)
    }

    /// Of a journal, whose first page says where it begins.
    fn needed(self, entries: &[Entry]) -> Vec<&Entry> {
        let oldest = self.number_at(StripeId(0)).unwrap_or(FIRST);
        let entries = (oldest..).zip(&entries[(oldest - FIRST) as usize..]);
        let whole = entries.take_while(move |&(number, entry)| self.is_whole(entry, number));
        whole.map(|(_, entry)| entry).collect()
    }
}
