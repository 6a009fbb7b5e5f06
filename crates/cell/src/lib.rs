//! The cell laboratory: threshold voltages, programs, disturb, retention and erase, from which the
//! latencies, error rates and lifetimes of drives come. Knows nothing of the simulator.
//!
//! Voltages are in *units*: 0 is ground and 512 the highest voltage that a cell is read at, the
//! scale of Cai et al., Proc. IEEE 105(9), 2017. A [`Plan`] says what happens to a word line from
//! its erase to its last program; [`analytic`] and [`monte_carlo`] evaluate the same plan under the
//! same [`Conditions`], the one as distributions, the other cell by cell.

pub mod analytic;
pub mod campaign;
pub mod chip;
mod conditions;
mod density;
mod ecc;
pub mod energy;
pub mod erase;
pub mod erasing;
mod error;
mod levels;
mod limits;
pub mod math;
mod modes;
pub mod monte_carlo;
pub mod moves;
pub mod pagewise;
mod plan;
mod quantity;
mod ranged;
pub mod read;
pub mod reprogram;
mod retention;
pub mod rng;
pub mod stages;
pub mod survey;
pub mod tables;
mod variation;

pub use chip::Chip;
pub use conditions::Conditions;
pub use density::Density;
pub use ecc::Ecc;
pub use error::Error;
pub use levels::Levels;
pub use plan::{Class, Plan, Step};
pub use quantity::{parse_age_h, parse_count, parse_temperature_c};
pub use variation::{Place, WordLine};
