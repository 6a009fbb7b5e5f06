//! From text to a resolved configuration.

use super::document::{Document, override_text};
use super::error::{ConfigError, Problem};
use super::layer::{Choices, Layer, Setting};
use super::names;
use super::presets;
use super::schema::Config;
use super::techniques::{TECHNIQUES, TechniqueDecl};
use crate::technique::erase;
use serde::Deserialize;
use toml::{Table, Value};

/// Reads a configuration: defaults, under the presets that it names, under the text, under
/// `overrides` such as `drive.channels=4`, of which the last one counts.
///
/// `origin` is what messages call the text, usually a file name. A resolved configuration, written
/// by [`Config::to_toml`], is read back unchanged.
///
/// # Errors
/// Malformed TOML; an unknown table, key, technique or preset; a value of the wrong type, beyond
/// its range or not among the valid names.
pub fn load(text: &str, origin: &str, overrides: &[String]) -> Result<Config, ConfigError> {
    load_with(text, origin, overrides, TECHNIQUES)
}

/// [`load`], for a list of techniques.
pub(super) fn load_with(
    text: &str,
    origin: &str,
    overrides: &[String],
    techniques: &'static [TechniqueDecl],
) -> Result<Config, ConfigError> {
    let mut given = vec![layer(Document::file(text, origin), techniques)?];
    for override_ in overrides {
        let text = override_text(override_)?;
        given.push(layer(Document::of_override(&text, override_), techniques)?);
    }
    let choices = given
        .iter()
        .fold(Choices::default(), |choices, layer| choices.under(layer.choices.clone()));
    let mut layers = presets::layers(&choices)?;
    layers.append(&mut given);
    merge(layers).map_err(|error| Problem::new(error.message(), "").at(origin))
}

fn layer(
    document: Document<'_>,
    techniques: &'static [TechniqueDecl],
) -> Result<Layer, ConfigError> {
    Layer::check(document, &document.parse()?, "", techniques)
}

/// Lays the layers over the defaults, lowest first.
fn merge(layers: Vec<Layer>) -> Result<Config, toml::de::Error> {
    let defaults = Config::default().to_table();
    let mut root = defaults.clone();
    let (mut groups, mut of_groups) = (Vec::new(), Vec::new());
    for layer in layers {
        for technique in layer.techniques {
            add_defaults(&mut root, names::TECHNIQUE, technique);
        }
        for scheme in layer.schemes {
            add_defaults(&mut root, names::ERASE, scheme);
        }
        groups.extend(layer.groups);
        for setting in layer.settings {
            if setting.table.starts_with(names::GROUP) {
                of_groups.push(setting);
                continue;
            }
            let value = in_form_of(value_at(&defaults, &setting), setting.value.clone());
            table_at(&mut root, &setting.table).insert(setting.key.into(), value);
        }
    }
    let chip = table_at(&mut root, names::CHIP).clone();
    for group in groups {
        table_at(&mut root, &names::join(&group, "chip")).extend(chip.clone());
    }
    for setting in of_groups {
        table_at(&mut root, &setting.table).insert(setting.key.into(), setting.value);
    }
    let chosen = root[names::ERASE]["scheme"].as_str().and_then(erase::find);
    if let Some(scheme) = chosen.filter(|scheme| !scheme.params.is_empty()) {
        add_defaults(&mut root, names::ERASE, scheme);
    }
    Config::deserialize(root)
}

/// Gives the table of a technique or a scheme its defaults, unless it has been there before.
fn add_defaults(root: &mut Table, path: &str, declaration: &TechniqueDecl) {
    let slot = table_at(root, &names::join(path, declaration.name));
    if slot.is_empty() {
        *slot = (declaration.defaults)();
    }
}

/// A single number becomes a list of one where the default is a list.
fn in_form_of(default: Option<&Value>, value: Value) -> Value {
    match default {
        Some(Value::Array(_)) if !value.is_array() => Value::Array(vec![value]),
        _ => value,
    }
}

fn value_at<'t>(root: &'t Table, setting: &Setting) -> Option<&'t Value> {
    let descend = |table: &'t Table, name: &str| table.get(name)?.as_table();
    setting.table.split('.').try_fold(root, descend)?.get(setting.key)
}

/// The table at a dotted path, made where it is missing.
fn table_at<'t>(root: &'t mut Table, path: &str) -> &'t mut Table {
    path.split('.').fold(root, |table, name| {
        match table.entry(name).or_insert_with(|| Table::new().into()) {
            Value::Table(inner) => inner,
            _ => unreachable!("only tables have settings below them"),
        }
    })
}

impl Config {
    /// The configuration as TOML; [`load`] reads it back unchanged.
    ///
    /// # Panics
    /// Where a whole number exceeds 2^63 − 1, which [`load`] refuses.
    pub fn to_toml(&self) -> String {
        toml::to_string(&self.to_table()).expect("tables of plain values have a text")
    }

    fn to_table(&self) -> Table {
        Table::try_from(self).expect("whole numbers fit TOML's 64 bits")
    }
}
