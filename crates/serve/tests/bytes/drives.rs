//! Small drives, one for each way in which data gets to its cells.

use wordline_serve::{Drive, Home, Logs, Pace};
use wordline_sim::config::{Config, load};

pub const SMALL: &str = "
    [run]
    seed = 7
    [drive]
    channels = 2
    chips_per_channel = 1
    over_provisioning = 0.5
    [drive.chip]
    cell = \"tlc\"
    dies = 1
    planes = 2
    blocks_per_plane = 24
    pages_per_block = 24
    page_kib = 4
    [precondition]
    pattern = \"random\"
    fill = 0.0
    [host]
    queue_depth = 8
";

/// A name, and what is laid over the small drive.
pub const DRIVES: &[(&str, &str)] = &[
    ("pages", ""),
    ("one_shot", "drive.chip.program=one_shot"),
    ("planes", "drive.chip.multi_plane=true"),
    ("buffer", "ftl.acknowledge=buffer"),
    ("write_buffer", "host.write_buffer_mib=1"),
    // Units of a request leave it while others of the same request are still to enter it.
    ("small_buffer", "host.write_buffer_mib=0.02"),
    ("map_cache", "ftl.map_cache.policy=dftl ftl.map_cache.capacity_kib=8"),
    ("no_capacitor", "power.protection=none drive.chip.blocks_per_plane=40"),
    ("filled", "precondition.fill=1.0"),
    (
        "ressd",
        "technique.ressd.layers=2 drive.over_provisioning=0.8 drive.chip.layers_per_block=4 ftl.hotness.policy=size",
    ),
    (
        "lazy_ftl",
        "technique.lazy_ftl.day_s=1 technique.lazy_ftl.margin_s=0.1 drive.chip.program=one_shot ftl.frontiers=separate",
    ),
    (
        "slc_cache",
        "technique.slc_cache.static_share=0.06 drive.over_provisioning=0.8 drive.chip.blocks_per_plane=32",
    ),
    (
        "slc_in_place",
        "technique.slc_cache.fold=in_place technique.slc_cache.when_full=in_place drive.chip.program=one_shot drive.over_provisioning=0.8 drive.chip.blocks_per_plane=40",
    ),
    (
        "slc_in_place_planes",
        "technique.slc_cache.fold=in_place technique.slc_cache.when_full=in_place drive.chip.program=one_shot drive.chip.multi_plane=true drive.over_provisioning=0.8 drive.chip.blocks_per_plane=40",
    ),
    (
        "llh_ftl",
        "technique.llh_ftl.failure=0.01 technique.llh_ftl.lists=true drive.chip.cell=mlc drive.chip.page_kib=8 drive.over_provisioning=1.0 ftl.mapping_unit_kib=4 ftl.frontiers=coldest ftl.acknowledge=buffer ftl.hotness.policy=oracle ftl.hotness.hot_share=0.5",
    ),
    (
        "centaur",
        "drive.group.a.chip.cell=slc drive.group.a.chip.endurance_pec=60000 drive.group.a.chip.blocks_per_plane=32 drive.group.a.chip.pages_per_block=24 drive.group.a.chip.page_kib=4 drive.group.b.first_channel=1 drive.group.b.chip.cell=tlc drive.group.b.chip.endurance_pec=5000 drive.group.b.chip.program=full_sequence drive.group.b.chip.blocks_per_plane=24 drive.group.b.chip.pages_per_block=24 drive.group.b.chip.page_kib=16 ftl.mapping_unit_kib=4 drive.over_provisioning=2.0 technique.centaur.initial_bytes=24576 technique.centaur.min_bytes=4096 technique.centaur.max_bytes=49152",
    ),
    ("superblocks", "ftl.superblock_dies=2 drive.chip.program=one_shot"),
    (
        "superblocks_planes",
        "ftl.superblock_dies=2 drive.chip.multi_plane=true drive.chip.program=one_shot ftl.gc.mode=paced ftl.acknowledge=buffer",
    ),
    (
        "superblocks_parity",
        "ftl.superblock_dies=2 drive.chip.multi_plane=true drive.chip.program=one_shot ftl.superblock_parity=plane ftl.superblock_metadata_factor=1.1 drive.over_provisioning=0.8 drive.chip.blocks_per_plane=40",
    ),
    (
        "superblocks_slc_cache",
        "ftl.superblock_dies=2 drive.chip.multi_plane=true drive.chip.program=one_shot technique.slc_cache.static_share=0.1 drive.over_provisioning=1.2 drive.chip.blocks_per_plane=40",
    ),
    (
        "large_units",
        "drive.chip.page_kib=16 ftl.mapping_unit_kib=16 drive.chip.blocks_per_plane=18",
    ),
    // Its set-up writes as a host does, and has no data.
    ("steady", "precondition.fill=1.0 precondition.pattern=steady"),
];

/// Those that work only where time passes.
pub const TIMED: &[&str] = &["lazy_ftl", "centaur"];

/// Those whose units are smaller, or that are filled before they are served.
pub const OTHERS: &[&str] = &["filled", "steady", "large_units", "no_capacitor"];

/// A drive of each technique whose power nothing bears yet: superblocks need a capacitor.
pub fn unprotected() -> impl Iterator<Item = (&'static str, &'static str)> {
    let is_it = |name: &str| !OTHERS.contains(&name) && !name.starts_with("superblocks");
    DRIVES.iter().copied().filter(move |(name, _)| is_it(name))
}

/// How time is simulated.
pub const ORDERS: &[&str] =
    &["run.mode=count", "drive.scheduling.order=in_order", "drive.scheduling.order=reads_first"];

/// The configuration of a drive.
pub fn config(name: &str, keys: &str, more: &[&str]) -> Config {
    let keys: Vec<String> =
        keys.split_whitespace().chain(more.iter().copied()).map(str::to_owned).collect();
    load(SMALL, name, &keys).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A drive that holds data.
pub fn drive(name: &str, keys: &str, more: &[&str]) -> Drive {
    let config = config(name, keys, more);
    Drive::new(&config, Pace::Virtual, Home::Process, Logs::default(), &mut ())
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}
