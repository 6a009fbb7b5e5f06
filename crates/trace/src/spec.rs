//! A generated workload from its specification: a generator of addresses, an application or a twin.
//!
//! `twin:paper/volume` is the twin of a published volume, see [`crate::twin`]; `varmail`, `oltp` and
//! `webproxy` are applications that are modelled in the same way; all else is a name of
//! [`crate::generate`].

use crate::generate::{self, GeneratorContext, generators};
use crate::twin::{self, applications};
use crate::{Error, Source, suggest};

/// Builds the workload that `spec` describes.
///
/// # Errors
/// An unknown generator or key, a value that is not of its kind or out of range, a combination
/// that cannot work; each names the valid ones.
pub fn from_spec(spec: &str, context: &GeneratorContext) -> Result<Box<dyn Source>, Error> {
    if spec.starts_with(twin::PREFIX) {
        return twin::from_spec(spec, context);
    }
    let (name, pairs) = spec.split_once(':').unwrap_or((spec, ""));
    let name = name.trim();
    if let Some(application) = applications().iter().find(|decl| decl.name == name) {
        return twin::open(application, spec, pairs, context);
    }
    let Some(generator) = generate::find(name) else {
        let names = generators().iter().map(|decl| decl.name);
        let others = applications().iter().map(|decl| decl.name.as_str());
        let names: Vec<&str> = names.chain(others).chain(["twin:VOLUME"]).collect();
        let what = format!("unknown generator `{name}`");
        let help = suggest::help_or_list(name, &names, "wordline list workloads");
        return Err(Error::new(what, spec, help));
    };
    generator.open(spec, pairs, context)
}
