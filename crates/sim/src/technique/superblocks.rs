//! Blocks of several dies as one: what the drive is to the FTL, and where it lies in the flash.

use crate::drive::{Stripe, first_turns, pages_of_program};
use crate::error::Error;
use crate::ids::PlaneId;
use crate::nand::{Geometry, Group, SuperblockRows, Superblocks, infeasible};
use crate::policy::alloc;
use crate::schema::{
    Allocation, ChipConfig, Chips, Config, FrontierScope, GcScope, Incomplete, PlaneAllocation,
    SuperblockParity,
};
use crate::technique::{self, InSuperblocks};
use std::borrow::Cow;

/// The drive that the FTL sees.
pub struct View<'a> {
    /// Its configuration: of superblocks, that of a drive whose blocks these are.
    pub config: Cow<'a, Config>,
    /// Where superblocks lie.
    pub superblocks: Option<Superblocks>,
    /// By kind of flash how they are filled, where not as blocks are: over several planes, or with something else than
    /// data.
    pub stripes: Vec<Option<Stripe>>,
    /// The configuration of the flash.
    pub of_flash: &'a Config,
}

impl<'a> View<'a> {
    /// What the FTL sees of a drive.
    ///
    /// # Errors
    /// Superblocks that the drive cannot have.
    pub fn of(config: &'a Config) -> Result<Self, Error> {
        if config.ftl.superblock_dies == 0 {
            return check_alone(config).map(|()| Self {
                config: Cow::Borrowed(config),
                superblocks: None,
                stripes: Vec::new(),
                of_flash: config,
            });
        }
        check(config)?;
        let flash = Geometry::new(config)?;
        let (mut rows, mut stripes, mut seen) = (Vec::new(), Vec::new(), config.clone());
        for (kind, group) in config.drive.kinds().iter().zip(&flash.groups) {
            let joined = Joined::of(config, &flash, (kind, group))?;
            joined.show(&mut seen, group);
            rows.push(joined.rows);
            stripes.push((!is_dense(joined.stripe)).then_some(joined.stripe));
        }
        seen.drive.channels = 1;
        let superblocks = Some(Superblocks::new(flash, rows));
        Ok(Self { config: Cow::Owned(seen), superblocks, stripes, of_flash: config })
    }

    /// Programs of a row of a block of a group, and the dies of the flash over which they go.
    pub fn row(&self, group: usize) -> (u32, u32) {
        self.superblocks.as_ref().map_or((1, 1), |superblocks| superblocks.row(group))
    }
}

/// Superblocks over one kind of flash.
struct Joined {
    rows: SuperblockRows,
    stripe: Stripe,
    /// Superblocks that lie beside one another.
    planes: u32,
}

impl Joined {
    fn of(
        config: &Config,
        flash: &Geometry,
        (kind, group): (&Chips<'_>, &Group),
    ) -> Result<Self, Error> {
        let dies = group.dies.count();
        let of_each = (config.ftl.superblock_dies as u32).min(dies);
        if !dies.is_multiple_of(of_each) {
            return Err(infeasible(
                format!("superblocks of {of_each} dies do not divide a drive of {dies}"),
                format!(
                    "set ftl.superblock_dies to {dies}, or to a number that divides it, or choose {} so that it does",
                    group.key("dies")
                ),
            ));
        }
        check_units(group.units() / u64::from(dies / of_each), of_each)?;
        let planes = if kind.chip.multi_plane { kind.chip.planes as u32 } else { 1 };
        let programs = programs(config, flash, (group, planes));
        let of_row = programs.len() / (dies / of_each) as usize;
        let parity = match config.ftl.superblock_parity {
            SuperblockParity::None => 0,
            SuperblockParity::Plane => 1,
            SuperblockParity::Die => planes,
        };
        let program = pages_of_program(kind.chip, group, false)?;
        let pages = pages_of_program(kind.chip, group, !config.technique.is_empty())?;
        let programs: Vec<_> = programs.chunks(of_row).map(<[PlaneId]>::to_vec).collect();
        let stripe = stripe(config, Stripe::new(planes, of_row as u32, parity))?;
        check_metadata(config, stripe, group.pages_per_block / pages)?;
        check_techniques(config, group, (stripe, program == pages))?;
        let superblocks = programs.len() as u32;
        let rows = SuperblockRows { programs, planes, pages, rotates: stripe.is_mixed() };
        Ok(Self { rows, stripe, planes: superblocks })
    }

    /// Sets the chips of a group to what the FTL sees of them.
    fn show(&self, seen: &mut Config, group: &Group) {
        let blocks = self.rows.programs[0].len() as u64 * u64::from(self.rows.planes);
        let drive = &mut seen.drive;
        let (chips, chip) = match drive.group.get_mut(&group.name) {
            Some(of) => {
                (of.first_channel, of.channels) = (0, 1);
                (&mut of.chips_per_channel, &mut of.chip)
            }
            None => (&mut drive.chips_per_channel, &mut drive.chip),
        };
        *chips = u64::from(self.planes);
        (chip.dies, chip.planes) = (1, 1);
        chip.pages_per_block *= blocks;
    }
}

/// The configuration of the drive that the FTL sees: of superblocks, that of a drive whose blocks these are.
///
/// # Errors
/// Superblocks that the drive cannot have.
pub fn as_seen(config: &Config) -> Result<Cow<'_, Config>, Error> {
    View::of(config).map(|view| view.config)
}

/// The most dies whose superblocks are a default.
const MOST_BY_DEFAULT: u64 = 1 << 12;

/// The dies of a superblock of a drive that does not say: all, if it is of one kind of flash, can have such superblocks
/// and its garbage collection does not count over several planes, otherwise 0.
pub fn dies_by_default(config: &Config) -> u64 {
    let drive = &config.drive;
    let dies = drive.channels * drive.chips_per_channel * drive.chip.dies;
    let has_kinds = !drive.group.is_empty();
    if has_kinds || config.ftl.gc.scope != GcScope::Plane || dies > MOST_BY_DEFAULT {
        return 0;
    }
    let mut joined = config.clone();
    joined.ftl.superblock_dies = dies;
    let is_built = |config| View::of(config).is_ok_and(|seen| can_be_built(&seen));
    let fits = as_seen(&joined).is_ok_and(|seen| Geometry::new(&seen).is_ok())
        && (is_built(&joined) || !is_built(config));
    if fits { dies } else { 0 }
}

/// Whether each technique works on a drive that looks like this.
fn can_be_built(seen: &View<'_>) -> bool {
    seen.config.technique.iter().all(|(name, table)| {
        let parameters = table.as_table().cloned().unwrap_or_default();
        technique::find(name).is_none_or(|entry| (entry.build)(&parameters, seen).is_ok())
    })
}

/// Whether each program takes data, in one plane.
fn is_dense(stripe: Stripe) -> bool {
    stripe.planes == 1 && !stripe.is_mixed()
}

/// Refuses techniques that do not work in superblocks of a group filled like this: with more than a program of each
/// die after the other they do not lie over planes.
fn check_techniques(
    config: &Config,
    group: &Group,
    (stripe, by_programs): (Stripe, bool),
) -> Result<(), Error> {
    let works_here = |table: &toml::Value| match table.get("group").and_then(toml::Value::as_str) {
        Some(of) => of.is_empty() || of == group.name,
        None => true,
    };
    let here = config.technique.iter().filter(|(_, table)| works_here(table));
    for entry in here.filter_map(|(name, _)| technique::find(name)) {
        let why = match entry.in_superblocks {
            InSuperblocks::Dense(why) => why,
            InSuperblocks::All if !by_programs => "pages of a word line are programmed one by one",
            InSuperblocks::All => continue,
        };
        if !is_dense(stripe) {
            let name = entry.declaration.name;
            return Err(infeasible(
                format!("technique {name} does not work with ftl.superblock_dies here: {why}"),
                format!(
                    "set {} to false, ftl.superblock_parity to \"none\" and ftl.superblock_metadata_factor to 1, or ftl.superblock_dies to 0",
                    group.key("multi_plane")
                ),
            ));
        }
    }
    Ok(())
}

/// Refuses superblocks whose places cannot be counted: to the FTL the dies of one are a plane.
fn check_units(units: u64, of_each: u32) -> Result<(), Error> {
    if units < u64::from(u32::MAX) {
        return Ok(());
    }
    Err(infeasible(
        format!(
            "the {of_each} dies of a superblock have {units} mapping units; at most {} fit",
            u32::MAX - 1
        ),
        "lower ftl.superblock_dies, or choose a larger ftl.mapping_unit_kib",
    ))
}

/// The first planes of the programs of a round over a group, in the order in which it is written.
fn programs(config: &Config, flash: &Geometry, (group, planes): (&Group, u32)) -> Vec<PlaneId> {
    let is_first = |plane: &PlaneId| {
        group.planes.contains(*plane) && group.planes.place_of(*plane).is_multiple_of(planes)
    };
    let order = alloc::plane_order(config.ftl.allocation, flash).into_iter().filter(is_first);
    first_turns(order)
}

/// Refuses parity and metadata of blocks that nothing joins.
fn check_alone(config: &Config) -> Result<(), Error> {
    let (parity, factor) = (config.ftl.superblock_parity, config.ftl.superblock_metadata_factor);
    let (what, help) = if parity != SuperblockParity::None {
        (format!("ftl.superblock_parity = \"{parity}\""), "ftl.superblock_parity to \"none\"")
    } else if factor > 1.0 {
        (
            format!("ftl.superblock_metadata_factor = {factor}"),
            "ftl.superblock_metadata_factor to 1",
        )
    } else {
        return Ok(());
    };
    Err(infeasible(
        format!("{what}, but the drive has no superblocks"),
        format!("set ftl.superblock_dies, or {help}"),
    ))
}

/// How rows of so many planes and programs are filled; refuses rows without data.
fn stripe(config: &Config, rows: Stripe) -> Result<Stripe, Error> {
    let (dies, factor) = (config.ftl.superblock_dies, config.ftl.superblock_metadata_factor);
    if rows.parity == rows.planes * rows.programs {
        return Err(infeasible(
            format!(
                "ftl.superblock_parity = \"{}\" leaves a superblock of {dies} dies no room for data",
                config.ftl.superblock_parity
            ),
            "raise ftl.superblock_dies, or set ftl.superblock_parity to \"none\"",
        ));
    }
    if factor == 1.0 {
        return Ok(rows);
    }
    rows.with_metadata(factor).ok_or_else(|| {
        infeasible(
            format!(
                "of the {} programs of a row, ftl.superblock_metadata_factor = {factor} takes all that hold no parity",
                rows.programs
            ),
            "lower ftl.superblock_metadata_factor, raise ftl.superblock_dies, or set ftl.superblock_parity to \"none\"",
        )
    })
}

/// Refuses metadata of less than a program in a superblock of so many rows.
fn check_metadata(config: &Config, stripe: Stripe, rows: u32) -> Result<(), Error> {
    let (factor, programs) = (config.ftl.superblock_metadata_factor, stripe.programs * rows);
    if factor == 1.0 || stripe.metadata_before(programs) > 0 {
        return Ok(());
    }
    Err(infeasible(
        format!(
            "ftl.superblock_metadata_factor = {factor} is less than one of the {programs} programs of a superblock"
        ),
        "raise it, drive.chip.pages_per_block or ftl.superblock_dies, or set it to 1",
    ))
}

/// Refuses what superblocks cannot have, and what is not built for them.
fn check(config: &Config) -> Result<(), Error> {
    let ftl = &config.ftl;
    let any = |is_so: &dyn Fn(&ChipConfig) -> bool| {
        config.drive.kinds().iter().any(|kind| is_so(kind.chip))
    };
    let refused: [(bool, &str, &str, &str); 7] = [
        (
            !config.power.protection.bears_all(),
            "power.protection",
            "what a drive keeps without a capacitor is not built for them",
            "set power.protection to \"capacitor\"",
        ),
        (
            ftl.allocation == Allocation::Dynamic,
            "ftl.allocation = \"dynamic\"",
            "they are filled die by die, so that no write chooses its die",
            "choose an order, such as \"CWDP\"",
        ),
        (
            ftl.plane_allocation != PlaneAllocation::Order,
            "ftl.plane_allocation",
            "they are filled plane by plane, so that no write chooses its plane",
            "set it to \"order\"",
        ),
        (
            ftl.frontier_scope != FrontierScope::Plane,
            "ftl.frontier_scope",
            "each is opened for all of its dies",
            "set it to \"plane\"",
        ),
        (
            ftl.incomplete == Incomplete::Leave,
            "ftl.incomplete = \"leave\"",
            "what a program leaves empty stays so, because the next one lies on another die",
            "set it to \"pad\"",
        ),
        (
            any(&|chip| chip.copy_back),
            "drive.chip.copy_back",
            "a copy stays in its plane, and what GC moves goes to the die that is next",
            "set it to false",
        ),
        (
            any(&|chip| chip.bad_blocks > 0.0),
            "drive.chip.bad_blocks",
            "replacing a bad block of one is not built",
            "set it to 0",
        ),
    ];
    let Some((_, what, why, help)) = refused.into_iter().find(|&(is_refused, ..)| is_refused)
    else {
        return Ok(());
    };
    Err(infeasible(
        format!("superblocks (ftl.superblock_dies) do not go with {what}: {why}"),
        format!("{help}, or set ftl.superblock_dies to 0"),
    ))
}
