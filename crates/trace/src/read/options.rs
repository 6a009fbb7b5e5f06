//! What stands behind a format's name: `NAME:key=value,key=value`.

use crate::{Error, suggest};

/// An option of a format, given as `NAME:key=value,key=value`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormatOption {
    /// Its key.
    pub key: &'static str,
    /// What it does, and what it may hold.
    pub help: &'static str,
}

/// The options given for one trace.
#[derive(Debug, Clone, Default)]
pub(super) struct Options {
    /// The whole text, for messages.
    text: String,
    given: Vec<(&'static str, String)>,
    /// Nobody named the format, and others differ in the unit of time alone.
    pub is_unit_guessed: bool,
}

impl Options {
    /// No options of the format `name`.
    pub fn none(name: &str) -> Self {
        Self { text: name.to_owned(), ..Self::default() }
    }

    /// Reads `pairs`, the part of `text` behind the colon.
    ///
    /// # Errors
    /// A pair without `=`, an unknown or repeated key.
    pub fn parse(text: &str, pairs: &str, declared: &[FormatOption]) -> Result<Self, Error> {
        let mut options = Self::none(text);
        let keys: Vec<&str> = declared.iter().map(|option| option.key).collect();
        if pairs.trim().is_empty() {
            return Ok(options);
        }
        for pair in pairs.split(',').map(str::trim) {
            if pair.is_empty() {
                return Err(options.error("a comma with nothing behind it", "drop the comma"));
            }
            let Some((key, value)) = pair.split_once('=') else {
                let what = format!("`{pair}` is not key=value");
                return Err(options.error(what, suggest::help(pair, &keys)));
            };
            let Some(option) = declared.iter().find(|option| option.key == key.trim()) else {
                let what = format!("unknown key `{}`", key.trim());
                let help = match keys.is_empty() {
                    true => "this format takes no options".to_owned(),
                    false => suggest::help(key.trim(), &keys),
                };
                return Err(options.error(what, help));
            };
            if options.get(option.key).is_some() {
                return Err(
                    options.error(format!("`{}` is given twice", option.key), "give it once")
                );
            }
            options.given.push((option.key, value.trim().to_owned()));
        }
        Ok(options)
    }

    /// The value of `key`, where it is given.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.given.iter().find(|(given, _)| *given == key).map(|(_, value)| value.as_str())
    }

    /// A number of bytes, from 1 to 2^32, where `key` is given.
    ///
    /// # Errors
    /// Anything else.
    pub fn bytes(&self, key: &str) -> Result<Option<u64>, Error> {
        let Some(text) = self.get(key) else { return Ok(None) };
        let bytes = text.parse().ok().filter(|bytes| (1..=1 << 32).contains(bytes));
        bytes.map(Some).ok_or_else(|| {
            self.error(format!("{key} = `{text}`: expected bytes, from 1 to 2^32"), "")
        })
    }

    /// A share from 0 to 1, where `key` is given.
    ///
    /// # Errors
    /// Anything else.
    pub fn share(&self, key: &str) -> Result<Option<f64>, Error> {
        let Some(text) = self.get(key) else { return Ok(None) };
        let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
        share.map(Some).ok_or_else(|| {
            self.error(format!("{key} = `{text}`: expected a number from 0 to 1"), "")
        })
    }

    /// An error about this text.
    pub fn error(&self, what: impl Into<String>, help: impl Into<String>) -> Error {
        Error::new(what, format!("format `{}`", self.text), help)
    }
}
