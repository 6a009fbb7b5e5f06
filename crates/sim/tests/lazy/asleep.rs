//! The canary: lazyFTL whose second stages never come must not get through a run.

use crate::common::Script;
use crate::rig::{DAY_NS, at_ns, m1, schedulers, tlc, until};
use wordline_sim::config::Config;
use wordline_sim::drive::DriveState;
use wordline_sim::ids::{BlockId, PlaneId, StreamId};
use wordline_sim::nand::command::Cause;
use wordline_sim::nand::{Flash, Load, Located, OpTable};
use wordline_sim::technique::lazy_ftl::LazyFtl;
use wordline_sim::technique::{
    Cells, Idle, Observer, Open, Phase, Place, Placement, Profile, Promises, Technique, Write,
};
use wordline_sim::{Error, with};
use wordline_trace::{Op, Request};

/// Everything but the work of its own.
struct Asleep(LazyFtl);

impl Technique for Asleep {
    fn profile(&self) -> Profile {
        self.0.profile()
    }

    fn promises(&self) -> Option<&dyn Promises> {
        Some(self)
    }

    fn promises_mut(&mut self) -> Option<&mut dyn Promises> {
        Some(self)
    }
}

impl Placement for Asleep {
    fn place(&mut self, state: &DriveState, write: &Write<'_>) -> Place {
        self.0.place(state, write)
    }

    fn open(&mut self, state: &DriveState, stream: StreamId, plane: PlaneId) -> Open {
        self.0.open(state, stream, plane)
    }
}

impl Cells for Asleep {
    fn operations(&mut self, table: &mut OpTable, flash: &Flash<'_>) {
        self.0.operations(table, flash);
    }
}

impl Promises for Asleep {
    fn due_ns(&self) -> u64 {
        u64::MAX
    }

    fn overdue(&mut self, _: &DriveState, _: &dyn Load, _: u64) -> Idle {
        Idle::Nothing
    }

    fn broken(&self, state: &DriveState) -> Option<String> {
        self.0.promises()?.broken(state)
    }
}

impl Observer for Asleep {
    fn begin(&mut self, state: &DriveState, phase: Phase) {
        self.0.begin(state, phase);
    }

    fn preset(&mut self, state: &DriveState, block: BlockId) {
        self.0.preset(state, block);
    }

    fn written(&mut self, state: &DriveState, at: &Located, cause: Cause, now_ns: u64) {
        self.0.written(state, at, cause, now_ns);
    }

    fn read(&mut self, state: &DriveState, at: &Located, now_ns: u64) {
        self.0.read(state, at, now_ns);
    }

    fn erased(&mut self, state: &DriveState, block: BlockId) {
        self.0.erased(state, block);
    }
}

/// How a run without second stages ends.
fn end(config: &Config, requests: &[Request]) -> Result<(), Error> {
    let technique = Asleep(LazyFtl::new(m1(), config).expect("it works on this drive"));
    with(config, technique, Script::source(requests.to_vec()), &mut ()).map(|_| ())
}

#[test]
fn data_is_there_until_its_retention_is_over_and_not_a_nanosecond_longer() {
    for config in schedulers(&tlc(16)) {
        for (read_ns, is_there) in [(DAY_NS - 1, true), (DAY_NS, true), (DAY_NS + 1, false)] {
            let requests = [at_ns(0, Op::Write, 0, 3), at_ns(read_ns, Op::Read, 1, 1)];
            match end(&config, &requests) {
                Ok(()) => assert!(is_there, "read at {read_ns}"),
                Err(Error::Promise(told)) => {
                    assert!(!is_there, "{told}");
                    assert!(told.contains("word line 0 of block"), "{told}");
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
}

#[test]
fn what_is_never_read_again_must_be_there_too() {
    for config in schedulers(&tlc(16)) {
        let write = at_ns(0, Op::Write, 0, 3);
        let late = [write, at_ns(DAY_NS + 1, Op::Write, 3, 1)];
        assert!(matches!(end(&config, &late), Err(Error::Promise(_))));
        // Data that is dead by then is missed by nobody.
        let block = at_ns(0, Op::Write, 0, 9);
        let dead = [block, at_ns(DAY_NS, Op::Trim, 0, 9), late[1]];
        assert!(end(&config, &dead).is_ok());
        // Reads of what was never written do not make it so.
        assert!(end(&config, &[write, until(DAY_NS)]).is_ok());
    }
}
