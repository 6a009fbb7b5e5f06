//! What the manual says is so: the examples of `docs/extending.md`, which names every hook; two more techniques,
//! each for itself and together; and `docs/results.md` names every field of a result.

#[allow(dead_code)]
#[path = "../examples/read_refresh.rs"]
mod read_refresh;
#[path = "extending/superblocks.rs"]
mod superblocks;
#[allow(dead_code)]
#[path = "../examples/survivors.rs"]
mod survivors;
#[allow(dead_code)]
#[path = "../examples/touch_up.rs"]
mod touch_up;

use serde_json::{Map, Value};
use std::fs;
use std::path::Path;
use wordline_sim::config::{Config, load};
use wordline_sim::drive::DriveState;
use wordline_sim::ids::{BlockId, ById, Lpn, StreamId};
use wordline_sim::metrics::{Counters, RunResult};
use wordline_sim::nand::command::Cause;
use wordline_sim::technique::{
    Cells, Conventional, ErasePlan, Hook, Hooks, Observer, Phase, Place, Placement, Profile,
    Rounds, Stack, Technique, Write,
};
use wordline_sim::{Own, logical_bytes, simulate_own, with_own};
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
    fn profile(&self) -> Profile {
        Profile {
            places_fill: true,
            streams: 1,
            streams_of_gc: 1,
            ..Profile::of(&[Hook::Placement])
        }
    }

    fn metrics(&self, _: &DriveState, _: &Counters) -> Map<String, Value> {
        Map::from_iter([("hot_writes".to_owned(), self.hot_writes.into())])
    }
}

impl Placement for Returning {
    fn place(&mut self, _: &DriveState, write: &Write<'_>) -> Place {
        if write.cause != Cause::Host || !self.is_hot(write.lpn) {
            return Place::Stream(write.stream);
        }
        self.hot_writes += 1;
        Place::Stream(self.stream)
    }
}

impl Cells for Returning {}

impl Observer for Returning {
    fn begin(&mut self, _: &DriveState, phase: Phase) {
        if let Phase::Drive(first) = phase {
            self.stream = first;
        }
    }
}

/// Young blocks are erased in half the time.
struct ShortErase {
    until_pec: u32,
}

impl Technique for ShortErase {
    fn profile(&self) -> Profile {
        Profile::of(&[Hook::ErasePlan])
    }

    fn rounds(&mut self) -> Option<&mut dyn Rounds> {
        Some(self)
    }
}

impl Placement for ShortErase {}

impl Cells for ShortErase {}

impl Rounds for ShortErase {
    fn erase_plan(&mut self, state: &DriveState, block: BlockId, plan: ErasePlan) -> ErasePlan {
        let mut plan = plan;
        if state.blocks[block].erases < self.until_pec {
            plan.loops.as_mut_slice().iter_mut().for_each(|pulse| pulse.pulse_ns /= 2);
        }
        plan
    }
}

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
    run_hooks(Stack::alone(technique))
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
    let technique = Stack::alone(survivors::Survivors::default());
    let with = survivors::write_amplification(&config, technique).expect("the run succeeds");
    assert!(without.is_some_and(|wa| is_as_told(wa, 2.578)), "{without:?}");
    assert!(with.is_some_and(|wa| is_as_told(wa, 2.392)), "{with:?}");
}

#[test]
fn word_lines_are_touched_up_in_place_as_the_manual_says() {
    let config = load(touch_up::DRIVE, "the example", &[]).expect("the configuration is right");
    let usual = touch_up::result(&config, Conventional).expect("the run succeeds");
    let technique = Stack::alone(touch_up::TouchUp::default());
    let ours = touch_up::result(&config, technique).expect("the run succeeds");
    let means = (usual.host.write.mean_us, ours.host.write.mean_us);
    assert!(is_as_told(means.0, 763.0) && is_as_told(means.1, 475.0), "{means:?}");
    let touched = ours.technique["touched"].as_u64().expect("a count");
    assert_eq!(touched, ours.flash.reprograms);
    assert!(touched > 16_000, "{touched}");
}

/// The hooks, with what they are asked and answer: methods of the traits that every technique implements. A door
/// to the hooks of one technique alone is known by its answer.
fn hooks() -> Vec<String> {
    let traits = [
        include_str!("../src/technique/mod.rs"),
        include_str!("../src/technique/placement.rs"),
        include_str!("../src/technique/cells.rs"),
        include_str!("../src/technique/observer.rs"),
    ];
    let lines = traits.iter().flat_map(|text| text.split("pub trait ").nth(1));
    let lines = lines.flat_map(|text| text.lines().take_while(|line| *line != "}"));
    lines.filter_map(|line| line.strip_prefix("    fn ")).map(str::to_owned).collect()
}

fn name(hook: &str) -> &str {
    hook.split('(').next().expect("a method has arguments")
}

/// The sources of each technique.
fn techniques() -> Vec<(String, String)> {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/technique");
    let is_technique = |name: &String| name != "erase" && all.join(name).is_dir();
    let names = names_in(&all).into_iter().filter(is_technique);
    let source = |folder: &Path| -> String {
        let files = names_in(folder).into_iter().filter(|file| file != "tests.rs");
        files.map(|file| fs::read_to_string(folder.join(file)).expect("it can be read")).collect()
    };
    names.map(|name| (name.clone(), source(&all.join(&name)))).collect()
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the sources are at hand");
    let names = entries.map(|entry| entry.expect("it can be read").file_name());
    names.map(|name| name.into_string().expect("names of files are text")).collect()
}

#[test]
fn every_hook_has_two_users_or_stands_behind_the_door_of_one() {
    let (hooks, techniques) = (hooks(), techniques());
    assert_eq!(techniques.len(), 5);
    assert!((20..=28).contains(&hooks.len()), "{}: {hooks:?}", hooks.len());
    for hook in &hooks {
        let method = format!("    fn {}(", name(hook));
        let users = techniques.iter().filter(|(_, source)| source.contains(&method)).count();
        let is_door = hook.contains("Option<&dyn ") || hook.contains("Option<&mut dyn ");
        assert!(if is_door { users == 1 } else { users >= 2 }, "{method}: {users} users");
    }
}

/// Of what a technique does not list it is not asked.
#[test]
fn techniques_list_what_they_answer() {
    for (hook, methods) in [
        ("Route", &["route"][..]),
        ("Promises", &["promises"]),
        ("Placement", &["place", "open", "keeps", "surrender", "unwritten", "settles"]),
        ("VictimCost", &["victim_cost"]),
        ("Clear", &["cleared"]),
        ("Companion", &["companion"]),
        ("ErasePlan", &["cycles", "erase_plan"]),
        ("ReadPlan", &["read_plan"]),
        ("Idle", &["idle"]),
        ("Deaths", &["invalidated"]),
    ] {
        for (technique, source) in techniques() {
            let is_defined = |method: &&&str| {
                let text = format!("    fn {method}(");
                source.match_indices(&text).any(|(at, _)| {
                    // Not the default of a door's trait.
                    let before = &source[..at];
                    before.rfind("\nimpl").max(Some(0)) > before.rfind("\npub trait").max(Some(0))
                })
            };
            let is_listed = source.contains(&format!("Hook::{hook}"));
            let answered: Vec<&&str> = methods.iter().filter(is_defined).collect();
            assert_eq!(is_listed, !answered.is_empty(), "{technique}, {hook}: {answered:?}");
        }
    }
}

#[test]
fn every_hook_is_explained() {
    let manual = include_str!("../../../docs/extending.md");
    let is_missing = |hook: &&String| !manual.contains(&format!("`{}`", name(hook)));
    let hooks = hooks();
    let missing: Vec<&String> = hooks.iter().filter(is_missing).collect();
    assert!(missing.is_empty(), "docs/extending.md does not explain {missing:?}");
}

const REFRESHED_AFTER: u32 = 500;

#[test]
fn blocks_are_refreshed_as_the_manual_says() {
    let config = load(read_refresh::DRIVE, "the example", &[]).expect("the configuration is right");
    let run = |reads_max| {
        let technique = Stack::alone(read_refresh::ReadRefresh::after(reads_max));
        let result = read_refresh::result(&config, technique).expect("the run succeeds");
        let count = |name: &str| result.technique[name].as_u64().expect("a count");
        (count("most_reads"), count("refreshed"))
    };
    assert_eq!((run(u32::MAX), run(REFRESHED_AFTER)), ((1392, 0), (506, 112)));
}

/// Idle time is shared: it works beside each of the five, and the SLC cache.
#[test]
fn blocks_are_refreshed_beside_every_technique() {
    for (preset, name) in [
        ("tiny-tlc", "ressd"),
        ("tiny-tlc", "lazy_ftl"),
        ("tiny-tlc", "slc_cache"),
        ("tiny-mlc", "llh_ftl"),
        ("tiny-mixed", "centaur"),
    ] {
        let text = format!("preset = \"{preset}\"\nrun.check = true\n[technique.{name}]");
        let config = load(&text, "the example", &[]).expect("the configuration is right");
        let refresh = Box::new(read_refresh::ReadRefresh::after(REFRESHED_AFTER));
        let own = Own { techniques: vec![("refresh".to_owned(), refresh)], ..Own::default() };
        let context = GeneratorContext::on_drive(logical_bytes(&config).expect("it works"), 1);
        let workload = from_spec(read_refresh::WORKLOAD, &context).expect("it is right");
        let result =
            simulate_own(&config, own, workload, &mut ()).expect("the run succeeds").result;
        let refreshed = result.technique["refresh"]["refreshed"].as_u64();
        assert!(refreshed > Some(0) && result.technique.contains_key(name), "{name}");
    }
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
