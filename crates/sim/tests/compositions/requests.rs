//! The requests of a host.

use crate::common::Dice;
use wordline_sim::config::Config;
use wordline_sim::logical_bytes;
use wordline_trace::{Op, PlacementId, Request};

/// Requests to a drive of that configuration, `most` of them at the most; those that write go over it about twice.
pub fn draw(dice: &mut Dice, config: &Config, most: usize) -> Vec<Request> {
    let bytes = logical_bytes(config).unwrap_or(1 << 20).max(1);
    let page = (config.drive.chip.page_kib * 1024.0) as u64;
    let span = if dice.one_in(12) { 2 * bytes } else { bytes };
    let hot = (span / 8).max(512);
    let (is_skewed, has_trims) = (dice.one_in(2), !dice.one_in(3));
    let ops: &[Op] = match has_trims {
        true => &[Op::Write, Op::Write, Op::Write, Op::Read, Op::Trim],
        false => &[Op::Write, Op::Write, Op::Write, Op::Read],
    };
    let gaps_ns: &[u64] = dice.pick(&[&[0, 1_000, 100_000, 3_000_000], &[0; 4], &[2_000_000; 4]]);
    let (mut now_ns, mut written) = (0, 0);
    let mut requests = Vec::new();
    while written < 2 * bytes && requests.len() < most {
        now_ns += dice.pick(gaps_ns);
        let op = if dice.one_in(50) { Op::Flush } else { dice.pick(ops) };
        let size = match op {
            Op::Flush => 0,
            _ if dice.one_in(3) => 512 * dice.between(1, 4 * page / 512),
            _ => page * dice.between(1, 6),
        };
        written += if op == Op::Write { size } else { 0 };
        let within = if is_skewed && !dice.one_in(5) { hot } else { span };
        requests.push(
            Request::new(op, dice.below(within) / 512 * 512, size as u32)
                .at(now_ns)
                .of_stream(dice.below(3) as u32)
                .with_fua(op == Op::Write && dice.one_in(50))
                .with_placement((op == Op::Write).then(|| PlacementId(dice.below(4) as u16))),
        );
    }
    requests
}
