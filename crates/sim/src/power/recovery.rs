//! What a restart makes of the flash: a scan of the out-of-band areas of all pages. Of several units that hold the
//! same logical unit, the one that was written last counts; a page whose data or out-of-band area does not pass
//! its check does not count at all. What was trimmed since it was written is dead.

use crate::flash::Mark;
use crate::ids::{ById, Id, Lpn, Unit};

/// Where a restart finds the data of a logical unit, and its version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// The unit that holds it; `NONE`: it was trimmed.
    pub unit: Unit,
    /// The host's version.
    pub version: u32,
}

/// When the host trimmed a logical unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trim {
    /// The number of the unit that the drive had written last: data up to it is dead.
    pub written: u64,
    /// The version of the logical unit from then on.
    pub version: u32,
}

/// The newest of several units with the same data, or of several versions of it: of equals, which are copies,
/// the one that stands first.
pub fn newest(units: impl Iterator<Item = (Unit, Mark)>) -> Option<(Unit, Mark)> {
    units.min_by_key(|&(unit, mark)| (std::cmp::Reverse(mark.sequence), unit))
}

/// What a logical unit holds, given its newest data and the newest page that tells of its trims.
pub fn resolve(data: Option<(Unit, Mark)>, page: Option<Mark>, trims: &[Trim]) -> Option<Found> {
    let told = page.and_then(|page| trims.iter().rev().find(|it| it.written < page.sequence));
    match (data, told) {
        (Some((_, mark)), Some(trim)) if mark.sequence <= trim.written => {
            Some(Found { unit: Unit::NONE, version: trim.version })
        }
        (Some((unit, mark)), _) => Some(Found { unit, version: mark.version }),
        (None, Some(trim)) => Some(Found { unit: Unit::NONE, version: trim.version }),
        (None, None) => None,
    }
}

/// The newest readable unit of every logical unit, by one scan over what can be read.
pub fn scan(
    readable: impl Iterator<Item = (Unit, Mark)>,
    mapped: u64,
) -> ById<Lpn, Option<(Unit, Mark)>> {
    let mut found: ById<Lpn, Option<(Unit, Mark)>> = ById::filled(None, mapped);
    for entry in readable {
        let place = &mut found[entry.1.lpn];
        *place = newest(place.take().into_iter().chain([entry]));
    }
    debug_assert!(
        found
            .iter_with_ids()
            .all(|(lpn, it)| it.is_none_or(|(_, mark)| mark.lpn.number() == lpn.number()))
    );
    found
}
