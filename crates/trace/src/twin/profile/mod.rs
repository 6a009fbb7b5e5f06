//! Twins from profiles: the structure of a trace, measured by [`super::fit`].
//!
//! Requests continue runs that are open, or start at new or old places. A profile says how often, in
//! which order, and after what intervals; `docs/twins.md` says what it keeps and what it does not.

mod ages;
pub(super) mod gaps;
pub(super) mod kind;
mod land;
mod model;
mod order;
mod place;
mod source;
mod table;

pub use model::{Accesses, GroupSizes, Profile};
pub(super) use model::{COLUMNS, VERSION};
pub(super) use source::Profiled;
