//! What a cut leaves of the pages that were being programmed or erased: each is damaged or not by a draw of its
//! own, and so is every page beneath it in its word line (Tseng et al., DAC 2011: an interrupted program also
//! corrupts what was programmed earlier). Planes are independent. A block may read as erased that is not: its erase did
//! not end, or its first program hardly began.

use super::flash_snapshot::{Surface, units_of};
use crate::flash::{Area, Mark, OpKind, Recorded, RecordedSpan};
use crate::ids::{BlockId, Lpn, Unit};
use crate::nand::Geometry;
use crate::util::Rng;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// How much of what power failed over is lost, and how.
#[derive(Debug, Clone, Copy)]
pub struct Shares {
    /// Of pages: those that cannot be read.
    pub torn: f64,
    /// Of blocks in mid-erase, or in the midst of their first program: those that read as erased.
    pub blank: f64,
}

/// What differs from the flash as it stood.
#[derive(Debug, Default)]
pub struct Damage {
    /// Units that cannot be read, or whose data was just replaced.
    lost: FxHashSet<Unit>,
    /// Units that were programmed although power failed.
    gained: FxHashMap<Unit, Mark>,
    /// The same units by what they hold, and the blocks in which they are.
    gained_of: BTreeSet<(Lpn, Unit)>,
    gained_in: FxHashSet<BlockId>,
    /// Logical units for which that may make a difference, each once, in order.
    pub concerned: Vec<Lpn>,
    /// Units over which power failed: what can be read of them once need not be so the next time.
    pub unstable: Vec<Unit>,
    /// Blocks over which power failed and that show it, in order.
    pub blocks: BTreeSet<BlockId>,
    /// Blocks over which power failed and that read as erased: what is programmed there cannot be read.
    pub blank: BTreeSet<BlockId>,
    /// The numbers of commands that were finished.
    pub finished: FxHashSet<usize>,
    /// The area for metadata, where that differs.
    area: Option<Area>,
}

impl Damage {
    /// What commands leave that are finished although power failed.
    pub fn finished<'a>(
        surface: &Surface,
        geometry: &Geometry,
        commands: impl Iterator<Item = (usize, &'a Recorded)>,
        is_finished: impl Fn(usize) -> bool,
    ) -> Self {
        let mut damage = Self::default();
        for (number, command) in commands.filter(|&(number, _)| is_finished(number)) {
            damage.finished.insert(number);
            damage.finish(surface, geometry, command);
        }
        damage.settle();
        damage
    }

    fn finish(&mut self, surface: &Surface, geometry: &Geometry, command: &Recorded) {
        if let Some(note) = &command.metadata {
            self.area.get_or_insert_with(|| surface.area().clone()).carry_out(note);
        }
        for &(unit, mark) in &command.written {
            self.concern(surface, (unit, mark));
            self.lost.insert(unit);
            if surface.can_hold(geometry.locate(unit).0) {
                self.gain(geometry, unit, mark);
            }
        }
        let erased = command.done.iter().filter(|_| command.deed == OpKind::Erase);
        for unit in erased.flat_map(|done| units_of(geometry, done.span)) {
            self.concerned.extend(surface.mark(unit).map(|mark| mark.lpn));
            self.lost.insert(unit);
        }
    }

    /// A unit is programmed, perhaps for the second time.
    fn gain(&mut self, geometry: &Geometry, unit: Unit, mark: Mark) {
        if let Some(before) = self.gained.insert(unit, mark) {
            self.gained_of.remove(&(before.lpn, unit));
        }
        self.gained_of.insert((mark.lpn, unit));
        self.gained_in.insert(geometry.locate(unit).0);
    }

    /// A program of a unit may make a difference for what it holds and for what it held.
    fn concern(&mut self, surface: &Surface, (unit, mark): (Unit, Mark)) {
        self.concerned.extend([Some(mark), surface.mark(unit)].iter().flatten().map(|it| it.lpn));
    }

    /// Power fails in the midst of a command, which tears a share of its pages.
    pub fn tear(
        &mut self,
        surface: &Surface,
        geometry: &Geometry,
        command: &Recorded,
        shares: Shares,
        rng: &mut Rng,
    ) {
        let Shares { torn: torn_share, blank: blank_share } = shares;
        let may_be_blank = |block| match command.deed {
            OpKind::Program => surface.held().lines.is_erased(block),
            OpKind::Erase => true,
        };
        let of_data = command.done.iter().filter(|_| command.metadata.is_none());
        let blocks = of_data.map(|done| done.span.block);
        let blank = blocks.filter(|&it| may_be_blank(it) && rng.unit() < blank_share);
        let blank: Vec<BlockId> = blank.filter(|&it| !self.shows(it)).collect();
        self.blank.extend(blank);
        if let Some(note) = command.metadata.as_ref().filter(|_| rng.unit() >= torn_share) {
            self.area.get_or_insert_with(|| surface.area().clone()).carry_out(note);
        }
        for &(unit, mark) in &command.written {
            self.concern(surface, (unit, mark));
            self.lost.insert(unit);
            self.unstable.push(unit);
            if rng.unit() >= torn_share && !self.is_blank(geometry, unit) {
                self.gain(geometry, unit, mark);
            }
        }
        for &RecordedSpan { span, .. } in &command.done {
            let touched = match command.deed {
                OpKind::Program => geometry.of(span.block).word_lines_of(span),
                OpKind::Erase => span,
            };
            let is_blank = self.blank.contains(&span.block);
            if !is_blank {
                self.blocks.insert(span.block);
            }
            for unit in units_of(geometry, touched) {
                let Some(mark) = surface.mark(unit) else { continue };
                self.concerned.push(mark.lpn);
                self.unstable.push(unit);
                if rng.unit() < torn_share || is_blank {
                    self.lost.insert(unit);
                }
            }
        }
    }

    /// True for a block that does not read as erased, as an earlier command left it over which power failed too.
    fn shows(&self, block: BlockId) -> bool {
        self.blocks.contains(&block) || self.gained_in.contains(&block)
    }

    /// Asserts that nothing can be read of a block that reads as erased.
    pub fn assert_blank(&self, geometry: &Geometry) {
        let unit = self.gained.keys().find(|&&unit| self.is_blank(geometry, unit));
        assert_eq!(unit, None, "it stands in a block that reads as erased");
    }

    fn is_blank(&self, geometry: &Geometry, unit: Unit) -> bool {
        !self.blank.is_empty() && self.blank.contains(&geometry.locate(unit).0)
    }

    /// Units that an earlier cut left unstable may not be readable any more: those of them that still hold what
    /// they held then.
    pub fn tear_again(
        &mut self,
        surface: &Surface,
        unstable: &[(Unit, Mark)],
        share: f64,
        rng: &mut Rng,
    ) {
        for &(unit, mark) in unstable {
            if surface.mark(unit) == Some(mark) && rng.unit() < share {
                self.lost.insert(unit);
                self.concerned.push(mark.lpn);
            }
        }
        self.settle();
    }

    /// Each logical unit once, in order.
    pub fn settle(&mut self) {
        self.concerned.sort_unstable();
        self.concerned.dedup();
    }

    /// The area for metadata.
    pub fn area<'a>(&'a self, surface: &'a Surface) -> &'a Area {
        self.area.as_ref().unwrap_or_else(|| surface.area())
    }

    /// The units that hold a logical unit and can be read.
    pub fn readable_of(&self, surface: &Surface, lpn: Lpn) -> impl Iterator<Item = (Unit, Mark)> {
        let kept = surface.units_of(lpn).filter(|(unit, _)| !self.lost.contains(unit));
        let gained = self.gained_of.range((lpn, Unit(0))..=(lpn, Unit(u64::MAX)));
        kept.chain(gained.map(|&(_, unit)| (unit, self.gained[&unit])))
    }

    /// All units that can be read.
    pub fn readable(&self, surface: &Surface) -> impl Iterator<Item = (Unit, Mark)> {
        let kept = surface.all().filter(|(unit, _)| !self.lost.contains(unit));
        kept.chain(self.gained.iter().map(|(&unit, &mark)| (unit, mark)))
    }
}
