//! What public files hold that their formats' descriptions leave out.

use super::{file, open, parse, refusal, request, requests};
use crate::Op;

fn remarks(text: &str) -> Vec<String> {
    let file = file(text.as_bytes());
    let mut source = open(file.path(), None).expect("opened").source;
    requests(&mut *source).expect("read");
    source.remarks()
}

#[test]
fn disks_of_several_hosts_are_volumes_of_their_own() {
    let line = |n: u32, host: &str, disk: u16| format!("{n},{host},{disk},Write,0,512,0\n");
    let one: String = (0..9).map(|n| line(n, "usr", 7 + n as u16 % 2)).collect();
    let several = [("web", 0), ("usr", 7), ("web", 1), ("src", 8), ("usr", 2), ("usr", 7)];
    let text = one + &several.map(|(host, disk)| line(9, host, disk)).concat();
    let file = file(text.as_bytes());
    let mut source = open(file.path(), None).expect("opened").source;
    for _ in 0..2 {
        let all = requests(&mut *source).expect("read");
        let volumes: Vec<u32> = all.iter().skip(9).map(|request| request.stream).collect();
        assert!(all.iter().take(9).all(|request| [7, 8].contains(&request.stream)));
        // Disk 8 is usr's; the lowest number that is free stands for that of src.
        assert_eq!(volumes, [0, 7, 1, 2, 3, 7]);
        let names = ["web_0", "web_1", "src_8", "usr_2", "", "", "", "usr_7", "usr_8"];
        assert_eq!(source.stream_names(), names);
        source.rewind().expect("rewound");
    }
}

#[test]
fn operations_of_the_kernel_have_their_names() {
    let line = |rwbs: &str, place: &str| format!("8,0 1 1 0.000000001 7 D {rwbs} {place}[p]\n");
    let text = ["R", "ZA", "ZAF", "ZAS"].map(|rwbs| line(rwbs, "8 + 8 ")).concat();
    let (all, ..) = parse(text.as_bytes(), None).expect("read");
    let read: Vec<(Op, bool)> = all.iter().map(|request| (request.op, request.fua)).collect();
    let write = (Op::Write, false);
    assert_eq!(read, [(Op::Read, false), write, (Op::Write, true), write]);
    for (rwbs, place, told) in [
        ("WZ", "8 + 8 ", Some("write zeroes (WZ)")),
        ("N", "8 + 8 ", Some("without a letter (N)")),
        ("ZR", "8 + 8 ", Some("zone management")),
        ("ZO", "", Some("zone management")),
        ("N", "", None),
        ("N", "36 (12 00) ", None),
    ] {
        let remarks = remarks(&(line("W", "0 + 8 ") + &line(rwbs, place)));
        let count =
            remarks.iter().filter(|text| told.is_some_and(|told| text.contains(told))).count();
        assert_eq!(count, usize::from(told.is_some()), "{rwbs} {place}: {remarks:?}");
        assert_eq!(remarks.len(), count, "{rwbs} {place}: {remarks:?}");
    }
}

#[test]
fn hexadecimal_numbers_are_read_in_a_csv() {
    let format = "csv:op=1,offset=2:sectors,size=3:bytes";
    let (all, ..) = parse(b"W,0x10,0X200\nR,16,512\n", Some(format)).expect("read");
    assert_eq!(all[0], request(0, 0, Op::Write, 16 * 512, 512));
    assert_eq!((all[1].offset_bytes, all[1].size_bytes), (16 * 512, 512));
    for bad in ["0x", "0x0x1", "0xg", "x10", "0x11112222333344445"] {
        let message = refusal(format!("W,{bad},512\n").as_bytes(), Some(format));
        assert!(message.contains("column offset"), "{message}");
    }
}

#[test]
fn requests_of_four_gib_and_more_are_read_in_parts() {
    const GIB: u64 = 1 << 30;
    // (format, line, unit of its size, operation, address)
    let lines: [(&str, &str, u64, Op, u64); 12] = [
        ("msr", "128166372003061629,hm,0,Write,4096,{},413\n", 1, Op::Write, 4096),
        ("mqsim", "0 0 8 {} 0\n", 512, Op::Write, 4096),
        ("disksim", "0.0 0 8 {} 0\n", 512, Op::Write, 4096),
        ("spc", "0,8,{},W,0.0\n", 1, Op::Write, 4096),
        ("fiu", "0 1 cp 8 {} W 6 0 abc\n", 512, Op::Write, 4096),
        ("systor", "0.0,0.1,W,0,4096,{}\n", 1, Op::Write, 4096),
        ("alibaba", "0,W,4096,{},0\n", 1, Op::Write, 4096),
        ("tencent", "0,8,{},1,0\n", 512, Op::Write, 4096),
        ("blkparse", "8,0 1 1 0.000000001 7 D D 8 + {} [blkdiscard]\n", 512, Op::Trim, 4096),
        ("blkparse", "8,0 1 1 0.000000001 7 D FWS 8 + {} [dd]\n", 512, Op::Write, 4096),
        ("fio", "fio version 3 iolog\n0 f add\n0 f open\n0 f trim 4096 {}\n", 1, Op::Trim, 4096),
        ("csv:op=1,offset=2:bytes,size=3:bytes", "D,4096,{}\n", 1, Op::Trim, 4096),
    ];
    for (format, line, unit, op, offset) in lines {
        for (size, parts) in [
            (4 * GIB - 512, vec![4 * GIB - 512]),
            (4 * GIB, vec![2 * GIB, 2 * GIB]),
            (4 * GIB + 512, vec![2 * GIB, 2 * GIB + 512]),
            (8 * GIB - 512, vec![2 * GIB, 2 * GIB, 4 * GIB - 512]),
        ] {
            let file = file(line.replace("{}", &(size / unit).to_string()).as_bytes());
            let mut source = open(file.path(), Some(format)).expect("opened").source;
            for _ in 0..2 {
                let mut all = requests(&mut *source).expect(format);
                if line.contains("FWS") {
                    assert_eq!(all.remove(0).op, Op::Flush);
                }
                let mut next = offset;
                for (request, &bytes) in all.iter().zip(&parts) {
                    let expected = (0, op, next, bytes);
                    let size_bytes = u64::from(request.size_bytes);
                    let found = (request.arrival_ns, request.op, request.offset_bytes, size_bytes);
                    assert_eq!(found, expected, "{format}: {size}");
                    next += bytes;
                }
                assert_eq!(all.len(), parts.len(), "{format}: {size}");
                let told = source.remarks().iter().any(|text| text.contains("in parts of 2 GiB"));
                assert_eq!(told, parts.len() > 1, "{format}: {size}: {:?}", source.remarks());
                source.rewind().expect("rewound");
            }
        }
        let size = (1 << 41) / unit;
        let longest = line.replace("{}", &size.to_string());
        assert!(parse(longest.as_bytes(), Some(format)).is_ok(), "{format}");
        let message = refusal(line.replace("{}", &(size + 1).to_string()).as_bytes(), Some(format));
        assert!(message.contains("2 TiB"), "{format}: {message}");
    }
}

#[test]
fn files_with_blanks_in_their_names_are_read() {
    let name = "/mnt/my data/write 7/file";
    let text = format!(
        "fio version 3 iolog\n0 {name} add\n0 {name} open\n5 {name} write 4096 512\n\
         6 {name} trim 0  4096\n7 /dev/sdb read 0 512\n8 {name} sync\n9 {name} close\n"
    );
    let file = file(text.as_bytes());
    let mut source = open(file.path(), None).expect("opened").source;
    let all = requests(&mut *source).expect("read");
    let expected = [
        request(0, 0, Op::Write, 4096, 512),
        request(1000, 0, Op::Trim, 0, 4096),
        request(2000, 1, Op::Read, 0, 512),
        request(3000, 0, Op::Flush, 0, 0),
    ];
    assert_eq!(all, expected);
    assert_eq!(source.stream_names(), [name, "/dev/sdb"]);
    let message = refusal(b"fio version 3 iolog\n0 a file add\n5 a file wrote 0 512\n", None);
    assert!(message.contains(".trace:3: column action"), "{message}");
    let message = refusal(b"fio version 3 iolog\n5 a file wrote 0 512\n", None);
    assert!(message.contains(".trace:2: column action"), "{message}");
}

#[test]
fn traces_of_keys_are_told_from_traces_of_blocks() {
    for (text, told) in [
        ("{\"timestamp\": 5, \"input_length\": 900, \"hash_ids\": [0, 7]}\n", "Mooncake"),
        ("key,op,size,op_count,key_size\n77,SET,50,1,20\n", "CacheBench: keys"),
        ("op_time,key,key_size,op,op_count,size,cache_hits,ttl\n5,7,9,GET,1,2,3,4\n", "CacheBench"),
        ("block_id io_offset io_size op_time op_name pipeline\n1 0 9 5.0 2 3\n", "distributed"),
        ("0,some:key,with,commas,24,5,70,get,0\n", "Twitter"),
    ] {
        let message = refusal(text.as_bytes(), None);
        assert!(message.contains(told) && message.contains("no addresses"), "{message}");
        assert!(message.contains("blktrace"), "{message}");
    }
    let message = refusal(b"what,is,this\n", None);
    assert!(message.contains("`--format csv:time=1:us,op=2"), "{message}");
}

#[test]
fn tracepoints_of_the_kernel_are_told() {
    for text in [
        "# tracer: nop\n kworker/7:0-9 [000] .... 9.1: block_rq_issue: 8,0 WS 4096 () 8 + 8 rt,4 [k]\n",
        "blkid 9 [039] 13.6: block:block_rq_issue: 8,0 R 4096 () 8 + 8 [blkid]\n",
    ] {
        let message = refusal(text.as_bytes(), None);
        assert!(message.contains("tracepoints") && message.contains("blkparse.md"), "{message}");
    }
}

#[test]
fn objects_beyond_the_last_address_are_told() {
    let record = |object: u64| {
        let mut bytes = vec![0; 24];
        bytes[4..12].copy_from_slice(&object.to_le_bytes());
        bytes[12..16].copy_from_slice(&4096u32.to_le_bytes());
        bytes[16..24].copy_from_slice(&u64::MAX.to_le_bytes());
        bytes
    };
    let last = (1 << 51) - 1;
    for (objects, told) in [(vec![0, last], 0), (vec![7, last + 1, u64::MAX, 5], 2)] {
        let bytes: Vec<u8> = objects.into_iter().flat_map(record).collect();
        let file = file(&bytes);
        let format = Some("oraclegeneral:read=0.5,object=4096");
        let mut source = open(file.path(), format).expect("opened").source;
        for _ in 0..2 {
            requests(&mut *source).expect("read");
            let remarks = source.remarks();
            assert_eq!(remarks.len(), usize::from(told > 0), "{remarks:?}");
            let expected = format!("{told} of 4 accesses (50.0 %)");
            assert!(remarks.iter().all(|text| text.starts_with(&expected)), "{remarks:?}");
            source.rewind().expect("rewound");
        }
    }
}
