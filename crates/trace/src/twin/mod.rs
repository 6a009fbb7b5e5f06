//! Twins: workloads with the statistics of a volume whose trace is not at hand.
//!
//! `twin:ressd/hm_0` names the twin of a published row; `twin:hm_0` does if only one paper has such
//! a volume. `:requests=1e5` behind it makes a spatial sample: fewer places, each with the same
//! history, so that shares, sizes, intervals of updates and the duration stay, and the rate, the
//! volumes and the footprint shrink.

mod ages;
mod arrivals;
mod fit;
mod ground;
mod model;
mod profile;
mod quota;
mod reads;
mod rows;
mod sizes;
mod source;
mod variation;
mod writes;

pub use fit::fit;
pub use model::Model;
pub use profile::Profile;
pub use rows::{Origin, TwinDecl, applications, twins};

use crate::generate::GeneratorContext;
use crate::generate::param::{GeneratorParam, Kind, MAX_COUNT};
use crate::generate::traffic::SEED;
use crate::generate::values::Values;
use crate::{Error, Source, suggest};

/// What the specification of a twin begins with.
pub const PREFIX: &str = "twin:";

const REQUESTS: GeneratorParam = GeneratorParam::new(
    "requests",
    Kind::Count(1.0, MAX_COUNT),
    "",
    "",
    "Requests in all, by default as published: a spatial sample, in which shares, sizes, intervals \
     of updates and the duration stay, and rate, volumes and footprint follow.",
);

const OPS: GeneratorParam = GeneratorParam::new(
    "ops",
    Kind::OneOf(&["all", "write"]),
    "all",
    "",
    "Which requests there are: write leaves the reads out, and the writes as they are.",
);
const FOLLOW: GeneratorParam = GeneratorParam::new(
    "write_follow",
    Kind::Real(0.0, 1.0),
    "",
    "",
    "Share of the updates that go to what was last written right after the place of the one before, \
     by default that of the model.",
);
const SEQUENTIAL: GeneratorParam = GeneratorParam::new(
    "write_sequential",
    Kind::Real(0.0, 1.0),
    "",
    "",
    "Share of the new places that lie right behind the new one before, by default that of the model.",
);

const RUNS: GeneratorParam = GeneratorParam::new(
    "write_runs",
    Kind::Real(0.0, 1.0),
    "",
    "",
    "Share of the writes that begin where one of the open runs ended, by default that of the model; what \
     quotas of new data and of intervals leave no room for comes as it would without.",
);
const STREAMS: GeneratorParam = GeneratorParam::new(
    "streams",
    Kind::Count(1.0, 256.0),
    "",
    "",
    "Runs that are open side by side, by default those of the model.",
);
const HOT_FOOTPRINT: GeneratorParam = GeneratorParam::new(
    "hot_footprint",
    Kind::Real(0.0, 1.0),
    "",
    "",
    "Share of the written space that writes below 64 KiB cover, by default that of the model: the less, \
     the sooner they are rewritten, and the later is what large writes cover.",
);

const UPDATES: GeneratorParam = GeneratorParam::new(
    "updates",
    Kind::Real(0.0, 0.9999),
    "",
    "",
    "Share of the pages written that were written before, by default that of the model: the footprint \
     follows.",
);

/// The parameters of every twin.
pub const PARAMS: &[GeneratorParam] =
    &[REQUESTS, OPS, UPDATES, RUNS, STREAMS, HOT_FOOTPRINT, FOLLOW, SEQUENTIAL, SEED];

/// Builds the twin that `spec` names: `twin:paper/volume` or `twin:volume`, then perhaps
/// `:key=value,key=value`.
///
/// # Errors
/// An unknown volume, one that several papers have, a bad key or value, a footprint that does not
/// fit the address space.
pub fn from_spec(spec: &str, context: &GeneratorContext) -> Result<Box<dyn Source>, Error> {
    let rest = spec.strip_prefix(PREFIX).unwrap_or(spec);
    let (name, pairs) = rest.split_once(':').unwrap_or((rest, ""));
    let decl = find(name.trim()).map_err(|(what, help)| Error::new(what, spec, help))?;
    open(decl, spec, pairs, context)
}

/// What a specification wants of a twin.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wanted {
    /// Requests, reads and writes together, whichever of them there are.
    pub requests: Option<u64>,
    /// True to leave the reads out.
    pub only_writes: bool,
    /// Share of the pages written that were written before.
    pub updates: Option<f64>,
    /// [`model::Writes::runs`].
    pub runs: Option<f64>,
    /// [`model::Writes::streams`].
    pub streams: Option<u32>,
    /// Share of the written space that small writes cover.
    pub hot_footprint: Option<f64>,
    /// Adjacency of writes: [`model::Class::follow`].
    pub follow: Option<f64>,
    /// [`model::Class::sequential`].
    pub sequential: Option<f64>,
}

/// Builds a model's source from its declaration and the pairs `key=value` of `spec`.
pub(crate) fn open(
    decl: &TwinDecl,
    spec: &str,
    pairs: &str,
    context: &GeneratorContext,
) -> Result<Box<dyn Source>, Error> {
    let values = Values::parse(spec, pairs, PARAMS)?;
    let wanted = Wanted {
        requests: values.given(&REQUESTS).map(|requests| requests as u64),
        only_writes: values.name(&OPS) == "write",
        updates: values.given(&UPDATES),
        runs: values.given(&RUNS),
        streams: values.given(&STREAMS).map(|streams| streams as u32),
        hot_footprint: values.given(&HOT_FOOTPRINT),
        follow: values.given(&FOLLOW),
        sequential: values.given(&SEQUENTIAL),
    };
    let seed = values.given(&SEED).map_or(context.seed, |seed| seed as u64);
    decl.open(spec, &wanted, &GeneratorContext { seed, ..*context })
}

/// The twin called `name`, with or without its paper; or what is wrong and how to mend it.
pub fn find(name: &str) -> Result<&'static TwinDecl, (String, String)> {
    let volume = |decl: &TwinDecl| decl.name.split('/').next_back() == Some(name);
    let found: Vec<&TwinDecl> =
        twins().iter().filter(|decl| decl.name == name || volume(decl)).collect();
    match found[..] {
        [decl] => Ok(decl),
        [] => {
            let names: Vec<&str> = twins().iter().map(|decl| decl.name.as_str()).collect();
            Err((
                format!("no twin is called `{name}`"),
                suggest::help_or_list(name, &names, "wordline list workloads"),
            ))
        }
        _ => {
            let names: Vec<&str> = found.iter().map(|decl| decl.name.as_str()).collect();
            let what = format!("several papers describe a volume `{name}`");
            Err((what, format!("choose one: twin:{}", names.join(", twin:"))))
        }
    }
}

/// A twin from a file: a profile, or a model of the version before.
///
/// # Errors
/// What is neither, or one that no workload can follow; a footprint that does not fit the address space
/// of `context`.
pub fn open_toml(
    text: &str,
    place: &str,
    context: &GeneratorContext,
) -> Result<Box<dyn Source>, Error> {
    #[derive(serde::Deserialize)]
    struct Version {
        twin: u32,
    }
    // What says no version is told what is wrong with it as a profile.
    match toml::from_str(text).map_or(profile::VERSION, |found: Version| found.twin) {
        model::VERSION => open_model(place, Model::from_toml(text, place)?, context),
        profile::VERSION => open_profile(place, Profile::from_toml(text, place)?, context),
        other => {
            let what = format!("twin = {other}: this program reads versions 1 and 2");
            Err(Error::new(what, place, "fit the trace anew with `wordline trace fit`"))
        }
    }
}

/// The source of `profile`, if its footprint fits the address space of `context`.
pub(crate) fn open_profile(
    name: &str,
    profile: Profile,
    context: &GeneratorContext,
) -> Result<Box<dyn Source>, Error> {
    let help = |_| "choose a larger drive".into();
    fits(name, profile.requests(), profile.span_bytes(), context, help)?;
    Ok(Box::new(profile::Profiled::new(name, profile, context.seed)))
}

/// The source of `model`, if its footprint fits the address space of `context`.
pub(crate) fn open_model(
    name: &str,
    model: Model,
    context: &GeneratorContext,
) -> Result<Box<dyn Source>, Error> {
    let sample = |share: f64| {
        let fit = model.requests as f64 * share;
        format!("choose a larger drive, or a sample: requests={:.1e}", fit * 0.9)
    };
    fits(name, model.requests, model.span_bytes(), context, sample)?;
    Ok(Box::new(source::Twin::new(name, model, context.seed)))
}

/// Whether a drive has room for a twin; `help` is told what share of it there is room for.
fn fits(
    name: &str,
    requests: u64,
    needed: u64,
    context: &GeneratorContext,
    help: impl Fn(f64) -> String,
) -> Result<(), Error> {
    if !context.is_bounded || needed <= context.span_bytes {
        return Ok(());
    }
    let gib = |bytes: u64| bytes as f64 / (1u64 << 30) as f64;
    let what = format!(
        "{requests} requests of this volume need {:.3} GiB; the drive has {:.3} GiB",
        gib(needed),
        gib(context.span_bytes)
    );
    Err(Error::new(what, name, help(context.span_bytes as f64 / needed as f64)))
}

#[cfg(test)]
mod tests;
