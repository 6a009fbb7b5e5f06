//! Random configurations and workloads.

use crate::common::{Dice, tiny};
use wordline_sim::config::{
    Allocation, Beyond, Cell, Config, FreeBlockOrder, FrontierScope, Frontiers, GcCounts, GcScope,
    GcTrigger, GroupConfig, HotnessChoice, MapCacheChoice, PlaneAllocation, ProgramUnit, Ties,
    VictimChoice, WearChoice,
};
use wordline_trace::{Op, Request};

/// Mapping units of a drive at most.
const UNITS_MAX: u64 = 4096;

pub struct Case {
    seed: u64,
    pub config: Config,
    pub requests: Vec<Request>,
}

impl Case {
    pub fn random(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let mut config = tiny();
        config.run.seed = seed;
        config.workload.beyond = Beyond::Error;
        draw_drive(&mut config, &mut dice);
        draw_ftl(&mut config, &mut dice);
        if dice.one_in(4) {
            draw_second_kind(&mut config, &mut dice);
        }
        let requests = draw_requests(&config, &mut dice);
        Self { seed, config, requests }
    }

    /// Whether victims are drawn at random.
    pub fn draws_victims(&self) -> bool {
        matches!(self.config.ftl.gc.policy, VictimChoice::Random | VictimChoice::DChoices)
    }

    /// What is needed to see it again.
    pub fn replay(&self) -> String {
        format!("REFERENCE_SEED={}\n{}", self.seed, self.config.to_toml())
    }
}

fn draw_drive(config: &mut Config, dice: &mut Dice) {
    config.drive.channels = dice.between(1, 2);
    config.drive.chips_per_channel = dice.pick(&[1, 1, 2]);
    let chip = &mut config.drive.chip;
    chip.dies = dice.pick(&[1, 1, 2]);
    chip.planes = dice.between(1, 3);
    chip.cell = dice.pick(&[Cell::Slc, Cell::Mlc, Cell::Tlc]);
    chip.program = dice.pick(&[
        ProgramUnit::Page,
        ProgramUnit::Page,
        ProgramUnit::OneShot,
        ProgramUnit::FullSequence,
    ]);
    chip.pages_per_block = 6 * dice.between(1, 4);
    chip.multi_plane = dice.one_in(4);
    chip.page_kib = 4.0;
    config.ftl.mapping_unit_kib = dice.pick(&[0.0, 0.0, 1.0, 2.0, 8.0]);
    let planes = config.drive.channels * config.drive.chips_per_channel * chip.dies * chip.planes;
    let units = chip.pages_per_block * if config.ftl.mapping_unit_kib == 1.0 { 4 } else { 1 };
    let most = (UNITS_MAX / (planes * units)).clamp(8, 64);
    chip.blocks_per_plane = dice.between(8, most);
    config.drive.over_provisioning = dice.pick(&[0.25, 0.4, 0.7, 1.2]);
    config.drive.chip.multi_plane_reads = dice.below(config.drive.chip.planes + 1);
}

/// A second kind of flash beside the first, on some of its channels.
fn draw_second_kind(config: &mut Config, dice: &mut Dice) {
    let drive = &mut config.drive;
    let chips_per_channel = drive.chips_per_channel;
    let first = GroupConfig { chips_per_channel, chip: drive.chip.clone(), ..Default::default() };
    let mut second = GroupConfig { first_channel: dice.below(drive.channels), ..first.clone() };
    let chip = &mut second.chip;
    chip.planes = dice.between(1, 2);
    chip.cell = dice.pick(&[Cell::Slc, Cell::Mlc, Cell::Tlc]);
    chip.program = dice.pick(&[ProgramUnit::Page, ProgramUnit::OneShot]);
    chip.pages_per_block = 6 * dice.between(1, 3);
    chip.page_kib = dice.pick(&[2.0, 4.0, 8.0]);
    chip.blocks_per_plane = dice.between(8, 40);
    chip.multi_plane = config.ftl.gc.scope == GcScope::Plane && dice.one_in(2);
    chip.multi_plane_reads = 0;
    drive.group = [("first".into(), first), ("second".into(), second)].into();
    if config.ftl.allocation == Allocation::Dynamic {
        config.ftl.allocation = Allocation::Wdpc;
    }
}

fn draw_ftl(config: &mut Config, dice: &mut Dice) {
    let ftl = &mut config.ftl;
    ftl.allocation = dice.pick(&[
        Allocation::Cwdp,
        Allocation::Pdwc,
        Allocation::Wpcd,
        Allocation::Dcpw,
        Allocation::Pcdw,
        Allocation::Cpwd,
        Allocation::Dwpc,
        Allocation::Dynamic,
    ]);
    ftl.frontiers = dice.pick(&[Frontiers::Separate, Frontiers::Shared]);
    ftl.gc.policy = dice.pick(&[
        VictimChoice::Greedy,
        VictimChoice::Fifo,
        VictimChoice::CostBenefit,
        VictimChoice::WindowedGreedy,
        VictimChoice::Random,
        VictimChoice::DChoices,
    ]);
    ftl.gc.d = dice.between(1, 6);
    ftl.gc.window = dice.between(1, 12);
    ftl.gc.free_block_threshold = dice.pick(&[0.0, 0.05, 0.15]);
    ftl.gc.counts = dice.pick(&[GcCounts::Blocks, GcCounts::Blocks, GcCounts::Pages]);
    ftl.gc.scope = dice.pick(&[GcScope::Plane, GcScope::Die, GcScope::Drive]);
    ftl.frontier_scope = dice.pick(&[FrontierScope::Plane, FrontierScope::Die]);
    if config.drive.chip.multi_plane {
        ftl.gc.scope = GcScope::Plane;
    } else if ftl.gc.scope == GcScope::Plane {
        ftl.frontier_scope = FrontierScope::Plane;
    }
    ftl.hotness.policy = dice.pick(&[
        HotnessChoice::None,
        HotnessChoice::None,
        HotnessChoice::Size,
        HotnessChoice::Oracle,
        HotnessChoice::Sequence,
        HotnessChoice::Interval,
        HotnessChoice::PageInterval,
    ]);
    ftl.hotness.intervals_min = dice.pick(&[&[8.0][..], &[4.0, 20.0]]).to_vec();
    ftl.hotness.size_kib = dice.pick(&[4.0, 8.0]);
    ftl.hotness.hot_share = dice.pick(&[0.1, 0.3]);
    ftl.hotness.run_kib = dice.pick(&[8.0, 32.0]);
    ftl.wear.policy = dice.pick(&[WearChoice::None, WearChoice::Dynamic, WearChoice::Static]);
    ftl.wear.threshold = dice.between(1, 3);
    ftl.free_block_order = dice.pick(&[FreeBlockOrder::Fifo, FreeBlockOrder::Circular]);
    ftl.gc.trigger = dice.pick(&[GcTrigger::Allocation, GcTrigger::Allocation, GcTrigger::Access]);
    ftl.map_cache.policy =
        dice.pick(&[MapCacheChoice::Full, MapCacheChoice::Full, MapCacheChoice::Dftl]);
    if ftl.frontier_scope == FrontierScope::Plane
        && ftl.map_cache.policy == MapCacheChoice::Full
        && dice.one_in(2)
    {
        ftl.plane_allocation = PlaneAllocation::MostFree;
    }
    // 4 to 256 entries.
    ftl.map_cache.capacity_kib = dice.pick(&[0.03125, 0.25, 2.0]);
    ftl.gc.ties = dice.pick(Ties::ALL);
}

/// About three times the drive's size, mostly writes.
fn draw_requests(config: &Config, dice: &mut Dice) -> Vec<Request> {
    // A drive whose sizes do not fit one another is refused anyway.
    let bytes = wordline_sim::logical_bytes(config).unwrap_or(1 << 20);
    let pages_kib = config.drive.kinds().into_iter().map(|kind| kind.chip.page_kib);
    let unit = match config.ftl.mapping_unit_kib {
        0.0 => (pages_kib.fold(f64::INFINITY, f64::min) * 1024.0) as u64,
        kib => (kib * 1024.0) as u64,
    };
    let grain = if dice.one_in(4) { 512 } else { unit };
    let (hot, skewed, runs) = (dice.between(1, 5), dice.one_in(2), dice.one_in(3));
    let mut sizes = [1, 1, 2, 5].map(|units| (units * unit).min(bytes));
    sizes[3] = sizes[3].saturating_sub(if grain < unit { grain } else { 0 }).max(grain);
    let mut requests = Vec::new();
    let (mut written, mut next) = (0, 0);
    while written < 3 * bytes {
        let size = dice.pick(&sizes);
        let span = if skewed && !dice.one_in(5) { bytes * hot / 10 } else { bytes };
        let mut offset = dice.below(span / grain) * grain;
        if runs && !dice.one_in(8) {
            offset = next;
        }
        if offset + size > bytes {
            offset = 0;
        }
        let op = dice.pick(
            &[Op::Write; 14]
                .iter()
                .copied()
                .chain([Op::Read, Op::Read, Op::Read, Op::Trim])
                .collect::<Vec<_>>(),
        );
        let op = if dice.one_in(500) { Op::Flush } else { op };
        if op == Op::Write {
            written += size;
            next = offset + size;
        }
        requests.push(
            Request::new(op, offset, if op == Op::Flush { 0 } else { size as u32 })
                .at(requests.len() as u64 * 1_000_000_000),
        );
    }
    requests
}
