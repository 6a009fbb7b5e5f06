//! Reclaim unit handles: which streams are theirs, and where garbage collection moves what it finds in their units.

use crate::error::Error;
use crate::ids::{Id, StreamId};
use crate::nand::infeasible;
use crate::schema::{Config, FdpConfig, Frontiers, HostInterface};

/// The handles of a drive that takes placement identifiers. Each has a stream for what the host writes, and those behind it
/// are for what GC moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handles {
    count: u32,
    /// The handle of the namespace's first placement identifier.
    first: u32,
    /// By stream: the handle whose units it fills; `None`: the controller's own.
    owners: Vec<Option<u32>>,
    /// By stream: the one to which GC moves what its blocks hold.
    moved_to: Vec<StreamId>,
}

impl Handles {
    /// The handles of a configuration; `None`: its drive takes no placement identifiers.
    ///
    /// # Errors
    /// An isolation that there is not, or one that is missing.
    pub fn of(config: &Config) -> Result<Option<Self>, Error> {
        if config.host.interface != HostInterface::Fdp {
            return Ok(None);
        }
        let persistent = isolation(&config.host.fdp)?;
        let first = config.host.fdp.placement_handles.first().copied().unwrap_or(0);
        Ok(Some(Self::new(&persistent, u32::from(first), config.ftl.frontiers)))
    }

    fn new(persistent: &[bool], first: u32, frontiers: Frontiers) -> Self {
        let count = persistent.len() as u32;
        let mut owners: Vec<Option<u32>> = (0..count).map(Some).collect();
        let mut moved_to: Vec<StreamId> = (0..count).map(StreamId).collect();
        let mut add = |owner| {
            let stream = StreamId::new(owners.len() as u32);
            owners.push(owner);
            stream
        };
        let common = match frontiers {
            Frontiers::Shared => None,
            Frontiers::Coldest => Some(StreamId(count - 1)),
            Frontiers::Separate => persistent.contains(&false).then(|| add(None)),
        };
        for (handle, &stays) in (0..).zip(persistent) {
            let target = match (stays, frontiers) {
                (true, Frontiers::Separate) => Some(add(Some(handle))),
                (true, _) => None,
                (false, _) => common,
            };
            if let Some(target) = target {
                moved_to[handle as usize] = target;
            }
        }
        moved_to.extend((count..owners.len() as u32).map(StreamId));
        Self { count, first, owners, moved_to }
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The stream of what the host writes without an identifier.
    pub fn first(&self) -> StreamId {
        StreamId(self.first)
    }

    /// Streams that GC alone fills.
    pub fn gc_streams(&self) -> u32 {
        self.owners.len() as u32 - self.count
    }

    /// The handle whose units a stream fills; `None`: the controller's own.
    #[inline]
    pub fn owner(&self, stream: StreamId) -> Option<u32> {
        self.owners.get(stream.index()).copied().flatten()
    }

    /// The stream to which GC moves what the blocks of a stream hold.
    #[inline]
    pub fn moved_to(&self, stream: StreamId) -> StreamId {
        self.moved_to.get(stream.index()).copied().unwrap_or(stream)
    }

    /// Whether what GC moves out of a handle's units stays in units of that handle, for all of them.
    pub fn are_apart(&self) -> bool {
        (0..self.count).all(|handle| self.owner(self.moved_to(StreamId(handle))) == Some(handle))
    }
}

/// Of each handle, whether it is persistently isolated.
fn isolation(config: &FdpConfig) -> Result<Vec<bool>, Error> {
    let FdpConfig { handles, isolation, .. } = config;
    if isolation.len() != 1 && isolation.len() as u64 != *handles {
        return Err(infeasible(
            format!(
                "host.fdp.isolation has {} entries, and host.fdp.handles is {handles}",
                isolation.len()
            ),
            "give one for each handle, or one for all",
        ));
    }
    let is_persistent = |name: &String| match name.as_str() {
        "initial" => Ok(false),
        "persistent" => Ok(true),
        _ => Err(infeasible(
            format!("host.fdp.isolation names `{name}`"),
            "choose \"initial\" or \"persistent\"",
        )),
    };
    let given: Vec<bool> = isolation.iter().map(is_persistent).collect::<Result<_, _>>()?;
    Ok((0..*handles as usize).map(|handle| given[handle % given.len()]).collect())
}

#[cfg(test)]
mod tests {
    use super::{Frontiers, Handles, StreamId};

    /// By stream: its owner, and the stream to which GC moves.
    fn streams(persistent: &[bool], frontiers: Frontiers) -> Vec<(Option<u32>, u32)> {
        let handles = Handles::new(persistent, 0, frontiers);
        let all = 0..handles.count() + handles.gc_streams();
        all.map(|at| (handles.owner(StreamId(at)), handles.moved_to(StreamId(at)).0)).collect()
    }

    #[test]
    fn gc_moves_data_where_isolation_and_frontiers_let_it() {
        use Frontiers::{Coldest, Separate, Shared};
        let (initial, persistent) = ([false, false], [true, true]);
        let (zero, one) = (Some(0), Some(1));
        assert_eq!(streams(&initial, Separate), [(zero, 2), (one, 2), (None, 2)]);
        assert_eq!(streams(&initial, Shared), [(zero, 0), (one, 1)]);
        assert_eq!(streams(&initial, Coldest), [(zero, 1), (one, 1)]);
        assert_eq!(streams(&persistent, Separate), [(zero, 2), (one, 3), (zero, 2), (one, 3)]);
        assert_eq!(streams(&persistent, Shared), [(zero, 0), (one, 1)]);
        assert_eq!(streams(&persistent, Coldest), [(zero, 0), (one, 1)]);
        let mixed = streams(&[false, true], Separate);
        assert_eq!(mixed, [(zero, 2), (one, 3), (None, 2), (one, 3)]);
    }

    #[test]
    fn handles_are_apart_where_none_shares_a_unit_with_another_after_gc() {
        let is_apart = |persistent, frontiers| Handles::new(persistent, 0, frontiers).are_apart();
        assert!(is_apart(&[true, true], Frontiers::Separate));
        assert!(is_apart(&[false, false], Frontiers::Shared));
        assert!(!is_apart(&[false, true], Frontiers::Separate));
        assert!(!is_apart(&[false, false], Frontiers::Coldest));
        assert!(is_apart(&[false], Frontiers::Coldest));
    }

    #[test]
    fn a_stream_behind_those_of_handles_is_the_controllers() {
        let handles = Handles::new(&[true], 0, Frontiers::Separate);
        assert_eq!((handles.owner(StreamId(2)), handles.moved_to(StreamId(2)).0), (None, 2));
    }
}
