//! A result as text: a line for each figure, in the order of the result.

use crate::cases::Case;
use serde_json::Value;
use std::fmt::{Display, Write};
use wordline_sim::Outcome;
use wordline_sim::metrics::{Columns, Values};

/// Fields that say what was asked, or how fast the machine was.
const LEFT_OUT: &[&str] = &["wordline", "config", "simulator"];
/// Fields that most results have not, and that are written where one has.
const NOT_ALWAYS: &[&str] = &["measured", "breakdown"];
/// Counts that only few runs have, and that are written where they are not 0.
const NOT_WHERE_ZERO: &[&str] = &["metadata", "log", "trimmed_reads", "refresh", "reclaim"];
/// Values of a long list that are written, evenly apart.
const SHOWN: usize = 20;

/// The run and its result.
pub fn text(case: &Case, outcome: &Outcome) -> String {
    let mut text = format!("base: {}\n", case.base());
    for set in &case.set {
        writeln!(text, "set: {set}").expect("text grows");
    }
    writeln!(text, "workload: {}\n", case.workload).expect("text grows");
    let result = serde_json::to_value(&outcome.result).expect("a result is data");
    for (name, value) in result.as_object().expect("of named fields") {
        let is_none = NOT_ALWAYS.contains(&name.as_str()) && value.is_null();
        if !LEFT_OUT.contains(&name.as_str()) && !is_none {
            lines(name, value, &mut text);
        }
    }
    columns("series", &outcome.series, &mut text);
    columns("records", &outcome.records, &mut text);
    text
}

fn is_flat(value: &Value) -> bool {
    match value {
        Value::Object(_) => false,
        Value::Array(items) => items.iter().all(is_flat),
        _ => true,
    }
}

/// Lists of lists of numbers are one line, and what has names is a line for each.
fn lines(path: &str, value: &Value, text: &mut String) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let is_zero = value.as_f64() == Some(0.0);
                let is_nothing = is_zero && NOT_WHERE_ZERO.contains(&name.as_str());
                // Each drive of an array carries its own.
                if !LEFT_OUT.contains(&name.as_str()) && !is_nothing {
                    lines(&format!("{path}.{name}"), value, text);
                }
            }
        }
        Value::Array(items) if !is_flat(value) || items.iter().any(Value::is_string) => {
            for (index, value) in items.iter().enumerate() {
                lines(&format!("{path}[{index}]"), value, text);
            }
        }
        Value::Array(items) if items.len() > SHOWN => few(path, items, text),
        _ => writeln!(text, "{path} = {value}").expect("text grows"),
    }
}

/// Some of many values, the last among them.
fn few<T: Display>(path: &str, values: &[T], text: &mut String) {
    let step = values.len().div_ceil(SHOWN).max(1);
    let shown: Vec<_> = values.iter().rev().step_by(step).map(T::to_string).collect();
    let shown = shown.into_iter().rev().collect::<Vec<_>>().join(" ");
    writeln!(text, "{path} = {} values: {shown}", values.len()).expect("text grows");
}

fn columns(path: &str, columns: &Columns, text: &mut String) {
    for column in &columns.0 {
        let path = format!("{path}.{}", column.name);
        match &column.values {
            Values::U64(values) => few(&path, values, text),
            Values::F64(values) => few(&path, values, text),
        }
    }
}
