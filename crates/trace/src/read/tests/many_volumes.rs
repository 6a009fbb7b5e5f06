//! Traces of very many volumes.

use super::{Error, file, open, refusal, requests};
use crate::shape::{Layout, Shape};
use crate::stats::{Options, Stats};
use crate::write;
use crate::{Op, Request, Source, VOLUMES};

/// A request of each volume in turn, in lines of a format.
fn lines(count: u32, line: impl Fn(u32) -> String) -> Vec<u8> {
    (0..count).map(line).collect::<String>().into_bytes()
}

/// Texts in several formats: numbers of volumes, names of them, hosts and disks.
fn texts(count: u32) -> [(&'static str, Vec<u8>); 7] {
    let csv = "csv:time=1:us,op=2,offset=3:bytes,size=4:bytes,volume=5";
    [
        ("alibaba", lines(count, |n| format!("{n},W,4096,8192,{n}\n"))),
        ("tencent", lines(count, |n| format!("{n},8,16,1,{n}\n"))),
        ("spc", lines(count, |n| format!("{n},8,8192,w,{n}.5\n"))),
        ("mqsim", lines(count, |n| format!("{n} {n} 8 16 0\n"))),
        ("msr", lines(count, |n| format!("{n},host{},{},Write,4096,8192,1\n", n / 3, n % 3))),
        ("blkparse", lines(count, |n| format!("{n},7 0 1 {n}.0 9 D W 8 + 16 [p]\n"))),
        (csv, lines(count, |n| format!("{n},W,4096,8192,disk-{n}\n"))),
    ]
}

fn measure(source: &mut dyn Source) -> Result<Stats, Error> {
    Stats::measure(source, &Options { memory_mib: 512, ..Options::default() })
}

#[test]
fn statistics_of_a_hundred_thousand_volumes_take_little_memory() {
    for count in [65_536, 65_537, 100_000] {
        for (format, text) in texts(count) {
            let file = file(&text);
            let mut source = open(file.path(), Some(format)).expect(format).source;
            let stats = measure(&mut *source).expect(format);
            let others = stats.others.expect("most of them").volumes;
            assert_eq!(stats.volumes.len() as u64 + others, u64::from(count), "{format}");
            assert_eq!(stats.total.footprint.page_16k.total_bytes, u64::from(count) << 14);
            assert!(stats.memory_mib < 64.0, "{format}: {} MiB", stats.memory_mib);
        }
    }
}

#[test]
fn volumes_with_names_keep_them_however_many_there_are() {
    let count = 70_000;
    let (format, text) = &texts(count)[6];
    let file = file(text);
    let mut source = open(file.path(), Some(format)).expect("opened").source;
    let all = requests(&mut *source).expect("read");
    assert_eq!(all.last().map(|last| last.stream), Some(count - 1));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("many.wlt");
    let meta = write::TraceMeta::default();
    let mut writer =
        write::TraceWriter::create(&path, &meta, write::Options::default()).expect("created");
    writer.write(&all).expect("written");
    writer.name_volumes(source.stream_names());
    writer.close().expect("closed").publish().expect("published");
    let mut again = open(&path, None).expect("opened").source;
    assert_eq!(again.stream_names(), source.stream_names());
    assert_eq!(requests(&mut *again).expect("read"), all);
}

#[test]
fn very_many_volumes_lie_side_by_side() {
    let count = 100_000;
    let file = file(&texts(count)[0].1);
    let source = open(file.path(), Some("alibaba")).expect("opened").source;
    let shape = Shape { layout: Layout::SideBySide, ..Shape::default() };
    let mut shaped = shape.apply(vec![source]).expect("shaped");
    let all = requests(&mut *shaped).expect("read");
    let offsets: Vec<u64> = all.iter().map(|request| request.offset_bytes).collect();
    let expected: Vec<u64> = (0..u64::from(count)).map(|n| (n << 20) + 4096).collect();
    assert_eq!(offsets, expected);
    assert_eq!(shaped.placed().len(), count as usize);
}

#[test]
fn the_last_number_of_a_volume_is_the_last() {
    let last = VOLUMES - 1;
    for (format, line) in [
        ("alibaba", "N,W,4096,8192,7\n"),
        ("fio", "fio version 3 iolog\n7 volume-N write 4096 8192\n"),
    ] {
        let text = |number: usize| line.replace('N', &number.to_string()).into_bytes();
        let file = file(&text(last));
        let mut source = open(file.path(), Some(format)).expect(format).source;
        let all = requests(&mut *source).expect(format);
        let write = Request { stream: last as u32, offset_bytes: 4096, ..Request::flush(0, 0) };
        assert_eq!(all, [Request { op: Op::Write, size_bytes: 8192, ..write }], "{format}");
        let told = refusal(&text(VOLUMES), Some(format));
        assert!(told.contains("to 1048575"), "{told}");
    }
}
