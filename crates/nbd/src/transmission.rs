//! Requests and their replies, in order.

use std::io::{self, Read, Write};

use crate::{Export, Failure, wire};

const REQUEST: u32 = 0x2560_9513;
const REPLY: u32 = 0x6744_6698;
const FUA: u16 = 1;
const NO_HOLE: u16 = 2;

const READ: u16 = 0;
const WRITE: u16 = 1;
const DISCONNECT: u16 = 2;
const FLUSH: u16 = 3;
const TRIM: u16 = 4;
const WRITE_ZEROES: u16 = 6;

struct Request {
    flags: u16,
    kind: u16,
    offset: u64,
    length: u32,
}

pub fn transmit(stream: &mut (impl Read + Write), export: &mut impl Export) -> io::Result<()> {
    loop {
        // Whole headers, since each call on a socket is a system call.
        let header: [u8; 28] = wire::array(stream)?;
        let header = &mut &header[..];
        if wire::u32(header)? != REQUEST {
            return Err(wire::broken("a request does not begin with its magic number"));
        }
        let (flags, kind) = (wire::u16(header)?, wire::u16(header)?);
        let handle: [u8; 8] = wire::array(header)?;
        let (offset, length) = (wire::u64(header)?, wire::u32(header)?);
        let request = Request { flags, kind, offset, length };
        if kind == DISCONNECT {
            return Ok(());
        }
        if kind == WRITE && length > wire::LONGEST {
            return Err(wire::broken("a write is longer than 32 MiB"));
        }
        let data = if kind == WRITE { wire::bytes(stream, length)? } else { Vec::new() };
        let (error, data) = match answer(&request, &data, export) {
            Ok(data) => (0, data),
            Err(failure) => (failure as u32, Vec::new()),
        };
        let head = [&REPLY.to_be_bytes()[..], &error.to_be_bytes(), &handle].concat();
        stream.write_all(&head)?;
        stream.write_all(&data)?;
        stream.flush()?;
    }
}

fn answer(request: &Request, data: &[u8], export: &mut impl Export) -> Result<Vec<u8>, Failure> {
    check(request, export.size())?;
    let mut read = Vec::new();
    match request.kind {
        READ => {
            read.resize(request.length as usize, 0);
            export.read(request.offset, &mut read)?;
        }
        WRITE => export.write(request.offset, data)?,
        TRIM => export.trim(request.offset, request.length)?,
        WRITE_ZEROES => write_zeroes(request, export)?,
        _ => export.flush()?,
    }
    if request.flags & FUA != 0 && !matches!(request.kind, READ | FLUSH) {
        export.flush()?;
    }
    Ok(read)
}

fn check(request: &Request, size: u64) -> Result<(), Failure> {
    let allowed = match request.kind {
        READ | WRITE | TRIM | FLUSH => FUA,
        WRITE_ZEROES => FUA | NO_HOLE,
        _ => return Err(Failure::Invalid),
    };
    if request.flags & !allowed != 0 {
        return Err(Failure::Invalid);
    }
    if request.kind == READ && request.length > wire::LONGEST {
        return Err(Failure::TooLong);
    }
    let end = request.offset.checked_add(u64::from(request.length));
    match (request.kind, end.is_some_and(|end| end <= size)) {
        (FLUSH, _) | (_, true) => Ok(()),
        (WRITE | WRITE_ZEROES, false) => Err(Failure::NoSpace),
        (_, false) => Err(Failure::Invalid),
    }
}

/// In pieces, so that a request of 4 GiB takes no such memory.
fn write_zeroes(request: &Request, export: &mut impl Export) -> Result<(), Failure> {
    let zeroes = vec![0; request.length.min(1 << 20) as usize];
    let mut done = 0;
    while done < request.length {
        let piece = (request.length - done).min(1 << 20);
        export.write(request.offset + u64::from(done), &zeroes[..piece as usize])?;
        done += piece;
    }
    Ok(())
}
