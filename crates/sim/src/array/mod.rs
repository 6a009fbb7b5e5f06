//! Several drives as one: RAID 0, 1 and 5 as Linux md does it.
//!
//! The array stands between the host and the drives. Its stripe cache, its ways to update parity and
//! its rebuild follow drivers/md of Linux 5; [`Contents`] says what the pages hold.

mod ahead;
mod asked;
mod barriers;
mod bays;
mod contents;
mod core;
mod counts;
mod direct;
mod drive_set;
mod drives;
mod ends;
mod events;
mod heads;
mod held_back;
mod intervals;
mod issue;
mod jobs;
mod journal;
mod journaling;
mod layout;
mod logs;
mod machine;
mod member;
mod members;
mod mending;
mod mirrors;
mod pages;
mod pairs;
mod ppl;
mod raid5;
mod rules;
mod spots;
mod state;
mod stripes;
mod sync;
mod syncing;
mod tasks;
mod turns;
mod update_counts;

pub use crate::schema::Rmw;
pub use contents::Contents;
pub use core::Core;
pub use counts::{Counts, DriveCounts, PURPOSES, Purpose, SyncRun, UnitsWritten};
pub use drives::Drives;
pub use intervals::{Intervals, Updates};
pub use layout::{Layout, Level, Place};
pub use logs::Logging;
pub use machine::Array;
pub use member::{DriveRequest, Member, Told};
pub use members::Members;
pub use pages::{Cached, Logged, Part};
pub use rules::{Rules, SECTOR_BYTES, WHOLE};
pub use state::{Phases, State};
pub use update_counts::UpdateCounts;
