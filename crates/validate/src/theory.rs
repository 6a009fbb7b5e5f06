//! Write amplification against the closed forms of [`wordline_sim::theory`].
//!
//! Every run starts from a drive that was filled once in random order, far from the steady state, so
//! that what is compared owes nothing to the closed forms; only the part after the warm-up counts.

use crate::case::{Case, Check, Setup};
use crate::generated;
use wordline_items::Served;
use wordline_sim::Outcome;
use wordline_sim::config::{
    Config, Frontiers, HostMode, HotnessChoice, Pattern, RunMode, VictimChoice,
};
use wordline_sim::metrics::Values;
use wordline_sim::theory::{self, Class, Cleaning};

const OVER_PROVISIONINGS: [f64; 3] = [0.07, 0.28, 0.50];
const PAGES_PER_BLOCK: [u64; 4] = [16, 64, 256, 2112];
const TOLERANCE: f64 = 0.01;

/// Pages of a drive, and in a quick suite: enough that the number of blocks no longer matters.
const PAGES: u64 = 1 << 20;
const QUICK_PAGES: u64 = 1 << 18;
/// Fewest blocks, where blocks are large. Greedy over this many differs from its limit by less than
/// FIFO does, which is 0.4 % at 2,112 pages.
const MIN_BLOCKS: u64 = 600;
/// Times that the drive is written over, migrations included, before and in what is measured.
const WARM_UP_PASSES: f64 = 10.0;
const MEASURED_PASSES: f64 = 8.0;
/// Such times where cold data has a log of its own, which is written over more slowly.
const COLD_WARM_UP_PASSES: f64 = 40.0;
/// Fewest victims measured where the choice is random: their valid pages scatter so widely that the
/// standard error of A is 0.9/√n of it.
const VICTIMS: f64 = 100_000.0;

/// A policy, and its name in ids.
#[derive(Clone, Copy)]
struct Policy {
    cleaning: Cleaning,
    name: &'static str,
    choice: VictimChoice,
    d: u32,
    form: &'static str,
}

const D_CHOICES: &str = "mean field of d-choices, Van Houdt, SIGMETRICS 2013";

const fn d_choices(d: u32, name: &'static str) -> Policy {
    Policy {
        cleaning: Cleaning::DChoices(d),
        name,
        choice: VictimChoice::DChoices,
        d,
        form: D_CHOICES,
    }
}

const FIFO: Policy = Policy {
    cleaning: Cleaning::Fifo,
    name: "fifo",
    choice: VictimChoice::Fifo,
    d: 1,
    form: "A = α/(α + W₀(−α·e^(−α))), Desnoyers, ACM TOS 10(2), 2014",
};

const RANDOM: Policy = Policy {
    cleaning: Cleaning::Random,
    name: "random",
    choice: VictimChoice::Random,
    d: 1,
    form: "A = α/(α − 1), Van Houdt, SIGMETRICS 2013",
};

const GREEDY: Policy = Policy {
    cleaning: Cleaning::Greedy,
    name: "greedy",
    choice: VictimChoice::Greedy,
    d: 1,
    form: "limit of the mean field of d-choices, Van Houdt, SIGMETRICS 2013",
};

const POLICIES: [Policy; 7] = [
    FIFO,
    RANDOM,
    GREEDY,
    d_choices(2, "d_choices/d=2"),
    d_choices(3, "d_choices/d=3"),
    d_choices(5, "d_choices/d=5"),
    d_choices(10, "d_choices/d=10"),
];

/// The runs; `quick` keeps to one size of block and one over-provisioning.
pub fn cases(quick: bool) -> Vec<Case> {
    let mut cases = Vec::new();
    for policy in POLICIES {
        for over_provisioning in OVER_PROVISIONINGS {
            for pages_per_block in PAGES_PER_BLOCK {
                if !quick || (over_provisioning, pages_per_block) == (0.28, 64) {
                    let drive = Drive::new(policy, over_provisioning, pages_per_block, quick);
                    cases.push(uniform(drive));
                }
            }
        }
    }
    cases.push(mixed(quick));
    if !quick {
        // Two logs need a larger drive than a quick run has to be near the limit of many blocks.
        cases.push(separated());
    }
    cases
}

fn uniform(drive: Drive) -> Case {
    let Drive { over_provisioning, pages_per_block, .. } = drive;
    let Policy { cleaning, name, form, .. } = drive.policy;
    let reference =
        move |alpha: f64| theory::write_amplification(cleaning, alpha, pages_per_block as usize);
    let id = format!("theory/wa/{name}/op={over_provisioning:.2}/b={pages_per_block}");
    drive.case(id, form, "uniform", reference, |_| {})
}

const HOT: [Class; 2] = [Class { space: 0.2, writes: 0.8 }, Class { space: 0.8, writes: 0.2 }];
const HOT_COLD: &str = "hotcold:hot=0.2,share=0.8";

fn mixed(quick: bool) -> Case {
    let drive = Drive::new(FIFO, 0.15, 64, quick);
    let form = "A = Σ r/(1 − exp(−r·α/(f·A))), Desnoyers, ACM TOS 10(2), 2014";
    let reference = |alpha: f64| theory::mixed_fifo(alpha, &HOT);
    let id = "theory/wa/hot_cold/mixed".to_owned();
    drive.case(id, form, HOT_COLD, reference, |_| {})
}

/// Greedy keeps both classes' victims equally full, which splits the spare space in proportion to
/// the classes' sizes: each is a log of its own with the α of the whole.
fn separated() -> Case {
    let drive =
        Drive { warm_up_passes: COLD_WARM_UP_PASSES, ..Drive::new(GREEDY, 0.15, 256, false) };
    let pages_per_block = drive.pages_per_block as usize;
    let form = "Σ r·A(α): a log for each class, the spare space in proportion to their sizes";
    let reference = move |alpha: f64| theory::greedy(alpha, pages_per_block);
    let id = "theory/wa/hot_cold/separated".to_owned();
    drive.case(id, form, HOT_COLD, reference, |config| {
        config.ftl.hotness.policy = HotnessChoice::Oracle;
        config.ftl.hotness.hot_share = HOT[0].space;
    })
}

struct Drive {
    policy: Policy,
    over_provisioning: f64,
    pages_per_block: u64,
    blocks: u64,
    warm_up_passes: f64,
}

impl Drive {
    fn new(policy: Policy, over_provisioning: f64, pages_per_block: u64, quick: bool) -> Self {
        let pages = if quick { QUICK_PAGES } else { PAGES };
        let blocks = (pages / pages_per_block).max(MIN_BLOCKS);
        Self { policy, over_provisioning, pages_per_block, blocks, warm_up_passes: WARM_UP_PASSES }
    }

    fn case(
        self,
        id: String,
        form: &str,
        generator: &str,
        reference: impl Fn(f64) -> f64 + Send + Sync + 'static,
        adapt: impl FnOnce(&mut Config),
    ) -> Case {
        let pages = (self.blocks * self.pages_per_block) as f64;
        let measured = (MEASURED_PASSES * pages).max(self.victims() * self.pages_per_block as f64);
        let programs = self.warm_up_passes * pages + measured;
        let writes = (programs / reference(1.0 + self.over_provisioning)).round();
        let separator = if generator.contains(':') { ',' } else { ':' };
        let workload = format!("{generator}{separator}writes={writes}");
        let mut config = self.config();
        adapt(&mut config);
        let warm_up = self.warm_up_passes * pages / programs;
        let check = Check {
            id: id.clone(),
            source: form.to_owned(),
            unit: "",
            tolerance: TOLERANCE,
            served: Served::Nothing,
            reference: Box::new(move |outcome| reference(outcome.result.capacity.alpha)),
            ours: Box::new(move |outcome| write_amplification_after(outcome, warm_up)),
            note: String::new(),
        };
        let setup = Setup { config, workload: generated(workload.clone()) };
        Case { id, workload, setup: Ok(setup), others: Vec::new(), checks: vec![check] }
    }

    /// Victims that must be seen until their scatter averages out.
    fn victims(&self) -> f64 {
        match self.policy.cleaning {
            Cleaning::Random => VICTIMS,
            Cleaning::DChoices(d) => VICTIMS / f64::from(d),
            Cleaning::Fifo | Cleaning::Greedy => 0.0,
        }
    }

    /// One plane and one write frontier, no more blocks held back than the drive needs.
    fn config(&self) -> Config {
        let mut config = Config::default();
        config.run.mode = RunMode::Count;
        config.drive.channels = 1;
        config.drive.chips_per_channel = 1;
        config.drive.over_provisioning = self.over_provisioning;
        config.drive.chip.planes = 1;
        config.drive.chip.blocks_per_plane = self.blocks;
        config.drive.chip.pages_per_block = self.pages_per_block;
        config.ftl.frontiers = Frontiers::Shared;
        config.ftl.gc.policy = self.policy.choice;
        config.ftl.gc.d = u64::from(self.policy.d);
        config.ftl.gc.free_block_threshold = 0.0;
        config.host.mode = HostMode::Closed;
        config.precondition.pattern = Pattern::Random;
        config
    }
}

/// Write amplification of what follows the first `share` of a run in which every request writes one
/// unit; NaN where the run has no time series.
fn write_amplification_after(outcome: &Outcome, share: f64) -> f64 {
    let column = |name| outcome.series.0.iter().find(|column| column.name == name);
    let (Some(requests), Some(amplification)) = (column("requests"), column("write_amplification"))
    else {
        return f64::NAN;
    };
    let (Values::U64(requests), Values::F64(amplification)) =
        (&requests.values, &amplification.values)
    else {
        return f64::NAN;
    };
    let begin = share * requests.last().map_or(0.0, |&all| all as f64);
    let (mut host, mut programmed) = (0.0, 0.0);
    for (pair, amplification) in requests.windows(2).zip(&amplification[1..]) {
        if pair[0] as f64 >= begin {
            let written = (pair[1] - pair[0]) as f64;
            host += written;
            programmed += written * amplification;
        }
    }
    programmed / host
}
