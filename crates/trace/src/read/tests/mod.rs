//! Readers: a trace of each format, bad input of every kind in each, and nothing that panics.

mod bad_input;
pub(super) mod examples;
mod many_volumes;
mod options;
mod peculiar;
mod recognition;

use std::io::Write as _;

use super::*;
use crate::{Op, Request, Skipped, read_all_count};
use examples::{Example, examples};
use tempfile::NamedTempFile;

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

/// What a file holds, what it is, and how many records were passed over.
fn parse(
    bytes: &[u8],
    format: Option<&str>,
) -> Result<(Vec<Request>, TraceInfo, Vec<Skipped>), Error> {
    let file = file(bytes);
    let mut opened = open(file.path(), format)?;
    let info = opened.info.expect("a file has its description");
    let all = requests(&mut *opened.source)?;
    Ok((all, info, opened.source.skipped().to_vec()))
}

fn refusal(bytes: &[u8], format: Option<&str>) -> String {
    match parse(bytes, format) {
        Ok(parsed) => panic!("accepted: {parsed:?}"),
        Err(error) => error.to_string(),
    }
}

fn request(arrival_ns: u64, stream: u32, op: Op, offset_bytes: u64, size_bytes: u32) -> Request {
    Request::new(op, offset_bytes, size_bytes).at(arrival_ns).of_stream(stream)
}

/// A trace in MSR's columns, for what is the same in every format.
const MSR: &str = "128166372003061629,hm,0,Read,383496192,32768,413\n\
                   128166372003071629,hm,1,Write,4096,512,0\n";

#[test]
fn every_format_has_an_example() {
    for format in formats() {
        // The own format has its tests beside its writer.
        let has_example = examples().iter().any(|example| example.name() == format.name);
        assert!(has_example || format.name == "wordline", "{}", format.name);
    }
}

#[test]
fn examples_are_read_as_they_should_be() {
    for example in examples() {
        let Example { format, bytes, unit, requests, skipped, .. } = &example;
        let formats =
            if example.is_recognised { vec![None, Some(*format)] } else { vec![Some(*format)] };
        for named in formats {
            let (read, info, passed_over) = parse(bytes, named).expect(format);
            assert_eq!(&read, requests, "{format}");
            assert_eq!((info.format, info.time_unit), (example.name(), *unit), "{format}");
            assert_eq!(info.compression, Compression::None);
            assert_eq!(
                passed_over.iter().map(|s| s.count).sum::<u64>(),
                *skipped,
                "{passed_over:?}"
            );
        }
    }
}

#[test]
fn ends_of_lines_change_nothing() {
    for example in examples().iter().filter(|example| example.is_text()) {
        let text = std::str::from_utf8(&example.bytes).expect("text");
        let windows = text.replace('\n', "\r\n");
        let with_mark = format!("\u{feff}{windows}");
        for variant in [&windows, text.trim_end(), &with_mark] {
            let read = parse(variant.as_bytes(), Some(example.format)).expect(variant).0;
            assert_eq!(read, example.requests, "{variant}");
        }
        // Lines of a csv's header are counted, empty ones too.
        if example.name() != "csv" && example.name() != "fio" {
            let spaced = format!("\n{}\n\n", text.replace('\n', "\n\n"));
            let read = parse(spaced.as_bytes(), Some(example.format)).expect(&spaced).0;
            assert_eq!(read, example.requests, "{spaced}");
        }
    }
}

#[test]
fn reading_again_gives_the_same() {
    for example in examples() {
        let file = file(&example.bytes);
        let mut source = open(file.path(), Some(example.format)).expect("opened").source;
        for _ in 0..2 {
            assert_eq!(
                requests(&mut *source).expect("read"),
                example.requests,
                "{}",
                example.format
            );
            let skipped: u64 = source.skipped().iter().map(|skipped| skipped.count).sum();
            assert_eq!(skipped, example.skipped, "{}", example.format);
            source.rewind().expect("rewound");
            assert!(source.skipped().is_empty());
        }
    }
}

#[test]
fn time_never_runs_backwards() {
    for example in examples() {
        let Some(earlier) = example.earlier else { continue };
        let bytes = [&example.bytes[..], earlier.as_bytes(), b"\n"].concat();
        let file = file(&bytes);
        let mut source = open(file.path(), Some(example.format)).expect("opened").source;
        for _ in 0..2 {
            let all = requests(&mut *source).expect("read");
            assert_eq!(all.len(), example.requests.len() + 1, "{}", example.format);
            assert!(all.is_sorted_by_key(|request| request.arrival_ns), "{all:?}");
            assert_eq!(source.clamped_arrivals(), 1, "{}", example.format);
            source.rewind().expect("rewound");
            assert_eq!(source.clamped_arrivals(), 0);
        }
    }
    // What comes before the first request is clamped as well.
    let (all, ..) =
        parse(b"50 0 0 1 0\n40 0 0 1 0\n70 0 0 1 0\n60 0 0 1 0\n71 0 0 1 0\n", None).expect("read");
    let arrivals: Vec<u64> = all.iter().map(|request| request.arrival_ns).collect();
    assert_eq!(arrivals, [0, 0, 20, 20, 21]);
}

#[test]
fn answers_out_of_order_are_put_back_into_the_order_of_requests() {
    // Answered late by up to 100 lines, and one by more than are held back.
    let stamp = |i: u64| 1_000_000 + i + if i.is_multiple_of(7) { 0 } else { 100 };
    let mut text: String =
        (0..9000).map(|i| format!("{}.000001,,R,0,{i},512\n", stamp(i))).collect();
    let all = parse(text.as_bytes(), None).expect("read").0;
    assert_eq!(all.len(), 9000);
    assert!(all.is_sorted_by_key(|request| request.arrival_ns));
    let mut expected: Vec<u64> = (0..9000).map(|i| (stamp(i) - stamp(0)) * 1_000_000_000).collect();
    expected.sort_unstable();
    assert!(all.iter().map(|request| request.arrival_ns).eq(expected));
    text += "1000000.000001,,W,0,0,512\n";
    let file = file(text.as_bytes());
    let mut source = open(file.path(), None).expect("opened").source;
    let last = *requests(&mut *source).expect("read").last().expect("requests");
    assert_eq!(source.clamped_arrivals(), 1);
    assert_eq!(last.op, Op::Read, "it was put as far ahead as possible");
}

#[test]
fn a_header_is_passed_over() {
    let header = "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n";
    let text = format!("{header}{MSR}");
    assert_eq!(parse(text.as_bytes(), None).expect("read").0.len(), 2);
    let twice = format!("{MSR}{header}");
    assert!(refusal(twice.as_bytes(), None).contains(":3: column Timestamp"));
}

#[test]
fn streams_have_their_names() {
    for (format, expected) in [
        ("fiu", vec!["6 0", "8 1"]),
        ("blkparse", vec!["8,16", "8,0"]),
        ("fio", vec!["/dev/sda", "/dev/sdb"]),
        ("msr", vec![]),
    ] {
        let example = examples().into_iter().find(|e| e.format == format).expect("an example");
        let file = file(&example.bytes);
        let mut source = open(file.path(), None).expect("opened").source;
        requests(&mut *source).expect("read");
        assert_eq!(source.stream_names(), expected, "{format}");
    }
}

#[test]
fn workloads_are_files_or_generators() {
    let context = crate::GeneratorContext::on_drive(1 << 20, 1);
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
