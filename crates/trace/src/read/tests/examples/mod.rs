//! A trace in each format, with what must be read from it.

mod binary;
mod generic;

use super::request;
use crate::read::TimeUnit;
use crate::{Op, Request};

/// A trace and what must be read from it.
pub(in crate::read) struct Example {
    /// What `--format` would have to say.
    pub format: &'static str,
    /// Whether its format is recognised without being named.
    pub is_recognised: bool,
    pub bytes: Vec<u8>,
    pub unit: TimeUnit,
    pub requests: Vec<Request>,
    /// Records that are passed over.
    pub skipped: u64,
    /// Of a text format: a line whose size is zero, and the column that the message must name.
    pub empty: Option<(&'static str, &'static str)>,
    /// Of a text format: a line of an earlier time than any above.
    pub earlier: Option<&'static str>,
}

impl Example {
    pub fn name(&self) -> &'static str {
        self.format.split(':').next().unwrap_or(self.format)
    }

    pub fn is_text(&self) -> bool {
        self.empty.is_some()
    }
}

fn text(
    format: &'static str,
    unit: TimeUnit,
    text: &str,
    requests: Vec<Request>,
    empty: (&'static str, &'static str),
) -> Example {
    Example {
        format,
        is_recognised: true,
        bytes: text.into(),
        unit,
        requests,
        skipped: 0,
        empty: Some(empty),
        earlier: None,
    }
}

const MS: u64 = 1_000_000;
const S: u64 = 1_000_000_000;

pub(in crate::read) fn examples() -> Vec<Example> {
    let mut all = servers();
    all.extend(fiu());
    all.extend(simulators());
    all.extend(clouds());
    all.extend(blkparse());
    all.extend(fio());
    all.extend(generic::generic());
    all.extend(binary::binary());
    all
}

fn servers() -> Vec<Example> {
    vec![
        Example {
            earlier: Some("128166372003061620,hm,0,Read,0,512,1"),
            ..text(
                "msr",
                TimeUnit::TICK,
                "128166372003061629,hm,0,Read,383496192,32768,413\n\
                 128166372003071629,hm,1,Write,4096,512,0\n",
                vec![
                    request(0, 0, Op::Read, 383_496_192, 32_768),
                    request(MS, 1, Op::Write, 4096, 512),
                ],
                ("128166372003071629,hm,1,Write,4096,0,0", "Size"),
            )
        },
        Example {
            earlier: Some("0,0,512,R,0.1"),
            ..text(
                "spc",
                TimeUnit::SECOND,
                "0,20941264,8192,W,0.551706\n1,20939840,3072,r,0.554041,extra\n",
                vec![
                    request(0, 0, Op::Write, 20_941_264 * 512, 8192),
                    request(2_335_000, 1, Op::Read, 20_939_840 * 512, 3072),
                ],
                ("0,1,0,W,1.0", "Size"),
            )
        },
        Example {
            skipped: 1,
            ..text(
                "systor",
                TimeUnit::SECOND,
                "Timestamp,Response,IOType,LUN,Offset,Size\n\
                 1456095145.133076000,0.000806000,R,0,899056122368,131072\n\
                 1456095145.134076000,,,3,512,512\n\
                 1456095145.132076000,0.9,R,3,0,512\n\
                 1456095145.135076000,,W,3,512,512\n",
                vec![
                    request(0, 3, Op::Read, 0, 512),
                    request(MS, 0, Op::Read, 899_056_122_368, 131_072),
                    request(3 * MS, 3, Op::Write, 512, 512),
                ],
                ("1456095146.0,,W,3,512,0", "Size"),
            )
        },
    ]
}

fn fiu() -> Vec<Example> {
    vec![
        Example {
            earlier: Some("5 1 nfsd 8 8 W 6 0 ab"),
            ..text(
                "fiu",
                TimeUnit::NANOSECOND,
                "89966527950584 4253 nfsd 508516672 8 W 6 0 88b93b\n\
                 89966527996712 9 a b 16 1 R 8 1\n\
                 89966527996713 9 x 0 8 W 6 0 1 2 3 4 5 6 7 8\n",
                vec![
                    request(0, 0, Op::Write, 508_516_672 * 512, 4096),
                    request(46_128, 1, Op::Read, 8192, 512),
                    request(46_129, 0, Op::Write, 0, 4096),
                ],
                ("89966527996714 9 x 0 0 W 6 0 1", "size"),
            )
        },
        text(
            "fiu",
            TimeUnit::SECOND,
            "0.000000 1 nfsd 8 8 W 6 0 ab\n1.5 1 nfsd 8 8 R 6 0 ab\n",
            vec![request(0, 0, Op::Write, 4096, 4096), request(1500 * MS, 0, Op::Read, 4096, 4096)],
            ("1.5 1 nfsd 8 0 R 6 0 ab", "size"),
        ),
    ]
}

fn simulators() -> Vec<Example> {
    let requests =
        |gap_ns| vec![request(0, 0, Op::Write, 4096, 8192), request(gap_ns, 3, Op::Read, 0, 512)];
    vec![
        Example {
            earlier: Some("999 0 8 16 0"),
            ..text(
                "mqsim",
                TimeUnit::NANOSECOND,
                "1000 0 8 16 0\n2500 3 0 1 1\n",
                requests(1500),
                ("3000 0 8 0 0", "size"),
            )
        },
        Example {
            earlier: Some("0.1 0 8 16 0"),
            ..text(
                "disksim",
                TimeUnit::MILLISECOND,
                "0.500000 0 8 16 0\n1.000001\t3  0 1 1\n",
                requests(500_001),
                ("3.0 0 8 0 0", "size"),
            )
        },
    ]
}

fn clouds() -> Vec<Example> {
    vec![
        Example {
            earlier: Some("0,R,0,512,1577808000000600"),
            ..text(
                "alibaba",
                TimeUnit::MICROSECOND,
                "0,R,126703644672,4096,1577808000000626\n523,W,8192,512,1577808000001626\n",
                vec![
                    request(0, 0, Op::Read, 126_703_644_672, 4096),
                    request(MS, 523, Op::Write, 8192, 512),
                ],
                ("523,W,8192,0,1577808000001626", "length"),
            )
        },
        Example {
            earlier: Some("1538323199,0,8,0,1"),
            ..text(
                "tencent",
                TimeUnit::SECOND,
                "1538323200,12910952,128,0,1063\n1538323201,8,1,1,25\n",
                vec![
                    request(0, 1063, Op::Read, 12_910_952 * 512, 65_536),
                    request(S, 25, Op::Write, 4096, 512),
                ],
                ("1538323201,8,0,1,25", "Size"),
            )
        },
        Example {
            skipped: 2,
            earlier: Some("1,5633897,28,512,0"),
            ..text(
                "cloudphysics",
                TimeUnit::SECOND,
                "version,time,op,size,lbn\n1,5633898,2a,512,42932745\n1,5633898,12,36,0\n\
                 1,5633899,28,0,8\n1,5633899,35,0,0\n1,5633900,88,8192,8\n",
                vec![
                    request(0, 0, Op::Write, 42_932_745 * 512, 512),
                    request(S, 0, Op::Flush, 0, 0),
                    request(2 * S, 0, Op::Read, 4096, 8192),
                ],
                // A transfer of nothing is legal SCSI, and passed over; a size must be there.
                ("1,5633900,2a,,0", "size"),
            )
        },
    ]
}

fn blkparse() -> Vec<Example> {
    let blkparse = "  8,16   5        1     0.000000000 18615  A   R 1444 + 256 <- (8,17) 1410\n  \
                    8,16   5        2     0.000001850 18615  Q   R 1444 + 256 [java]\n  \
                    8,16   5        0     0.000012990     0  m   N cfq18615S / insert_request\n  \
                    8,16   5        3     0.001000000 18615  D   R 1444 + 256 [java]\n  \
                    8,0    1        4     0.002000000 18615  D  DS 8 + 16 [fstrim]\n  \
                    8,16   1        5     0.003000000   531  D FWFS 16 + 8 [jbd2]\n  \
                    8,16   1        6     0.003000000   531  D  FN [jbd2]\n  \
                    8,16   1        7     0.004000000   531  R   W 16 + 8 [jbd2]\n  \
                    8,16   1        8     0.005000000   531  D   W 16 + 8 [jbd2]\n  \
                    8,16   1        9     0.005000000    53  D   N 0 (00 ..) [ksoftirqd/3]\n\
                    CPU5 (8,16):\n Reads Queued:          38,     1234KiB\n";
    let issued = vec![
        request(0, 0, Op::Read, 1444 * 512, 131_072),
        request(MS, 1, Op::Trim, 4096, 8192),
        Request::flush(2 * MS, 0),
        Request { fua: true, ..request(2 * MS, 0, Op::Write, 8192, 4096) },
        Request::flush(2 * MS, 0),
    ];
    vec![
        Example {
            skipped: 8,
            earlier: Some("8,16 1 7 0.0005 1 D R 8 + 8 [a]"),
            ..text(
                "blkparse",
                TimeUnit::SECOND,
                blkparse,
                issued,
                ("8,16 1 7 0.5 1 D R 8 + x [a]", "sectors"),
            )
        },
        Example {
            skipped: 11,
            is_recognised: false,
            ..text(
                "blkparse:event=Q",
                TimeUnit::SECOND,
                blkparse,
                vec![request(0, 0, Op::Read, 1444 * 512, 131_072)],
                ("8,16 1 7 0.5 1 Q R 8 + x [a]", "sectors"),
            )
        },
    ]
}

fn fio() -> Vec<Example> {
    let fio = "fio version 3 iolog\n0 /dev/sda add\n1 /dev/sda open\n5 /dev/sda write 4096 8192\n\
               9 /dev/sdb trim 0 512\n12 /dev/sda sync 0 0\n13 /dev/sda close\n";
    let waits = "fio version 2 iolog\n/a add\n/a open\n/a wait 4 0\n/a read 0 512\n/a wait 10 0\n\
                 /a wait 7 0\n/a write 512 512\n/a datasync 0 0\n/a close\n";
    let fio_requests = vec![
        request(0, 0, Op::Write, 4096, 8192),
        request(4000, 1, Op::Trim, 0, 512),
        request(7000, 0, Op::Flush, 0, 0),
    ];
    let waited = |gap_ns| {
        vec![
            request(0, 0, Op::Read, 0, 512),
            request(gap_ns, 0, Op::Write, 512, 512),
            request(gap_ns, 0, Op::Flush, 0, 0),
        ]
    };
    vec![
        Example {
            earlier: Some("1 /dev/sda read 0 512"),
            ..text(
                "fio",
                TimeUnit::MICROSECOND,
                fio,
                fio_requests,
                ("14 /dev/sda read 0 0", "length"),
            )
        },
        text("fio", TimeUnit::MILLISECOND, waits, waited(6 * MS), ("/a read 0 0", "length")),
        Example {
            is_recognised: false,
            ..text(
                "fio:wait=manual",
                TimeUnit::MICROSECOND,
                waits,
                waited(17_000),
                ("/a read 0 0", "length"),
            )
        },
    ]
}
