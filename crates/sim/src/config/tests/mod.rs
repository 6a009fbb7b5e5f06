//! What the loader accepts, and what it says of the rest.

mod errors;
mod parameters;
mod presets;
mod resolve;
mod settle;

use super::{Config, load};

/// Loads a text without overrides, as `ssd.toml`.
fn config(text: &str) -> Config {
    load(text, "ssd.toml", &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// Overrides as the loader takes them.
fn overrides(given: &[&str]) -> Vec<String> {
    given.iter().map(|&text| text.to_owned()).collect()
}
