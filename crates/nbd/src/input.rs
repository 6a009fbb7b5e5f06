//! What a client sends, read from the stream in large pieces.

use std::io::{self, ErrorKind, Read};

const BUFFER: usize = 128 << 10;

pub struct Input<R> {
    stream: R,
    buffer: Box<[u8]>,
    begin: usize,
    end: usize,
}

impl<R: Read> Input<R> {
    pub fn new(stream: R) -> Self {
        Self { stream, buffer: vec![0; BUFFER].into(), begin: 0, end: 0 }
    }

    pub fn stream(&mut self) -> &mut R {
        &mut self.stream
    }

    fn buffered(&self) -> &[u8] {
        &self.buffer[self.begin..self.end]
    }

    /// Waits for bytes; `false` at the end of the stream. A stream that is late is an error unless
    /// `patient` says otherwise.
    fn fill(&mut self, patient: impl Fn() -> bool) -> io::Result<bool> {
        if self.begin == self.end {
            (self.begin, self.end) = (0, 0);
        } else if self.end == self.buffer.len() {
            self.buffer.copy_within(self.begin..self.end, 0);
            (self.begin, self.end) = (0, self.end - self.begin);
        }
        loop {
            match self.stream.read(&mut self.buffer[self.end..]) {
                Ok(more) => {
                    self.end += more;
                    return Ok(more > 0);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if is_late(&error) && patient() => {}
                Err(error) => return Err(late(error)),
            }
        }
    }

    /// The next bytes, for which one may wait as long as `patient` says; none at the end of the stream.
    pub fn begin<const N: usize>(
        &mut self,
        patient: impl Fn() -> bool,
    ) -> io::Result<Option<[u8; N]>> {
        if self.begin == self.end && !self.fill(patient)? {
            return Ok(None);
        }
        self.array().map(Some)
    }

    pub fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        loop {
            if let Some(bytes) = self.buffered().first_chunk() {
                let bytes = *bytes;
                self.begin += N;
                return Ok(bytes);
            }
            if !self.fill(|| false)? {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
    }

    pub fn u32(&mut self) -> io::Result<u32> {
        self.array().map(u32::from_be_bytes)
    }

    pub fn u64(&mut self) -> io::Result<u64> {
        self.array().map(u64::from_be_bytes)
    }

    /// Fills `data`: what is large goes past the buffer.
    pub fn exact(&mut self, mut data: &mut [u8]) -> io::Result<()> {
        loop {
            let ready = self.buffered().len().min(data.len());
            let (now, rest) = data.split_at_mut(ready);
            now.copy_from_slice(&self.buffered()[..ready]);
            self.begin += ready;
            data = rest;
            if data.is_empty() {
                return Ok(());
            }
            if data.len() >= BUFFER {
                return self.stream.read_exact(data).map_err(late);
            }
            if !self.fill(|| false)? {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
    }

    /// Reads `length` bytes that nobody wants.
    pub fn skip(&mut self, mut length: u64) -> io::Result<()> {
        loop {
            let ready = length.min(self.buffered().len() as u64);
            self.begin += ready as usize;
            length -= ready;
            if length == 0 {
                return Ok(());
            }
            if !self.fill(|| false)? {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
    }
}

/// What a socket with a time-out says of it.
fn is_late(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

fn late(error: io::Error) -> io::Error {
    if error.kind() == ErrorKind::WouldBlock {
        io::Error::new(ErrorKind::TimedOut, "the client stopped in the midst of a message")
    } else {
        error
    }
}
