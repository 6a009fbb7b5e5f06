//! Second writes: the data of one unit coded over the two units of a page, which were programmed before.

use crate::coding::{Spare, infeasible};
use std::sync::Arc;
use wordline_codes::bits::{load_bytes, to_bytes, words};
use wordline_codes::wom::ldgm::{self, Effort, Ldgm};
use wordline_codes::wom::polar::{self, Polar, Size};
use wordline_codes::wom::{SecondWrite, SpecError};
use wordline_sim::Error;
use wordline_sim::config::{Config, SecondWriting};
use wordline_sim::technique::llh_ftl::{Code, coding};

/// Units of a page that a second write goes over.
pub const UNITS: usize = 2;

/// Attempts of the codes that make several, as `presets/codes/wom.csv` was measured with.
const LAYOUTS: u32 = 64;
const FEW_LAYOUTS: u32 = 8;

/// The code of second writes, and the cells that it takes.
#[derive(Clone)]
pub struct Second {
    code: Arc<dyn SecondWrite>,
    unit_bytes: usize,
    spare: Spare,
}

/// A second write: the cells of a page, and what a read needs besides them.
#[derive(Debug, Clone)]
pub struct Written {
    /// The data cells of both units, then their spare ones.
    pub cells: Box<[u8]>,
    /// The attempt that succeeded.
    pub attempt: u16,
}

impl Second {
    /// The code that a configuration names; `None` where whether second writes fit is drawn.
    ///
    /// # Errors
    /// No technique writes pages again, or not by a code, or not pages of two units.
    pub fn new(config: &Config, unit_bytes: usize) -> Result<Option<Self>, Error> {
        if config.data.second_write == SecondWriting::Drawn {
            return Ok(None);
        }
        let coding = coding(config)?;
        let spare = Spare::of((unit_bytes as f64 * coding.spare_percent / 100.0) as usize);
        let code = code_of(coding.code, unit_bytes, spare.bytes()).map_err(|error| {
            infeasible(
                format!("technique.llh_ftl.code = \"{}\": {}", coding.code, error.what),
                error.help,
            )
        })?;
        Ok(Some(Self { code, unit_bytes, spare }))
    }

    /// Spare cells of a unit.
    pub fn spare(&self) -> Spare {
        self.spare
    }

    /// Codes the data of a unit over the data cells of a page, and over spare ones that are erased; `None`: it does
    /// not fit.
    pub fn write(&self, data_cells: &[u8], data: &[u8]) -> Option<Written> {
        let data_bytes = UNITS * self.unit_bytes;
        assert_eq!((data_cells.len(), data.len()), (data_bytes, self.unit_bytes), "a page");
        let (mut used, mut target) = (self.room(), self.room());
        used.fill(u64::MAX);
        load_bytes(data_cells, &mut used);
        let mut message = vec![0; words(self.code.message_bits())];
        load_bytes(data, &mut message);
        let attempt = self.code.worker().write(&used, &message, &mut target)?;
        let mut cells = vec![0; self.code.cells() / 8];
        to_bytes(&target, &mut cells);
        let attempt = u16::try_from(attempt).expect("codes make fewer than 2^16 attempts");
        Some(Written { cells: cells.into(), attempt })
    }

    /// Reads what an attempt wrote into the cells of a page; false where they hold no message of the code.
    pub fn read(&self, cells: &[u8], attempt: u16, data: &mut [u8]) -> bool {
        let mut loaded = self.room();
        load_bytes(cells, &mut loaded);
        let mut message = vec![0; words(self.code.message_bits())];
        let attempt = u32::from(attempt);
        let read = attempt < self.code.tries()
            && self.code.worker().read(&loaded, attempt, &mut message).is_ok();
        to_bytes(&message, data);
        read
    }

    fn room(&self) -> Vec<u64> {
        vec![0; words(self.code.cells())]
    }
}

/// A code for the data of a unit over two, and over so many spare bytes of each, which were erased.
fn code_of(
    code: Code,
    unit_bytes: usize,
    spare_bytes: usize,
) -> Result<Arc<dyn SecondWrite>, SpecError> {
    let message_bits = 8 * unit_bytes;
    let (data, spare) = (8 * UNITS * unit_bytes, 8 * UNITS * spare_bytes);
    let cells = data + spare;
    let polar = |tries| -> Result<Arc<dyn SecondWrite>, SpecError> {
        let spec = polar::Spec {
            writable: (data as f64 / 2.0 + spare as f64) / cells as f64,
            tries,
            shuffle: true,
            ..polar::Spec::new(cells, Size::Bits(message_bits))
        };
        Ok(Arc::new(Polar::new(spec)?))
    };
    let ldgm = |effort| -> Result<Arc<dyn SecondWrite>, SpecError> {
        let spec = ldgm::Spec { cells, message_bits, effort, tries: FEW_LAYOUTS, seed: 0 };
        Ok(Arc::new(Ldgm::new(spec)?))
    };
    match code {
        Code::Polar => polar(1),
        Code::Polar64 => polar(LAYOUTS),
        Code::Ldgm => ldgm(Effort::MessagePassing),
        Code::Elimination => ldgm(Effort::Complete(cells)),
        Code::Assumed => unreachable!("no medium codes by a code that is only assumed"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Second, UNITS, code_of};
    use crate::coding::Spare;
    use crate::scramble::scramble;
    use wordline_sim::technique::llh_ftl::Code;

    const UNIT: usize = 4096;

    fn second(code: Code, spare_bytes: usize) -> Second {
        let spare = Spare::of(spare_bytes);
        let code = code_of(code, UNIT, spare.bytes()).expect("a code");
        Second { code, unit_bytes: UNIT, spare }
    }

    fn random(bytes: usize, seed: u64) -> Vec<u8> {
        let mut data = vec![0; bytes];
        scramble(&mut data, seed, 1);
        data
    }

    #[test]
    fn what_each_code_writes_over_a_page_comes_back() {
        // Spare areas of the table at which none failed.
        for (code, percent) in [(Code::Polar, 10.5), (Code::Polar64, 5.0), (Code::Ldgm, 2.5)] {
            let second = second(code, (UNIT as f64 * percent / 100.0) as usize);
            let used = random(UNITS * UNIT, 7);
            let data = random(UNIT, 8);
            let written = second.write(&used, &data).expect("it fits");
            assert_eq!(written.cells.len(), UNITS * (UNIT + second.spare().bytes()));
            assert!(used.iter().zip(&written.cells).all(|(before, after)| after & !before == 0));
            let mut read = vec![0; UNIT];
            assert!(second.read(&written.cells, written.attempt, &mut read));
            assert!(read == data, "{code}");
            assert!(!second.read(&written.cells, u16::MAX, &mut read), "there is no such attempt");
        }
    }

    #[test]
    fn what_does_not_fit_is_found_out() {
        let second = second(Code::Polar64, 200);
        assert!(second.write(&vec![0; UNITS * UNIT], &random(UNIT, 8)).is_none());
    }
}
