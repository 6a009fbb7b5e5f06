//! Numbers as people write them: `7%`, `10k`, `4KiB`, `2ms`, read in the unit of a key.

use std::fmt::Display;

/// A unit: what it is called, what it measures, and how many of the dimension's smallest it is.
struct Unit {
    name: &'static str,
    dimension: Dimension,
    size: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dimension {
    Time,
    Bytes,
    Rate,
    Energy,
    Share,
    Count,
}

const fn unit(name: &'static str, dimension: Dimension, size: f64) -> Unit {
    Unit { name, dimension, size }
}

/// Every unit that may stand behind a number. Sizes are whole numbers: multiplied by one and divided
/// by another, what is exact in decimals stays so.
const UNITS: &[Unit] = &[
    unit("ns", Dimension::Time, 1.0),
    unit("us", Dimension::Time, 1e3),
    unit("µs", Dimension::Time, 1e3),
    unit("ms", Dimension::Time, 1e6),
    unit("s", Dimension::Time, 1e9),
    unit("min", Dimension::Time, 60e9),
    unit("h", Dimension::Time, 3600e9),
    unit("d", Dimension::Time, 86_400e9),
    unit("B", Dimension::Bytes, 1.0),
    unit("kB", Dimension::Bytes, 1e3),
    unit("KiB", Dimension::Bytes, 1024.0),
    unit("MB", Dimension::Bytes, 1e6),
    unit("MiB", Dimension::Bytes, 1_048_576.0),
    unit("GB", Dimension::Bytes, 1e9),
    unit("GiB", Dimension::Bytes, 1_073_741_824.0),
    unit("TB", Dimension::Bytes, 1e12),
    unit("TiB", Dimension::Bytes, 1_099_511_627_776.0),
    unit("kB/s", Dimension::Rate, 1e3),
    unit("KiB/s", Dimension::Rate, 1024.0),
    unit("MB/s", Dimension::Rate, 1e6),
    unit("MiB/s", Dimension::Rate, 1_048_576.0),
    unit("GB/s", Dimension::Rate, 1e9),
    unit("GiB/s", Dimension::Rate, 1_073_741_824.0),
    unit("nJ", Dimension::Energy, 1.0),
    unit("uJ", Dimension::Energy, 1e3),
    unit("µJ", Dimension::Energy, 1e3),
    unit("mJ", Dimension::Energy, 1e6),
    unit("J", Dimension::Energy, 1e9),
    unit("%", Dimension::Share, 1.0),
    unit("share", Dimension::Share, 100.0),
    unit("", Dimension::Count, 1.0),
    unit("k", Dimension::Count, 1e3),
    unit("M", Dimension::Count, 1e6),
    unit("G", Dimension::Count, 1e9),
];

/// The unit of that name; what is counted, such as blocks or requests, counts as a pure number.
fn find(name: &str) -> Option<&'static Unit> {
    UNITS.iter().find(|unit| unit.name == name)
}

fn own(unit: &str) -> &'static Unit {
    let counted = || find("").expect("a pure number is among the units");
    find(unit).unwrap_or_else(counted)
}

/// The number that `text` gives in `unit`, which is that of a number without one; `None` where it is
/// no number, or its unit measures something else.
///
/// ```
/// # use wordline_trace::quantity;
/// assert_eq!(quantity::parse("2ms", "us"), Some(2000.0));
/// assert_eq!(quantity::parse("7%", "share"), Some(0.07));
/// assert_eq!(quantity::parse("1_000", "KiB"), Some(1000.0));
/// assert_eq!(quantity::parse("2ms", "KiB"), None);
/// ```
pub fn parse(text: &str, unit: &str) -> Option<f64> {
    let (number, suffix) = split(text.trim())?;
    let wanted = own(unit);
    if suffix.is_empty() || suffix == unit {
        return Some(number);
    }
    let given = find(suffix).filter(|given| given.dimension == wanted.dimension)?;
    Some(number * given.size / wanted.size).filter(|value| value.is_finite())
}

/// The number that `text` begins with, and the unit behind it.
fn split(text: &str) -> Option<(f64, &str)> {
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | '_' | 'e' | 'E');
    let end = text.find(|c| !is_number(c)).unwrap_or(text.len());
    let (number, suffix) = text.split_at(end);
    let value: f64 = number.replace('_', "").parse().ok()?;
    value.is_finite().then_some((value, suffix.trim_start()))
}

/// The range of a number in words, such as `a number from 0 to 10 µs`.
pub fn range(what: &str, low: &dyn Display, high: &dyn Display, unit: &str) -> String {
    // The declaration is what machines read; a message is for people.
    let shown = match unit {
        "us" => "µs",
        "share" => "(1 is 100%)",
        _ => unit,
    };
    let space = if unit.is_empty() { "" } else { " " };
    format!("{what} from {low} to {high}{space}{shown}")
}

/// The units in which a key of that unit may be given, for messages.
pub fn units(unit: &str) -> String {
    let dimension = own(unit).dimension;
    let names: Vec<&str> = UNITS
        .iter()
        .filter(|other| other.dimension == dimension && other.name.is_ascii())
        .map(|other| other.name)
        .filter(|name| !matches!(*name, "" | "share"))
        .collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_convert_exactly() {
        for (text, unit, value) in [
            ("2ms", "us", 2000.0),
            ("3.5 ms", "us", 3500.0),
            ("0.1ms", "us", 100.0),
            ("53us", "ms", 0.053),
            ("53µs", "us", 53.0),
            ("1h", "min", 60.0),
            ("1d", "s", 86_400.0),
            ("4KiB", "KiB", 4.0),
            ("1GiB", "MiB", 1024.0),
            ("512B", "KiB", 0.5),
            ("4096kB", "KiB", 4000.0),
            ("3.2GB/s", "MB/s", 3200.0),
            ("1mJ", "uJ", 1000.0),
            ("7%", "share", 0.07),
            ("28 %", "share", 0.28),
            ("0.28", "share", 0.28),
            ("10k", "", 10_000.0),
            ("1.5M", "requests", 1_500_000.0),
            ("3requests", "requests", 3.0),
            ("25°C", "°C", 25.0),
            ("1_000", "us", 1000.0),
            ("1e6", "", 1e6),
            ("2e3ms", "us", 2e6),
            ("-3", "", -3.0),
        ] {
            assert_eq!(parse(text, unit), Some(value), "{text} in {unit}");
        }
    }

    #[test]
    fn other_dimensions_and_other_texts_are_no_quantities() {
        for (text, unit) in [
            ("2ms", "KiB"),
            ("4KiB", "us"),
            ("4KiB", "MB/s"),
            ("4k", "KiB"),
            ("7%", ""),
            ("7%", "us"),
            ("10k", "share"),
            ("2 ms each", "us"),
            ("2MS", "us"),
            ("ms", "us"),
            ("", "us"),
            ("inf", ""),
            ("nan", "us"),
            ("1e999", ""),
            ("1e308GB", "B"),
            ("0x10", ""),
            ("1,5", "us"),
            ("--2", ""),
        ] {
            assert_eq!(parse(text, unit), None, "{text} in {unit}");
        }
    }

    #[test]
    fn messages_name_the_units_of_the_dimension() {
        assert_eq!(units("us"), "ns, us, ms, s, min, h, d");
        assert_eq!(units("share"), "%");
        assert_eq!(units("requests"), "k, M, G");
    }
}
