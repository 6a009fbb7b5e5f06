//! Techniques of a program's own on superblocks.

use super::{REFRESHED_AFTER, read_refresh, survivors, touch_up};
use wordline_sim::config::{Config, load};
use wordline_sim::drive::DriveState;
use wordline_sim::ids::{PlaneId, StreamId};
use wordline_sim::nand::command::Cause;
use wordline_sim::nand::{Flash, Load, Located, OpTable, Span};
use wordline_sim::technique::{
    Apply, Cells, Conventional, Idle, Observer, Open, Placement, Profile, Stack, Technique,
};

/// Superblocks over two dies of two planes that work together, with parity and metadata or filled densely.
const SUPERBLOCKS: [&[&str]; 3] = [
    &["drive.channels=2", "ftl.superblock_dies=2"],
    &[
        "drive.channels=2",
        "drive.chip.planes=2",
        "drive.chip.multi_plane=true",
        "ftl.superblock_dies=2",
    ],
    &[
        "drive.channels=4",
        "drive.chip.planes=2",
        "drive.chip.multi_plane=true",
        "ftl.superblock_dies=4",
        "ftl.superblock_parity=plane",
        "ftl.superblock_metadata_factor=1.1",
        "drive.over_provisioning=1",
    ],
];

fn on_superblocks(text: &str, keys: &[&str], more: &[&str]) -> Config {
    let given: Vec<String> = keys.iter().chain(more).map(ToString::to_string).collect();
    load(text, "the example", &given).expect("the configuration is right")
}

#[test]
fn techniques_of_a_programs_own_work_on_superblocks() {
    for keys in SUPERBLOCKS {
        let config = on_superblocks(survivors::DRIVE, keys, &["drive.chip.blocks_per_plane=64"]);
        let technique = Stack::alone(survivors::Survivors::default());
        let with = survivors::write_amplification(&config, technique).expect("the run succeeds");
        let without = Stack::alone(Conventional);
        let without = survivors::write_amplification(&config, without).expect("the run succeeds");
        assert!(with < without, "{with:?}, {without:?} without");

        let config = on_superblocks(read_refresh::DRIVE, keys, &["run.check=true"]);
        let refresh = read_refresh::ReadRefresh::after(REFRESHED_AFTER);
        let result = read_refresh::result(&config, Stack::alone(refresh)).expect("it succeeds");
        assert!(result.technique["refreshed"].as_u64() > Some(0));
    }
    // It takes a word line for programmed that is filled, which holds where a program is one of them.
    let config = on_superblocks(
        touch_up::DRIVE,
        SUPERBLOCKS[0],
        &["run.check=true", "drive.chip.program=one_shot"],
    );
    let technique = Stack::alone(touch_up::TouchUp::default());
    let result = touch_up::result(&config, technique).expect("the run succeeds");
    let touched = result.technique["touched"].as_u64().expect("a count");
    assert_eq!(touched, result.flash.reprograms);
    assert!(touched > 5_000, "{touched}");
}

/// Two word lines that follow one another, at once.
struct Across(touch_up::TouchUp);

impl Technique for Across {
    fn profile(&self) -> Profile {
        self.0.profile()
    }

    fn idle(&mut self, state: &DriveState, load: &dyn Load, now_ns: u64) -> Idle {
        match self.0.idle(state, load, now_ns) {
            Idle::Apply(apply) => {
                let further = apply.spans.iter().map(|span| Span { page: span.page + 3, ..*span });
                let spans = apply.spans.iter().copied().chain(further).collect();
                Idle::Apply(Apply { spans, ..apply })
            }
            other => other,
        }
    }
}

impl Placement for Across {
    fn open(&mut self, state: &DriveState, stream: StreamId, plane: PlaneId) -> Open {
        self.0.open(state, stream, plane)
    }
}

impl Cells for Across {
    fn operations(&mut self, table: &mut OpTable, flash: &Flash<'_>) {
        self.0.operations(table, flash);
    }
}

impl Observer for Across {
    fn written(&mut self, state: &DriveState, at: &Located, cause: Cause, now_ns: u64) {
        self.0.written(state, at, cause, now_ns);
    }
}

#[test]
fn pages_of_two_dies_in_one_command_end_the_run() {
    let across = || Stack::alone(Across(touch_up::TouchUp::default()));
    for mode in ["run.mode=timed", "run.mode=count"] {
        let more = ["drive.chip.program=one_shot", mode];
        let config = on_superblocks(touch_up::DRIVE, SUPERBLOCKS[0], &more);
        let told = touch_up::result(&config, across()).expect_err("no command reaches both");
        assert!(told.to_string().contains("one plane each of one die"), "{told}");
    }
}

#[test]
fn programs_in_place_are_refused_where_word_lines_are_spread_over_dies() {
    let config = on_superblocks(touch_up::DRIVE, SUPERBLOCKS[0], &[]);
    let told = touch_up::result(&config, Stack::alone(touch_up::TouchUp::default()));
    let told = told.expect_err("pages of a word line lie on two dies").to_string();
    assert!(told.contains("drive.chip.program") && told.contains("in place"), "{told}");
}
