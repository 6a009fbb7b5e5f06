//! The parameters of Centaur, and the drives on which it works.

use super::Centaur;
use super::balance::Wear;
use super::criterion::Criterion;
use super::programs::MIXED;
use crate::declare::{Table, TechniqueDecl, choice, params};
use crate::drive::logical_units;
use crate::error::Error;
use crate::nand::{Geometry, Group, infeasible};
use crate::schema::{
    Cell, ChipConfig, Config, Frontiers, Incomplete, Pattern, ProgramUnit, RunMode,
};
use crate::technique::{Entry, InSuperblocks, Technique};

/// The entry in the list of techniques.
pub const ENTRY: Entry = Entry {
    declaration: TechniqueDecl {
        name: "centaur",
        params: CentaurConfig::PARAMS,
        defaults: || toml::Table::try_from(CentaurConfig::default()).unwrap_or_default(),
    },
    summary: "Small parts of requests go to 2D flash, large ones to 3D flash whose programs span all planes, and data moves on so that both wear alike.",
    source: "Liu et al., Centaur: A Novel Architecture for Reliable, Low-Wear, High-Density 3D NAND Storage, POMACS 4(2):28, 2020",
    in_superblocks: InSuperblocks::Dense(
        "a program of the 3D flash holds a range of data, and nothing else",
    ),
    build: |table, drive| {
        let own = table.clone().try_into::<CentaurConfig>();
        let own = own.map_err(|error| {
            infeasible(format!("[technique.centaur]: {error}"), "see `wordline describe centaur`")
        })?;
        Ok(Box::new(Centaur::new(own, &drive.config)?) as Box<dyn Technique>)
    },
};

choice! {
    /// Where the host's writes go.
    pub enum Mode {
        Centaur = "centaur",
        Cache = "cache",
        CachePartial = "cache_partial",
        SlcMlc = "slc_mlc",
        All3d = "all_3d",
        All2d = "all_2d",
    }
}

choice! {
    /// How a program is filled that a part covers only in part.
    pub enum Partial {
        Merge = "merge",
        Pad = "pad",
    }
}

choice! {
    /// When the 2D flash takes parts over.
    pub enum Steal {
        Never = "never",
        AnyIdle = "any_idle",
        AllIdle = "all_idle",
    }
}

choice! {
    /// Where data lies that was there before the run.
    pub enum InitialData {
        ThreeD = "3d",
        Dispatched = "dispatched",
    }
}

params! {
    /// `[technique.centaur]`: 2D and 3D flash in one drive.
    pub struct CentaurConfig {
        mode: Mode = Mode::Centaur, crate::declare::Kind::OneOf(Mode::NAMES), "",
            "where the host's writes go. centaur: by the dispatching criterion; cache: all to the 2D flash, which hands them on; cache_partial: whole programs go to the 3D flash, the rest to the 2D flash; slc_mlc: a rival, which takes small requests for hot, by the sizes of the last epoch, and sends these to the 2D flash unless it has spent more of its life; all_3d, all_2d: the references, on a drive of one kind of flash",
            "Liu et al., POMACS 4(2):28, 2020: cache is Figure 7b-1, cache_partial is Section 6.2.6, where a criterion of 96 KB is the cache mode; slc_mlc is Section 6.2.5";
        initial_bytes: u64 = 73_728, crate::declare::Kind::Int(1, 1 << 30), "bytes",
            "the dispatching criterion at the start: parts of at least so many bytes go to the 3D flash",
            "Liu et al., POMACS 4(2):28, 2020, Table 2: 72 KB";
        min_bytes: u64 = 32_768, crate::declare::Kind::Int(1, 1 << 30), "bytes",
            "the least criterion",
            "Liu et al., POMACS 4(2):28, 2020, Table 2: 32 KB";
        max_bytes: u64 = 90_112, crate::declare::Kind::Int(1, 1 << 30), "bytes",
            "the largest criterion",
            "Liu et al., POMACS 4(2):28, 2020, Table 2: 88 KB";
        step_bytes: u64 = 512, crate::declare::Kind::Int(0, 1 << 30), "bytes",
            "how much the criterion changes at a time; 0: it stays",
            "Liu et al., POMACS 4(2):28, 2020, Algorithm 1";
        period_parts: u64 = 1000, crate::declare::Kind::Int(1, 1 << 40), "parts",
            "parts of requests after which the criterion changes",
            "Liu et al., POMACS 4(2):28, 2020, Table 2";
        epoch_requests: u64 = 10_000, crate::declare::Kind::Int(2, 1 << 40), "requests",
            "slc_mlc: requests of an epoch, whose sizes fall into two clusters; in the first one, requests up to a page of the 2D flash are hot",
            "not said; assumed: 10,000";
        partial: Partial = Partial::Merge, crate::declare::Kind::OneOf(Partial::NAMES), "",
            "how a program of the 3D flash is filled that a part covers only in part. merge: the rest of the range is read and written along; pad: it stays without data, and GC packs what is left",
            "not said; merge follows from a 3D map by programs (Section 5.4), pad from \"a small amount of valid data\" (Section 3)";
        steal: Steal = Steal::AnyIdle, crate::declare::Kind::OneOf(Steal::NAMES), "",
            "when the 2D flash takes a part that is for the 3D flash, while that is the fuller one: once any die of the 2D flash is idle, once all are, or never. It is judged as the part arrives, and again while the part waits for its die",
            "Liu et al., POMACS 4(2):28, 2020, Algorithm 2: any 2D chip is idle; Section 5.2.1: no write is pending in any; both take parts that wait in the queue, and reads do not count there";
        migrate: bool = true, crate::declare::Kind::Bool, "",
            "data leaves victims of the 2D flash for the 3D flash while the 2D flash is the fuller one",
            "Liu et al., POMACS 4(2):28, 2020, Algorithm 3";
        initial_data: InitialData = InitialData::ThreeD, crate::declare::Kind::OneOf(InitialData::NAMES), "",
            "where data lies that precondition.fill writes: in the 3D flash, or where the criterion says",
            "not said; assumed: 3d";
    }
}

/// Refuses a drive on which it does not work.
fn refuse(is_wrong: bool, what: &str, help: &str) -> Result<(), Error> {
    match is_wrong {
        true => Err(infeasible(format!("technique centaur: {what}"), help)),
        false => Ok(()),
    }
}

/// True for flash whose programs cover whole word lines; the rival is published without these, too, and knows
/// its 3D flash by several bits per cell.
fn is_3d(mode: Mode, chip: &ChipConfig) -> bool {
    match mode {
        Mode::SlcMlc => chip.cell != Cell::Slc,
        _ => chip.program != ProgramUnit::Page,
    }
}

impl Centaur {
    /// The technique for the drive of `config`.
    ///
    /// # Errors
    /// A drive on which it does not work, with what to change.
    pub fn new(own: CentaurConfig, config: &Config) -> Result<Self, Error> {
        let mode = own.mode;
        let geometry = Geometry::new(config)?;
        let kinds = config.drive.kinds();
        let group_of =
            |is_3d_flash| kinds.iter().position(|it| is_3d(mode, it.chip) == is_3d_flash);
        let groups = [group_of(false), group_of(true)];
        check_kinds(mode, kinds.len(), groups)?;
        for (kind, group) in kinds.iter().zip(&geometry.groups) {
            check_chip(mode, kind.chip, group, is_given(config, &group.name))?;
        }
        check_drive(&own, config)?;
        let program_units = groups[1].map_or(1, |group| {
            let pages = match kinds[group].chip.program {
                ProgramUnit::Page => 1,
                _ => geometry.groups[group].bits,
            };
            pages * geometry.groups[group].units_per_page
        });
        check_ranges(logical_units(config, &geometry).div_ceil(program_units.into()))?;
        check_criterion(&own, u64::from(program_units) * geometry.unit_bytes)?;
        let wear = groups.map(|group| {
            group.map_or_else(Wear::default, |group| Wear {
                cycles: 0,
                blocks: geometry.groups[group].blocks.count() as u64,
                endurance_pec: kinds[group].chip.endurance_pec,
            })
        });
        let criterion = Criterion {
            bytes: own.initial_bytes,
            min_bytes: own.min_bytes,
            max_bytes: own.max_bytes,
            step_bytes: own.step_bytes,
            period_parts: own.period_parts,
            since: 0,
        };
        let mixes = groups[1].is_some_and(|group| is_given(config, &geometry.groups[group].name));
        Ok(Self::with(&own, groups, &geometry, criterion, wear, (program_units, mixes)))
    }
}

/// Refuses more ranges than it can number.
fn check_ranges(ranges: u64) -> Result<(), Error> {
    refuse(
        ranges >= MIXED.into(),
        &format!("the drive has {ranges} ranges of logical units; at most {} fit", MIXED - 1),
        "choose a larger ftl.mapping_unit_kib or fewer blocks",
    )
}

/// Refuses kinds of flash that the mode has no use for.
fn check_kinds(mode: Mode, kinds: usize, groups: [Option<usize>; 2]) -> Result<(), Error> {
    let wanted = match mode {
        Mode::All2d => kinds == 1 && groups[0].is_some(),
        Mode::All3d => kinds == 1 && groups[1].is_some(),
        _ => kinds == 2 && groups.iter().all(Option::is_some),
    };
    let (what, help) = match mode {
        Mode::All2d => (
            "mode = \"all_2d\" is for a drive of one kind of flash that is programmed by pages",
            "leave out drive.group, as centaur-2d-256g does, or set technique.centaur.mode to \"centaur\"",
        ),
        Mode::All3d => (
            "mode = \"all_3d\" is for a drive of one kind of flash that is programmed by whole word lines",
            "leave out drive.group, as centaur-3d-256g does, or set technique.centaur.mode to \"centaur\"",
        ),
        _ => (
            "it dispatches between two kinds of flash, one programmed by pages and one by whole word lines",
            "use a drive such as centaur-mixed-256g: two of drive.group.NAME, one with chip.program = \"page\", the other \"full_sequence\"",
        ),
    };
    refuse(!wanted, what, help)
}

/// Whether another technique is given a group.
fn is_given(config: &Config, group: &str) -> bool {
    let names = |table: &toml::Value| table.get("group")?.as_str().map(|name| name == group);
    !group.is_empty() && config.technique.values().any(|table| names(table) == Some(true))
}

/// Refuses chips that it cannot program as published. What another technique is given may have a map of its
/// own.
fn check_chip(
    mode: Mode,
    chip: &ChipConfig,
    group: &Group,
    has_own_map: bool,
) -> Result<(), Error> {
    let name = &group.name;
    let of = if name.is_empty() { String::new() } else { format!(" of group {name}") };
    let is_by_pages = group.units_per_page == 1 || has_own_map || is_3d(mode, chip);
    refuse(
        chip.endurance_pec == 0,
        &format!("the lifetime of the flash{of} is measured by its endurance, which is 0"),
        "set endurance_pec of its chip",
    )?;
    refuse(
        chip.multi_plane,
        &format!("planes{of} that work together are to count as one (Liu et al. 2020, Section 3)"),
        &format!(
            "set {} to false; for 3D flash also planes to 1, and page_kib to that of all planes together",
            group.key("multi_plane")
        ),
    )?;
    refuse(
        group.pages_per_unit != 1 || !is_by_pages,
        &format!(
            "the map is by pages of the 2D flash (Liu et al. 2020, Section 5.4), and its unit is no such page{of}"
        ),
        "set ftl.mapping_unit_kib to the page_kib of the 2D flash",
    )
}

/// Refuses settings of the drive that would make of parts something else.
fn check_drive(own: &CentaurConfig, config: &Config) -> Result<(), Error> {
    refuse(
        config.ftl.frontiers != Frontiers::Separate,
        "with shared frontiers what GC moves would share programs with parts of requests",
        "set ftl.frontiers to \"separate\"",
    )?;
    refuse(
        config.ftl.incomplete == Incomplete::Leave && own.mode != Mode::All2d,
        "parts of other ranges would fill what ftl.incomplete = \"leave\" leaves of a program",
        "set ftl.incomplete to \"pad\"",
    )?;
    let is_set = config.precondition.pattern == Pattern::Steady && config.precondition.fill > 0.0;
    refuse(
        is_set && own.mode != Mode::All2d,
        "no closed form gives the steady state of flash in which parts of requests do not share programs",
        "set precondition.pattern to \"sequential\", \"random\" or \"none\"",
    )?;
    let steals = own.steal != Steal::Never && own.mode == Mode::Centaur;
    refuse(
        steals && config.run.mode == RunMode::Count,
        "without time every die is idle, so that it would always steal",
        "set technique.centaur.steal to \"never\", or run.mode to \"timed\"",
    )
}

/// Refuses a criterion out of its bounds.
fn check_criterion(own: &CentaurConfig, program_bytes: u64) -> Result<(), Error> {
    if own.mode != Mode::Centaur {
        return Ok(());
    }
    let CentaurConfig { min_bytes, initial_bytes, max_bytes, step_bytes, .. } = *own;
    let is_within =
        min_bytes <= initial_bytes && initial_bytes <= max_bytes && max_bytes <= program_bytes;
    refuse(
        !is_within,
        &format!(
            "min_bytes = {min_bytes}, initial_bytes = {initial_bytes} and max_bytes = {max_bytes} must not fall, nor exceed a program of the 3D flash of {program_bytes} bytes"
        ),
        "choose technique.centaur.min_bytes <= initial_bytes <= max_bytes, or raise drive.group.NAME.chip.page_kib of the 3D flash",
    )?;
    let is_whole = step_bytes == 0
        || (initial_bytes - min_bytes).is_multiple_of(step_bytes)
            && (max_bytes - initial_bytes).is_multiple_of(step_bytes);
    refuse(
        !is_whole,
        &format!(
            "steps of {step_bytes} bytes from initial_bytes = {initial_bytes} pass its bounds"
        ),
        "choose technique.centaur.min_bytes and technique.centaur.max_bytes whole steps away, or set technique.centaur.step_bytes to 0",
    )
}
