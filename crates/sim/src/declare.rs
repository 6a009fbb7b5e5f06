//! One declaration per parameter: the structure, its defaults, the checks on load, the help, the
//! schema and the reference all come from it.

use serde::{Deserialize, Serialize};

/// What a parameter may hold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// A whole number in this closed range.
    Int(u64, u64),
    /// A number in this closed range.
    Float(f64, f64),
    /// A number, or a list with one number per page type, each in this closed range.
    Floats(f64, f64),
    /// A list of whole numbers, each in this closed range; it may be empty.
    Ints(u64, u64),
    /// One of these names.
    OneOf(&'static [&'static str]),
    /// One of these names, or a number in this closed range.
    OneOfOr(&'static [&'static str], f64, f64),
    /// The name of a policy of this slot.
    Policy(Slot),
    /// Any text.
    Text,
    /// A list of any texts; it may be empty.
    Texts,
}

/// A slot that one of several policies fills; which they are is known where they are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Slot {
    /// Which block garbage collection reclaims.
    Victims,
    /// Which writes belong together.
    Hotness,
    /// The order in which writes visit the planes.
    Allocation,
    /// Wear levelling.
    Wear,
    /// Where the map lives.
    MapCache,
    /// How blocks are erased.
    Erases,
}

/// A parameter's declaration.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Param {
    /// Its key within the table.
    pub key: &'static str,
    /// What it may hold.
    pub kind: Kind,
    /// Its unit; empty for a pure number.
    pub unit: &'static str,
    /// What it does, in a sentence.
    pub help: &'static str,
    /// Where the default or the definition comes from; empty for our own.
    pub source: &'static str,
}

/// A table of parameters that knows its own declaration.
pub trait Table: Default + Serialize {
    /// The declarations, in the order in which they are shown.
    const PARAMS: &'static [Param];
}

/// What a configuration must know of a policy besides its name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PolicyDecl {
    /// What it does, in a sentence.
    pub summary: &'static str,
    /// Keys of its slot's table that not every policy of the slot reads, but it does.
    pub keys: &'static [&'static str],
}

/// A technique's or an erase scheme's name, parameters and their defaults: what the loader must know
/// to read its table.
#[derive(Debug, Clone, Copy)]
pub struct TechniqueDecl {
    /// The name in `[technique.NAME]` or `[erase.NAME]`.
    pub name: &'static str,
    /// The parameters.
    pub params: &'static [Param],
    /// Every parameter at its default.
    pub defaults: fn() -> toml::Table,
}

/// A number, or one number per page type (lowest page first).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PerPage {
    /// One number for every page type.
    One(f64),
    /// One value per page type.
    Many(Vec<f64>),
}

impl PerPage {
    /// The values for `bits` page types; `None` where the list has another length.
    pub fn expand(&self, bits: usize) -> Option<Vec<f64>> {
        match self {
            Self::One(value) => Some(vec![*value; bits]),
            Self::Many(values) => (values.len() == bits).then(|| values.clone()),
        }
    }
}

/// Declares the names that a key may hold as a type: `Variant = "name"`. A configuration holds the
/// variant; texts are written and read by its name.
macro_rules! choice {
    ($(#[$meta:meta])* pub enum $name:ident { $($variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $( #[doc = concat!("`", $text, "`.")] #[serde(rename = $text)] $variant, )+
        }
        impl $name {
            /// Every choice, in the order in which they are shown.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
            /// Their names in a configuration.
            pub const NAMES: &'static [&'static str] = &{
                let mut names = [""; Self::ALL.len()];
                let mut at = 0;
                while at < names.len() {
                    names[at] = Self::ALL[at].name();
                    at += 1;
                }
                names
            };

            /// Its name in a configuration.
            pub const fn name(self) -> &'static str {
                match self { $( Self::$variant => $text, )+ }
            }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
pub(crate) use choice;

/// Declares a table of parameters: `key: Type = default, kind, "unit", "help" [, "source"];`
macro_rules! params {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $( $key:ident : $ty:ty = $default:expr, $kind:expr, $unit:literal, $help:literal
               $(, $source:literal)? ; )*
            $( @table $sub:ident : $subty:ty, $subhelp:literal; )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        // A help text names tables of a configuration in brackets, which are no links.
        #[allow(rustdoc::broken_intra_doc_links)]
        pub struct $name {
            $( #[doc = $help] pub $key: $ty, )*
            $( #[doc = $subhelp] pub $sub: $subty, )*
        }
        impl Default for $name {
            fn default() -> Self {
                Self { $( $key: $default, )* $( $sub: Default::default(), )* }
            }
        }
        impl $crate::declare::Table for $name {
            const PARAMS: &'static [$crate::declare::Param] = &[
                $( $crate::declare::Param {
                    key: stringify!($key),
                    kind: $kind,
                    unit: $unit,
                    help: $help,
                    source: concat!($($source)?),
                }, )*
            ];
        }
    };
}
pub(crate) use params;
