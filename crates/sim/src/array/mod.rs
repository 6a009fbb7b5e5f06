//! Several drives as one: RAID 0, 1 and 5 as Linux md does it.
//!
//! The array stands between the host and the drives. Its stripe cache, its ways to update parity and
//! its rebuild follow drivers/md of Linux 5; [`Contents`] says what the pages hold.
//!
//! [`Core`] is what every part works with: drives, time, requests. `stripes`, `stripe_log`, `mirrors`, `recovery` and `tasks`
//! each own their fields and are handed the others that they need; [`Array`] (`machine`, `completion`) joins them.

mod bays;
mod cache;
mod completion;
mod contents;
mod core;
mod counts;
mod direct;
mod drive_set;
mod drives;
mod events;
mod heads;
mod host_request;
mod intervals;
mod jobs;
mod journal;
mod journal_ring;
mod layout;
mod machine;
mod member;
mod members;
mod mirrors;
mod pages;
mod parity_cache;
mod ppl;
mod prefetch;
mod recovery;
mod restart;
mod rules;
mod state;
mod stripe_log;
mod stripes;
mod tasks;
mod update_counts;

pub use crate::schema::Rmw;
pub use contents::{Asked, Contents};
pub use core::{Core, Storage};
pub use counts::{Counts, DriveCounts, PURPOSES, Purpose, StripeWrites, SyncRun, UnitsWritten};
pub use drives::Drives;
pub use intervals::{Intervals, Updates};
pub use layout::{Layout, Level, Place};
pub use machine::Array;
pub use member::{DriveRequest, Member, Told};
pub use members::Members;
pub use pages::{Cached, Logged, Part};
pub use rules::{Logging, Rules, SECTOR_BYTES, WHOLE};
pub use state::{Phases, State};
pub use update_counts::UpdateCounts;
