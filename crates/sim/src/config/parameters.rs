//! Parameters that only some policies of a slot have. Beside another policy they change nothing, and the
//! figures would be taken for those of the value.

use super::error::{ConfigError, Problem};
use super::layer::{Layer, Setting, Source};
use super::names;
use super::registry::{TABLES, owners};
use crate::declare::{Kind, Param, Slot};
use crate::schema::Config;
use crate::technique::erase;
use toml::Value;

/// Takes away parameters of policies that a higher layer replaced.
///
/// # Errors
/// A parameter that the chosen policy does not have, unless a higher source chose that policy, or a later
/// override one in place of its own. Its default passes in a text, and beside a choice of the policy, since a
/// resolved configuration has every key, as a text and as a mapping.
pub(super) fn check(layers: &mut [Layer]) -> Result<(), ConfigError> {
    let choices = choices(layers);
    for layer in layers {
        let source = layer.source;
        let mut fault = None;
        layer.settings.retain(|setting| match verdict(setting, source, &choices) {
            Verdict::Read => true,
            Verdict::Replaced => false,
            Verdict::Foreign(problem) => {
                fault.get_or_insert(problem.at(setting.place.as_str()));
                true
            }
        });
        if let Some(error) = fault {
            return Err(error);
        }
    }
    Ok(())
}

/// A policy that a document chooses.
struct Choice {
    /// Dotted path of the key that chooses it.
    key: String,
    name: String,
    source: Source,
}

/// What becomes of a setting.
enum Verdict {
    /// The chosen policy reads it, or it is that of no policy.
    Read,
    /// It belongs to a policy that was replaced.
    Replaced,
    Foreign(Problem),
}

/// The choices of all layers, lowest first.
fn choices(layers: &[Layer]) -> Vec<Choice> {
    let of_layer = |layer: &Layer| {
        let source = layer.source;
        let chosen = layer.settings.iter().filter_map(move |setting| {
            if !is_scheme_of_group(setting) {
                slot_of(names::local(&setting.table), setting.key)?;
            }
            let key = names::join(&setting.table, setting.key);
            Some(Choice { key, name: setting.value.as_str()?.to_owned(), source })
        });
        chosen.collect::<Vec<_>>()
    };
    layers.iter().flat_map(of_layer).collect()
}

/// True for the erase scheme of a group.
fn is_scheme_of_group(setting: &Setting) -> bool {
    setting.key == names::GROUP_SCHEME && setting.table.starts_with(names::GROUP)
}

/// The slot that a key of a table fills.
fn slot_of(table: &str, key: &str) -> Option<Slot> {
    match names::param(table, key)?.kind {
        Kind::Policy(slot) => Some(slot),
        _ => None,
    }
}

fn verdict(setting: &Setting, source: Source, choices: &[Choice]) -> Verdict {
    let Some(owned) = Owned::of(setting) else { return Verdict::Read };
    let chosen = owned.chosen(&setting.table, choices);
    if chosen.iter().any(|(name, _)| owned.owners.contains(&name.as_str())) {
        return Verdict::Read;
    }
    // By a higher source; or its own was chosen beside it, and another one after that.
    let chooser = owned.chooser(&setting.table, choices);
    let was_own = |choice: &Choice| {
        let is_beside = choice.key == chooser && choice.source == source;
        is_beside && owned.owners.contains(&choice.name.as_str())
    };
    let is_replaced = chosen.iter().any(|(_, by)| *by > source) || choices.iter().any(was_own);
    let is_chosen_here =
        choices.iter().any(|choice| choice.key == chooser && choice.source == source);
    let is_resolved = (source == Source::Text || is_chosen_here)
        && owned.default.as_ref() == Some(&setting.value);
    if is_replaced || is_resolved {
        return Verdict::Replaced;
    }
    let key = names::join(&setting.table, setting.key);
    let name = chosen.first().map_or("", |(name, _)| name.as_str());
    let what = format!("`{key}`: {} = \"{name}\" has no such parameter", owned.key);
    let owners = owned.owners.join(" and ");
    let verb = if owned.owners.len() == 1 { "has" } else { "have" };
    Verdict::Foreign(Problem::new(what, format!("{owners} {verb}; leave it out, or choose that")))
}

/// A parameter that only some policies have.
struct Owned {
    /// The key that chooses the policy, for a drive alone.
    key: String,
    owners: Vec<&'static str>,
    default: Option<Value>,
}

impl Owned {
    /// What a setting is a parameter of; `None` where every policy has it, or there is none.
    fn of(setting: &Setting) -> Option<Self> {
        let table = names::local(&setting.table);
        if let Some(scheme) = table.strip_prefix(names::ERASE_TABLES).and_then(erase::find) {
            let default = (scheme.defaults)().get(setting.key).cloned();
            return Some(Self { key: names::SCHEME.into(), owners: vec![scheme.name], default });
        }
        let declared = TABLES.iter().find(|declared| declared.path == table)?;
        let of_slot = |param: &&Param| matches!(param.kind, Kind::Policy(_));
        let chooser = declared.params.iter().find(of_slot)?;
        let owners = owners(slot_of(table, chooser.key)?, setting.key);
        let default = default_of(table, setting.key);
        (!owners.is_empty()).then(|| Self { key: names::join(table, chooser.key), owners, default })
    }

    /// The key that chooses for `table`: that of its drive, where it has one, or that of all.
    fn chooser(&self, table: &str, choices: &[Choice]) -> String {
        let drive = &table[..table.len() - names::local(table).len()];
        let own = format!("{drive}{}", self.key);
        if choices.iter().any(|choice| choice.key == own) { own } else { self.key.clone() }
    }

    /// The policies that may read what stands in `table`, and who chose them: that of its drive or, of what
    /// all drives share, those of any.
    fn chosen(&self, table: &str, choices: &[Choice]) -> Vec<(String, Source)> {
        let chooser = self.chooser(table, choices);
        let of_drive = choices.iter().rev().find(|choice| choice.key == chooser);
        let default = || {
            let (table, key) = self.key.rsplit_once('.').unwrap_or_default();
            let name = default_of(table, key).and_then(|name| name.as_str().map(str::to_owned));
            (name.unwrap_or_default(), Source::Preset)
        };
        let found = |choice: &Choice| (choice.name.clone(), choice.source);
        let mut all = vec![of_drive.map_or_else(default, found)];
        if table == names::local(table) {
            let is_of_a_drive =
                |choice: &&Choice| choice.key != self.key && names::local(&choice.key) == self.key;
            all.extend(choices.iter().filter(is_of_a_drive).map(found));
        }
        if self.key == names::SCHEME {
            let is_last = |at: usize, key: &str| choices[at + 1..].iter().all(|c| c.key != key);
            let of_groups = choices.iter().enumerate().filter(|(at, choice)| {
                choice.key.starts_with(names::GROUP) && is_last(*at, &choice.key)
            });
            all.extend(of_groups.map(|(_, choice)| found(choice)));
        }
        all
    }
}

/// The default of a key.
fn default_of(table: &str, key: &str) -> Option<Value> {
    let defaults = Config::default().to_table();
    let within = |table: &toml::Table, name: &str| table.get(name)?.as_table().cloned();
    table.split('.').try_fold(defaults, |table, name| within(&table, name))?.get(key).cloned()
}
