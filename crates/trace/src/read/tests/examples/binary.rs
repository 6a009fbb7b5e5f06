//! Traces of binary records.

use super::{Example, S, request};
use crate::Op;
use crate::read::TimeUnit;

pub(super) fn binary() -> Vec<Example> {
    let plain = |format, unit, bytes, requests, skipped, is_recognised| Example {
        format,
        is_recognised,
        bytes,
        unit,
        requests,
        skipped,
        empty: None,
        earlier: None,
    };
    let read_and_written =
        || vec![request(0, 0, Op::Write, 4096, 8192), request(7000, 0, Op::Read, 0, 512)];
    let commands = [(0x2au16, 8192u32, 8u64, 10u64), (0x12, 36, 0, 12), (0x28, 512, 0, 17)];
    let mut v1 = Vec::new();
    let mut v2 = Vec::new();
    for (command, length, lbn, time_us) in commands {
        v1.extend([7u32, length, 1].map(u32::to_le_bytes).concat());
        v1.extend([command, 0x0100].map(u16::to_le_bytes).concat());
        v1.extend([lbn, time_us].map(u64::to_le_bytes).concat());
        v2.extend([command, 0x0200].map(u16::to_le_bytes).concat());
        v2.extend([7u32, length, 1].map(u32::to_le_bytes).concat());
        v2.extend([lbn, time_us, 3].map(u64::to_le_bytes).concat());
    }
    let mut accesses = Vec::new();
    for (time_s, object, size, next) in
        [(100u32, 3u64, 512u32, 3i64), (101, 5, 1024, -1), (101, 3, 512, -1)]
    {
        accesses.extend(time_s.to_le_bytes());
        accesses.extend(object.to_le_bytes());
        accesses.extend(size.to_le_bytes());
        accesses.extend(next.to_le_bytes());
    }
    vec![
        plain("vscsi1", TimeUnit::MICROSECOND, v1, read_and_written(), 1, true),
        plain("vscsi2", TimeUnit::MICROSECOND, v2, read_and_written(), 1, true),
        plain(
            "oraclegeneral:read=0,object=4096",
            TimeUnit::SECOND,
            accesses,
            vec![
                request(0, 0, Op::Write, 12_288, 512),
                request(S, 0, Op::Write, 20_480, 1024),
                request(S, 0, Op::Write, 12_288, 512),
            ],
            0,
            false,
        ),
    ]
}
