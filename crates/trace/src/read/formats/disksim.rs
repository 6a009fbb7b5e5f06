//! ASCII traces of DiskSim.

use super::ascii;
use crate::read::fields::{BadField, decimal};
use crate::read::format::{Described, Format, Record, Shape, TimeUnit};

/// Bucy et al., "The DiskSim Simulation Environment Version 4.0 Reference Manual",
/// CMU-PDL-08-101, default ASCII trace format.
#[derive(Clone, Default)]
pub(in crate::read) struct DiskSim;

impl Described for DiskSim {
    const NAME: &'static str = "disksim";
    const SUMMARY: &'static str = "DiskSim ASCII: blank-separated, time in ms with a decimal point";
    const COLUMNS: &'static str = "time device LBA size type (time in ms, LBA and size in sectors of 512 bytes, \
         type 0 = write, 1 = read)";
    const TIME_UNIT: TimeUnit = TimeUnit::MILLISECOND;
    const YIELDS_TO: &'static [&'static str] = &["mqsim"];
}

impl Format for DiskSim {
    const SHAPE: Shape = Shape::Lines { header: None };

    #[inline]
    fn parse<'a>(&mut self, line: &'a [u8]) -> Result<Record, BadField<'a>> {
        // Six decimals of a millisecond are nanoseconds.
        ascii::parse(line, |fields| {
            fields.read("time", "milliseconds, a decimal number", |text| decimal(text, 6))
        })
    }
}
