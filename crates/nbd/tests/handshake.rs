//! Options and their answers.

mod common;

use std::io::{self, ErrorKind};

use common::client::{Answer, answer, queries, wish};
use common::{Memory, option};
use wordline_nbd::{Named, serve};

const ACK: u32 = 1;
const SERVER: u32 = 2;
const INFO: u32 = 3;
const META_CONTEXT: u32 = 4;
const UNSUPPORTED: u32 = 0x8000_0001;
const INVALID: u32 = 0x8000_0003;
const UNKNOWN: u32 = 0x8000_0006;
const TOO_BIG: u32 = 0x8000_0009;

/// What a server of two drives says to options, after which the client leaves; and how that ends.
fn haggle(options: &[(u32, &[u8])]) -> (Vec<Answer>, io::Result<()>) {
    let (first, second) = (Memory::new(8192, 0), Memory::new(4096, 0));
    let exports = [
        Named { name: "first", description: "a drive", export: &first },
        Named { name: "second", description: "", export: &second },
    ];
    let options = options.iter().map(|(kind, data)| option(*kind, data));
    let sent: Vec<u8> =
        [3_u32.to_be_bytes().to_vec()].into_iter().chain(options).flatten().collect();
    let mut said = Vec::new();
    let end = serve(&sent[..], &mut said, &exports);
    let mut said = &said[18..];
    let mut answers = Vec::new();
    while !said.is_empty() {
        answers.push(answer(&mut said).unwrap());
    }
    (answers, end)
}

fn answers(options: &[(u32, &[u8])]) -> Vec<(u32, Vec<u8>)> {
    let (answers, end) = haggle(&[options, &[(2, b"".as_slice())]].concat());
    end.unwrap();
    let (last, rest) = answers.split_last().unwrap();
    assert_eq!((last.option, last.kind), (2, ACK));
    rest.iter().map(|answer| (answer.kind, answer.data.clone())).collect()
}

fn kinds(options: &[(u32, &[u8])]) -> Vec<u32> {
    answers(options).into_iter().map(|(kind, _)| kind).collect()
}

#[test]
fn a_list_has_names_and_descriptions() {
    let first = [&[0, 0, 0, 5][..], b"firsta drive"].concat();
    let second = [&[0, 0, 0, 6][..], b"second"].concat();
    assert_eq!(answers(&[(3, b"")]), [(SERVER, first), (SERVER, second), (ACK, vec![])]);
    assert_eq!(kinds(&[(3, b"x")]), [INVALID]);
}

#[test]
fn information_is_size_and_blocks_and_what_was_asked_for() {
    let size = [&[0, 0][..], &4096_u64.to_be_bytes(), &[0b1001, 0b0110_1101]].concat();
    let blocks = [0, 3, 0, 0, 0, 1, 0, 0, 16, 0, 2, 0, 0, 0].to_vec();
    let said = answers(&[(6, &wish("second", &[]))]);
    assert_eq!(said, [(INFO, size), (INFO, blocks), (ACK, vec![])]);
    let said = answers(&[(6, &wish("", &[2, 1, 99]))]);
    assert_eq!(said[0].1[2..10], 8192_u64.to_be_bytes());
    assert_eq!(said[1], (INFO, b"\0\x01first".to_vec()));
    assert_eq!(said[2], (INFO, b"\0\x02a drive".to_vec()));
    assert_eq!(said[4], (ACK, vec![]));
}

#[test]
fn whether_reads_can_be_unfragmented_depends_on_structured_replies() {
    let flags =
        |said: &[(u32, Vec<u8>)]| said.iter().find(|(kind, _)| *kind == INFO).unwrap().1[11];
    let asked = wish("", &[]);
    assert_eq!(flags(&answers(&[(6, &asked)])) & 0x80, 0);
    assert_eq!(flags(&answers(&[(8, b""), (6, &asked)])) & 0x80, 0x80);
    assert_eq!(kinds(&[(8, b"x")]), [INVALID]);
}

#[test]
fn an_unknown_export_is_an_error_and_another_may_be_asked_for() {
    assert_eq!(kinds(&[(7, &wish("third", &[]))]), [UNKNOWN]);
    assert_eq!(
        kinds(&[(7, &wish("FIRST", &[])), (6, &wish("first", &[]))]),
        [UNKNOWN, INFO, INFO, ACK]
    );
    let (said, end) = haggle(&[(1, b"third")]);
    assert_eq!((said.len(), end.unwrap_err().kind()), (0, ErrorKind::InvalidData));
}

#[test]
fn contexts_are_listed_and_chosen() {
    let context =
        |number: u8| (META_CONTEXT, [&[0, 0, 0, number], &b"base:allocation"[..]].concat());
    let listed = |names: &[&str]| answers(&[(9, &queries("first", names))]);
    for names in [&[][..], &["base:"], &["base:allocation"], &["x-y:z", "base:allocation"]] {
        assert_eq!(listed(names), [context(0), (ACK, vec![])]);
    }
    assert_eq!(listed(&["x-y:", "base:allocations", "nonsense"]), [(ACK, vec![])]);
    let chosen = |names: &[&str]| answers(&[(8, b""), (10, &queries("first", names))]);
    let ack = || (ACK, vec![]);
    assert_eq!(chosen(&["base:allocation"]), [ack(), context(1), ack()]);
    assert_eq!(chosen(&["base:allocation", "base:allocation"]), [ack(), context(1), ack()]);
    for none in [&[][..], &["base:"], &["qemu:dirty-bitmap:x"]] {
        assert_eq!(chosen(none), [ack(), ack()]);
    }
    assert_eq!(kinds(&[(10, &queries("first", &["base:allocation"]))]), [INVALID]);
    assert_eq!(kinds(&[(9, &queries("third", &[]))]), [UNKNOWN]);
}

#[test]
fn malformed_options_get_an_error_and_the_next_is_answered() {
    let whole = queries("first", &["base:allocation"]);
    for option in [9, 10] {
        for length in 0..whole.len() {
            assert_eq!(kinds(&[(8, b""), (option, &whole[..length])]), [ACK, INVALID], "{length}");
        }
        let more = [&whole[..], b"x"].concat();
        assert_eq!(kinds(&[(8, b""), (option, &more)]), [ACK, INVALID]);
        let many = [&[0; 4][..], &[255; 4], &[0; 400]].concat();
        assert_eq!(kinds(&[(8, b""), (option, &many)]), [ACK, INVALID]);
    }
    let whole = wish("first", &[3]);
    for length in 0..whole.len() {
        assert_eq!(kinds(&[(7, &whole[..length])]), [INVALID], "{length}");
    }
    let long = "n".repeat(4097);
    assert_eq!(kinds(&[(7, &wish(&long, &[]))]), [INVALID]);
    assert_eq!(kinds(&[(5, b"")]), [UNSUPPORTED]);
    assert_eq!(kinds(&[(11, b"")]), [UNSUPPORTED]);
    assert_eq!(kinds(&[(u32::MAX, &[0; 65536])]), [UNSUPPORTED]);
}

#[test]
fn too_long_an_option_ends_the_connection() {
    let (said, end) = haggle(&[(7, &[0; 65537])]);
    assert_eq!((said.len(), said[0].kind), (1, TOO_BIG));
    assert_eq!(end.unwrap_err().kind(), ErrorKind::InvalidData);
}

#[test]
fn flags_that_were_not_offered_end_the_connection() {
    for flags in [4_u32, 1 << 31] {
        let end = serve(&flags.to_be_bytes()[..], Vec::new(), &[]);
        assert_eq!(end.unwrap_err().kind(), ErrorKind::InvalidData);
    }
}

#[test]
fn zeroes_follow_the_oldest_choice_unless_both_sides_agreed_on_none() {
    let memory = Memory::new(8192, 0);
    let exports = [Named { name: "", description: "", export: &memory }];
    for (flags, length) in [(1_u32, 18 + 134), (3, 18 + 10)] {
        let sent = [&flags.to_be_bytes()[..], &option(1, b"")].concat();
        let mut said = Vec::new();
        let end = serve(&sent[..], &mut said, &exports);
        assert_eq!(end.unwrap_err().kind(), ErrorKind::UnexpectedEof);
        assert_eq!(said.len(), length);
    }
}

#[test]
fn block_sizes_that_the_protocol_does_not_know_are_refused() {
    let longest = 32 << 20;
    let minimums = [0, 3, 1 << 17, 8192].map(|minimum| (minimum, longest));
    let maximums = [2048, longest + 512, longest - 1].map(|maximum| (512, maximum));
    for (minimum, maximum) in minimums.into_iter().chain(maximums) {
        let mut memory = Memory::new(8192, 0);
        (memory.minimum, memory.maximum) = (minimum, maximum);
        let exports = [Named { name: "odd", description: "", export: &memory }];
        let end = serve(&[][..], Vec::new(), &exports);
        assert_eq!(end.unwrap_err().kind(), ErrorKind::InvalidInput, "{minimum} {maximum}");
    }
}
