//! A workload from the text that names it: a trace file or a generator.

use std::path::Path;

use crate::Error;
use crate::generate::{self, GeneratorContext};
use crate::read::{self, Opened};

/// Opens the trace file or builds the generator that `text` names. A file that exists wins; a
/// text with a folder separator, or with a dot ahead of any colon, is a path.
///
/// # Errors
/// A missing or malformed file, an unknown generator or parameter, `format` for a generator.
pub fn open_workload(
    text: &str,
    format: Option<&str>,
    context: &GeneratorContext,
) -> Result<Opened, Error> {
    let path = Path::new(text);
    if path.exists() || looks_like_path(text) {
        return read::open(path, format);
    }
    if let Some(format) = format {
        let what = format!("format `{format}` given, but there is no such file");
        return Err(Error::new(what, text, "a generator takes no format"));
    }
    let source = generate::from_spec(text, context).map_err(|mut error| {
        if !text.contains([':', '=']) {
            error.what += ", and no such file";
        }
        error
    })?;
    Ok(Opened { source, info: None })
}

fn looks_like_path(text: &str) -> bool {
    let head = text.split(':').next().unwrap_or(text);
    text.contains(['/', '\\']) || head.contains('.')
}
