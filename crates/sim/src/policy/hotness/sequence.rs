//! Writes that continue a long run are cold.

use super::{Entry, HostWrite, Hotness};
use crate::declare::PolicyDecl;
use crate::drive::DriveState;
use crate::schema::HotnessConfig;

pub(super) const ENTRY: Entry = Entry {
    declaration: PolicyDecl {
        summary: "writes that continue a long run are cold",
        keys: &["run_kib"],
    },
    temperatures: |_| 2,
    cold_after_ns: |_| 0,
    build: |config, _| Some(Box::new(Sequence::new(config))),
};

/// Runs that are followed at the same time.
const RUNS: usize = 16;

#[derive(Debug, Clone, Copy)]
struct Run {
    next_bytes: u64,
    length_bytes: u64,
}

pub(super) struct Sequence {
    limit_bytes: u64,
    runs: [Run; RUNS],
    oldest: usize,
    /// The request judged last, so that all of its units get one answer.
    last: Option<(u64, u32)>,
}

impl Sequence {
    pub(super) fn new(config: &HotnessConfig) -> Self {
        Self {
            limit_bytes: (config.run_kib * 1024.0) as u64,
            // No request begins at the last byte: a run that is not there is not continued.
            runs: [Run { next_bytes: u64::MAX, length_bytes: 0 }; RUNS],
            oldest: 0,
            last: None,
        }
    }

    fn judge(&mut self, write: &HostWrite) -> u32 {
        let at = match self.runs.iter().position(|r| r.next_bytes == write.request_offset_bytes) {
            Some(at) => at,
            None => {
                let at = self.oldest;
                self.oldest = (at + 1) % RUNS;
                self.runs[at].length_bytes = 0;
                at
            }
        };
        let run = &mut self.runs[at];
        run.length_bytes += u64::from(write.request_bytes);
        run.next_bytes = write.request_offset_bytes + u64::from(write.request_bytes);
        u32::from(run.length_bytes >= self.limit_bytes)
    }
}

impl Hotness for Sequence {
    fn temperature(&mut self, _: &DriveState, write: &HostWrite) -> u32 {
        if let Some((request, answer)) = self.last
            && request == write.request
        {
            return answer;
        }
        let answer = self.judge(write);
        self.last = Some((write.request, answer));
        answer
    }
}
