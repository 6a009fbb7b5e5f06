//! SLC on which two used pages together take the data of one: a partner that holds nothing of its own, a
//! read of both, and attempts that fail; as multi-plane pairs in Margaglia et al., FAST 2016, Section 4.3.

use crate::common::at;
use crate::harness::{drive, everywhere, figure};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use wordline_sim::config::Cell;
use wordline_sim::drive::DriveState;
use wordline_sim::ids::Unit;
use wordline_sim::metrics::Counters;
use wordline_sim::nand::command::{Cause, ReadPlan};
use wordline_sim::nand::{
    BlockState, Flash, Located, Mode, NORMAL, Needs, OpRow, OpTable, READ, Transition,
};
use wordline_sim::technique::{
    Cells, Hook, Observer, Over, PageRead, Place, Placement, Profile, Technique, Write,
};
use wordline_trace::{Op, Request};

const PAIRED: Mode = "paired";

/// Writes of the host go over pairs of pages whose data died, every `fails_every`-th attempt in vain.
#[derive(Default)]
struct Pairs {
    row: u8,
    fails_every: u64,
    dead: Vec<Unit>,
    /// The partner of each unit that was written over.
    partners: BTreeMap<Unit, Unit>,
    attempts: u64,
    failed: u64,
}

impl Technique for Pairs {
    fn profile(&self) -> Profile {
        Profile {
            places_fill: true,
            ..Profile::of(&[Hook::Placement, Hook::ReadPlan, Hook::Deaths])
        }
    }

    fn metrics(&self, _: &DriveState, _: &Counters) -> Map<String, Value> {
        Map::from_iter([("failed".to_owned(), self.failed.into())])
    }
}

impl Placement for Pairs {
    fn place(&mut self, _: &DriveState, write: &Write<'_>) -> Place {
        if write.cause != Cause::Host || self.dead.len() < 2 {
            return Place::Stream(write.stream);
        }
        let (unit, partner) = (self.dead.remove(0), self.dead.remove(0));
        self.attempts += 1;
        let holds = self.fails_every == 0 || !self.attempts.is_multiple_of(self.fails_every);
        self.failed += u64::from(!holds);
        if holds {
            self.partners.insert(unit, partner);
        }
        Place::Unit(Over { unit, partner: Some(partner), row: self.row, holds })
    }
}

impl Cells for Pairs {
    fn operations(&mut self, table: &mut OpTable, flash: &Flash<'_>) {
        let program = table.row(flash.rows.program).clone();
        let transition = Transition { from: &[NORMAL], to: PAIRED, passes: 1 };
        let needs = Needs::Programmed;
        self.row = table.push(OpRow { name: "pair", needs, transition, ..program });
    }

    fn read_plan(&self, _: &DriveState, at: &Located) -> PageRead {
        let along = self.partners.get(&at.unit).copied();
        PageRead { plan: ReadPlan { along, ..ReadPlan::once(READ) }, data: None }
    }
}

impl Observer for Pairs {
    fn invalidated(&mut self, state: &DriveState, &Located { unit, block, .. }: &Located) {
        let is_full = state.blocks[block].state == BlockState::Full;
        if is_full && !self.partners.contains_key(&unit) {
            self.dead.push(unit);
        }
    }
}

/// A full block, two pages of which die, a write that may go over both, and a read of it.
fn requests() -> Vec<Request> {
    let full = (0..8).map(|page| at(page * 1000, Op::Write, page, 1));
    let dead = [at(10_000, Op::Write, 0, 1), at(11_000, Op::Write, 1, 1)];
    let rest = [at(20_000, Op::Write, 9, 1), at(30_000, Op::Read, 9, 1)];
    full.chain(dead).chain(rest).collect()
}

#[test]
fn two_used_pages_take_the_data_of_one() {
    for result in everywhere(&drive(Cell::Slc, 8, &[600.0]), Pairs::default, &requests()) {
        assert_eq!((result.flash.reprograms, result.flash.program_operations), (1, 11));
        assert_eq!(result.flash.page_programs.host, 11);
        // Both pages are sensed together.
        assert_eq!(result.flash.page_reads.host, 2);
        if result.host.write.count > 0 {
            // Both pages cross the channel.
            assert_eq!(result.host.write.max_us, 2.0 * 10.0 + 600.0);
            assert_eq!(result.host.read.max_us, 50.0 + 10.0);
        }
    }
}

#[test]
fn an_attempt_that_fails_is_placed_again() {
    let technique = || Pairs { fails_every: 1, ..Pairs::default() };
    for result in everywhere(&drive(Cell::Slc, 8, &[600.0]), technique, &requests()) {
        assert_eq!(figure(&result, "failed"), 1);
        assert_eq!((result.flash.reprograms, result.flash.program_operations), (1, 12));
        assert_eq!((result.flash.page_programs.host, result.flash.page_reads.host), (11, 1));
    }
}
