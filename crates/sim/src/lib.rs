//! The simulator: a pure function of configuration, workload and seed.

pub mod array;
pub mod config;
pub mod drive;
mod duties;
pub mod engine;
pub mod flash;
pub mod ftl;
pub mod host;
pub mod ids;
pub mod metrics;
pub mod nand;
pub mod policy;
pub mod power;
pub mod reliability;
pub mod technique;
pub mod theory;

mod declare;
mod error;
mod report;
mod run;
mod schema;
mod util;
mod warnings;

pub use error::{Error, Fallible};
pub use metrics::VERSION;
pub use report::peak_rss_mib;
pub use run::{
    CutChoice, Drive, MemberDrive, Opened, Outcome, Own, Progress, Served, ServedArray,
    ServedDrive, Session, Taken, Watch, check_drives, logical_bytes, memory_bytes, power_cuts,
    served, served_array, simulate, simulate_dynamic, simulate_own, with, with_own,
};
