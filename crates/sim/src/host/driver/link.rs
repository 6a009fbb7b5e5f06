//! The way between host and drive.

use super::cores::Cores;
use super::submitting::Coming;
use crate::engine::Channel;
use crate::schema::HostConfig;
use std::collections::BTreeMap;
use wordline_trace::{Op, Request};

/// How long data takes on the way.
#[derive(Debug, Clone, Copy)]
struct Wire {
    ns_per_byte: f64,
    /// Data of a packet at most, and what it has besides.
    packet: Option<(u64, u64)>,
}

impl Wire {
    fn length_ns(self, bytes: u32) -> u64 {
        let bytes = u64::from(bytes);
        let besides = self.packet.map_or(0, |(most, besides)| bytes.div_ceil(most) * besides);
        ((bytes + besides) as f64 * self.ns_per_byte).round() as u64
    }
}

/// The controller's cores, the time of each request besides, and the host's bus or link.
pub(super) struct Link {
    /// `None`: no request takes any of their time.
    cores: Option<Cores>,
    overhead_ns: u64,
    /// `None`: data takes no time.
    wire: Option<Wire>,
    /// The bus; of a link the way to the drive.
    bus: Channel,
    /// The way back of a link; `None`: a bus, which is one for both.
    back: Option<Channel>,
    /// Requests on their way to the drive over a link, by when it has them, and by number.
    coming: BTreeMap<(u64, u64), Coming>,
}

impl Link {
    pub fn new(host: &HostConfig) -> Self {
        let bus = (host.bus_mb_s > 0.0)
            .then(|| Wire { ns_per_byte: 1000.0 / host.bus_mb_s, packet: None });
        let packet = Some((host.link.max_payload, host.link.overhead_bytes));
        let link = host.link.raw_bytes_per_s().map(|raw| Wire { ns_per_byte: 1e9 / raw, packet });
        Self {
            cores: Cores::new(host),
            overhead_ns: (host.overhead_us * 1000.0).round() as u64,
            wire: link.or(bus),
            bus: Channel::default(),
            back: link.map(|_| Channel::default()),
            coming: BTreeMap::new(),
        }
    }

    /// Whether the bus takes no time, and no request waits for a core.
    pub fn is_instant(&self) -> bool {
        self.wire.is_none() && self.cores.is_none()
    }

    /// Whether data goes both ways at once, and requests overtake the data of others.
    #[inline]
    pub fn is_duplex(&self) -> bool {
        self.back.is_some()
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
        match self.wire {
            Some(wire) if !PLAIN && request.op == Op::Write => {
                Self::carry_slowly(&mut self.bus, wire, now_ns, ready_ns, request.size_bytes)
            }
            _ => ready_ns,
        }
    }

    /// When `bytes` that are ready at `ready_ns` are with the host.
    #[inline(always)]
    pub fn carry_back<const PLAIN: bool>(&mut self, now_ns: u64, ready_ns: u64, bytes: u32) -> u64 {
        match self.wire {
            Some(wire) if !PLAIN => {
                let way = self.back.as_mut().unwrap_or(&mut self.bus);
                Self::carry_slowly(way, wire, now_ns, ready_ns, bytes)
            }
            _ => ready_ns,
        }
    }

    #[inline(never)]
    fn carry_slowly(way: &mut Channel, wire: Wire, now_ns: u64, ready_ns: u64, bytes: u32) -> u64 {
        let length_ns = wire.length_ns(bytes);
        way.reserve(now_ns, ready_ns, length_ns) + length_ns
    }

    /// A request is on its way until `ready_ns`.
    pub fn send(&mut self, ready_ns: u64, coming: Coming) {
        self.coming.insert((ready_ns, coming.number), coming);
    }

    /// When the drive has the next of those that are on their way; `u64::MAX`: none is.
    #[inline]
    pub fn next_ns(&self) -> u64 {
        self.coming.first_key_value().map_or(u64::MAX, |(&(ready_ns, _), _)| ready_ns)
    }

    /// A request that the drive has by now.
    pub fn take_until(&mut self, now_ns: u64) -> Option<Coming> {
        let first = self.coming.first_entry().filter(|first| first.key().0 <= now_ns)?;
        Some(first.remove())
    }
}
