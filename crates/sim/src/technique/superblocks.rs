//! Blocks of several dies as one: what the drive is to the FTL, and where it lies in the flash.

use crate::drive::{Stripe, pages_of_program};
use crate::error::Error;
use crate::ids::PlaneId;
use crate::nand::{Geometry, Superblocks, infeasible};
use crate::policy::alloc;
use crate::schema::{
    Allocation, Config, FrontierScope, GcScope, Incomplete, PlaneAllocation, SuperblockParity,
};
use crate::technique::{self, InSuperblocks};
use std::borrow::Cow;

/// The drive that the FTL sees.
pub struct View<'a> {
    /// Its configuration: of superblocks, that of a drive whose blocks these are.
    pub config: Cow<'a, Config>,
    /// Where superblocks lie.
    pub superblocks: Option<Superblocks>,
    /// How they are filled, where not as blocks are: over several planes, or with something else than data.
    pub stripe: Option<Stripe>,
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
                stripe: None,
                of_flash: config,
            });
        }
        check(config)?;
        let flash = Geometry::new(config)?;
        let chip = &config.drive.chip;
        let dies = flash.dies().count();
        let of_each = config.ftl.superblock_dies as u32;
        if !dies.is_multiple_of(of_each) {
            return Err(infeasible(
                format!("superblocks of {of_each} dies do not divide a drive of {dies}"),
                format!(
                    "set ftl.superblock_dies to {dies}, or to a number that divides it, or choose drive.chip.dies so that it does"
                ),
            ));
        }
        check_units(flash.units() / u64::from(dies / of_each), of_each)?;
        let planes = if chip.multi_plane { chip.planes as u32 } else { 1 };
        let programs = programs(config, &flash, planes);
        let of_row = programs.len() / (dies / of_each) as usize;
        let parity = match config.ftl.superblock_parity {
            SuperblockParity::None => 0,
            SuperblockParity::Plane => 1,
            SuperblockParity::Die => planes,
        };
        let pages = pages_of_program(chip, &flash.groups[0])?;
        let by_plane = programs.chunks(of_row).map(<[PlaneId]>::to_vec).collect();
        let stripe = stripe(config, Stripe::new(planes, of_row as u32, parity))?;
        check_metadata(config, stripe, flash.groups[0].pages_per_block / pages)?;
        check_techniques(config, stripe)?;
        let superblocks = Superblocks::new(flash, by_plane, planes, pages, stripe.is_mixed());
        let mut seen = config.clone();
        seen.drive.channels = 1;
        seen.drive.chips_per_channel = u64::from(dies / of_each);
        (seen.drive.chip.dies, seen.drive.chip.planes) = (1, 1);
        seen.drive.chip.pages_per_block *= u64::from(superblocks.blocks());
        let stripe = (!is_dense(stripe)).then_some(stripe);
        let superblocks = Some(superblocks);
        Ok(Self { config: Cow::Owned(seen), superblocks, stripe, of_flash: config })
    }

    /// Programs of a row of a block, and the dies of the flash over which they go.
    pub fn row(&self) -> (u32, u32) {
        self.superblocks.as_ref().map_or((1, 1), |it| (it.programs(), it.dies()))
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

/// The dies of a superblock of a drive that does not say: all, if it can have such superblocks and its garbage
/// collection does not count over several planes, otherwise 0.
pub fn dies_by_default(config: &Config) -> u64 {
    let drive = &config.drive;
    let dies = drive.channels * drive.chips_per_channel * drive.chip.dies;
    if config.ftl.gc.scope != GcScope::Plane || dies > MOST_BY_DEFAULT {
        return 0;
    }
    let mut joined = config.clone();
    joined.ftl.superblock_dies = dies;
    let fits = as_seen(&joined).is_ok_and(|seen| Geometry::new(&seen).is_ok());
    if fits { dies } else { 0 }
}

/// True where each program takes data, in one plane.
fn is_dense(stripe: Stripe) -> bool {
    stripe.planes == 1 && !stripe.is_mixed()
}

/// Refuses techniques that do not work in superblocks filled like this.
fn check_techniques(config: &Config, stripe: Stripe) -> Result<(), Error> {
    let is_dense = is_dense(stripe);
    for entry in config.technique.keys().filter_map(|name| technique::find(name)) {
        let name = entry.declaration.name;
        let (why, help) = match entry.in_superblocks {
            InSuperblocks::Dense(why) if !is_dense => {
                let help = "set drive.chip.multi_plane to false, ftl.superblock_parity to \"none\" and ftl.superblock_metadata_factor to 1, or ftl.superblock_dies to 0".into();
                (why, help)
            }
            InSuperblocks::None(why) => {
                (why, format!("set ftl.superblock_dies to 0, or leave out [technique.{name}]"))
            }
            InSuperblocks::All | InSuperblocks::Dense(_) => continue,
        };
        let what = format!("technique {name} does not work with ftl.superblock_dies here: {why}");
        return Err(infeasible(what, help));
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

/// The first planes of the programs of a round over the drive, in the order in which it is written.
fn programs(config: &Config, flash: &Geometry, planes: u32) -> Vec<PlaneId> {
    let per_die = flash.groups[0].planes_per_die;
    let order = alloc::plane_order(config.ftl.allocation, flash).into_iter();
    let is_first = |plane: &PlaneId| (plane.0 % per_die).is_multiple_of(planes);
    order.filter(is_first).collect()
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

/// Refuses what is not built for superblocks.
fn check(config: &Config) -> Result<(), Error> {
    let (ftl, chip) = (&config.ftl, &config.drive.chip);
    let one_page = config.drive.kinds().iter().all(|kind| kind.chip.cell.bits() == 1);
    let refused: [(bool, &str, &str); 7] = [
        (
            !config.drive.group.is_empty(),
            "drive.group: several kinds of flash",
            "have one kind of chips",
        ),
        (
            !config.power.protection.bears_all(),
            "power.protection",
            "set power.protection to \"capacitor\"",
        ),
        (
            ftl.allocation == Allocation::Dynamic,
            "ftl.allocation = \"dynamic\"",
            "choose an order, such as \"CWDP\"",
        ),
        (
            ftl.plane_allocation != PlaneAllocation::Order,
            "ftl.plane_allocation",
            "set it to \"order\"",
        ),
        (ftl.frontier_scope != FrontierScope::Plane, "ftl.frontier_scope", "set it to \"plane\""),
        (
            ftl.incomplete == Incomplete::Leave || chip.copy_back,
            "ftl.incomplete = \"leave\" or drive.chip.copy_back",
            "set ftl.incomplete to \"pad\" and drive.chip.copy_back to false",
        ),
        (
            !chip.program.is_word_line() && !one_page && !config.technique.is_empty(),
            "a technique and drive.chip.program = \"page\" of cells with several bits",
            "set drive.chip.program to \"one_shot\"",
        ),
    ];
    let found = refused.into_iter().find(|&(is_refused, ..)| is_refused);
    let bad = (chip.bad_blocks > 0.0, "drive.chip.bad_blocks", "set it to 0");
    match found.or(Some(bad).filter(|bad| bad.0)) {
        None => Ok(()),
        Some((_, what, help)) => Err(infeasible(
            format!("ftl.superblock_dies is not built together with {what}"),
            format!("{help}, or set ftl.superblock_dies to 0"),
        )),
    }
}
