//! Heads of replies, and what surrounds the data in them.

use crate::export::{Error, Failure};
use crate::request::{Kind, Request};

const SIMPLE: u32 = 0x6744_6698;
const STRUCTURED: u32 = 0x668e_33ef;
const DONE: u16 = 1;

const NONE: u16 = 0;
const OFFSET_DATA: u16 = 1;
const OFFSET_HOLE: u16 = 2;
const BLOCK_STATUS: u16 = 5;
const ERROR: u16 = 1 << 15 | 1;
const ERROR_OFFSET: u16 = 1 << 15 | 2;

/// Head of a simple reply.
pub const HEAD: usize = 16;
const CHUNK_HEAD: usize = 20;
/// Head of a chunk of data, with its offset.
pub const DATA_HEAD: usize = CHUNK_HEAD + 8;

pub fn head(error: Option<Error>, cookie: u64) -> [u8; HEAD] {
    let mut bytes = [0; HEAD];
    bytes[..4].copy_from_slice(&SIMPLE.to_be_bytes());
    bytes[4..8].copy_from_slice(&error.map_or(0, |error| error as u32).to_be_bytes());
    bytes[8..].copy_from_slice(&cookie.to_be_bytes());
    bytes
}

fn chunk_head(done: bool, kind: u16, cookie: u64, length: usize) -> [u8; CHUNK_HEAD] {
    let mut bytes = [0; CHUNK_HEAD];
    bytes[..4].copy_from_slice(&STRUCTURED.to_be_bytes());
    bytes[4..6].copy_from_slice(&if done { DONE } else { 0 }.to_be_bytes());
    bytes[6..8].copy_from_slice(&kind.to_be_bytes());
    bytes[8..16].copy_from_slice(&cookie.to_be_bytes());
    bytes[16..].copy_from_slice(&(length as u32).to_be_bytes());
    bytes
}

pub fn data_head(done: bool, cookie: u64, offset: u64, length: usize) -> [u8; DATA_HEAD] {
    let mut bytes = [0; DATA_HEAD];
    bytes[..CHUNK_HEAD].copy_from_slice(&chunk_head(done, OFFSET_DATA, cookie, 8 + length));
    bytes[CHUNK_HEAD..].copy_from_slice(&offset.to_be_bytes());
    bytes
}

pub fn hole(done: bool, cookie: u64, offset: u64, length: u32) -> [u8; DATA_HEAD + 4] {
    let mut bytes = [0; DATA_HEAD + 4];
    bytes[..CHUNK_HEAD].copy_from_slice(&chunk_head(done, OFFSET_HOLE, cookie, 12));
    bytes[CHUNK_HEAD..DATA_HEAD].copy_from_slice(&offset.to_be_bytes());
    bytes[DATA_HEAD..].copy_from_slice(&length.to_be_bytes());
    bytes
}

/// A structured reply without data.
pub fn nothing(cookie: u64) -> [u8; CHUNK_HEAD] {
    chunk_head(true, NONE, cookie, 0)
}

/// A structured reply that says what is allocated: lengths and states.
pub fn status(cookie: u64, context: u32, extents: &[(u32, u32)]) -> Vec<u8> {
    let mut bytes = chunk_head(true, BLOCK_STATUS, cookie, 4 + 8 * extents.len()).to_vec();
    bytes.extend(context.to_be_bytes());
    for (length, state) in extents {
        bytes.extend(length.to_be_bytes());
        bytes.extend(state.to_be_bytes());
    }
    bytes
}

/// A structured reply that says what failed, and where in the request's range, if that is known.
pub fn failure(request: &Request, failure: Failure) -> Vec<u8> {
    let Failure { error, offset } = failure;
    let end = request.offset.saturating_add(request.length.into());
    let inside =
        |offset: &u64| request.kind != Kind::Flush && (request.offset..end).contains(offset);
    let offset = offset.filter(inside);
    let (kind, length) = if offset.is_some() { (ERROR_OFFSET, 14) } else { (ERROR, 6) };
    let mut bytes = chunk_head(true, kind, request.cookie, length).to_vec();
    bytes.extend((error as u32).to_be_bytes());
    // No message: the number says as much.
    bytes.extend(0_u16.to_be_bytes());
    bytes.extend(offset.map(u64::to_be_bytes).into_iter().flatten());
    bytes
}
