//! From the greeting to the choice of the export. There is one, whatever name the client asks for.

use std::io::{self, Read, Write};

use crate::{Export, wire};

const OPTION: u64 = u64::from_be_bytes(*b"IHAVEOPT");
const REPLY: u64 = 0x0003_e889_0455_65a9;
const LONGEST_OPTION: u32 = 64 << 10;
/// Fixed newstyle, no zeroes.
const FLAGS: u16 = 3;
/// Flags present, flush, FUA, trim, write zeroes.
const TRANSMISSION: u16 = 1 | 1 << 2 | 1 << 3 | 1 << 5 | 1 << 6;

const EXPORT_NAME: u32 = 1;
const ABORT: u32 = 2;
const LIST: u32 = 3;
const INFO: u32 = 6;
const GO: u32 = 7;

const ACK: u32 = 1;
const SERVER: u32 = 2;
const INFORMATION: u32 = 3;
const UNSUPPORTED: u32 = 1 << 31 | 1;
const INVALID: u32 = 1 << 31 | 3;
const TOO_BIG: u32 = 1 << 31 | 9;

/// Whether transmission follows.
pub fn negotiate(stream: &mut (impl Read + Write), export: &impl Export) -> io::Result<bool> {
    stream.write_all(b"NBDMAGICIHAVEOPT")?;
    stream.write_all(&FLAGS.to_be_bytes())?;
    stream.flush()?;
    let flags = wire::u32(stream)?;
    if flags & !u32::from(FLAGS) != 0 {
        return Err(wire::broken("the client sets flags that were not offered"));
    }
    loop {
        if wire::u64(stream)? != OPTION {
            return Err(wire::broken("an option does not begin with IHAVEOPT"));
        }
        let (option, length) = (wire::u32(stream)?, wire::u32(stream)?);
        if length > LONGEST_OPTION {
            reply(stream, option, TOO_BIG, &[])?;
            return Err(wire::broken("an option is longer than 64 KiB"));
        }
        let data = wire::bytes(stream, length)?;
        match option {
            EXPORT_NAME => {
                choose_by_name(stream, export, flags & 2 != 0)?;
                return Ok(true);
            }
            ABORT => {
                reply(stream, option, ACK, &[])?;
                return Ok(false);
            }
            LIST if data.is_empty() => {
                reply(stream, option, SERVER, &0_u32.to_be_bytes())?;
                reply(stream, option, ACK, &[])?;
            }
            INFO | GO if is_request(&data) => {
                describe(stream, option, export)?;
                if option == GO {
                    return Ok(true);
                }
            }
            LIST | INFO | GO => reply(stream, option, INVALID, &[])?,
            _ => reply(stream, option, UNSUPPORTED, &[])?,
        }
    }
}

fn reply(stream: &mut impl Write, option: u32, kind: u32, data: &[u8]) -> io::Result<()> {
    let mut bytes = REPLY.to_be_bytes().to_vec();
    bytes.extend(option.to_be_bytes());
    bytes.extend(kind.to_be_bytes());
    bytes.extend((data.len() as u32).to_be_bytes());
    bytes.extend(data);
    stream.write_all(&bytes)?;
    stream.flush()
}

/// The oldest way to choose: no errors, and 124 zeroes unless both sides agreed to none.
fn choose_by_name(stream: &mut impl Write, export: &impl Export, bare: bool) -> io::Result<()> {
    let mut bytes = export.size().to_be_bytes().to_vec();
    bytes.extend(TRANSMISSION.to_be_bytes());
    bytes.resize(if bare { 10 } else { 134 }, 0);
    stream.write_all(&bytes)?;
    stream.flush()
}

/// A name with its length, then a number of two bytes and as many kinds of information.
fn is_request(data: &[u8]) -> bool {
    let Some((name, rest)) = data.split_first_chunk::<4>() else { return false };
    let Some(rest) = rest.get(u32::from_be_bytes(*name) as usize..) else { return false };
    let Some((kinds, rest)) = rest.split_first_chunk::<2>() else { return false };
    rest.len() == 2 * usize::from(u16::from_be_bytes(*kinds))
}

fn describe(stream: &mut impl Write, option: u32, export: &impl Export) -> io::Result<()> {
    let mut size = vec![0, 0];
    size.extend(export.size().to_be_bytes());
    size.extend(TRANSMISSION.to_be_bytes());
    reply(stream, option, INFORMATION, &size)?;
    let mut blocks = vec![0, 3];
    for bytes in [export.block(), export.block().max(4096), wire::LONGEST] {
        blocks.extend(bytes.to_be_bytes());
    }
    reply(stream, option, INFORMATION, &blocks)?;
    reply(stream, option, ACK, &[])
}
