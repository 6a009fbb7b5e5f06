//! The parameters of lazyFTL, and the drives on which it works.

use super::LazyFtl;
use super::mode::{RATED_PEC, WriteMode};
use crate::declare::{Kind, Table, TechniqueDecl, choice, params};
use crate::error::Error;
use crate::nand::infeasible;
use crate::policy::hotness;
use crate::schema::{Cell, Config, Frontiers, HostMode, Incomplete, RunMode};
use crate::technique::die_group::DieGroup;
use crate::technique::{Entry, InSuperblocks, Technique};

/// The entry in the list of techniques.
pub const ENTRY: Entry = Entry {
    declaration: TechniqueDecl {
        name: "lazy_ftl",
        params: LazyFtlConfig::PARAMS,
        defaults: || toml::Table::try_from(LazyFtlConfig::default()).unwrap_or_default(),
    },
    summary: "TLC word lines are programmed fast first, and a second time in place only if their data outlives what the first program retains.",
    source: "Kim and Kim, LazyRS: Improving the Performance and Reliability of High-Capacity TLC/QLC Flash-Based Storage Systems Using Lazy Reprogramming, Electronics 12(4):843, 2023",
    in_superblocks: InSuperblocks::Dense(
        "parity and metadata would need second stages too, and each word line has its own",
    ),
    build: |table, drive| {
        let own = table.clone().try_into::<LazyFtlConfig>();
        let own = own.map_err(|error| {
            infeasible(format!("[technique.lazy_ftl]: {error}"), "see `wordline describe lazy_ftl`")
        })?;
        Ok(Box::new(LazyFtl::for_drive(own, drive)?) as Box<dyn Technique>)
    },
};

choice! {
    /// How blocks are written.
    pub enum Written {
        Selected = "selected",
        M1 = "m1",
        M7 = "m7",
        M30 = "m30",
    }
}

impl Written {
    /// The mode in which all blocks are written; `None` where it is selected.
    pub fn mode(self) -> Option<WriteMode> {
        match self {
            Self::Selected => None,
            Self::M1 => Some(WriteMode::M1),
            Self::M7 => Some(WriteMode::M7),
            Self::M30 => Some(WriteMode::M30),
        }
    }
}

choice! {
    /// What the second stage takes.
    pub enum SecondStage {
        Whole = "whole",
        Rest = "rest",
    }
}

choice! {
    /// What of the waiting blocks the selector counts.
    pub enum Length {
        All = "all",
        Own = "own",
        Due = "due",
        Surviving = "surviving",
    }
}

choice! {
    /// What a full list is.
    pub enum LengthOf {
        Drive = "drive",
        Logical = "logical",
    }
}

choice! {
    /// What the selector's thresholds are.
    pub enum Thresholds {
        Fixed = "fixed",
        Adaptive = "adaptive",
    }
}

choice! {
    /// For how long the modes promise to hold.
    pub enum Deadlines {
        Rated = "rated",
        ByWear = "by_wear",
    }
}

choice! {
    /// Which of the host's writes are programmed in a first stage.
    pub enum Writes {
        All = "all",
        Hot = "hot",
    }
}

choice! {
    /// How data is written that the drive itself moves.
    pub enum Moves {
        Secured = "secured",
        Lazy = "lazy",
    }
}

choice! {
    /// What becomes of data that outlives its first stage.
    pub enum Secures {
        InPlace = "in_place",
        Moved = "moved",
        Cheaper = "cheaper",
    }
}

params! {
    /// `[technique.lazy_ftl]`: programs in two stages, the second one late or never.
    pub struct LazyFtlConfig {
        group: String = String::new(), Kind::Text, "",
            "the group of dies on which it works, NAME of drive.group.NAME, where the drive has several kinds of flash; everything else is then done as without it",
            "";
        mode: Written = Written::Selected, Kind::OneOf(Written::NAMES), "",
            "how blocks are written: as the selector says, or always in one mode (lazyFTL_D is m1, lazyFTL_M is m30)",
            "Kim and Kim, Electronics 12(4):843, 2023, Sections 4.2 and 5.2";
        m1_share: f64 = 0.3, Kind::Float(0.01, 1.0), "",
            "time of the first stage that holds a day, as a share of the conventional program",
            "Kim and Kim, Electronics 12(4):843, 2023, Section 4.2: M1^0.3, to one decimal, as Wordline's cells have it";
        m7_share: f64 = 0.4, Kind::Float(0.01, 1.0), "",
            "time of the first stage that holds a week",
            "Kim and Kim, Electronics 12(4):843, 2023, Section 4.2: M7^0.4, to one decimal, as Wordline's cells have it";
        m30_share: f64 = 0.5, Kind::Float(0.01, 1.0), "",
            "time of the first stage that holds a month",
            "Kim and Kim, Electronics 12(4):843, 2023, Section 4.2: M30^0.5, to one decimal, as Wordline's cells have it";
        second_stage: SecondStage = SecondStage::Whole, Kind::OneOf(SecondStage::NAMES), "",
            "time of the second stage. whole: a conventional program; rest: what the first stage left of one",
            "not given in the text (Figure 9b); whole: the name M365^1.0, Section 3.1, and Wordline's cells, by the step that leaves 15.7 to 31.2 % fewer errors; rest: an exposed second stage is not worse than conventional, Section 3.1; Wordline's cells take 0.74, 0.67 and 0.62 after m1, m7 and m30 where the second stage leaves as many errors as a conventional program, more than rest";
        u_high: f64 = 0.6, Kind::Float(0.0, 1.0), "",
            "share of the list beyond which the selector takes the next slower mode",
            "Kim and Kim, Electronics 12(4):843, 2023, Section 4.2";
        u_low: f64 = 0.3, Kind::Float(0.0, 1.0), "",
            "share of the list below which the selector takes the next faster mode",
            "Kim and Kim, Electronics 12(4):843, 2023, Section 4.2";
        thresholds: Thresholds = Thresholds::Fixed, Kind::OneOf(Thresholds::NAMES), "",
            "fixed: u_high and u_low; adaptive: both fall as more second stages come when they are due and fewer in idle time, from 1 and u_low / u_high where idle time has all of them to 0 where it has none",
            "fixed: Kim and Kim, Electronics 12(4):843, 2023, Section 4.2, which leaves adaptive ones to future work; adaptive: ours";
        length: Length = Length::All, Kind::OneOf(Length::NAMES), "",
            "what the selector compares with u_high and u_low. all: waiting blocks; own: those in the mode in use; due: those due within a day; each as a share of length_of. surviving: of the data in waiting blocks, the share that is still valid",
            "not said; all: `the entire block entry list`, Section 4.2; own: each mode has a list, Section 4.1; due: how much data should be reprogrammed, Section 3.1; surviving: almost all of the blocks are invalidated before the second stage where the list is short, Section 4.2";
        length_of: LengthOf = LengthOf::Drive, Kind::OneOf(LengthOf::NAMES), "",
            "what a full list is: as many blocks as the drive has, or as the host's space fills (not with length = surviving)",
            "not said; drive: entries do not exceed the blocks of the SSD, Section 4.1; logical: the drive's 36 GiB are limited to 16 GB, Section 5.1";
        writes: Writes = Writes::All, Kind::OneOf(Writes::NAMES), "",
            "which of the host's writes are programmed in a first stage: all, or those that ftl.hotness.policy does not call the coldest, such as the parity of a RAID 5",
            "all: Kim and Kim, Electronics 12(4):843, 2023, Section 4; hot: ours";
        moves: Moves = Moves::Secured, Kind::OneOf(Moves::NAMES), "",
            "how data is written that garbage collection and wear levelling move: conventionally, or as the host's",
            "not said; secured: what is moved has outlived its neighbours";
        secures: Secures = Secures::InPlace, Kind::OneOf(Secures::NAMES), "",
            "what becomes of data that outlives its first stage. in_place: a second stage of its word line; moved: it is written elsewhere, conventionally; cheaper: by block whichever takes a die less time, with the share of an erase that moved data costs",
            "in_place: Kim and Kim, Electronics 12(4):843, 2023, Section 4.3; moved: Liu et al., Optimizing NAND Flash-Based SSDs via Retention Relaxation, USENIX FAST 2012, which they set theirs against; cheaper: ours";
        window: f64 = 0.1, Kind::Float(0.0, 1.0), "",
            "share of a mode's retention before its end in which idle dies carry out second stages",
            "not given; Section 4.1 secures a block when it needs to be, Sections 3.1 and 5.2 in idle intervals";
        due_share: f64 = 0.5, Kind::Float(0.01, 1.0), "",
            "share of a die's time that second stages take once they cannot wait for idle time; they begin so early that this is enough",
            "not given; assumed";
        margin_s: f64 = 5.0, Kind::Float(0.0, 1e6), "s",
            "how long before the end of the retention second stages are to be over, so that GC and bursts of the host may come in between",
            "not given; assumed: several victims' moves";
        valve: bool = true, Kind::Bool, "",
            "blocks open in the secured mode where their die could not carry out all second stages in time; without it data may be lost",
            "not given; assumed: without it the retention that the modes promise is not kept under overload";
        day_s: f64 = 86400.0, Kind::Float(1e-6, 1e6), "s",
            "length of a day of retention; less in accelerated runs",
            "a day";
        temperature_c: f64 = 30.0, Kind::Float(-40.0, 125.0), "°C",
            "temperature of the drive, at which charge leaks faster than at the 30 °C for which the modes promise their days",
            "Kim and Kim, Electronics 12(4):843, 2023, Section 3.2: 30 °C";
        activation_ev: f64 = 1.1, Kind::Float(0.0, 3.0), "eV",
            "activation energy by which temperature shortens the retention",
            "JEDEC JESD218: 1.1 eV; it gives the 13 h at 85 °C for a year at 30 °C of Kim and Kim, Section 3.2";
        halved_by: f64 = 6.5, Kind::Float(0.1, 1e6), "bits per KiB",
            "errors of its margin that an erase spends by ending short for which the modes promise half of their time, and a quarter for twice as many",
            "calibrated: so many or more, 6.7 to 9.4 by mode and age, halve the time in which first stages of lazyrs-tlc reach 90 % of 60 bits, at 1000 P/E cycles and 30 °C";
        deadlines: Deadlines = Deadlines::Rated, Kind::OneOf(Deadlines::NAMES), "",
            "for how long a mode promises to hold. rated: for its days, whatever a block's wear; by_wear: for longer on blocks with fewer than 1,000 P/E cycles, and for less time on those with more",
            "rated: Kim and Kim, Electronics 12(4):843, 2023, Section 3.2: 1000 P/E cycles; by_wear: ours";
        halved_by_pec: f64 = 145.0, Kind::Float(1.0, 1e6), "P/E cycles",
            "with deadlines = by_wear, P/E cycles for which a mode promises half of its time",
            "calibrated: first stages of lazyrs-tlc hold 3.4 to 7.2 times as long after 750 P/E cycles as after 1000, 7.2 to 27 times as long after 500 as after 750, and 0.27 to 0.43 times as long after 1250";
        pec_max: u64 = 1000, Kind::Int(0, 1_000_000), "P/E cycles",
            "wear for which the modes promise their days: once a block has more, blocks of its planes open in the secured mode",
            "Kim and Kim, Electronics 12(4):843, 2023, Section 3.2: 1000 P/E cycles";
    }
}

fn refuse(is_wrong: bool, what: &str, help: &str) -> Result<(), Error> {
    match is_wrong {
        true => Err(infeasible(format!("technique lazy_ftl: {what}"), help)),
        false => Ok(()),
    }
}

/// Refuses drives on which it does not work.
pub(super) fn check_drive(
    own: &LazyFtlConfig,
    config: &Config,
    die_group: &DieGroup<'_>,
) -> Result<(), Error> {
    let chip = die_group.chip();
    refuse(
        !matches!(chip.cell, Cell::Tlc | Cell::Qlc),
        &format!("its modes are those of TLC and QLC, not {}", chip.cell),
        &format!("set {} to \"tlc\" or \"qlc\"", die_group.key("cell")),
    )?;
    refuse(
        own.writes == Writes::Hot && hotness::temperatures(&config.ftl.hotness) < 2,
        "writes = \"hot\", but nothing tells it which writes are hot",
        "set ftl.hotness.policy, such as to \"parity\", or technique.lazy_ftl.writes to \"all\"",
    )?;
    refuse(
        !chip.program.is_word_line(),
        "both stages program whole word lines",
        &format!("set {} to \"one_shot\"", die_group.key("program")),
    )?;
    refuse(
        config.ftl.incomplete == Incomplete::Leave,
        "a first stage programs a word line once",
        "set ftl.incomplete to \"pad\"",
    )?;
    refuse(
        die_group.group.pages_per_unit > 1,
        "a second stage reads a word line page by page",
        &format!("set ftl.mapping_unit_kib to {} or less", die_group.key("page_kib")),
    )?;
    refuse(
        own.moves == Moves::Secured && config.ftl.frontiers != Frontiers::Separate,
        "moves = \"secured\", but what GC moves goes to the host's blocks",
        "set ftl.frontiers to \"separate\", or technique.lazy_ftl.moves to \"lazy\"",
    )?;
    refuse(
        own.moves == Moves::Lazy && own.secures != Secures::InPlace,
        "moves = \"lazy\", but what is moved to secure it must be written conventionally",
        "set technique.lazy_ftl.moves to \"secured\", or its secures to \"in_place\"",
    )?;
    refuse(
        config.run.mode == RunMode::Count && config.host.mode == HostMode::Closed,
        "no time passes, so that no second stage would ever be due",
        "set run.mode to \"timed\", or host.mode to \"open\"",
    )
}

/// Refuses parameters that contradict one another; `block_ns` is the time of the second stages of a block.
pub(super) fn check_promises(
    own: &LazyFtlConfig,
    block_ns: u64,
    errors_spent: f64,
) -> Result<(), Error> {
    refuse(
        own.u_low > own.u_high,
        &format!("u_low is {}, above u_high, {}", own.u_low, own.u_high),
        "set technique.lazy_ftl.u_low below u_high",
    )?;
    let first = own.mode.mode().unwrap_or(WriteMode::M1);
    let retention_s = own.retention_ns(first, errors_spent, RATED_PEC) as f64 / 1e9;
    let needed_s = own.margin_s + block_ns as f64 / 1e9;
    refuse(
        own.valve && retention_s < needed_s,
        &format!(
            "mode {} retains data for {retention_s:.3} s, less than the {needed_s:.3} s of margin_s and the second stages of a block",
            first.name()
        ),
        "raise technique.lazy_ftl.day_s, or lower its margin_s or temperature_c",
    )
}
