//! A workload from the text that names it: a trace file, a generator, a model or phases in TOML; and
//! several as one.

use std::path::Path;

use crate::generate::GeneratorContext;
use crate::generate::rng::Rng;
use crate::phases;
use crate::read::{self, Opened, TraceInfo};
use crate::shape::{Layout, Shape};
use crate::spec::from_spec;
use crate::twin;
use crate::{Error, Source};

/// Opens the trace file or builds the generator that `text` names. A file that exists wins, a folder
/// does not. A text with a folder separator, or with a dot ahead of any colon, is a path, unless it
/// names a twin. A file whose name ends in `.toml` is a model that was fitted, or phases of generators.
///
/// # Errors
/// A missing or malformed file, an unknown generator or parameter, `format` for a generator.
pub fn open_workload(
    text: &str,
    format: Option<&str>,
    context: &GeneratorContext,
) -> Result<Opened, Error> {
    let path = Path::new(text);
    if path.extension().is_some_and(|ending| ending == "toml") && format.is_none() {
        return Ok(Opened { source: described(path, context)?, info: None });
    }
    if is_path(text) {
        return read::open(path, format);
    }
    if let Some(format) = format {
        let what = format!("format `{format}` given, but there is no such file");
        return Err(Error::new(what, text, "a generator takes no format"));
    }
    let source = from_spec(text, context).map_err(|mut error| {
        if !text.contains([':', '=']) {
            error.what += ", and no such file";
        }
        error
    })?;
    Ok(Opened { source, info: None })
}

/// Several workloads as one, ready to be read.
pub struct Shaped {
    /// Its requests.
    pub source: Box<dyn Source>,
    /// What the files among them turned out to be.
    pub files: Vec<TraceInfo>,
}

/// Opens the workloads that `texts` name and puts them into `shape`. `format` is that of all files
/// among them. Generators place their requests themselves: where there is no file, no volume is
/// moved.
///
/// # Errors
/// As [`open_workload`] and [`Shape::apply`].
pub fn open_shaped(
    texts: &[&str],
    format: Option<&str>,
    shape: &Shape,
    context: &GeneratorContext,
) -> Result<Shaped, Error> {
    let (mut sources, mut files) = (Vec::new(), Vec::new());
    for (number, text) in texts.iter().enumerate() {
        let is_generator = texts.len() > 1 && !is_path(text);
        // Generators alike are not to write the same addresses at the same time.
        let seed = match number {
            0 => context.seed,
            _ => Rng::new(context.seed, &format!("source {number}")).bits() >> 12,
        };
        let context = GeneratorContext { seed, ..*context };
        let opened = open_workload(text, format.filter(|_| !is_generator), &context)?;
        sources.push(opened.source);
        files.extend(opened.info);
    }
    let layout = if files.is_empty() { Layout::Together } else { shape.layout };
    let source = Shape { layout, ..shape.clone() }.apply(sources)?;
    Ok(Shaped { source, files })
}

fn is_path(text: &str) -> bool {
    let path = Path::new(text);
    (path.exists() && !path.is_dir()) || looks_like_path(text)
}

/// The workload that a TOML file describes.
fn described(path: &Path, context: &GeneratorContext) -> Result<Box<dyn Source>, Error> {
    let place = path.display().to_string();
    let text = read::text(path)?;
    if phases::is_phases(&text) {
        return phases::from_toml(&text, &place, context);
    }
    twin::open_toml(&text, &place, context)
}

fn looks_like_path(text: &str) -> bool {
    if text.starts_with(twin::PREFIX) {
        return false;
    }
    let head = text.split(':').next().unwrap_or(text);
    text.contains(['/', '\\']) || head.contains('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first is what it would be alone.
    #[test]
    fn generators_alike_draw_different_addresses() {
        let context = GeneratorContext::on_drive(1 << 30, 7);
        let offsets = |texts: &[&str]| {
            let shaped = open_shaped(texts, None, &Shape::default(), &context);
            let mut source = shaped.expect("generators").source;
            let mut batch = Vec::with_capacity(100);
            source.next_batch(&mut batch).expect("requests");
            let of = |stream| batch.iter().filter(move |it| it.stream == stream);
            [0, 1].map(|stream| of(stream).map(|it| it.offset_bytes).collect::<Vec<u64>>())
        };
        let text = "uniform:requests=100,read=0.5";
        let ([alone, _], [first, second]) = (offsets(&[text]), offsets(&[text, text]));
        assert_eq!(first[..], alone[..first.len()]);
        assert!(first.iter().zip(&second).filter(|(one, other)| one == other).count() < 3);
    }
}
