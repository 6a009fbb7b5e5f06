//! What happens in an array, one thing after the other: the courses of its drives, merged by time.

use super::super::timeline::Event;
use super::member::Member;
use crate::ids::{ById, MemberId};
use std::collections::BTreeMap;

/// Something that happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// When, nanoseconds.
    pub at: u64,
    /// What.
    pub event: Event,
    /// To which drive; none: to the array.
    pub member: MemberId,
}

/// The commands of all drives, numbered in the order in which they began.
#[derive(Debug, Default)]
pub struct Numbering(BTreeMap<(MemberId, usize), usize>);

impl Numbering {
    /// The number of a drive's command.
    pub fn of(&self, member: MemberId, command: usize) -> usize {
        self.0[&(member, command)]
    }
}

/// What happens, in order, `flushes` telling when each flush of the array was over.
pub fn moments(members: &ById<MemberId, Member<'_>>, flushes: &[u64]) -> Vec<Moment> {
    let of_drive = |(member, drive): (MemberId, &Member<'_>)| {
        let events = drive.course.events(&[]).into_iter();
        events.map(move |(at, event)| Moment { at, event, member })
    };
    let flushes = flushes.iter().enumerate();
    let flushes = flushes.map(|(number, &at)| Moment {
        at,
        event: Event::Flushed(number),
        member: MemberId::NONE,
    });
    let mut all: Vec<Moment> = members.iter_with_ids().flat_map(of_drive).chain(flushes).collect();
    all.sort_unstable();
    all
}

/// The numbers of all commands.
pub fn numbering(moments: &[Moment]) -> Numbering {
    let mut numbers = BTreeMap::new();
    for moment in moments {
        if let Event::Began(command) | Event::Ended(command) = moment.event {
            let next = numbers.len();
            numbers.entry((moment.member, command)).or_insert(next);
        }
    }
    Numbering(numbers)
}
