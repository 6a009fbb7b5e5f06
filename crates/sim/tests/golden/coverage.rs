//! Every value that a configuration may name occurs in some case.

use crate::cases;
use std::collections::BTreeSet;
use wordline_sim::config::{Config, Kind, Param, TABLES, TECHNIQUES, policies};
use wordline_sim::technique::erase;

/// Keys that do not reach the simulator: the caller opens the workload, and what holds data codes it.
const NOT_OURS: &[&str] =
    &["workload.layout", "workload.sort", "data.code", "data.errors", "data.second_write"];
/// Values that end a run with an error when they take effect.
const NOT_RUN: &[&str] = &["workload.beyond = error"];

/// Stands for each table at its place: what erase schemes have in common need not occur with all of them.
const ANY: &str = "*";

/// The values at a path.
fn values_at<'a>(table: &'a toml::Value, path: &str) -> Vec<&'a toml::Value> {
    let step = |tables: Vec<&'a toml::Value>, key: &str| match key {
        ANY => {
            tables.iter().filter_map(|table| table.as_table()).flat_map(|t| t.values()).collect()
        }
        _ => tables.iter().filter_map(|table| table.get(key)).collect(),
    };
    path.split('.').fold(vec![table], step)
}

/// The values that are to occur.
fn wanted(param: &Param) -> Vec<String> {
    match param.kind {
        Kind::Bool => vec!["true".into(), "false".into()],
        Kind::OneOf(names) => names.iter().map(|&name| name.into()).collect(),
        Kind::Policy(slot) => policies(slot).iter().map(|&name| name.into()).collect(),
        _ => Vec::new(),
    }
}

fn text_of(value: &toml::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The keys with named values, by their tables.
fn declared() -> Vec<(String, Vec<String>)> {
    let schemes = erase::ENTRIES.iter().map(|of| (format!("erase.{ANY}"), of.declaration.params));
    let techniques = TECHNIQUES.iter().map(|of| (format!("technique.{}", of.name), of.params));
    let common = TABLES.iter().map(|table| (table.path.to_owned(), table.params));
    let keys = common
        .chain(schemes)
        .chain(techniques)
        .filter(|(path, _)| !path.contains("NAME"))
        .flat_map(|(path, params)| {
            params.iter().map(move |param| (format!("{path}.{}", param.key), wanted(param)))
        });
    keys.filter(|(key, values)| !values.is_empty() && !NOT_OURS.contains(&key.as_str())).collect()
}

#[test]
fn every_name_and_switch_occurs_in_a_case() {
    let as_toml = |config: &Config| toml::Value::try_from(config).expect("it is TOML");
    let configs: Vec<_> = cases::all().iter().map(|case| as_toml(&case.config())).collect();
    let mut missing = Vec::new();
    for (key, values) in declared() {
        let found: BTreeSet<String> =
            configs.iter().flat_map(|config| values_at(config, &key)).map(text_of).collect();
        let absent = values.iter().filter(|&value| !found.contains(value));
        missing.extend(absent.map(|value| format!("{key} = {value}")));
    }
    missing.retain(|line| !NOT_RUN.contains(&line.as_str()));
    assert!(missing.is_empty(), "in no case of cases.toml:\n  {}", missing.join("\n  "));
}
