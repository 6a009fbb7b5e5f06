//! One block request, and where requests come from.

/// What a request asks of the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Op {
    /// Read data.
    Read,
    /// Write data.
    Write,
    /// Declare data dead (TRIM, discard, unmap).
    Trim,
    /// Make every acknowledged write durable.
    Flush,
}

/// Volumes that a workload can have: what is kept by their numbers then fits into memory.
pub const VOLUMES: usize = 1 << 20;

/// Where the host asks for a write to go: the placement identifier that it carries (NVM Express TP4146).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlacementId(pub u16);

/// One block request. Addresses and sizes are bytes, exactly as the trace has them: the drive
/// aligns them to its mapping unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Arrival, nanoseconds since the first request of the workload.
    pub arrival_ns: u64,
    /// First byte.
    pub offset_bytes: u64,
    /// Length in bytes; zero only for [`Op::Flush`].
    pub size_bytes: u32,
    /// The operation.
    pub op: Op,
    /// The volume, device or stream that it belongs to, below [`VOLUMES`].
    pub stream: u32,
    /// True for a write that is durable before it is acknowledged (force unit access).
    pub fua: bool,
    /// Where the host asks for a write to go; `None`: it does not say.
    pub placement: Option<PlacementId>,
}

impl Request {
    /// A request that arrives at 0, belongs to volume 0, need not be durable before it is acknowledged, and has no
    /// placement identifier.
    #[inline]
    pub const fn new(op: Op, offset_bytes: u64, size_bytes: u32) -> Self {
        Self { arrival_ns: 0, offset_bytes, size_bytes, op, stream: 0, fua: false, placement: None }
    }

    /// A flush.
    pub const fn flush(arrival_ns: u64, stream: u32) -> Self {
        Self::new(Op::Flush, 0, 0).at(arrival_ns).of_stream(stream)
    }

    /// It arrives at `arrival_ns`.
    #[inline]
    pub const fn at(self, arrival_ns: u64) -> Self {
        Self { arrival_ns, ..self }
    }

    /// It belongs to a volume, device or stream.
    #[inline]
    pub const fn of_stream(self, stream: u32) -> Self {
        Self { stream, ..self }
    }

    /// It is durable before it is acknowledged, or need not be.
    #[inline]
    pub const fn with_fua(self, fua: bool) -> Self {
        Self { fua, ..self }
    }

    /// It carries a placement identifier, or none.
    #[inline]
    pub const fn with_placement(self, placement: Option<PlacementId>) -> Self {
        Self { placement, ..self }
    }
}

/// Records of a file that are no requests for data, and were passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// What they are.
    pub reason: &'static str,
    /// How many.
    pub count: u64,
    /// Whether a figure may lack something without them.
    pub is_missed: bool,
}

impl Skipped {
    /// Counts one more under `reason`.
    pub fn count_in(list: &mut Vec<Self>, reason: &'static str, is_missed: bool) {
        match list.iter_mut().find(|skipped| skipped.reason == reason) {
            Some(skipped) => skipped.count += 1,
            None => list.push(Self { reason, count: 1, is_missed }),
        }
    }
}

/// A place in a workload, from its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// The request of this number, from 0.
    Request(u64),
    /// The first request that arrives at this time, in nanoseconds, or later.
    Time(u64),
}

/// The range of the drive in which a volume lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    /// The volume.
    pub stream: u32,
    /// Its first byte in the drive.
    pub first_byte: u64,
    /// Its length up to the highest byte that the workload touches, in bytes.
    pub bytes: u64,
}

/// Requests per batch when arrivals are only looked at.
const BATCH_REQUESTS: usize = 4096;

/// A stream of requests, in batches so that the dynamic call costs nothing per request.
pub trait Source: Send {
    /// A name for tables and results.
    fn name(&self) -> &str;

    /// Replaces the content of `batch` with the next requests, at most `batch.capacity()` (at
    /// least one); leaves it empty when the workload has ended.
    ///
    /// # Errors
    /// A malformed record, named with file and line.
    fn next_batch(&mut self, batch: &mut Vec<Request>) -> Result<(), crate::Error>;

    /// Starts again from the first request; what follows is the same, bit for bit.
    ///
    /// # Errors
    /// A file that can no longer be opened.
    fn rewind(&mut self) -> Result<(), crate::Error>;

    /// Goes on at `position` where that is quicker than reading up to it. False where it is not:
    /// then the source stands where it stood.
    ///
    /// # Errors
    /// A file that can no longer be read.
    fn seek(&mut self, position: Position) -> Result<bool, crate::Error> {
        let _ = position;
        Ok(false)
    }

    /// Requests so far whose time stamp lay before the one ahead of them; they arrive together
    /// with it, so that time never runs backwards.
    fn clamped_arrivals(&self) -> u64 {
        0
    }

    /// Records so far that are no requests for data, by reason, in the order of first appearance.
    fn skipped(&self) -> &[Skipped] {
        &[]
    }

    /// What was mended, left out or inferred so far to read the workload: a sentence each, with its remedy.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// Puts the requests in the order of their time stamps, whatever the order of the file. To be called before the
    /// first batch.
    fn sort_by_time(&mut self) {}

    /// Whether the user said that the sizes are in bytes, so that no bytes can have been taken for sectors.
    fn has_sizes_in_bytes(&self) -> bool {
        false
    }

    /// Names of the streams that have appeared so far, or of all, by number: an empty one for a
    /// stream that has none; no names where streams are numbers.
    fn stream_names(&self) -> &[String] {
        &[]
    }

    /// When a request with arrival 0 was issued, in nanoseconds since 1970-01-01 UTC, once the first
    /// batch was taken; `None` where that is not known.
    fn start_unix_ns(&self) -> Option<u64> {
        None
    }

    /// Where the volumes lie in the drive, once several were met and laid side by side.
    fn placed(&self) -> &[Placed] {
        &[]
    }

    /// Requests in all, where that is known beforehand (for progress only).
    fn len_hint(&self) -> Option<u64> {
        None
    }

    /// The bytes from 0 over which the addresses of all requests are drawn uniformly and independently;
    /// `None` where they are not, or nobody knows.
    fn uniform_span_bytes(&self) -> Option<u64> {
        None
    }

    /// Whether any request arrives later than at 0, where that is known without reading.
    fn has_times(&self) -> Option<bool> {
        None
    }

    /// True for generated workloads: reports say so.
    fn is_synthetic(&self) -> bool;
}

/// Whether any request of `source` arrives later than at 0; the source begins again.
///
/// # Errors
/// A malformed record ahead of the first such request; a source that cannot begin again.
pub fn has_times(source: &mut dyn Source) -> Result<bool, crate::Error> {
    if let Some(known) = source.has_times() {
        return Ok(known);
    }
    let mut batch = Vec::with_capacity(BATCH_REQUESTS);
    let mut found = false;
    while !found {
        source.next_batch(&mut batch)?;
        if batch.is_empty() {
            break;
        }
        found = batch.iter().any(|request| request.arrival_ns > 0);
    }
    source.rewind()?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::Request;

    /// Batches are copied: a request that grows makes every replay slower.
    #[test]
    fn a_request_takes_half_a_line_of_the_cache() {
        assert_eq!(size_of::<Request>(), 32);
    }
}
