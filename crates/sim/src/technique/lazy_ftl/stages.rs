//! Second stages that have not been told to be over, each under the name by which that will be told.

use super::lists::Entry;

/// A second stage.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stage {
    pub entry: Entry,
    /// Its word line, and in how many blocks.
    pub line: u32,
    pub lines: u64,
}

/// Those under way, by name; names are used again.
#[derive(Debug, Default)]
pub(super) struct Stages {
    by_name: Vec<Option<Stage>>,
    spare: Vec<u32>,
}

impl Stages {
    /// One begins; returns its name.
    pub fn begin(&mut self, stage: Stage) -> u32 {
        if let Some(name) = self.spare.pop() {
            self.by_name[name as usize] = Some(stage);
            return name;
        }
        self.by_name.push(Some(stage));
        self.by_name.len() as u32 - 1
    }

    /// One is over; returns what `look` makes of it.
    ///
    /// # Panics
    /// None of that name is under way.
    pub fn end<R>(&mut self, name: u32, look: impl FnOnce(&Stage) -> R) -> R {
        let place = &mut self.by_name[name as usize];
        let Some(stage) = place else { panic!("a second stage of the name {name} ends twice") };
        let seen = look(stage);
        *place = None;
        self.spare.push(name);
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::BlockId;
    use crate::technique::lazy_ftl::WriteMode;

    #[test]
    fn a_name_stands_for_one_stage_at_a_time() {
        let stage = |line| {
            let (block, mode) = (BlockId(1), WriteMode::M1);
            let entry = Entry { block, mode, since_ns: 0, until_ns: 9, done: 0 };
            Stage { entry, line, lines: 1 }
        };
        let mut stages = Stages::default();
        let [first, second] = [3, 4].map(|line| stages.begin(stage(line)));
        assert_eq!(stages.end(first, |stage| stage.line), 3);
        let third = stages.begin(stage(5));
        assert_ne!(second, third);
        assert_eq!([second, third].map(|name| stages.end(name, |stage| stage.line)), [4, 5]);
    }
}
