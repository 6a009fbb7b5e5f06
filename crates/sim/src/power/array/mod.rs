//! Power cuts of an array: all of its drives fail at the same instant, and what each of them then holds need not fit
//! what the others do.

mod again;
mod contents;
mod course;
mod cuts;
mod member;
mod replay;
mod standing;
mod stripe;

pub use again::{ArrayRestarts, Restarted};
pub use contents::{Logs, Noting};
pub use cuts::ArrayCuts;
pub use member::{Member, Recorded};
