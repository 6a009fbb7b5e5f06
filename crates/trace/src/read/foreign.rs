//! Files that are known and are no block traces: what they are, and what to do instead.

/// A kind of file that is no block trace.
pub(super) struct Foreign {
    /// Whether a file begins so; the text is its first lines.
    is_it: fn(&str) -> bool,
    /// What it is.
    pub what: &'static str,
    /// What to do.
    pub help: &'static str,
}

const KEYS_HELP: &str = "replay it through that cache on a drive, and trace the drive with blktrace or fio's write_iolog";

const KNOWN: [Foreign; 7] = [
    Foreign {
        is_it: |text| text.starts_with('{') && text.contains("\"hash_ids\""),
        what: "a trace of requests to a language model, as Mooncake publishes them: blocks of tokens, and no \
               addresses on a drive",
        help: KEYS_HELP,
    },
    Foreign {
        is_it: |text| {
            text.starts_with("key,op,size,op_count,key_size")
                || text.starts_with("op_time,key,key_size,op,op_count,size")
        },
        what: "a trace of a key-value cache for CacheBench: keys and values, and no addresses on a drive",
        help: KEYS_HELP,
    },
    Foreign {
        is_it: |text| {
            text.trim_start_matches(['#', ' ']).starts_with("block_id io_offset io_size op_time")
        },
        what: "a trace of a distributed file system for CacheBench: offsets within its blocks, and no addresses on a \
               drive",
        help: KEYS_HELP,
    },
    Foreign {
        is_it: is_twemcache,
        what: "a trace of a key-value cache, as Twitter publishes them: keys and values, and no addresses on a drive",
        help: KEYS_HELP,
    },
    Foreign {
        is_it: |text| {
            ["rq_issue", "rq_insert", "rq_complete", "bio_queue"].iter().any(|event| {
                text.contains(&format!(": block_{event}: "))
                    || text.contains(&format!(" block:block_{event}: "))
            })
        },
        what: "the kernel's tracepoints, as ftrace and `perf script` print them",
        help: "trace with blktrace; or make its columns of the lines of block_rq_issue, as docs/formats/blkparse.md shows",
    },
    Foreign {
        is_it: |text| text.contains("<Execution_Parameter_Set>"),
        what: "MQSim's description of a drive, not a trace",
        help: "`wordline import mqsim` writes it as a drive in TOML",
    },
    Foreign {
        is_it: |text| text.contains("<MQSim_IO_Scenarios>"),
        what: "MQSim's description of workloads, not a trace",
        help: "`wordline import mqsim` writes it as phases in TOML; or give the trace that its File_Path names",
    },
];

/// Which of them a file is that begins with `sample`.
pub(super) fn of(sample: &[u8]) -> Option<&'static Foreign> {
    const LOOKED_AT: usize = 4096;
    let text = String::from_utf8_lossy(&sample[..sample.len().min(LOOKED_AT)]);
    KNOWN.iter().find(|foreign| (foreign.is_it)(text.trim_start()))
}

/// `time,key,key size,value size,client,operation,TTL`.
fn is_twemcache(text: &str) -> bool {
    const OPERATIONS: [&str; 11] = [
        "get", "gets", "set", "add", "replace", "cas", "append", "prepend", "delete", "incr",
        "decr",
    ];
    let columns: Vec<&str> = text.lines().next().unwrap_or_default().split(',').collect();
    // Keys may hold commas: the columns are counted from the end.
    let from_end = |place: usize| columns.len().checked_sub(place).map(|at| columns[at].trim());
    let is_number = |place| from_end(place).is_some_and(|text| text.parse::<u64>().is_ok());
    columns.len() >= 7
        && from_end(2).is_some_and(|text| OPERATIONS.contains(&text))
        && [1, 4, 5].into_iter().all(is_number)
}
