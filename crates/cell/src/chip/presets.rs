//! The presets of `presets/cells`: values with sources, each file building on another's if it says
//! so.

use crate::Error;
use serde::Serialize;
use toml::{Table, Value};

macro_rules! presets {
    ($($name:literal),* $(,)?) => {
        /// Names of the presets.
        pub const NAMES: &[&str] = &[$($name),*];

        const TEXTS: &[&str] =
            &[$(include_str!(concat!("../../../../presets/cells/", $name, ".toml"))),*];
    };
}

presets!(
    "planar-tlc",
    "ressd-tlc",
    "lazyrs-tlc",
    "lazyrs-qlc",
    "reo-tlc",
    "llh-a16",
    "llh-a27",
    "llh-b16",
    "llh-b29",
    "llh-c35",
    "centaur-slc",
    "centaur-tlc",
);

/// A value of a chip, and where it comes from.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sourced {
    /// Dotted path, such as `program.step`.
    pub key: String,
    /// The value.
    #[cfg_attr(feature = "schema", schemars(schema_with = "anything"))]
    pub value: Value,
    /// The publication, the fit, or the reason for an assumption.
    pub source: String,
}

#[cfg(feature = "schema")]
fn anything(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    true.into()
}

/// All values of a preset, with their sources.
///
/// # Errors
/// An unknown name, or a value without source.
pub fn info(name: &str) -> Result<Vec<Sourced>, Error> {
    let (values, sources) = stacked(name)?;
    let mut found = Vec::new();
    flatten("", &values, &mut |key, value| {
        let source =
            sources.iter().filter(|(path, _)| covers(path, key)).max_by_key(|(p, _)| p.len());
        let (_, source) = source.ok_or_else(|| {
            Error::new(format!("`{key}` has no source"), "add it to [sources]").at(name)
        })?;
        found.push(Sourced { key: key.into(), value: value.clone(), source: source.clone() });
        Ok(())
    })?;
    Ok(found)
}

/// The values of a preset, those of the presets below it included.
pub(super) fn values(name: &str) -> Result<Table, Error> {
    stacked(name).map(|(values, _)| values)
}

/// The values of a text like the presets' files; its sources may be left out.
pub(super) fn values_of(text: &str) -> Result<Table, Error> {
    let mut table: Table = text.parse().map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
        Error::new(format!("not valid TOML: {}", error.message()), "correct the line")
            .at(format!("line {line}"))
    })?;
    table.remove("sources");
    match table.remove("base") {
        None => Ok(table),
        Some(Value::String(base)) => {
            let below = values(&base).map_err(|error| error.at("base"))?;
            Ok(merged(below, table))
        }
        Some(_) => Err(Error::new("not the name of a chip", names()).at("base")),
    }
}

fn names() -> String {
    format!("valid: {}", NAMES.join(", "))
}

type Sources = Vec<(String, String)>;

fn stacked(name: &str) -> Result<(Table, Sources), Error> {
    let (mut table, mut sources) = parsed(name)?;
    let mut depth = 0;
    while let Some(base) = table.remove("base") {
        let base = base.as_str().unwrap_or_default().to_owned();
        let (below, its_sources) = parsed(&base)?;
        table = merged(below, table);
        // The nearer file's source of a path comes first and replaces the farther one's.
        let farther = its_sources
            .into_iter()
            .filter(|(path, _)| !sources.iter().any(|(p, _)| covers(p, path)));
        let farther: Sources = farther.collect();
        sources.extend(farther);
        depth += 1;
        if depth > NAMES.len() {
            return Err(Error::new("presets build on each other in a circle", "break it").at(name));
        }
    }
    Ok((table, sources))
}

fn parsed(name: &str) -> Result<(Table, Sources), Error> {
    let at = NAMES
        .iter()
        .position(|known| *known == name)
        .ok_or_else(|| Error::new(format!("unknown chip `{}`", name.escape_debug()), names()))?;
    let mut table: Table = TEXTS[at]
        .parse()
        .map_err(|e: toml::de::Error| Error::new(e.message(), "mend the file").at(name))?;
    let sources = match table.remove("sources") {
        Some(Value::Table(sources)) => sources
            .into_iter()
            .map(|(key, text)| (key, text.as_str().unwrap_or_default().to_owned()))
            .collect(),
        _ => return Err(Error::new("no [sources]", "say where each value comes from").at(name)),
    };
    Ok((table, sources))
}

/// `over`'s values over `under`'s, table by table.
fn merged(mut under: Table, over: Table) -> Table {
    for (key, value) in over {
        let value = match (under.remove(&key), value) {
            (Some(Value::Table(below)), Value::Table(above)) => Value::Table(merged(below, above)),
            (_, value) => value,
        };
        under.insert(key, value);
    }
    under
}

fn flatten(
    prefix: &str,
    table: &Table,
    visit: &mut dyn FnMut(&str, &Value) -> Result<(), Error>,
) -> Result<(), Error> {
    for (key, value) in table {
        let path = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        match value {
            Value::Table(inner) => flatten(&path, inner, visit)?,
            value => visit(&path, value)?,
        }
    }
    Ok(())
}

/// A source of a path covers all that stands below it.
pub(super) fn covers(path: &str, key: &str) -> bool {
    key.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Sources of a preset's own file that no value of it needs.
#[cfg(test)]
pub(super) fn unused_sources(name: &str) -> Vec<String> {
    let (table, sources) = parsed(name).unwrap();
    let mut keys = Vec::new();
    flatten("", &table, &mut |key, _| {
        keys.push(key.to_owned());
        Ok(())
    })
    .unwrap();
    let unused = |path: &String| !keys.iter().any(|key| covers(path, key));
    sources.into_iter().map(|(path, _)| path).filter(unused).collect()
}
