//! A drive of one die whose pages have errors, and reads of it.

use crate::common::{at, outcome, tiny_timed};
use std::fmt::Write;
use wordline_sim::config::{Config, PerPage, ServiceOrder};
use wordline_sim::metrics::{ReadsSummary, RunResult};
use wordline_trace::{Op, Request};

/// Sensing, transfer and decoding of the drive, microseconds.
pub const SENSE_US: f64 = 90.0;
pub const TRANSFER_US: f64 = 16.0;
pub const DECODE_US: f64 = 20.0;

/// Time at which all that was written is on the flash, and microseconds between reads of which none waits for another.
pub const WRITTEN_US: u64 = 1_000_000;
pub const APART_US: u64 = 20_000;

/// One die of 16 blocks of 8 pages, read by these keys of `[drive.reads]`.
pub fn drive(reads: &str) -> Config {
    let mut config = tiny_timed();
    let chip = &mut config.drive.chip;
    chip.read_us = PerPage::One(SENSE_US);
    chip.transfer_mb_s = 4096.0 / TRANSFER_US;
    let keys = format!("word_line_sigma = 0.0\ndecode_us = {DECODE_US}\n{reads}");
    config.drive.reads = toml::from_str(&keys).expect("TOML");
    config
}

/// Keys of a table of these rows.
pub fn table(columns: &str, rows: &[&[f64]]) -> String {
    let mut text = format!("model = \"table\"\ntable = \"\"\"\n{columns}\n");
    for row in rows {
        let fields: Vec<String> = row.iter().map(f64::to_string).collect();
        writeln!(text, "{}", fields.join(",")).expect("text grows");
    }
    text + "\"\"\"\n"
}

/// Keys of a retry table of which so many steps find nothing, and the next one all.
pub fn failing(steps: usize) -> String {
    let rows: Vec<[f64; 2]> =
        (0..=steps).map(|step| [step as f64, if step < steps { 0.5 } else { 0.0 }]).collect();
    table("retry,rber", &rows.iter().map(<[f64; 2]>::as_slice).collect::<Vec<_>>())
}

/// Writes of the first `pages` pages, and then reads of these.
pub fn written_and_read(pages: u64, reads: impl Iterator<Item = u64>) -> Vec<Request> {
    let writes = (0..pages).map(|page| at(page * 1000, Op::Write, page, 1));
    let reads = (0..).zip(reads);
    let read = |(n, page)| at(WRITTEN_US + n * APART_US, Op::Read, page, 1);
    writes.chain(reads.map(read)).collect()
}

/// What reads of a drive took under either scheduler, which must be the same.
pub fn alone(config: &Config, requests: &[Request]) -> RunResult {
    let [one, other] = [ServiceOrder::InOrder, ServiceOrder::ReadsFirst].map(|order| {
        let mut config = config.clone();
        config.drive.scheduling.order = order;
        outcome(&config, requests.to_vec()).unwrap_or_else(|error| panic!("{error}")).result
    });
    assert_eq!(one.host.read.mean_us, other.host.read.mean_us);
    one
}

/// The reads of a result.
pub fn reads(result: &RunResult) -> &ReadsSummary {
    result.reads.as_ref().expect("pages have errors")
}
