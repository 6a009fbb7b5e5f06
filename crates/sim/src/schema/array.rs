//! Several drives as one.

use crate::declare::Kind;
use crate::declare::{choice, params};
use std::collections::BTreeMap;

choice! {
    /// How several drives are one.
    pub enum ArrayLevel {
        None = "none",
        Raid0 = "raid0",
        Raid1 = "raid1",
        Raid5 = "raid5",
    }
}

choice! {
    /// When parity is updated by reading what is written over.
    pub enum Rmw {
        Disable = "disable",
        Enable = "enable",
        Prefer = "prefer",
    }
}

choice! {
    /// What is done against the write hole of RAID 5.
    pub enum WriteHole {
        Open = "open",
        Ppl = "ppl",
        Journal = "journal",
    }
}

params! {
    /// `[array]`: several drives as one.
    pub struct ArrayConfig {
        level: ArrayLevel = ArrayLevel::None, Kind::OneOf(ArrayLevel::NAMES), "",
            "none: one drive, and no other key of this table counts; raid0: chunks in turn; raid1: mirrors; raid5: chunks in turn and a parity, left-symmetric",
            "Linux 5 md, drivers/md";
        drives: u64 = 4, Kind::Int(1, 64), "", "drives, each as [drive], [ftl], [erase] and [technique] say, or [array.drive.N]";
        chunk_kib: f64 = 512.0, Kind::Float(0.5, 1_048_576.0), "KiB",
            "data that goes to one drive before the next has its turn", "mdadm(8): 512 KiB";
        page_kib: f64 = 4.0, Kind::Float(0.5, 32.0), "KiB",
            "page of the array: addresses are told apart, cached and put together for parity by the page", "Linux 5 md: a page of memory";
        stripe_cache: u64 = 256, Kind::Int(1, 32_768), "stripes",
            "raid5: stripes of one page a drive that are cached", "Linux 5 md, raid5.c: NR_STRIPES";
        rmw: Rmw = Rmw::Enable, Kind::OneOf(Rmw::NAMES), "",
            "raid5: parity is updated by reading what is written over never, where that takes fewer reads than reading the rest of the stripe, or where it takes no more", "Linux 5 md, raid5.c: rmw_level";
        bypass_threshold: u64 = 1, Kind::Int(0, 32_768), "",
            "raid5: how often stripes that need no read may go ahead of one that was delayed", "Linux 5 md, raid5.c: BYPASS_THRESHOLD";
        count_updates: bool = false, Kind::Bool, "",
            "count how soon and how often data and parity are written over, and the parity that would be written if it were held back; takes 9 bytes for each mapping unit of the drives";
        write_hole: WriteHole = WriteHole::Open, Kind::OneOf(WriteHole::NAMES), "",
            "raid5: what a power cut between the writes of data and of parity may do: open: a drive that then fails takes data that nobody was writing; ppl: a partial parity log on the drive of the parity, written before the stripe, closes that; journal: data and parity are written to a journal first, on one more drive: the last, behind the spare", "Linux 5 md, raid5-ppl.c; raid5-cache.c, write-through";
        log_kib: f64 = 1024.0, Kind::Float(1.0, 1_048_576.0), "KiB",
            "write_hole = \"ppl\": room of the log on each drive, behind its data", "Linux md, driver-api/md/raid5-ppl: 1 MiB for each log by mdadm";
        journal_kib: f64 = 0.0, Kind::Float(0.0, 1_099_511_627_776.0), "KiB",
            "write_hole = \"journal\": room of the journal on its drive; 0: all of it", "Linux md, raid5-cache.c: device_size";
        spare: bool = false, Kind::Bool, "", "an erased drive stands by, and is rebuilt in place of one that fails";
        fail: Vec<u16> = Vec::new(), Kind::Ints(0, 63), "", "the drive, from 0, that fails; []: none";
        fail_at_s: f64 = 0.0, Kind::Float(0.0, 1e9), "s", "when it fails";
        scrub: bool = false, Kind::Bool, "", "read and compare everything once; waits for a rebuild";
        scrub_at_s: f64 = 0.0, Kind::Float(0.0, 1e9), "s", "when the scrub begins";
        sync_min_mb_s: f64 = 1.024, Kind::Float(0.0, 1e6), "MB/s",
            "a rebuild or scrub is not slowed down for the host's sake below this, of each drive", "Linux 5 md, md.c: speed_limit_min";
        sync_max_mb_s: f64 = 204.8, Kind::Float(1e-6, 1e6), "MB/s",
            "a rebuild or scrub is never faster than this, of each drive", "Linux 5 md, md.c: speed_limit_max";
        sync_to_end: bool = false, Kind::Bool, "",
            "go on after the workload until a rebuild or scrub is over";
        @table drive: BTreeMap<String, toml::Table>, "What differs in a drive, by its number: tables `drive`, `ftl`, `erase`, `technique`.";
    }
}
