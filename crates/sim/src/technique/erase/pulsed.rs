//! What all schemes of erase pulses share: the state of blocks, ends of life, reports.

use super::EraseScheme;
use super::blocks::{Chance, Erasing, Rule, Step, Wear, advance, erase, hardness};
use super::cells::Cells;
use super::common::Common;
use super::life::{self, Life};
use super::tables::{self, Tables};
use crate::drive::DriveState;
use crate::error::Error;
use crate::ids::{BlockId, ById};
use crate::nand::{self, Loops, OpTable, Pulse};
use crate::reliability::ErasedCells;
use crate::schema::{Config, SchemeChoice};
use crate::technique::ErasePlan;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A scheme of erase pulses.
pub(super) struct Pulsed<R> {
    rule: R,
    /// By group; `None`: another scheme erases its blocks.
    tables: Vec<Option<Tables>>,
    common: Common,
    seed: u64,
    blocks: ById<BlockId, Wear>,
    erasing: Erasing,
    tally: Tally,
}

/// What erases of the run took.
#[derive(Debug, Default)]
struct Tally {
    erases: u64,
    verifies: u64,
    mispredicted: u64,
    short_us: u64,
    /// Erases by number of the last loop, from 1.
    by_loops: BTreeMap<u8, u64>,
    /// Erases by time under pulses.
    by_pulses_us: BTreeMap<u32, u64>,
}

impl<R: Rule + 'static> Pulsed<R> {
    /// The scheme, which is `scheme`, on the flash of `config` that it erases.
    ///
    /// # Errors
    /// Tables that lack what it needs.
    pub fn boxed(
        rule: R,
        common: Common,
        scheme: SchemeChoice,
        config: &Config,
    ) -> Result<Box<dyn EraseScheme>, Error> {
        Ok(Box::new(Self {
            rule,
            tables: tables::of_drive(config, &common, scheme)?,
            common,
            seed: config.run.seed,
            blocks: ById::default(),
            erasing: Erasing::default(),
            tally: Tally::default(),
        }))
    }

    fn loops(&self, state: &DriveState, block: BlockId) -> (Loops, Loops) {
        let group = state.flash().group_of(block);
        let (cells, stress) = (self.cells(group), self.rule.stress(state.cycles_of(block)));
        let erase = state.ops.row(state.ops.of_group(group).erase);
        let energy_per_ns = match erase.array_ns[0] {
            0 => 0.0,
            ns => erase.energy_nj[0] as f64 / ns as f64,
        };
        let steps = &self.erasing.steps;
        let pulse = |(index, step): (usize, &Step)| {
            let pulse_ns = u64::from(step.us) * 1000;
            let damage_us = cells.damage_us(step.number, step.skipped, step.us);
            Pulse {
                pulse_ns,
                verify_ns: cells.verify_us * 1000,
                damage_us: libm::round(f64::from(damage_us) * stress) as u32,
                may_suspend: index + 1 < steps.len(),
                energy_nj: (pulse_ns as f64 * energy_per_ns).round() as u64,
            }
        };
        let mut pulses = steps.iter().enumerate().map(pulse);
        let at_once =
            if self.common.lazy && steps.len() > 1 { steps.len() - 1 } else { steps.len() };
        (pulses.by_ref().take(at_once).collect(), pulses.collect())
    }

    fn cells(&self, group: usize) -> &Cells {
        &of_group(&self.tables, group).cells
    }

    fn count(&mut self) {
        let (tally, erasing) = (&mut self.tally, &self.erasing);
        tally.erases += 1;
        tally.verifies += erasing.steps.len() as u64;
        tally.mispredicted += u64::from(erasing.mispredicted);
        tally.short_us += u64::from(erasing.short_us);
        let last = erasing.steps.last().map_or(0, |step| step.number);
        *tally.by_loops.entry(last).or_default() += 1;
        *tally.by_pulses_us.entry(erasing.pulses_us()).or_default() += 1;
    }

    fn cells_of(&self, state: &DriveState, block: BlockId) -> &Cells {
        self.cells(state.flash().group_of(block))
    }

    /// A figure of every block.
    fn of_blocks(&self, figure: fn(&Cells, &Wear) -> f64) -> Vec<f64> {
        let of = |tables: &Tables| {
            let blocks = self.blocks.of(tables.blocks);
            blocks.iter().map(|wear| figure(&tables.cells, wear)).collect::<Vec<_>>()
        };
        self.tables.iter().flatten().flat_map(of).collect()
    }
}

impl<R: Rule + 'static> EraseScheme for Pulsed<R> {
    fn operations(&mut self, table: &mut OpTable, flash: &nand::Flash<'_>) {
        self.rule.operations(table, flash);
    }

    fn begin(&mut self, state: &DriveState) {
        self.blocks = ById::filled(Wear::default(), state.flash().blocks().count());
        for (tables, group) in self.tables.iter_mut().zip(&state.flash().groups) {
            let Some(tables) = tables else { continue };
            tables.blocks = group.blocks;
            let by = (&tables.cells, &self.rule as &dyn Rule);
            for number in group.blocks {
                let who = (number, hardness(self.seed, number));
                advance(by, &mut self.blocks[number], who, 0..state.cycles_of(number), self.seed);
            }
        }
    }

    fn first_rows(&mut self, state: &DriveState, block: BlockId) -> (u8, u8) {
        let group = state.flash().group_of(block);
        let rows = state.ops.of_group(group);
        let pec = state.cycles_of(block);
        (self.rule.program_row(group, pec).unwrap_or(rows.program), rows.read)
    }

    fn plan(&mut self, state: &DriveState, block: BlockId) -> ErasePlan {
        let group = state.flash().group_of(block);
        let pec = state.cycles_of(block);
        let wear = &mut self.blocks[block];
        let cells = &of_group(&self.tables, group).cells;
        let by = (cells, &self.rule as &dyn Rule);
        erase(by, wear, Chance::of(self.seed, block, pec), &mut self.erasing);
        // Those of the cycles that this erase stands for which no run shows.
        let others = pec + 1..pec + state.cycles_per_erase;
        if !others.is_empty() {
            advance(by, wear, (block, hardness(self.seed, block)), others, self.seed);
        }
        let retire = cells.errors(wear.damage_us) > self.common.requirement;
        self.count();
        let (loops, deferred) = self.loops(state, block);
        let rows = state.ops.of_group(group);
        let program_row = self
            .rule
            .program_row(group, pec.saturating_add(state.cycles_per_erase))
            .unwrap_or(rows.program);
        ErasePlan { loops, deferred, retire, program_row, read_row: rows.read }
    }

    fn errors_mean(&self) -> Option<f64> {
        Some(mean(&self.of_blocks(|cells, wear| cells.errors(wear.damage_us))))
    }

    fn errors_spent(&self, group: usize) -> f64 {
        let of = |Tables { cells, .. }: &Tables| {
            cells.short_errors * f64::from(self.rule.margin_us(cells)) / 1000.0
        };
        self.tables.get(group).and_then(Option::as_ref).map_or(0.0, of)
    }

    fn erased_cells(&self, group: usize) -> Option<ErasedCells> {
        let chip = self.tables.get(group)?.as_ref()?.chip;
        Some(ErasedCells { chip, word_lines_alike: self.common.word_lines_alike })
    }

    fn equivalent_pec(&self, state: &DriveState, block: BlockId) -> f64 {
        self.cells_of(state, block).equivalent_pec(self.blocks[block].damage_us)
    }

    fn short_errors(&self, state: &DriveState, block: BlockId) -> f64 {
        let short_us = f64::from(self.blocks[block].short_us);
        self.cells_of(state, block).short_errors * short_us / 1000.0
    }

    fn life(&self) -> Option<Life> {
        // Of a drive of several kinds of flash, that of the first that it erases.
        let tables = self.tables.iter().flatten().next()?;
        let by = (&tables.cells, &self.rule as &dyn Rule);
        Some(life::of_blocks(by, self.common.requirement, self.seed))
    }

    fn count_anew(&mut self) {
        self.tally = Tally::default();
    }

    fn metrics(&self, _: &DriveState) -> Map<String, Value> {
        let tally = &self.tally;
        let per_erase = |sum: f64| sum / tally.erases.max(1) as f64;
        let pulses_us: u64 = tally.by_pulses_us.iter().map(|(&us, &n)| u64::from(us) * n).sum();
        let times = |(us, n): (&u32, &u64)| json!([f64::from(*us) / 1000.0, n]);
        let errors = self.of_blocks(|cells, wear| cells.errors(wear.damage_us));
        let equivalent = self.of_blocks(|cells, wear| cells.equivalent_pec(wear.damage_us));
        let report = json!({
            "erases": tally.erases,
            "mean_pulse_ms": per_erase(pulses_us as f64 / 1000.0),
            "mean_verifies": per_erase(tally.verifies as f64),
            "mean_short_ms": per_erase(tally.short_us as f64 / 1000.0),
            "mispredicted": tally.mispredicted,
            "by_loops": tally.by_loops.iter().map(|(n, count)| json!([n, count])).collect::<Vec<_>>(),
            "by_pulse_ms": tally.by_pulses_us.iter().map(times).collect::<Vec<_>>(),
            "equivalent_ispe_pec": mean(&equivalent),
            "errors_mean": mean(&errors),
            "errors_max": errors.iter().copied().fold(0.0, f64::max),
        });
        match report {
            Value::Object(report) => report,
            _ => Map::new(),
        }
    }

    fn warnings(&self) -> Vec<String> {
        self.tables.iter().flatten().flat_map(|tables| tables.warnings.clone()).collect()
    }
}

/// The tables of a kind of flash.
fn of_group(tables: &[Option<Tables>], group: usize) -> &Tables {
    tables[group].as_ref().expect("only blocks of its own are asked for")
}

/// The mean; 0 of nothing.
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
