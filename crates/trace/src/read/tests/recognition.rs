//! Formats are told apart, whatever the values in their lines.

use std::fmt::Write as _;

use super::{Error, TraceInfo, examples, file, open, parse, refusal, request};
use crate::{Op, Request, VOLUMES};
use proptest::prelude::*;

/// A record as every format can write it: whole seconds, whole sectors.
fn record() -> impl Strategy<Value = Request> {
    (0u64..1 << 32, 0..VOLUMES as u32, any::<bool>(), 0u64..1 << 40, 1u32..1 << 20).prop_map(
        |(time_s, stream, read, sector, sectors)| {
            let op = if read { Op::Read } else { Op::Write };
            request(time_s * 1_000_000_000, stream, op, sector * 512, sectors * 512)
        },
    )
}

const TEXTS: [&str; 11] = [
    "msr",
    "mqsim",
    "disksim",
    "spc",
    "fiu",
    "systor",
    "alibaba",
    "tencent",
    "cloudphysics",
    "blkparse",
    "fio",
];

/// Formats that keep no number of a volume, or call volumes by names.
fn keeps_streams(format: &str) -> bool {
    !matches!(format, "cloudphysics" | "fiu" | "blkparse")
}

fn line(r: &Request, format: &str, text: &mut String) {
    let &Request { arrival_ns: ns, offset_bytes: offset, size_bytes: size, op, stream, .. } = r;
    let (sector, sectors, read) = (offset / 512, size / 512, op == Op::Read);
    let (s, rest) = (ns / 1_000_000_000, ns % 1_000_000_000);
    let letter = if read { 'R' } else { 'W' };
    let result = match format {
        "msr" => writeln!(text, "{},host,{stream},{op:?},{offset},{size},0", ns / 100),
        "mqsim" => writeln!(text, "{ns} {stream} {sector} {sectors} {}", u8::from(read)),
        "disksim" => {
            let (ms, rest) = (ns / 1_000_000, ns % 1_000_000);
            writeln!(text, "{ms}.{rest:06} {stream} {sector} {sectors} {}", u8::from(read))
        }
        "spc" => writeln!(text, "{stream},{sector},{size},{letter},{s}.{rest:09}"),
        "fiu" => writeln!(text, "{ns} 1 proc {sector} {sectors} {letter} 6 0 d41d8cd9"),
        "systor" => writeln!(text, "{s}.{rest:09},,{letter},{stream},{offset},{size}"),
        "alibaba" => writeln!(text, "{stream},{letter},{offset},{size},{}", ns / 1000),
        "tencent" => writeln!(text, "{s},{sector},{sectors},{},{stream}", u8::from(!read)),
        "cloudphysics" => {
            writeln!(text, "1,{s},{},{size},{sector}", if read { "28" } else { "2a" })
        }
        "blkparse" => {
            writeln!(text, "8,0 1 1 {s}.{rest:09} 7 D {letter} {sector} + {sectors} [p]")
        }
        "fio" => {
            let action = if read { "read" } else { "write" };
            writeln!(text, "{} volume-{stream} {action} {offset} {size}", ns / 1000)
        }
        _ => unreachable!("{format} is no text"),
    };
    result.expect("a text can be written");
}

fn written(records: &[Request], format: &str) -> String {
    let mut text = String::new();
    if format == "fio" {
        text += "fio version 3 iolog\n";
    }
    records.iter().for_each(|record| line(record, format, &mut text));
    text
}

proptest! {
    #[test]
    fn what_is_written_is_recognised_and_read(
        mut records in prop::collection::vec(record(), 1..20)
    ) {
        records.sort_by_key(|record| record.arrival_ns);
        for format in TEXTS {
            let text = written(&records, format);
            let (read, info, _) = parse(text.as_bytes(), None).expect(format);
            let first_ns = records[0].arrival_ns;
            let expected: Vec<Request> = records
                .iter()
                .map(|r| {
                    let stream = if keeps_streams(format) { r.stream } else { 0 };
                    Request { arrival_ns: r.arrival_ns - first_ns, stream, ..*r }
                })
                .collect();
            prop_assert_eq!(info.format, format);
            prop_assert_eq!(read, expected, "{}", format);
        }
    }

    #[test]
    fn binary_records_are_recognised_and_read(
        mut records in prop::collection::vec(record(), 1..20)
    ) {
        records.sort_by_key(|record| record.arrival_ns);
        let mut bytes = Vec::new();
        for r in &records {
            let opcode: u16 = if r.op == Op::Read { 0x28 } else { 0x2a };
            bytes.extend([7, r.size_bytes, 1].map(u32::to_le_bytes).concat());
            bytes.extend([opcode, 0x0100].map(u16::to_le_bytes).concat());
            bytes.extend([r.offset_bytes / 512, r.arrival_ns / 1000].map(u64::to_le_bytes).concat());
        }
        let (read, info, _) = parse(&bytes, None).expect("read");
        let first_ns = records[0].arrival_ns;
        let expected: Vec<Request> = records
            .iter()
            .map(|r| Request { arrival_ns: r.arrival_ns - first_ns, stream: 0, ..*r })
            .collect();
        prop_assert_eq!(info.format, "vscsi1");
        prop_assert_eq!(read, expected);
    }
}

#[test]
fn accesses_without_operations_are_recognised_and_refused() {
    let example = examples().into_iter().find(|e| e.name() == "oraclegeneral").expect("there");
    let message = refusal(&example.bytes, None);
    assert!(message.contains(".trace: libCacheSim's oracleGeneral has no operations"), "{message}");
    assert!(message.contains("`oraclegeneral:read=0.7,object=4096`"), "{message}");
}

#[test]
fn a_file_that_fits_several_formats_equally_lists_them() {
    // An INQUIRY of no data, or the read of a sector from the volume 8.
    let message = refusal(b"1,100,12,0,8\n", None);
    assert!(message.contains("several formats fit: tencent, cloudphysics"), "{message}");
    assert!(message.contains("`trace_format=tencent`"), "{message}");
    // A line more tells.
    let opened: Result<TraceInfo, Error> = {
        let file = file(b"1,100,12,0,8\n1,101,2a,512,8\n");
        open(file.path(), None).map(|opened| opened.info.expect("a file"))
    };
    assert_eq!(opened.expect("recognised").format, "cloudphysics");
}
