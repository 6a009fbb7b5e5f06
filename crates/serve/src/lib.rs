//! A simulated drive as a block device: its pages lie in simulated blocks, as coded bits, and what is read is
//! decoded from there.

mod drive;
mod export;
mod pace;
mod session;
mod units;

pub use drive::{Drive, Fault};
pub use pace::Pace;
pub use session::{Place, Session, Summary};
