//! The table of flash operations: what each one does to a page, how long the array works, what
//! crosses the channel, and what it costs. Techniques append rows of their own.

#[cfg(test)]
mod tests;

use super::group::Group;
use crate::declare::PerPage;
use crate::error::{Error, infeasible};
use crate::schema::ChipConfig;

/// How an operation uses die and channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Array, then data out over the channel.
    Read,
    /// Data in over the channel, then array.
    Program,
    /// Array only.
    Erase,
}

/// Kinds, for tables indexed by them.
pub const KINDS: usize = 3;

/// What a page must hold before an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Nothing since the last erase, and every earlier page of the block programmed.
    Erased,
    /// Data.
    Programmed,
    /// Anything; the block holds no valid data.
    NoValidData,
}

/// How a word line has been programmed since its last erase, by name.
pub type Mode = &'static str;
/// The mode of an erased word line.
pub const ERASED: Mode = "erased";
/// The mode of a word line that was programmed as the conventional drive does.
pub const NORMAL: Mode = "normal";

/// The number of [`NORMAL`] in every table.
pub(super) const NORMAL_NUMBER: u8 = 1;

/// Modes that a drive knows at most.
const MODES_MAX: usize = 16;

/// What a program asks of a word line, and makes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transition {
    /// The modes in which it may be.
    pub from: &'static [Mode],
    /// The mode in which it then is.
    pub to: Mode,
    /// Of a program in place: how many such programs the word line may have had in all, this included.
    pub passes: u8,
}

impl Transition {
    /// A program of the conventional drive, page by page or of whole word lines.
    pub const CONVENTIONAL: Self = Self { from: &[ERASED, NORMAL], to: NORMAL, passes: 0 };

    /// The first program of a word line, page by page or whole, which leaves it in mode `to`.
    pub const fn first(from: &'static [Mode], to: Mode) -> Self {
        Self { from, to, passes: 0 }
    }
}

/// A row of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct OpRow {
    /// Its name in results and messages.
    pub name: &'static str,
    /// How it uses die and channel.
    pub kind: Kind,
    /// What the page must hold before.
    pub needs: Needs,
    /// Array time by page type, nanoseconds.
    pub array_ns: [u64; 4],
    /// Of a program: the word lines that it may be applied to, and what they are then.
    pub transition: Transition,
    /// Whether the data cross the channel.
    pub transfers: bool,
    /// Energy by page type, or of a block; nanojoules.
    pub energy_nj: [u64; 4],
    /// Of a program over data, or in place: pages that the controller reads first, from that of the unit on.
    pub pages_read_first: u32,
}

/// What a row asks of a word line, and makes of it, by the numbers of modes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    pub kind: Kind,
    pub needs: Needs,
    /// One bit for each mode in which the word line may be.
    from: u16,
    /// The mode in which it leaves a word line.
    pub to: u8,
    /// Programs in place that a word line may have had in all.
    pub passes: u8,
}

impl Rule {
    /// Whether a word line may be in a mode.
    pub fn takes(self, mode: u8) -> bool {
        self.from >> mode & 1 == 1
    }
}

/// A row, and the channel's rates for the flash that it is an operation of.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The row.
    pub op: OpRow,
    /// What it asks of a word line.
    rule: Rule,
    /// Time of a byte on the channel, in 2^-24 ns: an integer multiplication instead of a rounding.
    transfer_per_byte: u64,
    /// Bytes of data that cross the channel at most.
    most_bytes: u64,
    command_ns: u64,
    /// How much longer a technique's own programs take in blocks that this row programs.
    slowness: f64,
}

impl Entry {
    /// Time on the channel of the `bytes` of an operation, nanoseconds; none where data stays.
    #[inline(always)]
    pub fn transfer_ns(&self, bytes: u64) -> u64 {
        if !self.op.transfers {
            return 0;
        }
        (bytes.min(self.most_bytes) * self.transfer_per_byte + (1 << (FRACTION_BITS - 1)))
            >> FRACTION_BITS
    }

    /// Command and address cycles.
    #[inline(always)]
    pub fn command_ns(&self) -> u64 {
        self.command_ns
    }
}

/// The table; rows are named by their index.
#[derive(Debug, Clone, Default)]
pub struct OpTable {
    rows: Vec<Entry>,
    /// The conventional rows of each kind of flash.
    conventional: Vec<Rows>,
    /// How much longer the last program of a block takes, by kind of flash.
    summary_ns: Vec<u64>,
    transfer_per_byte: u64,
    command_ns: u64,
    /// The modes of the rows.
    modes: Vec<Mode>,
    has_energy: bool,
}

/// The rows of the conventional operations of one kind of flash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rows {
    /// Read a page.
    pub read: u8,
    /// Program a page, or all pages of a word line.
    pub program: u8,
    /// Erase a block.
    pub erase: u8,
}

/// A kind of flash whose operations are being added to the table.
#[derive(Debug, Clone, Copy)]
pub struct Flash<'a> {
    /// The index of its group.
    pub group: usize,
    /// Its chips.
    pub chip: &'a ChipConfig,
    /// Its conventional operations.
    pub rows: Rows,
}

/// Row: read a page. In a drive of several kinds of flash, those of the first.
pub const READ: u8 = 0;
/// Row: program a page, or all pages of a word line.
pub const PROGRAM: u8 = 1;
/// Row: erase a block.
pub const ERASE: u8 = 2;

const FRACTION_BITS: u32 = 24;

fn ns(us: f64) -> u64 {
    (us * 1000.0).round() as u64
}

fn per_type(values: &PerPage, key: &str, group: &Group) -> Result<[u64; 4], Error> {
    let bits = group.bits;
    let list = values.expand(bits as usize).ok_or_else(|| {
        infeasible(
            format!("{} needs one value, or one for each of the {bits} page types", group.key(key)),
            "give as many values as the cell has bits",
        )
    })?;
    let mut by_type = [0; 4];
    for (to, from) in by_type.iter_mut().zip(list) {
        *to = ns(from);
    }
    Ok(by_type)
}

impl OpTable {
    /// Appends the operations of a conventional chip, those of the next group; what is pushed after
    /// them is of the same flash.
    ///
    /// # Errors
    /// A list of latencies that does not have one value per page type.
    pub fn add_flash<'a>(
        &mut self,
        chip: &'a ChipConfig,
        group: &Group,
    ) -> Result<Flash<'a>, Error> {
        let read = per_type(&chip.read_us, "read_us", group)?;
        let mut program = per_type(&chip.program_us, "program_us", group)?;
        if chip.program.is_word_line() {
            // One array operation for the whole word line, as slow as its slowest page type.
            let slowest = program.iter().copied().max().unwrap_or(0);
            program.fill(slowest);
        }
        let erase = [ns(chip.erase_ms * 1000.0); 4];
        let read_nj = per_type(&chip.read_uj, "read_uj", group)?;
        let program_nj = per_type(&chip.program_uj, "program_uj", group)?;
        let row = |name, kind, needs, array_ns, transfers, energy_nj| OpRow {
            name,
            kind,
            needs,
            array_ns,
            transition: Transition::CONVENTIONAL,
            transfers,
            energy_nj,
            pages_read_first: 0,
        };
        self.transfer_per_byte = match chip.transfer_mb_s {
            0.0 => 0,
            mb_s => (1e3 / mb_s * f64::from(1 << FRACTION_BITS)).round() as u64,
        };
        self.command_ns = ns(chip.command_us);
        use {Kind as K, Needs as N};
        let erase_nj = [ns(chip.erase_uj); 4];
        let rows = Rows {
            read: self.push(row("read", K::Read, N::Programmed, read, true, read_nj)),
            program: self.push(row("program", K::Program, N::Erased, program, true, program_nj)),
            erase: self.push(row("erase", K::Erase, N::NoValidData, erase, false, erase_nj)),
        };
        self.conventional.push(rows);
        self.summary_ns.push(ns(chip.summary_us));
        Ok(Flash { group: self.conventional.len() - 1, chip, rows })
    }

    /// Appends an operation of a technique and returns its row.
    ///
    /// # Panics
    /// If the table has 256 rows already, or they name more than 16 modes.
    pub fn push(&mut self, op: OpRow) -> u8 {
        let rule = self.rule_of(&op);
        self.has_energy |= op.energy_nj != [0; 4];
        let (transfer_per_byte, command_ns) = (self.transfer_per_byte, self.command_ns);
        let (most_bytes, slowness) = (u64::MAX, 1.0);
        self.rows.push(Entry { op, rule, transfer_per_byte, most_bytes, command_ns, slowness });
        u8::try_from(self.rows.len() - 1).expect("at most 256 operations")
    }

    fn rule_of(&mut self, op: &OpRow) -> Rule {
        let &OpRow { kind, needs, transition: Transition { from, to, passes }, .. } = op;
        let to = [ERASED, NORMAL, to].map(|mode| self.number_of(mode))[2];
        let from = from.iter().fold(0, |modes, mode| modes | 1 << self.number_of(mode));
        Rule { kind, needs, from, to, passes }
    }

    /// The number of a mode, which is new if it has none.
    fn number_of(&mut self, mode: Mode) -> u8 {
        let known = self.modes.iter().position(|known| *known == mode);
        let number = known.unwrap_or_else(|| {
            assert!(self.modes.len() < MODES_MAX, "at most {MODES_MAX} modes of word lines");
            self.modes.push(mode);
            self.modes.len() - 1
        });
        number as u8
    }

    /// In blocks that are programmed by `row`, a technique's own programs take `factor` times as long:
    /// for an erase scheme that trades slower programs for a gentler erase.
    pub fn slow_down(&mut self, row: u8, factor: f64) {
        self.rows[usize::from(row)].slowness = factor;
    }

    /// Data that `row` reads or programs is encoded: `factor` bytes cross the channel for each of it, and
    /// a page at most.
    pub fn spread(&mut self, row: u8, factor: u64, page_bytes: u64) {
        let entry = &mut self.rows[usize::from(row)];
        (entry.transfer_per_byte, entry.most_bytes) =
            (entry.transfer_per_byte * factor, page_bytes / factor);
    }

    /// The time of a technique's own program of `array_ns` in a block that is programmed by `row`.
    #[inline]
    pub fn slowed_ns(&self, row: u8, array_ns: u64) -> u64 {
        match self.rows[usize::from(row)].slowness {
            1.0 => array_ns,
            factor => (array_ns as f64 * factor).round() as u64,
        }
    }

    /// The conventional operations of a group.
    #[inline]
    pub fn of_group(&self, group: usize) -> Rows {
        self.conventional[group]
    }

    /// Time that the last program of a block of a group takes longer, nanoseconds.
    pub fn summary_ns(&self, group: usize) -> u64 {
        self.summary_ns[group]
    }

    /// A row.
    #[inline]
    pub fn row(&self, row: u8) -> &OpRow {
        &self.rows[row as usize].op
    }

    /// The modes of word lines, by number.
    pub fn modes(&self) -> &[Mode] {
        &self.modes
    }

    /// All rows.
    pub fn rows(&self) -> impl Iterator<Item = &OpRow> {
        self.rows.iter().map(|entry| &entry.op)
    }

    /// What a row asks of a word line.
    #[inline]
    pub(super) fn rule(&self, row: u8) -> Rule {
        self.rows[usize::from(row)].rule
    }

    /// The mode of a number.
    pub(super) fn mode_name(&self, mode: u8) -> Mode {
        self.modes[usize::from(mode)]
    }

    /// Whether some operation programs pages that hold data.
    pub fn has_in_place(&self) -> bool {
        let is_in_place =
            |it: &Entry| it.rule.kind == Kind::Program && it.rule.needs == Needs::Programmed;
        self.rows.iter().any(is_in_place)
    }

    /// Whether some operation takes energy.
    #[inline]
    pub fn has_energy(&self) -> bool {
        self.has_energy
    }

    /// A row with the rates of its channel.
    #[inline]
    pub fn entry(&self, row: u8) -> &Entry {
        &self.rows[row as usize]
    }

    /// Time on the channel of the `bytes` of an operation, nanoseconds; none where data stays.
    pub fn transfer_ns(&self, row: u8, bytes: u64) -> u64 {
        self.entry(row).transfer_ns(bytes)
    }

    /// Command and address cycles of an operation.
    pub fn command_ns(&self, row: u8) -> u64 {
        self.entry(row).command_ns()
    }
}
