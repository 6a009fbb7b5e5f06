//! The five columns of MQSim and SSDSim.

use super::encoder::Encoder;
use crate::{Op, Request};

const SECTOR_BYTES: u64 = 512;

/// Writes `time device LBA size type`: ns, sectors of 512 bytes, 0 = write and 1 = read.
pub(super) struct Ascii;

impl Encoder for Ascii {
    fn begin(&mut self, _: &mut Vec<u8>) {}

    fn encode(&mut self, requests: &[Request], out: &mut Vec<u8>) {
        for request in requests {
            put_number(request.arrival_ns, out);
            out.push(b' ');
            put_number(u64::from(request.stream), out);
            out.push(b' ');
            put_number(request.offset_bytes / SECTOR_BYTES, out);
            out.push(b' ');
            put_number(u64::from(request.size_bytes) / SECTOR_BYTES, out);
            out.extend_from_slice(if request.op == Op::Read { b" 1\n" } else { b" 0\n" });
        }
    }

    fn end(&mut self, _: &[String], _: &[String], _: &mut Vec<u8>) {}
}

/// Appends a whole number in decimal digits.
pub(super) fn put_number(mut number: u64, out: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}
