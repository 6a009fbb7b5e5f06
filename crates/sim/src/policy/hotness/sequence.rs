//! Writes that continue a long run are cold.

use super::{HostWrite, Hotness};
use crate::config::HotnessConfig;
use crate::ftl::FtlState;

/// Runs that are followed at the same time.
const RUNS: usize = 16;

#[derive(Debug, Clone, Copy, Default)]
struct Run {
    next_bytes: u64,
    length_bytes: u64,
}

pub(super) struct Sequence {
    limit_bytes: u64,
    runs: [Run; RUNS],
    oldest: usize,
    /// The request judged last, so that all of its units get one answer.
    last: (u64, u32),
}

impl Sequence {
    pub(super) fn new(config: &HotnessConfig) -> Self {
        Self {
            limit_bytes: (config.run_kib * 1024.0) as u64,
            runs: [Run::default(); RUNS],
            oldest: 0,
            last: (u64::MAX, 0),
        }
    }

    fn judge(&mut self, write: &HostWrite) -> u32 {
        let at = match self.runs.iter().position(|r| r.next_bytes == write.request_offset_bytes) {
            Some(at) => at,
            None => {
                self.oldest = (self.oldest + 1) % RUNS;
                self.runs[self.oldest].length_bytes = 0;
                self.oldest
            }
        };
        let run = &mut self.runs[at];
        run.length_bytes += u64::from(write.request_bytes);
        run.next_bytes = write.request_offset_bytes + u64::from(write.request_bytes);
        u32::from(run.length_bytes >= self.limit_bytes)
    }
}

impl Hotness for Sequence {
    fn temperature(&mut self, _: &FtlState, write: &HostWrite) -> u32 {
        let (request, answer) = self.last;
        if request == write.request {
            return answer;
        }
        let answer = self.judge(write);
        self.last = (write.request, answer);
        answer
    }
}
