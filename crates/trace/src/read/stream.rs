//! A stream of bytes, read in blocks and handed out as lines or records without a copy.

use std::io::{self, Read};

use super::failure::NoTrace;

/// Size of a block, and the longest line or record.
const BLOCK_BYTES: usize = 256 * 1024;

/// One line, without its end.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Whether a line feed ended it; only the last line of a file may lack one.
    pub terminated: bool,
}

impl<'a> Line<'a> {
    fn new(bytes: &'a [u8], terminated: bool) -> Self {
        Self { bytes: bytes.strip_suffix(b"\r").unwrap_or(bytes), terminated }
    }
}

/// Lines, records or plain bytes of a stream, in constant memory.
pub(super) struct Stream {
    input: Box<dyn Read + Send>,
    block: Box<[u8]>,
    start: usize,
    end: usize,
    ended: bool,
    /// A failure that lies behind what has been read already.
    failure: Option<io::Error>,
    number: u64,
    consumed: u64,
}

impl Stream {
    pub fn new(input: Box<dyn Read + Send>) -> Self {
        let block = vec![0; BLOCK_BYTES].into_boxed_slice();
        Self { input, block, start: 0, end: 0, ended: false, failure: None, number: 0, consumed: 0 }
    }

    /// The number of the line or record handed out last, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Where the record handed out last ends, in bytes of the unpacked stream.
    pub fn consumed_bytes(&self) -> u64 {
        self.consumed
    }

    /// The first block of the stream; call it before anything is taken. A failure to read shows
    /// once all that was read before it has been taken; here only if there is nothing.
    pub fn peek(&mut self) -> io::Result<&[u8]> {
        while !self.ended && self.end < self.block.len() && self.failure.is_none() {
            if let Err(error) = self.fill() {
                self.failure = Some(error);
            }
        }
        // Some tools of Windows put a byte order mark ahead of UTF-8.
        if self.start == 0 && self.block[..self.end].starts_with(b"\xef\xbb\xbf") {
            self.start = 3;
        }
        match self.failure.take() {
            Some(error) if self.end == 0 => Err(error),
            failure => {
                self.failure = failure;
                Ok(&self.block[self.start..self.end])
            }
        }
    }

    /// The next line as `read` understands it, which gets all that was read ahead and gives the
    /// line's bytes with its end; `None` where it does not understand it.
    #[inline(always)]
    pub fn next_line_by<T>(&mut self, read: impl FnOnce(&[u8]) -> Option<(T, usize)>) -> Option<T> {
        let (line, bytes) = read(&self.block[self.start..self.end])?;
        self.start += bytes;
        self.number += 1;
        Some(line)
    }

    /// The next line; `None` at the end.
    #[inline]
    pub fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        loop {
            let from = self.start;
            if let Some(length) = memchr::memchr(b'\n', &self.block[from..self.end]) {
                self.start += length + 1;
                self.number += 1;
                return Ok(Some(Line::new(&self.block[from..from + length], true)));
            }
            if self.ended {
                return Ok(self.rest().map(|bytes| Line::new(bytes, false)));
            }
            self.fill_from("a line")?;
        }
    }

    /// The next record of `record_bytes`, or what is left where that is less; `None` at the end.
    #[inline]
    pub fn next_record(&mut self, record_bytes: usize) -> io::Result<Option<&[u8]>> {
        while self.end - self.start < record_bytes {
            if self.ended {
                return Ok(self.rest());
            }
            self.fill_from("a record")?;
        }
        let from = self.start;
        self.start += record_bytes;
        self.number += 1;
        self.consumed += record_bytes as u64;
        Ok(Some(&self.block[from..from + record_bytes]))
    }

    /// What stands behind the last line or record.
    fn rest(&mut self) -> Option<&[u8]> {
        let from = std::mem::replace(&mut self.start, self.end);
        if from == self.end {
            return None;
        }
        self.number += 1;
        self.consumed += (self.end - from) as u64;
        Some(&self.block[from..self.end])
    }

    /// Reads more behind what has not been handed out yet, which is `what`.
    fn fill_from(&mut self, what: &str) -> io::Result<()> {
        if self.start > 0 {
            self.block.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.block.len() {
            self.number += 1;
            let what = format!("{what} of more than {} KiB: not a trace", BLOCK_BYTES / 1024);
            return Err(NoTrace::stop(
                what,
                "look at the file there: it may be damaged, or binary",
            ));
        }
        if let Some(error) = self.failure.take() {
            return Err(error);
        }
        self.fill()
    }

    fn fill(&mut self) -> io::Result<()> {
        match self.input.read(&mut self.block[self.end..]) {
            Ok(0) => self.ended = true,
            Ok(count) => self.end += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// The plain bytes, for formats that are neither lines nor records of one size.
impl Read for Stream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.start == self.end && !self.ended && !into.is_empty() {
            self.fill_from("a block")?;
        }
        let count = into.len().min(self.end - self.start);
        into[..count].copy_from_slice(&self.block[self.start..self.start + count]);
        self.start += count;
        self.consumed += count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Hands out a few bytes per call, as a pipe may.
    struct Dribble(Vec<u8>, usize);

    impl Read for Dribble {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(self.0.len()).min(into.len());
            into[..count].copy_from_slice(&self.0[..count]);
            self.0.drain(..count);
            Ok(count)
        }
    }

    fn all(text: &str, step: usize) -> Vec<(String, bool)> {
        let mut lines = Stream::new(Box::new(Dribble(text.into(), step)));
        let mut found = Vec::new();
        while let Some(line) = lines.next_line().expect("no failure") {
            found.push((String::from_utf8_lossy(line.bytes).into_owned(), line.terminated));
        }
        found
    }

    #[test]
    fn a_line_as_long_as_a_block_is_refused() {
        let mut lines = Stream::new(Box::new(io::repeat(b'7')));
        assert!(lines.next_line().is_err());
    }

    proptest! {
        #[test]
        fn lines_are_what_line_feeds_separate(text in "[a\r\n]{0,40}", step in 1usize..9) {
            let mut expected: Vec<(&str, bool)> =
                text.split('\n').map(|line| (line.strip_suffix('\r').unwrap_or(line), true)).collect();
            // Behind the last line feed stands an unfinished line, or nothing.
            match text.rsplit('\n').next() {
                None | Some("") => drop(expected.pop()),
                Some(_) => expected.last_mut().expect("a line").1 = false,
            }
            let found = all(&text, step);
            let found: Vec<(&str, bool)> = found.iter().map(|(line, end)| (&line[..], *end)).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
