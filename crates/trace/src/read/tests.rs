//! Readers: golden lines, errors with their place, and nothing that panics.

use std::fmt::Write as _;
use std::io::Write as _;

use super::*;
use crate::{Op, Request, read_all_count};
use proptest::prelude::*;
use tempfile::NamedTempFile;

const MSR: &str = "128166372003061629,hm,0,Read,383496192,32768,413\n\
                   128166372003071629,hm,1,Write,4096,512,0\n";
const MQSIM: &str = "1000 0 8 16 0\n2500 3 0 1 1\n";
const DISKSIM: &str = "0.500000 0 8 16 0\n1.000001\t3  0 1 1\n";

fn file(bytes: &[u8]) -> NamedTempFile {
    let mut file = NamedTempFile::with_suffix(".trace").expect("a temporary file");
    file.write_all(bytes).expect("written");
    file
}

fn requests(source: &mut dyn Source) -> Result<Vec<Request>, Error> {
    let (mut all, mut batch) = (Vec::new(), Vec::with_capacity(3));
    loop {
        source.next_batch(&mut batch)?;
        if batch.is_empty() {
            return Ok(all);
        }
        all.extend_from_slice(&batch);
    }
}

fn parse(bytes: &[u8], format: Option<&str>) -> Result<(Vec<Request>, TraceInfo), Error> {
    let file = file(bytes);
    let mut opened = open(file.path(), format)?;
    let info = opened.info.expect("a file has its description");
    Ok((requests(&mut *opened.source)?, info))
}

fn refusal(bytes: &[u8], format: Option<&str>) -> String {
    match parse(bytes, format) {
        Ok(parsed) => panic!("accepted: {parsed:?}"),
        Err(error) => error.to_string(),
    }
}

fn request(arrival_ns: u64, stream: u16, op: Op, offset_bytes: u64, size_bytes: u32) -> Request {
    Request { arrival_ns, offset_bytes, size_bytes, op, stream }
}

#[test]
fn golden_lines() {
    let ascii =
        |gap_ns| vec![request(0, 0, Op::Write, 4096, 8192), request(gap_ns, 3, Op::Read, 0, 512)];
    let msr = vec![
        request(0, 0, Op::Read, 383_496_192, 32_768),
        request(1_000_000, 1, Op::Write, 4096, 512),
    ];
    for (text, format, unit, expected) in [
        (MSR, "msr", TimeUnit::TICK, msr),
        (MQSIM, "mqsim", TimeUnit::NANOSECOND, ascii(1500)),
        (DISKSIM, "disksim", TimeUnit::MILLISECOND, ascii(500_001)),
    ] {
        let windows = text.replace('\n', "\r\n");
        let open_ended = text.trim_end();
        let spaced = format!("{}\n\n", text.replace('\n', "\n\n"));
        for variant in [text, &windows, open_ended, &spaced] {
            let (requests, info) = parse(variant.as_bytes(), None).expect(variant);
            assert_eq!(requests, expected, "{variant}");
            assert_eq!((info.format, info.time_unit), (format, unit));
            assert_eq!(info.compression, Compression::None);
        }
    }
}

#[test]
fn a_header_is_passed_over() {
    let text = format!("Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n{MSR}");
    assert_eq!(parse(text.as_bytes(), None).expect("read").0.len(), 2);
    let twice = format!("{MSR}Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n");
    assert!(refusal(twice.as_bytes(), None).contains(":3: column Timestamp"));
}

#[test]
fn a_named_format_overrides() {
    let (requests, info) = parse(b"1 0 8 16 0\n2 0 8 16 1\n", Some("disksim")).expect("read");
    assert_eq!(info.format, "disksim");
    assert_eq!(requests[1].arrival_ns, 1_000_000);
    assert_eq!(parse(MQSIM.as_bytes(), Some("ssdsim")).expect("read").1.format, "mqsim");
    let message = refusal(MQSIM.as_bytes(), Some("mqsin"));
    assert!(message.contains("did you mean `mqsim`?"), "{message}");
    let message = refusal(DISKSIM.as_bytes(), Some("mqsim"));
    assert!(message.contains("format disksim"), "{message}");
}

#[test]
fn milliseconds_show_in_any_of_the_first_lines() {
    let (_, info) = parse(b"0 0 8 16 0\n1 0 8 16 0\n1.5 0 8 16 0\n", None).expect("read");
    assert_eq!(info.format, "disksim");
}

#[test]
fn compressed_files_are_unpacked() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(MSR.as_bytes()).expect("packed");
    let gzip = gzip.finish().expect("packed");
    let zstd = zstd::encode_all(MSR.as_bytes(), 1).expect("packed");
    let plain = parse(MSR.as_bytes(), None).expect("read").0;
    for (bytes, compression) in [(gzip, Compression::Gzip), (zstd, Compression::Zstd)] {
        let (requests, info) = parse(&bytes, None).expect("read");
        assert_eq!((requests, info.compression), (plain.clone(), compression));
        let twice = parse(&[bytes.clone(), bytes.clone()].concat(), None).expect("read").0;
        assert_eq!(twice.len(), 4);
        let message = refusal(&bytes[..bytes.len() - 6], None);
        assert!(message.contains("truncated") || message.contains("ends too early"), "{message}");
    }
    let message = refusal(b"BZh91AY&SY", None);
    assert!(message.contains("bunzip2"), "{message}");
}

#[test]
fn time_never_runs_backwards() {
    let file = file(b"50 0 0 1 0\n40 0 0 1 0\n70 0 0 1 0\n60 0 0 1 0\n71 0 0 1 0\n");
    let mut source = open(file.path(), None).expect("opened").source;
    let arrivals = |all: Vec<Request>| -> Vec<u64> { all.iter().map(|r| r.arrival_ns).collect() };
    for _ in 0..2 {
        let all = requests(&mut *source).expect("read");
        assert_eq!(arrivals(all), [0, 0, 20, 20, 21]);
        assert_eq!(source.clamped_arrivals(), 2);
        source.rewind().expect("rewound");
        assert_eq!(source.clamped_arrivals(), 0);
    }
}

#[test]
fn malformed_lines_are_located() {
    let good = MSR.lines().next().expect("a line");
    for (bad, expected) in [
        ("x,hm,0,Read,0,512,0", "column Timestamp: expected ticks"),
        ("99999999999999999999,hm,0,Read,0,512,0", "column Timestamp"),
        ("1,hm,70000,Read,0,512,0", "column DiskNumber: expected a whole number from 0 to 65535"),
        ("1,hm,0,Raed,0,512,0", "column Type: expected Read or Write, found `Raed`"),
        ("1,hm,0,Read,-1,512,0", "column Offset"),
        ("1,hm,0,Read,0,0,0", "column Size: expected bytes, a whole number from 1"),
        (
            "1,hm,0,Read,0,512",
            "column ResponseTime: expected ticks of 100 ns, a whole number, but it",
        ),
        ("1,hm,0,Read,0,512,0,9", "expected the end, found `9`"),
    ] {
        let middle = refusal(format!("{good}\n{bad}\n{good}\n").as_bytes(), None);
        assert!(middle.contains(".trace:2: column"), "{middle}");
        assert!(middle.contains(expected), "{middle}");
        let last = refusal(format!("{good}\n{bad}").as_bytes(), None);
        assert!(last.contains("looks truncated: 1 requests were read"), "{last}");
    }
    let message = refusal(b"1 0 8 16 0\n1 0 8 16 2\n", None);
    assert!(
        message.contains("column type: expected 0 (write) or 1 (read), found `2`"),
        "{message}"
    );
}

#[test]
fn what_is_not_a_trace_is_refused() {
    for (bytes, expected) in [
        (&b""[..], "a trace without a request"),
        (b"\n \n", "a trace without a request"),
        (b"Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n", "without a request"),
        (b"hello world\n", "not a trace of a known format; it begins with `hello world`"),
        (b"\0\x01\xff\xfe", "not a trace of a known format"),
    ] {
        let message = refusal(bytes, None);
        assert!(message.contains(expected), "{message}");
    }
    let message = refusal(b"\n", Some("msr"));
    assert!(message.contains("a trace without a request"), "{message}");
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |path: &Path| open(path, None).err().expect("refused").to_string();
    assert!(refused(folder.path()).contains("a folder, not a trace"));
    std::fs::write(folder.path().join("hm_0.csv"), MSR).expect("written");
    let message = refused(&folder.path().join("hm_1.csv"));
    assert!(message.contains("no such file") && message.contains("hm_0.csv`?"), "{message}");
}

#[test]
fn workloads_are_files_or_generators() {
    let context = crate::GeneratorContext { span_bytes: 1 << 20, seed: 1 };
    let opened = |text: &str, format| crate::open_workload(text, format, &context);
    let refused = |text: &str, format| opened(text, format).err().expect("refused").to_string();
    let file = file(MSR.as_bytes());
    let path = file.path().to_str().expect("a path");
    let mut trace = opened(path, None).expect("opened");
    assert_eq!(trace.info.map(|info| info.format), Some("msr"));
    assert!(!trace.source.is_synthetic());
    assert_eq!(read_all_count(&mut *trace.source).expect("read").requests, 2);
    let generated = opened("zipf:theta=0.9", None).expect("built");
    assert!(generated.info.is_none() && generated.source.is_synthetic());
    assert!(refused("zipf:theta=0.9", Some("msr")).contains("a generator takes no format"));
    assert!(refused("missing.csv", None).contains("no such file"));
    assert!(refused("hm_0", None).contains("unknown generator `hm_0`, and no such file"));
}

/// A record as each format can write it.
fn record() -> impl Strategy<Value = Request> {
    (0u64..1 << 40, any::<u16>(), any::<bool>(), 0u64..1 << 40, 1u32..1 << 20).prop_map(
        |(time, stream, read, sector, sectors)| {
            let op = if read { Op::Read } else { Op::Write };
            request(time * 100, stream, op, sector * 512, sectors * 512)
        },
    )
}

fn written(records: &[Request], format: &str) -> String {
    let mut text = String::new();
    for r in records {
        let &Request { arrival_ns: ns, offset_bytes: offset, size_bytes: size, op, stream } = r;
        let (sector, sectors, read) = (offset / 512, size / 512, u8::from(op == Op::Read));
        let result = match format {
            "msr" => writeln!(text, "{},host,{stream},{op:?},{offset},{size},0", ns / 100),
            "mqsim" => writeln!(text, "{ns} {stream} {sector} {sectors} {read}"),
            _ => {
                let (ms, rest) = (ns / 1_000_000, ns % 1_000_000);
                writeln!(text, "{ms}.{rest:06} {stream} {sector} {sectors} {read}")
            }
        };
        result.expect("a text can be written");
    }
    text
}

proptest! {
    #[test]
    fn what_is_written_is_read(mut records in prop::collection::vec(record(), 1..40)) {
        records.sort_by_key(|record| record.arrival_ns);
        for format in ["msr", "mqsim", "disksim"] {
            let text = written(&records, format);
            let (read, info) = parse(text.as_bytes(), None).expect("read");
            let first_ns = records[0].arrival_ns;
            let expected: Vec<Request> = records
                .iter()
                .map(|r| Request { arrival_ns: r.arrival_ns - first_ns, ..*r })
                .collect();
            prop_assert_eq!(info.format, format);
            prop_assert_eq!(read, expected);
        }
    }

    #[test]
    fn binary_records_are_read(mut records in prop::collection::vec(record(), 1..40)) {
        records.sort_by_key(|record| record.arrival_ns);
        let mut bytes = Vec::new();
        for r in &records {
            let opcode: u16 = if r.op == Op::Read { 0x28 } else { 0x2a };
            bytes.extend(7u32.to_le_bytes());
            bytes.extend(r.size_bytes.to_le_bytes());
            bytes.extend(1u32.to_le_bytes());
            bytes.extend(opcode.to_le_bytes());
            bytes.extend(0x0100u16.to_le_bytes());
            bytes.extend((r.offset_bytes / 512).to_le_bytes());
            bytes.extend((r.arrival_ns / 1000).to_le_bytes());
        }
        let (read, info) = parse(&bytes, None).expect("read");
        let us = |r: &Request| r.arrival_ns / 1000;
        let expected: Vec<Request> = records
            .iter()
            .map(|r| Request { arrival_ns: (us(r) - us(&records[0])) * 1000, stream: 0, ..*r })
            .collect();
        prop_assert_eq!(info.format, "vscsi1");
        prop_assert_eq!(read, expected);
        let message = refusal(&bytes[..bytes.len() - 1], Some("vscsi1"));
        prop_assert!(message.contains("looks truncated"), "{}", message);
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for format in [None, Some("msr"), Some("mqsim"), Some("disksim")] {
            prop_assert_ne!(parse(&bytes, format).map(|(all, _)| all.len()), Ok(0));
        }
    }

    #[test]
    fn no_damage_panics(at in 0usize..90, byte: u8, cut in 0usize..90) {
        for text in [MSR, MQSIM, DISKSIM] {
            let mut bytes = text.as_bytes().to_vec();
            let at = at % bytes.len();
            bytes[at] = byte;
            bytes.truncate(bytes.len() - cut % bytes.len());
            prop_assert_ne!(parse(&bytes, None).map(|(all, _)| all.len()), Ok(0));
        }
    }
}
