//! SCSI commands as traces of virtual disks record them.
//!
//! Operation codes: INCITS 514-2014, SCSI Block Commands 3 (SBC-3), table 13, and INCITS 513-2015,
//! SCSI Primary Commands 4 (SPC-4), annex E.

use crate::read::format::Record;
use crate::{Op, Request};

/// What a command with operation code `opcode` asks for.
#[inline]
pub(super) fn record(
    opcode: u8,
    arrival_ns: u64,
    offset_bytes: u64,
    size_bytes: u32,
    stream: u32,
) -> Record {
    let op = match opcode {
        0x08 | 0x28 | 0xa8 | 0x88 => Op::Read,
        0x0a | 0x2a | 0xaa | 0x8a | 0x2e | 0xae | 0x8e => Op::Write,
        0x35 | 0x91 => {
            return Record::Request(Request::flush(arrival_ns, stream));
        }
        other => return without_data(other),
    };
    if size_bytes == 0 {
        return Record::Skipped("READ or WRITE of no data");
    }
    Record::Request(Request::new(op, offset_bytes, size_bytes).at(arrival_ns).of_stream(stream))
}

/// A command that moves no data of the host, or does not say which.
fn without_data(opcode: u8) -> Record {
    Record::Noted(match opcode {
        0x00 => "TEST UNIT READY",
        0x03 => "REQUEST SENSE",
        0x12 => "INQUIRY",
        0x16 | 0x17 | 0x56 | 0x57 | 0x5e | 0x5f => "reservation",
        0x1a | 0x5a => "MODE SENSE",
        0x1b => "START STOP UNIT",
        0x25 | 0x9e => "READ CAPACITY",
        0x2f | 0x8f | 0xaf => "VERIFY",
        0x41 | 0x93 => return Record::Skipped("WRITE SAME (the trace has not its length)"),
        0x42 => return Record::Skipped("UNMAP (the trace has not its ranges)"),
        0x89 => return Record::Skipped("COMPARE AND WRITE"),
        0xa0 => "REPORT LUNS",
        _ => return Record::Skipped("other SCSI command"),
    })
}
