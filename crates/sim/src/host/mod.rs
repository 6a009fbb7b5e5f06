//! The host's side: where requests land, the DRAM write buffer, open and closed loop.

mod address;
mod ahead;
mod completions;
mod data_path;
mod device;
mod driver;
pub mod log;
mod pace;
pub mod program_buffer;
mod queues;
mod write_buffer;

pub use address::AddressMap;
pub use ahead::Ask;
pub use completions::Completions;
pub use data_path::DataPath;
pub use device::Device;
pub(crate) use driver::Sent;
pub use driver::{Baseline, Before, Driver, Lifetime};
pub use pace::{Host, Pace};
pub use program_buffer::ProgramBuffer;
pub use write_buffer::WriteBuffer;
