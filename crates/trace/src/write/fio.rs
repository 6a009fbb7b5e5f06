//! fio's iologs, versions 2 and 3 (fio documentation, "Trace file format v2" and "v3").
//!
//! What `wait` of version 2 means is taken from fio's program (`iolog.c`), which waits until that
//! many milliseconds after the start; its manual says otherwise.
//!
//! A volume is a file called `volume-N`, by which the reader knows its number again; it is added
//! and opened where it is met first, and closed at the end.

use std::collections::BTreeSet;

use super::ascii::put_number;
use super::encoder::Encoder;
use crate::{Op, Request};

const US_NS: u64 = 1000;
const MS_NS: u64 = 1_000_000;

/// Version 3: every line begins with its time.
#[derive(Default)]
pub(super) struct FioV3 {
    volumes: BTreeSet<u32>,
    last_us: u64,
}

impl Encoder for FioV3 {
    fn begin(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"fio version 3 iolog\n");
    }

    fn encode(&mut self, requests: &[Request], out: &mut Vec<u8>) {
        for request in requests {
            self.last_us = request.arrival_ns / US_NS;
            if self.volumes.insert(request.stream) {
                for action in ["add", "open"] {
                    self.put_action(request.stream, action, out);
                }
            }
            put_number(self.last_us, out);
            out.push(b' ');
            put_request(request, out);
        }
    }

    fn end(&mut self, _: &[String], _: &[String], out: &mut Vec<u8>) {
        for &volume in &self.volumes {
            self.put_action(volume, "close", out);
        }
    }
}

impl FioV3 {
    fn put_action(&self, volume: u32, action: &str, out: &mut Vec<u8>) {
        put_number(self.last_us, out);
        out.push(b' ');
        put_file_action(volume, action, out);
    }
}

/// Version 2: no times, but lines that say until when to wait.
#[derive(Default)]
pub(super) struct FioV2 {
    volumes: BTreeSet<u32>,
    last_ms: u64,
}

impl Encoder for FioV2 {
    fn begin(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"fio version 2 iolog\n");
    }

    fn encode(&mut self, requests: &[Request], out: &mut Vec<u8>) {
        for request in requests {
            if self.volumes.insert(request.stream) {
                for action in ["add", "open"] {
                    put_file_action(request.stream, action, out);
                }
            }
            let now_ms = request.arrival_ns / MS_NS;
            if now_ms > self.last_ms {
                put_file(request.stream, out);
                out.extend_from_slice(b" wait ");
                put_number(now_ms, out);
                out.extend_from_slice(b" 0\n");
                self.last_ms = now_ms;
            }
            put_request(request, out);
        }
    }

    fn end(&mut self, _: &[String], _: &[String], out: &mut Vec<u8>) {
        for &volume in &self.volumes {
            put_file_action(volume, "close", out);
        }
    }
}

fn put_file(volume: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(b"volume-");
    put_number(u64::from(volume), out);
}

fn put_file_action(volume: u32, action: &str, out: &mut Vec<u8>) {
    put_file(volume, out);
    out.push(b' ');
    out.extend_from_slice(action.as_bytes());
    out.push(b'\n');
}

/// Appends `file action offset length`.
fn put_request(request: &Request, out: &mut Vec<u8>) {
    put_file(request.stream, out);
    let action: &[u8] = match request.op {
        Op::Read => b" read ",
        Op::Write => b" write ",
        Op::Trim => b" trim ",
        Op::Flush => b" sync ",
    };
    out.extend_from_slice(action);
    put_number(request.offset_bytes, out);
    out.push(b' ');
    put_number(u64::from(request.size_bytes), out);
    out.push(b'\n');
}
