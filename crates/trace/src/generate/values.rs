//! The values that a specification gives, read against the declarations of a generator.

use super::param::{GeneratorParam, Kind};
use crate::{Error, quantity, suggest};

/// The values given in a specification; the declared defaults stand for the rest.
pub(crate) struct Values<'a> {
    spec: &'a str,
    given: Vec<(&'static str, &'a str)>,
}

impl<'a> Values<'a> {
    /// Reads `pairs`, the part of `spec` behind the colon.
    ///
    /// # Errors
    /// A pair without `=`, an unknown or repeated key, a value that its declaration refuses.
    pub fn parse(spec: &'a str, pairs: &'a str, params: &[GeneratorParam]) -> Result<Self, Error> {
        let mut values = Self { spec, given: Vec::new() };
        if pairs.trim().is_empty() {
            return match spec.trim_end().ends_with(':') {
                true => {
                    Err(values.error("nothing follows the colon", values.keys_help("", params)))
                }
                false => Ok(values),
            };
        }
        for pair in pairs.split(',').map(str::trim) {
            let Some((key, text)) = pair.split_once('=') else {
                return Err(values.without_value(pair, params));
            };
            let (key, text) = (key.trim(), text.trim());
            let Some(param) = params.iter().find(|param| param.key == key) else {
                return Err(
                    values.error(format!("unknown key `{key}`"), values.keys_help(key, params))
                );
            };
            if values.text(param).is_some() {
                return Err(values.error(format!("`{key}` is given twice"), "give it once"));
            }
            check(param, text).map_err(|expected| {
                values.error(format!("{key} = `{text}`: expected {expected}"), param.help)
            })?;
            values.given.push((param.key, text));
        }
        Ok(values)
    }

    /// How to mend a key that there is not.
    fn keys_help(&self, key: &str, params: &[GeneratorParam]) -> String {
        let keys = params.iter().map(|param| param.key);
        let begin = self.spec.split('=').next().unwrap_or_default();
        let name = begin.rsplit_once(':').map_or(begin, |(name, _)| name);
        suggest::help_or_list(key, keys, &format!("wordline describe {name}"))
    }

    /// What is wrong with a pair that has no `=`.
    fn without_value(&self, pair: &str, params: &[GeneratorParam]) -> Error {
        if pair.is_empty() {
            return self.error("a comma with nothing behind it", "drop the comma");
        }
        let help = match params.iter().find(|param| param.key == pair) {
            Some(param) => format!("write it as `{pair}=…`: {}", param.help),
            None => self.keys_help(pair, params),
        };
        self.error(format!("`{pair}` is not key=value"), help)
    }

    /// An error about this specification.
    pub fn error(&self, what: impl Into<String>, help: impl Into<String>) -> Error {
        Error::new(what, self.spec, help)
    }

    fn text(&self, param: &GeneratorParam) -> Option<&'a str> {
        self.given.iter().find(|(key, _)| *key == param.key).map(|&(_, text)| text)
    }

    /// A number, where it is given.
    pub fn given(&self, param: &GeneratorParam) -> Option<f64> {
        self.text(param).and_then(|text| quantity::parse(text, param.unit))
    }

    /// A number, given or by default.
    pub fn number(&self, param: &GeneratorParam) -> f64 {
        let value = self.given(param).or_else(|| quantity::parse(param.default, param.unit));
        value.expect("a number's declared default is a number")
    }

    /// A name, given or by default.
    pub fn name(&self, param: &GeneratorParam) -> &'a str {
        self.text(param).unwrap_or(param.default)
    }
}

/// Whether `text` is what `param` declares; otherwise says what it should be.
pub(crate) fn check(param: &GeneratorParam, text: &str) -> Result<(), String> {
    let number = quantity::parse(text, param.unit);
    let within = |low: f64, high: f64| number.filter(|value| (low..=high).contains(value));
    let range = |what: &str, low: f64, high: f64| {
        let units = quantity::units(param.unit);
        format!("{}, or with one of {units}", quantity::range(what, &low, &high, param.unit))
    };
    let (fits, expected) = match param.kind {
        Kind::Count(low, high) => (
            within(low, high).is_some_and(|value| value.fract() == 0.0),
            range("a whole number", low, high),
        ),
        Kind::Real(low, high) => (within(low, high).is_some(), range("a number", low, high)),
        Kind::OneOf(names) => (names.contains(&text), suggest::help(text, names)),
    };
    if fits { Ok(()) } else { Err(expected) }
}
