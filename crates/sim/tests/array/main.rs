//! Arrays: where pages lie, what a write costs, that every byte stays readable, and whole runs.

mod costs;
mod fake;
mod layout;
mod model;
mod refusals;
mod runs;
