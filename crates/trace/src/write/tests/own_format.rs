//! Wordline's own format: what it keeps, jumps in it, damage.

use std::fs;

use super::*;
use crate::Position;

#[test]
fn metadata_comes_back() {
    let folder = folder();
    let path = folder.path().join("x.wlt");
    write_as(&path, &sample(10), Options::default()).expect("written");
    let opened = open(&path, None).expect("opened");
    assert_eq!(opened.info.expect("a file").format, "wordline");
    assert_eq!(opened.source.name(), "sample, one");
    assert!(opened.source.is_synthetic());
    assert_eq!(opened.source.len_hint(), Some(10));
}

#[test]
fn it_goes_on_at_any_request_or_time() {
    let folder = folder();
    let path = folder.path().join("x.wlt");
    let requests = sample(10_000);
    write_as(&path, &requests, Options::default()).expect("written");
    let mut source = open(&path, None).expect("opened").source;
    for number in [0, 1, 4095, 4096, 4097, 8191, 9999, 10_000, 10_001, u64::MAX] {
        assert!(source.seek(Position::Request(number)).expect("found"));
        let rest = &requests[(number as usize).min(10_000)..];
        assert_eq!(all(&mut *source).expect("read"), rest, "{number}");
    }
    // Three requests arrive at the same time, and blocks begin between them.
    for ns in [0, 1, 1700, 4096 / 3 * 1700, 8192 / 3 * 1700, 8192 / 3 * 1700 + 1, u64::MAX] {
        assert!(source.seek(Position::Time(ns)).expect("found"));
        let first = requests.partition_point(|request| request.arrival_ns < ns);
        assert_eq!(all(&mut *source).expect("read"), &requests[first..], "{ns}");
    }
    source.rewind().expect("rewound");
    assert_eq!(all(&mut *source).expect("read"), requests);
}

#[test]
fn a_packed_file_cannot_be_jumped_in() {
    let folder = folder();
    let path = folder.path().join("x.wlt.gz");
    write_as(&path, &sample(5000), Options::default()).expect("written");
    let mut source = open(&path, None).expect("opened").source;
    assert!(!source.seek(Position::Request(4500)).expect("no failure"));
    assert_eq!(all(&mut *source).expect("read").len(), 5000);
}

#[test]
fn no_cut_goes_unnoticed() {
    let folder = folder();
    let path = folder.path().join("x.wlt");
    write_as(&path, &sample(5000), Options::default()).expect("written");
    let bytes = fs::read(&path).expect("read");
    let places = (0..400).chain((400..bytes.len() - 300).step_by(997));
    for length in places.chain(bytes.len() - 300..bytes.len()) {
        fs::write(&path, &bytes[..length]).expect("written");
        let message = read(&path, Some("wordline")).expect_err("cut").to_string();
        let told = message.contains("looks truncated") || message.contains("without a request");
        assert!(told, "{length}: {message}");
    }
    fs::write(&path, [&bytes[..], b"x"].concat()).expect("written");
    assert!(read(&path, None).expect_err("more").to_string().contains("more than it should"));
}

#[test]
fn no_wrong_byte_goes_unnoticed() {
    let folder = folder();
    let path = folder.path().join("x.wlt");
    write_as(&path, &sample(5000), Options::default()).expect("written");
    let bytes = fs::read(&path).expect("read");
    let places = (0..300).chain((300..bytes.len() - 300).step_by(499));
    for place in places.chain(bytes.len() - 300..bytes.len()) {
        let mut wrong = bytes.clone();
        wrong[place] ^= 1 << (place % 8);
        fs::write(&path, &wrong).expect("written");
        let error = read(&path, Some("wordline")).expect_err("damaged");
        assert!(error.what.contains("byte") || error.what.contains("version"), "{error}");
    }
    let mut wrong = bytes.clone();
    wrong[200] ^= 1;
    fs::write(&path, &wrong).expect("written");
    let message = read(&path, None).expect_err("damaged").to_string();
    assert!(message.contains("checksum of block 0, at byte 1"), "{message}");
}

/// Found by fuzzing: an index whose checksum is right but which begins behind the first request.
#[test]
fn an_index_that_leaves_out_the_beginning_is_refused() {
    let folder = folder();
    let path = folder.path().join("x.wlt");
    write_as(&path, &sample(100), Options::default()).expect("written");
    let mut bytes = fs::read(&path).expect("read");
    let (footer_bytes, empty_lists_bytes) = (36, 2 * 12);
    let index_at = bytes.len() - footer_bytes - empty_lists_bytes - 24 - 16;
    bytes[index_at + 16 + 8] = 5;
    let checksum = crc32fast::hash(&bytes[index_at + 16..index_at + 40]);
    bytes[index_at + 4..index_at + 8].copy_from_slice(&checksum.to_le_bytes());
    fs::write(&path, &bytes).expect("written");
    let mut source = open(&path, None).expect("opened").source;
    let message = source.seek(Position::Request(2)).expect_err("refused").to_string();
    assert!(message.contains("does not follow what stands ahead"), "{message}");
}

/// A trace of two disks under their names, with a third one in between that is left out.
fn named(folder: &Path) -> PathBuf {
    let path = folder.join("named.iolog");
    let lines = "fio version 3 iolog\n0 /dev/a add\n0 /dev/a open\n0 /dev/a write 0 512\n\
                 0 /dev/b add\n0 /dev/b open\n1 /dev/b write 0 512\n\
                 1 /dev/ö add\n1 /dev/ö open\n2 /dev/ö write 0 512\n3 /dev/a write 512 512\n";
    fs::write(&path, lines).expect("written");
    path
}

#[test]
fn names_of_volumes_come_back() {
    let folder = folder();
    let shape = Shape { volumes: vec![0, 2], layout: Layout::Together, ..Shape::default() };
    for name in ["x.wlt", "x.wlt.zst"] {
        let named = open(&named(folder.path()), None).expect("opened").source;
        let mut source = shape.apply(vec![named]).expect("shaped");
        let path = folder.path().join(name);
        copy(&mut *source, &path, &meta(), Options::default()).expect("written");
        let mut source = open(&path, None).expect("opened").source;
        // Where the file can be read at any place they are there from the beginning.
        assert_eq!(source.stream_names().is_empty(), name == "x.wlt.zst");
        assert_eq!(all(&mut *source).expect("read").len(), 3);
        // That of the volume that was left out has stayed behind.
        assert_eq!(source.stream_names(), ["/dev/a", "", "/dev/ö"], "{name}");
    }
    let mut source = open(&folder.path().join("x.wlt"), None).expect("opened").source;
    let mut on = |_, _| ControlFlow::Continue(());
    let each = folder.path().join("each.wlt");
    split(&mut *source, &each, &meta(), Options::default(), &mut on).expect("written");
    let part = open(&folder.path().join("each.2.wlt"), None).expect("opened").source;
    assert_eq!(part.stream_names(), ["", "", "/dev/ö"]);
}

#[test]
fn a_file_tells_what_was_mended_of_the_trace_that_it_was_made_from() {
    let folder = folder();
    let csv = folder.path().join("late.csv");
    let line = |n: u64| format!("{},h,0,Write,{},4096,0\n", n * 10, n * 7919 % 50 * 4096);
    let lines = [9, 2, 4, 8, 30, 31].map(line).concat();
    fs::write(&csv, lines).expect("written");
    let told = |path: &Path| {
        let mut source = open(path, None).expect("opened").source;
        all(&mut *source).expect("read");
        source.remarks()
    };
    let original = told(&csv);
    assert!(original[0].starts_with("3 of 6 requests (50.0 %) were out of order"), "{original:?}");
    let mut from = csv;
    for name in ["x.wlt", "y.wlt.zst", "z.wlt"] {
        let mut source = open(&from, None).expect("opened").source;
        from = folder.path().join(name);
        copy(&mut *source, &from, &meta(), Options::default()).expect("written");
        let expected = format!("in the trace that this file was made from: {}", original[0]);
        assert_eq!(told(&from), [expected], "{name}");
    }
    let source = open(&from, None).expect("opened").source;
    assert_eq!(source.remarks().len(), 1, "what can be looked up is told from the beginning on");
}

#[test]
fn a_cycle_of_writes_is_told_once() {
    let folder = folder();
    let path = folder.path().join("cycle.csv");
    let line = |n: u64| format!("{n},h,0,Write,{},4096,0\n", n % 300 * 7919 % 1000 * 4096);
    fs::write(&path, (0..1200).map(line).collect::<String>()).expect("written");
    let mut source = open(&path, None).expect("opened").source;
    let own = folder.path().join("cycle.wlt");
    copy(&mut *source, &own, &meta(), Options::default()).expect("written");
    let mut source = open(&own, None).expect("opened").source;
    all(&mut *source).expect("read");
    let remarks = source.remarks();
    assert!(remarks.len() == 1 && remarks[0].contains("come 4 times"), "{remarks:?}");
}

#[test]
fn files_of_older_versions_are_read() {
    (1..=5).for_each(file_of_version_is_read);
}

fn file_of_version_is_read(version: u8) {
    let folder = folder();
    let path = folder.path().join("x.wlt");
    let requests = sample(5000);
    write_as(&path, &requests, Options::default()).expect("written");
    let mut bytes = fs::read(&path).expect("read");
    // No version before 4 has notes, and version 1 no names; the header's checksum is another.
    let missing_bytes = [24, 12, 12, 0, 0][usize::from(version) - 1];
    let footer_bytes = 36;
    let end = bytes.len() - footer_bytes;
    bytes.drain(end - missing_bytes..end);
    bytes[8] = version;
    let meta_bytes = u32::from_le_bytes([12, 13, 14, 15].map(|place| bytes[place])) as usize;
    let end = 16 + meta_bytes;
    let checksum = crc32fast::hash(&bytes[..end]).to_le_bytes();
    bytes[end..end + 4].copy_from_slice(&checksum);
    fs::write(&path, &bytes).expect("written");
    let mut source = open(&path, None).expect("opened").source;
    assert_eq!(all(&mut *source).expect("read"), requests);
    assert!(source.seek(Position::Request(4999)).expect("found"));
    assert_eq!(all(&mut *source).expect("read"), requests[4999..]);
    assert!(source.stream_names().is_empty());

    bytes[8] = 7;
    fs::write(&path, &bytes).expect("written");
    let message = read(&path, None).expect_err("too new").to_string();
    assert!(message.contains("version 7 of Wordline's format; this reads 1 to 6"), "{message}");
}
