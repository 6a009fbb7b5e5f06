//! What there is to choose from, as JSON: the same declarations that the loader checks against.

use crate::failure::{Failure, detached};
use crate::run::to_json;
use pyo3::prelude::*;
use serde_json::{Value, json};
use wordline_sim::config::{
    GroupConfig, Kind, Param, PresetKind, Slot, TABLES, TableDecl, load, owners,
    policies as policies_of, presets,
};
use wordline_sim::technique::{ENTRIES, Entry, erase};
use wordline_trace::generate::{self, GeneratorDecl, GeneratorParam, generators};
use wordline_trace::read::{FormatDecl, FormatOption, formats};
use wordline_trace::twin::{self, TwinDecl, applications};

/// The catalogue as JSON: `tables`, `techniques`, `policies`, `presets`, `generators`,
/// `twins`, `formats`.
#[pyfunction]
pub fn catalogue(py: Python<'_>) -> PyResult<String> {
    detached(py, || {
        let mut defaults = load("", "the defaults", &[])?;
        defaults.drive.group.insert("NAME".into(), GroupConfig::default());
        let defaults = serde_json::to_value(defaults).unwrap_or_default();
        let mut tables: Vec<Value> =
            TABLES.iter().map(|table| of_table(table, &defaults)).collect();
        tables.extend(scheme_tables());
        to_json(&json!({
            "tables": tables,
            "techniques": techniques(),
            "policies": policies(),
            "presets": preset_infos()?,
            "generators": generator_infos(),
            "twins": twin_infos(),
            "formats": format_infos(),
        }))
    })
}

/// The names of the drives among the presets.
#[pyfunction]
pub fn drive_presets() -> Vec<&'static str> {
    let drives = presets::all().iter().filter(|preset| preset.kind == PresetKind::Drive);
    drives.map(|preset| preset.name).collect()
}

fn of_table(table: &TableDecl, defaults: &Value) -> Value {
    let pointer = format!("/{}", table.path.replace('.', "/"));
    let values = defaults.pointer(&pointer).unwrap_or(&Value::Null);
    json!({ "path": table.path, "params": params(table.params, values) })
}

/// The tables of erase schemes that have parameters.
fn scheme_tables() -> impl Iterator<Item = Value> {
    let declarations = erase::ENTRIES.iter().map(|entry| &entry.declaration);
    declarations.filter(|scheme| !scheme.params.is_empty()).map(|scheme| {
        let defaults = serde_json::to_value((scheme.defaults)()).unwrap_or_default();
        json!({
            "path": format!("erase.{}", scheme.name),
            "params": params(scheme.params, &defaults),
        })
    })
}

fn params(params: &[Param], defaults: &Value) -> Vec<Value> {
    let describe = |param: &Param| {
        json!({
            "key": param.key,
            "kind": kind(param.kind),
            "unit": param.unit,
            "default": defaults[param.key],
            "help": param.help,
            "source": param.source,
        })
    };
    params.iter().map(describe).collect()
}

/// What a key may hold: a policy is one of names, like any other choice.
fn kind(kind: Kind) -> Kind {
    match kind {
        Kind::Policy(slot) => Kind::OneOf(policies_of(slot)),
        kind => kind,
    }
}

fn techniques() -> Vec<Value> {
    let describe = |entry: &Entry| {
        let declaration = &entry.declaration;
        let defaults = serde_json::to_value((declaration.defaults)()).unwrap_or_default();
        json!({
            "name": declaration.name,
            "summary": entry.summary,
            "source": entry.source,
            "params": params(declaration.params, &defaults),
        })
    };
    ENTRIES.iter().map(describe).collect()
}

/// Every key that holds the name of a policy: what can be chosen there.
fn policies() -> Vec<Value> {
    let slots =
        TABLES.iter().flat_map(|table| table.params.iter().map(move |param| (table, param)));
    let describe = |(table, param): (&TableDecl, &Param)| match param.kind {
        Kind::Policy(slot) => Some(json!({
            "key": format!("{}.{}", table.path, param.key),
            "help": param.help,
            "names": policies_of(slot),
            "owners": owners_in(table, slot),
        })),
        _ => None,
    };
    slots.filter_map(describe).collect()
}

/// The keys beside that of a slot which only some of its policies have, and who they are.
fn owners_in(table: &TableDecl, slot: Slot) -> Value {
    let with_owners = table.params.iter().map(|param| (param.key, owners(slot, param.key)));
    with_owners
        .filter(|(_, owners)| !owners.is_empty())
        .map(|(key, own)| (key, json!(own)))
        .collect()
}

fn preset_infos() -> Result<Vec<presets::PresetInfo>, Failure> {
    presets::all().iter().map(|preset| Ok(preset.info()?)).collect()
}

fn generator_infos() -> Vec<Value> {
    let describe = |decl: &GeneratorDecl| {
        let params: Vec<Value> = decl.params.iter().map(generator_param).collect();
        json!({
            "name": decl.name,
            "summary": decl.summary,
            "source": decl.source,
            "params": params,
        })
    };
    let application = |decl: &TwinDecl| {
        json!({
            "name": decl.name,
            "summary": decl.summary,
            "source": decl.source,
            "params": twin_params(),
        })
    };
    generators().iter().map(describe).chain(applications().iter().map(application)).collect()
}

fn twin_params() -> Vec<Value> {
    twin::PARAMS.iter().map(generator_param).collect()
}

/// The twins: synthetic workloads with the figures of published volumes.
fn twin_infos() -> Vec<Value> {
    let describe = |decl: &TwinDecl| {
        let values = |of: &[(&str, f64)], source: &str| -> Vec<Value> {
            let value =
                |(key, value): &(_, _)| json!({ "key": key, "value": value, "source": source });
            of.iter().map(value).collect()
        };
        let mut all = values(&decl.published, "published");
        all.extend(values(&decl.calibrated, "calibrated"));
        json!({
            "name": format!("{}{}", twin::PREFIX, decl.name),
            "synthetic": true,
            "summary": format!("Synthetic: {}", decl.summary),
            "source": decl.source,
            "contradiction": decl.contradiction,
            "params": twin_params(),
            "values": all,
        })
    };
    twin::twins().iter().map(describe).collect()
}

fn generator_param(param: &GeneratorParam) -> Value {
    let kind = match param.kind {
        generate::Kind::Count(low, high) => json!({ "int": [low, high] }),
        generate::Kind::Real(low, high) => json!({ "float": [low, high] }),
        generate::Kind::OneOf(names) => json!({ "one_of": names }),
    };
    json!({
        "key": param.key,
        "kind": kind,
        "unit": param.unit,
        "default": param.default,
        "help": param.help,
        "source": "",
    })
}

fn format_infos() -> Vec<Value> {
    let option = |option: &FormatOption| {
        let (key, help) = (option.key, option.help);
        json!({ "key": key, "kind": "text", "unit": "", "default": "", "help": help, "source": "" })
    };
    let describe = |format: &FormatDecl| {
        json!({
            "name": format.name,
            "aliases": format.aliases,
            "summary": format.summary,
            "columns": format.columns,
            "time_unit": format.time_unit.name,
            "params": format.options.iter().map(option).collect::<Vec<_>>(),
        })
    };
    formats().iter().map(describe).collect()
}
