//! Each feature on a case small enough to work out by hand. On [`crate::common::tiny_timed`] a read
//! takes 50 us and 10 for its transfer, a program 10 and 600, an erase 3000.

mod collection;
mod host;
mod mapping;
mod preconditioning;
mod programs;
mod wear;
