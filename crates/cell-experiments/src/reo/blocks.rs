//! Measured blocks by time under pulses, and what follows from those of one scheme for another.

use super::Findings;
use std::collections::BTreeMap;
use wordline_cell::Error;
use wordline_cell::erase::Erase;

const BLOCKS: &str = include_str!("../../../../experiments/reo/blocks.csv");
const COLUMNS: &str = "scheme,pec,pulse_ms,share_pct";
/// Cycles at which conservative blocks are set beside those of ISPE, whose need is known from 2,500 on.
const COMPARED_PEC: [u32; 3] = [4000, 4500, 5000];

/// Shares of blocks by time under pulses: (at most ms, % of blocks), the shortest first.
pub(super) type Histogram = Vec<(f64, f64)>;

/// The histograms of each scheme by P/E cycles.
pub(super) type Published = BTreeMap<String, BTreeMap<u32, Histogram>>;

/// Reads the measured blocks.
///
/// # Errors
/// A line that is none of its columns.
pub(super) fn published() -> Result<Published, Error> {
    let mut lines = BLOCKS.lines().enumerate().skip_while(|(_, line)| line.starts_with('#'));
    let wrong = |line: usize| {
        Error::new("not a row of measured blocks", format!("the columns are {COLUMNS}"))
            .at(format!("blocks.csv, line {line}"))
    };
    lines.next().filter(|(_, line)| *line == COLUMNS).ok_or_else(|| wrong(1))?;
    let mut all = Published::new();
    for (index, line) in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |place: usize| fields.get(place).and_then(|text| text.parse::<f64>().ok());
        let (Some(pec), Some(ms), Some(share)) = (number(1), number(2), number(3)) else {
            return Err(wrong(index + 1));
        };
        let of = all.entry(fields[0].to_owned()).or_default();
        of.entry(pec as u32).or_default().push((ms, share));
    }
    Ok(all)
}

/// Mean time under pulses, in ms.
fn mean_ms(blocks: &Histogram) -> f64 {
    let sum: f64 = blocks.iter().map(|(ms, share)| ms * share).sum();
    sum / blocks.iter().map(|(_, share)| share).sum::<f64>()
}

/// Share of blocks that take at most `ms`, in %.
pub(super) fn share_within(blocks: &Histogram, ms: f64) -> f64 {
    blocks.iter().filter(|(upto, _)| *upto <= ms + 1e-9).map(|(_, share)| share).sum()
}

/// What the published sources say of one another, without the model.
pub(super) fn sources(erase: &Erase, findings: &mut Findings) -> Result<(), Error> {
    let all = published()?;
    for (pec, blocks) in &all["conservative"] {
        let cut = |(ms, share): &(f64, f64)| (aggressive_ms(erase, *ms), *share);
        let by_table: Histogram = blocks.iter().map(cut).collect();
        findings.set(format!("reo/sources/aggressive_by_table/pec={pec}"), mean_ms(&by_table));
    }
    // Conservative erases are as long as a block needs and up to a step longer; so are both means.
    let needs: Vec<(f64, f64)> =
        all["ispe_need"].iter().map(|(pec, blocks)| (f64::from(*pec), mean_ms(blocks))).collect();
    for pec in COMPARED_PEC {
        let same = cycles_at(&needs, mean_ms(&all["conservative"][&pec]));
        findings.set(format!("reo/sources/ispe_cycles_of_conservative/pec={pec}"), same);
    }
    Ok(())
}

/// What the table's margin leaves of a conservative erase.
fn aggressive_ms(erase: &Erase, conservative_ms: f64) -> f64 {
    let last = erase.pulses(conservative_ms);
    let full_ms = erase.pulse_ms * f64::from(last - 1);
    let before_ms = if last == 1 { erase.shallow_ms } else { full_ms };
    let margin_ms = erase.margin_ms.get(last as usize - 1).copied().unwrap_or(0.0);
    before_ms + (conservative_ms - before_ms - margin_ms).max(0.0)
}

/// Cycles at which a rising line through `points` (cycles, ms) reaches `ms`.
fn cycles_at(points: &[(f64, f64)], ms: f64) -> f64 {
    let after = points.iter().position(|point| point.1 >= ms).unwrap_or(points.len() - 1).max(1);
    let (low, high) = (points[after - 1], points[after]);
    low.0 + (ms - low.1) / (high.1 - low.1) * (high.0 - low.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_cell::Chip;

    #[test]
    fn shares_of_all_blocks_add_up() {
        let all = published().unwrap();
        assert_eq!(all.len(), 7);
        for blocks in all.values().flat_map(BTreeMap::values) {
            assert!((share_within(blocks, 17.5) - 100.0).abs() < 1e-9, "{blocks:?}");
        }
    }

    #[test]
    fn a_conservative_erase_loses_the_tables_margin() {
        let erase = Chip::preset("reo-tlc").unwrap().erase.unwrap();
        for (conservative, aggressive) in
            [(1.5, 1.0), (2.5, 1.5), (3.5, 2.5), (4.0, 3.5), (6.0, 5.0), (13.0, 12.5), (16.0, 16.0)]
        {
            assert_eq!(aggressive_ms(&erase, conservative), aggressive, "{conservative}");
        }
    }

    #[test]
    fn cycles_are_read_off_a_line_and_beyond_its_ends() {
        let points = [(2500.0, 8.0), (3000.0, 10.0), (3500.0, 11.0)];
        assert_eq!(
            [7.0, 9.0, 10.5, 12.0].map(|ms| cycles_at(&points, ms)),
            [2250.0, 2750.0, 3250.0, 4000.0]
        );
    }
}
