//! A technique with a program in place: `cargo run --release -p wordline-sim --example touch_up`.

use serde_json::{Map, Value};
use std::collections::VecDeque;
use wordline_sim::config::{Config, load};
use wordline_sim::drive::{DriveState, Shape};
use wordline_sim::ids::{BlockId, PlaneId, StreamId};
use wordline_sim::metrics::{Counters, RunResult};
use wordline_sim::nand::command::Cause;
use wordline_sim::nand::{
    ERASED, Flash, Load, Located, Mode, Needs, OpRow, OpTable, Span, Transition,
};
use wordline_sim::technique::{
    Apply, Cells, Conventional, Few, Hook, Hooks, Idle, Observer, Open, Placement, Profile, Stack,
    Technique,
};
use wordline_sim::{Error, Own, logical_bytes, with_own};
use wordline_trace::{GeneratorContext, from_spec};

/// Pages of a word line.
const BITS: u32 = 3;
/// A word line that was programmed fast, and one that was touched up.
const FAST: Mode = "fast";
const FINE: Mode = "fine";

/// Pages are programmed in 60 % of the time, and coarsely. Once the drive is idle, whole word lines are
/// programmed again in place.
#[derive(Default)]
pub struct TouchUp {
    fast: u8,
    touch_up: u8,
    /// Word lines that wait, the oldest first.
    waiting: VecDeque<Span>,
    touched: u64,
}

impl Technique for TouchUp {
    fn profile(&self) -> Profile {
        Profile { places_fill: true, ..Profile::of(&[Hook::Placement, Hook::Idle]) }
    }

    fn idle(&mut self, _: &DriveState, _: &dyn Load, _: u64) -> Idle {
        let Some(line) = self.waiting.pop_front() else { return Idle::Nothing };
        self.touched += 1;
        let (spans, row) = (Few::One(line), self.touch_up);
        Idle::Apply(Apply { spans, row, urgent: false, ticket: None })
    }

    fn metrics(&self, _: &DriveState, _: &Counters) -> Map<String, Value> {
        Map::from_iter([("touched".to_owned(), self.touched.into())])
    }
}

impl Placement for TouchUp {
    /// Every block is filled as the drive fills it, by the fast program.
    fn open(&mut self, state: &DriveState, _: StreamId, plane: PlaneId) -> Open {
        let usual = state.layout.of_scope(state.layout.scope_of(plane)).shape;
        Open::Erased(Some(Shape { row: self.fast, ..usual }))
    }
}

impl Cells for TouchUp {
    /// Two rows: which word lines each may be applied to, and what they are then.
    fn operations(&mut self, table: &mut OpTable, flash: &Flash<'_>) {
        let program = table.row(flash.rows.program).clone();
        self.fast = table.push(OpRow {
            name: "fast program",
            array_ns: program.array_ns.map(|ns| ns * 6 / 10),
            transition: Transition::first(&[ERASED, FAST], FAST),
            ..program.clone()
        });
        self.touch_up = table.push(OpRow {
            name: "touch-up",
            needs: Needs::Programmed,
            transition: Transition { from: &[FAST], to: FINE, passes: 1 },
            // The controller needs what the word line holds.
            pages_read_first: BITS,
            ..program
        });
    }
}

impl Observer for TouchUp {
    /// The last page of a word line is written: the word line may be touched up.
    fn written(
        &mut self,
        _: &DriveState,
        &Located { block, place: page, .. }: &Located,
        _: Cause,
        _: u64,
    ) {
        if page % BITS == BITS - 1 {
            self.waiting.push_back(Span { block, page: page + 1 - BITS, pages: BITS });
        }
    }

    /// An erased word line needs nothing more.
    fn erased(&mut self, _: &DriveState, block: BlockId) {
        self.waiting.retain(|line| line.block != block);
    }
}
// end: technique

/// A small drive that begins empty.
pub const DRIVE: &str = "preset = \"tiny\"\ndrive.chip.cell = \"tlc\"\ndrive.chip.pages_per_block = 126\n\
                         precondition.pattern = \"none\"\nftl.acknowledge = \"program\"";

/// A run of a drive with `hooks`, whose host leaves it time.
pub fn result(config: &Config, hooks: impl Hooks) -> Result<RunResult, Error> {
    let context = GeneratorContext::on_drive(logical_bytes(config)?, config.run.seed);
    let workload = from_spec("uniform:writes=5e4,interval_us=2500", &context)?;
    Ok(with_own(config, hooks, Own::default(), workload, &mut ())?.result)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let config = load(DRIVE, "the example", &[])?;
    let (usual, ours) =
        (result(&config, Conventional)?, result(&config, Stack::alone(TouchUp::default()))?);
    println!("mean write latency, conventional {:.0} us", usual.host.write.mean_us);
    println!("mean write latency, touched up   {:.0} us", ours.host.write.mean_us);
    println!("word lines touched up in place   {}", ours.technique["touched"]);
    Ok(())
}
