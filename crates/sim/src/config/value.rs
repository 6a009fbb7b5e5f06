//! One value against its declaration.

use super::error::Problem;
use super::registry::policies;
use crate::declare::{Kind, Param};
use std::fmt::Display;
use toml::Value;
use toml::de::{DeArray, DeInteger, DeValue};
use wordline_trace::{quantity, suggest};

/// Whole numbers that a float carries exactly: 2^53.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The value in the form in which a configuration holds it, or what is wrong with it.
pub(super) fn check(param: &Param, path: &str, value: &DeValue<'_>) -> Result<Value, Problem> {
    let accepted = match (param.kind, value) {
        (Kind::Bool, DeValue::Boolean(flag)) => Some(Value::Boolean(*flag)),
        (Kind::Int(low, high), _) => whole_within(value, param.unit, low, high),
        (Kind::Ints(low, high), DeValue::Array(list)) => {
            all(list, |item| whole_within(item, param.unit, low, high))
        }
        (Kind::Float(low, high), _) => number_within(value, param.unit, low, high),
        (Kind::Floats(low, high), DeValue::Array(list)) if !list.is_empty() => {
            all(list, |item| number_within(item, param.unit, low, high))
        }
        (Kind::Floats(low, high), _) => number_within(value, param.unit, low, high),
        (Kind::OneOf(names), DeValue::String(text)) => {
            return one_of(names, path, text);
        }
        (Kind::OneOfOr(names, low, high), _) => {
            let number = number_within(value, param.unit, low, high);
            match (number, value) {
                (None, DeValue::String(text)) => return one_of(names, path, text),
                (number, _) => number,
            }
        }
        (Kind::Policy(slot), DeValue::String(text)) => {
            return one_of(policies(slot), path, text);
        }
        (Kind::Text, DeValue::String(text)) => Some(Value::from(text.as_ref())),
        (Kind::Texts, DeValue::Array(list)) => all(list, |item| match item {
            DeValue::String(text) => Some(Value::from(text.as_ref())),
            _ => None,
        }),
        _ => None,
    };
    accepted.ok_or_else(|| {
        let what = format!("`{path}`: expected {}, found {}", expected(param), found(value));
        Problem::new(what, help(param, value))
    })
}

fn one_of(names: &[&str], path: &str, text: &str) -> Result<Value, Problem> {
    if names.contains(&text) {
        return Ok(Value::from(text));
    }
    let help = suggest::help(text, names.iter().copied());
    Err(Problem::new(format!("`{path}`: no such name as {text:?}"), help))
}

/// The list with each item as `item` understands it.
fn all(list: &DeArray<'_>, item: impl Fn(&DeValue<'_>) -> Option<Value>) -> Option<Value> {
    list.iter().map(|value| item(value.get_ref())).collect::<Option<Vec<_>>>().map(Value::Array)
}

/// What the key does, and how a number may be written where another was.
fn help(param: &Param, value: &DeValue<'_>) -> String {
    let meaning = if param.help == param.key { "" } else { param.help };
    let is_number = matches!(
        param.kind,
        Kind::Int(..) | Kind::Ints(..) | Kind::Float(..) | Kind::Floats(..) | Kind::OneOfOr(..)
    );
    let written = match value {
        _ if !is_number => String::new(),
        DeValue::String(_) => {
            format!("units: {}", quantity::units(param.unit))
        }
        DeValue::Integer(_) | DeValue::Float(_) if param.unit == "share" => {
            let given = found(value);
            format!("{given} per cent is \"{given}%\"")
        }
        _ => String::new(),
    };
    let parts = [meaning, &written].into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("; ")
}

fn whole_within(value: &DeValue<'_>, unit: &str, low: u64, high: u64) -> Option<Value> {
    let number = whole(value, unit).filter(|number| (low..=high).contains(number))?;
    i64::try_from(number).ok().map(Value::Integer)
}

fn number_within(value: &DeValue<'_>, unit: &str, low: f64, high: f64) -> Option<Value> {
    number(value, unit).filter(|number| (low..=high).contains(number)).map(Value::Float)
}

/// The value as a number in `unit`; whole numbers serve as well, and texts that name a unit.
fn number(value: &DeValue<'_>, unit: &str) -> Option<f64> {
    match value {
        DeValue::Integer(integer) => integer_value(integer).map(|integer| integer as f64),
        DeValue::Float(float) => float.as_str().parse().ok(),
        DeValue::String(text) => quantity::parse(text, unit),
        _ => None,
    }
}

/// The value as a whole number; `1e6` and `"1M"` serve as well.
fn whole(value: &DeValue<'_>, unit: &str) -> Option<u64> {
    match value {
        DeValue::Integer(integer) => integer_value(integer).and_then(|i| u64::try_from(i).ok()),
        _ => number(value, unit)
            .filter(|number| number.fract() == 0.0 && (0.0..=EXACT).contains(number))
            .map(|number| number as u64),
    }
}

fn integer_value(integer: &DeInteger<'_>) -> Option<i128> {
    i128::from_str_radix(integer.as_str(), integer.radix()).ok()
}

fn expected(param: &Param) -> String {
    let range = |what: &str, low: &dyn Display, high: &dyn Display| {
        quantity::range(what, low, high, param.unit)
    };
    match param.kind {
        Kind::Bool => "true or false".into(),
        Kind::Int(low, high) => range("a whole number", &low, &high),
        Kind::Float(low, high) => range("a number", &low, &high),
        Kind::Floats(low, high) => range("a number", &low, &high) + ", or a list of them",
        Kind::Ints(low, high) => format!("a list of {}", range("whole numbers", &low, &high)),
        Kind::OneOf(names) => format!("one of {}", names.join(", ")),
        Kind::OneOfOr(names, low, high) => {
            format!("one of {}, or {}", names.join(", "), range("a number", &low, &high))
        }
        Kind::Policy(slot) => format!("one of {}", policies(slot).join(", ")),
        Kind::Text => "text".into(),
        Kind::Texts => "a list of texts".into(),
    }
}

/// A value as a message names it, cut short where it is long.
pub(super) fn found(value: &DeValue<'_>) -> String {
    const LONGEST: usize = 60;
    let text = described(value);
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn described(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the text {text:?}"),
        DeValue::Integer(integer) => integer.to_string(),
        DeValue::Float(float) => float.as_str().into(),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(_) => "a date".into(),
        DeValue::Array(list) if list.is_empty() => "an empty list".into(),
        DeValue::Array(list) => {
            let items: Vec<_> = list.iter().map(|item| described(item.get_ref())).collect();
            format!("[{}]", items.join(", "))
        }
        DeValue::Table(_) => "a table".into(),
    }
}
