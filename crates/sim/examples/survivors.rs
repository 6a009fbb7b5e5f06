//! The smallest useful technique, and a run of it beside the conventional drive:
//! `cargo run --release -p wordline-sim --example survivors`.

use wordline_sim::config::{Config, load};
use wordline_sim::drive::DriveState;
use wordline_sim::ids::StreamId;
use wordline_sim::nand::command::Cause;
use wordline_sim::technique::{
    Cells, Conventional, Hook, Hooks, Observer, Phase, Place, Placement, Profile, Stack, Technique,
    Write,
};
use wordline_sim::{Error, Own, logical_bytes, with_own};
use wordline_trace::{GeneratorContext, from_spec};

/// What survives garbage collection twice is the coldest data: it goes to blocks of its own.
#[derive(Default)]
pub struct Survivors {
    stream: StreamId,
}

impl Technique for Survivors {
    fn profile(&self) -> Profile {
        Profile {
            places_fill: true,
            streams: 1,
            streams_of_gc: 1,
            ..Profile::of(&[Hook::Placement])
        }
    }
}

impl Placement for Survivors {
    fn place(&mut self, state: &DriveState, write: &Write<'_>) -> Place {
        if write.cause != Cause::Gc {
            return Place::Stream(write.stream);
        }
        let (block, _) = state.geometry.locate(write.old);
        let has_moved = state.blocks[block].stream() >= state.layout.gc_stream;
        Place::Stream(if has_moved { self.stream } else { write.stream })
    }
}

impl Cells for Survivors {}
impl Observer for Survivors {
    fn begin(&mut self, _: &DriveState, phase: Phase) {
        if let Phase::Drive(first) = phase {
            self.stream = first;
        }
    }
}
// end: technique

/// The write amplification of a drive with `hooks`.
pub fn write_amplification(config: &Config, hooks: impl Hooks) -> Result<Option<f64>, Error> {
    let context = GeneratorContext::on_drive(logical_bytes(config)?, config.run.seed);
    let workload = from_spec("zipf:theta=1.1,writes=3e5", &context)?;
    Ok(with_own(config, hooks, Own::default(), workload, &mut ())?.result.write_amplification)
}

/// A small drive on which nothing takes time.
pub const DRIVE: &str =
    "preset = \"tiny\"\nrun.mode = \"count\"\ndrive.chip.blocks_per_plane = 256";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let config = load(DRIVE, "the example", &[])?;
    println!("conventional    {:?}", write_amplification(&config, Conventional)?);
    println!(
        "with survivors  {:?}",
        write_amplification(&config, Stack::alone(Survivors::default()))?
    );
    Ok(())
}
