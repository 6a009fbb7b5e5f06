//! The controller's buffer, protected against power loss, from which writes are acknowledged: units of
//! the host are in it until they are programmed. A unit that finds it full is acknowledged once there
//! is room, in the order of arrival, or once it is programmed itself.

use crate::drive::{DriveState, Filling};
use crate::error::Error;
use crate::nand::command::RequestId;
use crate::nand::{Geometry, infeasible};
use crate::schema::{Acknowledge, Config};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Where a unit is that was written and is not programmed.
#[derive(Debug, Clone, Copy)]
enum BufferState {
    /// In the buffer: it is acknowledged.
    Held,
    /// It found no room; the request, if any, of which it is a part waits.
    Waiting(Option<RequestId>),
    /// Programmed before there was room; it is still in the queue.
    Passed,
}

/// The buffer, and the units that wait for room in it.
#[derive(Debug)]
pub struct ProgramBuffer {
    capacity_units: u64,
    held: u64,
    units: Vec<BufferState>,
    spare: Vec<u32>,
    waiting: VecDeque<u32>,
    /// Those of them that have not been programmed meanwhile.
    unserved: u64,
    /// Units whose program will have ended: when, and which.
    ends: BinaryHeap<Reverse<(u64, u32)>>,
    /// Units that are not programmed, in the buffer or not.
    unprogrammed: u64,
}

impl ProgramBuffer {
    /// The buffer of a drive; `None` where writes end with their programs.
    pub fn new(config: &Config, state: &DriveState) -> Option<Self> {
        (config.ftl.acknowledge == Acknowledge::Buffer).then(|| Self {
            capacity_units: capacity_units(config, state),
            held: 0,
            units: Vec::new(),
            spare: Vec::new(),
            waiting: VecDeque::new(),
            unserved: 0,
            ends: BinaryHeap::new(),
            unprogrammed: 0,
        })
    }

    /// Its size in mapping units.
    pub fn capacity_units(&self) -> u64 {
        self.capacity_units
    }

    /// Takes a unit of `request`, or lets it wait; returns its number, and whether it waits.
    pub fn enter(&mut self, request: Option<RequestId>) -> (u32, bool) {
        let waits = self.held == self.capacity_units;
        let unit = if waits { BufferState::Waiting(request) } else { BufferState::Held };
        let number = match self.spare.pop() {
            Some(number) => {
                self.units[number as usize] = unit;
                number
            }
            None => {
                self.units.push(unit);
                self.units.len() as u32 - 1
            }
        };
        self.unprogrammed += 1;
        if waits {
            self.waiting.push_back(number);
            self.unserved += 1;
        } else {
            self.held += 1;
        }
        (number, waits)
    }

    /// The program of a unit ends at `at_ns`, which may lie ahead.
    pub fn programmed(&mut self, number: u32, at_ns: u64) {
        self.ends.push(Reverse((at_ns, number)));
    }

    /// Units whose programs end until `now_ns` leave their room to those that wait; `acknowledge` is told of each request
    /// that waited for room, and when it got it.
    pub fn release_until(&mut self, now_ns: u64, mut acknowledge: impl FnMut(RequestId, u64)) {
        while let Some(&Reverse((at_ns, number))) = self.ends.peek()
            && at_ns <= now_ns
        {
            self.ends.pop();
            self.unprogrammed -= 1;
            let unit = &mut self.units[number as usize];
            match *unit {
                BufferState::Waiting(request) => {
                    *unit = BufferState::Passed;
                    self.unserved -= 1;
                    if let Some(id) = request {
                        acknowledge(id, at_ns);
                    }
                }
                BufferState::Held => {
                    self.held -= 1;
                    self.spare.push(number);
                }
                BufferState::Passed => {}
            }
            self.admit(at_ns, &mut acknowledge);
        }
    }

    /// Units that wait get what room there is.
    fn admit(&mut self, at_ns: u64, acknowledge: &mut impl FnMut(RequestId, u64)) {
        while let Some(&number) = self.waiting.front() {
            match self.units[number as usize] {
                BufferState::Passed => self.spare.push(number),
                BufferState::Waiting(request) if self.held < self.capacity_units => {
                    self.units[number as usize] = BufferState::Held;
                    self.held += 1;
                    self.unserved -= 1;
                    if let Some(id) = request {
                        acknowledge(id, at_ns);
                    }
                }
                BufferState::Waiting(_) | BufferState::Held => return,
            }
            self.waiting.pop_front();
        }
    }

    /// When room is left to a unit that waits, as far as is known; `u64::MAX`: none waits, or no end
    /// is known.
    pub fn next_ns(&self) -> u64 {
        match self.ends.peek() {
            Some(&Reverse((at_ns, _))) if !self.waiting.is_empty() => at_ns,
            _ => u64::MAX,
        }
    }

    /// True when more units wait for room than are being programmed, each of which serves one of them at its end;
    /// `unstarted` are in programs that are not full.
    pub fn lacks_room(&self, unstarted: u64) -> bool {
        self.unserved > self.unprogrammed - unstarted
    }

    /// True when units wait for room and none of those before them is being programmed; `unstarted`
    /// of them are in programs that are not full.
    pub fn is_stuck(&self, unstarted: u64) -> bool {
        !self.waiting.is_empty() && self.unprogrammed == unstarted
    }
}

/// The size of the buffer in mapping units: as configured, or by default two programs for each write
/// point of a stream that the host writes, of a superblock two of each die. One of them is under way while
/// the next is filled, which keeps every die at work, and what is in programs that are not full never takes
/// all of the room.
fn capacity_units(config: &Config, state: &DriveState) -> u64 {
    if config.ftl.buffer_kib > 0.0 {
        return (config.ftl.buffer_kib * 1024.0 / state.geometry.unit_bytes as f64) as u64;
    }
    let of_filling = |(group, filling): (usize, &Filling)| {
        let streams = u64::from(state.layout.streams_of_host(filling));
        let points = streams * u64::from(filling.scopes.count());
        2 * points * u64::from(state.units_at_once(group))
    };
    state.layout.fillings.iter().enumerate().map(of_filling).sum()
}

/// Refuses a buffer that holds nothing.
///
/// # Errors
/// A size of less than a mapping unit.
pub fn check(config: &Config, geometry: &Geometry) -> Result<(), Error> {
    let (kib, unit_kib) = (config.ftl.buffer_kib, geometry.unit_bytes as f64 / 1024.0);
    if kib > 0.0 && kib < unit_kib {
        return Err(infeasible(
            format!("ftl.buffer_kib is {kib}: less than a mapping unit of {unit_kib} KiB"),
            format!(
                "set ftl.buffer_kib to {unit_kib} or more, or to 0 for two programs at each open block of the host, or choose a smaller ftl.mapping_unit_kib"
            ),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::ProgramBuffer;
    use crate::engine::Count;
    use crate::ftl::Ftl;
    use crate::schema::{Acknowledge, Cell, Config};
    use crate::technique::Stack;

    /// Mapping units of the buffer of four dies that program a page of 4 KiB at a time.
    fn units(change: impl Fn(&mut Config)) -> u64 {
        let mut config = Config::default();
        (config.drive.channels, config.drive.chips_per_channel) = (2, 2);
        (config.drive.chip.dies, config.drive.chip.planes) = (1, 1);
        config.drive.chip.cell = Cell::Slc;
        (config.drive.chip.page_kib, config.ftl.mapping_unit_kib) = (4.0, 4.0);
        config.ftl.acknowledge = Acknowledge::Buffer;
        change(&mut config);
        // Superblocks go through the stack, technique or not.
        let stack = Stack::new(Vec::new()).expect("there is nothing to join");
        let state = Ftl::<_, Count>::new(&config, stack).expect("the drive works").into_state();
        ProgramBuffer::new(&config, &state).expect("there is one").capacity_units()
    }

    #[test]
    fn the_buffer_holds_two_programs_of_each_die_however_dies_are_joined() {
        for superblock_dies in [0, 2, 4] {
            let units = units(|config| config.ftl.superblock_dies = superblock_dies);
            assert_eq!(units, 8, "superblocks of {superblock_dies} dies");
        }
    }

    #[test]
    fn a_buffer_that_is_given_holds_whole_units_of_so_many_kib() {
        for (buffer_kib, expected) in [(4.0, 1), (7.9, 1), (64.0, 16), (1024.0, 256)] {
            assert_eq!(units(|config| config.ftl.buffer_kib = buffer_kib), expected);
        }
    }
}
