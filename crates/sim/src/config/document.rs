//! A TOML document with the places of its parts.

use super::error::{ConfigError, Problem};
use super::names;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A text and what to call it in messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Document<'a> {
    text: &'a str,
    origin: Origin<'a>,
}

/// Where a document comes from.
#[derive(Debug, Clone, Copy)]
enum Origin<'a> {
    /// A file: places are its lines.
    File(&'a str),
    /// A `key=value` override: the place is the override itself.
    Override(&'a str),
}

impl<'a> Document<'a> {
    /// The text of a file.
    pub fn file(text: &'a str, name: &'a str) -> Self {
        Self { text, origin: Origin::File(name) }
    }

    /// The TOML made of an override.
    pub fn of_override(text: &'a str, given: &'a str) -> Self {
        Self { text, origin: Origin::Override(given) }
    }

    /// Parses the text; a syntax error is located by line and column.
    pub fn parse(&self) -> Result<DeTable<'a>, ConfigError> {
        DeTable::parse(self.text).map(Spanned::into_inner).map_err(|error| {
            let start = error.span().map_or(self.text.len(), |span| span.start);
            let what = error.message().lines().collect::<Vec<_>>().join("; ");
            Problem::new(format!("not valid TOML: {what}"), "").at(self.point(start))
        })
    }

    /// Locates a problem at the line where `span` starts.
    pub fn error(&self, span: Range<usize>, problem: Problem) -> ConfigError {
        problem.at(self.place(span.start))
    }

    /// `file:line`, or the override.
    pub fn place(&self, offset: usize) -> String {
        match self.origin {
            Origin::File(name) => format!("{name}:{}", self.line_column(offset).0),
            Origin::Override(given) => format!("override `{given}`"),
        }
    }

    fn point(&self, offset: usize) -> String {
        match self.origin {
            Origin::File(_) => format!("{}:{}", self.place(offset), self.line_column(offset).1),
            Origin::Override(_) => self.place(offset),
        }
    }

    /// Line and column of a byte offset, both from 1; columns count characters.
    fn line_column(&self, offset: usize) -> (usize, usize) {
        let end = (0..=offset.min(self.text.len())).rev().find(|&i| self.text.is_char_boundary(i));
        let before = &self.text[..end.unwrap_or(0)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}

/// Turns a `key=value` override into TOML: the value is TOML where it can be read as such, and
/// otherwise text.
pub(super) fn override_text(given: &str) -> Result<String, ConfigError> {
    let fail =
        |what: &str, help: &str| Err(Problem::new(what, help).at(format!("override `{given}`")));
    let Some((path, value)) = given.split_once('=') else {
        return fail("no `=`", "write it as table.key=value, such as drive.channels=4");
    };
    if !path.trim().split('.').all(names::is_bare) {
        return fail("not a key", "write it as table.key=value, such as drive.channels=4");
    }
    let value = value.trim();
    if DeValue::parse(value).is_ok() {
        return Ok(format!("{} = {value}", path.trim()));
    }
    if value.is_empty() || value.starts_with(['"', '\'', '[', '{']) {
        return fail("the value is not valid TOML", "text with blanks or quotes goes in quotes");
    }
    Ok(format!("{} = {}", path.trim(), toml::Value::from(value)))
}
