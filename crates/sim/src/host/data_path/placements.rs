//! Placement identifiers: the handle to which each leads, and what the host asked by them.

use crate::ids::{Id, StreamId};
use crate::schema::{Config, FdpConfig, HostInterface};
use wordline_trace::{PlacementId, Request};

/// The namespace's handles, as the host names them.
pub struct Placements {
    /// By placement identifier.
    list: Vec<u16>,
    /// Bytes that the host wrote, by handle.
    pub written_bytes: Vec<u64>,
    /// Writes whose identifier the namespace does not have.
    pub invalid: u64,
}

impl Placements {
    /// Those of a drive that takes identifiers; `None` for others.
    pub fn of(config: &Config) -> Option<Self> {
        let FdpConfig { handles, placement_handles, .. } = &config.host.fdp;
        let all = 0..*handles as u16;
        let list = match placement_handles.is_empty() {
            true => all.collect(),
            false => placement_handles.clone(),
        };
        (config.host.interface == HostInterface::Fdp).then(|| Self {
            list,
            written_bytes: vec![0; *handles as usize],
            invalid: 0,
        })
    }

    /// The handle of a request. Without an identifier, or with one that the namespace does not have, it is the first;
    /// reads and trims carry none.
    pub fn handle_of(&self, request: &Request) -> u16 {
        let PlacementId(id) = request.placement.unwrap_or(PlacementId(0));
        self.list.get(usize::from(id)).copied().unwrap_or(self.list[0])
    }

    /// Takes note of a write that the drive takes.
    pub fn note(&mut self, request: &Request) {
        let id = request.placement.map(|PlacementId(id)| usize::from(id));
        self.invalid += u64::from(id.is_some_and(|id| id >= self.list.len()));
        let stream = StreamId(self.handle_of(request).into());
        self.written_bytes[stream.index()] += u64::from(request.size_bytes);
    }

    /// Counts anew from here on.
    pub fn count_anew(&mut self) {
        self.written_bytes.fill(0);
        self.invalid = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::{Config, HostInterface, PlacementId, Placements, Request};
    use wordline_trace::Op;

    #[test]
    fn an_identifier_leads_to_the_handle_of_the_list() {
        let mut config = Config::default();
        assert!(Placements::of(&config).is_none());
        config.host.interface = HostInterface::Fdp;
        config.host.fdp.handles = 4;
        let write =
            |id: Option<u16>| Request::new(Op::Write, 0, 512).with_placement(id.map(PlacementId));
        let ids = [None, Some(0), Some(1), Some(3), Some(4), Some(65_535)];
        let handles = |config: &Config| {
            let mut placements = Placements::of(config).expect("it takes identifiers");
            ids.iter().for_each(|&id| placements.note(&write(id)));
            let handles = ids.map(|id| placements.handle_of(&write(id)));
            (handles, placements.written_bytes, placements.invalid)
        };
        let in_order = ([0, 0, 1, 3, 0, 0], vec![4 * 512, 512, 0, 512], 2);
        assert_eq!(handles(&config), in_order);
        config.host.fdp.placement_handles = vec![2, 3];
        assert_eq!(handles(&config), ([2, 2, 3, 2, 2, 2], vec![0, 0, 5 * 512, 512], 3));
    }
}
