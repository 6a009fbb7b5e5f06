//! The names that a configuration may hold, and what to say of others.

use super::error::Problem;
use super::registry::TABLES;
use crate::declare::Param;
use crate::technique::erase;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;
use wordline_trace::suggest;

/// The table whose sub-tables are named after techniques.
pub(super) const TECHNIQUE: &str = "technique";

/// What the paths of techniques' tables begin with.
pub(super) const TECHNIQUES: &str = "technique.";

/// The table whose sub-tables are named after erase schemes.
pub(super) const ERASE: &str = "erase";

/// What the paths of erase schemes' tables begin with.
pub(super) const ERASE_TABLES: &str = "erase.";

/// The key that chooses the erase scheme.
pub(super) const SCHEME: &str = "erase.scheme";

/// The table of the flash.
pub(super) const CHIP: &str = "drive.chip";

/// The kinds of chips, a table each.
pub(super) const GROUP: &str = "drive.group";
/// The submission queues, a table each.
pub(super) const QUEUE: &str = "host.queue";
/// The tables whose sub-tables are named by the user, and what one of these is.
pub(super) const NAMED: [(&str, &str); 2] = [(GROUP, "group"), (QUEUE, "queue")];
/// The key of a group that chooses its erase scheme.
pub(super) const GROUP_SCHEME: &str = "erase_scheme";

/// The table whose sub-tables are named by the numbers of an array's drives.
pub(super) const ARRAY_DRIVE: &str = "array.drive";

/// The tables that a drive of an array may have of its own.
pub(super) const OF_DRIVE: &[&str] = &["drive", "ftl", ERASE, TECHNIQUE];

/// What stands for any name in a declared path.
const ANY: &str = "NAME";

/// The key that names a preset, in tables that have some.
pub(super) const PRESET: &str = "preset";

/// What a preset describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PresetKind {
    /// A whole drive; may set any table.
    Drive,
    /// A flash chip; its keys are those of `[drive.chip]`.
    Chip,
}

impl PresetKind {
    /// The kind that `preset` means in the table at `path`; `None` where there is none.
    pub(super) fn of_table(path: &str) -> Option<Self> {
        match path {
            "" | "drive" => Some(Self::Drive),
            CHIP => Some(Self::Chip),
            _ if is_chip_of_group(path) => Some(Self::Chip),
            _ => None,
        }
    }

    /// The table that the top level of a preset's file stands for.
    pub(super) fn root(self) -> &'static str {
        match self {
            Self::Drive => "",
            Self::Chip => CHIP,
        }
    }
}

impl fmt::Display for PresetKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Drive => "drive",
            Self::Chip => "chip",
        })
    }
}

/// A dotted path one level down.
pub(super) fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// The path of a table of one drive of an array without what says which drive: as it would be for a
/// drive alone. Other paths are left as they are.
pub(super) fn local(path: &str) -> &str {
    let of_drive = path.strip_prefix(ARRAY_DRIVE).and_then(|rest| rest.strip_prefix('.'));
    let Some((_, local)) = of_drive.and_then(|rest| rest.split_once('.')) else { return path };
    let table = local.split('.').next().unwrap_or_default();
    if OF_DRIVE.contains(&table) { local } else { path }
}

/// Whether `path` is that of a drive of an array.
fn is_drive_of_array(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(around, _)| around == ARRAY_DRIVE)
}

/// The declared path of a table: that of a named one with `NAME` in place of its name.
fn declared(path: &str) -> Cow<'_, str> {
    let path = local(path);
    for (table, _) in NAMED {
        let named = path.strip_prefix(table).and_then(|rest| rest.strip_prefix('.'));
        match named.map(|named| named.split_once('.')) {
            Some(Some((_, rest))) => return format!("{table}.{ANY}.{rest}").into(),
            Some(None) => return format!("{table}.{ANY}").into(),
            None => {}
        }
    }
    path.into()
}

/// Whether a table stands at `path`.
pub(super) fn is_table(path: &str) -> bool {
    let declared = declared(path);
    NAMED.iter().any(|(table, _)| *table == path)
        || path == ARRAY_DRIVE
        || is_drive_of_array(path)
        || TABLES.iter().any(|table| table.path == declared)
}

/// Whether the table at `path` is the chip of a group.
pub(super) fn is_chip_of_group(path: &str) -> bool {
    local(path) == path && declared(path) == format!("{GROUP}.{ANY}.chip")
}

/// Whether a name may stand for a table: letters, digits, `_` and `-`.
pub(super) fn is_bare(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    !name.is_empty() && name.chars().all(is_plain)
}

/// The declaration of a key in the table at `path`.
pub(super) fn param(path: &str, key: &str) -> Option<&'static Param> {
    params(path).iter().find(|param| param.key == key)
}

fn params(path: &str) -> &'static [Param] {
    let declared = declared(path);
    TABLES.iter().find(|table| table.path == declared).map_or(&[], |table| table.params)
}

/// Names of the tables directly in the table at `path`.
fn tables_in(path: &str) -> impl Iterator<Item = &'static str> {
    let declared = declared(path).into_owned();
    let has_groups = local(path) == path;
    let below = move |full: &'static str| match declared.as_str() {
        "" => Some(full),
        declared => full.strip_prefix(declared)?.strip_prefix('.'),
    };
    let paths = TABLES.iter().map(|table| table.path).chain([GROUP, QUEUE, ARRAY_DRIVE]);
    let paths = paths.filter(move |path| has_groups || *path != GROUP);
    paths.filter_map(below).filter(|name| !name.contains('.'))
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
    if is_drive_of_array(path) {
        valid.extend(OF_DRIVE);
    } else {
        valid.extend(tables_in(path));
    }
    valid.extend(path.is_empty().then_some(TECHNIQUE));
    let schemes = erase::ENTRIES.iter().map(|entry| &entry.declaration);
    let with_keys = schemes.filter(|scheme| local(path) == ERASE && !scheme.params.is_empty());
    valid.extend(with_keys.map(|scheme| scheme.name));
    valid.extend(PresetKind::of_table(path).map(|_| PRESET));
    Problem::new(what, help(path, name, valid))
}

/// How to mend a `name` that the table at `path`, which has `valid` ones, does not have.
pub(super) fn help(path: &str, name: &str, valid: Vec<&str>) -> String {
    // A table that stands at the top cannot stand here under the same name.
    let guess = elsewhere(path, name)
        .filter(|full| full != name)
        .or_else(|| suggest::nearest(name, valid.iter().copied()).map(str::to_owned));
    let listed_by = match path {
        "" => "wordline schema".into(),
        _ => format!("wordline describe {}", declared(path)),
    };
    suggest::with_guess(guess, valid, &listed_by)
}

/// The full path of a `name` that exists, but in another table than `path`: below it if possible.
fn elsewhere(path: &str, name: &str) -> Option<String> {
    let matches = |full: &String| full.rsplit('.').next() == Some(name);
    let found: Vec<String> = paths().filter(matches).collect();
    let (declared, below) = (declared(path), format!("{}.", declared(path)));
    let nearby = found.iter().find(|full| full.starts_with(&below));
    nearby.map(|full| full.replacen(&*declared, path, 1)).or_else(|| found.first().cloned())
}
