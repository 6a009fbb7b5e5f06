//! Benchmarks of drives that hold data: the memory that a large one takes for the little that is written to it, and
//! how fast a small one answers a client on a socket.

use crate::case::{Case, Goal, Measured};
use std::fs;
use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::Instant;
use wordline_nbd::{Address, Blocks, Export, Extent, Failure, Limits, Named, Server, Zeroing};
use wordline_serve::{Drive, Home, Logs, Pace, Place, Session};
use wordline_sim::config::load;
use wordline_sim::peak_rss_mib;

/// Memory, latency and rates.
pub const CASES: &[Case] = &[
    Case {
        goal: goal("serve/memory/raw", "GiB, 1.1 TiB drive", 8.0, false),
        run: |tiny| memory(RAW, tiny),
    },
    Case {
        goal: goal("serve/memory/ldpc", "GiB, 1.1 TiB drive", 8.0, false),
        run: |tiny| memory(LDPC, tiny),
    },
    Case {
        goal: goal("serve/memory/raw/share", "x programmed", 1.3, false),
        run: |tiny| share(RAW, tiny),
    },
    Case {
        goal: goal("serve/memory/ldpc/share", "x programmed", 1.3, false),
        run: |tiny| share(LDPC, tiny),
    },
    Case {
        goal: goal("serve/latency/raw/write", "µs, depth 1", 25.0, false),
        run: |tiny| latency(RAW, Kind::Write, tiny),
    },
    Case {
        goal: goal("serve/latency/raw/read", "µs, depth 1", 25.0, false),
        run: |tiny| latency(RAW, Kind::Read, tiny),
    },
    Case {
        goal: goal("serve/latency/none/write", "µs, depth 1", 25.0, false),
        run: |tiny| floor(Kind::Write, tiny),
    },
    Case {
        goal: goal("serve/rate/raw/write", "k/s, depth 16", 40.0, true),
        run: |tiny| rate(RAW, Kind::Write, tiny),
    },
    Case {
        goal: goal("serve/rate/raw/read", "k/s, depth 16", 40.0, true),
        run: |tiny| rate(RAW, Kind::Read, tiny),
    },
    Case {
        goal: goal("serve/rate/ldpc/write", "k/s, depth 16", 30.0, true),
        run: |tiny| rate(LDPC, Kind::Write, tiny),
    },
    Case {
        goal: goal("serve/rate/ldpc/read", "k/s, depth 16", 12.0, true),
        run: |tiny| rate(LDPC, Kind::Read, tiny),
    },
];

const fn goal(name: &'static str, unit: &'static str, value: f64, at_least: bool) -> Goal {
    Goal { name, unit, value, at_least }
}

/// A code, and the wrong bits that it is to correct.
#[derive(Debug, Clone, Copy)]
struct Code {
    name: &'static str,
    keys: &'static [&'static str],
}

const RAW: Code = Code { name: "raw", keys: &["data.code=none"] };
const LDPC: Code =
    Code { name: "ldpc", keys: &["data.code=ldpc", "data.errors=fixed", "data.rber=0.003"] };
const UNIT: usize = 4096;
const GIB: f64 = (1_u64 << 30) as f64;

/// GiB that a drive of 1.1 TiB takes once 4 GiB are written to it.
fn memory(code: Code, tiny: bool) -> Result<Measured, String> {
    Ok(Measured { value: alone(code, tiny)?.0, peak_rss_mib: peak_rss_mib() })
}

/// Bytes that the same drive takes for each byte that was programmed, besides what it takes empty.
fn share(code: Code, tiny: bool) -> Result<Measured, String> {
    Ok(Measured { value: alone(code, tiny)?.1, peak_rss_mib: peak_rss_mib() })
}

/// Both, measured by a process that has not done anything else: what that took would count.
fn alone(code: Code, tiny: bool) -> Result<(f64, f64), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let done = Command::new(program)
        .arg(format!("--memory={}", code.name))
        .args(tiny.then_some("--tiny"))
        .output()
        .map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&done.stdout);
    let mut numbers = said.split_whitespace().map(str::parse::<f64>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(gib)), Some(Ok(share))) => Ok((gib, share)),
        _ => Err(String::from_utf8_lossy(&done.stderr).into_owned()),
    }
}

/// GiB that a drive takes once some is written to it, and bytes for each byte that was programmed.
///
/// # Errors
/// There is no such code; the drive failed.
pub fn measure_memory(code: &str, tiny: bool) -> Result<String, String> {
    let code = [RAW, LDPC].into_iter().find(|it| it.name == code).ok_or("no such code")?;
    let (drive, empty) = written(code.keys, tiny)?;
    let taken = resident_bytes()?;
    let outcome = drive.finish().map_err(|error| error.to_string())?;
    let programmed = (outcome.result.flash.page_programs.total() * UNIT as u64) as f64;
    Ok(format!("{} {}", taken / GIB, (taken - empty) / programmed))
}

/// The drive, 4 GiB of it written, and the bytes that it took before.
fn written(code: &[&str], tiny: bool) -> Result<(Drive, f64), String> {
    let (blocks, bytes) = if tiny { (64, 8 << 20) } else { (90_112, 4 << 30) };
    let drive = drive(&[&[&*format!("drive.chip.blocks_per_plane={blocks}")], code].concat())?;
    let empty = resident_bytes()?;
    let piece: Vec<u8> = (0..1_u32 << 20).map(|byte| (byte % 251) as u8).collect();
    for at in (0..bytes).step_by(piece.len()) {
        drive.write(at, &piece, false).map_err(|fault| fault.to_string())?;
    }
    Ok((drive, empty))
}

fn drive(keys: &[&str]) -> Result<Drive, String> {
    let keys = keys.iter().chain(&["precondition.fill=0"]).map(|&key| key.to_owned());
    let keys: Vec<String> = keys.collect();
    let config = load("preset = \"peers-16g\"", "benchmark", &keys).map_err(|it| it.to_string())?;
    let drive = Drive::new(&config, Pace::Virtual, Home::Process, Logs::default(), &mut ());
    drive.map_err(|error| error.to_string())
}

/// Resident size of the process, in bytes.
fn resident_bytes() -> Result<f64, String> {
    let text = fs::read_to_string("/proc/self/status").map_err(|error| error.to_string())?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok());
    kib.map(|kib| kib * 1024.0).ok_or_else(|| "the system does not tell its resident size".into())
}

/// What a client asks for, by the protocol's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Read = 0,
    Write = 1,
}

/// Mean time of a request of a client that waits for each, in microseconds.
fn latency(code: Code, kind: Kind, tiny: bool) -> Result<Measured, String> {
    let (requests, seconds) = asked(code, kind, 1, tiny)?;
    Ok(Measured { value: 1e6 * seconds / requests, peak_rss_mib: peak_rss_mib() })
}

/// Thousand requests a second of a client that has 16 of them under way.
fn rate(code: Code, kind: Kind, tiny: bool) -> Result<Measured, String> {
    let (requests, seconds) = asked(code, kind, 16, tiny)?;
    Ok(Measured { value: 1e-3 * requests / seconds, peak_rss_mib: peak_rss_mib() })
}

/// Units of which requests choose one.
const REACH: u64 = 1 << 14;

/// Requests of a client on a socket, and how long they took.
fn asked(code: Code, kind: Kind, depth: usize, tiny: bool) -> Result<(f64, f64), String> {
    let drive = Arc::new(drive(code.keys)?);
    if kind == Kind::Read {
        let piece = vec![7; UNIT];
        for unit in 0..REACH {
            drive.write(unit * UNIT as u64, &piece, false).map_err(|fault| fault.to_string())?;
        }
    }
    asked_of(tiny, |path, requests| {
        let place = Place::new(&Address::Unix(path.to_owned()))?;
        let mut session = Session::start(drive, place, "benchmark")?;
        let seconds = Client::new(path)?.ask(kind, depth, requests)?;
        session.stop()?;
        Ok(seconds)
    })
}

/// The time of a device that does nothing: what sockets and this machine take.
fn floor(kind: Kind, tiny: bool) -> Result<Measured, String> {
    let (requests, seconds) = asked_of(tiny, |path, requests| {
        let server = Server::bind(&Address::Unix(path.to_owned()), Limits::default())?;
        let exports = [Named { name: "none", description: "", export: &Nothing }];
        thread::scope(|scope| {
            scope.spawn(|| server.run(&exports, &|_| {}));
            let seconds = Client::new(path).and_then(|mut it| it.ask(kind, 1, requests));
            server.stop();
            seconds
        })
    })?;
    Ok(Measured { value: 1e6 * seconds / requests, peak_rss_mib: peak_rss_mib() })
}

fn asked_of(
    tiny: bool,
    ask: impl FnOnce(&Path, usize) -> io::Result<f64>,
) -> Result<(f64, f64), String> {
    let requests = if tiny { 200 } else { 200_000 };
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let seconds = ask(&folder.path().join("socket"), requests);
    Ok((requests as f64, seconds.map_err(|error| error.to_string())?))
}

/// A device that does nothing.
struct Nothing;

impl Export for Nothing {
    fn size(&self) -> u64 {
        REACH * UNIT as u64
    }

    fn blocks(&self) -> Blocks {
        Blocks { minimum: 512, preferred: UNIT as u32, maximum: 32 << 20 }
    }

    fn read(&self, _: u64, data: &mut [u8]) -> Result<(), Failure> {
        data.fill(7);
        Ok(())
    }

    fn write(&self, _: u64, _: &[u8], _: bool) -> Result<(), Failure> {
        Ok(())
    }

    fn trim(&self, _: u64, _: u64, _: bool) -> Result<(), Failure> {
        Ok(())
    }

    fn zero(&self, _: u64, _: u64, _: Zeroing) -> Result<(), Failure> {
        Ok(())
    }

    fn flush(&self) -> Result<(), Failure> {
        Ok(())
    }

    fn extents(&self, _: u64, length: u64, each: &mut dyn FnMut(Extent) -> ControlFlow<()>) {
        let _ = each(Extent { length, hole: false, zero: false });
    }
}

/// A client of the protocol, as far as this needs one.
struct Client(UnixStream);

const REPLY: usize = 16;

impl Client {
    fn new(path: &Path) -> io::Result<Self> {
        let mut stream = UnixStream::connect(path)?;
        stream.read_exact(&mut [0; 18])?;
        // No zeroes after the choice; the first export, by its oldest option.
        stream.write_all(
            &[&3_u32.to_be_bytes()[..], b"IHAVEOPT", &[0, 0, 0, 1, 0, 0, 0, 0]].concat(),
        )?;
        stream.read_exact(&mut [0; 10])?;
        Ok(Self(stream))
    }

    /// Asks for units all over the place, so many at a time; how long that takes, in seconds.
    fn ask(&mut self, kind: Kind, depth: usize, requests: usize) -> io::Result<f64> {
        let payload = if kind == Kind::Write { UNIT } else { 0 };
        let mut message = vec![1; 28 + payload];
        message[..4].copy_from_slice(&0x2560_9513_u32.to_be_bytes());
        message[4..8].copy_from_slice(&[0, 0, 0, kind as u8]);
        message[24..28].copy_from_slice(&(UNIT as u32).to_be_bytes());
        let mut reply = vec![0; REPLY + UNIT - payload];
        let begun = Instant::now();
        for number in 0..requests + depth {
            if number >= depth {
                self.0.read_exact(&mut reply)?;
                if reply[4..8] != [0; 4] {
                    return Err(io::Error::other("a request failed"));
                }
            }
            if number < requests {
                let unit = (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 50;
                message[16..24].copy_from_slice(&(unit * UNIT as u64).to_be_bytes());
                self.0.write_all(&message)?;
            }
        }
        Ok(begun.elapsed().as_secs_f64())
    }
}
