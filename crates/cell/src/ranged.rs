//! Parts of a chip, each field declared with the range that its value must lie in.

use crate::Error;
use std::ops::RangeInclusive;

/// Declares a struct of a chip's file. A field is written `name: type => range`, the range standing
/// for each number of a list; a field without numbers has none. It makes `check_ranges`, so that no
/// field can be read from a file and escape its range.
macro_rules! ranged {
    (
        $(#[$about:meta])*
        pub struct $name:ident {
            $($(#[$about_field:meta])* pub $field:ident: $type:ty $(=> $range:expr)?,)*
        }
    ) => {
        $(#[$about])*
        #[derive(serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $($(#[$about_field])* $(#[doc = concat!("\n\nRange: `", stringify!($range), "`.")])?
            pub $field: $type,)*
        }

        impl $name {
            /// Fields with their least and greatest values.
            #[cfg(test)]
            pub(crate) const RANGES: &'static [(&'static str, f64, f64)] =
                &[$($((stringify!($field), *$range.start(), *$range.end()),)?)*];

            /// Refuses a value beyond its range; `table` is the name of this part in the file.
            pub(crate) fn check_ranges(&self, table: &str) -> Result<(), $crate::Error> {
                $($($crate::ranged::check(
                    table, stringify!($field), &self.$field, $range
                )?;)?)*
                Ok(())
            }
        }
    };
}

pub(crate) use ranged;

/// The numbers of a field.
pub(crate) trait Numbers {
    /// All of them.
    fn numbers(&self) -> impl Iterator<Item = f64>;
}

impl Numbers for f64 {
    fn numbers(&self) -> impl Iterator<Item = f64> {
        std::iter::once(*self)
    }
}

impl Numbers for u32 {
    fn numbers(&self) -> impl Iterator<Item = f64> {
        std::iter::once(f64::from(*self))
    }
}

impl Numbers for [f64; 3] {
    fn numbers(&self) -> impl Iterator<Item = f64> {
        self.iter().copied()
    }
}

impl Numbers for Vec<f64> {
    fn numbers(&self) -> impl Iterator<Item = f64> {
        self.iter().copied()
    }
}

/// Refuses a field of `table` of which a number lies beyond `range`, or is none.
///
/// # Errors
/// Names the key, the value and the range.
pub(crate) fn check(
    table: &str,
    field: &str,
    value: &impl Numbers,
    range: RangeInclusive<f64>,
) -> Result<(), Error> {
    let Some(wrong) = value.numbers().find(|number| !range.contains(number)) else {
        return Ok(());
    };
    let dot = if table.is_empty() { "" } else { "." };
    let help = format!("give {} to {}", range.start(), range.end());
    Err(Error::new(format!("{table}{dot}{field} is {wrong}"), help))
}
