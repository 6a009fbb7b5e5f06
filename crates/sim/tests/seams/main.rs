//! The seams of techniques, shown wide enough: the smallest prototypes of what published techniques
//! ask of a drive, each held to counts by hand or to what must be conserved, under every scheduler,
//! alone and in a stack.

#[allow(dead_code)]
#[path = "../engine/common.rs"]
mod common;
mod dispatcher;
mod features;
mod flash;
mod full;
mod given;
mod harness;
mod idle_die;
mod lanes;
mod ledger;
mod making_way;
mod moments;
mod no_room;
mod pairs;
mod pulses;
mod ranges;
mod reprogram;
mod second_pass;
mod shares;
mod stealer;
mod steps;
mod two_stages;
