//! The pages of a drive: what programs and erases make of their cells, and what a read of them gives.

use crate::coding::{Coding, Spare};
use crate::decoder::{Cells, Decoder, Lost, Sensed};
use crate::errors::Errors;
use crate::image::ImageFile;
use crate::oob::OOB_BYTES;
use crate::recovery::{self, Scan};
use crate::scramble::{mix, scramble};
use crate::second::{Second, UNITS, Written};
use crate::slab::{Kept, Slabs};
use crate::way::{Load, Placed};
use wordline_sim::Error;
use wordline_sim::config::Config;
use wordline_sim::drive::DriveState;
use wordline_sim::flash::Image;
use wordline_sim::ids::{BlockId, Id, Lpn, Unit};
use wordline_sim::nand::Span;

/// The cells of a drive, and how data stands in them.
pub struct Pages {
    slabs: Slabs,
    decoder: Decoder,
    errors: Errors,
    seed: u64,
}

impl Pages {
    /// Erased ones, in memory or in the image that `image` opens for units of so many bytes in the cells.
    ///
    /// # Errors
    /// A code or error rates that cannot be; those of `image`.
    pub fn new(
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
        })
    }

    /// What a restart finds in the image, a share of the pages over which power failed being torn.
    ///
    /// # Errors
    /// A failure of the system.
    pub fn scan(&mut self, state: &DriveState, torn_share: f64) -> Result<Image, Error> {
        let (slabs, coding) = (&mut self.slabs, &mut self.decoder.coding);
        recovery::scan(Scan { slabs, coding, torn_share, seed: self.seed }, state)
    }

    /// The image.
    pub fn image_mut(&mut self) -> Option<&mut ImageFile> {
        self.slabs.image_mut()
    }

    /// Decodes what these pages give.
    pub fn decoder(&self) -> &Decoder {
        &self.decoder
    }

    /// Decodes what these pages give, with its working memory.
    pub fn decoder_mut(&mut self) -> &mut Decoder {
        &mut self.decoder
    }

    /// Bytes of the data of a unit.
    pub fn unit_bytes(&self) -> usize {
        self.decoder.coding.unit_bytes()
    }

    /// Whether second writes are coded.
    pub fn codes_second_writes(&self) -> bool {
        self.decoder.second.is_some()
    }

    /// A unit holds what the drive was filled with.
    pub fn preset(&mut self, state: &DriveState, unit: Unit) {
        let (block, place) = state.geometry.locate(unit);
        self.slabs.note(block, state.geometry.of(block).units_per_block, place, Kept::Bare);
    }

    /// What a read of a unit gives, as the data of a logical unit.
    pub fn sense(&mut self, state: &DriveState, lpn: Lpn, unit: Unit) -> Sensed {
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
        let seed = mix(self.seed ^ mix(unit.number().rotate_left(32) ^ erases)) ^ mix(reads);
        let rber = self.errors.rber(state, block, unit);
        let cells = self.slabs.cells(block, place, units);
        Sensed::Cells(Cells { cells, lpn, unit, rber, seed, is_second })
    }

    /// Whose data a unit holds, and how many units had been written before it; `None` where that takes no room.
    pub fn mark_of(&mut self, state: &DriveState, unit: Unit) -> Option<(Lpn, u64)> {
        let (block, place) = state.geometry.locate(unit);
        let oob = recovery::oob_of(&mut self.slabs, &mut self.decoder.coding, block, place)?;
        Some((Lpn(oob.lpn), oob.sequence))
    }

    /// The data of a unit is in the cells.
    pub fn program(&mut self, state: &DriveState, unit: Unit, placed: &Placed) {
        match &placed.again {
            None => self.program_first(state, unit, placed),
            Some(how) => self.program_again(state, unit, placed, how),
        }
    }

    fn program_first(&mut self, state: &DriveState, unit: Unit, placed: &Placed) {
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
                scramble(of_data, *scrambling, unit.number());
                coding.encode(cells);
            }
            coding.encode_oob(&oob.to_bytes(), cells);
        });
    }

    /// Codes the data of a unit over what its page holds, or will once what is `on_its_way` there has come; `None`:
    /// it does not fit.
    pub fn code_again<'a>(
        &mut self,
        state: &DriveState,
        unit: Unit,
        load: &Load,
        on_its_way: impl Fn(Unit) -> Option<&'a Placed>,
    ) -> Option<Written> {
        let (block, place) = state.geometry.locate(unit);
        let mut cells = Vec::with_capacity(UNITS * self.unit_bytes());
        for (place, unit) in (0..UNITS as u32).map(|it| (place + it, unit.plus(it))) {
            match on_its_way(unit) {
                Some(placed) => self.cells_to_come(unit, placed, &mut cells),
                None => self.data_cells(block, place, unit, &mut cells),
            }
        }
        let mut message = match load.data() {
            Some(data) => data.to_vec(),
            None => vec![0; self.unit_bytes()],
        };
        scramble(&mut message, self.decoder.scrambling, unit.number());
        self.decoder.second.as_ref()?.write(&cells, &message)
    }

    /// The cells of the data of a unit as they are; a page that was programmed holds zeroes, scrambled, where it was
    /// given no data.
    fn data_cells(&mut self, block: BlockId, place: u32, unit: Unit, cells: &mut Vec<u8>) {
        let unit_bytes = self.unit_bytes();
        let begin = cells.len();
        match self.slabs.kept(block, place) {
            Kept::Nothing | Kept::Bare => {
                cells.resize(begin + unit_bytes, 0);
                scramble(&mut cells[begin..], self.decoder.scrambling, unit.number());
            }
            Kept::Data => {
                cells.extend_from_slice(&self.slabs.cells(block, place, 1)[..unit_bytes]);
            }
            Kept::Second | Kept::Rest => {
                panic!("unit {unit}: a page is written twice between two erases, not three times")
            }
        }
    }

    /// The cells of data whose first program has not come to its end.
    fn cells_to_come(&self, unit: Unit, placed: &Placed, cells: &mut Vec<u8>) {
        assert!(placed.again.is_none(), "unit {unit}: a page is written twice between two erases");
        let begin = cells.len();
        cells.resize(begin + self.unit_bytes(), 0);
        match &placed.load {
            Load::Data(data) => cells[begin..].copy_from_slice(data),
            Load::Zeroes => {}
            // Its mark stands in cells that were given nothing else.
            Load::Lost => return,
        }
        scramble(&mut cells[begin..], self.decoder.scrambling, unit.number());
    }

    /// The data of a unit is coded over its page, whose other units hold nothing else from now on. Its out-of-band area comes
    /// last, as whoever is killed in the midst of it relies on.
    fn program_again(&mut self, state: &DriveState, unit: Unit, placed: &Placed, how: &Written) {
        let (block, place) = state.geometry.locate(unit);
        let oob = placed.oob(state.blocks[block].erases);
        let units = state.geometry.of(block).units_per_block;
        let coding = &mut self.decoder.coding;
        let unit_bytes = coding.unit_bytes();
        let (data, spare) = how.cells.split_at(UNITS * unit_bytes);
        let ((data, other_data), (spare, other_spare)) = (halves(data), halves(spare));
        for (at, kept, data, spare, oob) in [
            (place + 1, Kept::Rest, other_data, other_spare, [0; OOB_BYTES]),
            (place, Kept::Second, data, spare, oob.to_bytes()),
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

    /// A block holds nothing any more.
    pub fn erase(&mut self, state: &DriveState, block: BlockId) {
        let units = state.geometry.of(block).units_per_block;
        self.slabs.erase(block, units, state.blocks[block].erases);
    }

    /// The image notes that pages were programmed.
    pub fn note_programmed(&mut self, state: &DriveState, span: Span) {
        let is_last = span.end() == state.geometry.of(span.block).pages_per_block;
        let Some(image) = self.slabs.image_mut() else { return };
        image.change(span.block, |entry| {
            (entry.is_used, entry.programming) = (true, (0, 0));
            entry.is_full |= is_last;
        });
    }

    /// The image notes that pages are being programmed.
    pub fn note_programming(&mut self, span: Span) {
        let Some(image) = self.slabs.image_mut() else { return };
        image.change(span.block, |entry| {
            (entry.is_used, entry.programming) = (true, (span.page, span.pages));
        });
    }

    /// The image notes that a block is being erased.
    pub fn note_erasing(&mut self, block: BlockId) {
        let Some(image) = self.slabs.image_mut() else { return };
        image.change(block, |entry| entry.is_erasing = true);
    }
}

/// The cells of one unit and of the other one.
fn halves(cells: &[u8]) -> (&[u8], &[u8]) {
    cells.split_at(cells.len() / UNITS)
}
