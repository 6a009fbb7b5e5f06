//! MSR Cambridge CSV.

use super::ascii::put_number;
use super::encoder::Encoder;
use crate::compact::TraceMeta;
use crate::read::{TimeUnit, UNIX_EPOCH_TICKS};
use crate::{Op, Request};

const TICK_NS: u64 = TimeUnit::TICK.ns;

/// Writes `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`, without a header as in the
/// published traces. A request holds no response time: the column is 0.
pub(super) struct Msr {
    start_ticks: u64,
    host: String,
}

impl Msr {
    pub fn new(meta: &TraceMeta) -> Self {
        let start_ticks = meta.start_unix_ns.map_or(0, |start| UNIX_EPOCH_TICKS + start / TICK_NS);
        // A column ends at a comma, and a line at a line feed.
        let host: String =
            meta.name.chars().map(|c| if c == ',' || c.is_control() { '_' } else { c }).collect();
        Self { start_ticks, host: if host.is_empty() { "trace".to_owned() } else { host } }
    }
}

impl Encoder for Msr {
    fn begin(&mut self, _: &mut Vec<u8>) {}

    fn encode(&mut self, requests: &[Request], out: &mut Vec<u8>) {
        for request in requests {
            put_number(self.start_ticks.saturating_add(request.arrival_ns / TICK_NS), out);
            out.push(b',');
            out.extend_from_slice(self.host.as_bytes());
            out.push(b',');
            put_number(u64::from(request.stream), out);
            out.extend_from_slice(if request.op == Op::Read { b",Read," } else { b",Write," });
            put_number(request.offset_bytes, out);
            out.push(b',');
            put_number(u64::from(request.size_bytes), out);
            out.extend_from_slice(b",0\n");
        }
    }

    fn end(&mut self, _: &[String], _: &[String], _: &mut Vec<u8>) {}
}
