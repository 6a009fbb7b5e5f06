//! Power cuts: what the flash of a run held at any moment, what a cut then leaves of it, what a restart makes
//! of that, and whether everything is there that the drive had promised.
//!
//! A run records its programs and erases, and what the host was promised ([`crate::flash::Recording`],
//! [`crate::host::log::HostLog`]). Everything here comes afterwards, so that one run serves any number of cuts.

pub mod array;
mod cuts;
mod damage;
mod flash_snapshot;
mod hold_up;
mod hold_up_report;
mod memory;
mod nested_cut;
mod promises;
pub mod recovery;
mod redundancy;
mod report;
mod restart;
mod saved;
mod scanned_pages;
mod timeline;
mod verdict;

pub use cuts::{Cuts, check_end};
pub use damage::Shares;
pub use hold_up::HoldUp;
pub use hold_up_report::HoldUpReport;
pub use redundancy::ArrayReport;
pub use report::{CutReport, Loss, Plan};
pub use restart::{Did, Restart, Restarted, Restarts};
pub use verdict::Numbers;
