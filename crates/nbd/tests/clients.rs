//! Clients that others wrote: libnbd's tools and its Python, QEMU's, fio, the one of NBD's own tests. One that is not installed is
//! skipped, and the test says so.

mod common;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use common::Memory;
use common::server::served;
use wordline_nbd::Limits;

const MIB: usize = 1 << 20;

fn installed(program: &str, argument: &str) -> bool {
    let found = Command::new(program).arg(argument).output();
    let found = found.is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("SKIPPED: {program} {argument} does not run here");
    }
    found
}

fn limits() -> Limits {
    // The machine may be busy.
    Limits { handshake: Duration::from_secs(60), ..Limits::default() }
}

fn uri(path: &Path) -> String {
    format!("nbd+unix:///drive?socket={}", path.display())
}

#[track_caller]
fn run(program: &str, arguments: &[&str]) -> String {
    let Output { status, stdout, stderr } =
        Command::new(program).args(arguments).output().expect("it is installed");
    let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{program} {arguments:?}: {status}\n{stdout}\n{stderr}");
    stdout.into_owned()
}

/// Bytes that no other place holds.
fn pattern(length: usize) -> Vec<u8> {
    (0..length as u64 / 8)
        .flat_map(|word| (word.wrapping_mul(0x9e37_79b9_7f4a_7c15)).to_le_bytes())
        .collect()
}

#[test]
fn nbdinfo_sees_what_there_is() {
    if !installed("nbdinfo", "--version") {
        return;
    }
    let memory = Memory::new(8 * MIB, 0);
    memory.bytes()[MIB..2 * MIB].fill(7);
    served(&memory, limits(), |_, path| {
        let told = run(
            "nbdinfo",
            &["--list", "--json", &format!("nbd+unix:///?socket={}", path.display())],
        );
        for fact in [
            r#""protocol": "newstyle-fixed""#,
            r#""structured": true"#,
            r#""export-name": "drive""#,
            r#""description": "some bytes""#,
            r#""export-size": 8388608"#,
            r#""can_df": true"#,
            r#""can_fast_zero": true"#,
            r#""can_flush": true"#,
            r#""can_fua": true"#,
            r#""can_multi_conn": true"#,
            r#""can_trim": true"#,
            r#""can_zero": true"#,
            r#""block_size_maximum": 33554432"#,
            r#""base:allocation""#,
        ] {
            assert!(told.contains(fact), "{fact} is missing in {told}");
        }
        let map = run("nbdinfo", &["--map", &uri(path)]);
        let map: Vec<Vec<&str>> =
            map.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(map[0], ["0", "1048576", "3", "hole,zero"]);
        assert_eq!(map[1], ["1048576", "1048576", "0", "data"]);
        assert_eq!(map[2], ["2097152", "6291456", "3", "hole,zero"]);
    });
}

#[test]
fn nbdcopy_brings_back_what_it_took() {
    if !installed("nbdcopy", "--version") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (file, back) = (folder.path().join("file"), folder.path().join("back"));
    let mut bytes = pattern(16 * MIB);
    bytes[3 * MIB..9 * MIB].fill(0);
    fs::write(&file, &bytes).unwrap();
    for depth in [1, 8] {
        let mut memory = Memory::new(16 * MIB, 7);
        memory.depth = depth;
        served(&memory, limits(), |_, path| {
            let name = |file: &Path| file.to_str().unwrap().to_owned();
            run("nbdcopy", &["--flush", "--request-size=524288", &name(&file), &uri(path)]);
            assert!(*memory.bytes() == bytes);
            run("nbdcopy", &["--connections=4", &uri(path), &name(&back)]);
            assert!(fs::read(&back).unwrap() == bytes);
        });
    }
}

#[test]
fn qemu_io_writes_zeroes_trims_and_reads() {
    if !installed("qemu-io", "--version") {
        return;
    }
    let memory = Memory::new(8 * MIB, 7);
    served(&memory, limits(), |_, path| {
        let commands = [
            "write -P 1 513 1000",
            "read -P 1 513 1000",
            "read -P 7 0 513",
            "write -f -P 2 1M 2M",
            "read -P 2 1M 2M",
            "write -z 4M 64k",
            "write -z -u 5M 64k",
            "write -z -n -u 5M 64k",
            "read -P 0 5M 64k",
            "discard 6M 1M",
            "read -P 0 6M 1M",
            "read -P 7 7M 1M",
            "map",
            "flush",
        ];
        let commands: Vec<&str> = commands.iter().flat_map(|command| ["-c", *command]).collect();
        let uri = uri(path);
        let told = run("qemu-io", &[&["-f", "raw"], &commands[..], &[uri.as_str()]].concat());
        assert!(!told.contains("Pattern verification failed"), "{told}");
    });
    let bytes = memory.bytes();
    assert!(bytes[MIB..3 * MIB].iter().all(|&byte| byte == 2));
    assert!(bytes[6 * MIB..7 * MIB].iter().all(|&byte| byte == 0));
    assert!(memory.safe.load(std::sync::atomic::Ordering::SeqCst) >= 1);
}

const LIBNBD: &str = r#"
import errno, nbd, sys
uri, size = sys.argv[1], 8 << 20
h = nbd.NBD()
h.add_meta_context(nbd.CONTEXT_BASE_ALLOCATION)
h.connect_uri(uri)
assert h.get_size() == size and h.get_structured_replies_negotiated() and h.can_multi_conn()
assert h.can_meta_context(nbd.CONTEXT_BASE_ALLOCATION)
h.pwrite(b"abcde", 511)
assert h.pread(7, 510) == b"\x07abcde\x07"
h.pwrite(b"x", 4096, nbd.CMD_FLAG_FUA)
h.trim(512, 8192, nbd.CMD_FLAG_FUA)
h.zero(512, 16384, nbd.CMD_FLAG_NO_HOLE)
h.zero(512, 16384, nbd.CMD_FLAG_FAST_ZERO)
h.flush()
other = nbd.NBD()
other.connect_uri(uri)
assert other.pread(1, 4096) == b"x"
other.flush()

# Long requests, in pieces, and in one.
data = bytes(range(256)) * (4 << 10)
data = data + bytes(1 << 20) + data
h.pwrite(data, 1 << 20)
pieces = []
def piece(buffer, offset, status, error):
    assert error.value == 0
    pieces.append((offset, len(buffer), status))
assert h.pread_structured(len(data), 1 << 20, piece) == data
assert pieces == [(1 << 20, 1 << 20, nbd.READ_DATA), (2 << 20, 1 << 20, nbd.READ_HOLE),
                  (3 << 20, 1 << 20, nbd.READ_DATA)], pieces
pieces.clear()
assert h.pread_structured(len(data), 1 << 20, piece, nbd.CMD_FLAG_DF) == data
assert [kind for _, _, kind in pieces] == [nbd.READ_DATA]

extents = []
def status(context, offset, entries, error):
    extents.extend(entries)
h.block_status(4 << 20, 1 << 20, status)
assert extents == [1 << 20, 0, 1 << 20, 3, 2 << 20, 0], extents
extents.clear()
h.block_status(4 << 20, 1 << 20, status, nbd.CMD_FLAG_REQ_ONE)
assert extents == [1 << 20, 0]

# What the server refuses, with its error, after which it goes on.
def fails(number, call, *arguments):
    try:
        call(*arguments)
    except nbd.Error as error:
        assert error.errno == errno.errorcode[number], (error.errno, number)
    else:
        raise AssertionError(f"{call} {arguments} did not fail")
h.set_strict_mode(0)
fails(errno.EINVAL, h.pread, 2, size - 1)
fails(errno.ENOSPC, h.pwrite, b"ab", size - 1)
fails(errno.ENOSPC, h.zero, 2, size - 1)
fails(errno.EINVAL, h.trim, 2, size - 1)
fails(errno.ENOTSUP, h.zero, 512, 0, nbd.CMD_FLAG_FAST_ZERO | nbd.CMD_FLAG_NO_HOLE)
fails(errno.EIO, h.pread, 512, 6 << 20)
assert h.pread(1, size - 1) == b"\x07"

# Many at once.
buffers = [nbd.Buffer(4096) for _ in range(64)]
cookies = [h.aio_pread(buffer, 4096 * index) for index, buffer in enumerate(buffers)]
while h.aio_in_flight():
    h.poll(-1)
assert all(h.aio_command_completed(cookie) for cookie in cookies)
h.shutdown()
other.shutdown()
"#;

#[test]
fn libnbd_agrees_in_every_call() {
    if !installed("/usr/bin/python3", "-cimport nbd") {
        return;
    }
    for depth in [1, 8] {
        let mut memory = Memory::new(8 * MIB, 7);
        memory.broken = Some((6 * MIB + 100) as u64);
        memory.depth = depth;
        served(&memory, limits(), |_, path| {
            run("/usr/bin/python3", &["-c", LIBNBD, &uri(path)]);
        });
    }
}

#[test]
fn fio_verifies_what_it_wrote_and_trimmed() {
    if !installed("fio", "--enghelp=nbd") {
        return;
    }
    for (depth, pattern) in [(1, "randwrite"), (8, "randtrimwrite")] {
        let mut memory = Memory::new(16 * MIB, 0);
        memory.depth = depth;
        served(&memory, limits(), |_, path| {
            let engine = format!("--uri={}", uri(path));
            let job = format!("--rw={pattern}");
            let size = [
                "--size=16m",
                "--bsrange=4k-64k",
                "--iodepth=16",
                "--verify=crc32c",
                // It would leave a file in the folder that the test runs in.
                "--verify_state_save=0",
                "--serialize_overlap=1",
            ];
            let rest =
                ["--name=job", "--ioengine=nbd", &engine, &job, "--verify_fatal=1", "--randseed=1"];
            run("fio", &[&rest[..], &size[..]].concat());
        });
    }
}

/// Where a program lies, if it can be found.
fn found(program: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    let found = env::split_paths(&folders).map(|it| it.join(program)).find(|it| it.is_file());
    if found.is_none() {
        eprintln!("SKIPPED: {program} is not in PATH");
    }
    found
}

/// The client that NBD's own server is tested with, in `tests/run` of its source; no distribution has a package of it. The log
/// of requests that belongs to it is replayed where it lies beside it. Its other log has requests beyond 32 MiB, which no client
/// may send without having asked.
#[test]
fn the_test_client_of_nbd_s_own_server_finds_no_fault() {
    let program = "nbd-tester-client";
    let Some(place) = found(program) else { return };
    let log = place.with_file_name("integrity-test.tr");
    for depth in [1, 8] {
        let ask = |each: &[&[&str]]| {
            let mut memory = Memory::new(50 * MIB, 0);
            memory.depth = depth;
            served(&memory, limits(), |_, path| {
                let socket = path.display().to_string();
                for options in each {
                    run(program, &[*options, &["-N", "drive", "-u", &socket]].concat());
                }
            });
        };
        ask(&[&[], &["-w"], &["-w", "-f"], &["-o"], &["-h"]]);
        if log.is_file() {
            ask(&[&["-i", "-t", &log.display().to_string()]]);
        }
    }
}
