//! Clients, well-behaved and hostile.

use std::io::{self, Cursor, ErrorKind, Read, Write};

use wordline_nbd::{Export, Failure, serve};

struct Memory(Vec<u8>, usize);

impl Memory {
    fn range(&mut self, offset: u64, length: usize) -> &mut [u8] {
        &mut self.0[offset as usize..][..length]
    }
}

impl Export for Memory {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }
    fn block(&self) -> u32 {
        512
    }
    fn read(&mut self, offset: u64, data: &mut [u8]) -> Result<(), Failure> {
        data.copy_from_slice(self.range(offset, data.len()));
        Ok(())
    }
    fn write(&mut self, offset: u64, data: &[u8]) -> Result<(), Failure> {
        self.range(offset, data.len()).copy_from_slice(data);
        Ok(())
    }
    fn trim(&mut self, offset: u64, length: u32) -> Result<(), Failure> {
        self.range(offset, length as usize).fill(0);
        Ok(())
    }
    fn flush(&mut self) -> Result<(), Failure> {
        self.1 += 1;
        Ok(())
    }
}

struct Client(Cursor<Vec<u8>>, Vec<u8>);

impl Read for Client {
    fn read(&mut self, data: &mut [u8]) -> io::Result<usize> {
        self.0.read(data)
    }
}

impl Write for Client {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.1.write(data)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn option(kind: u32, data: &[u8]) -> Vec<u8> {
    let head = [kind.to_be_bytes(), (data.len() as u32).to_be_bytes()].concat();
    [b"IHAVEOPT", &head[..], data].concat()
}

fn request(flags: u16, kind: u16, offset: u64, length: u32) -> Vec<u8> {
    let mut bytes = 0x2560_9513_u32.to_be_bytes().to_vec();
    bytes.extend(flags.to_be_bytes());
    bytes.extend(kind.to_be_bytes());
    bytes.extend(*b"a handle");
    bytes.extend(offset.to_be_bytes());
    bytes.extend(length.to_be_bytes());
    bytes
}

/// What the server says to these bytes after its greeting, and how it ends.
fn talk(sent: &[Vec<u8>], memory: &mut Memory) -> (Vec<u8>, io::Result<()>) {
    let mut client = Client(Cursor::new(sent.concat()), Vec::new());
    let end = serve(&mut client, memory);
    (client.1.split_off(18), end)
}

fn flags() -> Vec<u8> {
    3_u32.to_be_bytes().to_vec()
}

/// The replies to requests, after the ten bytes that answer a name.
fn requests(sent: &[Vec<u8>], memory: &mut Memory) -> (Vec<u8>, io::Result<()>) {
    let (said, end) = talk(&[&[flags(), option(1, b"")], sent].concat(), memory);
    (said[10..].to_vec(), end)
}

fn error_of(sent: Vec<u8>) -> u32 {
    let mut memory = Memory(vec![7; 8192], 0);
    let (said, end) = requests(&[sent, request(0, 2, 0, 0)], &mut memory);
    end.unwrap();
    assert_eq!(said.len(), 16);
    u32::from_be_bytes(said[4..8].try_into().unwrap())
}

#[test]
fn what_was_written_is_read_back_and_trims_and_zeroes_are_seen() {
    let mut memory = Memory(vec![7; 8192], 0);
    let sent = [
        request(1, 1, 512, 3),
        b"abc".to_vec(),
        request(0, 6, 513, 1),
        request(0, 4, 0, 512),
        request(0, 3, 0, 0),
        request(0, 0, 511, 5),
        request(0, 2, 0, 0),
    ];
    let (said, end) = requests(&sent, &mut memory);
    end.unwrap();
    assert_eq!(said[4 * 16 + 16..], *b"\0a\0c\x07");
    assert_eq!(memory.1, 2);
}

#[test]
fn requests_without_meaning_get_the_protocols_errors() {
    assert_eq!(error_of(request(0, 0, 8192, 1)), 22);
    assert_eq!(error_of(request(0, 0, u64::MAX, 1)), 22);
    assert_eq!(error_of(request(0, 0, 0, u32::MAX)), 75);
    assert_eq!(error_of([request(0, 1, 8192, 1), vec![0]].concat()), 28);
    assert_eq!(error_of(request(0, 6, 1, 8192)), 28);
    assert_eq!(error_of(request(0, 99, 0, 1)), 22);
    assert_eq!(error_of(request(1 << 15, 0, 0, 1)), 22);
}

#[test]
fn options_are_answered_and_malformed_ones_refused() {
    let mut memory = Memory(vec![0; 8192], 0);
    let asked = [flags(), option(6, &[0; 6]), option(3, b""), option(8, b""), option(2, b"")];
    let (said, end) = talk(&asked, &mut memory);
    end.unwrap();
    let size = [&[0, 0, 0, 12, 0, 0][..], &8192_u64.to_be_bytes()].concat();
    assert_eq!(said[16..30], size);
    for wrong in [&[][..], &[0, 0, 0, 9], &[255; 6], &[0, 0, 0, 0, 0, 1]] {
        let (said, end) = talk(&[flags(), option(7, wrong), option(2, b"")], &mut memory);
        end.unwrap();
        assert_eq!(said[12..16], [0x80, 0, 0, 3]);
    }
}

#[test]
fn broken_connections_end_in_an_error() {
    let mut memory = Memory(vec![0; 8192], 0);
    let long = [b"IHAVEOPT", &7_u32.to_be_bytes()[..], &[255; 4]].concat();
    for wrong in [vec![0; 16], long, option(1, b"").into_iter().chain([0; 28]).collect()] {
        let end = talk(&[flags(), wrong], &mut memory).1;
        assert_eq!(end.unwrap_err().kind(), ErrorKind::InvalidData);
    }
    assert!(requests(&[request(0, 1, 0, u32::MAX)], &mut memory).1.is_err());
    let whole = [flags(), option(7, &[0; 6]), request(0, 1, 0, 3), vec![1; 3]].concat();
    for length in 0..whole.len() {
        let end = talk(&[whole[..length].to_vec()], &mut memory).1;
        assert_eq!(end.unwrap_err().kind(), ErrorKind::UnexpectedEof, "{length}");
    }
}
