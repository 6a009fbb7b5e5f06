//! Memory for the data of requests. What a thread keeps is small; what large requests need is shared
//! among all of a server's connections, so that no number of clients can exhaust the memory.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// What a thread keeps of its own, in bytes.
const OWN: usize = 256 << 10;
/// How many larger requests are under way at once.
const LARGE: usize = 8;
/// Room for the head of a reply, in front of the data; as much as keeps these aligned.
pub const HEAD: usize = 64;

/// The buffers of large requests.
pub struct Pool {
    free: Mutex<Vec<Vec<u8>>>,
    returned: Condvar,
}

impl Default for Pool {
    fn default() -> Self {
        Self { free: Mutex::new(vec![Vec::new(); LARGE]), returned: Condvar::new() }
    }
}

impl Pool {
    fn free(&self) -> MutexGuard<'_, Vec<Vec<u8>>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until one is free.
    fn take(&self) -> Vec<u8> {
        let mut free = self.free();
        loop {
            if let Some(buffer) = free.pop() {
                return buffer;
            }
            free = self.returned.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn give_back(&self, buffer: Vec<u8>) {
        self.free().push(buffer);
        self.returned.notify_one();
    }
}

/// The memory of one thread.
pub struct Buffer<'a> {
    pool: &'a Pool,
    own: Vec<u8>,
    large: Option<Vec<u8>>,
}

impl<'a> Buffer<'a> {
    pub fn new(pool: &'a Pool) -> Self {
        Self { pool, own: Vec::new(), large: None }
    }

    /// [`HEAD`] bytes, and `length` for data after them, whose contents are left over from others.
    pub fn room(&mut self, length: usize) -> &mut [u8] {
        let bytes = if length <= OWN {
            &mut self.own
        } else {
            self.large.get_or_insert_with(|| self.pool.take())
        };
        if bytes.len() < HEAD + length {
            bytes.resize(HEAD + length, 0);
        }
        &mut bytes[..HEAD + length]
    }

    /// Lets others have what a large request needed.
    pub fn release(&mut self) {
        if let Some(buffer) = self.large.take() {
            self.pool.give_back(buffer);
        }
    }
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        self.release();
    }
}
