//! Files that are no traces, or no longer: the answer says what, where and how to mend it.

use std::io::Write as _;
use std::path::Path;

use super::{Example, MSR, examples, file, parse, refusal};
use crate::GeneratorContext;
use crate::read::{Compression, open};
use proptest::prelude::*;

#[test]
fn files_that_hold_nothing_are_refused() {
    let formats = examples().into_iter().map(|example| Some(example.format));
    for format in formats.chain([None]) {
        for bytes in [&b""[..], b"\n \n"] {
            let message = refusal(bytes, format);
            assert!(message.contains("a trace without a request"), "{format:?}: {message}");
        }
    }
    let header = b"Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n";
    assert!(refusal(header, None).contains("without a request"));
}

#[test]
fn what_is_not_a_trace_is_refused() {
    for (bytes, expected) in [
        (&b"hello world\n"[..], "not a trace of a known format; it begins with `hello world`"),
        (b"\0\x01\xff\xfe", "known format; it is binary and begins with bytes 00 01 ff fe"),
        (b"\xff\xfe1\x002\x00", "not a trace of a known format"),
        (b"PK\x03\x04....", "unzip"),
    ] {
        let message = refusal(bytes, None);
        assert!(message.contains(expected), "{message}");
    }
    let mut archive = vec![0; 512];
    archive[257..262].copy_from_slice(b"ustar");
    assert!(refusal(&archive, None).contains("a tar archive"));
    // Noise, under the name of any format.
    let noise: Vec<u8> =
        (0..1000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for Example { format, .. } in examples() {
        let message = refusal(&noise, Some(format));
        let place = message.contains("column") || message.contains("begins with");
        assert!(place, "{format}: {message}");
    }
}

#[test]
fn a_bad_first_line_does_not_hide_the_format() {
    let message = refusal(format!("what is this\n{MSR}").as_bytes(), None);
    assert!(message.contains(":1: line 1 is of no known format"), "{message}");
    assert!(message.contains("line 2 is of format msr; it is `what is this`"), "{message}");
    assert!(message.contains("`--format msr` says what is wrong"), "{message}");
}

#[test]
fn a_pipe_is_refused_without_waiting_for_its_writer() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["trace.csv", "phases.toml"] {
        let path = folder.path().join(name);
        let made = std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo");
        assert!(made.success());
        let text = path.to_str().expect("UTF-8");
        let context = GeneratorContext::without_drive(1 << 30, 1);
        let refused = crate::open_workload(text, None, &context).err().expect("refused");
        assert!(refused.what.starts_with("a pipe or a device"), "{refused}");
    }
}

#[test]
fn missing_files_and_folders_are_told_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |path: &Path| open(path, None).err().expect("refused").to_string();
    assert!(refused(folder.path()).contains("a folder, not a trace"));
    assert!(refused(Path::new("/dev/null")).contains("a pipe or a device"));
    std::fs::write(folder.path().join("hm_0.csv"), MSR).expect("written");
    let message = refused(&folder.path().join("hm_1.csv"));
    assert!(message.contains("no such file") && message.contains("hm_0.csv`?"), "{message}");
    let far = || refused(&folder.path().join("elsewhere.csv"));
    assert!(far().ends_with("holds hm_0.csv)"), "{}", far());
    (0..9).for_each(|n| {
        std::fs::write(folder.path().join(format!("{n}.csv")), MSR).expect("written")
    });
    assert!(far().ends_with("holds 0.csv, 1.csv, 2.csv, 3.csv, 4.csv and 5 more)"), "{}", far());
    let empty = tempfile::tempdir().expect("a folder");
    assert!(refused(&empty.path().join("hm_0.csv")).ends_with("is empty)"));
}

#[test]
fn malformed_lines_are_located() {
    let good = MSR.lines().next().expect("a line");
    for (bad, expected) in [
        ("x,hm,0,Read,0,512,0", "column Timestamp: expected ticks"),
        ("99999999999999999999,hm,0,Read,0,512,0", "column Timestamp"),
        (
            "1,hm,1048576,Read,0,512,0",
            "column DiskNumber: expected a whole number from 0 to 1048575",
        ),
        ("1,hm,0,Raed,0,512,0", "column Type: expected Read or Write, found `Raed`"),
        ("1,hm,0,Read,-1,512,0", "column Offset"),
        ("1,hm,0,Read,0,0,0", "column Size: expected bytes, a whole number from 1"),
        ("1,hm,0,Read,0,512", "column ResponseTime: expected ticks of 100 ns, a whole number, but"),
        ("1,hm,0,Read,0,512,0,9", "expected the end, found `9`"),
    ] {
        let middle = refusal(format!("{good}\n{bad}\n{good}\n").as_bytes(), None);
        assert!(middle.contains(".trace:2: column"), "{middle}");
        assert!(middle.contains(expected), "{middle}");
        let last = refusal(format!("{good}\n{bad}").as_bytes(), None);
        assert!(last.contains("looks truncated: 1 requests were read"), "{last}");
    }
}

/// Text examples, with the number of their lines.
fn texts() -> impl Iterator<Item = (Example, usize)> {
    examples().into_iter().filter(Example::is_text).map(|example| {
        let lines = example.bytes.iter().filter(|&&byte| byte == b'\n').count();
        (example, lines)
    })
}

#[test]
fn sizes_of_zero_are_refused_in_every_format() {
    for (example, lines) in texts() {
        let (empty, column) = example.empty.expect("a text");
        let bytes = [&example.bytes[..], empty.as_bytes(), b"\n"].concat();
        let message = refusal(&bytes, Some(example.format));
        let expected = format!(".trace:{}: column {column}: expected ", lines + 1);
        assert!(message.contains(&expected), "{}: {message}", example.format);
    }
}

#[test]
fn a_line_of_another_format_is_refused_in_every_format() {
    for (example, lines) in texts() {
        for (other, _) in texts().filter(|(other, _)| other.name() != example.name()) {
            // DiskSim and MQSim share lines; a csv and blkparse's summary may hold anything.
            let may_fit = parse(&other.bytes, Some(example.format)).is_ok();
            if may_fit
                || [example.name(), other.name()].contains(&"csv")
                || example.name() == "blkparse"
            {
                continue;
            }
            let last = other.bytes.split_inclusive(|&byte| byte == b'\n').next_back();
            let bytes = [&example.bytes[..], last.expect("a line")].concat();
            let message = refusal(&bytes, Some(example.format));
            let place = format!(".trace:{}: column ", lines + 1);
            assert!(message.contains(&place), "{} + {}: {message}", example.format, other.format);
        }
    }
    let joined = format!("{MSR}0,R,126703644672,4096,1577808000000626\n{MSR}");
    let message = refusal(joined.as_bytes(), None);
    assert!(message.contains("one of format alibaba: are two traces joined?"), "{message}");
}

#[test]
fn a_line_of_a_megabyte_is_located_in_every_format() {
    for (example, lines) in texts() {
        let bytes = [&example.bytes[..], &vec![b'7'; 1 << 20]].concat();
        let message = refusal(&bytes, Some(example.format));
        let expected = format!(".trace:{}: a line of more than 256 KiB", lines + 1);
        assert!(message.contains(&expected), "{}: {message}", example.format);
    }
    let message = refusal(&[b'7'; 1 << 20], None);
    assert!(message.contains("not a trace of a known format"), "{message}");
}

#[test]
fn records_that_the_end_cuts_off_are_located() {
    for example in examples().into_iter().filter(|example| !example.is_text()) {
        let bytes = &example.bytes[..example.bytes.len() - 1];
        let message = refusal(bytes, Some(example.format));
        let expected =
            format!(".trace: record 3, up to byte {}: the trace looks truncated", bytes.len());
        assert!(message.contains(&expected), "{}: {message}", example.format);
    }
}

fn packed(bytes: &[u8]) -> [(Vec<u8>, Compression); 3] {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(bytes).expect("packed");
    let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    bzip2.write_all(bytes).expect("packed");
    [
        (gzip.finish().expect("packed"), Compression::Gzip),
        (bzip2.finish().expect("packed"), Compression::Bzip2),
        (zstd::encode_all(bytes, 1).expect("packed"), Compression::Zstd),
    ]
}

#[test]
fn compressed_files_are_unpacked_in_every_format() {
    for example in examples() {
        for (bytes, compression) in packed(&example.bytes) {
            let (requests, info, _) = parse(&bytes, Some(example.format)).expect("read");
            assert_eq!((requests, info.compression), (example.requests.clone(), compression));
            let message = refusal(&bytes[..bytes.len() - 6], Some(example.format));
            let is_told = message.contains("truncated") || message.contains("ends too early");
            assert!(is_told, "{}, {compression}: {message}", example.format);
        }
    }
    for (bytes, _) in packed(MSR.as_bytes()) {
        assert_eq!(parse(&[&bytes[..], &bytes].concat(), None).expect("read").0.len(), 4);
    }
}

#[test]
fn compressed_files_that_are_cut_short_name_the_place() {
    let long: String =
        (0..20_000u64).map(|i| format!("{i},h,0,Read,{},512,{}\n", i * 7919, i % 97)).collect();
    for (bytes, compression) in packed(long.as_bytes()) {
        let message = refusal(&bytes[..bytes.len() * 3 / 4], None);
        let line = message.split(':').nth(1).expect("a place");
        let line: u64 = line.parse().unwrap_or_else(|_| panic!("{compression}: {message}"));
        assert!((1..20_000).contains(&line), "{compression}: {message}");
        assert!(message.contains("requests were read"), "{compression}: {message}");
        assert!(message.contains("ends too early"), "{compression}: {message}");
        let mut damaged = bytes.clone();
        damaged[bytes.len() / 2..][..64].fill(0x55);
        let message = refusal(&damaged, None);
        assert!(
            message.contains("damaged") || message.contains("column"),
            "{compression}: {message}"
        );
    }
}

#[test]
fn what_follows_compressed_data_is_told() {
    for (bytes, compression) in packed(MSR.as_bytes()) {
        let followed_by = |tail: &[u8]| parse(&[&bytes[..], tail].concat(), None);
        for tail in [&b"trailing"[..], &[0x1f], &[0, 0, 0, 0, 0, 1]] {
            let message = followed_by(tail).expect_err("refused").to_string();
            let what = format!("what follows it is not {compression}: bytes ");
            assert!(message.contains(&what), "{compression}: {message}");
            assert!(message.contains("2 requests were read"), "{compression}: {message}");
            assert!(message.contains("unpack it by hand"), "{compression}: {message}");
        }
        for zeros in [1, 512, 100_000] {
            assert_eq!(followed_by(&vec![0; zeros]).expect("read").0.len(), 2, "{compression}");
        }
    }
}

#[test]
fn frames_of_zstandard_without_data_are_passed_over() {
    let frame = zstd::encode_all(MSR.as_bytes(), 1).expect("packed");
    let skippable = [&[0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
    let whole = [&frame[..], &skippable, &frame, &skippable].concat();
    assert_eq!(parse(&whole, None).expect("read").0.len(), 4);
}

#[test]
fn a_line_without_end_is_located_wherever_it_stands() {
    let line = "7".repeat(1 << 20);
    for (before, number) in [("", 1), (MSR, 3)] {
        let message = refusal(format!("{before}{line}\n{MSR}").as_bytes(), Some("msr"));
        assert!(message.contains(&format!(".trace:{number}: a line of more than")), "{message}");
        assert!(message.contains("look at the file there"), "{message}");
    }
}

proptest! {
    // Each case is read in every format.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for format in examples().into_iter().map(|e| Some(e.format)).chain([None]) {
            prop_assert_ne!(parse(&bytes, format).map(|(all, ..)| all.len()), Ok(0));
        }
    }

    #[test]
    fn no_damage_panics(at: prop::sample::Index, byte: u8, cut: prop::sample::Index) {
        for example in examples() {
            let mut bytes = example.bytes.clone();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            bytes.truncate(bytes.len() - cut.index(bytes.len()));
            for format in [None, Some(example.format)] {
                prop_assert_ne!(parse(&bytes, format).map(|(all, ..)| all.len()), Ok(0));
            }
        }
    }

    #[test]
    fn no_joined_lines_panic(picks in prop::collection::vec(any::<prop::sample::Index>(), 1..12)) {
        let all: Vec<Vec<u8>> = texts()
            .flat_map(|(example, _)| {
                let lines = example.bytes.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec);
                lines.collect::<Vec<_>>()
            })
            .collect();
        let bytes: Vec<u8> = picks.iter().flat_map(|pick| all[pick.index(all.len())].clone()).collect();
        let file = file(&bytes);
        if let Ok(mut opened) = open(file.path(), None) {
            let _ = super::requests(&mut *opened.source);
        }
    }
}
