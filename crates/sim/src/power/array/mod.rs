//! Power cuts of an array: all of its drives fail at the same instant, and what each of them then holds need not fit
//! what the others do.

mod contents;
mod course;
mod cuts;
mod member;
mod replay;
mod stripe;

pub use contents::Noting;
pub use cuts::ArrayCuts;
pub use member::{Member, Recorded};
