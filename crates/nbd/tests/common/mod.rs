//! An export in memory, and messages of clients. Not every test needs all of it.
#![allow(dead_code)]

pub mod client;
pub mod server;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

use wordline_nbd::{Blocks, Error, Export, Extent, Failure, Zeroing};

/// Bytes; blocks of zeroes are holes. It remembers how it was called.
pub struct Memory {
    bytes: Mutex<Vec<u8>>,
    pub flushes: AtomicUsize,
    /// Writes, trims and zeroes that had to be safe when they returned.
    pub safe: AtomicUsize,
    pub minimum: u32,
    pub maximum: u32,
    pub depth: usize,
    /// A byte that cannot be read.
    pub broken: Option<u64>,
    /// Whether it tells of more than it is asked, up to its end.
    pub tells_more: bool,
}

impl Memory {
    pub fn new(size: usize, byte: u8) -> Self {
        Self {
            bytes: Mutex::new(vec![byte; size]),
            flushes: AtomicUsize::new(0),
            safe: AtomicUsize::new(0),
            minimum: 1,
            maximum: 32 << 20,
            depth: 1,
            broken: None,
            tells_more: false,
        }
    }

    pub fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.bytes.lock().unwrap()
    }

    /// Has the bytes of a range changed, which must lie within the export.
    fn change(&self, offset: u64, length: u64, safe: bool, how: impl Fn(&mut [u8])) {
        assert!(length > 0 && (offset | length).is_multiple_of(u64::from(self.minimum)));
        how(&mut self.bytes()[offset as usize..][..length as usize]);
        self.safe.fetch_add(usize::from(safe), Ordering::SeqCst);
    }
}

impl Export for Memory {
    fn size(&self) -> u64 {
        self.bytes().len() as u64
    }

    fn blocks(&self) -> Blocks {
        Blocks { minimum: self.minimum, preferred: 4096, maximum: self.maximum }
    }

    fn depth(&self) -> usize {
        self.depth
    }

    fn read(&self, offset: u64, data: &mut [u8]) -> Result<(), Failure> {
        let end = offset + data.len() as u64;
        if let Some(broken) = self.broken.filter(|byte| (offset..end).contains(byte)) {
            return Err(Failure::at(Error::Io, broken));
        }
        data.copy_from_slice(&self.bytes()[offset as usize..end as usize]);
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8], safe: bool) -> Result<(), Failure> {
        self.change(offset, data.len() as u64, safe, |bytes| bytes.copy_from_slice(data));
        Ok(())
    }

    fn trim(&self, offset: u64, length: u64, safe: bool) -> Result<(), Failure> {
        self.change(offset, length, safe, |bytes| bytes.fill(0));
        Ok(())
    }

    fn zero(&self, offset: u64, length: u64, how: Zeroing) -> Result<(), Failure> {
        if how.fast && !how.may_trim {
            return Err(Error::NotSupported.into());
        }
        self.change(offset, length, how.safe, |bytes| bytes.fill(0));
        Ok(())
    }

    fn flush(&self) -> Result<(), Failure> {
        self.flushes.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    fn extents(&self, offset: u64, length: u64, each: &mut dyn FnMut(Extent) -> ControlFlow<()>) {
        let bytes = self.bytes();
        let end = if self.tells_more { bytes.len() as u64 } else { offset + length };
        let mut at = offset;
        while at < end {
            let next = (at + 512 - at % 512).min(end);
            let zero = bytes[at as usize..next as usize].iter().all(|&byte| byte == 0);
            if each(Extent { length: next - at, hole: zero, zero }).is_break() {
                return;
            }
            at = next;
        }
    }
}

pub fn option(kind: u32, data: &[u8]) -> Vec<u8> {
    let head = [kind.to_be_bytes(), (data.len() as u32).to_be_bytes()].concat();
    [b"IHAVEOPT", &head[..], data].concat()
}

pub fn request(flags: u16, kind: u16, offset: u64, length: u32) -> Vec<u8> {
    let mut bytes = 0x2560_9513_u32.to_be_bytes().to_vec();
    bytes.extend(flags.to_be_bytes());
    bytes.extend(kind.to_be_bytes());
    bytes.extend(*b"a handle");
    bytes.extend(offset.to_be_bytes());
    bytes.extend(length.to_be_bytes());
    bytes
}
