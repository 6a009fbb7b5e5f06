//! Every timing and ordering rule, worked out by hand: one nanosecond too early, in time, and late.

mod order;
mod passes;
mod priority;
mod random;
mod ranks;
mod resources;
mod rig;
mod suspension;
