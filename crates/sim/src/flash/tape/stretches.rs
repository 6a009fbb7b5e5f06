//! What is kept of a recording: stretches, each with the state of the drive before and after it.

use super::sections::Sections;

/// Events, and the state before and after them.
#[derive(Debug)]
struct Stretch {
    /// The state before them; `None` where the stretch before ends with it.
    opening: Option<Vec<u8>>,
    events: Vec<u8>,
    closing: Vec<u8>,
    commands: u64,
}

/// The stretches of a recording. When they hold too many commands every second one of them is given up, and the
/// gaps to come are as long as those that this leaves, so that they cover a run of any length evenly.
#[derive(Debug)]
pub(super) struct Stretches {
    list: Vec<Stretch>,
    opening: Option<Vec<u8>>,
    /// Flash commands of all, and how many there may be.
    commands: u64,
    most: u64,
    /// Of so many stretches one is kept.
    pub every: u64,
    /// Commands to leave out before the next stretch.
    pub gap: u64,
    /// Bytes of events that were written.
    pub event_bytes: u64,
}

impl Stretches {
    /// Stretches of so many commands at most.
    pub fn new(most: u64) -> Self {
        Self {
            list: Vec::new(),
            opening: None,
            commands: 0,
            most,
            every: 1,
            gap: 0,
            event_bytes: 0,
        }
    }

    /// A stretch begins with this state.
    pub fn open(&mut self, state: Vec<u8>) {
        self.opening = Some(state);
    }

    /// A stretch ends with this state; true where there were too many commands.
    pub fn close(
        &mut self,
        out: &mut Sections,
        events: Vec<u8>,
        closing: Vec<u8>,
        commands: u64,
    ) -> bool {
        self.commands += commands;
        self.list.push(Stretch { opening: self.opening.take(), events, closing, commands });
        if self.most == u64::MAX {
            self.write(out);
        }
        let is_full = self.commands >= self.most;
        // Those that are kept are a multiple of so many from the first one.
        let every = if is_full && self.list.len() % 2 == 1 { 2 * self.every } else { self.every };
        if is_full {
            self.halve();
        }
        self.gap = (every - 1) * commands;
        is_full
    }

    /// Gives up every second stretch.
    fn halve(&mut self) {
        let mut given_up: Option<Stretch> = None;
        let mut kept = Vec::with_capacity(self.list.len().div_ceil(2));
        for (at, mut stretch) in std::mem::take(&mut self.list).into_iter().enumerate() {
            if at % 2 == 1 {
                self.commands -= stretch.commands;
                given_up = Some(stretch);
                continue;
            }
            let before = given_up.take().map(|it| it.closing);
            stretch.opening = stretch.opening.or(before);
            kept.push(stretch);
        }
        self.list = kept;
        self.every *= 2;
    }

    /// Writes the stretches that there are.
    pub fn write(&mut self, out: &mut Sections) {
        for Stretch { opening, events, closing, .. } in self.list.drain(..) {
            if let Some(opening) = opening {
                out.add(*b"KEYF", &[&opening]);
            }
            out.add(*b"EVNT", &[&events]);
            out.add(*b"KEYF", &[&closing]);
            self.event_bytes += events.len() as u64;
        }
    }

    /// Flash commands of those that are kept.
    pub fn commands(&self) -> u64 {
        self.commands
    }
}

#[cfg(test)]
mod tests {
    use super::{Sections, Stretches};

    /// Stretches of a command each: which of them are kept, and what opens them.
    #[test]
    fn those_that_are_kept_are_spread_evenly_and_have_their_states() {
        let mut out = Sections::new(Box::new(std::io::sink()));
        let mut stretches = Stretches::new(4);
        let (mut at, mut is_apart) = (0, true);
        while at < 16 {
            if is_apart {
                stretches.open(vec![at]);
            }
            stretches.close(&mut out, vec![at], vec![at + 1], 1);
            is_apart = stretches.every > 1;
            at += 1 + stretches.gap as u8;
        }
        let kept = stretches.list.iter().map(|it| (it.opening.clone(), it.events[0]));
        let kept: Vec<(Option<Vec<u8>>, u8)> = kept.collect();
        assert_eq!(stretches.every, 8);
        assert_eq!(kept, [(Some(vec![0]), 0), (Some(vec![8]), 8)]);
        assert_eq!(stretches.commands(), 2);
    }
}
