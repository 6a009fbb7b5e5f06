//! A simulated drive, or an array of them, as a block device: its pages lie in simulated blocks, as coded bits, and what is read is
//! decoded from there.

mod array;
mod carried;
mod cuts;
mod decoders;
mod drive;
mod export;
mod locked;
mod open;
mod pace;
mod promise;
mod recording;
mod session;
mod store;
mod units;

pub use cuts::{Cut, Plan, RecordedCuts, RecordedLoss, cut};
pub use drive::Drive;
pub use locked::{Fault, Logs};
pub use pace::Pace;
pub use recording::{Asked, OpKind, Recorder, Recording};
pub use session::{Place, Session, Summary};
pub use wordline_media::Home;
