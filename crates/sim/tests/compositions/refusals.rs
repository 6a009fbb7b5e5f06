//! What a refusal has to say: which keys do not go together, and what to do.

use crate::mending::{bare, is_key};
use std::collections::BTreeSet;
use wordline_sim::config::TECHNIQUES;

/// What a refusal lacks that has to name `least` keys; `None`: nothing.
pub fn lacking(what: &str, help: &str, least: usize) -> Option<String> {
    let both = format!("{what} {help}").replace("technique ", "technique.");
    let is_technique = |word: &str| TECHNIQUES.iter().any(|it| it.name == word);
    let words = both.split([' ', '(']).map(bare);
    let keys: BTreeSet<&str> = words.filter(|word| is_key(word) || is_technique(word)).collect();
    match (keys.len() >= least, help.is_empty()) {
        (_, true) => Some(format!("it says nothing to do: {what}")),
        (false, _) => Some(format!("it names {keys:?} alone: {what} ({help})")),
        _ => None,
    }
}
