//! How simulated time goes beside that of the clock.

use std::time::{Duration, Instant};
use wordline_sim::config::HostMode;

/// How simulated time goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pace {
    /// As fast as it can: a reply comes at once, and as many requests are under way as `host.queue_depth` says.
    Virtual,
    /// A reply comes when it would: the drive is so many times as slow as it is in simulated time.
    Clock {
        /// Seconds of the clock to a second of simulated time.
        slower: f64,
    },
}

impl Pace {
    /// By what the drive's requests go.
    pub fn host_mode(self) -> HostMode {
        match self {
            Self::Virtual => HostMode::Closed,
            Self::Clock { .. } => HostMode::Open,
        }
    }
}

/// A clock that shows simulated time.
#[derive(Debug)]
pub struct Clock {
    begun: Instant,
    slower: f64,
}

impl Clock {
    /// One that shows 0 now.
    pub fn new(slower: f64) -> Self {
        Self { begun: Instant::now(), slower }
    }

    /// Simulated nanoseconds.
    pub fn now_ns(&self) -> u64 {
        (self.begun.elapsed().as_secs_f64() / self.slower * 1e9) as u64
    }

    /// How long simulated nanoseconds take.
    pub fn length_of(&self, ns: u64) -> Duration {
        Duration::from_secs_f64(ns as f64 * 1e-9 * self.slower)
    }

    /// Waits until it shows `at_ns`; returns by how much it is later.
    pub fn wait_until(&self, at_ns: u64) -> Duration {
        let due = self.begun + self.length_of(at_ns);
        let now = Instant::now();
        if let Some(rest) = due.checked_duration_since(now) {
            // The system wakes up some tens of microseconds late.
            if rest > WAKES_LATE {
                std::thread::sleep(rest - WAKES_LATE);
            }
            while Instant::now() < due {
                std::hint::spin_loop();
            }
        }
        Instant::now().saturating_duration_since(due)
    }
}

const WAKES_LATE: Duration = Duration::from_micros(80);
