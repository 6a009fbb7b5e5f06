//! MLC programmed page by page, and what programming pages twice does to it: Margaglia et al., *The
//! Devil is in the Details*, FAST 2016, Section 3.

mod energy;
mod life;
mod states;
mod trends;

use super::{Findings, Fit};
use wordline_cell::Error;

const EXPECTED: &str = include_str!("../../../../experiments/llh_ftl/expected.csv");
/// Chips with their names in the publication; the last was examined in an earlier study.
const CHIPS: [(&str, &str); 5] = [
    ("A16", "llh-a16"),
    ("A27", "llh-a27"),
    ("B16", "llh-b16"),
    ("B29", "llh-b29"),
    ("C35", "llh-c35"),
];
/// How many of them were cycled.
const CYCLED: usize = 4;

pub(super) fn run() -> Result<Findings, Error> {
    let mut findings = Findings::default();
    states::find(&mut findings)?;
    life::find(&mut findings)?;
    trends::find(&mut findings)?;
    energy::find(&mut findings)?;
    Ok(findings)
}

pub(super) fn fits() -> Result<Vec<Fit>, Error> {
    let mut fits = life::fits()?;
    fits.push(energy::fit()?);
    Ok(fits)
}
