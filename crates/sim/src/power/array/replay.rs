//! What a restart finds in the partial parity logs of an array: of each drive's log the newest entry that is whole.

use super::contents::{Entry, LoggedStripe};
use super::member::Member;
use crate::array::Layout;
use crate::flash::FIRST;
use crate::ids::{ById, DriveId, Id, MemberId, StripeId};
use crate::power::damage::Damage;
use rustc_hash::FxHashMap;

/// The stripes that the logs say something of, after a cut that left `damages`.
pub fn replays<'a>(
    logs: &'a ById<DriveId, Vec<Entry>>,
    layout: Layout,
    members: &ById<MemberId, Member<'_>>,
    damages: &ById<MemberId, Damage>,
) -> FxHashMap<StripeId, &'a LoggedStripe> {
    let mut found = FxHashMap::default();
    for (drive, entries) in logs.iter_with_ids() {
        let member = MemberId(drive.number());
        let (member, damage) = (&members[member], &damages[member]);
        let number_at = |page| member.holds(damage, page).and_then(|held| held.entry());
        let pages = entries.iter().map(|entry| entry.first.plus(entry.pages)).max();
        let pages = layout.stripes..pages.map_or(layout.stripes, StripeId::number);
        let is_whole = |&number: &u32| {
            let Entry { first, pages, .. } = &entries[(number - FIRST) as usize];
            (0..*pages).all(|place| number_at(first.plus(place)) == Some(number))
        };
        let numbers = pages.filter_map(|page| number_at(StripeId(page)));
        if let Some(number) = numbers.filter(is_whole).max() {
            let stripes = &entries[(number - FIRST) as usize].stripes;
            found.extend(stripes.iter().map(|logged| (logged.stripe, logged)));
        }
    }
    found
}
