//! What a refusal says to do, done.

use crate::common::Dice;
use wordline_sim::config::Config;

/// Channels of a drive, and passes of a workload, at most.
const MOST: f64 = 6.0;

/// True for the path of a key, such as `drive.chip.cell`.
pub fn is_key(word: &str) -> bool {
    const TABLES: [&str; 11] = [
        "run.",
        "drive.",
        "ftl.",
        "erase.",
        "power.",
        "data.",
        "host.",
        "array.",
        "precondition.",
        "workload.",
        "technique.",
    ];
    TABLES.iter().any(|table| word.starts_with(table) && word.len() > table.len())
}

/// A word without what surrounds it.
pub fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| {
        !c.is_alphanumeric() && c != '_' && c != '-' && c != '{' && c != '}'
    })
}

/// The keys that one way to mend a refusal sets: of those between which the help says `or`, any.
pub fn advice(dice: &mut Dice, config: &Config, help: &str) -> Vec<String> {
    let ways: Vec<Vec<String>> = split(help)
        .into_iter()
        .map(|way| set_keys(config, &way))
        .filter(|keys| !keys.is_empty())
        .collect();
    if ways.is_empty() { Vec::new() } else { ways[dice.below(ways.len() as u64) as usize].clone() }
}

/// The ways between which a help leaves the choice.
fn split(help: &str) -> Vec<String> {
    let mut ways = Vec::new();
    for part in help.split("; ").flat_map(|part| part.split(" or ")) {
        let begins_one = part.split(' ').map(bare).any(is_key) || ways.is_empty();
        match ways.last_mut() {
            Some(last) if !begins_one => *last = format!("{last} or {part}"),
            _ => ways.push(part.to_owned()),
        }
    }
    ways
}

fn set_keys(config: &Config, way: &str) -> Vec<String> {
    let words: Vec<&str> = way.split(' ').collect();
    let factor = match way {
        _ if way.contains("lower") => Some(0.5),
        _ if way.contains("raise") => Some(2.0),
        _ => None,
    };
    let mut keys = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let key = bare(word);
        if !is_key(key) {
            continue;
        }
        let said: Vec<&str> = words[at + 1..].iter().copied().take(4).collect();
        let value = match said[..] {
            ["to", value, ..] | ["such", "as", "to", value, ..] | ["=", value, ..] => {
                Some(bare(value))
            }
            _ => None,
        };
        match (value, factor) {
            (Some(value), _) if !is_key(value) && !value.is_empty() => {
                keys.push(format!("{key}={value}"))
            }
            (_, Some(factor)) => keys.extend(scaled(config, key, factor)),
            _ => {}
        }
    }
    keys
}

/// A number of the configuration, so many times as large.
fn scaled(config: &Config, key: &str, factor: f64) -> Option<String> {
    let table: toml::Table = config.to_toml().parse().expect("it is TOML");
    let mut path = key.split('.');
    let mut found = table.get(path.next()?)?;
    for name in path {
        found = found.get(name)?;
    }
    let value = match found {
        toml::Value::Integer(0) => 1.0,
        toml::Value::Integer(number) => (*number as f64 * factor).ceil(),
        toml::Value::Float(0.0) => 0.1,
        toml::Value::Float(number) => number * factor,
        _ => return None,
    };
    let value = if key == "drive.over_provisioning" { value.min(2.0) } else { value };
    if (key.ends_with("channels") || key == "workload.repeat") && value > MOST {
        return None;
    }
    Some(match found {
        toml::Value::Integer(_) => format!("{key}={value}"),
        _ => format!("{key}={value:?}"),
    })
}
