//! A client of NBD may say what it likes: it gets answers, or the connection ends. The drive is asked for
//! nothing beyond its end, and what is read is what was written.
//!
//! The first byte says whether the rest are the client's bytes as they are, or choose requests that
//! follow a proper handshake; and of what the drive is made.

use std::io::Read;
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard};

use wordline_nbd::{Blocks, Error, Export, Extent, Failure, Named, Zeroing, serve};

const SIZE: usize = 8192 + 512;
const FUA: u16 = 1;
const FAST: u16 = 16;

/// Bytes; blocks of zeroes are holes. Holds the server to what it promises exports.
struct Drive {
    bytes: Mutex<Vec<u8>>,
    minimum: u32,
    depth: usize,
}

impl Drive {
    fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.bytes.lock().expect("no thread panics")
    }

    fn check(&self, offset: u64, length: u64) {
        let end = offset.checked_add(length).expect("an end within numbers");
        assert!(length > 0 && end <= SIZE as u64, "{offset} + {length}");
        assert!((offset | length).is_multiple_of(self.minimum.into()), "{offset} + {length}");
    }
}

impl Export for Drive {
    fn size(&self) -> u64 {
        SIZE as u64
    }

    fn blocks(&self) -> Blocks {
        Blocks { minimum: self.minimum, preferred: 512, maximum: 32 << 20 }
    }

    fn depth(&self) -> usize {
        self.depth
    }

    fn read(&self, offset: u64, data: &mut [u8]) -> Result<(), Failure> {
        self.check(offset, data.len() as u64);
        data.copy_from_slice(&self.bytes()[offset as usize..][..data.len()]);
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8], _: bool) -> Result<(), Failure> {
        self.check(offset, data.len() as u64);
        self.bytes()[offset as usize..][..data.len()].copy_from_slice(data);
        Ok(())
    }

    fn trim(&self, offset: u64, length: u64, _: bool) -> Result<(), Failure> {
        self.check(offset, length);
        self.bytes()[offset as usize..][..length as usize].fill(0);
        Ok(())
    }

    fn zero(&self, offset: u64, length: u64, how: Zeroing) -> Result<(), Failure> {
        self.check(offset, length);
        if how.fast { Err(Error::NotSupported.into()) } else { self.trim(offset, length, how.safe) }
    }

    fn flush(&self) -> Result<(), Failure> {
        Ok(())
    }

    fn extents(&self, offset: u64, length: u64, each: &mut dyn FnMut(Extent) -> ControlFlow<()>) {
        self.check(offset, length);
        let bytes = self.bytes();
        for block in bytes[offset as usize..][..length as usize].chunks(64) {
            let zero = block.iter().all(|&byte| byte == 0);
            if each(Extent { length: block.len() as u64, hole: zero, zero }).is_break() {
                return;
            }
        }
    }
}

/// Tries one input.
pub fn run(data: &[u8]) {
    let Some((&how, data)) = data.split_first() else { return };
    let minimum = if how & 1 == 0 { 1 } else { 512 };
    let depth = if how & 2 == 0 { 1 } else { 3 };
    let drive = Drive { bytes: Mutex::new(vec![7; SIZE]), minimum, depth };
    if how & 4 == 0 {
        say(&drive, data);
    } else if depth == 1 {
        ask(&drive, how & 8 == 0, data);
    } else {
        let requests: Vec<u8> = requests(data).flat_map(|request| request.bytes()).collect();
        say(&drive, &[handshake(true), requests].concat());
    }
}

/// What the server says to those bytes.
fn say(drive: &Drive, sent: &[u8]) -> Vec<u8> {
    let exports = [Named { name: "drive", description: "bytes", export: drive }];
    let mut said = Vec::new();
    // However it ends; that it does is what counts.
    let _ = serve(sent, &mut said, &exports);
    assert!(said.starts_with(b"NBDMAGICIHAVEOPT\0\x03"), "no greeting");
    said
}

fn handshake(structured: bool) -> Vec<u8> {
    let context = b"\0\0\0\0\0\0\0\x01\0\0\0\x0fbase:allocation";
    let wishes: &[(u32, &[u8])] =
        if structured { &[(8, b""), (10, context), (7, &[0; 6])] } else { &[(7, &[0; 6])] };
    let mut bytes = 3_u32.to_be_bytes().to_vec();
    for (option, data) in wishes {
        bytes.extend(b"IHAVEOPT");
        bytes.extend(option.to_be_bytes());
        bytes.extend((data.len() as u32).to_be_bytes());
        bytes.extend(*data);
    }
    bytes
}

#[derive(Debug)]
struct Request {
    flags: u16,
    kind: u16,
    offset: u64,
    length: u32,
    fill: u8,
}

impl Request {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = 0x2560_9513_u32.to_be_bytes().to_vec();
        bytes.extend(self.flags.to_be_bytes());
        bytes.extend(self.kind.to_be_bytes());
        bytes.extend(*b"a cookie");
        bytes.extend(self.offset.to_be_bytes());
        bytes.extend(self.length.to_be_bytes());
        if self.kind == 1 {
            bytes.resize(bytes.len() + self.length as usize, self.fill);
        }
        bytes
    }

    /// Whether a drive with blocks of that size can do it.
    fn has_meaning(&self, structured: bool, minimum: u32) -> bool {
        let flags = match self.kind {
            0 if structured => FUA | 4,
            0 | 1 | 3 | 4 => FUA,
            6 => FUA | 2 | FAST,
            7 if structured && self.length > 0 => FUA | 8,
            _ => return false,
        };
        let inside =
            self.offset.checked_add(self.length.into()).is_some_and(|end| end <= SIZE as u64);
        let aligned = (self.offset | u64::from(self.length)).is_multiple_of(minimum.into());
        self.flags & !flags == 0 && (self.kind == 3 || inside && aligned)
    }

    /// The place in a drive.
    fn place<'a>(&self, model: &'a mut [u8]) -> &'a mut [u8] {
        &mut model[self.offset as usize..][..self.length as usize]
    }
}

/// Five bytes choose a request, most of them near some limit.
fn requests(data: &[u8]) -> impl Iterator<Item = Request> {
    const END: u64 = SIZE as u64;
    const OFFSETS: [u64; 12] =
        [0, 1, 511, 512, 513, 4096, END - 512, END - 1, END, END + 1, 1 << 63, u64::MAX];
    const LENGTHS: [u32; 12] = [
        1,
        0,
        511,
        512,
        513,
        4096,
        65536,
        SIZE as u32,
        SIZE as u32 + 1,
        32 << 20,
        (32 << 20) + 1,
        u32::MAX,
    ];
    // The data of writes must be made, so those are short.
    data.as_chunks().0.iter().take(64).map(|&[kind, flags, offset, length, fill]| {
        let kind = [0, 1, 3, 4, 6, 7, 1, 0, 5, 99][usize::from(kind) % 10];
        let lengths = if kind == 1 { &LENGTHS[..9] } else { &LENGTHS[..] };
        let flags = if flags < 128 { [0, 1, 2, 4, 8, 16, 32][usize::from(flags) % 7] } else { 0 };
        Request {
            flags,
            kind,
            offset: OFFSETS[usize::from(offset) % OFFSETS.len()],
            length: lengths[usize::from(length) % lengths.len()],
            fill,
        }
    })
}

/// What the server has said, piece by piece.
struct Said<'a>(&'a [u8]);

impl Said<'_> {
    fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.0.read_exact(&mut bytes).expect("a whole message");
        bytes
    }

    fn number(&mut self, length: usize) -> u64 {
        self.bytes(length).iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
    }

    /// Passes over an answer to an option; whether it ends the handshake.
    fn is_last_answer(&mut self) -> bool {
        assert_eq!(self.number(8), 0x0003_e889_0455_65a9);
        let (option, kind, length) = (self.number(4), self.number(4), self.number(4));
        assert!(kind < 1 << 31, "option {option} is refused");
        self.bytes(length as usize);
        (option, kind) == (7, 1)
    }

    /// A reply to a request of that kind: an error, or what was read.
    fn reply(&mut self, request: &Request) -> Result<Vec<u8>, u64> {
        let read = if request.kind == 0 { request.length as usize } else { 0 };
        let mut data = Vec::new();
        loop {
            if self.number(4) == 0x6744_6698 {
                let error = self.number(4);
                assert_eq!(self.bytes(8), b"a cookie");
                return if error == 0 { Ok(self.bytes(read)) } else { Err(error) };
            }
            let (done, kind) = (self.number(2), self.number(2));
            assert_eq!(self.bytes(8), b"a cookie");
            let length = self.number(4) as usize;
            let mut payload = Said(&self.bytes(length));
            match kind {
                0 => {}
                1 | 2 => {
                    assert_eq!(payload.number(8), request.offset + data.len() as u64);
                    let more = if kind == 1 {
                        payload.0.to_vec()
                    } else {
                        vec![0; payload.number(4) as usize]
                    };
                    data.extend(more);
                }
                5 => payload.check_extents(request),
                _ => return Err(payload.number(4)),
            }
            if done == 1 {
                return Ok(data);
            }
        }
    }

    fn check_extents(&mut self, request: &Request) {
        assert_eq!(self.number(4), 1, "another context");
        let mut length = 0;
        while !self.0.is_empty() {
            let more = self.number(4);
            assert!(more > 0 && self.number(4) < 4);
            length += more;
        }
        assert!(length > 0 && length <= request.length.into(), "{length} of {request:?}");
    }
}

/// Sends requests with a meaning and without, and compares the replies with those of plain bytes.
fn ask(drive: &Drive, structured: bool, data: &[u8]) {
    let requests: Vec<Request> = requests(data).collect();
    let sent = requests.iter().flat_map(Request::bytes).collect();
    let said = say(drive, &[handshake(structured), sent].concat());
    let mut said = Said(&said[18..]);
    while !said.is_last_answer() {}
    let mut model = vec![7; SIZE];
    for request in &requests {
        let reply = said.reply(request);
        if !request.has_meaning(structured, drive.minimum) {
            assert!(reply.is_err(), "{request:?}");
            continue;
        }
        if request.kind == 6 && request.flags & FAST != 0 && request.length > 0 {
            assert_eq!(reply, Err(95), "{request:?}");
            continue;
        }
        let data = reply.unwrap_or_else(|error| panic!("{request:?}: error {error}"));
        match request.kind {
            0 => assert!(data == request.place(&mut model), "{request:?} reads other bytes"),
            1 => request.place(&mut model).fill(request.fill),
            4 | 6 => request.place(&mut model).fill(0),
            _ => {}
        }
    }
    assert!(said.0.is_empty(), "more replies than requests");
    assert!(*drive.bytes() == model, "the drive holds other bytes");
}
