//! Kinds of flash of one drive that are erased by different schemes.

use super::{EraseScheme, Life, build_one};
use crate::drive::DriveState;
use crate::error::Error;
use crate::ids::BlockId;
use crate::nand::{Flash, OpTable};
use crate::reliability::ErasedCells;
use crate::schema::{Config, SchemeChoice};
use crate::technique::ErasePlan;
use serde_json::{Map, Value};

/// A scheme, and how many blocks it erases.
struct Part {
    name: SchemeChoice,
    scheme: Box<dyn EraseScheme>,
    blocks: usize,
}

/// Several schemes, each of which knows only the blocks of its groups.
struct ByGroup {
    parts: Vec<Part>,
    /// The place of each group's scheme among them.
    of_group: Vec<usize>,
}

/// The schemes of a drive's groups.
///
/// # Errors
/// Parameters of one of them that contradict one another.
pub(super) fn build(
    of_groups: &[SchemeChoice],
    config: &Config,
) -> Result<Box<dyn EraseScheme>, Error> {
    let mut names = of_groups.to_vec();
    names.sort_by_key(|scheme| scheme.name());
    names.dedup();
    let part =
        |&name: &SchemeChoice| Ok(Part { name, scheme: build_one(name, config)?, blocks: 0 });
    let parts: Vec<Part> = names.iter().map(part).collect::<Result<_, Error>>()?;
    let place = |of: &SchemeChoice| names.iter().position(|name| name == of);
    Ok(Box::new(ByGroup { parts, of_group: of_groups.iter().filter_map(place).collect() }))
}

impl ByGroup {
    fn of(&self, state: &DriveState, block: BlockId) -> &dyn EraseScheme {
        &*self.parts[self.of_group[state.flash().group_of(block)]].scheme
    }

    fn of_mut(&mut self, state: &DriveState, block: BlockId) -> &mut dyn EraseScheme {
        &mut *self.parts[self.of_group[state.flash().group_of(block)]].scheme
    }

    fn schemes(&self) -> impl Iterator<Item = &dyn EraseScheme> {
        self.parts.iter().map(|part| &*part.scheme)
    }
}

impl EraseScheme for ByGroup {
    fn operations(&mut self, table: &mut OpTable, flash: &Flash<'_>) {
        self.parts.iter_mut().for_each(|part| part.scheme.operations(table, flash));
    }

    fn begin(&mut self, state: &DriveState) {
        for (group, &at) in state.flash().groups.iter().zip(&self.of_group) {
            self.parts[at].blocks += group.blocks.count() as usize;
        }
        self.parts.iter_mut().for_each(|part| part.scheme.begin(state));
    }

    fn count_anew(&mut self) {
        self.parts.iter_mut().for_each(|part| part.scheme.count_anew());
    }

    fn first_rows(&mut self, state: &DriveState, block: BlockId) -> (u8, u8) {
        self.of_mut(state, block).first_rows(state, block)
    }

    fn plan(&mut self, state: &DriveState, block: BlockId) -> ErasePlan {
        self.of_mut(state, block).plan(state, block)
    }

    /// The mean over the blocks of those that know it.
    fn errors_mean(&self) -> Option<f64> {
        let of = |part: &Part| Some((part.scheme.errors_mean()?, part.blocks as f64));
        let known: Vec<(f64, f64)> = self.parts.iter().filter_map(of).collect();
        let blocks: f64 = known.iter().map(|(_, blocks)| blocks).sum();
        let errors: f64 = known.iter().map(|(mean, blocks)| mean * blocks).sum();
        (blocks > 0.0).then(|| errors / blocks)
    }

    fn errors_spent(&self, group: usize) -> f64 {
        self.parts[self.of_group[group]].scheme.errors_spent(group)
    }

    fn may_retire(&self, group: usize) -> bool {
        self.parts[self.of_group[group]].scheme.may_retire(group)
    }

    fn erased_cells(&self, group: usize) -> Option<ErasedCells> {
        self.parts[self.of_group[group]].scheme.erased_cells(group)
    }

    fn equivalent_pec(&self, state: &DriveState, block: BlockId) -> f64 {
        self.of(state, block).equivalent_pec(state, block)
    }

    fn short_errors(&self, state: &DriveState, block: BlockId) -> f64 {
        self.of(state, block).short_errors(state, block)
    }

    fn life(&self) -> Option<Life> {
        self.schemes().find_map(EraseScheme::life)
    }

    fn metrics(&self, state: &DriveState) -> Map<String, Value> {
        let of = |part: &Part| {
            let own = part.scheme.metrics(state);
            (!own.is_empty()).then(|| (part.name.name().to_owned(), Value::Object(own)))
        };
        self.parts.iter().filter_map(of).collect()
    }

    fn warnings(&self) -> Vec<String> {
        self.schemes().flat_map(EraseScheme::warnings).collect()
    }
}
