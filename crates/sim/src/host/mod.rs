//! The host's side: where requests land, the DRAM write buffer, open and closed loop.

mod address;
mod driver;
mod slots;
mod write_buffer;

pub use address::AddressMap;
pub use driver::Driver;
pub(crate) use slots::Slots;
pub use write_buffer::WriteBuffer;
