//! Simulated time: schedulers that turn flash operations into times, and the requests that wait
//! for them.

mod channel;
mod count;
mod gaps;
mod in_order;
mod itemisation;
mod itemised;
mod least_loaded;
mod lowest;
mod queued;
mod requests;
mod scheduler;

pub use channel::Channel;
pub use count::Count;
pub use in_order::InOrder;
pub use itemisation::{
    Ahead, AheadNs, Itemisation, KINDS, OfArray, OfRequests, RequestParts, Sums,
};
pub use itemised::Itemised;
pub use queued::Queued;
pub use requests::{Finished, Notice, Phase, Requests, Status};
pub use scheduler::{FlashOp, Scheduler, Source};
