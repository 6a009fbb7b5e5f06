//! What the manual says is so: the examples of `docs/extending.md`, which names every hook; two more techniques,
//! each for itself and together; and `docs/results.md` names every field of a result.

#[allow(dead_code)]
#[path = "../examples/survivors.rs"]
mod survivors;
#[allow(dead_code)]
#[path = "../examples/touch_up.rs"]
mod touch_up;

use serde_json::{Map, Value};
use wordline_sim::config::{Config, load};
use wordline_sim::drive::DriveState;
use wordline_sim::ids::{BlockId, ById, Lpn, StreamId};
use wordline_sim::metrics::RunResult;
use wordline_sim::nand::command::Cause;
use wordline_sim::technique::{
    Alone, Background, Cells, Conventional, ErasePlan, Hook, Hooks, Observer, Place, Placement,
    Routing, Stack, Technique, Write,
};
use wordline_sim::{Own, logical_bytes, with_own};
use wordline_trace::{GeneratorContext, from_spec};

/// Data that comes back soon is hot: a unit that the host writes again within `window_writes` goes
/// to blocks of its own kind.
struct Returning {
    window_writes: u64,
    /// Host writes so far.
    writes: u64,
    /// The host write that wrote each logical unit last; 0: none.
    last: ById<Lpn, u64>,
    /// Where hot data goes.
    stream: StreamId,
    hot_writes: u64,
}

impl Returning {
    fn new(window_writes: u64, logical_units: u64) -> Self {
        let last = ById::filled(0, logical_units);
        Self { window_writes, writes: 0, last, stream: StreamId(0), hot_writes: 0 }
    }

    fn is_hot(&mut self, lpn: Lpn) -> bool {
        self.writes += 1;
        let last = std::mem::replace(&mut self.last[lpn], self.writes);
        last > 0 && self.writes - last <= self.window_writes
    }
}

impl Technique for Returning {
    fn claims(&self) -> &[Hook] {
        &[Hook::Placement]
    }

    fn metrics(&self, _: &DriveState) -> Map<String, Value> {
        Map::from_iter([("hot_writes".to_owned(), self.hot_writes.into())])
    }
}

impl Routing for Returning {}

impl Placement for Returning {
    fn streams(&self) -> u32 {
        1
    }

    fn streams_from(&mut self, first: StreamId) {
        self.stream = first;
    }

    fn place(&mut self, _: &DriveState, write: &Write<'_>) -> Place {
        if write.cause != Cause::Host || !self.is_hot(write.lpn) {
            return Place::Stream(write.stream);
        }
        self.hot_writes += 1;
        Place::Stream(self.stream)
    }
}

impl Cells for Returning {}

impl Background for Returning {}

impl Observer for Returning {}

/// Young blocks are erased in half the time.
struct ShortErase {
    until_pec: u32,
}

impl Technique for ShortErase {
    fn claims(&self) -> &[Hook] {
        &[Hook::ErasePlan]
    }
}

impl Routing for ShortErase {}

impl Placement for ShortErase {}

impl Cells for ShortErase {
    fn erase_plan(&mut self, state: &DriveState, block: BlockId, plan: ErasePlan) -> ErasePlan {
        let mut plan = plan;
        if state.blocks[block].erases < self.until_pec {
            plan.loops.as_mut_slice().iter_mut().for_each(|pulse| pulse.pulse_ns /= 2);
        }
        plan
    }
}

impl Background for ShortErase {}

impl Observer for ShortErase {}

const HOT_COLD: &str = "hotcold:hot=0.1,share=0.9,writes=2e5";

/// Host and GC share their blocks: with blocks of its own GC collects cold data anyway, and greedy
/// gains next to nothing from more separation.
const DRIVE: &str = r#"
preset = "tiny"
run.mode = "count"
drive.chip.blocks_per_plane = 256
ftl.frontiers = "shared"
"#;

fn drive() -> Config {
    load(DRIVE, "the example", &[]).expect("the configuration is right")
}

fn run(technique: impl Technique + 'static) -> RunResult {
    run_hooks(Alone::new(technique))
}

fn run_hooks(hooks: impl Hooks) -> RunResult {
    let config = drive();
    let span_bytes = logical_bytes(&config).expect("the drive can work");
    let workload = from_spec(HOT_COLD, &GeneratorContext::on_drive(span_bytes, 1));
    let workload = workload.expect("the specification is right");
    with_own(&config, hooks, Own::default(), workload, &mut ()).expect("the run succeeds").result
}

fn returning() -> Returning {
    let units = logical_bytes(&drive()).expect("the drive can work") / 4096;
    Returning::new(units / 4, units)
}

fn stack(techniques: Vec<(&str, Box<dyn Technique>)>) -> Stack {
    let named = techniques.into_iter().map(|(name, technique)| (name.to_owned(), technique));
    Stack::new(named.collect()).expect("no hook is claimed twice")
}

/// All but the speed of the simulator, and what the technique says: a stack puts that under its name.
fn figures(result: &RunResult) -> Value {
    let mut value = serde_json::to_value(result).expect("results are plain data");
    let object = value.as_object_mut().expect("a result is an object");
    object.remove("simulator");
    object.remove("technique");
    value
}

/// A number within 1 % of what the manual says.
fn is_as_told(measured: f64, told: f64) -> bool {
    (measured / told - 1.0).abs() < 0.01
}

#[test]
fn blocks_of_survivors_save_writes_as_the_manual_says() {
    let config = load(survivors::DRIVE, "the example", &[]).expect("the configuration is right");
    let without = survivors::write_amplification(&config, Conventional).expect("the run succeeds");
    let technique = Alone::new(survivors::Survivors::default());
    let with = survivors::write_amplification(&config, technique).expect("the run succeeds");
    assert!(without.is_some_and(|wa| is_as_told(wa, 2.578)), "{without:?}");
    assert!(with.is_some_and(|wa| is_as_told(wa, 2.392)), "{with:?}");
}

#[test]
fn word_lines_are_touched_up_in_place_as_the_manual_says() {
    let config = load(touch_up::DRIVE, "the example", &[]).expect("the configuration is right");
    let usual = touch_up::result(&config, Conventional).expect("the run succeeds");
    let technique = Alone::new(touch_up::TouchUp::default());
    let ours = touch_up::result(&config, technique).expect("the run succeeds");
    let means = (usual.host.write.mean_us, ours.host.write.mean_us);
    assert!(is_as_told(means.0, 763.0) && is_as_told(means.1, 475.0), "{means:?}");
    let touched = ours.technique["touched"].as_u64().expect("a count");
    assert_eq!(touched, ours.flash.reprograms);
    assert!(touched > 16_000, "{touched}");
}

#[test]
fn every_hook_is_explained() {
    let manual = include_str!("../../../docs/extending.md");
    let traits = [
        include_str!("../src/technique/mod.rs"),
        include_str!("../src/technique/routing.rs"),
        include_str!("../src/technique/placement.rs"),
        include_str!("../src/technique/cells.rs"),
        include_str!("../src/technique/background.rs"),
        include_str!("../src/technique/observer.rs"),
    ];
    let methods = traits.iter().flat_map(|text| text.lines());
    let methods = methods.filter_map(|line| line.strip_prefix("    fn ")?.split('(').next());
    let methods: Vec<&str> = methods.collect();
    assert!(methods.contains(&"idle") && methods.len() > 40, "{methods:?}");
    let is_missing = |name: &&&str| {
        let named = [format!("`{name}`"), format!("::{name}`")];
        !named.iter().any(|it| manual.contains(it.as_str()))
    };
    let missing: Vec<&&str> = methods.iter().filter(is_missing).collect();
    assert!(missing.is_empty(), "docs/extending.md does not explain {missing:?}");
}

#[test]
fn separating_what_returns_saves_writes() {
    let (conventional, ours) = (run(Conventional), run(returning()));
    assert!(ours.technique["hot_writes"].as_u64() > Some(ours.workload.writes / 2));
    let (before, after) = (conventional.write_amplification, ours.write_amplification);
    assert!(after < before.map(|wa| 0.9 * wa), "{after:?} is not well below {before:?}");
}

#[test]
fn a_technique_is_the_same_alone_and_in_a_stack() {
    let (alone, stacked) =
        (run(returning()), run_hooks(stack(vec![("returning", Box::new(returning()))])));
    assert_eq!(figures(&alone), figures(&stacked));
    assert_eq!(Value::Object(alone.technique), stacked.technique["returning"]);
}

#[test]
fn techniques_with_different_hooks_work_together() {
    let alone = run(returning());
    let short = ShortErase { until_pec: u32::MAX };
    let both =
        run_hooks(stack(vec![("returning", Box::new(returning())), ("short", Box::new(short))]));
    assert_eq!(both.flash.erases, alone.flash.erases);
    assert_eq!(both.flash.erase_time_ms, alone.flash.erase_time_ms / 2.0);
}

#[test]
fn techniques_that_claim_the_same_hook_are_refused_by_name() {
    let two: Vec<(String, Box<dyn Technique>)> =
        vec![("one".into(), Box::new(returning())), ("two".into(), Box::new(returning()))];
    let message = Stack::new(two).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(message.contains("one and two both claim the hook Placement"), "{message}");
}

/// The fields of an object and of those in it, but for the configuration and a technique's own.
fn fields(value: &Value) -> Vec<String> {
    let objects = value.as_object().into_iter().flatten();
    let own = objects.filter(|(key, _)| *key != "config" && *key != "technique");
    own.flat_map(|(key, value)| [vec![key.clone()], fields(value)].concat()).collect()
}

#[test]
fn every_field_of_a_result_is_explained() {
    let manual = include_str!("../../../docs/results.md");
    let result = serde_json::to_value(run(Conventional)).expect("results are plain data");
    let is_missing =
        |key: &String| !["`", "."].iter().any(|end| manual.contains(&format!("{key}{end}")));
    let missing: Vec<String> = fields(&result).into_iter().filter(is_missing).collect();
    assert!(missing.is_empty(), "docs/results.md does not explain {missing:?}");
}
