//! Where the pages of an array lie on its drives.

use crate::ids::{DriveId, Id, Ids, Lpn, StripeId};
use crate::schema::ArrayLevel;

/// How an array spreads its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Chunks in turn, without redundancy.
    Raid0,
    /// Every drive holds everything.
    Raid1,
    /// Chunks in turn, and the parity of each turn on a drive that changes from turn to turn.
    Raid5,
}

impl Level {
    /// The level that a configuration says; `None` for a drive alone.
    pub fn of(level: ArrayLevel) -> Option<Self> {
        match level {
            ArrayLevel::None => None,
            ArrayLevel::Raid0 => Some(Self::Raid0),
            ArrayLevel::Raid1 => Some(Self::Raid1),
            ArrayLevel::Raid5 => Some(Self::Raid5),
        }
    }

    /// Drives that such an array needs at least.
    pub fn fewest_drives(self) -> u64 {
        match self {
            Self::Raid0 | Self::Raid1 => 2,
            Self::Raid5 => 3,
        }
    }

    /// Whether a drive may be lost.
    pub fn is_redundant(self) -> bool {
        self != Self::Raid0
    }
}

/// A page of an array on its drive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Place {
    /// The drive.
    pub drive: DriveId,
    /// The stripe, which is also the number of the page on its drive.
    pub stripe: StripeId,
}

/// The layout of an array in pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// How data is spread.
    pub level: Level,
    /// Drives.
    pub drives: u32,
    /// Pages of a chunk.
    pub chunk: u32,
    /// Pages of each drive that the array uses, which are its stripes: whole chunks.
    pub stripes: u32,
}

impl Layout {
    /// The drives.
    #[inline]
    pub fn drives(&self) -> Ids<DriveId> {
        Ids::all(self.drives)
    }

    /// Drives' worth of data.
    #[inline]
    pub fn data_drives(&self) -> u32 {
        match self.level {
            Level::Raid0 => self.drives,
            Level::Raid1 => 1,
            Level::Raid5 => self.drives - 1,
        }
    }

    /// Pages that the host can address.
    pub fn pages(&self) -> u64 {
        u64::from(self.stripes) * u64::from(self.data_drives())
    }

    /// Where a page of the array lies; of mirrors, the first.
    ///
    /// RAID 5 is left-symmetric, as in Linux md (drivers/md/raid5.c, `ALGORITHM_LEFT_SYMMETRIC`):
    /// data begins on the drive after that of the parity and goes round.
    #[inline(always)]
    pub fn locate(&self, page: Lpn) -> Place {
        match self.level {
            Level::Raid0 => {
                let (_, index, stripe) = self.turn_of(page, self.drives);
                Place { drive: DriveId(index), stripe }
            }
            Level::Raid1 => Place { drive: DriveId(0), stripe: StripeId(page.number() as u32) },
            Level::Raid5 => self.locate_with_parity(page).0,
        }
    }

    /// Where a page of RAID 5 lies, and the drive that holds the parity of its stripe.
    #[inline(always)]
    pub fn locate_with_parity(&self, page: Lpn) -> (Place, DriveId) {
        let (turn, index, stripe) = self.turn_of(page, self.drives - 1);
        let parity = self.parity_in_turn(turn);
        let drive = match parity.number() + 1 + index {
            drive if drive < self.drives => drive,
            beyond => beyond - self.drives,
        };
        (Place { drive: DriveId(drive), stripe }, parity)
    }

    /// The turn of a page where each has so many chunks, the place of its chunk among these, and its stripe.
    #[inline(always)]
    fn turn_of(&self, page: Lpn, chunks: u32) -> (u64, u32, StripeId) {
        let (chunk, within) = split(page.number(), self.chunk);
        let (turn, index) = split(chunk, chunks);
        (turn, index, StripeId(turn as u32 * self.chunk + within))
    }

    /// The drive that holds the parity of a stripe in RAID 5.
    #[inline]
    pub fn parity_of(&self, stripe: StripeId) -> DriveId {
        self.parity_in_turn(split(stripe.number().into(), self.chunk).0)
    }

    #[inline(always)]
    fn parity_in_turn(&self, turn: u64) -> DriveId {
        DriveId(self.drives - 1 - split(turn, self.drives).1)
    }

    /// The page of the array that lies at a place; `None` for parity.
    pub fn page_at(&self, place: Place) -> Option<Lpn> {
        let (stripe, drive) = (place.stripe.number(), place.drive.number());
        let (turn, within) = (stripe / self.chunk, stripe % self.chunk);
        let index = match self.level {
            Level::Raid1 => return Some(Lpn(stripe.into())),
            Level::Raid0 => drive,
            Level::Raid5 => {
                let parity = self.parity_of(place.stripe).number();
                (drive + self.drives - parity - 1) % self.drives
            }
        };
        let chunk = u64::from(turn) * u64::from(self.data_drives()) + u64::from(index);
        let page = Lpn(chunk * u64::from(self.chunk)).plus(within);
        (index < self.data_drives()).then_some(page)
    }
}

/// `(n / divisor, n % divisor)`, the quicker way where there is one, which there is for most chunks.
#[inline(always)]
fn split(n: u64, divisor: u32) -> (u64, u32) {
    debug_assert!(divisor > 0);
    // `is_power_of_two` asks whether it is zero, too.
    match divisor & (divisor - 1) == 0 {
        true => (n >> divisor.trailing_zeros(), n as u32 & (divisor - 1)),
        false => (n / u64::from(divisor), (n % u64::from(divisor)) as u32),
    }
}
