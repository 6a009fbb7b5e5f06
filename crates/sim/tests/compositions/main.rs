//! Whatever a configuration puts together is refused with what to change, or runs to its end: with every invariant of
//! the drive, the same twice, and without a figure that cannot be. Power that is cut in such runs takes nothing that
//! was promised.
//!
//! `COMPOSITIONS=10000` tries so many, and `COMPOSITION=17` that one alone.

#[allow(dead_code)]
#[path = "../engine/common.rs"]
mod common;
mod cuts;
mod defaults;
mod draw;
mod duties;
mod figures;
mod mending;
mod needs;
mod recorded;
mod recorded_drive;
mod refusals;
mod replay;
mod requests;
mod runs;
mod sections;
mod tries;
