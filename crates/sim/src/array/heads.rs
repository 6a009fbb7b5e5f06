//! How a stripe's head is found, and the lists in which heads stand. All of them lead through the heads, which have
//! numbers of their own: nothing is hashed but the stripe, and nothing moves but links.

use crate::ids::{ById, HeadId, Id, StripeId};

/// Lists of heads, each of which is in one of them at most.
#[derive(Debug)]
pub(super) struct Lists<const LISTS: usize> {
    /// The first and the last of each list.
    ends: [Link; LISTS],
    /// The neighbours of each head in its list: the one before it, and the one after it.
    links: ById<HeadId, Link>,
}

type Link = (HeadId, HeadId);

const NONE: Link = (HeadId::NONE, HeadId::NONE);

impl<const LISTS: usize> Lists<LISTS> {
    /// Empty ones, for so many heads.
    pub fn new(heads: u32) -> Self {
        Self { ends: [NONE; LISTS], links: ById::filled(NONE, heads) }
    }

    /// The first head of a list.
    #[inline]
    pub fn first(&self, list: usize) -> Option<HeadId> {
        self.ends[list].0.known()
    }

    /// Adds a head at the end of a list; it is in none.
    #[inline]
    pub fn push(&mut self, list: usize, head: HeadId) {
        let (first, last) = &mut self.ends[list];
        let before = std::mem::replace(last, head);
        match before.known() {
            None => *first = head,
            Some(before) => self.links[before].1 = head,
        }
        self.links[head] = (before, HeadId::NONE);
    }

    /// Takes the first head of a list out of it.
    #[inline]
    pub fn pop(&mut self, list: usize) -> Option<HeadId> {
        let head = self.first(list)?;
        let after = self.links[head].1;
        self.ends[list].0 = after;
        match after.known() {
            None => self.ends[list].1 = HeadId::NONE,
            Some(after) => self.links[after].0 = HeadId::NONE,
        }
        Some(head)
    }

    /// The head behind another in its list.
    #[inline]
    pub fn after(&self, head: HeadId) -> Option<HeadId> {
        self.links[head].1.known()
    }

    /// Moves all heads of the list `from` behind those of another.
    pub fn append(&mut self, list: usize, from: usize) {
        let (first, last) = std::mem::replace(&mut self.ends[from], NONE);
        if first.is_none() {
            return;
        }
        let before = std::mem::replace(&mut self.ends[list].1, last);
        match before.known() {
            None => self.ends[list].0 = first,
            Some(before) => self.links[before].1 = first,
        }
        self.links[first].0 = before;
    }

    /// Takes a head out of its list.
    #[inline]
    pub fn remove(&mut self, list: usize, head: HeadId) {
        let (before, after) = self.links[head];
        match before.known() {
            None => self.ends[list].0 = after,
            Some(before) => self.links[before].1 = after,
        }
        match after.known() {
            None => self.ends[list].1 = before,
            Some(after) => self.links[after].0 = before,
        }
    }
}

/// The heads by their stripes: a list for every place that a hash may have, as Linux md has it (`stripe_hashtbl`).
#[derive(Debug)]
pub(super) struct ByStripe {
    first: Vec<HeadId>,
    /// Of a hash of 64 bits, those that are not the place.
    shift: u32,
    /// The stripe of each head, and the next head in its list.
    heads: ById<HeadId, (StripeId, HeadId)>,
}

impl ByStripe {
    /// So many heads without stripes.
    pub fn new(heads: u32) -> Self {
        let places = (2 * heads as usize).max(2).next_power_of_two();
        Self {
            first: vec![HeadId::NONE; places],
            shift: u64::BITS - places.trailing_zeros(),
            heads: ById::filled((StripeId::NONE, HeadId::NONE), heads),
        }
    }

    #[inline]
    fn place(&self, stripe: StripeId) -> usize {
        // Fibonacci hashing: 2^64 divided by the golden ratio.
        let hash = u64::from(stripe.number()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (hash >> self.shift) as usize
    }

    /// The head of a stripe.
    #[inline]
    pub fn find(&self, stripe: StripeId) -> Option<HeadId> {
        let mut head = self.first[self.place(stripe)];
        while head.is_some() {
            let (of, next) = self.heads[head];
            if of == stripe {
                return Some(head);
            }
            head = next;
        }
        None
    }

    /// A head is from now on that of a stripe that has none.
    pub fn assign(&mut self, head: HeadId, stripe: StripeId) {
        self.forget(head);
        let place = self.place(stripe);
        self.heads[head] = (stripe, self.first[place]);
        self.first[place] = head;
    }

    fn forget(&mut self, head: HeadId) {
        let (stripe, next) = self.heads[head];
        if stripe.is_none() {
            return;
        }
        let place = self.place(stripe);
        if self.first[place] == head {
            self.first[place] = next;
            return;
        }
        let mut before = self.first[place];
        while self.heads[before].1 != head {
            before = self.heads[before].1;
        }
        self.heads[before].1 = next;
    }
}

#[cfg(test)]
mod tests {
    use super::{ByStripe, Lists};
    use crate::ids::{HeadId, StripeId};
    use proptest::prelude::*;
    use std::collections::{BTreeMap, VecDeque};

    const HEADS: u32 = 4;

    proptest! {
        #[test]
        fn heads_stand_in_the_order_in_which_they_came(
            steps in prop::collection::vec((0..HEADS, 0usize..4), 0..80)
        ) {
            let mut lists = Lists::<2>::new(HEADS);
            let mut expected = [VecDeque::new(), VecDeque::new()];
            for (head, list) in steps.into_iter().map(|(head, list)| (HeadId(head), list)) {
                if list == 3 {
                    let [into, from] = &mut expected;
                    lists.append(0, 1);
                    into.append(from);
                }
                for (other, expected) in expected.iter_mut().enumerate() {
                    if let Some(at) = expected.iter().position(|&it| it == head) {
                        lists.remove(other, head);
                        expected.remove(at);
                    }
                }
                if list < 2 {
                    lists.push(list, head);
                    expected[list].push_back(head);
                }
                for (other, expected) in expected.iter().enumerate() {
                    prop_assert_eq!(lists.first(other), expected.front().copied());
                }
            }
            for (list, expected) in expected.into_iter().enumerate() {
                for head in expected {
                    prop_assert_eq!(lists.pop(list), Some(head));
                }
                prop_assert_eq!(lists.pop(list), None);
            }
        }

        /// With eight places for forty stripes some share a list.
        #[test]
        fn heads_are_found_by_their_stripes(steps in prop::collection::vec((0..HEADS, 0u32..40), 0..60)) {
            let mut by_stripe = ByStripe::new(HEADS);
            let mut stripes = BTreeMap::new();
            for (head, stripe) in steps {
                if stripes.values().all(|&other| other != stripe) {
                    by_stripe.assign(HeadId(head), StripeId(stripe));
                    stripes.insert(head, stripe);
                }
                for stripe in 0..40 {
                    let expected = stripes.iter().find(|&(_, &other)| other == stripe);
                    let expected = expected.map(|(&head, _)| HeadId(head));
                    prop_assert_eq!(by_stripe.find(StripeId(stripe)), expected);
                }
            }
        }
    }
}
