//! An array whose drives hold data.

mod bytes;
mod several;

pub use several::Several;
