//! What a technique answers and needs, as the drive is built.

/// A question that a technique answers instead of the conventional drive.
///
/// [`Hook::Idle`], [`Hook::Due`] and [`Hook::Deaths`] any number of techniques may list. Of the others one technique at most
/// lists each on the dies on which it works; [`Hook::Route`] and [`Hook::Promises`] belong to the whole drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hook {
    /// Which group of dies takes a unit: [`Routing::route`](super::Routing::route).
    Route,
    /// What must be done by some time: [`Technique::promises`](super::Technique::promises).
    Promises,
    /// Where a unit goes in a group: [`Placement`](super::Placement).
    Placement,
    /// What reclaiming a block costs: [`Routing::victim_cost`](super::Routing::victim_cost).
    VictimCost,
    /// What moves before a write is placed: [`Refill::cleared`](super::Refill::cleared).
    Clear,
    /// What joins a program: [`Refill::companion`](super::Refill::companion).
    Companion,
    /// What an erase takes and wears: [`Cells::cycles`](super::Cells::cycles),
    /// [`Rounds::erase_plan`](super::Rounds::erase_plan).
    ErasePlan,
    /// How a page is read: [`Cells::read_plan`](super::Cells::read_plan).
    ReadPlan,
    /// What is done when the drive has nothing to do: [`Technique::idle`](super::Technique::idle).
    Idle,
    /// What is done by its time, too: [`Technique::idle`](super::Technique::idle) is asked at the start, and when it said, whether the
    /// drive is idle or not.
    Due,
    /// What becomes of data that is no longer valid: [`Observer::invalidated`](super::Observer::invalidated).
    Deaths,
}

impl Hook {
    /// How many there are.
    pub(super) const COUNT: usize = Self::Deaths as usize + 1;

    /// Whether any number of techniques may list it.
    pub(super) fn is_shared(self) -> bool {
        matches!(self, Self::Idle | Self::Due | Self::Deaths)
    }

    /// Whether it belongs to the whole drive.
    pub(super) fn is_of_drive(self) -> bool {
        matches!(self, Self::Route | Self::Promises)
    }
}

/// What a technique answers and needs.
#[derive(Debug, Clone, Copy)]
pub struct Profile {
    /// The one group of dies on which it works, an index of [`Geometry::groups`](crate::nand::Geometry::groups);
    /// `None`: the whole drive. It is asked and told of nothing else.
    pub group: Option<usize>,
    /// What it answers: of all else it is not asked.
    pub hooks: &'static [Hook],
    /// Streams that it needs besides those of host, GC and map.
    pub streams: u32,
    /// How many of those are written by GC too: erased blocks are held back for these alone.
    pub streams_of_gc: u32,
    /// The share of the units of a block in which data can stand: less than 1 where it gives space up, such as pages
    /// that it leaves out. A drive that lacks the room for this is refused, and a steady state is that of blocks
    /// with so much data.
    pub capacity_share: f64,
    /// Erased blocks of each plane that only its own streams may take: a drive that lacks the room is refused.
    pub set_aside: u32,
    /// Whether a fill is written as the host writes, and asked for its place; otherwise it is set as on the
    /// conventional drive.
    pub places_fill: bool,
    /// Whether it programs a unit anew while others of the same program stay.
    pub programs_apart: bool,
    /// Where it maps a group by whole programs: the group, and how to have it otherwise. A technique there that
    /// programs units apart is refused.
    pub maps_programs: Option<(usize, &'static str)>,
    /// Logical units of an aligned range whose data belongs together, if it lists [`Hook::Route`]; 0: none does. Of
    /// such a range requests are cut into [parts](crate::policy::hotness::Part), and what the host's buffer holds
    /// of one leaves it together, as a part.
    pub range_units: u32,
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            group: None,
            hooks: &[],
            streams: 0,
            streams_of_gc: 0,
            capacity_share: 1.0,
            set_aside: 0,
            places_fill: false,
            programs_apart: false,
            maps_programs: None,
            range_units: 0,
        }
    }
}

impl Profile {
    /// The profile of a technique of the whole drive that answers these hooks.
    pub fn of(hooks: &'static [Hook]) -> Self {
        Self { hooks, ..Self::default() }
    }
}
