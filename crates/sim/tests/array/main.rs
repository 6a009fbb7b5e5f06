//! Arrays: where pages lie, what a write costs, and that every byte stays readable.

mod fake;
mod layout;
mod model;
