//! A technique from scratch, and a run of it beside the conventional drive:
//! `cargo run --release -p wordline-sim --example read_refresh`.

use serde_json::{Map, Value};
use std::collections::BTreeSet;
use wordline_sim::config::{Config, load};
use wordline_sim::drive::DriveState;
use wordline_sim::ids::{BlockId, ById};
use wordline_sim::metrics::{Counters, RunResult};
use wordline_sim::nand::{BlockState, Load, Located};
use wordline_sim::technique::{
    Cells, Conventional, Hook, Hooks, Idle, Observer, Phase, Placement, Profile, Stack, Technique,
};
use wordline_sim::{Error, Own, logical_bytes, with_own};
use wordline_trace::{GeneratorContext, from_spec};

/// Reads disturb the cells of their block: after so many its data moves, in idle time.
pub struct ReadRefresh {
    reads_max: u32,
    /// The host's reads of each block since its erase, and the most of any.
    reads: ById<BlockId, u32>,
    most_reads: u32,
    due: BTreeSet<BlockId>,
    refreshed: u64,
}

impl Technique for ReadRefresh {
    fn profile(&self) -> Profile {
        Profile::of(&[Hook::Idle])
    }

    fn idle(&mut self, state: &DriveState, _: &dyn Load, _now_ns: u64) -> Idle {
        let is_full = |block: &&BlockId| state.blocks[**block].state == BlockState::Full;
        let Some(&block) = self.due.iter().find(is_full) else { return Idle::Nothing };
        self.due.remove(&block);
        self.refreshed += 1;
        Idle::Reclaim(vec![block])
    }

    fn metrics(&self, _: &DriveState, _: &Counters) -> Map<String, Value> {
        let figures = [("refreshed", self.refreshed), ("most_reads", self.most_reads.into())];
        figures.map(|(name, value)| (name.to_owned(), value.into())).into_iter().collect()
    }
}

impl Observer for ReadRefresh {
    fn begin(&mut self, state: &DriveState, _: Phase) {
        self.reads = ById::filled(0, state.geometry.blocks().count());
    }

    fn read(&mut self, _: &DriveState, at: &Located, _now_ns: u64) {
        let reads = &mut self.reads[at.block];
        *reads += 1;
        self.most_reads = self.most_reads.max(*reads);
        if *reads == self.reads_max {
            self.due.insert(at.block);
        }
    }

    fn erased(&mut self, _: &DriveState, block: BlockId) {
        self.reads[block] = 0;
        self.due.remove(&block);
    }
}

impl Placement for ReadRefresh {}
impl Cells for ReadRefresh {}
// end: technique

impl ReadRefresh {
    /// Blocks are refreshed after so many reads.
    pub fn after(reads_max: u32) -> Self {
        let (reads, due) = (ById::filled(0, 0), BTreeSet::new());
        Self { reads_max, reads, most_reads: 0, due, refreshed: 0 }
    }
}

/// A run of a drive with `hooks`.
pub fn result(config: &Config, hooks: impl Hooks) -> Result<RunResult, Error> {
    let context = GeneratorContext::on_drive(logical_bytes(config)?, config.run.seed);
    let workload = from_spec(WORKLOAD, &context)?;
    Ok(with_own(config, hooks, Own::default(), workload, &mut ())?.result)
}

/// A host that reads a few places often, and leaves the drive time.
pub const WORKLOAD: &str = "hotcold:hot=0.02,share=0.9,requests=1e5,read=0.98,interval_us=500";

/// A small drive.
pub const DRIVE: &str = "preset = \"tiny\"";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let config = load(DRIVE, "the example", &[])?;
    let usual = result(&config, Conventional)?;
    let ours = result(&config, Stack::alone(ReadRefresh::after(500)))?;
    println!("mean read, conventional  {:.1} us", usual.host.read.mean_us);
    println!("mean read, refreshed     {:.1} us", ours.host.read.mean_us);
    println!("blocks refreshed         {}", ours.technique["refreshed"]);
    println!("most reads of a block    {}", ours.technique["most_reads"]);
    Ok(())
}
