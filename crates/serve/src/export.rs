//! The drive as clients of NBD see it.

use crate::drive::Drive;
use crate::locked::Fault;
use std::ops::ControlFlow;
use wordline_nbd::{Blocks, Error, Export, Extent, Failure, LARGEST_PAYLOAD, Zeroing};

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Unreadable | Fault::ReadOnly => Error::Io.into(),
            Fault::Failed => Error::Shutdown.into(),
        }
    }
}

/// The smallest block: a client of ext4 or SQLite writes no less, and what is less than a unit is completed.
const SECTOR_BYTES: u32 = 512;

impl Export for Drive {
    fn size(&self) -> u64 {
        self.size_bytes()
    }

    fn blocks(&self) -> Blocks {
        let preferred = u32::try_from(self.unit_bytes()).unwrap_or(LARGEST_PAYLOAD);
        let preferred = preferred.next_power_of_two().clamp(4096, 1 << 20);
        Blocks { minimum: SECTOR_BYTES, preferred, maximum: LARGEST_PAYLOAD }
    }

    fn depth(&self) -> usize {
        self.concurrency()
    }

    fn read(&self, offset: u64, data: &mut [u8]) -> Result<(), Failure> {
        Ok(Self::read(self, offset, data)?)
    }

    fn write(&self, offset: u64, data: &[u8], safe: bool) -> Result<(), Failure> {
        Ok(Self::write(self, offset, data, safe)?)
    }

    fn trim(&self, offset: u64, length: u64, safe: bool) -> Result<(), Failure> {
        Ok(Self::trim(self, offset, length, safe)?)
    }

    fn zero(&self, offset: u64, length: u64, how: Zeroing) -> Result<(), Failure> {
        if how.fast && !how.may_trim {
            return Err(Error::NotSupported.into());
        }
        Ok(Self::zero(self, offset, length, how.may_trim, how.safe)?)
    }

    fn flush(&self) -> Result<(), Failure> {
        Ok(Self::flush(self)?)
    }

    fn extents(&self, offset: u64, length: u64, each: &mut dyn FnMut(Extent) -> ControlFlow<()>) {
        Self::extents(self, offset, length, &mut |length, is_hole| {
            each(Extent { length, hole: is_hole, zero: is_hole })
        });
    }
}
