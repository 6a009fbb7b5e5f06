//! The twins of published volumes: rows of tables as data, and the models that follow from them.

mod centaur;
mod common;
mod lazyrs;
mod llh;
mod reo;
pub(super) mod ressd;

use super::Wanted;
use super::model::Model;
use crate::generate::{GeneratorContext, GeneratorDecl};
use crate::{Error, Source};
use std::sync::LazyLock;

/// A volume of which there is a twin.
#[derive(Debug, Clone)]
pub struct TwinDecl {
    /// Its name, `paper/volume`.
    pub name: String,
    /// What it is, in a sentence.
    pub summary: String,
    /// The publication.
    pub source: String,
    /// What the publication says of it: key, with the unit last, and value.
    pub published: Vec<(&'static str, f64)>,
    /// What is set so that the measured twin meets that: fitted, and not of the publication.
    pub calibrated: Vec<(&'static str, f64)>,
    /// Why the row cannot be met, where it contradicts itself.
    pub contradiction: Option<String>,
    /// What generates it.
    pub origin: Origin,
}

/// What generates a twin.
#[derive(Debug, Clone)]
pub enum Origin {
    /// A model of the volume.
    Model(Box<Model>),
    /// A generator.
    Generator {
        /// Its declaration.
        decl: &'static GeneratorDecl,
        /// Its parameters but for the number of requests, as `key=value,key=value`.
        pairs: String,
        /// Requests in all.
        requests: u64,
    },
}

/// All twins, paper by paper.
pub fn twins() -> &'static [TwinDecl] {
    static TWINS: LazyLock<Vec<TwinDecl>> =
        LazyLock::new(|| [ressd::twins(), llh::twins(), centaur::twins(), reo::twins()].concat());
    &TWINS
}

/// Workloads that are models too, under names of their own.
pub fn applications() -> &'static [TwinDecl] {
    static APPLICATIONS: LazyLock<Vec<TwinDecl>> = LazyLock::new(lazyrs::applications);
    &APPLICATIONS
}

impl TwinDecl {
    /// Requests that it has unless fewer or more are asked for.
    pub fn requests(&self) -> u64 {
        match &self.origin {
            Origin::Model(model) => model.requests,
            Origin::Generator { requests, .. } => *requests,
        }
    }

    /// The twin as a source named `spec`; of `requests` requests, or as many as published.
    ///
    /// # Errors
    /// A generator that does not fit the address space.
    pub(super) fn open(
        &self,
        spec: &str,
        wanted: &Wanted,
        context: &GeneratorContext,
    ) -> Result<Box<dyn Source>, Error> {
        match &self.origin {
            Origin::Model(model) => {
                let mut model = (**model).clone();
                if let Some(requests) = wanted.requests {
                    model = model.sampled(requests);
                }
                model = model
                    .with_updates(wanted.updates)
                    .with_adjacency(wanted.follow, wanted.sequential)
                    .with_runs(wanted.runs, wanted.streams)
                    .map_err(|what| Error::new(what, spec, "leave write_runs out"))?
                    .with_hot_footprint(wanted.hot_footprint)
                    .map_err(|what| {
                        Error::new(what, spec, "leave hot_footprint out, or choose another")
                    })?;
                if wanted.only_writes {
                    model = model.without_reads().map_err(|what| {
                        Error::new(what, spec, "leave ops out, or choose another volume")
                    })?;
                }
                super::open_model(spec, model, context)
            }
            Origin::Generator { decl, pairs, requests: published } => {
                let structure = [
                    wanted.updates,
                    wanted.follow,
                    wanted.sequential,
                    wanted.runs,
                    wanted.hot_footprint,
                    wanted.streams.map(f64::from),
                ];
                if wanted.only_writes || structure.iter().any(Option::is_some) {
                    return Err(Error::new(
                        "this twin comes from another generator, which has only requests and seed",
                        spec,
                        "leave all other keys out",
                    ));
                }
                let requests = wanted.requests.unwrap_or(*published);
                let pairs = format!("{pairs},requests={requests},seed={}", context.seed);
                decl.open(&format!("{}:{pairs}", decl.name), &pairs, context)
            }
        }
    }
}
