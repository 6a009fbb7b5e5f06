//! What a run counts as it goes.

use super::ByCause;
use crate::ids::{Id, StreamId};
use crate::nand::command::{CAUSES, Cause};

/// What is counted of a stream of blocks, where the host says which data belongs together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StreamCounts {
    /// Units that the host wrote to it.
    pub host_units: u64,
    /// Units that were moved out of its blocks.
    pub moved_out: u64,
    /// Units that were moved into its blocks.
    pub moved_in: u64,
    /// Blocks of it that were reclaimed.
    pub reclaimed: u64,
}

/// Running totals.
#[derive(Debug, Clone, Default)]
pub struct Counters {
    /// Units programmed, by cause.
    pub programs: [u64; CAUSES],
    /// Pages read, by cause.
    pub reads: [u64; CAUSES],
    /// Units programmed without data.
    pub padding: u64,
    /// Of them, those of programs that the end of the run started.
    pub padding_at_end: u64,
    /// Units programmed with the parity of superblocks' rows.
    pub parity: u64,
    /// Program operations.
    pub program_ops: u64,
    /// Programs of units that held data before.
    pub reprograms: u64,
    /// Time that retries of the host's page reads took.
    pub retry_ns: u64,
    /// Reads of the host that nothing could correct.
    pub lost_reads: u64,
    /// Energy of all reads.
    pub read_nj: u64,
    /// Energy of all programs.
    pub program_nj: u64,
    /// Blocks erased, their time and their energy.
    pub erases: u64,
    /// Time of all erases.
    pub erase_ns: u64,
    /// Energy of all erases.
    pub erase_nj: u64,
    /// Blocks that wore out.
    pub worn_out_blocks: u64,
    /// Victims.
    pub gc_count: u64,
    /// Victims with valid units.
    pub gc_with_migration: u64,
    /// Units moved by GC.
    pub gc_moved: u64,
    /// Die and channel time of GC.
    pub gc_ns: u64,
    /// Units of logical space that the host wrote.
    pub host_units: u64,
    /// Units of the host that found the controller's buffer full.
    pub buffer_waits: u64,
    /// Units read by the host that were never written.
    pub unmapped_reads: u64,
    /// Units read by the host that it had trimmed.
    pub trimmed_reads: u64,
    /// Writes refused by a read-only drive.
    pub refused_writes: u64,
    /// By stream, where the host says which data belongs together.
    pub streams: Vec<StreamCounts>,
}

impl Counters {
    /// Adds what another drive counted.
    pub fn add(&mut self, other: &Self) {
        // Taken apart so that a counter that is added is not forgotten here.
        #[rustfmt::skip]
        let Self {
            programs, reads, padding, padding_at_end, parity, program_ops, reprograms, retry_ns,
            lost_reads, read_nj, program_nj, erases, erase_ns, erase_nj, worn_out_blocks, gc_count, gc_with_migration, gc_moved, gc_ns,
            host_units, buffer_waits, unmapped_reads, trimmed_reads, refused_writes, streams,
        } = other;
        for cause in 0..CAUSES {
            self.programs[cause] += programs[cause];
            self.reads[cause] += reads[cause];
        }
        self.padding += padding;
        self.padding_at_end += padding_at_end;
        self.parity += parity;
        self.program_ops += program_ops;
        self.reprograms += reprograms;
        self.retry_ns += retry_ns;
        self.lost_reads += lost_reads;
        self.read_nj += read_nj;
        self.program_nj += program_nj;
        self.erases += erases;
        self.erase_ns += erase_ns;
        self.erase_nj += erase_nj;
        self.worn_out_blocks += worn_out_blocks;
        self.gc_count += gc_count;
        self.gc_with_migration += gc_with_migration;
        self.gc_moved += gc_moved;
        self.gc_ns += gc_ns;
        self.host_units += host_units;
        self.buffer_waits += buffer_waits;
        self.unmapped_reads += unmapped_reads;
        self.trimmed_reads += trimmed_reads;
        self.refused_writes += refused_writes;
        for (at, counts) in (0..).map(StreamId).zip(streams) {
            let own = self.of_stream(at);
            own.host_units += counts.host_units;
            own.moved_out += counts.moved_out;
            own.moved_in += counts.moved_in;
            own.reclaimed += counts.reclaimed;
        }
    }

    /// What is counted of a stream.
    #[inline]
    pub fn of_stream(&mut self, stream: StreamId) -> &mut StreamCounts {
        let at = stream.index();
        if at >= self.streams.len() {
            self.streams.resize(at + 1, StreamCounts::default());
        }
        &mut self.streams[at]
    }

    /// Units programmed, padding and parity included.
    pub fn units_programmed(&self) -> u64 {
        self.programs.iter().sum::<u64>() + self.padding + self.parity
    }

    /// Flash operations, for the simulator's own speed.
    pub fn flash_ops(&self) -> u64 {
        self.reads.iter().sum::<u64>() + self.units_programmed() + self.erases
    }

    /// Write amplification so far; `None` before the first write.
    pub fn write_amplification(&self) -> Option<f64> {
        (self.host_units > 0).then(|| self.units_programmed() as f64 / self.host_units as f64)
    }
}

/// A table by cause, as results show it.
pub fn by_cause(counts: &[u64; CAUSES]) -> ByCause {
    ByCause {
        host: counts[Cause::Host as usize],
        gc: counts[Cause::Gc as usize],
        mapping: counts[Cause::Mapping as usize],
        wear: counts[Cause::Wear as usize],
        technique: counts[Cause::Technique as usize],
        metadata: counts[Cause::Metadata as usize],
        refresh: counts[Cause::Refresh as usize],
        reclaim: counts[Cause::Reclaim as usize],
    }
}

#[cfg(test)]
mod tests {
    use super::{Counters, StreamCounts, by_cause};
    use crate::metrics::ByCause;

    /// Counters that all differ, and by no common factor.
    fn distinct() -> Counters {
        Counters {
            programs: [101, 103, 107, 109, 113, 0, 0, 0],
            reads: [2, 3, 5, 7, 11, 0, 0, 0],
            padding: 127,
            padding_at_end: 211,
            parity: 227,
            program_ops: 131,
            reprograms: 137,
            retry_ns: 233,
            lost_reads: 239,
            read_nj: 139,
            program_nj: 149,
            erases: 151,
            erase_ns: 157,
            erase_nj: 163,
            worn_out_blocks: 167,
            gc_count: 173,
            gc_with_migration: 41,
            gc_moved: 181,
            gc_ns: 191,
            host_units: 60,
            buffer_waits: 223,
            unmapped_reads: 197,
            trimmed_reads: 229,
            refused_writes: 199,
            streams: vec![StreamCounts {
                host_units: 19,
                moved_out: 23,
                moved_in: 29,
                reclaimed: 31,
            }],
        }
    }

    #[test]
    fn drives_add_up_counter_by_counter() {
        let mut sum = distinct();
        sum.add(&distinct());
        sum.add(&Counters::default());
        // As text, so that no counter is forgotten here.
        assert_eq!(format!("{sum:?}"), doubled(&format!("{:?}", distinct())));
    }

    /// The text with every number in it doubled.
    fn doubled(text: &str) -> String {
        let (mut twice, mut digits) = (String::new(), String::new());
        for symbol in text.chars() {
            if symbol.is_ascii_digit() {
                digits.push(symbol);
                continue;
            }
            if let Ok(number) = digits.parse::<u64>() {
                twice += &(2 * number).to_string();
            }
            digits.clear();
            twice.push(symbol);
        }
        twice
    }

    #[test]
    fn totals_hold_what_they_say() {
        let counters = distinct();
        // 101 + 103 + 107 + 109 + 113, 127 of padding and 227 of parity.
        assert_eq!(counters.units_programmed(), 887);
        assert_eq!(counters.write_amplification(), Some(887.0 / 60.0));
        // 28 pages read and 151 blocks erased besides.
        assert_eq!(counters.flash_ops(), 887 + 28 + 151);
        assert_eq!(Counters::default().write_amplification(), None);
    }

    #[test]
    fn causes_keep_their_names() {
        let expected = ByCause {
            host: 101,
            gc: 103,
            mapping: 107,
            wear: 109,
            technique: 113,
            ..ByCause::default()
        };
        let found = by_cause(&distinct().programs);
        assert_eq!(format!("{found:?}"), format!("{expected:?}"));
        assert_eq!(found.total(), 533);
        let ByCause { metadata, refresh, reclaim, .. } = by_cause(&[0, 0, 0, 0, 0, 1, 2, 3]);
        assert_eq!((metadata, refresh, reclaim), (1, 2, 3));
    }
}
