//! Serves memory: `memory SOCKET BYTES [DEPTH]`, until standard input ends.

use std::io::Read;
use std::ops::ControlFlow;
use std::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::{env, io, thread};

use wordline_nbd::{Address, Blocks, Export, Extent, Failure, Limits, Named, Server, Zeroing};

struct Memory {
    bytes: RwLock<Vec<u8>>,
    depth: usize,
}

impl Memory {
    fn read(&self) -> RwLockReadGuard<'_, Vec<u8>> {
        self.bytes.read().expect("no thread panics")
    }

    fn write(&self) -> RwLockWriteGuard<'_, Vec<u8>> {
        self.bytes.write().expect("no thread panics")
    }
}

impl Export for Memory {
    fn size(&self) -> u64 {
        self.read().len() as u64
    }

    fn blocks(&self) -> Blocks {
        Blocks { minimum: 1, preferred: 4096, maximum: 32 << 20 }
    }

    fn depth(&self) -> usize {
        self.depth
    }

    fn read(&self, offset: u64, data: &mut [u8]) -> Result<(), Failure> {
        data.copy_from_slice(&self.read()[offset as usize..][..data.len()]);
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8], _safe: bool) -> Result<(), Failure> {
        self.write()[offset as usize..][..data.len()].copy_from_slice(data);
        Ok(())
    }

    fn trim(&self, offset: u64, length: u64, _safe: bool) -> Result<(), Failure> {
        self.write()[offset as usize..][..length as usize].fill(0);
        Ok(())
    }

    fn zero(&self, offset: u64, length: u64, how: Zeroing) -> Result<(), Failure> {
        self.trim(offset, length, how.safe)
    }

    fn flush(&self) -> Result<(), Failure> {
        Ok(())
    }

    /// Blocks of zeroes are holes.
    fn extents(&self, offset: u64, length: u64, each: &mut dyn FnMut(Extent) -> ControlFlow<()>) {
        for block in self.read()[offset as usize..][..length as usize].chunks(4096) {
            let zero = block.iter().all(|&byte| byte == 0);
            if each(Extent { length: block.len() as u64, hole: zero, zero }).is_break() {
                return;
            }
        }
    }
}

fn main() -> io::Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let number = |index: usize| arguments.get(index).and_then(|text| text.parse().ok());
    let (Some(path), Some(size)) = (arguments.first(), number(1)) else {
        return Err(io::Error::other("memory SOCKET BYTES [DEPTH]"));
    };
    let memory = Memory { bytes: RwLock::new(vec![0; size]), depth: number(2).unwrap_or(1) };
    let exports = [Named { name: "memory", description: "bytes in memory", export: &memory }];
    let server = Server::bind(&Address::Unix(path.into()), Limits::default())?;
    thread::scope(|scope| {
        let served = scope.spawn(|| {
            server.run(&exports, &|end| {
                if let Err(error) = end {
                    eprintln!("{error}");
                }
            })
        });
        println!("ready");
        io::stdin().read_to_end(&mut Vec::new())?;
        server.stop();
        served.join().expect("no thread panics")
    })
}
