//! Data that is on its way to the cells.

use crate::image::Trim;
use crate::oob::Oob;
use crate::second::Written;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use wordline_sim::flash::{Issued, OpKind};
use wordline_sim::ids::{Id, Lpn, Unit};
use wordline_sim::nand::Span;

/// What the controller has of a unit.
#[derive(Debug, Clone)]
pub enum Load {
    /// Data.
    Data(Arc<[u8]>),
    /// Zeroes that were never written.
    Zeroes,
    /// It was lost when it was moved.
    Lost,
}

impl Load {
    /// The data, if there is any.
    pub fn data(&self) -> Option<&[u8]> {
        match self {
            Self::Data(data) => Some(data),
            Self::Zeroes | Self::Lost => None,
        }
    }
}

/// The data of a unit that has a place.
#[derive(Debug, Clone)]
pub struct Placed {
    /// The logical unit.
    pub lpn: Lpn,
    /// Units written before it.
    pub sequence: u64,
    /// The data.
    pub load: Load,
    /// The trims of which it tells.
    pub trims: Vec<Trim>,
    /// How it is coded over its page, if it is a second write.
    pub again: Option<Written>,
}

impl Placed {
    /// Its out-of-band area in a block of so many P/E cycles.
    pub fn oob(&self, erases: u32) -> Oob {
        Oob {
            lpn: self.lpn.number(),
            erases,
            sequence: self.sequence,
            is_zero: matches!(self.load, Load::Zeroes),
            is_lost: matches!(self.load, Load::Lost),
            checksum: self.load.data().map_or(0, crc32fast::hash),
            second: self.again.as_ref().map(|how| how.attempt),
        }
    }
}

/// A command that has not ended.
#[derive(Debug)]
pub struct Command {
    /// What it does.
    pub deed: OpKind,
    /// Its pages.
    pub spans: Vec<Span>,
    /// What it writes.
    pub units: Vec<(Unit, Placed)>,
}

/// Data whose program was not issued, or has not ended.
#[derive(Debug, Default)]
pub struct Way {
    staged: FxHashMap<Unit, Placed>,
    under_way: FxHashMap<u32, Command>,
    /// The newest command that writes a unit.
    writers: FxHashMap<Unit, u32>,
}

impl Way {
    /// Data was given a place.
    pub fn stage(&mut self, unit: Unit, placed: Placed) {
        self.staged.insert(unit, placed);
    }

    /// A command was issued; it writes what was staged for `units`.
    pub fn issue(&mut self, issued: &Issued<'_>, units: impl Iterator<Item = Unit>) {
        let staged = units.filter_map(|unit| Some((unit, self.staged.remove(&unit)?)));
        let units: Vec<(Unit, Placed)> = match issued.deed {
            OpKind::Program => staged.collect(),
            OpKind::Erase => Vec::new(),
        };
        self.writers.extend(units.iter().map(|&(unit, _)| (unit, issued.ticket)));
        let spans = issued.pages.iter().map(|done| done.span).collect();
        self.under_way.insert(issued.ticket, Command { deed: issued.deed, spans, units });
    }

    /// A command that has not ended.
    pub fn command(&self, ticket: u32) -> Option<&Command> {
        self.under_way.get(&ticket)
    }

    /// A command has ended.
    pub fn end(&mut self, ticket: u32) -> Option<Command> {
        let command = self.under_way.remove(&ticket)?;
        for (unit, _) in &command.units {
            if self.writers.get(unit) == Some(&ticket) {
                self.writers.remove(unit);
            }
        }
        Some(command)
    }

    /// The newest data of a unit, if it is not in the cells yet.
    pub fn get(&self, unit: Unit) -> Option<&Placed> {
        self.staged.get(&unit).or_else(|| self.issued(unit))
    }

    /// What the newest program that was issued for a unit writes, if it has not ended.
    pub fn issued(&self, unit: Unit) -> Option<&Placed> {
        let command = self.under_way.get(self.writers.get(&unit)?)?;
        command.units.iter().find(|(of, _)| *of == unit).map(|(_, placed)| placed)
    }
}
