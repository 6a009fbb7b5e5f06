//! Each feature on a case small enough to work out by hand. On [`crate::common::tiny_timed`] a read
//! takes 50 us and 10 for its transfer, a program 10 and 600, an erase 3000.

mod allocation;
mod breakdown;
mod buffer;
mod classes;
mod collection;
mod controller;
mod fdp;
mod flin;
mod handles;
mod host;
mod link;
mod mapping;
mod measured;
mod pauses;
mod preconditioning;
mod programs;
mod queues;
mod rest;
mod sensed_together;
mod sizes;
mod starting;
mod superblock_pages;
mod superblocks;
mod trims;
mod warnings;
mod wear;
mod window;

use wordline_sim::metrics::{Columns, Values};

/// A column of records.
fn column(records: &Columns, name: &str) -> Vec<u64> {
    let column = records.0.iter().find(|column| column.name == name).expect("it is recorded");
    match &column.values {
        Values::U64(values) => values.clone(),
        other => panic!("{name} holds {other:?}"),
    }
}
