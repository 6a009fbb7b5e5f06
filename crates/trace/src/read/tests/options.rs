//! What may stand behind a format's name.

use super::{MSR, examples, parse, refusal};
use crate::Op;

#[test]
fn a_named_format_overrides() {
    let (requests, info, _) = parse(b"1 0 8 16 0\n2 0 8 16 1\n", Some("disksim")).expect("read");
    assert_eq!(info.format, "disksim");
    assert!(!info.is_time_unit_inferred);
    assert_eq!(requests[1].arrival_ns, 1_000_000);
    let mqsim = b"1000 0 8 16 0\n2500 3 0 1 1\n";
    assert_eq!(parse(mqsim, Some("ssdsim")).expect("read").1.format, "mqsim");
    let message = refusal(mqsim, Some("mqsin"));
    assert!(message.contains("did you mean `mqsim`?"), "{message}");
    let message = refusal(b"0.5 0 8 16 0\n", Some("mqsim"));
    assert!(message.contains("format disksim"), "{message}");
}

#[test]
fn units_that_the_data_tell_are_said_to_be_inferred() {
    for (bytes, expected) in [
        (&b"0 0 8 16 0\n1 0 8 16 0\n1.5 0 8 16 0\n"[..], ("disksim", true)),
        (b"0 0 8 16 0\n1 0 8 16 0\n", ("mqsim", true)),
        (b"5 1 nfsd 8 8 W 6 0 ab\n", ("fiu", true)),
        (MSR.as_bytes(), ("msr", false)),
    ] {
        let info = parse(bytes, None).expect("read").1;
        assert_eq!((info.format, info.is_time_unit_inferred), expected);
    }
}

#[test]
fn options_that_cannot_be_are_refused() {
    for (format, expected) in [
        ("msr:block=4096", "this format takes no options"),
        ("spc:blok=4096", "unknown key `blok` (did you mean `block`?"),
        ("spc:block", "`block` is not key=value"),
        ("spc:block=0", "expected bytes, from 1 to 2^32"),
        ("spc:block=512,block=512", "`block` is given twice"),
        ("blkparse:event=C", "expected D or Q"),
        ("fio:wait=x", "begins with `fio version 2 iolog`"),
        ("oraclegeneral", "has no operations: reads or writes? (say what to take"),
        ("oraclegeneral:read=2", "expected a number from 0 to 1"),
        ("oraclegeneral:read=0.5", "not their addresses"),
        ("csv", "the column `offset` is missing"),
        ("csv:offset=3:bytes", "the column `size` is missing"),
        ("csv:offset=0:bytes", "columns are counted from 1"),
        ("csv:offset=3", "offset has the unit ``: expected bytes, sectors or a number"),
        ("csv:offset=3:pages,size=4:bytes", "offset has the unit `pages`"),
        ("csv:offset=3:bytes,size=4:bytes", "nothing says what is a read"),
        ("csv:offset=3:bytes,size=4:bytes,op=2,read=1", "both `op` and `read`"),
        ("csv:offset=3:bytes,size=4:bytes,op=2:R", "expected READ/WRITE"),
        ("csv:offset=3:bytes,size=4:bytes,op=2:R/r", "`r` means two things"),
        ("csv:offset=3:bytes,size=4:bytes,op=2,other=keep", "expected skip"),
        ("csv:offset=3:bytes,size=4:bytes,op=2,sep=ab", "sep = `ab`"),
        ("csv:offset=3:bytes,size=4:bytes,op=2,header=x", "expected a number of lines"),
        ("csv:offset=3:bytes,size=4:bytes,op=2,time=1:min", "time has the unit `min`"),
        ("csv:offset=ofset:bytes,size=4:bytes,op=2", "no column is called `ofset`"),
    ] {
        let message = refusal(MSR.as_bytes(), Some(format));
        assert!(message.contains(expected), "{format}: {message}");
    }
    let header = "time,op,offset,size\n";
    let message = refusal(header.as_bytes(), Some("csv:offset=ofset:bytes,size=size:bytes,read=1"));
    assert!(message.contains("did you mean `offset`?"), "{message}");
}

#[test]
fn blocks_of_spc_are_as_large_as_one_says() {
    let (requests, ..) = parse(b"0,3,512,R,0.5\n", Some("spc:block=4096")).expect("read");
    assert_eq!(requests[0].offset_bytes, 3 * 4096);
}

#[test]
fn a_mix_stands_in_for_operations() {
    let lines = "0,512\n".repeat(1000);
    let (requests, ..) =
        parse(lines.as_bytes(), Some("csv:offset=1:bytes,size=2:bytes,read=0.3")).expect("read");
    let reads = requests.iter().filter(|request| request.op == Op::Read).count();
    assert!((250..350).contains(&reads), "{reads}");
}

#[test]
fn a_requeued_request_is_passed_over_once_on_its_own_device() {
    let lines = "8,0 1 1 0.1 5 D W 100 + 8 [a]\n\
                 8,16 1 2 0.2 5 D W 900 + 8 [a]\n\
                 8,0 1 3 0.3 5 R W 100 + 8 [a]\n\
                 8,16 1 4 0.4 5 D W 100 + 8 [a]\n\
                 8,0 1 5 0.5 5 D W 100 + 8 [a]\n\
                 8,0 1 6 0.6 5 D W 100 + 8 [a]\n";
    let (requests, _, skipped) = parse(lines.as_bytes(), Some("blkparse")).expect("read");
    let seen: Vec<u64> = requests.iter().map(|request| request.arrival_ns / 100_000_000).collect();
    // The fifth is the first again; the sixth is another one of the same place.
    assert_eq!(seen, [0, 1, 3, 5]);
    assert_eq!(skipped.iter().map(|skipped| skipped.count).sum::<u64>(), 2);
}

#[test]
fn a_request_that_a_device_above_passes_on_counts_once() {
    let lines = "253,0 1 1 0.1 5 Q W 100 + 8 [a]\n\
                 8,0 1 2 0.2 5 A W 612 + 8 <- (253,0) 100\n\
                 8,0 1 3 0.3 5 Q W 612 + 8 [a]\n\
                 8,0 1 4 0.4 5 A W 900 + 8 <- (8,1) 388\n\
                 8,0 1 5 0.5 5 Q W 900 + 8 [a]\n";
    let (requests, _, skipped) = parse(lines.as_bytes(), Some("blkparse:event=Q")).expect("read");
    let sectors: Vec<u64> = requests.iter().map(|request| request.offset_bytes / 512).collect();
    assert_eq!(sectors, [100, 900]);
    assert_eq!(skipped.iter().map(|skipped| skipped.count).sum::<u64>(), 3);
    let message = refusal(lines.as_bytes(), Some("blkparse"));
    assert!(message.contains("without a request; 3 passed over: event Q (queued)"), "{message}");
    assert!(message.contains("event: the events to read"), "{message}");
}

#[test]
fn other_commands_are_counted_by_name() {
    let example = examples().into_iter().find(|e| e.format == "cloudphysics").expect("there");
    let skipped = parse(&example.bytes, None).expect("read").2;
    let reasons: Vec<(&str, u64)> = skipped.iter().map(|s| (s.reason, s.count)).collect();
    assert_eq!(reasons, [("INQUIRY", 1), ("READ or WRITE of no data", 1)]);
}
