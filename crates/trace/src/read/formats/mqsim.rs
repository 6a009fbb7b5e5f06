//! ASCII traces of MQSim and SSDSim.

use super::ascii;
use crate::read::columns::Columns;
use crate::read::fields::Separator;
use crate::read::format::{Described, Format, Record, Shape, TimeUnit, read_by_columns};

/// Tavakkol et al., "MQSim", FAST 2018; Hu et al., "SSDSim", ICS 2011: DiskSim's columns with
/// time in nanoseconds.
#[derive(Clone, Default)]
pub(in crate::read) struct Mqsim;

impl Described for Mqsim {
    const NAME: &'static str = "mqsim";
    const ALIASES: &'static [&'static str] = &["ssdsim"];
    const SUMMARY: &'static str = "MQSim and SSDSim ASCII: blank-separated, time in whole ns";
    const COLUMNS: &'static str = "time device LBA size type (time in ns, LBA and size in sectors of 512 bytes, \
         type 0 = write, 1 = read)";
    const TIME_UNIT: TimeUnit = TimeUnit::NANOSECOND;
}

impl Format for Mqsim {
    const SHAPE: Shape = Shape::Lines { header: None };

    read_by_columns!(Separator::Blanks);
}

impl Mqsim {
    #[inline(always)]
    fn columns<'a, C: Columns<'a>>(&mut self, columns: &mut C) -> Result<Record, C::Bad> {
        let expected = "whole nanoseconds (a decimal point means ms: format disksim)";
        let arrival_ns = columns.number("time", expected, Some)?;
        ascii::read_behind_time(columns, arrival_ns)
    }
}
