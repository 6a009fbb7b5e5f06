//! The presets: drives and chips as data, with the source of every number.

use super::document::Document;
use super::error::{ConfigError, Problem};
use super::layer::{Choice, Choices, Layer, Setting};
use super::names::{self, PresetKind};
use super::registry::TECHNIQUES;
use serde::Serialize;
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Value};
use wordline_trace::suggest;

/// A preset, as it was written.
#[derive(Debug, Clone, Copy)]
pub struct Preset {
    /// What it describes.
    pub kind: PresetKind,
    /// Its name, as in `preset = "name"`.
    pub name: &'static str,
    /// Its file, relative to the root of the repository.
    pub path: &'static str,
    /// The file's text.
    pub text: &'static str,
}

macro_rules! presets {
    ($($kind:ident $folder:literal: $($name:literal),*;)*) => {
        &[$($(Preset {
            kind: PresetKind::$kind,
            name: $name,
            path: concat!("presets/", $folder, "/", $name, ".toml"),
            text: include_str!(concat!("../../../../presets/", $folder, "/", $name, ".toml")),
        }),*),*]
    };
}

const ALL: &[Preset] = presets! {
    Drive "drives":
        "tiny", "tiny-tlc", "tiny-mlc", "tiny-mixed", "tiny-raid5", "rss-raid", "rss-raid-today", "disksim-ssd-32g", "ressd-576g",
        "ressd-576g-today", "ressd-576g-published", "ressd-mlc-384g",
        "llh-openssd-16g", "llh-openssd-32g", "llh-openssd-64g", "llh-emulator-16g", "llh-emulator-32g",
        "llh-emulator-64g", "llh-ftl-16g", "llh-ftl-32-16g", "lazyrs-16g", "lazyrs-16g-today", "lazyftl-16g", "reo-1t", "centaur-3d-256g", "centaur-2d-256g",
        "centaur-mixed-256g", "centaur-dedicated-256g", "centaur-iso-die-228g",
        "centaur-extra-chip-288g", "mqsim-default", "peers-16g", "nvme-tlc-1t", "nvme-qlc-2t",
        "micron-7450-max-800g", "solidigm-p5520-1920g", "kioxia-cm7-r-3840g", "samsung-pm9a3-960g",
        "samsung-840-evo-1t", "samsung-970-evo-500g", "samsung-870-qvo-4t",
        "corsair-mp700-elite-2t", "hp-fx700-2t";
    Chip "chips":
        "disksim-slc", "ressd-tlc", "openssd-mlc", "lazyrs-tlc", "reo-tlc", "centaur-tlc",
        "centaur-tlc-page", "centaur-slc", "mqsim-mlc";
};

/// Every preset: drives first, then chips.
pub fn all() -> &'static [Preset] {
    ALL
}

/// The preset of this kind and name.
pub fn find(kind: PresetKind, name: &str) -> Option<&'static Preset> {
    ALL.iter().find(|preset| preset.kind == kind && preset.name == name)
}

/// What a preset says, with the presets that it builds on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PresetInfo {
    /// What it describes.
    pub kind: PresetKind,
    /// Its name.
    pub name: String,
    /// What it is, in a sentence.
    pub summary: String,
    /// When the drive, or the paper that describes it, came out; `None` where no source says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub year: Option<u16>,
    /// Every key that it sets, with the source.
    pub values: Vec<SourcedValue>,
}

/// A value and where it comes from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SourcedValue {
    /// Dotted path, such as `drive.chip.read_us`.
    pub key: String,
    /// The value.
    pub value: Value,
    /// The publication, or the reason for an assumption.
    pub source: String,
}

impl Preset {
    /// The summary, and every value with its source.
    ///
    /// # Errors
    /// A preset that does not agree with the declarations.
    pub fn info(&self) -> Result<PresetInfo, ConfigError> {
        let parsed = self.parse()?;
        let mut values: Vec<SourcedValue> = Vec::new();
        for preset in stacked(&parsed.layer.choices)?.into_iter().chain([parsed.clone()]) {
            for value in preset.values() {
                values.retain(|earlier| earlier.key != value.key);
                values.push(value);
            }
        }
        let Parsed { summary, year, .. } = parsed;
        Ok(PresetInfo { kind: self.kind, name: self.name.into(), summary, year, values })
    }

    fn parse(&self) -> Result<Parsed, ConfigError> {
        let document = Document::file(self.text, self.path);
        let mut table = document.parse()?;
        let missing = |what: &str, help: &str| Problem::new(what, help).at(self.path);
        let summary = match table.remove("summary").map(Spanned::into_inner) {
            Some(DeValue::String(text)) => text.into_owned(),
            _ => return Err(missing("no `summary`", "say in a sentence what it is")),
        };
        let year = match table.remove("year").map(Spanned::into_inner) {
            Some(DeValue::Integer(year)) => year.as_str().parse().ok(),
            Some(_) => return Err(missing("`year` is no number", "give the year, such as 2022")),
            None => None,
        };
        let sources = match table.remove("sources").map(Spanned::into_inner) {
            Some(DeValue::Table(sources)) => self.sources(&sources),
            _ => return Err(missing("no [sources]", "say where each value comes from")),
        };
        let layer = Layer::check(document, &table, self.kind.root(), TECHNIQUES)?;
        Ok(Parsed { summary, year, sources, layer })
    }

    fn sources(&self, table: &DeTable<'_>) -> Vec<(String, String)> {
        let source = |key: &str, text: &str| (names::join(self.kind.root(), key), text.to_owned());
        table
            .iter()
            .filter_map(|(key, text)| Some(source(key.get_ref(), text.get_ref().as_str()?)))
            .collect()
    }
}

/// A preset, checked.
#[derive(Debug, Clone)]
struct Parsed {
    summary: String,
    year: Option<u16>,
    /// Dotted path of a key or a table, and the source.
    sources: Vec<(String, String)>,
    layer: Layer,
}

impl Parsed {
    fn values(&self) -> Vec<SourcedValue> {
        let sourced = |setting: &Setting| {
            let key = names::join(&setting.table, setting.key);
            let source = self.source(&key).unwrap_or_default().to_owned();
            SourcedValue { key, value: setting.value.clone(), source }
        };
        self.layer.settings.iter().map(sourced).collect()
    }

    /// Moves a chip's preset to `table`.
    fn moved_to(mut self, table: &str) -> Self {
        let moved = |path: &str| match path.strip_prefix(names::CHIP) {
            Some(rest) => format!("{table}{rest}"),
            None => path.to_owned(),
        };
        for setting in &mut self.layer.settings {
            setting.table = moved(&setting.table);
        }
        for (path, _) in &mut self.sources {
            *path = moved(path);
        }
        self
    }

    /// The source of a key: its own, or that of the innermost table around it.
    fn source(&self, key: &str) -> Option<&str> {
        self.sources
            .iter()
            .filter(|(path, _)| covers(path, key))
            .max_by_key(|(path, _)| path.len())
            .map(|(_, text)| text.as_str())
    }
}

fn covers(path: &str, key: &str) -> bool {
    key.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The layers of the chosen presets, lowest first: what they build on, the drive, the chips.
///
/// # Errors
/// An unknown preset, located where it was chosen.
pub(super) fn layers(choices: &Choices) -> Result<Vec<Layer>, ConfigError> {
    Ok(stacked(choices)?.into_iter().map(|parsed| parsed.layer).collect())
}

fn stacked(choices: &Choices) -> Result<Vec<Parsed>, ConfigError> {
    let mut stack = Vec::new();
    for (kind, choice) in [(PresetKind::Drive, &choices.drive), (PresetKind::Chip, &choices.chip)] {
        if let Some(choice) = choice {
            let parsed = chosen(kind, choice)?.parse()?;
            stack.extend(stacked(&parsed.layer.choices)?);
            stack.push(parsed);
        }
    }
    for (table, choice) in &choices.groups {
        stack.push(chosen(PresetKind::Chip, choice)?.parse()?.moved_to(table));
    }
    Ok(stack)
}

fn chosen(kind: PresetKind, choice: &Choice) -> Result<&'static Preset, ConfigError> {
    find(kind, &choice.name).ok_or_else(|| {
        let valid = ALL.iter().filter(|preset| preset.kind == kind).map(|preset| preset.name);
        let what = format!("unknown {kind} preset `{}`", choice.name.escape_debug());
        let help = suggest::help_or_list(&choice.name, valid, "wordline list presets");
        Problem::new(what, help).at(choice.place.as_str())
    })
}

/// Sources that no value of the preset needs.
#[cfg(test)]
pub(super) fn unused_sources(preset: &Preset) -> Result<Vec<String>, ConfigError> {
    let parsed = preset.parse()?;
    let keys: Vec<String> =
        parsed.layer.settings.iter().map(|set| names::join(&set.table, set.key)).collect();
    let is_used = |path: &str| keys.iter().any(|key| covers(path, key));
    let paths = parsed.sources.into_iter().map(|(path, _)| path);
    Ok(paths.filter(|path| !is_used(path)).collect())
}
