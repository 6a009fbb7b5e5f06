//! ASCII traces of DiskSim.

use super::ascii;
use crate::read::columns::Columns;
use crate::read::fields::Separator;
use crate::read::format::{Described, Format, Record, Shape, TimeUnit, read_by_columns};

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

    read_by_columns!(Separator::Blanks);
}

impl DiskSim {
    #[inline(always)]
    fn columns<'a, C: Columns<'a>>(&mut self, columns: &mut C) -> Result<Record, C::Bad> {
        // Six decimals of a millisecond are nanoseconds.
        let arrival_ns = columns.decimal("time", "milliseconds, a decimal number", 6)?;
        ascii::read_behind_time(columns, arrival_ns)
    }
}
