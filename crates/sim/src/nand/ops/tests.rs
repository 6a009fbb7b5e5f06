//! Times on the channel.

use super::{OpTable, READ};
use crate::nand::Geometry;
use crate::schema::Config;

fn table(config: &Config) -> OpTable {
    let geometry = Geometry::new(config).expect("a valid geometry");
    let mut ops = OpTable::default();
    ops.add_flash(config.drive.kinds()[0].chip, &geometry.groups[0]).expect("latencies");
    ops
}

#[test]
fn transfers_are_rounded_to_the_nanosecond() {
    let transfer_ns = |mb_s: f64, bytes: u64| {
        let mut config = Config::default();
        config.drive.chip.transfer_mb_s = mb_s;
        table(&config).transfer_ns(READ, bytes)
    };
    // 13,653.33 and 6,826.67 ns; none where the rate is not given.
    assert_eq!(transfer_ns(300.0, 4096), 13_653);
    assert_eq!(transfer_ns(600.0, 4096), 6_827);
    assert_eq!(transfer_ns(0.0, 4096), 0);
}

/// A page of 16 KiB holds a quarter of it where each byte takes four: as much as a page crosses the channel, and
/// never more, whatever is asked for.
#[test]
fn of_encoded_data_a_page_crosses_the_channel_at_most() {
    let mut ops = table(&Config::default());
    let [plain_1k, plain_page] = [1024, 16384].map(|bytes| ops.transfer_ns(READ, bytes));
    ops.spread(READ, 4, 16384);
    let encoded = [256, 4096, 4097, 16384].map(|bytes| ops.transfer_ns(READ, bytes));
    assert_eq!(encoded, [plain_1k, plain_page, plain_page, plain_page]);
}
