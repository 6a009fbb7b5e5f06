//! Keys by spans of time, in order within each: the first is at hand, and one that is added has few to pass.

use super::NONE;

/// Spans, and the words that hold a bit of each.
const SPANS: usize = 512;
const WORDS: usize = SPANS / u64::BITS as usize;

/// Keys after one another: each is a time, and whatever goes with it.
#[derive(Debug)]
pub(super) struct Spans<P> {
    links: Vec<Link<P>>,
    /// The first of the links that are not in use.
    spare: u32,
    /// The first and the last link of each span; the last says nothing where there is no first.
    ends: [(u32, u32); SPANS],
    /// A bit for each span that has keys.
    filled: [u64; WORDS],
    /// The first of these.
    first: usize,
    /// When the first span begins: keys of earlier times stand in it, too.
    from_ns: u64,
    /// The logarithm of a span's length to base 2.
    shift: u32,
    /// Keys that others had to pass in their spans since these began.
    passed: usize,
}

#[derive(Debug, Clone, Copy)]
struct Link<P> {
    key: (u64, P),
    next: u32,
}

impl<P> Default for Spans<P> {
    fn default() -> Self {
        Self {
            links: Vec::new(),
            spare: NONE,
            ends: [(NONE, NONE); SPANS],
            filled: [0; WORDS],
            first: SPANS,
            from_ns: 0,
            shift: 0,
            passed: 0,
        }
    }
}

impl<P: Copy + Ord> Spans<P> {
    /// The first span of none with keys begins at `from_ns`; returns the time at which the last ends.
    pub fn begin(&mut self, from_ns: u64) -> u64 {
        debug_assert_eq!(self.filled, [0; WORDS]);
        (self.first, self.from_ns, self.passed) = (SPANS, from_ns, 0);
        from_ns.saturating_add((SPANS as u64) << self.shift)
    }

    /// Makes spans without keys twice as long, so many times; half as long where that is below zero.
    pub fn lengthen(&mut self, times: i32) {
        let longest = u64::BITS - 1 - SPANS.trailing_zeros();
        self.shift = self.shift.saturating_add_signed(times).min(longest);
    }

    /// Keys that others had to pass in their spans since these began.
    pub fn passed(&self) -> usize {
        self.passed
    }

    /// Adds a key of a time before the end of the last span. `is_after` says of a key that is there already that the
    /// new one comes after it. False where it had to be sorted in among others of its span.
    #[inline(always)]
    pub fn put(&mut self, key: (u64, P), is_after: impl Fn(&(u64, P)) -> bool) -> bool {
        let span = (key.0.saturating_sub(self.from_ns) >> self.shift) as usize % SPANS;
        let new = self.new_link(key);
        let (first, last) = &mut self.ends[span];
        if *first == NONE {
            (*first, *last) = (new, new);
            self.filled[span / 64] |= 1 << (span % 64);
            self.first = self.first.min(span);
            return true;
        }
        let before = &mut self.links[*last as usize];
        let is_last = is_after(&before.key);
        match is_last {
            true => (before.next, *last) = (new, new),
            false => self.sort_in(span, new),
        }
        is_last
    }

    #[inline(always)]
    fn new_link(&mut self, key: (u64, P)) -> u32 {
        let link = Link { key, next: NONE };
        let new = self.spare;
        match self.links.get_mut(new as usize) {
            Some(spare) => {
                self.spare = spare.next;
                *spare = link;
                new
            }
            None => {
                self.links.push(link);
                self.links.len() as u32 - 1
            }
        }
    }

    /// Sorts a key into a span whose last one comes after it.
    #[inline(never)]
    fn sort_in(&mut self, span: usize, new: u32) {
        let key = self.links[new as usize].key;
        let (mut before, mut after) = (NONE, self.ends[span].0);
        while self.links[after as usize].key <= key {
            (before, after) = (after, self.links[after as usize].next);
            self.passed += 1;
        }
        self.passed += 1;
        self.links[new as usize].next = after;
        match before {
            NONE => self.ends[span].0 = new,
            _ => self.links[before as usize].next = new,
        }
    }

    /// Takes the first key, and says the time of the next one, if there is one. There is a key.
    #[inline(always)]
    pub fn take(&mut self) -> ((u64, P), Option<u64>) {
        let span = self.first % SPANS;
        let at = self.ends[span].0;
        let link = &mut self.links[at as usize];
        let (key, next) = (link.key, link.next);
        link.next = self.spare;
        self.spare = at;
        self.ends[span].0 = next;
        if next != NONE {
            return (key, Some(self.links[next as usize].key.0));
        }
        self.filled[span / 64] &= !(1 << (span % 64));
        (key, self.find_first(span / 64))
    }

    /// Finds the first span with keys, of those from a word on; returns the time of the first.
    #[inline(always)]
    fn find_first(&mut self, word: usize) -> Option<u64> {
        let mut words = self.filled.iter().enumerate().skip(word);
        let (word, bits) = words.find(|&(_, &bits)| bits != 0)?;
        self.first = 64 * word + bits.trailing_zeros() as usize;
        Some(self.links[self.ends[self.first % SPANS].0 as usize].key.0)
    }
}
