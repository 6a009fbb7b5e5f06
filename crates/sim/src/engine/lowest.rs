//! The lowest of many numbers that change one at a time, in steps that grow with the logarithm of how many
//! there are.

/// Numbers by place, and for each pair of them, each pair of pairs and so on, the lower of both.
#[derive(Debug, Clone)]
pub struct Lowest {
    /// Places: a power of two.
    width: usize,
    /// The root is the second; the pair of node n is 2n and 2n + 1, and places are the last nodes.
    nodes: Vec<u64>,
}

impl Lowest {
    /// `count` zeros.
    pub fn new(count: u32) -> Self {
        let width = (count as usize).next_power_of_two();
        let mut lowest = Self { width, nodes: vec![u64::MAX; 2 * width] };
        (0..count).for_each(|place| lowest.set(place, 0));
        lowest
    }

    /// Changes a number.
    // A call: as part of what most drives do for every operation, which ask for it never, it would take their registers.
    #[inline(never)]
    pub fn set(&mut self, place: u32, number: u64) {
        let mut node = self.width + place as usize;
        self.nodes[node] = number;
        while node > 1 {
            let low = self.nodes[node].min(self.nodes[node ^ 1]);
            node /= 2;
            if self.nodes[node] == low {
                return;
            }
            self.nodes[node] = low;
        }
    }

    /// The lowest number of the places from `from` up to, but not including, `until`.
    pub fn lowest(&self, from: u32, until: u32) -> u64 {
        let (mut left, mut right) = (self.width + from as usize, self.width + until as usize);
        let mut lowest = u64::MAX;
        while left < right {
            if left % 2 == 1 {
                lowest = lowest.min(self.nodes[left]);
                left += 1;
            }
            if right % 2 == 1 {
                right -= 1;
                lowest = lowest.min(self.nodes[right]);
            }
            (left, right) = (left / 2, right / 2);
        }
        lowest
    }

    /// The first place from `from` on whose number is not above `limit`.
    pub fn first_from(&self, from: u32, limit: u64) -> Option<u32> {
        if from as usize >= self.width {
            return None;
        }
        let mut node = self.width + from as usize;
        while self.nodes[node] > limit {
            // What comes next: the other one of the pair, or of the first pair above of which this is the left.
            node = (node + 1) >> (node + 1).trailing_zeros();
            if node == 1 {
                return None;
            }
        }
        while node < self.width {
            node *= 2;
            node += usize::from(self.nodes[node] > limit);
        }
        Some((node - self.width) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::Lowest;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_what_a_look_at_all_of_them_finds(
            count in 1u32..70,
            steps in prop::collection::vec((0u32..70, 0u64..20, 0u32..70, 0u32..70), 1..200)
        ) {
            let mut lowest = Lowest::new(count);
            let mut numbers = vec![0; count as usize];
            for (place, number, from, until) in steps {
                let (place, from, until) = (place % count, from % count, until % (count + 1));
                numbers[place as usize] = number;
                lowest.set(place, number);
                let among = numbers.get(from as usize..until as usize).unwrap_or_default();
                prop_assert_eq!(
                    lowest.lowest(from, until),
                    among.iter().copied().min().unwrap_or(u64::MAX)
                );
                let first = (from..count).find(|&place| numbers[place as usize] <= number / 2);
                prop_assert_eq!(lowest.first_from(from, number / 2), first);
            }
        }
    }
}
