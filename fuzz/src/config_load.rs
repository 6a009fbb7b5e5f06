//! Any text is a configuration or an error, and a configuration survives being written out.

use wordline_sim::config::load;

/// Tries one input.
pub fn run(text: &str) {
    if let Ok(config) = load(text, "fuzz.toml", &[]) {
        let again = load(&config.to_toml(), "resolved.toml", &[]);
        assert_eq!(again.as_ref(), Ok(&config));
    }
}
