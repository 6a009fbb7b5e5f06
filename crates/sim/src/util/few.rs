//! Several of something, most of the time one.

use std::ops::Deref;

/// One thing, which takes no memory besides, or several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Few<T> {
    /// One.
    One(T),
    /// As many as there are.
    Many(Vec<T>),
}

impl<T: Copy> Few<T> {
    /// Adds one more.
    pub fn push(&mut self, item: T) {
        match self {
            Self::One(first) => *self = Self::Many(vec![*first, item]),
            Self::Many(items) => items.push(item),
        }
    }
}

impl<T> Deref for Few<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Self::One(item) => std::slice::from_ref(item),
            Self::Many(items) => items,
        }
    }
}

impl<T> FromIterator<T> for Few<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut items = items.into_iter();
        let Some(first) = items.next() else { return Self::Many(Vec::new()) };
        match items.next() {
            None => Self::One(first),
            Some(second) => Self::Many([first, second].into_iter().chain(items).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Few;

    #[test]
    fn one_and_several_are_seen_alike() {
        for count in 0..4 {
            let few: Few<u32> = (0..count).collect();
            assert_eq!(*few, (0..count).collect::<Vec<_>>());
            assert_eq!(matches!(few, Few::One(_)), count == 1);
        }
        let mut few = Few::One(7);
        few.push(8);
        few.push(9);
        assert_eq!(*few, [7, 8, 9]);
    }
}
