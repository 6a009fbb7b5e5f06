//! A real drive on a smaller scale.
//!
//! Write amplification depends on ratios alone: the log's room to the space that is written, and, where
//! data is sequential, the size of what is erased together to the size of what is written together.

use super::fit::{Evidence, Log, Point};
use super::published;
use super::shrunk::{Shrunk, UNIT_BYTES};
use crate::SEED;
use crate::case::{Case, Check, Setup, Value, Workload};
use wordline_sim::config::{Config, Frontiers, HostMode, Pattern, RunMode, VictimChoice};
use wordline_trace::{GeneratorContext, Source, from_spec};

/// Units of the log's room. A unit stands for some MiB of the real drive.
const LOG_UNITS: f64 = 1_048_576.0;
/// Units of the log's room where data is sequential: what is erased together is then many units all the same.
const COARSE_LOG_UNITS: f64 = 262_144.0;
/// The part of a run that counts is its last fifth, as in the published figures.
const MEASURED_FROM: f64 = 0.8;

/// How a drive is laid out and cleaned.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    /// Blocks that are erased together, as one: their room.
    pub block_gib: f64,
    /// How the victim is chosen.
    pub victims: VictimChoice,
    /// Whether what is moved shares blocks with what the host writes.
    pub frontiers: Frontiers,
}

impl Layout {
    /// The rules of the conventional drive: the block with the fewest valid units, and blocks of their own
    /// for what is moved. Of large blocks, the emptiest is the oldest under uniform writes.
    pub fn greedy(block_gib: f64) -> Self {
        let config = Config::default();
        Self { block_gib, victims: config.ftl.gc.policy, frontiers: config.ftl.frontiers }
    }

    /// Blocks that are held back or open beside those of the host: erased ones that GC needs, and the
    /// open one of another stream, half of which counts as room.
    fn held_blocks(self) -> f64 {
        match self.frontiers {
            Frontiers::Shared => 1.0,
            Frontiers::Separate | Frontiers::Coldest => 1.5,
        }
    }
}

/// A drive, what of its space is written, and how.
#[derive(Debug, Clone, Copy)]
pub struct Scaled {
    /// The drive's log.
    pub log: Log,
    /// What the drive exports.
    pub exported_gib: f64,
    /// What is written of it, from the start.
    pub space_gib: f64,
    /// How it is laid out.
    pub layout: Layout,
    /// Units of the log's room on our scale.
    pub log_units: f64,
}

impl Scaled {
    /// A drive that exports `exported_gib`, all of which is written.
    pub fn new(log: Log, exported_gib: f64, layout: Layout) -> Self {
        Self { log, exported_gib, space_gib: exported_gib, layout, log_units: LOG_UNITS }
    }

    /// A drive that writes `factor` units for each unit of data, with the room that uniform writes over all
    /// that it exports speak of.
    pub fn fitted(factor: f64, whole: Point, block_gib: f64) -> Self {
        let log = Log::fit(Evidence { fills: &[], points: &[whole] }, Some(factor));
        Self::new(log, whole.space_gib, Layout::greedy(block_gib))
    }

    /// The drive in fewer units.
    pub fn coarser(self) -> Self {
        Self { log_units: COARSE_LOG_UNITS, ..self }
    }

    /// Units of a block.
    fn block_units(&self) -> f64 {
        (self.layout.block_gib / self.log.room_gib * self.log_units).round().max(1.0)
    }

    /// Whole blocks of the drive, those that are held back included.
    fn blocks(&self) -> f64 {
        (self.log_units / self.block_units() + self.layout.held_blocks()).ceil()
    }

    /// Units of so many GiB: the room is that of the blocks that are not held back.
    pub fn units(&self, gib: f64) -> f64 {
        let room = (self.blocks() - self.layout.held_blocks()) * self.block_units();
        (gib / self.log.room_gib * room).round()
    }

    /// Requests of one unit that write the space `passes` times.
    pub fn requests(&self, passes: f64) -> u64 {
        (passes * self.units(self.space_gib)).round() as u64
    }

    /// A row's run: a generator's workload that writes the space `passes` times after a fill in `order`;
    /// `keys` begin with the generator's name.
    pub fn case(&self, id: &str, keys: &str, order: Pattern, passes: f64) -> Case {
        let checks = vec![self.amplification(id)];
        self.run(id, keys, order, passes, checks)
    }

    /// As [`Self::case`], with what is compared in the run.
    pub fn run(
        &self,
        id: &str,
        keys: &str,
        order: Pattern,
        passes: f64,
        checks: Vec<Check>,
    ) -> Case {
        let separator = if keys.contains(':') { ',' } else { ':' };
        let span_mib = (self.units(self.space_gib) * UNIT_BYTES as f64) / (1 << 20) as f64;
        let writes = self.requests(passes);
        let workload = format!("{keys}{separator}writes={writes},span_mib={span_mib}");
        let setup = Ok(self.setup(order, passes, crate::generated(workload.clone())));
        Case { id: id.into(), workload, setup, others: Vec::new(), checks }
    }

    /// The run of rows under a generator's workload over all addresses of the real drive, 4 KiB each.
    pub fn real(&self, id: &str, keys: &str, order: Pattern, passes: f64, check: Check) -> Case {
        let writes = self.requests(passes);
        let space_bytes = (self.space_gib * f64::from(1 << 30)) as u64 / UNIT_BYTES * UNIT_BYTES;
        let units = self.units(self.space_gib) as u64;
        let workload =
            format!("{keys},writes={writes} over {} addresses", space_bytes / UNIT_BYTES);
        let spec = format!("{keys},writes={writes}");
        let draw = move |_| -> Result<Box<dyn Source>, wordline_trace::Error> {
            let source = from_spec(&spec, &GeneratorContext::on_drive(space_bytes, SEED))?;
            Ok(Box::new(Shrunk { source, space_bytes, units }))
        };
        let setup = Ok(self.setup(order, passes, Box::new(draw)));
        Case { id: id.into(), workload, setup, others: Vec::new(), checks: vec![check] }
    }

    /// The run of rows that fills the whole empty drive in order.
    pub fn fill(&self, id: &str, checks: Vec<Check>) -> Case {
        let workload = format!("sequential:writes={}", self.requests(1.0));
        let mut setup = self.setup(Pattern::None, 1.0, crate::generated(workload.clone()));
        setup.config.run.measure_from_request = 0;
        Case { id: id.into(), workload, setup: Ok(setup), others: Vec::new(), checks }
    }

    /// The check of a row: what the drive writes for each unit of the host's.
    pub fn amplification(&self, id: &str) -> Check {
        published::check(id, amplification(self.log.factor))
    }

    /// The run of a workload that writes the space `passes` times, from a drive filled in `order`.
    pub fn setup(&self, order: Pattern, passes: f64, workload: Workload) -> Setup {
        let mut config = self.config();
        config.precondition.pattern = order;
        config.precondition.fill = self.space_gib / self.exported_gib;
        config.run.measure_from_request = (MEASURED_FROM * self.requests(passes) as f64) as u64;
        Setup { config, workload }
    }

    /// The drive as a configuration.
    pub fn config(&self) -> Config {
        let mut config = Config::default();
        config.run.mode = RunMode::Count;
        config.drive.channels = 1;
        config.drive.chips_per_channel = 1;
        let chip = &mut config.drive.chip;
        chip.planes = 1;
        chip.pages_per_block = self.block_units() as u64;
        chip.blocks_per_plane = self.blocks() as u64;
        let physical = self.blocks() * self.block_units();
        config.drive.over_provisioning = physical / self.units(self.exported_gib) - 1.0;
        config.ftl.frontiers = self.layout.frontiers;
        config.ftl.gc.policy = self.layout.victims;
        config.ftl.gc.free_block_threshold = 0.0;
        config.host.mode = HostMode::Closed;
        config
    }
}

/// What the drive writes for each unit of the host's, with what comes to `factor` besides data.
pub fn amplification(factor: f64) -> Value {
    Box::new(move |outcome| factor * outcome.result.write_amplification.unwrap_or(f64::NAN))
}
