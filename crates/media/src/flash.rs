//! The flash of a drive that holds data.

use crate::decoder::{Decoder, Lost, Reads, Sensed};
use crate::image::Trim;
use crate::opening;
use crate::pages::Pages;
use crate::rewrites::Rewrites;
use crate::second::Written;
use crate::storage::Home;
use crate::trims::Untold;
use crate::way::{Load, Placed, Way};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use wordline_sim::Error;
use wordline_sim::config::Config;
use wordline_sim::drive::DriveState;
use wordline_sim::engine::Phase;
use wordline_sim::flash::{From, Image, Issued, Medium, OpKind};
use wordline_sim::ids::{Id, Lpn, Unit};
use wordline_sim::nand::Span;

/// The flash of a drive, and what its controller has in DRAM.
pub struct Flash {
    pages: Pages,
    /// Data of the host that has no place yet, and such as has been given one since that was last asked.
    incoming: FxHashMap<Lpn, Arc<[u8]>>,
    /// Logical units of the latter.
    placed: Vec<Lpn>,
    /// True once the host hands its data over; until then what it writes are zeroes.
    is_set_up: bool,
    /// Where a power cut takes what the controller has: data whose program has not ended. Otherwise data counts
    /// as in the cells once it has a place.
    way: Option<Way>,
    /// Where a power cut takes them: trims of which no page tells yet.
    untold: Option<Untold>,
    rewrites: Rewrites,
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
            return Ok((Self::of(Pages::new(config, state, |_| Ok(None))?), None));
        }
        opening::refuse(config)?;
        let mut was_there = false;
        let mut flash = Self::of(Pages::new(config, state, |stored_bytes| {
            let opened = opening::open(home, config, state, stored_bytes)?;
            was_there = opened.as_ref().is_some_and(|(_, was_there)| *was_there);
            Ok(opened.map(|(image, _)| image))
        })?);
        if !config.power.protection.bears_all() {
            flash.way = Some(Way::default());
            flash.untold = Some(Untold::of(config, state));
        }
        if !was_there {
            return Ok((flash, None));
        }
        let found = flash.pages.scan(state, config.power.torn_share)?;
        // A restart sets nothing up.
        flash.is_set_up = true;
        flash.written = found.written;
        Ok((flash, Some(found)))
    }

    fn of(pages: Pages) -> Self {
        Self {
            pages,
            incoming: FxHashMap::default(),
            placed: Vec::new(),
            is_set_up: false,
            way: None,
            untold: None,
            rewrites: Rewrites::default(),
            written: 0,
            moves: Reads::default(),
        }
    }

    /// Decodes what this flash gives.
    pub fn decoder(&self) -> Decoder {
        self.pages.decoder().clone()
    }

    /// Whether a power cut takes what has not been programmed.
    pub fn loses_what_is_on_the_way(&self) -> bool {
        self.way.is_some()
    }

    /// Why the image cannot be written, if it cannot.
    pub fn failed(&mut self) -> Option<String> {
        self.pages.image_mut()?.failed().map(str::to_owned)
    }

    /// Everything has come to its end, and the image says so until it is written again.
    pub fn rest(&mut self) {
        self.pages.image_mut().iter_mut().for_each(|image| image.rest());
    }

    /// Whether the image says so.
    pub fn rests(&mut self) -> bool {
        self.pages.image_mut().is_some_and(|image| image.rests())
    }

    /// The drive is ready for its host. What its set-up wrote in the host's place were zeroes.
    pub fn set_up(&mut self) {
        self.is_set_up = true;
    }

    /// The host hands over the newest data of a logical unit, which it is about to write.
    pub fn hand_over(&mut self, lpn: Lpn, data: Arc<[u8]>) {
        assert_eq!(data.len(), self.pages.unit_bytes(), "bytes of a unit");
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
        let trim = Trim { lpn: lpn.number(), written: self.written };
        match (&mut self.untold, self.pages.image_mut()) {
            (Some(untold), _) => untold.add(trim),
            (None, Some(image)) => image.trim(trim),
            (None, None) => {}
        }
    }

    /// Whether the controller has data of a logical unit that has no place yet.
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

    /// Reads the newest data of a logical unit, decoded at once, to `data`.
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
        self.pages.decoder_mut().decode(&sensed, data, reads)
    }

    fn sense_unit(&mut self, state: &DriveState, lpn: Lpn, unit: Unit) -> Sensed {
        let Some(placed) = self.on_its_way(unit) else {
            return self.pages.sense(state, lpn, unit);
        };
        match &placed.load {
            _ if placed.lpn != lpn => Sensed::Lost(Lost::Checksum),
            Load::Data(data) => Sensed::Data(data.clone()),
            Load::Zeroes => Sensed::Zeroes,
            Load::Lost => Sensed::Lost(Lost::Before),
        }
    }

    /// The newest data of a unit, if it is not in the cells yet.
    fn on_its_way(&self, unit: Unit) -> Option<&Placed> {
        let second = || self.rewrites.get(unit);
        self.way.as_ref().and_then(|way| way.get(unit)).or_else(second)
    }

    /// The newest data of a unit, to be moved.
    fn lift(&mut self, state: &DriveState, lpn: Lpn, unit: Unit) -> Load {
        let sensed = self.sense_unit(state, lpn, unit);
        self.decoded(&sensed)
    }

    fn decoded(&mut self, sensed: &Sensed) -> Load {
        if matches!(sensed, Sensed::Zeroes) {
            return Load::Zeroes;
        }
        let mut data = vec![0; self.pages.unit_bytes()];
        match self.pages.decoder_mut().decode(sensed, &mut data, &mut self.moves) {
            Ok(()) => Load::Data(data.into()),
            Err(_) => Load::Lost,
        }
    }

    /// What a unit holds, or will once the programs that were issued have ended. What is staged for it is not there, though
    /// the map knows of it.
    fn held(&mut self, state: &DriveState, unit: Unit) -> Placed {
        if let Some(placed) = self.way.as_ref().and_then(|way| way.issued(unit)) {
            return Placed { again: None, ..placed.clone() };
        }
        // In memory zeroes take no room and have no mark, and no restart reads a copy of them.
        let (lpn, sequence) = self.pages.mark_of(state, unit).unwrap_or((state.lpn_of(unit), 0));
        let sensed = self.pages.sense(state, lpn, unit);
        Placed { lpn, sequence, load: self.decoded(&sensed), trims: Vec::new(), again: None }
    }

    /// Data that is the newest of a logical unit.
    fn next(&mut self, lpn: Lpn, load: Load, again: Option<Written>) -> Placed {
        self.written += 1;
        // Whatever writes a page that tells of trims writes all that the controller knows of them.
        let trims = self.untold.as_mut().map(|untold| untold.take(lpn)).unwrap_or_default();
        Placed { lpn, sequence: self.written, load, trims, again }
    }

    /// Data with a place outlives a power cut in an image, unless it is on its way there.
    fn put(&mut self, state: &DriveState, unit: Unit, placed: Placed) {
        match &mut self.way {
            Some(way) => way.stage(unit, placed),
            None if placed.again.is_some() && self.pages.image_mut().is_none() => {
                self.rewrites.stage(unit, placed);
            }
            None => self.pages.program(state, unit, &placed),
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

    /// A power cut finds these blocks in the midst of a command from now on.
    fn begin(&mut self, ticket: u32) {
        let Some(command) = self.way.as_ref().and_then(|way| way.command(ticket)) else { return };
        for span in &command.spans {
            match command.deed {
                OpKind::Program => self.pages.note_programming(*span),
                OpKind::Erase => self.pages.note_erasing(span.block),
            }
        }
    }

    /// A command has ended: what it did is done.
    fn end(&mut self, state: &DriveState, ticket: u32) {
        let Some(command) = self.way.as_mut().and_then(|way| way.end(ticket)) else { return };
        for (unit, placed) in &command.units {
            self.pages.program(state, *unit, placed);
            if let Some(image) = self.pages.image_mut() {
                placed.trims.iter().for_each(|trim| image.trim(*trim));
            }
        }
        command.spans.iter().for_each(|span| self.carry_out(state, command.deed, *span));
    }

    /// Pages are as a command leaves them.
    fn carry_out(&mut self, state: &DriveState, deed: OpKind, span: Span) {
        match deed {
            OpKind::Erase => self.pages.erase(state, span.block),
            OpKind::Program => self.pages.note_programmed(state, span),
        }
    }
}

impl Medium for Flash {
    fn preset(&mut self, state: &DriveState, unit: Unit, _: Lpn) {
        self.pages.preset(state, unit);
    }

    fn stage(&mut self, state: &DriveState, unit: Unit, lpn: Lpn, from: From) {
        if from == From::Host && self.is_set_up {
            self.placed.push(lpn);
        }
        let (load, again) = match self.rewrites.take_fitting(lpn, unit) {
            Some((load, how)) => (load, Some(how)),
            None => (self.load(state, lpn, from), None),
        };
        let placed = self.next(lpn, load, again);
        self.put(state, unit, placed);
    }

    // What the set-up writes are zeroes that take no room: whether they fit is drawn.
    fn fits(&mut self, state: &DriveState, unit: Unit, lpn: Lpn, from: From) -> Option<bool> {
        if !self.pages.codes_second_writes() || !self.is_set_up {
            return None;
        }
        let load = self.load(state, lpn, from);
        let way = self.way.as_ref();
        let on_its_way = |unit| way.and_then(|way| way.get(unit));
        let how = self.pages.code_again(state, unit, &load, on_its_way);
        Some(self.rewrites.fit(lpn, unit, load, how))
    }

    fn stage_copy(&mut self, state: &DriveState, unit: Unit, of: Unit) {
        let held = self.held(state, of);
        self.put(state, unit, held);
    }

    fn issue(&mut self, state: &DriveState, issued: &Issued<'_>) {
        let spans = issued.pages.iter().map(|done| done.span);
        let units = spans.clone().flat_map(|span| units_of(state, span));
        if let Some(way) = &mut self.way {
            way.issue(issued, units);
            return;
        }
        for (unit, placed) in self.rewrites.issue(units) {
            self.pages.program(state, unit, &placed);
        }
        spans.for_each(|span| self.carry_out(state, issued.deed, span));
    }

    fn note_phase(&mut self, state: &DriveState, ticket: u32, phase: Phase) {
        match phase {
            Phase::Begun => self.begin(ticket),
            Phase::Ended => self.end(state, ticket),
        }
    }
}

#[cfg(test)]
mod tests;

/// The units of pages.
fn units_of(state: &DriveState, span: Span) -> impl Iterator<Item = Unit> {
    let first = state.geometry.first_unit(span.block);
    state.geometry.of(span.block).units_of(span).map(move |place| first.plus(place))
}
