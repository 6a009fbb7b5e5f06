//! The flash of a drive that holds data.

use crate::coding::{Coding, Spare, infeasible};
use crate::decoder::{Cells, Decoder, Lost, Reads, Sensed};
use crate::errors::Errors;
use crate::image::{ImageFile, Plan, Trim};
use crate::oob::OOB_BYTES;
use crate::recovery::{self, Scan};
use crate::scramble::{mix, scramble};
use crate::second::{Second, UNITS, Written};
use crate::slab::{Kept, Slabs};
use crate::storage::Home;
use crate::way::{Load, Placed, Way};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use wordline_sim::Error;
use wordline_sim::config::{Config, SecondWriting};
use wordline_sim::drive::DriveState;
use wordline_sim::engine::Phase;
use wordline_sim::flash::{Deed, From, Image, Issued, Medium};
use wordline_sim::ids::{BlockId, Id, Lpn, Unit};
use wordline_sim::nand::Span;

/// A second write that fits, and is staged next.
struct Fitting {
    lpn: Lpn,
    unit: Unit,
    load: Load,
    how: Written,
}

/// The flash of a drive, and what its controller has in DRAM.
pub struct Flash {
    slabs: Slabs,
    decoder: Decoder,
    errors: Errors,
    seed: u64,
    /// Data of the host that has no place yet, and such as has been given one since that was last asked.
    incoming: FxHashMap<Lpn, Arc<[u8]>>,
    /// Logical units of the latter.
    placed: Vec<Lpn>,
    /// True once the host hands its data over; until then what it writes are zeroes.
    is_set_up: bool,
    /// Where a power cut takes what the controller has: data whose program has not ended. Otherwise data counts
    /// as in the cells once it has a place.
    way: Option<Way>,
    fitting: Option<Fitting>,
    /// Second writes whose program was not issued: until then their pages hold what they held, which may have to be
    /// copied.
    second: FxHashMap<Unit, (Placed, Written)>,
    /// Units written so far.
    written: u64,
    /// What moves within the drive came to.
    pub moves: Reads,
}

impl Flash {
    /// The flash of a drive: what is found at its home, and erased where nothing is there.
    ///
    /// # Errors
    /// A code or error rates that cannot be; an image of another drive, or of one that cannot be in an image; a
    /// failure of the system.
    pub fn new(
        config: &Config,
        state: &DriveState,
        home: Home<'_>,
    ) -> Result<(Self, Option<Image>), Error> {
        if matches!(home, Home::Process) {
            return Ok((Self::with(config, state, |_| Ok(None))?, None));
        }
        if config.data.second_write == SecondWriting::Coded {
            return Err(infeasible(
                "data.second_write = \"coded\", and an image keeps no second writes by their code",
                "set data.second_write to \"drawn\", or serve the drive without an image",
            ));
        }
        if config.precondition.fill > 0.0 {
            return Err(infeasible(
                format!(
                    "precondition.fill = {}, and an image holds what was written",
                    config.precondition.fill
                ),
                "set precondition.fill to 0",
            ));
        }
        if config.power.protection.energy_nj().is_some() {
            return Err(infeasible(
                format!(
                    "power.protection = {} is an energy, and of a drive that is served nobody counts what it finishes",
                    config.power.protection
                ),
                "set power.protection to \"none\" or \"capacitor\"",
            ));
        }
        if config.power.checkpoint_share > 0.0 {
            return Err(infeasible(
                format!(
                    "power.checkpoint_share = {}, and a restart from an image reads all of it",
                    config.power.checkpoint_share
                ),
                "set power.checkpoint_share to 0",
            ));
        }
        let mut was_there = false;
        let mut flash = Self::with(config, state, |stored_bytes| {
            let plan = Plan { stored_bytes, firsts: firsts(state) };
            let opened = ImageFile::open(home, &identity(config), plan)?;
            was_there = opened.as_ref().is_some_and(|(_, was_there)| *was_there);
            Ok(opened.map(|(image, _)| image))
        })?;
        flash.way = (!config.power.protection.bears_all()).then(Way::default);
        if !was_there {
            return Ok((flash, None));
        }
        let scan = Scan {
            slabs: &mut flash.slabs,
            coding: &mut flash.decoder.coding,
            torn_share: config.power.torn_share,
            seed: flash.seed,
        };
        let found = recovery::scan(scan, state)?;
        flash.written = found.written;
        Ok((flash, Some(found)))
    }

    fn with(
        config: &Config,
        state: &DriveState,
        image: impl FnOnce(usize) -> Result<Option<ImageFile>, Error>,
    ) -> Result<Self, Error> {
        let unit_bytes = state.geometry.unit_bytes as usize;
        let second = Second::new(config, unit_bytes)?;
        let spare = second.as_ref().map_or_else(Spare::default, Second::spare);
        let coding = Coding::new(config, unit_bytes, spare)?;
        let errors = Errors::new(config)?;
        let seed = mix(config.run.seed);
        let stored_bytes = coding.stored_bytes();
        Ok(Self {
            slabs: Slabs::new(state.geometry.blocks().count(), stored_bytes, image(stored_bytes)?),
            decoder: Decoder {
                scrambling: seed,
                retries: errors.retries,
                retry_share: errors.retry_share,
                second,
                read: Vec::new(),
                coding,
            },
            errors,
            seed,
            incoming: FxHashMap::default(),
            placed: Vec::new(),
            is_set_up: false,
            way: None,
            fitting: None,
            second: FxHashMap::default(),
            written: 0,
            moves: Reads::default(),
        })
    }

    /// Decodes what this flash gives.
    pub fn decoder(&self) -> Decoder {
        self.decoder.clone()
    }

    /// True where a power cut takes what has not been programmed.
    pub fn loses_what_is_on_the_way(&self) -> bool {
        self.way.is_some()
    }

    /// Why the image cannot be written, if it cannot.
    pub fn failed(&mut self) -> Option<String> {
        self.slabs.image_mut()?.failed().map(str::to_owned)
    }

    /// The drive is ready for its host. What its set-up wrote in the host's place were zeroes.
    pub fn set_up(&mut self) {
        self.is_set_up = true;
    }

    /// The host hands over the newest data of a logical unit, which it is about to write.
    pub fn hand_over(&mut self, lpn: Lpn, data: Arc<[u8]>) {
        assert_eq!(data.len(), self.decoder.coding.unit_bytes(), "bytes of a unit");
        self.incoming.insert(lpn, data);
    }

    /// The host's data of a logical unit waits for a place no longer, and is of no use.
    pub fn take_back(&mut self, lpn: Lpn) {
        self.incoming.remove(&lpn);
    }

    /// Logical units whose data has been given a place since this was last asked. It may have to be given another one: a
    /// buffer places what it has of a unit while newer data of the same is about to enter it.
    pub fn take_placed(&mut self) -> Vec<Lpn> {
        std::mem::take(&mut self.placed)
    }

    /// The host has trimmed a logical unit.
    pub fn trim(&mut self, lpn: Lpn) {
        self.incoming.remove(&lpn);
        let written = self.written;
        if let Some(image) = self.slabs.image_mut() {
            image.trim(Trim { lpn: lpn.number(), written });
        }
    }

    /// True where the controller has data of a logical unit that has no place yet.
    pub fn has_incoming(&self, lpn: Lpn) -> bool {
        self.incoming.contains_key(&lpn)
    }

    /// The newest data of a logical unit that stands in `unit`, if anywhere.
    pub fn sense(&mut self, state: &DriveState, lpn: Lpn, unit: Option<Unit>) -> Sensed {
        if let Some(data) = self.incoming.get(&lpn) {
            return Sensed::Data(data.clone());
        }
        unit.map_or(Sensed::Zeroes, |unit| self.sense_unit(state, lpn, unit))
    }

    /// The same, decoded at once and written to `data`.
    ///
    /// # Errors
    /// It cannot be had.
    pub fn read(
        &mut self,
        state: &DriveState,
        (lpn, unit): (Lpn, Option<Unit>),
        data: &mut [u8],
        reads: &mut Reads,
    ) -> Result<(), Lost> {
        let sensed = self.sense(state, lpn, unit);
        self.decoder.decode(&sensed, data, reads)
    }

    fn sense_unit(&mut self, state: &DriveState, lpn: Lpn, unit: Unit) -> Sensed {
        if let Some(placed) = self.on_its_way(unit) {
            return match &placed.load {
                _ if placed.lpn != lpn => Sensed::Lost(Lost::Checksum),
                Load::Data(data) => Sensed::Data(data.clone()),
                Load::Zeroes => Sensed::Zeroes,
                Load::Lost => Sensed::Lost(Lost::Before),
            };
        }
        let (block, place) = state.geometry.locate(unit);
        match self.slabs.kept(block, place) {
            Kept::Nothing | Kept::Rest => return Sensed::Lost(Lost::Nothing),
            Kept::Bare => return Sensed::Zeroes,
            Kept::Data | Kept::Second => {}
        }
        let is_second = self.slabs.kept(block, place) == Kept::Second;
        let units = if is_second { UNITS } else { 1 };
        let reads = u64::from(self.slabs.count_read(block));
        let erases = u64::from(state.blocks[block].erases);
        let seed = mix(self.seed ^ mix(u64::from(unit.number()) << 32 | erases)) ^ mix(reads);
        let rber = self.errors.rber(state, block, unit);
        let cells = self.slabs.cells(block, place, units);
        Sensed::Cells(Cells { cells, lpn, unit, rber, seed, is_second })
    }

    /// The newest data of a unit, if it is not in the cells yet.
    fn on_its_way(&self, unit: Unit) -> Option<&Placed> {
        let second = || self.second.get(&unit).map(|(placed, _)| placed);
        self.way.as_ref().and_then(|way| way.get(unit)).or_else(second)
    }

    /// What a unit holds, to be moved.
    fn lift(&mut self, state: &DriveState, lpn: Lpn, unit: Unit) -> Load {
        let sensed = self.sense_unit(state, lpn, unit);
        if matches!(sensed, Sensed::Zeroes) {
            return Load::Zeroes;
        }
        let mut data = vec![0; self.decoder.coding.unit_bytes()];
        match self.decoder.decode(&sensed, &mut data, &mut self.moves) {
            Ok(()) => Load::Data(data.into()),
            Err(_) => Load::Lost,
        }
    }

    /// How many units had been written before what a unit holds, of which there may be newer data elsewhere.
    fn sequence_of(&mut self, state: &DriveState, unit: Unit) -> u64 {
        if let Some(placed) = self.on_its_way(unit) {
            return placed.sequence;
        }
        let (block, place) = state.geometry.locate(unit);
        let coding = &mut self.decoder.coding;
        recovery::oob_of(&mut self.slabs, coding, block, place).map_or(0, |oob| oob.sequence)
    }

    /// The newest data of a logical unit has a place.
    fn place(&mut self, state: &DriveState, unit: Unit, lpn: Lpn, load: Load) {
        let placed = self.next(lpn, load);
        self.put(state, unit, placed);
    }

    /// Data that is the newest of a logical unit.
    fn next(&mut self, lpn: Lpn, load: Load) -> Placed {
        self.written += 1;
        Placed { lpn, sequence: self.written, load }
    }

    fn put(&mut self, state: &DriveState, unit: Unit, placed: Placed) {
        match &mut self.way {
            Some(way) => way.stage(unit, placed),
            None => self.program(state, unit, &placed),
        }
    }

    /// The data of a unit is in the cells.
    fn program(&mut self, state: &DriveState, unit: Unit, placed: &Placed) {
        let (block, place) = state.geometry.locate(unit);
        let data = placed.load.data();
        let is_zero = matches!(placed.load, Load::Zeroes);
        let oob = placed.oob(state.blocks[block].erases);
        let Decoder { coding, scrambling, .. } = &mut self.decoder;
        let units = state.geometry.of(block).units_per_block;
        let kept = if is_zero { Kept::Bare } else { Kept::Data };
        self.slabs.program((block, place), units, kept, |cells| {
            if let Some(data) = data {
                let of_data = &mut cells[..data.len()];
                of_data.copy_from_slice(data);
                scramble(of_data, *scrambling, u64::from(unit.number()));
                coding.encode(cells);
            }
            coding.encode_oob(&oob.to_bytes(), cells);
        });
    }

    /// The data of a unit is coded over its page, whose other units hold nothing else from now on.
    fn program_again(&mut self, state: &DriveState, unit: Unit, placed: &Placed, how: &Written) {
        let (block, place) = state.geometry.locate(unit);
        let mut oob = placed.oob(state.blocks[block].erases);
        oob.second = Some(how.attempt);
        let units = state.geometry.of(block).units_per_block;
        let coding = &mut self.decoder.coding;
        let unit_bytes = coding.unit_bytes();
        let (data, spare) = how.cells.split_at(UNITS * unit_bytes);
        let ((data, other_data), (spare, other_spare)) = (halves(data), halves(spare));
        for (at, kept, data, spare, oob) in [
            (place, Kept::Second, data, spare, oob.to_bytes()),
            (place + 1, Kept::Rest, other_data, other_spare, [0; OOB_BYTES]),
        ] {
            let has_cells = self.slabs.kept(block, at) == Kept::Data;
            self.slabs.program((block, at), units, kept, |cells| {
                let of_data = &mut cells[..unit_bytes];
                let rises = data.iter().zip(&*of_data).any(|(after, before)| after & !before != 0);
                assert!(!(has_cells && rises), "unit {unit}: no program takes a cell back to one");
                of_data.copy_from_slice(data);
                coding.encode(cells);
                coding.encode_spare(spare, cells);
                coding.encode_oob(&oob, cells);
            });
        }
    }

    /// The second writes of pages that are programmed are in their cells.
    fn program_second(&mut self, state: &DriveState, span: Span) {
        if self.second.is_empty() {
            return;
        }
        let first = state.geometry.first_unit(span.block);
        for place in state.geometry.of(span.block).units_of(span) {
            let unit = first.plus(place);
            if let Some((placed, how)) = self.second.remove(&unit) {
                self.program_again(state, unit, &placed, &how);
            }
        }
    }

    /// The cells of the data of a unit as they are; a page that was programmed holds zeroes, scrambled, where it was
    /// given no data.
    fn data_cells(&mut self, block: BlockId, place: u32, unit: Unit, cells: &mut Vec<u8>) {
        let unit_bytes = self.decoder.coding.unit_bytes();
        let begin = cells.len();
        match self.slabs.kept(block, place) {
            Kept::Nothing | Kept::Bare => {
                cells.resize(begin + unit_bytes, 0);
                scramble(&mut cells[begin..], self.decoder.scrambling, u64::from(unit.number()));
            }
            Kept::Data => {
                cells.extend_from_slice(&self.slabs.cells(block, place, 1)[..unit_bytes]);
            }
            Kept::Second | Kept::Rest => {
                panic!("unit {unit}: a page is written twice between two erases, not three times")
            }
        }
    }

    /// Where the data of a logical unit comes from.
    fn load(&mut self, state: &DriveState, lpn: Lpn, from: From) -> Load {
        match from {
            From::Host if !self.is_set_up => Load::Zeroes,
            From::Host => self.incoming.get(&lpn).cloned().map_or(Load::Lost, Load::Data),
            From::Unit(of) => self.lift(state, lpn, of),
            From::Drive => Load::Zeroes,
        }
    }

    fn erase(&mut self, state: &DriveState, block: BlockId) {
        let units = state.geometry.of(block).units_per_block;
        self.slabs.erase(block, units, state.blocks[block].erases);
    }

    /// The image notes that pages were programmed.
    fn programmed(&mut self, state: &DriveState, span: Span) {
        let is_last = span.end() == state.geometry.of(span.block).pages_per_block;
        let Some(image) = self.slabs.image_mut() else { return };
        image.change(span.block, |entry| {
            (entry.is_used, entry.programming) = (true, (0, 0));
            entry.is_full |= is_last;
        });
    }

    /// A power cut finds these blocks in the midst of a command from now on.
    fn begin(&mut self, ticket: u32) {
        let Some(command) = self.way.as_ref().and_then(|way| way.command(ticket)) else { return };
        let Some(image) = self.slabs.image_mut() else { return };
        for span in &command.spans {
            image.change(span.block, |entry| match command.deed {
                Deed::Program => {
                    (entry.is_used, entry.programming) = (true, (span.page, span.pages));
                }
                Deed::Erase => entry.is_erasing = true,
            });
        }
    }

    /// A command has ended: what it did is done.
    fn end(&mut self, state: &DriveState, ticket: u32) {
        let Some(command) = self.way.as_mut().and_then(|way| way.end(ticket)) else { return };
        for (unit, placed) in &command.units {
            self.program(state, *unit, placed);
        }
        for span in &command.spans {
            match command.deed {
                Deed::Erase => self.erase(state, span.block),
                Deed::Program => self.programmed(state, *span),
            }
        }
    }
}

/// The cells of one unit and of the other one.
fn halves(cells: &[u8]) -> (&[u8], &[u8]) {
    cells.split_at(cells.len() / UNITS)
}

/// The first unit of each block, and behind them the number of all.
fn firsts(state: &DriveState) -> Vec<u64> {
    let mut next = 0;
    let mut firsts = vec![0];
    for block in state.geometry.blocks() {
        next += u64::from(state.geometry.of(block).units_per_block);
        firsts.push(next);
    }
    firsts
}

/// The text that two configurations have in common if they are of the same drive.
fn identity(config: &Config) -> String {
    let own = Config {
        drive: config.drive.clone(),
        ftl: config.ftl.clone(),
        technique: config.technique.clone(),
        power: config.power.clone(),
        data: config.data.clone(),
        ..Config::default()
    };
    format!("run.seed = {}\n{}", config.run.seed, own.to_toml())
}

impl Medium for Flash {
    fn preset(&mut self, state: &DriveState, unit: Unit, _: Lpn) {
        let (block, place) = state.geometry.locate(unit);
        self.slabs.note(block, state.geometry.of(block).units_per_block, place, Kept::Bare);
    }

    fn stage(&mut self, state: &DriveState, unit: Unit, lpn: Lpn, from: From) {
        if from == From::Host && self.is_set_up {
            self.placed.push(lpn);
        }
        let Some(fitting) = self.fitting.take() else {
            let load = self.load(state, lpn, from);
            return self.place(state, unit, lpn, load);
        };
        assert_eq!((fitting.lpn, fitting.unit), (lpn, unit), "what fits is staged where it fits");
        let placed = self.next(lpn, fitting.load);
        self.second.insert(unit, (placed, fitting.how));
    }

    // What the set-up writes are zeroes that take no room: whether they fit is drawn.
    fn fits(&mut self, state: &DriveState, unit: Unit, lpn: Lpn, from: From) -> Option<bool> {
        let second = self.decoder.second.clone().filter(|_| self.is_set_up)?;
        assert!(self.way.is_none(), "second writes are in the cells as they are issued");
        let load = self.load(state, lpn, from);
        let (block, place) = state.geometry.locate(unit);
        let mut cells = Vec::new();
        for of_page in 0..UNITS as u32 {
            self.data_cells(block, place + of_page, unit.plus(of_page), &mut cells);
        }
        let mut message = match load.data() {
            Some(data) => data.to_vec(),
            None => vec![0; self.decoder.coding.unit_bytes()],
        };
        scramble(&mut message, self.decoder.scrambling, u64::from(unit.number()));
        let how = second.write(&cells, &message);
        self.fitting = how.map(|how| Fitting { lpn, unit, load, how });
        Some(self.fitting.is_some())
    }

    fn stage_copy(&mut self, state: &DriveState, unit: Unit, of: Unit) {
        let (lpn, sequence) = (state.reverse[of], self.sequence_of(state, of));
        let load = self.lift(state, lpn, of);
        self.put(state, unit, Placed { lpn, sequence, load });
    }

    fn issue(&mut self, state: &DriveState, issued: &Issued<'_>) {
        let spans = issued.pages.iter().map(|done| done.span);
        if let Some(way) = &mut self.way {
            let units = spans.flat_map(|span| {
                let first = state.geometry.first_unit(span.block);
                state.geometry.of(span.block).units_of(span).map(move |place| first.plus(place))
            });
            way.issue(issued, units);
            return;
        }
        for span in spans {
            match issued.deed {
                Deed::Erase => self.erase(state, span.block),
                Deed::Program => self.programmed(state, span),
            }
            self.program_second(state, span);
        }
    }

    fn hear(&mut self, state: &DriveState, ticket: u32, phase: Phase) {
        match phase {
            Phase::Begun => self.begin(ticket),
            Phase::Ended => self.end(state, ticket),
        }
    }
}
