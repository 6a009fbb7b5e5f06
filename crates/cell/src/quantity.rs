//! Quantities as people write them: `1y`, `3mo`, `40C`, `2K`.

use crate::Error;

/// Hours of each unit of time, by its name; months and years are those of 365 days.
const TIMES: [(&str, f64); 8] = [
    ("ms", 1.0 / 3_600_000.0),
    ("s", 1.0 / 3600.0),
    ("min", 1.0 / 60.0),
    ("h", 1.0),
    ("d", 24.0),
    ("w", 168.0),
    ("mo", 730.0),
    ("y", 8760.0),
];

const AGE_HELP: &str = "write a number from 0 with a unit: ms, s, min, h, d, w, mo or y, as in 3mo";
const TEMPERATURE_HELP: &str = "write degrees Celsius from -55 to 150, as in 40C, or kelvins: 313K";
const COUNT_HELP: &str = "write a whole number from 0, as in 3000, 3e3 or 3K";

/// Longest age that is accepted, in hours: a century.
const MOST_H: f64 = 100.0 * 8760.0;

/// Reads an age such as `1y`, `3mo` or `12h`, in hours; `0` needs no unit.
///
/// # Errors
/// No number, no unit, a negative age, or more than a century.
pub fn parse_age_h(text: &str) -> Result<f64, Error> {
    let wrong =
        |what: &str| Err(Error::new(format!("{what}: `{}`", text.escape_debug()), AGE_HELP));
    let Some((number, unit)) = split(text) else { return wrong("not an age") };
    let hours = match TIMES.iter().find(|(name, _)| *name == unit) {
        Some((_, hours)) => number * hours,
        None if unit.is_empty() && number == 0.0 => 0.0,
        None if unit.is_empty() => return wrong("an age without unit"),
        None => return wrong("unknown unit of time"),
    };
    if hours < 0.0 {
        return wrong("a negative age");
    }
    if hours > MOST_H { wrong("more than a hundred years") } else { Ok(hours) }
}

/// Reads a temperature such as `40C`, `40` or `313K`, in degrees Celsius.
///
/// # Errors
/// No number, an unknown unit, or beyond −55 to 150 °C.
pub fn parse_temperature_c(text: &str) -> Result<f64, Error> {
    let wrong = |what: &str| {
        Err(Error::new(format!("{what}: `{}`", text.escape_debug()), TEMPERATURE_HELP))
    };
    let Some((number, unit)) = split(text) else { return wrong("not a temperature") };
    let celsius = match unit {
        "" | "C" | "c" | "°C" => number,
        "K" => number - 273.15,
        _ => return wrong("unknown unit of temperature"),
    };
    if (-55.0..=150.0).contains(&celsius) { Ok(celsius) } else { wrong("beyond -55 to 150 °C") }
}

/// Reads a count such as `3000`, `3e3` or `3K`.
///
/// # Errors
/// No number, a negative or broken one, or more than ten million.
pub fn parse_count(text: &str) -> Result<f64, Error> {
    let wrong =
        |what: &str| Err(Error::new(format!("{what}: `{}`", text.escape_debug()), COUNT_HELP));
    let Some((number, unit)) = split(text) else { return wrong("not a count") };
    let count = match unit {
        "" => number,
        "K" | "k" => number * 1e3,
        "M" => number * 1e6,
        _ => return wrong("unknown unit of a count"),
    };
    if count < 0.0 || count.fract() != 0.0 {
        return wrong("not a whole number from 0");
    }
    if count > 1e7 { wrong("more than ten million") } else { Ok(count) }
}

/// The number at the beginning, and what follows it.
fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let letters = |c: char| c.is_alphabetic() || c == '°';
    // An `e` between digits belongs to the number.
    let is_exponent = |at: usize| {
        let digits =
            text[at..].strip_prefix(['e', 'E']).map(|rest| rest.trim_start_matches(['+', '-']));
        digits.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let end = text.char_indices().find(|&(at, c)| letters(c) && !is_exponent(at));
    let (number, unit) = text.split_at(end.map_or(text.len(), |(at, _)| at));
    let number: f64 = number.trim().parse().ok()?;
    number.is_finite().then_some((number, unit.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ages_temperatures_and_counts_are_read() {
        for (text, hours) in [
            ("0", 0.0),
            ("1y", 8760.0),
            ("3mo", 2190.0),
            ("1.5 d", 36.0),
            ("30min", 0.5),
            ("1e2h", 100.0),
        ] {
            assert_eq!(parse_age_h(text).unwrap(), hours, "{text}");
        }
        for (text, celsius) in [("40C", 40.0), ("-10", -10.0), ("25 °C", 25.0), ("373.15K", 100.0)]
        {
            assert_eq!(parse_temperature_c(text).unwrap(), celsius, "{text}");
        }
        for (text, count) in [("3000", 3000.0), ("3e3", 3000.0), ("2.5K", 2500.0), ("1M", 1e6)] {
            assert_eq!(parse_count(text).unwrap(), count, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_is_refused_with_help() {
        for text in ["", "y", "-1y", "1 fortnight", "12", "nan h", "inf y", "200y", "1e999h"] {
            assert!(parse_age_h(text).unwrap_err().help.contains("3mo"), "{text}");
        }
        for text in ["", "hot", "40F", "200C", "-300C", "1K"] {
            assert!(parse_temperature_c(text).unwrap_err().help.contains("40C"), "{text}");
        }
        for text in ["", "-1", "1.5", "many", "3G", "1e8"] {
            assert!(parse_count(text).unwrap_err().help.contains("3K"), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_them_panic(text in "\\PC{0,12}") {
            let _ = (parse_age_h(&text), parse_temperature_c(&text), parse_count(&text));
        }
    }
}
