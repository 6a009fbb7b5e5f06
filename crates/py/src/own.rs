//! Policies written in Python: called once for a victim, an erase, an idle moment, a request or a program. What a
//! callable raises stops the run and reaches the caller.

mod callable;
mod placing;

pub use callable::Raised;
use callable::{Callable, refused};
pub use placing::{HostWrite, Planes};
use placing::{PlaneOf, TemperatureOf};
use pyo3::prelude::*;
use std::sync::Arc;
use wordline_sim::Own;
use wordline_sim::config::{Config, SchemeChoice};
use wordline_sim::drive::{DriveState, Orders};
use wordline_sim::ids::{BlockId, ById, DomainId, Id};
use wordline_sim::nand::{Block, BlockState, LOOPS_MAX, Load, Loops, Pulse};
use wordline_sim::policy::alloc::PlanePolicy;
use wordline_sim::policy::gc::{Candidates, VictimPolicy};
use wordline_sim::policy::hotness::Hotness;
use wordline_sim::technique::{
    Cells, ErasePlan, Hook, Idle, Observer, Placement, Profile, Rounds, Technique,
};

/// Full blocks, as a policy sees them: lists of equal length, oldest first.
#[pyclass(frozen, get_all, module = "wordline._native")]
pub struct Blocks {
    /// The number of each.
    block: Vec<u32>,
    /// Its valid units.
    valid: Vec<u32>,
    /// Its P/E cycles.
    erases: Vec<u32>,
    /// Units of a block.
    units_per_block: u32,
    /// Erased blocks.
    free_blocks: u64,
    /// Simulated time; 0 where it is not known.
    now_us: f64,
}

impl Blocks {
    fn of(full: &[BlockId], blocks: &ById<BlockId, Block>, units_per_block: u32) -> Self {
        let of =
            |value: fn(&Block) -> u32| full.iter().map(|&block| value(&blocks[block])).collect();
        let (valid, erases) = (of(|block| block.valid), of(|block| block.erases));
        let block = full.iter().map(|block| block.number()).collect();
        Self { block, valid, erases, units_per_block, free_blocks: 0, now_us: 0.0 }
    }
}

struct Victim(Callable);

impl VictimPolicy for Victim {
    fn orders(&self) -> Orders {
        Orders { by_age: true, ..Orders::default() }
    }

    fn select(&mut self, domain: DomainId, candidates: &mut Candidates<'_>) -> Option<BlockId> {
        let full: Vec<BlockId> = candidates.victims.by_age(domain).collect();
        let first = *full.first()?;
        let seen = Blocks::of(&full, candidates.blocks, candidates.units_per_block);
        let chosen = self.0.ask(|py, call| among(&full, call.bind(py).call1((seen,))?, "victim"));
        // After an exception the run goes on until it is stopped.
        chosen.unwrap_or(Some(first))
    }
}

/// Erases by pulses that a callable gives; everything else about an erase stays with the
/// configuration's scheme.
struct Pulses {
    call: Callable,
    scheme: SchemeChoice,
}

impl Technique for Pulses {
    fn profile(&self) -> Profile {
        Profile::of(&[Hook::ErasePlan])
    }

    fn rounds(&mut self) -> Option<&mut dyn Rounds> {
        Some(self)
    }

    fn warnings(&self, _: &DriveState) -> Vec<String> {
        if self.scheme == SchemeChoice::Fixed {
            return Vec::new();
        }
        vec![format!(
            "the erase callable gives the pulses: their time and energy are in flash and energy_mj, but wear, errors and the pulses in `erase` are those of erase.scheme = {}",
            self.scheme
        )]
    }
}

impl Placement for Pulses {}

impl Cells for Pulses {}

impl Rounds for Pulses {
    fn erase_plan(&mut self, state: &DriveState, block: BlockId, plan: ErasePlan) -> ErasePlan {
        let erases = state.blocks[block].erases;
        let whole_ns = plan.loops.array_ns() + plan.deferred.array_ns();
        let energy_nj = plan.loops.energy_nj() + plan.deferred.energy_nj();
        let pulses = self.call.ask(|py, call| {
            let told = call.bind(py).call1((block.number(), erases, whole_ns as f64 / 1e3))?;
            loops(&told, energy_nj as f64 / whole_ns.max(1) as f64)
        });
        match pulses {
            Some(loops) => ErasePlan { loops, deferred: Loops::default(), ..plan },
            None => plan,
        }
    }
}

impl Observer for Pulses {}

/// Pulses of as many microseconds as a callable told, which may be interrupted and take the energy
/// of their time.
fn loops(told: &Bound<'_, PyAny>, nj_per_ns: f64) -> PyResult<Loops> {
    let is_time = |us: &f64| (0.0..=1e9).contains(us);
    let pulses_us = told.extract::<Vec<f64>>().unwrap_or_default();
    if pulses_us.is_empty() || pulses_us.len() > LOOPS_MAX || !pulses_us.iter().all(is_time) {
        let help = format!("return a list of 1 to {LOOPS_MAX} pulses of 0 to 1e9 µs each");
        return Err(refused("erase", told, help));
    }
    let pulse = |us: &f64| {
        let pulse_ns = (us * 1e3).round() as u64;
        let energy_nj = (pulse_ns as f64 * nj_per_ns).round() as u64;
        Pulse { pulse_ns, may_suspend: true, energy_nj, ..Pulse::default() }
    };
    Ok(pulses_us.iter().map(pulse).collect())
}

struct IdleWork(Callable);

impl Technique for IdleWork {
    fn profile(&self) -> Profile {
        Profile::of(&[Hook::Idle])
    }

    fn idle(&mut self, state: &DriveState, _: &dyn Load, now_ns: u64) -> Idle {
        let is_full = |&block: &BlockId| state.blocks[block].state == BlockState::Full;
        let mut full: Vec<BlockId> = state.geometry.blocks().into_iter().filter(is_full).collect();
        let age = |&block: &BlockId| state.filled.wrapping_sub(state.blocks[block].filled);
        full.sort_by_key(|block| std::cmp::Reverse(age(block)));
        let mut seen = Blocks::of(&full, &state.blocks, state.geometry.stride);
        (seen.free_blocks, seen.now_us) = (state.free_blocks(), now_ns as f64 / 1e3);
        let chosen = self.0.ask(|py, call| among(&full, call.bind(py).call1((seen,))?, "idle"));
        chosen.flatten().map_or(Idle::Nothing, |block| Idle::Reclaim(vec![block]))
    }
}

impl Placement for IdleWork {}

impl Cells for IdleWork {}

impl Observer for IdleWork {}

/// The block that a policy chose, which must be one of those that it was shown.
fn among(shown: &[BlockId], told: Bound<'_, PyAny>, policy: &str) -> PyResult<Option<BlockId>> {
    match told.extract::<Option<u32>>() {
        Ok(None) => Ok(None),
        Ok(Some(block)) if shown.contains(&BlockId(block)) => Ok(Some(BlockId(block))),
        _ => {
            let help = "return the number of a block that it was shown, or None".to_owned();
            Err(refused(policy, &told, help))
        }
    }
}

/// The callables of a run, each of them optional.
#[derive(FromPyObject)]
pub struct Custom {
    victim: Option<Py<PyAny>>,
    idle: Option<Py<PyAny>>,
    erase: Option<Py<PyAny>>,
    hotness: Option<Py<PyAny>>,
    plane: Option<Py<PyAny>>,
}

impl Custom {
    /// Whether one of them deals with blocks or planes of the flash, not with superblocks.
    pub fn needs_single_blocks(&self) -> bool {
        self.idle.is_some() || self.erase.is_some() || self.plane.is_some()
    }

    /// The parts of a drive that call them, and where their exceptions go.
    pub fn parts(self, config: &Config) -> (Own, Raised) {
        let raised = Raised::default();
        let callable = |call| Callable { call, raised: Arc::clone(&raised) };
        let mut techniques: Vec<(String, Box<dyn Technique>)> = Vec::new();
        if let Some(call) = self.idle {
            let idle = IdleWork(callable(call));
            techniques.push(("the idle work of custom".to_owned(), Box::new(idle)));
        }
        if let Some(call) = self.erase {
            let pulses = Pulses { call: callable(call), scheme: config.erase.scheme };
            techniques.push(("the erases of custom".to_owned(), Box::new(pulses)));
        }
        let victim =
            self.victim.map(|call| -> Box<dyn VictimPolicy> { Box::new(Victim(callable(call))) });
        let hotness = self.hotness.map(|call| -> Box<dyn Hotness> {
            Box::new(TemperatureOf::new(callable(call), &config.ftl.hotness))
        });
        let planes = self
            .plane
            .map(|call| -> Box<dyn PlanePolicy> { Box::new(PlaneOf::new(callable(call))) });
        let own = Own { techniques, victim, hotness, planes, ..Own::default() };
        (own, raised)
    }
}
