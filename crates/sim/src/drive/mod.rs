//! What a drive holds: the map both ways, valid bits, blocks, erased and full ones, and the write
//! points where the next data goes. Policies and techniques read it; the FTL changes it.

mod bitmap;
mod buckets;
mod filling;
mod free_list;
mod handles;
mod in_flash;
mod layout;
mod pending;
mod shape;
mod state;
mod stripe;
mod victims;
mod write_point;

pub use bitmap::{ValidBits, Walk};
pub use filling::{Filling, Streams, pages_of_program};
pub use free_list::FreeList;
pub use handles::Handles;
pub(crate) use layout::first_turns;
pub use layout::{Choices, Layout, logical_units};
pub(crate) use pending::Pending;
pub use shape::{Content, Shape, Step};
pub(crate) use shape::{ExtraProgram, ProgramShape};
pub use state::DriveState;
pub use stripe::Stripe;
pub use victims::{ByCost, Orders, Victims};
pub(crate) use write_point::Stretch;
pub use write_point::{Lane, WritePoint};
