//! Power cuts of an array: all of its drives fail at the same instant, and what each of them then holds need not fit
//! what the others do.

mod array_snapshot;
mod contents;
mod cuts;
mod member;
mod replay;
mod restart;
mod stripe;
mod timeline;

pub use contents::{Logs, Noting};
pub use cuts::ArrayCuts;
pub use member::{Member, Recorded};
pub use restart::{ArrayRestarts, Restarted};
