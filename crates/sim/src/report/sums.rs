//! Sums over the drives of an array of what techniques and erase schemes report.

use serde_json::{Map, Value};

/// What the drives of an array report together: whole numbers, which are counts, are added key by key
/// at any depth, lists of `[value, count]` by their values. Means, extremes and texts are those of
/// a drive, and are left out.
pub fn summed<'a>(all: impl Iterator<Item = &'a Map<String, Value>>) -> Map<String, Value> {
    let mut sums = Map::new();
    all.for_each(|report| add(&mut sums, report));
    sums
}

fn add(sums: &mut Map<String, Value>, more: &Map<String, Value>) {
    for (key, value) in more {
        match value {
            Value::Number(number) => {
                let Some(count) = number.as_u64() else { continue };
                let before = sums.get(key).and_then(Value::as_u64).unwrap_or(0);
                sums.insert(key.clone(), (before + count).into());
            }
            Value::Object(table) => {
                let inner = sums.entry(key.clone()).or_insert_with(|| Map::new().into());
                if let Value::Object(inner) = inner {
                    add(inner, table);
                }
            }
            Value::Array(pairs) => {
                let inner = sums.entry(key.clone()).or_insert_with(|| Value::Array(Vec::new()));
                if let Value::Array(inner) = inner {
                    pairs.iter().for_each(|pair| add_pair(inner, pair));
                }
            }
            Value::Null | Value::Bool(_) | Value::String(_) => {}
        }
    }
}

/// Adds `[value, count]` to a list of such, which is kept in the order of the values.
fn add_pair(sums: &mut Vec<Value>, pair: &Value) {
    let of = |pair: &Value| Some((pair.get(0)?.as_f64()?, pair.get(1)?.as_u64()?));
    let Some((value, count)) = of(pair) else { return };
    let found = sums.iter().position(|sum| of(sum).is_none_or(|(other, _)| other >= value));
    let at = found.unwrap_or(sums.len());
    match sums.get(at).and_then(of) {
        Some((other, before)) if other == value => {
            sums[at] = Value::Array(vec![pair[0].clone(), (before + count).into()]);
        }
        _ => sums.insert(at, pair.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::summed;
    use serde_json::{Map, Value, json};

    fn map(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn counts_are_added_and_means_are_not() {
        let one = map(json!({
            "ressd": { "word_lines": 5, "per_line": 2.5, "candidates": { "proactive": 1 } },
            "by_loops": [[1, 4], [3, 1]], "note": "x", "mean": null,
        }));
        let two = map(json!({
            "ressd": { "word_lines": 7, "per_line": 3.0, "candidates": { "proactive": 2, "passive": 1 } },
            "by_loops": [[1, 1], [2, 2]],
        }));
        let sums = summed([&one, &two].into_iter());
        let expected = json!({
            "ressd": { "word_lines": 12, "candidates": { "proactive": 3, "passive": 1 } },
            "by_loops": [[1, 5], [2, 2], [3, 1]],
        });
        assert_eq!(Value::Object(sums), expected);
        assert!(summed([].into_iter()).is_empty());
    }
}
