//! Generated workloads, deterministic from their seed.
//!
//! A specification is `name` or `name:key=value,key=value`, such as
//! `zipf:theta=0.99,read=0.3,writes=1e6`. Numbers may be written as `1000000`, `1_000_000`,
//! `1e6` or `1M`, and with a unit (`interval_us=2ms`). [`generators`] lists the names and their keys.
//!
//! Addresses, operations, sizes and arrivals are drawn from streams of their own, so that a change
//! of one leaves the others as they were. Logarithms and powers come from `libm`, not from the
//! system, so that every machine generates the same bits.

mod hot_cold;
pub(crate) mod math;
mod mixed;
pub(crate) mod param;
mod pattern;
pub(crate) mod permutation;
mod ranked;
pub(crate) mod rng;
mod sequential;
mod source;
pub(crate) mod space;
pub(crate) mod traffic;
mod uniform;
pub(crate) mod values;
mod zipf;
mod zipf_fio;
mod zipf_ycsb;

use std::sync::LazyLock;

use crate::{Error, Source};

pub use param::{GeneratorParam, Kind};

use pattern::Pattern;
use ranked::Ranked;
use rng::Rng;
use source::Generator;
use space::Space;
use traffic::Traffic;
use values::Values;

/// What the caller knows and a specification may leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GeneratorContext {
    /// The address space, in bytes: the drive's logical capacity.
    pub span_bytes: u64,
    /// The seed.
    pub seed: u64,
    /// Whether a model that needs more than `span_bytes` is refused: false where there is no drive.
    pub is_bounded: bool,
}

impl GeneratorContext {
    /// On a drive of `span_bytes`.
    pub const fn on_drive(span_bytes: u64, seed: u64) -> Self {
        Self { span_bytes, seed, is_bounded: true }
    }

    /// Without a drive: a generator that names no span has that of `span_bytes`, a model what it
    /// needs.
    pub const fn without_drive(span_bytes: u64, seed: u64) -> Self {
        Self { span_bytes, seed, is_bounded: false }
    }
}

/// The address space of a generator that names none, where there is no drive.
pub const DEFAULT_SPAN_BYTES: u64 = 16 << 30;

type Build = fn(&str, &Values<'_>, &GeneratorContext) -> Result<Box<dyn Source>, Error>;

/// A generator's declaration.
#[derive(Debug)]
pub struct GeneratorDecl {
    /// The name that a specification begins with.
    pub name: &'static str,
    /// What it generates, in a sentence.
    pub summary: &'static str,
    /// Where its definition comes from; empty for our own.
    pub source: &'static str,
    /// Its own parameters, then those that all have in common.
    pub params: Vec<GeneratorParam>,
    build: Build,
}

impl GeneratorDecl {
    fn of<P: Pattern>() -> Self {
        Self {
            name: P::NAME,
            summary: P::SUMMARY,
            source: P::SOURCE,
            params: [P::PARAMS, traffic::PARAMS].concat(),
            build: build::<P>,
        }
    }

    /// Builds the source that `spec` describes, whose part behind the colon is `pairs`.
    ///
    /// # Errors
    /// An unknown key, a value that is not of its kind or out of range, a combination that cannot
    /// work; each names the valid ones.
    pub(crate) fn open(
        &self,
        spec: &str,
        pairs: &str,
        context: &GeneratorContext,
    ) -> Result<Box<dyn Source>, Error> {
        (self.build)(spec, &Values::parse(spec, pairs, &self.params)?, context)
    }
}

/// The generators. To add one: a file that implements `Pattern`, and its line here.
pub fn generators() -> &'static [GeneratorDecl] {
    static GENERATORS: LazyLock<Vec<GeneratorDecl>> = LazyLock::new(|| {
        vec![
            GeneratorDecl::of::<uniform::Uniform>(),
            GeneratorDecl::of::<Ranked<zipf::Zipf>>(),
            GeneratorDecl::of::<Ranked<zipf_ycsb::ZipfYcsb>>(),
            GeneratorDecl::of::<zipf_fio::ZipfFio>(),
            GeneratorDecl::of::<hot_cold::HotCold>(),
            GeneratorDecl::of::<sequential::Sequential>(),
            GeneratorDecl::of::<mixed::Mixed>(),
        ]
    });
    &GENERATORS
}

/// The generator called `name`.
pub fn find(name: &str) -> Option<&'static GeneratorDecl> {
    generators().iter().find(|decl| decl.name == name)
}

fn build<P: Pattern>(
    spec: &str,
    values: &Values<'_>,
    context: &GeneratorContext,
) -> Result<Box<dyn Source>, Error> {
    let seed = values.given(&traffic::SEED).map_or(context.seed, |seed| seed as u64);
    let space = Space::new(values, context.span_bytes)?;
    let traffic = Traffic::new(values, &space, seed)?;
    let pattern = P::new(space, values, Rng::new(seed, "address"))?;
    Ok(Box::new(Generator::new(spec, pattern, traffic)))
}

#[cfg(test)]
mod tests;
