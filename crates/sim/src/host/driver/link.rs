//! The way between host and drive.

use super::cores::Cores;
use crate::engine::Channel;
use crate::schema::HostConfig;
use wordline_trace::{Op, Request};

/// The controller's cores, the time of each request besides, and the host's bus.
pub(super) struct Link {
    /// `None`: no request takes any of their time.
    cores: Option<Cores>,
    bus: Channel,
    /// `None`: the bus takes no time.
    ns_per_byte: Option<f64>,
    overhead_ns: u64,
}

impl Link {
    pub fn new(host: &HostConfig) -> Self {
        Self {
            cores: Cores::new(host),
            bus: Channel::default(),
            ns_per_byte: (host.bus_mb_s > 0.0).then(|| 1000.0 / host.bus_mb_s),
            overhead_ns: (host.overhead_us * 1000.0).round() as u64,
        }
    }

    /// Whether the bus takes no time, and no request waits for a core.
    pub fn is_instant(&self) -> bool {
        self.ns_per_byte.is_none() && self.cores.is_none()
    }

    /// When the drive has a request that is sent at `sent_ns`.
    #[inline(always)]
    pub fn arrival_ns<const PLAIN: bool>(
        &mut self,
        now_ns: u64,
        sent_ns: u64,
        request: &Request,
    ) -> u64 {
        let taken_ns = match &mut self.cores {
            Some(cores) if !PLAIN => cores.take(sent_ns),
            _ => sent_ns,
        };
        let ready_ns = taken_ns + self.overhead_ns;
        match request.op {
            Op::Write => self.carry::<PLAIN>(now_ns, ready_ns, request.size_bytes),
            _ => ready_ns,
        }
    }

    /// When `bytes` that are ready at `ready_ns` have crossed the bus.
    #[inline(always)]
    pub fn carry<const PLAIN: bool>(&mut self, now_ns: u64, ready_ns: u64, bytes: u32) -> u64 {
        match self.ns_per_byte.filter(|_| !PLAIN) {
            None => ready_ns,
            Some(ns_per_byte) => self.carry_slowly(now_ns, ready_ns, bytes, ns_per_byte),
        }
    }

    #[inline(never)]
    fn carry_slowly(&mut self, now_ns: u64, ready_ns: u64, bytes: u32, ns_per_byte: f64) -> u64 {
        let length_ns = (f64::from(bytes) * ns_per_byte).round() as u64;
        self.bus.reserve(now_ns, ready_ns, length_ns) + length_ns
    }
}
