//! Writers: what is written comes back, what cannot be held is refused, and no half of a file
//! stays.

mod own_format;

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::*;
use crate::shape::{Layout, Shape};
use crate::{Error, Op, PlacementId, Request, Source, open};
use proptest::prelude::*;
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn meta() -> TraceMeta {
    TraceMeta {
        name: "sample, one".to_owned(),
        source: "a test\nof two lines".to_owned(),
        synthetic: true,
        start_unix_ns: Some(1_172_163_765_936_593_400),
    }
}

fn write_as(path: &Path, requests: &[Request], options: Options<'_>) -> Result<Written, Error> {
    let mut writer = TraceWriter::create(path, &meta(), options)?;
    for batch in requests.chunks(1000) {
        writer.write(batch)?;
    }
    writer.close()?.publish()
}

fn all(source: &mut dyn Source) -> Result<Vec<Request>, Error> {
    let (mut all, mut batch) = (Vec::new(), Vec::with_capacity(700));
    loop {
        source.next_batch(&mut batch)?;
        if batch.is_empty() {
            return Ok(all);
        }
        all.extend_from_slice(&batch);
    }
}

fn read(path: &Path, format: Option<&str>) -> Result<Vec<Request>, Error> {
    all(&mut *open(path, format)?.source)
}

/// Requests whose times, addresses and sizes are multiples of what `limits` can hold.
fn requests_for(limits: Limits, most: usize) -> impl Strategy<Value = Vec<Request>> {
    let op = prop_oneof![Just(Op::Read), Just(Op::Write), Just(Op::Trim), Just(Op::Flush)];
    let of = (0u32..5, any::<Option<u16>>());
    let one = (0u64..1 << 40, 0u32..40, any::<u64>(), 0u32..64, any::<u32>(), op, of);
    prop::collection::vec(one, 1..most).prop_map(move |all| {
        let mut now_ns = 0;
        let mut requests: Vec<Request> = Vec::new();
        for (i, (gap, gap_shift, offset, shift, size, op, of)) in all.into_iter().enumerate() {
            let (stream, placement) = (of.0, of.1.map(PlacementId));
            let op = match op {
                Op::Trim if !limits.trims => Op::Write,
                Op::Flush if !limits.flushes => Op::Read,
                op => op,
            };
            let sector = limits.sector_bytes;
            let offset = (offset >> shift).min(limits.end_bytes - (1 << 33)) / sector * sector;
            let size = u64::from(size >> shift.min(31)).max(1).next_multiple_of(sector);
            let size = size.min(u64::from(u32::MAX) / sector * sector) as u32;
            // Times begin at the first request: other formats name no other beginning.
            let gap = if i == 0 { 0 } else { gap >> gap_shift };
            now_ns += gap / limits.time_unit_ns * limits.time_unit_ns;
            let (offset_bytes, size_bytes) = if op == Op::Flush { (0, 0) } else { (offset, size) };
            requests.push(
                Request::new(op, offset_bytes, size_bytes)
                    .at(now_ns)
                    .of_stream(stream)
                    .with_fua(limits.fuas && op == Op::Write && gap_shift == 7)
                    .with_placement(placement.filter(|_| limits.placements && op == Op::Write)),
            );
        }
        requests
    })
}

/// A trace of several blocks.
fn sample(count: u64) -> Vec<Request> {
    let request = |i: u64| {
        Request::new(
            if i.is_multiple_of(5) { Op::Read } else { Op::Write },
            i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 30 << 9,
            512 * (1 + i as u32 % 37),
        )
        .at(i / 3 * 1700)
        .of_stream((i % 3) as u32)
    };
    (0..count).map(request).collect()
}

fn round_trip(name: &'static str, reader: &str, requests: &[Request]) {
    let folder = folder();
    let path = folder.path().join("trace");
    let options = Options { format: Some(name), ..Options::default() };
    let written = write_as(&path, requests, options).expect(name);
    assert_eq!((written.requests, written.losses.any()), (requests.len() as u64, false));
    assert_eq!(written.bytes, fs::metadata(&path).expect("a file").len());
    assert_eq!(read(&path, Some(reader)).expect(name), requests, "{name}");
}

fn limits_of(name: &str) -> Limits {
    writers().iter().find(|format| format.name == name).expect("a format").limits
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn the_own_format_holds_everything(requests in requests_for(Limits::NONE, 600)) {
        round_trip("wordline", "wordline", &requests);
    }

    #[test]
    fn msr_comes_back(requests in requests_for(limits_of("msr"), 60)) {
        round_trip("msr", "msr", &requests);
    }

    #[test]
    fn mqsim_comes_back(requests in requests_for(limits_of("mqsim"), 60)) {
        round_trip("mqsim", "mqsim", &requests);
    }

    #[test]
    fn fio_v2_comes_back(requests in requests_for(limits_of("fio-v2"), 60)) {
        round_trip("fio-v2", "fio", &requests);
    }

    #[test]
    fn fio_v3_comes_back(requests in requests_for(limits_of("fio-v3"), 60)) {
        round_trip("fio-v3", "fio", &requests);
    }

    #[test]
    fn ssdsim_comes_back(requests in requests_for(limits_of("ssdsim"), 60)) {
        round_trip("ssdsim", "ssdsim", &requests);
    }
}

/// MSR's times are those of a calendar: they come back through the own format, of a part and of a
/// volume too.
#[test]
fn the_beginning_of_time_comes_back() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let lines = ["128166372003061629,hm,0,Read,512,512,0", "128166372003061731,hm,1,Write,0,512,0"];
    fs::write(at("hm.csv"), lines.map(|line| format!("{line}\n")).concat()).expect("written");
    let shape = Shape { layout: Layout::Together, ..Shape::default() };
    let convert = |from: &str, to: &str, shape: Shape| {
        let mut source = shape.apply(vec![open(&at(from), None).expect(from).source]).expect(from);
        let meta = TraceMeta::of(&*source, from);
        copy(&mut *source, &at(to), &meta, Options::default()).expect(to);
        fs::read_to_string(at(to)).ok()
    };
    convert("hm.csv", "hm.wlt", shape.clone());
    assert_eq!(
        open(&at("hm.wlt"), None).expect("opened").source.start_unix_ns(),
        Some(1_172_163_600_306_162_900)
    );
    let back = convert("hm.wlt", "back.csv", shape.clone());
    assert_eq!(back, fs::read_to_string(at("hm.csv")).ok());
    let part = convert("hm.wlt", "part.csv", Shape { from_ns: 1, ..shape.clone() });
    assert_eq!(part, Some(format!("{}\n", lines[1])));
    let mut on = |_, _| ControlFlow::Continue(());
    let mut source = open(&at("hm.csv"), None).expect("opened").source;
    let meta = TraceMeta::of(&*source, "hm");
    split(&mut *source, &at("each.csv"), &meta, Options::default(), &mut on).expect("written");
    assert_eq!(fs::read_to_string(at("each.1.csv")).ok(), Some(format!("{}\n", lines[1])));
}

#[test]
fn endings_choose_format_and_compression() {
    let folder = folder();
    let requests = sample(10_000);
    let requests: Vec<Request> = requests.into_iter().map(|r| Request { stream: 0, ..r }).collect();
    for (name, format) in [
        ("a.wlt", "wordline"),
        ("a.wlt.zst", "wordline"),
        ("a.csv", "msr"),
        ("a.csv.gz", "msr"),
        ("a.trace.zst", "mqsim"),
    ] {
        let path = folder.path().join(name);
        let written = write_as(&path, &requests, Options::default()).expect(name);
        assert_eq!(written.format, format);
        let mut opened = open(&path, None).expect(name);
        let info = opened.info.expect("a file");
        assert_eq!((info.format, info.compression), (format, written.compression), "{name}");
        assert_eq!(all(&mut *opened.source).expect(name), requests, "{name}");
        opened.source.rewind().expect(name);
        assert_eq!(all(&mut *opened.source).expect(name), requests, "{name}");
    }
}

#[test]
fn what_a_format_cannot_hold_is_refused_with_its_count() {
    let folder = folder();
    let path = folder.path().join("x.trace");
    let request = |arrival_ns, offset_bytes, size_bytes, op| {
        Request::new(op, offset_bytes, size_bytes).at(arrival_ns)
    };
    let requests = [
        request(0, 512, 512, Op::Write),
        request(50, 100, 1000, Op::Write),
        request(150, 0, 512, Op::Trim),
        request(250, 0, 0, Op::Flush),
        request(350, 1 << 63, 512, Op::Write),
        request(450, 1536, 1, Op::Read),
        Request { fua: true, ..request(450, 0, 512, Op::Write) },
        request(450, 0, 512, Op::Write).with_placement(Some(PlacementId(7))),
    ];
    let error = write_as(&path, &requests, Options::default()).expect_err("refused");
    for part in [
        "2 not in whole sectors of 512",
        "1 that trim",
        "1 that flush",
        "1 that are durable at once",
        "1 with a placement identifier",
        "1 beyond byte",
    ] {
        assert!(error.what.contains(part), "{error}");
    }
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);

    let lossy = Options { lossy: true, ..Options::default() };
    let written = write_as(&path, &requests, lossy).expect("written");
    assert_eq!((written.requests, written.losses.left_out()), (5, 3));
    assert_eq!(
        fs::read_to_string(&path).expect("text"),
        "0 0 1 1 0\n50 0 0 3 0\n450 0 3 1 1\n450 0 0 1 0\n450 0 0 1 0\n"
    );

    let path = folder.path().join("x.csv");
    let error = write_as(&path, &requests[..2], Options::default()).expect_err("refused");
    assert!(error.what.contains("1 with times finer than 100 ns"), "{error}");
}

#[test]
fn golden_text() {
    let folder = folder();
    let requests = [
        Request::new(Op::Write, 512, 1024).of_stream(1),
        Request::new(Op::Read, 0, 512).at(2_000_000),
    ];
    for (format, text) in [
        (
            "msr",
            "128166373659365934,sample_ one,1,Write,512,1024,0\n\
             128166373659385934,sample_ one,0,Read,0,512,0\n",
        ),
        ("mqsim", "0 1 1 2 0\n2000000 0 0 1 1\n"),
        (
            "fio-v2",
            "fio version 2 iolog\nvolume-1 add\nvolume-1 open\nvolume-1 write 512 1024\n\
             volume-0 add\nvolume-0 open\nvolume-0 wait 2 0\nvolume-0 read 0 512\n\
             volume-0 close\nvolume-1 close\n",
        ),
        (
            "fio-v3",
            "fio version 3 iolog\n0 volume-1 add\n0 volume-1 open\n0 volume-1 write 512 1024\n\
             2000 volume-0 add\n2000 volume-0 open\n2000 volume-0 read 0 512\n2000 volume-0 close\n\
             2000 volume-1 close\n",
        ),
    ] {
        let path = folder.path().join(format);
        let options = Options { format: Some(format), ..Options::default() };
        write_as(&path, &requests, options).expect(format);
        assert_eq!(fs::read_to_string(&path).expect("text"), text);
    }
}

#[test]
fn files_are_whole_or_not_there() {
    let folder = folder();
    let names = || -> Vec<PathBuf> {
        fs::read_dir(folder.path()).expect("a folder").map(|e| e.expect("a file").path()).collect()
    };
    let path = folder.path().join("x.wlt");
    let mut writer = TraceWriter::create(&path, &meta(), Options::default()).expect("begun");
    writer.write(&sample(100_000)).expect("written");
    assert!(!path.exists());
    drop(writer);
    assert!(names().is_empty());
    let empty = TraceWriter::create(&path, &meta(), Options::default()).expect("begun");
    assert!(empty.close().is_err_and(|error| error.what.contains("no request")));
    assert!(names().is_empty());
    write_as(&path, &sample(1), Options::default()).expect("written");
    let again = write_as(&path, &sample(2), Options::default()).expect_err("there already");
    assert!(again.help.contains("`force=True`"), "{again}");
    assert_eq!(read(&path, None).expect("the old one").len(), 1);
    let forced = Options { force: true, ..Options::default() };
    write_as(&path, &sample(2), forced).expect("replaced");
    assert_eq!((read(&path, None).expect("the new one").len(), names().len()), (2, 1));
}

#[test]
fn volumes_go_into_files_of_their_own() {
    let folder = folder();
    let whole = folder.path().join("whole.wlt");
    // More volumes than files may be open at the same time.
    let request = |i: u64| Request::new(Op::Read, i, 1).at(i).of_stream((i % 130) as u32);
    let requests: Vec<Request> = (0..1300).map(request).collect();
    write_as(&whole, &requests, Options::default()).expect("written");
    let mut source = open(&whole, None).expect("opened").source;
    let path = folder.path().join("part.v1.wlt.gz");
    let mut on = |_, _| ControlFlow::Continue(());
    let written = split(&mut *source, &path, &meta(), Options::default(), &mut on);
    let written = written.expect("written").expect("not stopped");
    assert_eq!(written.len(), 130);
    for (volume, written) in written {
        assert_eq!(written.path, folder.path().join(format!("part.v1.{volume}.wlt.gz")));
        let of_it: Vec<Request> =
            requests.iter().filter(|request| request.stream == volume).copied().collect();
        assert_eq!(read(&written.path, None).expect("read"), of_it);
    }
}

#[test]
fn a_stopped_conversion_leaves_nothing() {
    let folder = folder();
    let whole = folder.path().join("whole.wlt");
    write_as(&whole, &sample(20_000), Options::default()).expect("written");
    let mut source = open(&whole, None).expect("opened").source;
    let mut stop = |done, _| match done < 9000 {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    };
    let path = folder.path().join("x.csv");
    let lossy = Options { lossy: true, ..Options::default() };
    let written = convert(&mut *source, &path, &meta(), lossy, &mut stop).expect("no failure");
    assert_eq!(written, None);
    source.rewind().expect("rewound");
    let written = split(&mut *source, &path, &meta(), lossy, &mut stop).expect("no failure");
    assert!(written.is_none());
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

#[test]
fn bad_targets_and_requests_are_told() {
    let folder = folder();
    let told = |name: &str, requests: &[Request], part: &str| {
        let error = write_as(&folder.path().join(name), requests, Options::default());
        let message = error.expect_err(name).to_string();
        assert!(message.contains(part), "{message}");
    };
    told("x.dat", &sample(1), "wordline (.wlt), msr (.csv)");
    told("x.csv.bz2", &sample(1), "end it in .gz or .zst");
    told("no/x.csv", &sample(1), "/no` first");
    fs::write(folder.path().join("file"), "").expect("written");
    told("file/x.csv", &sample(1), "/file`: name a file elsewhere");
    fs::create_dir(folder.path().join("d.csv")).expect("a folder");
    told("d.csv", &sample(1), "is a folder");
    let mut backwards = sample(9);
    backwards[8].arrival_ns = 0;
    told("x.wlt", &backwards, "request 9 of the workload: arrives at 0 ns");
    backwards.swap(0, 8);
    backwards[0].size_bytes = 0;
    told("x.wlt", &backwards, "request 1 of the workload: has a size of zero");
    let wrong = Options { format: Some("mqsin"), ..Options::default() };
    let error = TraceWriter::create(&folder.path().join("x"), &meta(), wrong);
    assert!(error.is_err_and(|error| error.help.contains("did you mean `mqsim`?")));
}
