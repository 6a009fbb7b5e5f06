//! The blocks that wait for their second stages: of each die one list for each mode, by deadline.
//!
//! Everything is indexed by block, so that a block that is erased leaves its list at once. Blocks that are
//! filled side by side, one in each plane, are one entry; it stands under the first of them that is left.

use super::mode::{MODES, WriteMode};
use crate::drive::Lane;
use crate::ids::{BlockId, ById, DieId};
use std::ops::Range;

/// What is known of a block that waits.
#[derive(Debug, Clone, Copy)]
struct Node {
    /// Its neighbours in the list, where an entry stands under it.
    before: BlockId,
    after: BlockId,
    /// The next block of its entry, in a ring.
    mate: BlockId,
    /// Word lines that were secured or needed it no longer.
    done: u32,
    /// When the first of the others was written, at the earliest, and until when it holds.
    since_ns: u64,
    until_ns: u64,
    /// How it was written; `None`: it does not wait.
    mode: Option<WriteMode>,
    /// Whether its data is moved; `None` until that is decided.
    moves: Option<bool>,
    /// Whether data of its next word line was moved.
    was_moved: bool,
}

const NOT_WAITING: Node = Node {
    before: BlockId::NONE,
    after: BlockId::NONE,
    mate: BlockId::NONE,
    done: 0,
    since_ns: 0,
    until_ns: 0,
    mode: None,
    moves: None,
    was_moved: false,
};

#[derive(Debug, Clone, Copy)]
struct Ends {
    first: BlockId,
    last: BlockId,
}

/// An entry: the block under which it stands, how it was written, since when it waits, and when its first
/// stages hold no longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub block: BlockId,
    pub mode: WriteMode,
    pub since_ns: u64,
    pub until_ns: u64,
    pub done: u32,
}

/// The lists.
#[derive(Debug, Clone)]
pub(super) struct Lists {
    nodes: ById<BlockId, Node>,
    /// By die and mode.
    ends: ById<DieId, [Ends; MODES]>,
    /// By die the entry that is due first; of equals, that of the faster mode.
    due: ById<DieId, BlockId>,
    /// Blocks that wait, by mode.
    blocks: [u64; MODES],
    longest: u64,
}

impl Lists {
    /// What is kept of a block that waits. The published 192 KB at 128 GB allow 14.
    pub const NODE_BYTES: u64 = size_of::<Node>() as u64;

    pub fn new(blocks: u32, dies: u32) -> Self {
        let ends = [Ends { first: BlockId::NONE, last: BlockId::NONE }; MODES];
        Self {
            nodes: ById::filled(NOT_WAITING, blocks),
            ends: ById::filled(ends, dies),
            due: ById::filled(BlockId::NONE, dies),
            blocks: [0; MODES],
            longest: 0,
        }
    }

    /// Blocks that wait in a mode's lists.
    pub fn blocks_in(&self, mode: WriteMode) -> u64 {
        self.blocks[mode as usize]
    }

    /// Blocks that wait.
    pub fn blocks(&self) -> u64 {
        self.blocks.iter().sum()
    }

    /// The most that waited at a time.
    pub fn longest(&self) -> u64 {
        self.longest
    }

    /// What the lists take here, where every block has its place in them.
    pub fn bytes(&self) -> usize {
        self.nodes.bytes() + self.ends.bytes() + self.due.bytes()
    }

    /// True while a block waits.
    pub fn waits(&self, block: BlockId) -> bool {
        self.nodes[block].mode.is_some()
    }

    /// Word lines of a waiting block that need nothing more.
    pub fn done(&self, block: BlockId) -> u32 {
        self.nodes[block].done
    }

    /// Blocks have just been opened side by side; their first stages hold for this time.
    pub fn open(&mut self, die: DieId, lanes: &[Lane], mode: WriteMode, held_ns: Range<u64>) {
        let (since_ns, until_ns) = (held_ns.start, held_ns.end);
        for (lane, at) in lanes.iter().zip(1..) {
            let mate = lanes[at % lanes.len()].block;
            debug_assert!(!self.waits(lane.block), "block {} waits already", lane.block);
            self.nodes[lane.block] =
                Node { mate, since_ns, until_ns, mode: Some(mode), ..NOT_WAITING };
        }
        self.blocks[mode as usize] += lanes.len() as u64;
        self.longest = self.longest.max(self.blocks());
        self.insert(die, lanes[0].block, mode);
    }

    /// The blocks of an entry, from any of them on.
    pub fn members(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        let next = move |&at: &BlockId| Some(self.nodes[at].mate).filter(|&mate| mate != block);
        std::iter::successors(Some(block), next)
    }

    fn entry(&self, block: BlockId, mode: WriteMode) -> Option<Entry> {
        let node = self.nodes.get(block)?;
        let Node { since_ns, until_ns, done, .. } = *node;
        Some(Entry { block, mode, since_ns, until_ns, done })
    }

    /// What is known of a block that waits, alone or as one of an entry.
    pub fn entry_of(&self, block: BlockId) -> Option<Entry> {
        self.entry(block, self.nodes[block].mode?)
    }

    /// The entry of a die that is due first; of equals, that of the faster mode.
    #[inline]
    pub fn first_due(&self, die: DieId) -> Option<Entry> {
        let block = self.due[die];
        self.entry(block, self.nodes.get(block)?.mode?)
    }

    /// Another entry is the first of a list, or is due at another time: looks for the one that is due first.
    fn find_due(&mut self, die: DieId) {
        let firsts = self.ends[die].iter().map(|ends| ends.first);
        let until_ns = |block| Some((self.nodes.get(block)?.until_ns, block));
        // The first of equals.
        let due = firsts.filter_map(until_ns).min_by_key(|&(until_ns, _)| until_ns);
        self.due[die] = due.map_or(BlockId::NONE, |(_, block)| block);
    }

    /// The entries of a die and mode, the one that is due first ahead.
    pub fn of_mode(&self, die: DieId, mode: WriteMode) -> impl Iterator<Item = Entry> + '_ {
        let first = self.entry(self.ends[die][mode as usize].first, mode);
        std::iter::successors(first, move |entry| self.entry(self.nodes[entry.block].after, mode))
    }

    /// The entries of a die, mode by mode.
    pub fn of_die(&self, die: DieId) -> impl Iterator<Item = Entry> + '_ {
        WriteMode::ALL.into_iter().flat_map(move |mode| self.of_mode(die, mode))
    }

    /// The next word line of a block needs nothing more: the next block of its entry, and whether data of the word
    /// line was moved.
    pub fn finish_line(&mut self, block: BlockId) -> (BlockId, bool) {
        let node = &mut self.nodes[block];
        node.done += 1;
        (node.mate, std::mem::take(&mut node.was_moved))
    }

    /// All that waits is older by so much than the time that has passed.
    pub fn age(&mut self, by_ns: i64) {
        for node in self.nodes.iter_mut().filter(|node| node.mode.is_some()) {
            node.until_ns = node.until_ns.saturating_add_signed(by_ns.saturating_neg());
        }
        self.due.ids().into_iter().for_each(|die| self.find_due(die));
    }

    /// Data of a block's next word line is moved.
    pub fn note_move(&mut self, block: BlockId) {
        self.nodes[block].was_moved = true;
    }

    /// Whether data of a block's next word line was moved.
    pub fn was_moved(&self, block: BlockId) -> bool {
        self.nodes[block].was_moved
    }

    /// Decides whether the data of an entry is moved.
    pub fn decide(&mut self, block: BlockId, moves: bool) {
        self.nodes[block].moves = Some(moves);
    }

    /// Whether the data of an entry is moved, where that is decided.
    pub fn decided(&self, block: BlockId) -> Option<bool> {
        self.nodes[block].moves
    }

    /// What was programmed of an entry needs nothing more, but it is not full: the rest holds for this time.
    pub fn wait_again(&mut self, die: DieId, entry: Entry, held_ns: Range<u64>) {
        self.unlink(die, entry.block, entry.mode);
        let members: Vec<BlockId> = self.members(entry.block).collect();
        for block in members {
            let node = &mut self.nodes[block];
            (node.since_ns, node.until_ns, node.moves) = (held_ns.start, held_ns.end, None);
        }
        self.insert(die, entry.block, entry.mode);
    }

    /// An entry needs nothing more.
    pub fn remove(&mut self, die: DieId, entry: Entry) {
        self.unlink(die, entry.block, entry.mode);
        let members: Vec<BlockId> = self.members(entry.block).collect();
        self.blocks[entry.mode as usize] -= members.len() as u64;
        for block in members {
            self.nodes[block] = NOT_WAITING;
        }
    }

    /// A block is erased: its entry goes on without it.
    pub fn erase(&mut self, die: DieId, block: BlockId) {
        let node = self.nodes[block];
        let Some(mode) = node.mode else { return };
        self.blocks[mode as usize] -= 1;
        let leads = node.before.is_some()
            || node.after.is_some()
            || self.ends[die][mode as usize].first == block;
        if node.mate == block {
            self.unlink(die, block, mode);
        } else {
            let last = self.members(block).last().unwrap_or(block);
            self.nodes[last].mate = node.mate;
            if leads {
                self.nodes[node.mate].before = node.before;
                self.nodes[node.mate].after = node.after;
                self.join(die, mode, node.before, node.mate);
                self.join(die, mode, node.mate, node.after);
            }
        }
        self.nodes[block] = NOT_WAITING;
    }

    /// Puts an entry in its place: mostly the last, for blocks are opened in the order of time.
    fn insert(&mut self, die: DieId, block: BlockId, mode: WriteMode) {
        let until_ns = self.nodes[block].until_ns;
        let (mut before, mut after) = (self.ends[die][mode as usize].last, BlockId::NONE);
        while let Some(node) = self.nodes.get(before).filter(|node| node.until_ns > until_ns) {
            (before, after) = (node.before, before);
        }
        self.join(die, mode, before, block);
        self.join(die, mode, block, after);
    }

    fn unlink(&mut self, die: DieId, block: BlockId, mode: WriteMode) {
        let Node { before, after, .. } = self.nodes[block];
        self.join(die, mode, before, after);
        let node = &mut self.nodes[block];
        (node.before, node.after) = (BlockId::NONE, BlockId::NONE);
    }

    /// Makes two blocks neighbours; `NONE` is the list's end.
    fn join(&mut self, die: DieId, mode: WriteMode, before: BlockId, after: BlockId) {
        let ends = &mut self.ends[die][mode as usize];
        match self.nodes.get_mut(before) {
            Some(node) => node.after = after,
            None => ends.first = after,
        }
        match self.nodes.get_mut(after) {
            Some(node) => node.before = before,
            None => ends.last = before,
        }
        if before.is_none() {
            self.find_due(die);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Unit;

    fn lanes(blocks: &[u32]) -> Vec<Lane> {
        blocks
            .iter()
            .map(|&block| Lane { block: BlockId(block), first_unit: Unit(0), offset: 0 })
            .collect()
    }

    /// A hundred nanoseconds.
    fn held(since_ns: u64) -> Range<u64> {
        since_ns..since_ns + 100
    }

    fn listed(lists: &Lists, mode: WriteMode) -> Vec<u32> {
        lists.of_mode(DieId(0), mode).map(|entry| entry.block.0).collect()
    }

    #[test]
    fn blocks_leave_from_the_front_the_middle_and_the_end() {
        for (gone, left) in [(0, [1, 2]), (1, [0, 2]), (2, [0, 1])] {
            let mut lists = Lists::new(4, 1);
            (0..3).for_each(|block| {
                lists.open(DieId(0), &lanes(&[block]), WriteMode::M1, held(block.into()))
            });
            lists.erase(DieId(0), BlockId(gone));
            assert_eq!(listed(&lists, WriteMode::M1), left);
            lists.open(DieId(0), &lanes(&[3]), WriteMode::M1, held(9));
            assert_eq!(listed(&lists, WriteMode::M1).last(), Some(&3));
            assert_eq!((lists.blocks(), lists.longest()), (3, 3));
        }
    }

    #[test]
    fn an_entry_stands_until_the_last_of_its_blocks_is_gone() {
        let mut lists = Lists::new(6, 1);
        lists.open(DieId(0), &lanes(&[0, 3]), WriteMode::M7, held(1));
        lists.open(DieId(0), &lanes(&[1, 4]), WriteMode::M7, held(2));
        lists.erase(DieId(0), BlockId(0));
        assert_eq!(listed(&lists, WriteMode::M7), [3, 1]);
        assert_eq!(lists.members(BlockId(3)).collect::<Vec<_>>(), [BlockId(3)]);
        assert_eq!(lists.members(BlockId(4)).collect::<Vec<_>>(), [4, 1].map(BlockId));
        lists.erase(DieId(0), BlockId(4));
        assert_eq!((listed(&lists, WriteMode::M7), lists.blocks()), (vec![3, 1], 2));
        lists.erase(DieId(0), BlockId(3));
        lists.erase(DieId(0), BlockId(1));
        assert_eq!((listed(&lists, WriteMode::M7), lists.blocks()), (vec![], 0));
    }

    #[test]
    fn entries_stand_by_their_deadlines() {
        let mut lists = Lists::new(5, 1);
        for (block, until_ns) in [(0, 50), (1, 80), (2, 60), (3, 40), (4, 60)] {
            lists.open(DieId(0), &lanes(&[block]), WriteMode::M1, u64::from(block)..until_ns);
        }
        assert_eq!(listed(&lists, WriteMode::M1), [3, 0, 2, 4, 1]);
        lists.erase(DieId(0), BlockId(2));
        lists.age(10);
        lists.open(DieId(0), &lanes(&[2]), WriteMode::M1, 5..49);
        assert_eq!(listed(&lists, WriteMode::M1), [3, 0, 2, 4, 1]);
        assert_eq!(lists.first_due(DieId(0)).map(|entry| entry.until_ns), Some(30));
    }

    #[test]
    fn of_two_modes_the_entry_that_is_due_first_comes_first() {
        let mut lists = Lists::new(3, 1);
        lists.open(DieId(0), &lanes(&[0]), WriteMode::M1, 1..50);
        lists.open(DieId(0), &lanes(&[1]), WriteMode::M7, 2..40);
        lists.open(DieId(0), &lanes(&[2]), WriteMode::M30, 3..50);
        for block in [1, 0, 2].map(BlockId) {
            let due = lists.first_due(DieId(0)).expect("one waits");
            assert_eq!(due.block, block, "of equals that of the faster mode");
            lists.remove(DieId(0), due);
        }
        assert_eq!(lists.first_due(DieId(0)), None);
    }

    #[test]
    fn what_waits_again_is_the_newest() {
        let mut lists = Lists::new(3, 1);
        lists.open(DieId(0), &lanes(&[0]), WriteMode::M1, held(1));
        lists.open(DieId(0), &lanes(&[1]), WriteMode::M1, held(2));
        let first = lists.first_due(DieId(0)).expect("two wait");
        lists.finish_line(BlockId(0));
        lists.wait_again(DieId(0), first, held(7));
        assert_eq!(listed(&lists, WriteMode::M1), [1, 0]);
        let again = lists.of_mode(DieId(0), WriteMode::M1).last().expect("two wait");
        assert_eq!((again.since_ns, again.done), (7, 1));
        lists.remove(DieId(0), again);
        assert!(!lists.waits(BlockId(0)) && lists.waits(BlockId(1)));
    }
}
