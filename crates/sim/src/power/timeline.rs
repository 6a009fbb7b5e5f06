//! What happened in a run, one thing after the other, and the flash as it then stood.

use super::damage::{Damage, Shares};
use super::flash_snapshot::Surface;
use super::saved::Kept;
use crate::drive::DriveState;
use crate::flash::{Recorded, Recording};
use crate::ids::Lpn;
use crate::util::Rng;

/// Something that happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    /// A command was over.
    Ended(usize),
    /// A flush was over: its number.
    Flushed(usize),
    /// A command began.
    Began(usize),
}

/// The programs and erases of a run.
#[derive(Debug)]
pub struct Course<'a> {
    recording: &'a Recording,
    state: &'a DriveState,
    /// The flash as it stands.
    pub surface: Surface,
    /// The commands under way.
    pub under_way: Vec<usize>,
}

impl<'a> Course<'a> {
    /// The start of a run of a drive with so many logical units.
    pub fn new(recording: &'a Recording, state: &'a DriveState, mapped: u64) -> Self {
        let surface = Surface::new(&recording.start, mapped);
        Self { recording, state, surface, under_way: Vec::new() }
    }

    /// What happens, in order, and when; `flushes` tells when each flush was over. A command that takes no time is
    /// never under way: it only ends.
    pub fn events(&self, flushes: &[u64]) -> Vec<(u64, Event)> {
        let commands = self.recording.commands.iter().enumerate();
        let begun = commands.filter(|(_, command)| command.end < u64::MAX);
        let of_command = begun.flat_map(|(at, command)| {
            let began = Some((command.begin, Event::Began(at))).filter(|_| command.takes_time());
            began.into_iter().chain([(command.end, Event::Ended(at))])
        });
        let flushes = flushes.iter().enumerate().map(|(at, &done)| (done, Event::Flushed(at)));
        let mut events: Vec<(u64, Event)> = of_command.chain(flushes).collect();
        events.sort_unstable();
        events
    }

    /// A command begins or ends; returns the logical units of which a unit is gone.
    pub fn take_place(&mut self, event: Event) -> Vec<Lpn> {
        match event {
            Event::Began(command) => {
                self.under_way.push(command);
                Vec::new()
            }
            Event::Ended(command) => {
                self.under_way.retain(|&other| other != command);
                self.surface.carry_out(self.state, &self.recording.commands[command])
            }
            Event::Flushed(_) => Vec::new(),
        }
    }

    /// All of it happens.
    pub fn finish(&mut self) {
        for (_, event) in self.events(&[]) {
            self.take_place(event);
        }
    }

    /// How many commands there are.
    pub fn commands(&self) -> usize {
        self.recording.commands.len()
    }

    /// A command.
    pub fn command(&self, at: usize) -> &'a Recorded {
        &self.recording.commands[at]
    }

    /// The commands under way and their numbers, in the order in which they began.
    pub fn interrupted(&self) -> impl Iterator<Item = (usize, &'a Recorded)> {
        self.under_way.iter().map(|&at| (at, self.command(at)))
    }

    /// Whether the area for metadata just changed, or is being written.
    pub fn concerns_metadata(&self, event: Event) -> bool {
        let just = match event {
            Event::Began(command) | Event::Ended(command) => Some(self.command(command)),
            Event::Flushed(_) => None,
        };
        self.interrupted().map(|(_, it)| it).chain(just).any(|command| command.metadata.is_some())
    }

    /// What a cut leaves that `kept` so much.
    pub fn damage(&self, kept: &Kept, shares: Shares, rng: &mut Rng) -> Damage {
        let (geometry, finished) = (&self.state.geometry, &kept.finished);
        let is_finished = |number| finished.contains(&number);
        let mut damage = Damage::finished(&self.surface, geometry, self.interrupted(), is_finished);
        for (number, command) in self.interrupted() {
            // A finished one takes its draws as well, so that others are damaged alike whatever is finished.
            let mut of_it = Damage::default();
            let torn = if is_finished(number) { &mut of_it } else { &mut damage };
            torn.tear(&self.surface, geometry, command, shares, rng);
        }
        damage.settle();
        damage.assert_blank(geometry);
        damage
    }

    /// The drive.
    pub fn state(&self) -> &'a DriveState {
        self.state
    }
}
