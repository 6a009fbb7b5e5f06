//! Lines of a stream, read in blocks and handed out without a copy.

use std::io::{self, Read};

/// Size of a block, and the longest line.
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

/// The lines of a stream, in constant memory.
pub(super) struct Lines {
    input: Box<dyn Read + Send>,
    block: Box<[u8]>,
    start: usize,
    end: usize,
    ended: bool,
    number: u64,
}

impl Lines {
    pub fn new(input: Box<dyn Read + Send>) -> Self {
        let block = vec![0; BLOCK_BYTES].into_boxed_slice();
        Self { input, block, start: 0, end: 0, ended: false, number: 0 }
    }

    /// The number of the line handed out last, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The first block of the stream; call it before the first line is taken.
    pub fn peek(&mut self) -> io::Result<&[u8]> {
        while !self.ended && self.end < self.block.len() {
            self.fill()?;
        }
        Ok(&self.block[self.start..self.end])
    }

    /// The next line; `None` at the end.
    pub fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        loop {
            let from = self.start;
            if let Some(length) = memchr::memchr(b'\n', &self.block[from..self.end]) {
                self.start += length + 1;
                self.number += 1;
                return Ok(Some(Line::new(&self.block[from..from + length], true)));
            }
            if self.ended {
                return Ok(self.rest());
            }
            self.fill()?;
        }
    }

    /// What stands behind the last line feed.
    fn rest(&mut self) -> Option<Line<'_>> {
        let from = std::mem::replace(&mut self.start, self.end);
        if from == self.end {
            return None;
        }
        self.number += 1;
        Some(Line::new(&self.block[from..self.end], false))
    }

    /// Reads more behind what has not been handed out yet.
    fn fill(&mut self) -> io::Result<()> {
        if self.start > 0 {
            self.block.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.block.len() {
            self.number += 1;
            let what = format!("a line of more than {} KiB: not a text trace", BLOCK_BYTES / 1024);
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        match self.input.read(&mut self.block[self.end..]) {
            Ok(0) => self.ended = true,
            Ok(count) => self.end += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        Ok(())
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
        let mut lines = Lines::new(Box::new(Dribble(text.into(), step)));
        let mut found = Vec::new();
        while let Some(line) = lines.next().expect("no failure") {
            found.push((String::from_utf8_lossy(line.bytes).into_owned(), line.terminated));
        }
        found
    }

    #[test]
    fn a_line_as_long_as_a_block_is_refused() {
        let mut lines = Lines::new(Box::new(io::repeat(b'7')));
        assert!(lines.next().is_err());
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
