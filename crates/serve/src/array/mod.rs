//! An array whose drives hold data.

mod bytes;
mod images;
mod several;

pub use several::Several;
