//! Streams that a trace calls by name, numbered in the order of first appearance.

use crate::VOLUMES;
use std::collections::HashMap;

/// Names and their numbers.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    /// Only ever looked up, never walked through: its order reaches no result.
    numbers: HashMap<Box<[u8]>, u32>,
    names: Vec<String>,
    last: Option<(Box<[u8]>, u32)>,
}

impl Names {
    /// The number of `name`, a new one if need be; `None` beyond [`VOLUMES`] names.
    #[inline]
    pub fn number(&mut self, name: &[u8]) -> Option<u32> {
        match &self.last {
            Some((last, number)) if **last == *name => Some(*number),
            _ => self.look_up(name),
        }
    }

    fn look_up(&mut self, name: &[u8]) -> Option<u32> {
        let number = match self.numbers.get(name) {
            Some(&number) => number,
            None => {
                let number = Some(self.names.len()).filter(|&number| number < VOLUMES)? as u32;
                self.numbers.insert(name.into(), number);
                self.names.push(String::from_utf8_lossy(name).into_owned());
                number
            }
        };
        self.last = Some((name.into(), number));
        Some(number)
    }

    /// Whether `name` has a number.
    pub fn contains(&self, name: &[u8]) -> bool {
        self.numbers.contains_key(name)
    }

    /// The names, by number.
    pub fn list(&self) -> &[String] {
        &self.names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_numbered_as_they_appear() {
        let mut names = Names::default();
        let numbers: Vec<_> =
            [&b"sda"[..], b"sdb", b"sdb", b"sda"].map(|name| names.number(name)).to_vec();
        assert_eq!(numbers, [Some(0), Some(1), Some(1), Some(0)]);
        assert_eq!(names.list(), ["sda", "sdb"]);
        for i in 2..VOLUMES as u32 {
            assert!(names.number(&i.to_le_bytes()).is_some());
        }
        assert_eq!(names.number(b"one more"), None);
    }
}
