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
mod quota;
mod reads;
mod rows;
mod sizes;
mod source;
mod writes;

pub use fit::fit;
pub use model::Model;
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

const UPDATES: GeneratorParam = GeneratorParam::new(
    "updates",
    Kind::Real(0.0, 0.9999),
    "",
    "",
    "Share of the pages written that were written before, by default that of the model: the footprint \
     follows.",
);

/// The parameters of every twin.
pub const PARAMS: &[GeneratorParam] = &[REQUESTS, OPS, UPDATES, FOLLOW, SEQUENTIAL, SEED];

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
            Err((format!("no twin is called `{name}`"), suggest::help(name, &names)))
        }
        _ => {
            let names: Vec<&str> = found.iter().map(|decl| decl.name.as_str()).collect();
            let what = format!("several papers describe a volume `{name}`");
            Err((what, format!("choose one: twin:{}", names.join(", twin:"))))
        }
    }
}

/// The source of `model`, if its footprint fits the address space of `context`.
pub(crate) fn open_model(
    name: &str,
    model: Model,
    context: &GeneratorContext,
) -> Result<Box<dyn Source>, Error> {
    let gib = |bytes: u64| bytes as f64 / (1u64 << 30) as f64;
    let needed = model.span_bytes();
    if context.is_bounded && needed > context.span_bytes {
        let what = format!(
            "{} requests of this volume need {:.3} GiB; the drive has {:.3} GiB",
            model.requests,
            gib(needed),
            gib(context.span_bytes)
        );
        let fit = model.requests as f64 * context.span_bytes as f64 / needed as f64;
        let help = format!("choose a larger drive, or a sample: requests={:.1e}", fit * 0.9);
        return Err(Error::new(what, name, help));
    }
    Ok(Box::new(source::Twin::new(name, model, context.seed)))
}

#[cfg(test)]
mod tests;
