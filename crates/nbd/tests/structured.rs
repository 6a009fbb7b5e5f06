//! Structured replies and block status.

mod common;

use std::sync::atomic::Ordering;

use common::client::{Reply, answer, queries, reply, wish};
use common::{Memory, option, request};
use wordline_nbd::{Named, serve};

const NONE: u16 = 0;
const DATA: u16 = 1;
const HOLE: u16 = 2;
const STATUS: u16 = 5;
const ERROR: u16 = 0x8001;
const ERROR_OFFSET: u16 = 0x8002;

const DONT_FRAGMENT: u16 = 4;
const ONE_EXTENT: u16 = 8;

/// The replies to requests of a client that chose `base:allocation` for an export of that name.
fn replies_for(context: &str, sent: &[Vec<u8>], memory: &Memory) -> Vec<Reply> {
    let flags = 3_u32.to_be_bytes().to_vec();
    let context = option(10, &queries(context, &["base:allocation"]));
    let handshake = [flags, option(8, b""), context, option(7, &wish("drive", &[]))];
    let sent = [&handshake, sent, &[request(0, 2, 0, 0)]].concat().concat();
    let exports = [
        Named { name: "drive", description: "", export: memory },
        Named { name: "other", description: "", export: memory },
    ];
    let mut said = Vec::new();
    serve(&sent[..], &mut said, &exports).unwrap();
    let mut said = &said[18..];
    while answer(&mut said).unwrap().option != 7 {}
    // Size and block sizes have come; the last is the acknowledgement.
    while answer(&mut said).unwrap().kind != 1 {}
    let mut replies = Vec::new();
    while !said.is_empty() {
        replies.push(reply(&mut said, 0).unwrap());
    }
    replies
}

fn replies(sent: &[Vec<u8>], memory: &Memory) -> Vec<Reply> {
    replies_for("drive", sent, memory)
}

/// A payload that begins with an offset.
fn at(offset: u64, rest: &[u8]) -> Vec<u8> {
    [&offset.to_be_bytes(), rest].concat()
}

fn error(number: u8, offset: Option<u64>) -> Reply {
    let payload = [0, 0, 0, number, 0, 0];
    match offset {
        None => Reply::Chunk(true, ERROR, payload.to_vec()),
        Some(offset) => {
            Reply::Chunk(true, ERROR_OFFSET, [&payload[..], &offset.to_be_bytes()].concat())
        }
    }
}

/// 256 KiB of sevens, the second 64 KiB of which are zeroes.
fn with_hole() -> Memory {
    let memory = Memory::new(256 << 10, 7);
    memory.bytes()[64 << 10..128 << 10].fill(0);
    memory
}

#[test]
fn reads_are_answered_in_chunks() {
    let memory = Memory::new(8192, 7);
    let said = replies(&[request(0, 0, 100, 3), request(0, 0, 0, 0)], &memory);
    let data = Reply::Chunk(true, DATA, at(100, &[7; 3]));
    assert_eq!(said, [data, Reply::Chunk(true, NONE, vec![])]);
}

#[test]
fn holes_are_told_from_data_unless_one_piece_is_asked_for() {
    let memory = with_hole();
    let said = replies(&[request(0, 0, 1, (256 << 10) - 1)], &memory);
    let first = Reply::Chunk(false, DATA, at(1, &vec![7; (64 << 10) - 1]));
    let hole = Reply::Chunk(false, HOLE, at(64 << 10, &(64_u32 << 10).to_be_bytes()));
    let last = Reply::Chunk(true, DATA, at(128 << 10, &vec![7; 128 << 10]));
    assert_eq!(said, [first, hole, last]);
    let said = replies(&[request(DONT_FRAGMENT, 0, 0, 256 << 10)], &memory);
    let whole = memory.bytes().clone();
    assert_eq!(said, [Reply::Chunk(true, DATA, at(0, &whole))]);
    let said = replies(&[request(0, 0, 64 << 10, 64 << 10)], &memory);
    let hole = Reply::Chunk(true, HOLE, at(64 << 10, &(64_u32 << 10).to_be_bytes()));
    assert_eq!(said, [hole]);
}

#[test]
fn a_read_with_many_holes_has_few_chunks_and_all_bytes() {
    let memory = Memory::new(256 << 10, 7);
    memory.bytes().chunks_mut(1024).for_each(|block| block[..512].fill(0));
    let said = replies(&[request(0, 0, 0, 256 << 10)], &memory);
    assert_eq!(said.len(), 7);
    let mut read = vec![9; 256 << 10];
    for (index, reply) in said.iter().enumerate() {
        let Reply::Chunk(done, kind, payload) = reply else { panic!("{reply:?}") };
        assert_eq!(*done, index == said.len() - 1);
        let (offset, rest) = payload.split_first_chunk::<8>().unwrap();
        let place = &mut read[u64::from_be_bytes(*offset) as usize..];
        match *kind {
            DATA => place[..rest.len()].copy_from_slice(rest),
            HOLE => place[..u32::from_be_bytes(rest.try_into().unwrap()) as usize].fill(0),
            kind => panic!("{kind}"),
        }
    }
    assert!(read == *memory.bytes());
}

#[test]
fn errors_say_where_if_that_is_known() {
    let mut memory = Memory::new(8192, 7);
    memory.broken = Some(5000);
    let said = replies(
        &[
            request(0, 0, 4096, 4096),
            request(0, 0, 8192, 1),
            [request(0, 1, 8000, 1000), vec![0; 1000]].concat(),
            request(0, 4, 0, 8193),
            request(DONT_FRAGMENT, 0, 0, u32::MAX),
            request(0, 0, 0, 1),
        ],
        &memory,
    );
    let [place, beyond, full, trim, _, intact] = &said[..] else { panic!("{said:?}") };
    assert_eq!(*place, error(5, Some(5000)));
    assert_eq!(*beyond, error(22, None));
    assert_eq!(*full, error(28, None));
    assert_eq!(*trim, error(22, None));
    assert_eq!(*intact, Reply::Chunk(true, DATA, at(0, &[7])));
}

#[test]
fn an_unfragmented_read_that_is_too_long_overflows() {
    let memory = Memory::new(40 << 20, 7);
    let long = (32 << 20) + 1;
    let said = replies(&[request(DONT_FRAGMENT, 0, 0, long), request(0, 0, 0, long)], &memory);
    assert_eq!(said, [error(75, None), error(22, None)]);
    let said = replies(&[request(DONT_FRAGMENT, 0, 5, 32 << 20)], &memory);
    assert_eq!(said, [Reply::Chunk(true, DATA, at(5, &vec![7; 32 << 20]))]);
}

fn extents(number: u32, extents: &[(u32, u32)]) -> Reply {
    let mut payload = number.to_be_bytes().to_vec();
    for (length, state) in extents {
        payload.extend(length.to_be_bytes());
        payload.extend(state.to_be_bytes());
    }
    Reply::Chunk(true, STATUS, payload)
}

#[test]
fn block_status_says_what_is_stored() {
    let memory = with_hole();
    let said =
        replies(&[request(0, 7, 0, 256 << 10), request(ONE_EXTENT, 7, 100, 70 << 10)], &memory);
    assert_eq!(said[0], extents(1, &[(64 << 10, 0), (64 << 10, 3), (128 << 10, 0)]));
    assert_eq!(said[1], extents(1, &[((64 << 10) - 100, 0)]));
    let said = replies(&[request(ONE_EXTENT, 7, 70 << 10, 1)], &memory);
    assert_eq!(said, [extents(1, &[(1, 3)])]);
}

/// An export may tell of more than it was asked.
#[test]
fn block_status_ends_where_the_range_does() {
    let mut memory = with_hole();
    memory.tells_more = true;
    let asked = [request(0, 7, 0, 100), request(0, 7, (64 << 10) - 50, 100)];
    let said = replies(&asked, &memory);
    assert_eq!(said, [extents(1, &[(100, 0)]), extents(1, &[(50, 0), (50, 3)])]);
}

#[test]
fn block_status_without_meaning_is_an_error() {
    let memory = Memory::new(8192, 7);
    let said =
        replies(&[request(0, 7, 0, 0), request(0, 7, 0, 8193), request(2, 7, 0, 1)], &memory);
    assert_eq!(said, [error(22, None), error(22, None), error(22, None)]);
    let said = replies_for("other", &[request(0, 7, 0, 8192)], &memory);
    assert_eq!(said, [error(22, None)]);
}

#[test]
fn flags_reach_the_export() {
    let (fua, no_hole, fast) = (1, 2, 16);
    let memory = Memory::new(8192, 7);
    let sent = [
        request(fua, 6, 0, 512),
        request(fua | fast, 6, 512, 512),
        request(fast | no_hole, 6, 1024, 512),
        request(fua, 4, 2048, 512),
        [request(fua, 1, 4096, 1), vec![1]].concat(),
        request(fua, 0, 1024, 1),
        request(no_hole, 4, 0, 512),
        request(0, 3, 0, 0),
    ];
    let said = replies(&sent, &memory);
    let ok = || Reply::Simple(0, vec![]);
    assert_eq!(said[..2], [ok(), ok()]);
    assert_eq!(said[2], error(95, None));
    assert_eq!(said[3..5], [ok(), ok()]);
    assert_eq!(said[5], Reply::Chunk(true, DATA, at(1024, &[7])));
    assert_eq!(said[6..], [error(22, None), ok()]);
    assert_eq!(memory.safe.load(Ordering::SeqCst), 4);
    assert_eq!(memory.flushes.load(Ordering::SeqCst), 1);
}

#[test]
fn ranges_not_made_of_the_smallest_blocks_are_refused() {
    let mut memory = Memory::new(8192 + 100, 7);
    memory.minimum = 512;
    let sent = [
        request(0, 0, 512, 511),
        request(0, 0, 511, 512),
        [request(0, 1, 1, 512), vec![0; 512]].concat(),
        request(0, 4, 512, 1),
        request(0, 6, 8192, 100),
    ];
    let said = replies(&sent, &memory);
    assert!(said.iter().all(|reply| *reply == error(22, None)), "{said:?}");
}
