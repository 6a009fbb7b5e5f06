//! The names that a configuration may hold, and what to say of others.

use super::error::Problem;
use super::param::Param;
use super::presets::PresetKind;
use super::schema::TABLES;
use super::suggest;

/// The table whose sub-tables are named after techniques.
pub(super) const TECHNIQUE: &str = "technique";

/// The key that names a preset, in tables that have some.
pub(super) const PRESET: &str = "preset";

/// A dotted path one level down.
pub(super) fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// Whether a table of parameters stands at `path`.
pub(super) fn is_table(path: &str) -> bool {
    TABLES.iter().any(|table| table.path == path)
}

/// The declaration of a key in the table at `path`.
pub(super) fn param(path: &str, key: &str) -> Option<&'static Param> {
    params(path).iter().find(|param| param.key == key)
}

fn params(path: &str) -> &'static [Param] {
    TABLES.iter().find(|table| table.path == path).map_or(&[], |table| table.params)
}

/// Names of the tables directly in the table at `path`.
fn tables_in(path: &str) -> impl Iterator<Item = &'static str> {
    let below = move |full: &'static str| match path {
        "" => Some(full),
        _ => full.strip_prefix(path)?.strip_prefix('.'),
    };
    TABLES.iter().filter_map(move |table| below(table.path)).filter(|name| !name.contains('.'))
}

/// Every key and table as a dotted path, in the order of declaration.
fn paths() -> impl Iterator<Item = String> {
    TABLES.iter().flat_map(|table| {
        let keys = table.params.iter().map(|param| join(table.path, param.key));
        std::iter::once(table.path.to_owned()).chain(keys)
    })
}

/// What to say of a `name` that the table at `path` does not have.
pub(super) fn unknown(path: &str, name: &str) -> Problem {
    let shown = name.escape_debug();
    let what = match path {
        "" => format!("unknown table or key `{shown}`"),
        _ => format!("unknown key `{shown}` in [{path}]"),
    };
    let mut valid: Vec<&str> = params(path).iter().map(|param| param.key).collect();
    valid.extend(tables_in(path));
    valid.extend(path.is_empty().then_some(TECHNIQUE));
    valid.extend(PresetKind::of_table(path).map(|_| PRESET));
    let guess = elsewhere(path, name)
        .or_else(|| suggest::nearest(name, valid.iter().copied()).map(str::to_owned));
    Problem::new(what, suggest::with_guess(guess, valid))
}

/// The full path of a `name` that exists, but in another table than `path`: below it if possible.
fn elsewhere(path: &str, name: &str) -> Option<String> {
    let matches = |full: &String| full.rsplit('.').next() == Some(name);
    let found: Vec<String> = paths().filter(matches).collect();
    let below = format!("{path}.");
    found.iter().find(|full| full.starts_with(&below)).or_else(|| found.first()).cloned()
}
