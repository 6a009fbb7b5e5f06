//! A technique that keeps books of what it is told: they agree with the drive's from the start,
//! however it was preconditioned, to the end.

use crate::common::{Dice, at};
use crate::harness::{drive, figure, logical_units, run, run_hooks, schedulers, stacked};
use serde_json::{Map, Value};
use wordline_sim::config::{Cell, Config, MapCacheChoice, Pattern};
use wordline_sim::drive::DriveState;
use wordline_sim::ids::{BlockId, ById, Ids, Unit};
use wordline_sim::metrics::Counters;
use wordline_sim::nand::Located;
use wordline_sim::nand::command::Cause;
use wordline_sim::technique::{Cells, Hook, Observer, Phase, Placement, Profile, Technique};
use wordline_trace::Op;

struct Ledger {
    claims: &'static [Hook],
    /// Of each unit: programmed since its block was erased, and valid.
    units: ById<Unit, (bool, bool)>,
    /// Units that the host read, and blocks that garbage collection chose.
    reads: u64,
    chosen: u64,
}

impl Ledger {
    fn new(claims: &'static [Hook]) -> Self {
        Self { claims, units: ById::default(), reads: 0, chosen: 0 }
    }

    fn unit(&mut self, state: &DriveState, unit: Unit) -> &mut (bool, bool) {
        if self.units.count() == 0 {
            self.units = ById::filled((false, false), state.geometry.units());
        }
        &mut self.units[unit]
    }

    /// Whether programs of several units may be padded.
    fn pads(&self, state: &DriveState) -> bool {
        state.layout.fillings[0].lanes > 1
    }

    fn check(&self, state: &DriveState) {
        for (number, block) in state.blocks.iter_with_ids() {
            let units = Ids::new(state.geometry.first_unit(number), state.geometry.stride.into());
            let told = self.units.of(units);
            for (&(programmed, valid), place) in told.iter().zip(0..) {
                assert_eq!(valid, state.valid.get(number, place), "place {place} of {number}");
                // Padding stands in no book. Beyond `next` stands what waits for its program.
                let is_known = programmed || place >= block.next || self.pads(state);
                assert!(is_known, "place {place} of {number} was programmed unknown");
            }
        }
    }
}

impl Technique for Ledger {
    fn profile(&self) -> Profile {
        Profile { places_fill: true, ..Profile::of(self.claims) }
    }

    fn metrics(&self, state: &DriveState, _: &Counters) -> Map<String, Value> {
        self.check(state);
        [("reads", self.reads), ("chosen", self.chosen)]
            .map(|(name, count)| (name.to_owned(), count.into()))
            .into_iter()
            .collect()
    }
}

impl Placement for Ledger {}

impl Cells for Ledger {}

impl Observer for Ledger {
    fn written(&mut self, state: &DriveState, &Located { unit, .. }: &Located, _: Cause, _: u64) {
        let before = std::mem::replace(self.unit(state, unit), (true, true));
        assert_eq!(before, (false, false), "unit {unit} is programmed twice without an erase");
    }

    fn invalidated(&mut self, state: &DriveState, &Located { unit, .. }: &Located) {
        let before = std::mem::replace(self.unit(state, unit), (true, false));
        assert_eq!(before, (true, true), "unit {unit} dies without having lived");
    }

    fn read(&mut self, state: &DriveState, &Located { unit, .. }: &Located, _: u64) {
        assert!(self.unit(state, unit).1, "unit {unit} is read and holds nothing");
        self.reads += 1;
    }

    fn chosen(&mut self, _: &DriveState, _: BlockId, cause: Cause) {
        self.chosen += u64::from(cause == Cause::Gc);
    }

    fn erased(&mut self, state: &DriveState, block: BlockId) {
        for unit in Ids::new(state.geometry.first_unit(block), state.geometry.stride.into()) {
            let before = std::mem::take(self.unit(state, unit));
            assert!(!before.1, "unit {unit} is erased while it is valid");
        }
    }

    fn begin(&mut self, state: &DriveState, phase: Phase) {
        if phase == Phase::Run {
            self.unit(state, Unit(0));
            self.check(state);
            (self.reads, self.chosen) = (0, 0);
        }
    }
}

#[test]
fn a_technique_knows_what_preconditioning_left() {
    let claims: [&[Hook]; 2] = [&[Hook::Deaths], &[Hook::Placement, Hook::Deaths]];
    let drives: [fn(&mut Config); 3] = [
        |_| (),
        |config| config.drive.chip.multi_plane = true,
        |config| {
            config.ftl.map_cache.policy = MapCacheChoice::Dftl;
            config.ftl.map_cache.capacity_kib = 1.0;
        },
    ];
    for (pattern, fill) in [
        (Pattern::None, 0.0),
        (Pattern::Sequential, 0.33),
        (Pattern::Sequential, 1.0),
        (Pattern::Random, 0.7),
        (Pattern::Steady, 1.0),
    ] {
        for (claims, change) in claims.into_iter().flat_map(|it| drives.map(|change| (it, change)))
        {
            let mut config = drive(Cell::Slc, 8, &[600.0]);
            (config.drive.chip.planes, config.drive.over_provisioning) = (2, 1.0);
            (config.precondition.pattern, config.precondition.fill) = (pattern, fill);
            change(&mut config);
            let (mut dice, units) = (Dice::new(6), logical_units(&config));
            let op = |n| if n % 5 == 4 { Op::Read } else { Op::Write };
            let request = |n| at(n * 1000, op(n), dice.below(units), 1);
            let requests: Vec<_> = (0u64..600).map(request).collect();
            for config in schedulers(&config) {
                let result = run(&config, Ledger::new(claims), requests.clone());
                assert!(result.flash.erases > 0 || fill < 1.0, "{pattern}");
                let unmapped = result.host.unmapped_reads;
                assert_eq!(figure(&result, "reads"), 120 - unmapped, "{pattern}");
                assert_eq!(figure(&result, "chosen"), result.gc.count, "{pattern}");
                run_hooks(&config, stacked(Ledger::new(claims)), requests.clone());
            }
        }
    }
}
