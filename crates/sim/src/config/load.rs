//! From text to a resolved configuration.

use super::document::{Document, override_text};
use super::error::{ConfigError, Problem};
use super::layer::{Choices, Layer, Setting, Source};
use super::names;
use super::parameters;
use super::presets;
use super::registry::TECHNIQUES;
use super::settle::{Given, SUPERBLOCK_DIES, settle};
use crate::declare::TechniqueDecl;
use crate::schema::{Beyond, Config, HostMode};
use crate::technique::erase;
use crate::util::Rng;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

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

/// [`load`], for a drive on which techniques or a choice of planes of the caller's own run: they may speak of blocks of
/// the flash, so that its default are no superblocks.
///
/// # Errors
/// As [`load`].
pub fn load_beside_own(
    text: &str,
    origin: &str,
    overrides: &[String],
) -> Result<Config, ConfigError> {
    let (mut config, mut given) = laid(text, origin, overrides, TECHNIQUES)?;
    given.insert(SUPERBLOCK_DIES.into());
    settle(&mut config, &given);
    Ok(config)
}

/// [`load`], for a list of techniques.
pub(super) fn load_with(
    text: &str,
    origin: &str,
    overrides: &[String],
    techniques: &'static [TechniqueDecl],
) -> Result<Config, ConfigError> {
    let (mut config, given) = laid(text, origin, overrides, techniques)?;
    settle(&mut config, &given);
    Ok(config)
}

/// All layers over the declared defaults, and the keys that they set.
fn laid(
    text: &str,
    origin: &str,
    overrides: &[String],
    techniques: &'static [TechniqueDecl],
) -> Result<(Config, Given), ConfigError> {
    let mut given = given_layers(text, origin, overrides, techniques)?;
    let choices = given
        .iter()
        .fold(Choices::default(), |choices, layer| choices.under(layer.choices.clone()));
    let mut layers = presets::layers(&choices)?;
    layers.append(&mut given);
    take_techniques(&mut layers);
    parameters::check(&mut layers)?;
    let settings = layers.iter().flat_map(|layer| &layer.settings);
    let given = settings.map(|setting| names::join(&setting.table, setting.key)).collect();
    let config = merge(layers).map_err(|error| Problem::new(error.message(), "").at(origin))?;
    Ok((config, given))
}

/// Where the text and the overrides set the keys that `message` names, such as
/// `drive.over_provisioning`; `origin` where they set none of them.
///
/// # Errors
/// As [`load`].
pub fn place_of_keys(
    message: &str,
    text: &str,
    origin: &str,
    overrides: &[String],
) -> Result<String, ConfigError> {
    let mut places = BTreeMap::new();
    for layer in given_layers(text, origin, overrides, TECHNIQUES)? {
        for setting in layer.settings {
            let key = names::join(&setting.table, setting.key);
            let is_named = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()) == key;
            if message.split([' ', ',', ';', '(', ')', '`']).any(is_named) {
                places.insert(key, setting.place);
            }
        }
    }
    let mut distinct: Vec<String> = places.into_values().collect();
    distinct.dedup();
    Ok(if distinct.is_empty() { origin.to_owned() } else { distinct.join(", ") })
}

/// What the text says, under what each override says.
fn given_layers(
    text: &str,
    origin: &str,
    overrides: &[String],
    techniques: &'static [TechniqueDecl],
) -> Result<Vec<Layer>, ConfigError> {
    let mut given = vec![layer(Document::file(text, origin), Source::Text, techniques)?];
    for override_ in overrides {
        let text = override_text(override_)?;
        let document = Document::of_override(&text, override_);
        given.push(layer(document, Source::Override, techniques)?);
    }
    Ok(given)
}

fn layer(
    document: Document<'_>,
    source: Source,
    techniques: &'static [TechniqueDecl],
) -> Result<Layer, ConfigError> {
    let mut table = document.parse()?;
    if source == Source::Text {
        drop_description(&mut table);
    }
    let layer = Layer::check(document, &table, "", techniques)?;
    Ok(Layer { source, ..layer })
}

/// Leaves out what describes a drive and sets nothing, so that the file of a preset is a
/// configuration as it stands.
fn drop_description(table: &mut DeTable<'_>) {
    let of = |key: &str| table.get(key).map(Spanned::get_ref);
    let has_summary = matches!(of("summary"), Some(DeValue::String(_)));
    let has_year = matches!(of("year"), Some(DeValue::Integer(_)));
    let has_sources = matches!(of("sources"), Some(DeValue::Table(_)));
    for (key, is_there) in [("summary", has_summary), ("year", has_year), ("sources", has_sources)]
    {
        if is_there {
            table.remove(key);
        }
    }
}

/// Takes out the techniques that a higher layer does away with by an empty table.
fn take_techniques(layers: &mut [Layer]) {
    for above in 1..layers.len() {
        let (under, above) = layers.split_at_mut(above);
        for within in &above[0].emptied {
            under.iter_mut().for_each(|layer| layer.take_techniques(within));
        }
    }
}

/// Lays the layers over the defaults, lowest first.
fn merge(layers: Vec<Layer>) -> Result<Config, toml::de::Error> {
    let defaults = Config::default().to_table();
    let mut root = defaults.clone();
    let (mut groups, mut of_groups) = (Vec::new(), Vec::new());
    for layer in layers {
        for (path, declaration) in layer.named {
            add_defaults(&mut root, &path, declaration);
        }
        for table in layer.tables {
            table_at(&mut root, &table);
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
    let of_drives = table_at(&mut root, names::ARRAY_DRIVE).keys().cloned();
    let mut drives: Vec<String> =
        of_drives.map(|drive| format!("{}.{drive}.", names::ARRAY_DRIVE)).collect();
    drives.push(String::new());
    for drive in drives {
        add_chosen_scheme(&mut root, &format!("{drive}{}", names::ERASE));
    }
    add_schemes_of_groups(&mut root);
    Config::deserialize(root)
}

/// Gives the erase scheme that is chosen in the table at `path`, if any is, its defaults.
fn add_chosen_scheme(root: &mut Table, path: &str) {
    let tables = path.split('.').try_fold(&*root, |table, name| table.get(name)?.as_table());
    let chosen = tables.and_then(|table| erase::find(table.get("scheme")?.as_str()?));
    if let Some(scheme) = chosen.filter(|scheme| !scheme.params.is_empty()) {
        add_defaults(root, &names::join(path, scheme.name), scheme);
    }
}

/// Gives the erase schemes that groups choose their defaults.
fn add_schemes_of_groups(root: &mut Table) {
    let groups = table_at(root, names::GROUP).values().filter_map(Value::as_table);
    let chosen = groups.filter_map(|group| erase::find(group.get(names::GROUP_SCHEME)?.as_str()?));
    for scheme in chosen.filter(|scheme| !scheme.params.is_empty()).collect::<Vec<_>>() {
        add_defaults(root, &names::join(names::ERASE, scheme.name), scheme);
    }
}

/// Gives the table of a technique or a scheme its defaults, unless it has been there before.
fn add_defaults(root: &mut Table, path: &str, declaration: &TechniqueDecl) {
    let slot = table_at(root, path);
    if slot.is_empty() {
        *slot = (declaration.defaults)();
    }
}

/// Lays `above` over `under`, table by table.
fn lay_over(under: &mut Table, above: &Table) {
    for (key, value) in above {
        match (under.get_mut(key), value) {
            (Some(Value::Table(under)), Value::Table(above)) => lay_over(under, above),
            _ => {
                under.insert(key.clone(), value.clone());
            }
        }
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
    names::local(&setting.table).split('.').try_fold(root, descend)?.get(setting.key)
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
    /// The configuration of drive `number` of the array as a drive alone. What the host says of
    /// arrivals is the array's; each drive draws its own random numbers.
    ///
    /// # Errors
    /// What the drive says of itself and what all say do not make a configuration.
    pub fn of_drive(&self, number: u32) -> Result<Self, ConfigError> {
        let mut root = self.to_table();
        root.remove("array");
        if let Some(own) = self.array.drive.get(&number.to_string()) {
            // Techniques are those that the drive names, whatever the others have.
            if own.contains_key(names::TECHNIQUE) {
                root.remove(names::TECHNIQUE);
            }
            lay_over(&mut root, own);
        }
        let mut config = Self::deserialize(root).map_err(|error| {
            let place = format!("[{}.{number}]", names::ARRAY_DRIVE);
            Problem::new(error.message(), "").at(place)
        })?;
        config.run.seed = Rng::new(self.run.seed, &format!("drive {number}")).word() >> 1;
        config.run.records = false;
        config.run.series_points = 0;
        config.host.mode = HostMode::Open;
        config.host.pass_all();
        config.host.time_scale = 1.0;
        config.workload.beyond = Beyond::Error;
        Ok(config)
    }

    /// The configuration as TOML; [`load`] reads it back unchanged.
    ///
    /// # Panics
    /// Where a whole number exceeds 2^63 − 1, which [`load`] refuses.
    pub fn to_toml(&self) -> String {
        toml::to_string(&self.to_table()).expect("tables of plain values have a text")
    }

    pub(super) fn to_table(&self) -> Table {
        Table::try_from(self).expect("whole numbers fit TOML's 64 bits")
    }
}
