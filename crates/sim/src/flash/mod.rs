//! The one door to the flash: the FTL says by a [`Command`](crate::nand::command::Command) what is done, to which pages, for whose sake.
//! From that follow time and energy, what is counted, and what the scheduler is told.
//!
//! Where a technique is in use a [`Chips`] stands at the door: it knows what each word line has been
//! through, lets nothing pass that the flash could not do, and tells who asked when a command ends.

mod alike;
mod chips;
mod cost;
mod image;
mod io;
mod marks;
mod medium;
mod metadata;
mod prepared;
mod reach;
mod recording;
mod retried;
pub mod tape;
pub mod taping;

pub use alike::Alike;
pub use chips::{Chips, Ended};
pub use image::Image;
pub use io::{Io, Order, Place};
pub use marks::{Mark, Marks};
pub use medium::{From, Issued, Medium};
pub use metadata::{Area, Checkpoint, Found, Note, Record};
pub use recording::{FIRST, Holds, OpKind, Recorded, RecordedSpan, Recording};
pub use retried::{Retried, RetriedRead, RetryTimes};
pub use taping::Door;
