//! Simple replies to requests, and connections that break.

mod common;

use std::io::{self, ErrorKind};
use std::sync::atomic::Ordering;

use common::{Memory, option, request};
use wordline_nbd::{Named, serve};

/// What the server says to these bytes after its greeting, and how it ends.
fn talk(sent: &[Vec<u8>], memory: &Memory) -> (Vec<u8>, io::Result<()>) {
    let (sent, mut said) = (sent.concat(), Vec::new());
    let exports = [Named { name: "drive", description: "some bytes", export: memory }];
    let end = serve(&sent[..], &mut said, &exports);
    (said.split_off(18), end)
}

fn flags() -> Vec<u8> {
    3_u32.to_be_bytes().to_vec()
}

/// The replies to requests, after the ten bytes that answer a name.
fn requests(sent: &[Vec<u8>], memory: &Memory) -> (Vec<u8>, io::Result<()>) {
    let (said, end) = talk(&[&[flags(), option(1, b"")], sent].concat(), memory);
    (said[10..].to_vec(), end)
}

fn error_of(sent: Vec<u8>) -> u32 {
    let memory = Memory::new(8192, 7);
    let (said, end) = requests(&[sent, request(0, 2, 0, 0)], &memory);
    end.unwrap();
    assert_eq!(said.len(), 16);
    u32::from_be_bytes(said[4..8].try_into().unwrap())
}

#[test]
fn what_was_written_is_read_back_and_trims_and_zeroes_are_seen() {
    let memory = Memory::new(8192, 7);
    let sent = [
        request(1, 1, 512, 3),
        b"abc".to_vec(),
        request(0, 6, 513, 1),
        request(0, 4, 0, 512),
        request(0, 3, 0, 0),
        request(0, 0, 511, 5),
        request(0, 2, 0, 0),
    ];
    let (said, end) = requests(&sent, &memory);
    end.unwrap();
    assert_eq!(said[4 * 16 + 16..], *b"\0a\0c\x07");
    assert_eq!(memory.flushes.load(Ordering::SeqCst), 1);
}

#[test]
fn requests_without_meaning_get_the_protocols_errors() {
    assert_eq!(error_of(request(0, 0, 8192, 1)), 22);
    assert_eq!(error_of(request(0, 0, u64::MAX, 1)), 22);
    assert_eq!(error_of([request(0, 1, 8192, 1), vec![0]].concat()), 28);
    assert_eq!(error_of(request(0, 6, 1, 8192)), 28);
    assert_eq!(error_of(request(0, 99, 0, 1)), 22);
    assert_eq!(error_of(request(1 << 15, 0, 0, 1)), 22);
    // An unfragmented read has a meaning in structured replies alone.
    assert_eq!(error_of(request(1 << 2, 0, 0, 1)), 22);
}

#[test]
fn a_write_is_as_long_as_one_may_be_and_what_follows_a_longer_one_is_answered() {
    let memory = Memory::new(40 << 20, 7);
    let longest = 32_u32 << 20;
    let write = |length: u32| [request(0, 1, 0, length), vec![8; length as usize]].concat();
    let sent = [write(longest + 1), request(0, 0, 0, 1), write(longest), request(0, 2, 0, 0)];
    let (said, end) = requests(&sent, &memory);
    end.unwrap();
    let errors = [&said[4..8], &said[20..24], &said[37..41]];
    assert_eq!(errors, [[0, 0, 0, 22], [0; 4], [0; 4]]);
    assert_eq!(said[32], 7);
    assert_eq!(memory.bytes()[longest as usize - 1], 8);
}

#[test]
fn data_of_a_refused_write_are_read_past_up_to_64_mib() {
    let memory = Memory::new(8192, 7);
    let write = |length: u32| [request(0, 1, 0, length), vec![0; length as usize]].concat();
    let (said, end) = requests(&[write(64 << 20), request(0, 2, 0, 0)], &memory);
    end.unwrap();
    assert_eq!(said[4..8], [0, 0, 0, 28]);
    let end = requests(&[write((64 << 20) + 1), request(0, 2, 0, 0)], &memory).1;
    assert_eq!(end.unwrap_err().kind(), ErrorKind::InvalidData);
}

#[test]
fn nothing_is_written_trimmed_and_zeroed_without_the_export() {
    // The export holds whoever calls it to ranges that are not empty.
    let memory = Memory::new(8192, 7);
    let sent = [1, 4, 6, 0].map(|kind| request(0, kind, 4096, 0));
    let (said, end) = requests(&[sent.concat(), request(0, 2, 0, 0)], &memory);
    end.unwrap();
    assert_eq!(said.chunks(16).map(|reply| reply[7]).collect::<Vec<u8>>(), [0; 4]);
}

#[test]
fn broken_connections_end_in_an_error() {
    let memory = Memory::new(8192, 0);
    let long = [b"IHAVEOPT", &7_u32.to_be_bytes()[..], &[255; 4]].concat();
    for wrong in [vec![0; 16], long, option(1, b"").into_iter().chain([0; 28]).collect()] {
        let end = talk(&[flags(), wrong], &memory).1;
        assert_eq!(end.unwrap_err().kind(), ErrorKind::InvalidData);
    }
    assert!(requests(&[request(0, 1, 0, u32::MAX)], &memory).1.is_err());
    let whole = [flags(), option(7, &[0; 6]), request(0, 1, 0, 3), vec![1; 3]].concat();
    for length in 0..whole.len() {
        let end = talk(&[whole[..length].to_vec()], &memory).1;
        assert_eq!(end.unwrap_err().kind(), ErrorKind::UnexpectedEof, "{length}");
    }
}
