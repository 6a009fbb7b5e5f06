//! What a drive is put together from, worked out and checked before anything is held.

use super::feasible::{begin_late_without_room, check_drive, check_metadata};
use crate::drive::{
    Choices, DriveState, FreeList, Handles, Layout, Orders, Stripe, ValidBits, Victims, WritePoint,
    logical_units,
};
use crate::error::Error;
use crate::ftl::safeguard::{Site, trim_units};
use crate::ids::{BlockId, ById, Packed};
use crate::nand::{Block, BlockState, Geometry, OpTable, Superblocks, infeasible};
use crate::policy::map_cache::MapCache;
use crate::policy::{alloc, hotness};
use crate::schema::{Config, MapCacheChoice, PlaneAllocation};
use crate::technique::Hooks;
use crate::technique::erase::EraseScheme;
use crate::util::{Rng, large_vec};

/// What an empty drive is made of.
pub(super) struct Parts {
    geometry: Geometry,
    superblocks: Option<Superblocks>,
    layout: Layout,
    ops: OpTable,
    logical_units: u64,
    /// Logical units of the host, of the map, and of what was trimmed.
    mapped: u64,
    start: Start,
}

/// How the drive starts.
pub(super) struct Start {
    /// Blocks that keep metadata, where they are blocks of their own.
    pub site: Option<Site>,
    /// The first logical unit that tells what was trimmed.
    pub first_trim_page: u64,
    /// Where each block stands: bad, kept or erased.
    pub stands: ById<BlockId, BlockState>,
}

impl Parts {
    /// The parts of the drive that `config` describes.
    ///
    /// # Errors
    /// A drive that cannot work, with the arithmetic.
    pub fn of<T: Hooks>(
        config: &Config,
        (superblocks, stripes): (Option<Superblocks>, Vec<Option<Stripe>>),
        technique: &mut T,
        erase_scheme: &mut dyn EraseScheme,
    ) -> Result<Self, Error> {
        let mut geometry = Geometry::new(config)?;
        if let Some(superblocks) = &superblocks {
            for (at, group) in geometry.groups.iter_mut().enumerate() {
                group.fill_by(superblocks.rows(at));
            }
        }
        let ops = operations(config, &geometry, technique, erase_scheme)?;
        check_in_place(superblocks.as_ref(), &geometry, &ops)?;
        let mut choices = choices(config, &geometry, technique, erase_scheme);
        choices.handles = Handles::of(config)?;
        if let Some(handles) = &choices.handles {
            choices.temperatures = handles.count();
        }
        choices.stripes = stripes;
        choices.copies = choices.pads && config.power.preserves && ops.has_in_place();
        let mut layout = Layout::new(config, &geometry, choices)?;
        let logical_units = logical_units(config, &geometry);
        let first_trim_page = logical_units + translation_units(config, &geometry, logical_units);
        let mapped = first_trim_page + trim_units(config, &geometry, logical_units);
        let bad = bad_blocks(config, &geometry);
        let site = Site::of(config, &geometry, mapped, &bad);
        check_metadata(config, site.as_ref())?;
        let stands = stands(&bad, site.as_ref());
        let is_taken = stands.iter().map(|&stands| stands != BlockState::Free).collect();
        begin_late_without_room(&geometry, &mut layout, (mapped, &is_taken));
        check_drive(config, &geometry, &layout, &ops, mapped, &is_taken)?;
        let start = Start { site, first_trim_page, stands };
        Ok(Self { geometry, superblocks, layout, ops, logical_units, mapped, start })
    }

    /// A drive without data, none of whose blocks is in a list yet, with victims kept in `orders`.
    pub fn assemble(self, config: &Config, orders: Orders) -> (DriveState, Start) {
        let Self { geometry, superblocks, layout, ops, logical_units, mapped, start } = self;
        let (blocks, domains) = (geometry.blocks().count(), layout.domains().count());
        let points = layout.scopes().count() * layout.streams;
        let state = DriveState {
            logical_units,
            map: Packed::none(mapped, geometry.units()),
            reverse: Packed::blank(geometry.units(), geometry.units()),
            valid: ValidBits::new(blocks, geometry.stride),
            blocks: new_blocks(config, &geometry),
            free: geometry.planes().into_iter().map(|_| FreeList::new(&config.ftl)).collect(),
            free_in: ById::filled(0, domains),
            victims: Victims::new(orders, domains, blocks, geometry.stride),
            points: ById::filled(WritePoint::default(), points),
            filled: 0,
            cycles_per_erase: 1,
            valid_in: vec![0; geometry.groups.len()],
            ops,
            layout,
            geometry,
            superblocks,
        };
        (state, start)
    }
}

/// The operations of the flash, of the techniques and of the erase scheme.
fn operations<T: Hooks>(
    config: &Config,
    geometry: &Geometry,
    technique: &mut T,
    erase_scheme: &mut dyn EraseScheme,
) -> Result<OpTable, Error> {
    let mut ops = OpTable::default();
    for (kind, group) in config.drive.kinds().iter().zip(&geometry.groups) {
        let flash = ops.add_flash(kind.chip, group)?;
        technique.add_operations(&mut ops, &flash);
        erase_scheme.operations(&mut ops, &flash);
    }
    Ok(ops)
}

/// Refuses programs in place on superblocks that are filled page by page: the pages of a word line, over which such a
/// program goes, do not follow one another there.
fn check_in_place(
    superblocks: Option<&Superblocks>,
    geometry: &Geometry,
    ops: &OpTable,
) -> Result<(), Error> {
    let Some(superblocks) = superblocks.filter(|_| ops.has_in_place()) else { return Ok(()) };
    for (at, group) in geometry.groups.iter().enumerate() {
        if !superblocks.rows(at).per_plane.is_multiple_of(group.bits) {
            return Err(infeasible(
                format!(
                    "a technique programs word lines of {} pages in place, and superblocks that are filled page by page spread these over dies",
                    group.bits
                ),
                format!(
                    "set {} to \"one_shot\", or ftl.superblock_dies to 0",
                    group.key("program")
                ),
            ));
        }
    }
    Ok(())
}

/// Units that the map itself takes in flash.
fn translation_units(config: &Config, geometry: &Geometry, logical_units: u64) -> u64 {
    match config.ftl.map_cache.policy {
        MapCacheChoice::Full => 0,
        MapCacheChoice::Dftl => {
            logical_units.div_ceil(MapCache::entries_per_page(geometry.unit_bytes).into())
        }
    }
}

/// What policies, technique and erase scheme say of the layout.
fn choices<T: Hooks>(
    config: &Config,
    geometry: &Geometry,
    technique: &T,
    erase_scheme: &dyn EraseScheme,
) -> Choices {
    let ftl = &config.ftl;
    let groups = 0..geometry.groups.len();
    let own_streams = technique.own_streams(groups.len());
    Choices {
        temperatures: hotness::temperatures(&ftl.hotness),
        handles: None,
        own_streams: own_streams.iter().map(|of| of.all).collect(),
        own_streams_of_gc: own_streams.iter().map(|of| of.of_gc).collect(),
        capacity_shares: groups.clone().map(|at| technique.capacity_share(at)).collect(),
        set_aside: groups.clone().map(|at| technique.blocks_set_aside(at)).collect(),
        wears_out: groups.map(|at| erase_scheme.may_retire(at)).collect(),
        order: match ftl.plane_allocation {
            PlaneAllocation::MostFree => alloc::block_order(ftl.allocation, geometry),
            PlaneAllocation::Order => alloc::plane_order(ftl.allocation, geometry),
        },
        pads: !config.power.protection.bears_all(),
        copies: false,
        stripes: Vec::new(),
    }
}

/// Where each block stands at the start.
fn stands(bad: &ById<BlockId, bool>, site: Option<&Site>) -> ById<BlockId, BlockState> {
    let of_block = |&is_bad: &bool| if is_bad { BlockState::Bad } else { BlockState::Free };
    let mut stands: ById<BlockId, BlockState> = bad.iter().map(of_block).collect();
    for block in site.into_iter().flat_map(Site::blocks) {
        stands[block] = BlockState::Kept;
    }
    stands
}

/// Blocks at the P/E cycles of the start of the run.
fn new_blocks(config: &Config, geometry: &Geometry) -> ById<BlockId, Block> {
    let mut blocks = ById::from(large_vec(Block::default(), geometry.blocks().count() as usize));
    for (kind, group) in config.drive.kinds().iter().zip(&geometry.groups) {
        let block = Block::erased(kind.chip.initial_pec as u32);
        blocks.of_mut(group.blocks).fill(block);
    }
    blocks
}

/// Which blocks are bad from the start.
fn bad_blocks(config: &Config, geometry: &Geometry) -> ById<BlockId, bool> {
    let mut rng = Rng::new(config.run.seed, "bad blocks");
    let kinds = config.drive.kinds();
    let mut is_bad = |block| {
        let share = kinds[geometry.group_of(block)].chip.bad_blocks;
        share > 0.0 && rng.unit() < share
    };
    geometry.blocks().into_iter().map(&mut is_bad).collect()
}
