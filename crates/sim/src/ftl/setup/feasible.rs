//! Drives that could not work, though each of their keys is legal by itself.

use crate::drive::{Filling, Layout};
use crate::error::Error;
use crate::ftl::handles::check_interface;
use crate::ftl::safeguard::Site;
use crate::ids::{BlockId, ById, DomainId, PlaneId};
use crate::nand::{Geometry, Group, OpTable, chip_key, infeasible};
use crate::schema::{
    Config, DieClasses, HostConfig, Incomplete, MapCacheChoice, PlaneAllocation, SchedulingConfig,
    ServiceOrder,
};
use std::collections::BTreeMap;

/// Refuses a drive of `mapped` units that could not work with the blocks that are not `bad`.
pub(super) fn check_drive(
    config: &Config,
    geometry: &Geometry,
    layout: &Layout,
    ops: &OpTable,
    mapped: u64,
    bad: &ById<BlockId, bool>,
) -> Result<(), Error> {
    check_space(config, geometry, layout, mapped, bad)?;
    check_incomplete(config, geometry, layout)?;
    check_word_lines(config, geometry)?;
    check_map_cache(config, geometry, layout)?;
    check_energies(config, geometry, ops)?;
    check_plane_allocation(config, layout)
}

/// Refuses values that are legal one by one, but not as they stand.
pub(super) fn check_keys(config: &Config) -> Result<(), Error> {
    check_interface(config)?;
    let bounds = &config.ftl.hotness.intervals_min;
    if bounds.is_empty() || !bounds.is_sorted_by(|a, b| a < b) {
        return Err(infeasible(
            format!("ftl.hotness.intervals_min is {bounds:?}"),
            "give at least one interval, each longer than the one before it",
        ));
    }
    check_plane_reads(config)?;
    check_link(&config.host)?;
    check_queues(&config.host)?;
    check_classes(&config.drive.scheduling)?;
    let interval_s = config.host.flush_interval_s;
    if interval_s > 0.0 && interval_s < 0.001 {
        return Err(infeasible(
            format!("host.flush_interval_s is {interval_s}: less than a millisecond"),
            "choose 0.001 or more, or 0 to write the buffer out only when it is full",
        ));
    }
    Ok(())
}

/// Refuses a bus beside a link.
fn check_link(host: &HostConfig) -> Result<(), Error> {
    match host.bus_mb_s > 0.0 && host.link.generation > 0 {
        false => Ok(()),
        true => Err(infeasible(
            format!(
                "host.bus_mb_s is {} and host.link.generation {}: data goes over one of them",
                host.bus_mb_s, host.link.generation
            ),
            "set one of them to 0",
        )),
    }
}

/// Refuses queues that share streams, and weights that are not those of three classes.
fn check_queues(host: &HostConfig) -> Result<(), Error> {
    if host.class_weights.len() != 3 {
        return Err(infeasible(
            format!("host.class_weights is {:?}: not of three classes", host.class_weights),
            "give those of high, medium and low class, or leave it out; host.arbitration = \"round_robin\" reads none",
        ));
    }
    let mut of_streams = BTreeMap::new();
    for (name, queue) in &host.queue {
        for &stream in &queue.streams {
            if let Some(other) = of_streams.insert(stream, name) {
                return Err(infeasible(
                    format!("stream {stream} stands in host.queue.{other} and host.queue.{name}"),
                    format!(
                        "take it out of host.queue.{name}.streams or host.queue.{other}.streams"
                    ),
                ));
            }
        }
    }
    Ok(())
}

/// Refuses dies that serve one class before another, and all in order.
fn check_classes(rules: &SchedulingConfig) -> Result<(), Error> {
    if rules.by_class != DieClasses::None && rules.order == ServiceOrder::InOrder {
        return Err(infeasible(
            format!(
                "drive.scheduling.by_class = \"{}\", and with drive.scheduling.order = \"in_order\" no read goes before another",
                rules.by_class
            ),
            "set drive.scheduling.order to \"reads_first\", or drive.scheduling.by_class to \"none\"",
        ));
    }
    Ok(())
}

/// Refuses reads of planes at once that no die could do.
fn check_plane_reads(config: &Config) -> Result<(), Error> {
    for kind in config.drive.kinds() {
        let planes = kind.chip.planes;
        let check = |key, reads| match reads > planes {
            false => Ok(()),
            true => Err(infeasible(
                format!("{} is {reads}, and a die has {planes} planes", chip_key(kind.name, key)),
                format!("set it to {planes} or less, or raise {}", chip_key(kind.name, "planes")),
            )),
        };
        let reads = kind.chip.independent_plane_reads;
        check("multi_plane_reads", kind.chip.multi_plane_reads)?;
        check("independent_plane_reads", reads)?;
        let key = chip_key(kind.name, "independent_plane_reads");
        if reads > 1 && config.drive.scheduling.order == ServiceOrder::InOrder {
            return Err(infeasible(
                format!(
                    "{key} is {reads}, and with drive.scheduling.order = \"in_order\" a die does one thing at a time"
                ),
                format!("set drive.scheduling.order to \"reads_first\", or {key} to 1"),
            ));
        }
    }
    Ok(())
}

/// Refuses programs in parts where a part could be less than a page, or lie in several planes.
fn check_incomplete(config: &Config, geometry: &Geometry, layout: &Layout) -> Result<(), Error> {
    let is_divided = geometry.groups.iter().any(|group| group.units_per_page > 1)
        || layout.fillings.iter().any(|filling| filling.lanes > 1);
    if config.ftl.incomplete == Incomplete::Leave && is_divided {
        return Err(infeasible(
            "ftl.incomplete = \"leave\": a program covers several planes, or several units in a page",
            "set drive.chip.multi_plane to false and ftl.mapping_unit_kib to 0, or ftl.incomplete to \"pad\"",
        ));
    }
    let fills_up = !config.power.protection.bears_all();
    if config.ftl.incomplete == Incomplete::Leave && fills_up {
        return Err(infeasible(
            format!(
                "power.protection = {} fills up the word lines that ftl.incomplete = \"leave\" leaves open",
                config.power.protection
            ),
            "set ftl.incomplete to \"pad\", or power.protection to \"capacitor\"",
        ));
    }
    Ok(())
}

/// Refuses metadata that nobody needs, or for which there is no room.
pub(super) fn check_metadata(config: &Config, site: Option<&Site>) -> Result<(), Error> {
    if config.power.checkpoint_share == 0.0 || site.is_some() {
        return Ok(());
    }
    if config.power.protection.bears_all() {
        return Err(infeasible(
            "power.checkpoint_share is set, and with a capacitor the controller saves its map as power fails",
            "set power.protection to \"none\", or power.checkpoint_share to 0",
        ));
    }
    Err(infeasible(
        "power.checkpoint_share: checkpoints and journals take more blocks than the drive has",
        "lower power.checkpoint_share, or raise drive.chip.blocks_per_plane or drive.chip.pages_per_block",
    ))
}

/// Refuses an energy that finishes programs and erases of which nobody knows what they take.
fn check_energies(config: &Config, geometry: &Geometry, ops: &OpTable) -> Result<(), Error> {
    if config.power.protection.energy_nj().is_none() {
        return Ok(());
    }
    for (number, group) in geometry.groups.iter().enumerate() {
        let rows = ops.of_group(number);
        let program_nj = &ops.row(rows.program).energy_nj[..group.bits as usize];
        let erase_nj = &ops.row(rows.erase).energy_nj[..1];
        for (key, energies_nj) in [("program_uj", program_nj), ("erase_uj", erase_nj)] {
            if energies_nj.contains(&0) {
                return Err(infeasible(
                    format!(
                        "power.protection = {} is an energy in nJ, and {} is 0: it is not known what that energy finishes",
                        config.power.protection,
                        group.key(key)
                    ),
                    format!(
                        "set {} to what the operation takes, or power.protection to \"none\" or \"capacitor\"",
                        group.key(key)
                    ),
                ));
            }
        }
    }
    Ok(())
}

/// Word lines of a block, below which filling some of them up for each erase takes more than GC gains.
const FEWEST_WORD_LINES: u32 = 8;

/// Refuses drives whose GC would get nowhere for the word lines that it fills up.
fn check_word_lines(config: &Config, geometry: &Geometry) -> Result<(), Error> {
    let too_few =
        |group: &&Group| group.bits > 1 && group.pages_per_block < FEWEST_WORD_LINES * group.bits;
    let fills_up = !config.power.protection.bears_all();
    let Some(group) = geometry.groups.iter().find(too_few).filter(|_| fills_up) else {
        return Ok(());
    };
    Err(infeasible(
        format!(
            "power.protection = {} fills word lines up before each erase, and a block has {} of them: garbage collection would gain nothing",
            config.power.protection,
            group.pages_per_block / group.bits
        ),
        format!(
            "set {} to {} or more, or power.protection to \"capacitor\"",
            group.key("pages_per_block"),
            FEWEST_WORD_LINES * group.bits
        ),
    ))
}

/// Units of a block, below which the map that GC writes for them takes more than it gains.
const FEWEST_UNITS: u32 = 8;

/// Refuses drives whose GC would get nowhere for the pages of the map that it writes.
fn check_map_cache(config: &Config, geometry: &Geometry, layout: &Layout) -> Result<(), Error> {
    let policy = config.ftl.map_cache.policy;
    let few = |(number, it): (usize, &Filling)| {
        (it.usable_units < FEWEST_UNITS).then_some((number, it.usable_units))
    };
    let found = layout.fillings.iter().enumerate().find_map(few);
    let Some((number, units)) = found.filter(|_| policy != MapCacheChoice::Full) else {
        return Ok(());
    };
    let key = geometry.groups[number].key("pages_per_block");
    Err(infeasible(
        format!(
            "ftl.map_cache.policy = \"{policy}\" writes pages of the map for what garbage collection moves, and by {key} a block holds {units} of them: it would gain nothing"
        ),
        format!(
            "raise {key} until it holds {FEWEST_UNITS} or more, or set ftl.map_cache.policy to \"full\""
        ),
    ))
}

/// Refuses a choice of planes where a write point is one of several planes.
fn check_plane_allocation(config: &Config, layout: &Layout) -> Result<(), Error> {
    let is_shared = layout.fillings.iter().any(|filling| filling.scope_planes > 1);
    if config.ftl.plane_allocation == PlaneAllocation::MostFree && is_shared {
        return Err(infeasible(
            "ftl.plane_allocation = \"most_free\" chooses a plane for each write, but the planes of a die share one open block",
            "set drive.chip.multi_plane to false and ftl.frontier_scope to \"plane\", or ftl.plane_allocation to \"order\"",
        ));
    }
    Ok(())
}

/// What is told of `blocks` that only techniques may take, and what to do about it.
fn set_aside(config: &Config, blocks: u32) -> (String, String) {
    if blocks == 0 {
        return Default::default();
    }
    let names: Vec<String> =
        config.technique.keys().map(|name| format!("technique.{name}")).collect();
    let by = if names.is_empty() { "the technique".into() } else { names.join(", ") };
    (format!(" {blocks} set aside for {by},"), format!(" or what is set aside for {by}"))
}

/// The blocks of a domain, and those without which GC could not make progress.
struct Space {
    blocks: u32,
    bad: u32,
    units: u64,
    data: u64,
    open: u32,
    needed: u64,
}

impl Space {
    fn of(
        domain: DomainId,
        geometry: &Geometry,
        layout: &Layout,
        (of_plane, bad): (&ById<PlaneId, u64>, &ById<BlockId, bool>),
    ) -> Self {
        let filling = layout.of_domain(domain);
        let planes = layout.planes_of_domain(domain);
        let units: u64 = planes.iter().map(|plane| of_plane[plane]).sum();
        let blocks = geometry.blocks_of_planes(planes);
        let data = units.div_ceil(filling.usable_units.into());
        let open = filling.streams * filling.domain_planes * filling.lanes / filling.scope_planes;
        let lost = blocks.iter().filter(|&block| bad[block]).count() as u32;
        let kept = filling.reserve + filling.set_aside + filling.copy_blocks + open;
        let needed = data + u64::from(kept) + 1;
        Self { blocks: blocks.count(), bad: lost, units, data, open, needed }
    }

    /// Blocks that are missing.
    fn lacking(&self) -> u64 {
        self.needed.saturating_sub((self.blocks - self.bad).into())
    }
}

/// Lets GC in step begin only where the host waits for it, in groups that have no block to spare for more.
pub(super) fn begin_late_without_room(
    geometry: &Geometry,
    layout: &mut Layout,
    (mapped, bad): (u64, &ById<BlockId, bool>),
) {
    let of_plane = layout.units_by_plane(mapped);
    for domain in layout.domains() {
        let lacking = Space::of(domain, geometry, layout, (&of_plane, bad)).lacking();
        let filling = layout.of_domain(domain);
        if lacking == 1 && filling.in_step && filling.reserve == filling.spares + 1 {
            let group = geometry.group_of_plane(layout.planes_of_domain(domain).first());
            layout.fillings[group].reserve -= 1;
        }
    }
}

/// Refuses a drive on which GC could not make progress.
fn check_space(
    config: &Config,
    geometry: &Geometry,
    layout: &Layout,
    mapped: u64,
    bad: &ById<BlockId, bool>,
) -> Result<(), Error> {
    if mapped == 0 {
        return Err(infeasible("the drive has no logical space", "lower over_provisioning"));
    }
    let of_plane = layout.units_by_plane(mapped);
    for domain in layout.domains() {
        let space = Space::of(domain, geometry, layout, (&of_plane, bad));
        if space.lacking() == 0 {
            continue;
        }
        let filling = layout.of_domain(domain);
        let Space { blocks, bad, units, data, open, needed } = space;
        let (per_block, reserve) = (filling.usable_units, filling.reserve);
        let (aside, lower) = set_aside(config, filling.set_aside);
        let group = geometry.group_of_plane(layout.planes_of_domain(domain).first());
        return Err(infeasible(
            format!(
                "GC could not make progress: a domain has {blocks} blocks less {bad} bad ones, but needs {needed}: {data} for {units} units of data ({per_block} in a block), {reserve} held back,{aside} {open} open, and 1 to gain from"
            ),
            format!(
                "raise drive.over_provisioning or {}, lower ftl.gc.free_block_threshold{lower}, or widen ftl.gc.scope",
                geometry.groups[group].key("blocks_per_plane")
            ),
        ));
    }
    Ok(())
}
