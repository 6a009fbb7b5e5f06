//! One layer of a configuration: what a document sets, each value checked.

use super::document::Document;
use super::error::{ConfigError, Problem};
use super::names::{self, PresetKind};
use super::value;
use crate::declare::{Param, TechniqueDecl};
use crate::technique::erase;
use std::collections::BTreeMap;
use std::ops::Range;
use toml::Value;
use toml::de::{DeTable, DeValue};
use wordline_trace::suggest;

/// A checked value and the key that it belongs to.
#[derive(Debug, Clone)]
pub(super) struct Setting {
    /// Dotted path of the table.
    pub table: String,
    pub key: &'static str,
    pub value: Value,
    /// Where it is set.
    pub place: String,
}

/// A preset that a document asks for, and where it does.
#[derive(Debug, Clone)]
pub(super) struct Choice {
    pub name: String,
    pub place: String,
}

/// The presets that a document builds on.
#[derive(Debug, Clone, Default)]
pub(super) struct Choices {
    pub drive: Option<Choice>,
    pub chip: Option<Choice>,
    /// Those of the groups' chips, by the table that they stand for.
    pub groups: BTreeMap<String, Choice>,
}

impl Choices {
    /// Makes a choice for the table at `path`; returns the one that was made before.
    fn make(&mut self, kind: PresetKind, path: &str, choice: Choice) -> Option<Choice> {
        match kind {
            PresetKind::Drive => self.drive.replace(choice),
            PresetKind::Chip if path == names::CHIP => self.chip.replace(choice),
            PresetKind::Chip => self.groups.insert(path.to_owned(), choice),
        }
    }

    /// These choices, each replaced where a higher layer makes it anew.
    pub fn under(self, above: Self) -> Self {
        let mut groups = self.groups;
        groups.extend(above.groups);
        Self { drive: above.drive.or(self.drive), chip: above.chip.or(self.chip), groups }
    }
}

/// Where a layer comes from, the lowest first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    /// A preset.
    #[default]
    Preset,
    /// The text.
    Text,
    /// A `key=value` override.
    Override,
}

/// What a document sets.
#[derive(Debug, Clone, Default)]
pub(super) struct Layer {
    pub source: Source,
    pub settings: Vec<Setting>,
    pub choices: Choices,
    /// Tables of groups that the document names.
    pub groups: Vec<String>,
    /// Tables of drives of an array that it names, and those of their techniques; and of queues.
    pub tables: Vec<String>,
    /// Techniques that it names and erase schemes of which it says something, by their tables.
    pub named: Vec<(String, &'static TechniqueDecl)>,
    /// Tables of techniques that it leaves empty: of those that lower layers name there, none stays.
    pub emptied: Vec<String>,
}

impl Layer {
    /// Checks a document whose top level is the table at `root`.
    ///
    /// # Errors
    /// The first entry that does not agree with the declarations.
    pub fn check(
        document: Document<'_>,
        table: &DeTable<'_>,
        root: &str,
        techniques: &'static [TechniqueDecl],
    ) -> Result<Self, ConfigError> {
        let mut checker = Checker { document, techniques, layer: Self::default() };
        checker.table(root, table)?;
        Ok(checker.layer)
    }

    /// Takes out the techniques in the table at `within`; the drive's own table stands for those of an array's drives,
    /// too.
    pub fn take_techniques(&mut self, within: &str) {
        let is_one = |path: &str| match within {
            names::TECHNIQUE => names::local(path).starts_with(names::TECHNIQUES),
            of_drive => path.strip_prefix(of_drive).is_some_and(|rest| rest.starts_with('.')),
        };
        self.named.retain(|(path, _)| !is_one(path));
        self.settings.retain(|setting| !is_one(&setting.table));
        let is_table = |path: &String| names::local(path) == names::TECHNIQUE;
        self.tables.retain(|path| within != names::TECHNIQUE || !is_table(path));
    }
}

struct Checker<'a> {
    document: Document<'a>,
    techniques: &'static [TechniqueDecl],
    layer: Layer,
}

impl Checker<'_> {
    fn table(&mut self, path: &str, table: &DeTable<'_>) -> Result<(), ConfigError> {
        table
            .iter()
            .try_for_each(|(key, item)| self.entry(path, key.get_ref(), key.span(), item.get_ref()))
    }

    fn entry(
        &mut self,
        path: &str,
        name: &str,
        span: Range<usize>,
        item: &DeValue<'_>,
    ) -> Result<(), ConfigError> {
        let child = names::join(path, name);
        if name == names::PRESET {
            self.preset(path, span, item)
        } else if names::local(&child) == names::TECHNIQUE {
            self.all_techniques(&child, self.sub_table(&child, span, item)?)
        } else if names::is_table(&child) {
            self.check_name(path, name, &span)?;
            self.table(&child, self.sub_table(&child, span, item)?)
        } else if let Some(scheme) =
            erase::find(name).filter(|_| names::local(path) == names::ERASE)
        {
            self.technique(scheme, &child, self.sub_table(&child, span, item)?)
        } else if let Some(param) = names::param(path, name) {
            self.setting(path, param, span, item)
        } else {
            Err(self.document.error(span, names::unknown(path, name)))
        }
    }

    /// The name of a group or a queue is one that an override can be written with, that of a drive its number.
    fn check_name(
        &mut self,
        path: &str,
        name: &str,
        span: &Range<usize>,
    ) -> Result<(), ConfigError> {
        if path == names::ARRAY_DRIVE {
            if name.parse::<u16>().is_ok_and(|number| number.to_string() == name) {
                self.layer.tables.push(names::join(path, name));
                return Ok(());
            }
            let what = format!("`{}` cannot name a drive of an array", name.escape_debug());
            let problem = Problem::new(what, "drives are numbered: [array.drive.0] is the first");
            return Err(self.document.error(span.clone(), problem));
        }
        let Some((_, what)) = names::NAMED.iter().find(|(table, _)| *table == path) else {
            return Ok(());
        };
        if !names::is_bare(name) {
            let what = format!("`{}` cannot name a {what}", name.escape_debug());
            let problem = Problem::new(what, "use letters, digits, `_` and `-`");
            return Err(self.document.error(span.clone(), problem));
        }
        match path {
            names::GROUP => self.layer.groups.push(names::join(path, name)),
            _ => self.layer.tables.push(names::join(path, name)),
        }
        Ok(())
    }

    fn sub_table<'t, 'i>(
        &self,
        path: &str,
        span: Range<usize>,
        item: &'t DeValue<'i>,
    ) -> Result<&'t DeTable<'i>, ConfigError> {
        item.as_table().ok_or_else(|| {
            let what = format!("`{path}`: expected a table, found {}", value::found(item));
            self.document.error(span, Problem::new(what, format!("write [{path}] above its keys")))
        })
    }

    fn setting(
        &mut self,
        path: &str,
        param: &Param,
        span: Range<usize>,
        item: &DeValue<'_>,
    ) -> Result<(), ConfigError> {
        let value = value::check(param, &names::join(path, param.key), item)
            .map_err(|problem| self.document.error(span.clone(), problem))?;
        let place = self.document.place(span.start);
        self.layer.settings.push(Setting { table: path.to_owned(), key: param.key, value, place });
        Ok(())
    }

    fn preset(
        &mut self,
        path: &str,
        span: Range<usize>,
        item: &DeValue<'_>,
    ) -> Result<(), ConfigError> {
        let fail = |what: String, help: &str| {
            Err(self.document.error(span.clone(), Problem::new(what, help)))
        };
        let Some(kind) = PresetKind::of_table(path) else {
            return fail(
                format!("there are no presets for [{path}]"),
                "set it in [drive], [drive.chip] or [drive.group.NAME.chip]",
            );
        };
        let Some(name) = item.as_str() else {
            return fail(
                format!("`preset`: expected a name, found {}", value::found(item)),
                "the name of a preset, in quotes",
            );
        };
        let choice = Choice { name: name.to_owned(), place: self.document.place(span.start) };
        if let Some(first) = self.layer.choices.make(kind, path, choice) {
            let what =
                format!("two {kind} presets: `{}` and `{}`", first.name, name.escape_debug());
            return fail(what, "keep one of them");
        }
        Ok(())
    }

    fn all_techniques(&mut self, within: &str, table: &DeTable<'_>) -> Result<(), ConfigError> {
        if within != names::TECHNIQUE {
            self.layer.tables.push(within.to_owned());
        }
        if table.is_empty() {
            self.layer.emptied.push(within.to_owned());
        }
        for (key, item) in table {
            let name = key.get_ref().as_ref();
            let Some(technique) = self.techniques.iter().find(|decl| decl.name == name) else {
                let valid = self.techniques.iter().map(|decl| decl.name);
                let what = format!("unknown technique `{}`", name.escape_debug());
                let problem = Problem::new(what, suggest::help(name, valid));
                return Err(self.document.error(key.span(), problem));
            };
            let path = names::join(within, name);
            let table = self.sub_table(&path, key.span(), item.get_ref())?;
            self.technique(technique, &path, table)?;
        }
        Ok(())
    }

    fn technique(
        &mut self,
        technique: &'static TechniqueDecl,
        path: &str,
        table: &DeTable<'_>,
    ) -> Result<(), ConfigError> {
        self.layer.named.push((path.to_owned(), technique));
        for (key, item) in table {
            let name = key.get_ref().as_ref();
            let Some(param) = technique.params.iter().find(|param| param.key == name) else {
                let valid = technique.params.iter().map(|param| param.key).collect();
                let what = format!("unknown key `{}` in [{path}]", name.escape_debug());
                let problem = Problem::new(what, names::help(path, name, valid));
                return Err(self.document.error(key.span(), problem));
            };
            self.setting(path, param, key.span(), item.get_ref())?;
        }
        Ok(())
    }
}
