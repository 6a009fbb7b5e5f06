//! The drives and workloads that are replayed.

/// What the peers were measured on: 16 GiB with pages of 4 KiB.
pub const SMALL: &str = "preset = \"peers-16g\"";
/// The peers' drive with 1 TiB.
pub const LARGE: &str = "preset = \"peers-16g\"\n[drive.chip]\nblocks_per_plane = 65536";
/// The peers' drive as large as four of them: their array is set beside it.
pub const OF_FOUR: &str = "preset = \"peers-16g\"\n[drive.chip]\nblocks_per_plane = 4096";
pub const TINY: &str = "preset = \"tiny\"";

/// As many dies as a drive may have, and the same chips with an eighth of them.
pub const DIES_4096: &str = "preset = \"peers-16g\"\n[drive]\nchannels = 64\nchips_per_channel = 64\n\
    [drive.chip]\nblocks_per_plane = 32\npages_per_block = 64";
pub const DIES_512: &str = "preset = \"peers-16g\"\n[drive]\nchannels = 64\nchips_per_channel = 8\n\
    [drive.chip]\nblocks_per_plane = 32\npages_per_block = 64";

/// One of the sixteen banks of a drive that is compared with LLH-FTL, which works for itself.
pub const BANK: &str =
    "preset = \"llh-emulator-16g\"\n[drive]\nchannels = 1\nchips_per_channel = 1";
/// A bank of the drive with LLH-FTL.
pub const BANK_LLH: &str = "preset = \"llh-ftl-16g\"\n[drive]\nchannels = 1\nchips_per_channel = 1";
pub const HALF_HOT: &str = "hotcold:writes=2e6,size_kib=4,hot=0.02,share=0.5";
pub const BY_ORACLE: &[&str] =
    &["ftl.frontiers=coldest", "ftl.hotness.policy=oracle", "ftl.hotness.hot_share=0.02"];
pub const COUNT_BY_ORACLE: &[&str] = &[
    "run.mode=count",
    "ftl.frontiers=coldest",
    "ftl.hotness.policy=oracle",
    "ftl.hotness.hot_share=0.02",
];

/// Writes that leave dies idle, and days in which some of the data dies.
pub const HALF_HOT_PAGES: &str =
    "hotcold:writes=2e6,size_kib=16,hot=0.02,share=0.5,interval_us=7000";
/// LazyRS's platform, and the same with lazyFTL.
pub const LAZYRS: &str = "preset = \"lazyrs-16g\"";
pub const LAZY_FTL: &str =
    "preset = \"lazyftl-16g\"\n[technique.lazy_ftl]\nmode = \"m1\"\nday_s = 300\nmargin_s = 1";

/// 2D and 3D flash, a 32nd of the size of Centaur's drive; and the same with Centaur.
pub const TWO_KINDS: &str = "preset = \"centaur-mixed-256g\"\n\
    [drive.group.slc.chip]\nblocks_per_plane = 256\npages_per_block = 32\n\
    [drive.group.tlc.chip]\nblocks_per_plane = 179\npages_per_block = 192";
pub const CENTAUR: &str = "preset = \"centaur-mixed-256g\"\n\
    [drive.group.slc.chip]\nblocks_per_plane = 256\npages_per_block = 32\n\
    [drive.group.tlc.chip]\nblocks_per_plane = 179\npages_per_block = 192\n\
    [technique.centaur]";
pub const PARTS: &str = "hotcold:requests=2e6,read=0.5,hot=0.2,share=0.8,size_kib=32";

/// One of the drives of ReSSD's array with fewer blocks, and the same with ReSSD.
pub const TLC: &str =
    "preset = \"ressd-576g\"\n[drive.chip]\npreset = \"ressd-tlc\"\nblocks_per_plane = 96";
pub const RESSD: &str = "preset = \"ressd-576g\"\n[drive.chip]\npreset = \"ressd-tlc\"\nblocks_per_plane = 96\n\
    [technique.ressd]";
/// A drive of ReSSD's array with a cache of one bit in a cell.
pub const SLC_CACHE: &str = "preset = \"ressd-576g\"\n[drive.chip]\npreset = \"ressd-tlc\"\nblocks_per_plane = 96\n\
    [technique.slc_cache]";
pub const HALF_READS: &str = "hotcold:requests=2e6,read=0.5,hot=0.2,share=0.8,size_kib=16";

/// The drive on which erase schemes are compared, with fewer blocks.
pub const ERASE: &str =
    "preset = \"reo-1t\"\n[drive.chip]\npreset = \"reo-tlc\"\nblocks_per_plane = 32";
pub const REO: &[&str] = &["erase.scheme=reo"];

/// Four drives of 16 GiB as one.
pub const RAID_0: &str =
    "preset = \"peers-16g\"\n[array]\nlevel = \"raid0\"\ndrives = 4\nchunk_kib = 64";
pub const RAID_5: &str =
    "preset = \"peers-16g\"\n[array]\nlevel = \"raid5\"\ndrives = 4\nchunk_kib = 64";

pub const READS: &str = "uniform:requests=2e6,read=1";
/// Pages whose errors come from the cell laboratory, or from a law.
pub const CELL_READS: &[&str] = &["drive.reads.model=cell"];
pub const LAW_READS: &[&str] = &["drive.reads.model=law"];

pub const OPEN: &[&str] = &["host.mode=open"];

pub const DEEP: &[&str] = &["host.queue_depth=1024"];
pub const DFTL: &[&str] = &["ftl.map_cache.policy=dftl", "ftl.map_cache.capacity_kib=1024"];
pub const WRITE_BUFFER: &[&str] = &["host.write_buffer_mib=16"];
pub const DYNAMIC: &[&str] = &["ftl.allocation=dynamic"];
pub const UNIFORM: &str = "uniform:writes=2e6";
pub const COUNT: &[&str] = &["run.mode=count"];
pub const READS_FIRST: &[&str] = &["drive.scheduling.order=reads_first"];
pub const PRIORITIES: &[&str] = &[
    "drive.scheduling.order=reads_first",
    "drive.scheduling.suspend_program=true",
    "drive.scheduling.suspend_erase=true",
];
