//! Traces whose columns the options name.

use super::{Example, MS, request, text};
use crate::read::TimeUnit;
use crate::{Op, PlacementId, Request};

pub(super) fn generic() -> Vec<Example> {
    let named = |format, unit, lines, requests, empty| Example {
        is_recognised: false,
        ..text(format, unit, lines, requests, empty)
    };
    let two = || vec![request(0, 0, Op::Read, 4096, 512), request(MS, 1, Op::Write, 0, 1024)];
    vec![
        named(
            "csv:time=1:us,op=2,offset=3:bytes,size=4:sectors,volume=5",
            TimeUnit::MICROSECOND,
            "5000,R,4096,1,a\n6000,write,0,2,b\n",
            two(),
            ("7000,R,0,0,a", "size"),
        ),
        named(
            "csv:time=at:ms,op=what:28|88/2A|8a,offset=place:sectors,size=length:bytes,\
             volume=disk,sep=semicolon",
            TimeUnit::MILLISECOND,
            "disk;\"at\";what;place;length\n\"x\";5.0;28;8;512\n\"y\";6.000000;8a;0;1024\n",
            two(),
            ("y;7;8a;0;0", "size"),
        ),
        Example {
            skipped: 1,
            ..named(
                "csv:op=1:0/1/2/3/4,offset=2:4096,size=3:512,sep=blanks,header=2,other=skip",
                TimeUnit::NONE,
                "a title\nop place length\n0  1 1\n1\t0 2\n9 9 9\n2 1 1\n3 0 0\n4 0 1\n",
                vec![
                    request(0, 0, Op::Read, 4096, 512),
                    request(0, 0, Op::Write, 0, 1024),
                    request(0, 0, Op::Trim, 4096, 512),
                    Request::flush(0, 0),
                    Request { fua: true, ..request(0, 0, Op::Write, 0, 512) },
                ],
                ("0 0 0", "size"),
            )
        },
        named(
            "csv:op=1,offset=2:bytes,size=3:bytes,placement=pid",
            TimeUnit::NONE,
            "op,at,bytes,pid\nw,0,512,3\nw,512,512,\nr,0,512,x\nw,0,512,0xffff\n",
            vec![
                request(0, 0, Op::Write, 0, 512).with_placement(Some(PlacementId(3))),
                request(0, 0, Op::Write, 512, 512),
                request(0, 0, Op::Read, 0, 512),
                request(0, 0, Op::Write, 0, 512).with_placement(Some(PlacementId(65535))),
            ],
            ("w,0,512,65536", "placement"),
        ),
        named(
            "csv:offset=1:bytes,size=2:bytes,read=1,sep=|",
            TimeUnit::NONE,
            "0|512\n512|1024\n",
            vec![request(0, 0, Op::Read, 0, 512), request(0, 0, Op::Read, 512, 1024)],
            ("0|0", "size"),
        ),
    ]
}
