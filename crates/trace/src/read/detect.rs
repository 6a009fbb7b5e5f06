//! Which format a file is of, from its first block.

use super::declaration::FormatDecl;
use super::fields::{shown, shown_as_hex};
use super::foreign::{self, Foreign};
use super::formats::formats;
use crate::Error;

/// The format that fits the most of `sample`, the beginning of the file `place`.
///
/// # Errors
/// No format fits, or several fit equally well.
pub(super) fn detect(sample: &[u8], place: String) -> Result<&'static FormatDecl, Error> {
    let fits: Vec<(usize, &FormatDecl)> =
        formats().iter().map(|format| (format.covers(sample), format)).collect();
    let most = fits.iter().map(|&(covered, _)| covered).max().unwrap_or(0);
    if most == 0 {
        // What says of itself what it is: the error is then that of its lines.
        let named = formats().iter().find(|format| format.is_headed(sample));
        return named.map_or_else(|| Err(unrecognised(sample, place)), Ok);
    }
    let mut best = fits.iter().filter(|&&(covered, _)| covered == most).map(|&(_, format)| format);
    let first = best.next().expect("one fits best");
    // Of formats that differ only in what the data leave open, the first in the table counts.
    let rivals: Vec<&str> =
        best.filter(|rival| !rival.yields_to(first)).map(|rival| rival.name).collect();
    if rivals.is_empty() {
        return Ok(first);
    }
    let what = format!("several formats fit: {}, {}", first.name, rivals.join(", "));
    Err(Error::new(what, place, format!("name one, as with `trace_format={}`", first.name)))
}

/// The format other than `this` that a single line is of, if any.
pub(super) fn stranger(this: &str, line: &[u8]) -> Option<&'static str> {
    let others = formats().iter().filter(|format| format.name != this);
    others.max_by_key(|format| format.covers(line)).filter(|f| f.covers(line) > 0).map(|f| f.name)
}

/// Whether other formats differ from this one in the unit of time alone.
pub(super) fn has_open_unit(this: &FormatDecl) -> bool {
    formats().iter().any(|other| other.yields_to(this) || this.yields_to(other))
}

/// Lines at the beginning that hide a format, at most.
const BAD_LINES: usize = 5;

/// How many bad lines a text begins with, and the format of those behind them.
fn behind_bad_lines(sample: &[u8]) -> Option<(usize, &'static FormatDecl)> {
    let text = std::str::from_utf8(sample).map_or_else(|e| &sample[..e.valid_up_to()], |_| sample);
    let mut rest = text;
    for bad_lines in 1..=BAD_LINES {
        rest = &rest[rest.iter().position(|&byte| byte == b'\n')? + 1..];
        let best = formats().iter().max_by_key(|format| format.covers(rest))?;
        if best.covers(rest) > 0 {
            return Some((bad_lines, best));
        }
    }
    None
}

/// No format fits: shows the line and what could have been there.
fn unrecognised(sample: &[u8], place: String) -> Error {
    let first = sample.split(|&byte| byte == b'\n').next().unwrap_or_default();
    if let Some(Foreign { what, help, .. }) = foreign::of(sample) {
        return Error::new(*what, place, *help);
    }
    if let Some((bad_lines, format)) = behind_bad_lines(sample) {
        let name = format.name;
        return Error::new(
            format!(
                "line 1 is of no known format, though line {} is of format {name}; it is `{}`",
                bad_lines + 1,
                shown(first)
            ),
            format!("{place}:1"),
            format!("correct or drop it; `--format {name}` says what is wrong with it"),
        );
    }
    let begins = match sample.contains(&0) || std::str::from_utf8(first).is_err() {
        true => format!("it is binary and begins with bytes {}", shown_as_hex(first)),
        false => format!("it begins with `{}`", shown(first)),
    };
    let known: Vec<&str> = formats().iter().map(|format| format.name).collect();
    Error::new(
        format!("not a trace of a known format; {begins}"),
        place,
        format!(
            "name the format if the file begins unusually, or the columns of any text, as in `--format \
             csv:time=1:us,op=2,offset=3:bytes,size=4:bytes`; `wordline list formats` shows {}",
            known.join(", ")
        ),
    )
}
