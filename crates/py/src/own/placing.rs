//! Where host writes go, by callables: their temperatures and their planes.

use super::callable::{Callable, refused};
use pyo3::prelude::*;
use wordline_sim::config::HotnessConfig;
use wordline_sim::drive::DriveState;
use wordline_sim::ids::{Id, PlaneId, ScopeId, StreamId};
use wordline_sim::nand::Load;
use wordline_sim::policy::alloc::{Placing, PlanePolicy};
use wordline_sim::policy::hotness::{self, Hotness};

/// A write of the host, as a policy sees it.
#[pyclass(frozen, get_all, module = "wordline._native")]
pub struct HostWrite {
    /// The logical unit that comes next.
    unit: u64,
    /// First byte of the request.
    offset_bytes: u64,
    /// Length of the request.
    size_bytes: u32,
    /// Its arrival.
    now_us: f64,
    /// The placement handle that the host gives it.
    handle: u16,
}

impl From<&hotness::HostWrite> for HostWrite {
    fn from(write: &hotness::HostWrite) -> Self {
        Self {
            unit: write.lpn.number(),
            offset_bytes: write.request_offset_bytes,
            size_bytes: write.request_bytes,
            now_us: write.now_ns as f64 / 1e3,
            handle: write.handle,
        }
    }
}

/// The planes of a drive, as a policy sees them: lists by the number of the plane.
#[pyclass(frozen, get_all, module = "wordline._native")]
pub struct Planes {
    /// The die of each.
    die: Vec<u32>,
    /// Time of what its die has before it.
    backlog_us: Vec<f64>,
    /// Its valid units, as they were a few writes ago.
    valid: Vec<u64>,
}

/// Temperatures that a callable tells.
pub struct TemperatureOf {
    call: Callable,
    temperatures: u32,
    /// The request judged last, so that all of its units get one answer.
    last: Option<(u64, u32)>,
}

impl TemperatureOf {
    pub fn new(call: Callable, config: &HotnessConfig) -> Self {
        Self { call, temperatures: hotness::temperatures(config), last: None }
    }

    /// The temperature that the callable told, which must be one of the drive's.
    fn checked(&self, told: &Bound<'_, PyAny>) -> PyResult<u32> {
        match told.extract() {
            Ok(temperature) if temperature < self.temperatures => Ok(temperature),
            _ => {
                let coldest = self.temperatures - 1;
                let help = format!(
                    "return 0, the hottest, to {coldest}, the coldest, or raise hotness_levels"
                );
                Err(refused("hotness", told, help))
            }
        }
    }
}

impl Hotness for TemperatureOf {
    fn temperature(&mut self, _: &DriveState, write: &hotness::HostWrite) -> u32 {
        if let Some((request, answer)) = self.last
            && request == write.request
        {
            return answer;
        }
        let told = self
            .call
            .ask(|py, call| self.checked(&call.bind(py).call1((HostWrite::from(write),))?));
        let answer = told.unwrap_or(0);
        self.last = Some((write.request, answer));
        answer
    }

    /// Requests are numbered anew.
    fn begin(&mut self, _: &DriveState) {
        self.last = None;
    }
}

/// Blocks that are looked at on average for each choice of a plane, to count valid units.
const BLOCKS_A_CHOICE: u32 = 256;

/// Planes that a callable chooses.
pub struct PlaneOf {
    call: Callable,
    /// The request and stream that a plane was chosen for last, and its scope.
    last: Option<(u64, StreamId, ScopeId)>,
    /// Valid units of each plane, and choices until they are counted anew.
    valid: Vec<u64>,
    choices: u32,
}

impl PlaneOf {
    pub fn new(call: Callable) -> Self {
        Self { call, last: None, valid: Vec::new(), choices: 0 }
    }

    fn seen(&mut self, state: &DriveState, load: &dyn Load) -> Planes {
        let geometry = &state.geometry;
        let planes = geometry.planes().into_iter();
        if self.choices == 0 {
            let valid = |block| u64::from(state.blocks[block].valid);
            let of_plane = |plane| geometry.blocks_of_plane(plane).into_iter().map(valid).sum();
            self.valid = planes.clone().map(of_plane).collect();
            self.choices = geometry.blocks().count().div_ceil(BLOCKS_A_CHOICE);
        }
        self.choices -= 1;
        let dies = planes.map(|plane| geometry.die_of(plane));
        Planes {
            die: dies.clone().map(|die| die.number()).collect(),
            backlog_us: dies.map(|die| load.backlog_ns(die) as f64 / 1e3).collect(),
            valid: self.valid.clone(),
        }
    }
}

impl PlanePolicy for PlaneOf {
    fn scope(&mut self, state: &DriveState, placing: &Placing<'_>) -> ScopeId {
        let &Placing { write, home, stream, load } = placing;
        if let Some((request, of_stream, scope)) = self.last
            && (request, of_stream) == (write.request, stream)
            && state.points[state.point_of(scope, stream)].filled() > 0
        {
            return scope;
        }
        let seen = (HostWrite::from(write), self.seen(state, load));
        let told = self.call.ask(|py, call| chosen(state, &call.bind(py).call1(seen)?));
        let scope = told.flatten().unwrap_or(home);
        self.last = Some((write.request, stream, scope));
        scope
    }
}

/// The scope of the plane that a callable chose, which must be one of the drive's.
fn chosen(state: &DriveState, told: &Bound<'_, PyAny>) -> PyResult<Option<ScopeId>> {
    let planes = state.geometry.planes();
    match told.extract::<Option<u32>>() {
        Ok(None) => Ok(None),
        Ok(Some(plane)) if planes.contains(PlaneId(plane)) => {
            Ok(Some(state.layout.scope_of(PlaneId(plane))))
        }
        _ => {
            let help =
                format!("return the number of a plane, 0 to {}, or None", planes.count() - 1);
            Err(refused("plane", told, help))
        }
    }
}
