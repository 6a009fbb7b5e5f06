//! A block: up to 4,096 requests by columns, each block readable by itself.

use super::Damage;
use super::column::{COLUMN, Cursor, pack, put_varint};
use crate::{Op, PlacementId, Request, VOLUMES};

/// Requests in a block at most.
pub(crate) const BLOCK: usize = 4096;

/// Addresses as they are, and as distances from the end of the request ahead.
const PLAIN: u8 = 0;
const FROM_END: u8 = 1;

/// Appends `requests`, whose arrivals must not run backwards, to `out`. The first arrival is not
/// part of it.
pub(crate) fn encode(requests: &[Request], out: &mut Vec<u8>) {
    let mut before = Before::start(requests.first().map_or(0, |first| first.arrival_ns));
    for group in requests.chunks(COLUMN) {
        encode_group(group, &mut before, out);
    }
}

/// What the next request is told by: the one ahead of it in the block.
#[derive(Clone, Copy)]
struct Before {
    arrival_ns: u64,
    end_bytes: u64,
}

impl Before {
    fn start(arrival_ns: u64) -> Self {
        Self { arrival_ns, end_bytes: 0 }
    }
}

fn encode_group(group: &[Request], before: &mut Before, out: &mut Vec<u8>) {
    let mut values = [0; COLUMN];
    let values = &mut values[..group.len()];
    let mut column = |out: &mut Vec<u8>, of: &mut dyn FnMut(&Request) -> u64| {
        values.iter_mut().zip(group).for_each(|(value, request)| *value = of(request));
        pack(values, out);
    };
    column(out, &mut |request| {
        let ahead_ns = std::mem::replace(&mut before.arrival_ns, request.arrival_ns);
        request.arrival_ns - ahead_ns
    });
    column(out, &mut |request| u64::from(request.size_bytes));
    column(out, &mut operation);
    column(out, &mut |request| u64::from(request.stream));
    encode_offsets(group, before, out);
}

/// The operation of a request with its hints, as a number.
fn operation(request: &Request) -> u64 {
    let op = if request.fua { FUA } else { request.op as u64 };
    request.placement.map_or(op, |PlacementId(number)| op + (u64::from(number) + 1) * KINDS)
}

/// Addresses in whichever of the two ways takes less room.
fn encode_offsets(group: &[Request], before: &mut Before, out: &mut Vec<u8>) {
    let plain: Vec<u64> = group.iter().map(|request| request.offset_bytes).collect();
    let distances: Vec<i64> = group
        .iter()
        .map(|request| {
            let end = request.offset_bytes.wrapping_add(u64::from(request.size_bytes));
            let ahead = std::mem::replace(&mut before.end_bytes, end);
            request.offset_bytes.wrapping_sub(ahead) as i64
        })
        .collect();
    let unit = unit_of(&distances);
    let zigzag: Vec<u64> =
        distances.iter().map(|d| d / unit).map(|d| (d << 1 ^ d >> 63) as u64).collect();
    let start = out.len();
    out.push(PLAIN);
    pack(&plain, out);
    let mut other = vec![FROM_END];
    put_varint(unit as u64, &mut other);
    pack(&zigzag, &mut other);
    if other.len() < out.len() - start {
        out.truncate(start);
        out.extend_from_slice(&other);
    }
}

/// The largest power of two that divides every distance.
fn unit_of(distances: &[i64]) -> i64 {
    let together = distances.iter().fold(0, |bits, distance| bits | distance);
    1 << together.trailing_zeros().min(62)
}

/// Reads `count` requests, the first of which arrives at `first_ns`, from `bytes` (with slack
/// behind them) and appends them to `requests`.
pub(crate) fn decode(
    bytes: &[u8],
    count: usize,
    first_ns: u64,
    requests: &mut Vec<Request>,
) -> Result<(), Damage> {
    let mut cursor = Cursor::new(bytes);
    let mut before = Before::start(first_ns);
    let mut group = Group::new();
    let mut left = count;
    while left > 0 {
        let length = left.min(COLUMN);
        group.read(&mut cursor, length)?;
        group.append(length, &mut before, requests)?;
        left -= length;
    }
    if cursor.is_at_end() { Ok(()) } else { Err(Damage::Long) }
}

/// The columns of up to 256 requests.
struct Group {
    gaps_ns: [u64; COLUMN],
    sizes: [u64; COLUMN],
    ops: [u64; COLUMN],
    streams: [u64; COLUMN],
    offsets: [u64; COLUMN],
    /// Unit of distances, where the offsets are distances.
    distance_unit: Option<u64>,
}

impl Group {
    fn new() -> Self {
        let column = [0; COLUMN];
        Self {
            gaps_ns: column,
            sizes: column,
            ops: column,
            streams: column,
            offsets: column,
            distance_unit: None,
        }
    }

    fn read(&mut self, cursor: &mut Cursor<'_>, length: usize) -> Result<(), Damage> {
        cursor.unpack(&mut self.gaps_ns[..length])?;
        cursor.unpack(&mut self.sizes[..length])?;
        cursor.unpack(&mut self.ops[..length])?;
        cursor.unpack(&mut self.streams[..length])?;
        self.distance_unit = match cursor.byte()? {
            PLAIN => None,
            FROM_END => Some(cursor.varint()?),
            _ => return Err(Damage::Number),
        };
        cursor.unpack(&mut self.offsets[..length])
    }

    fn append(
        &self,
        length: usize,
        before: &mut Before,
        requests: &mut Vec<Request>,
    ) -> Result<(), Damage> {
        let largest = |column: &[u64; COLUMN]| column[..length].iter().fold(0, |a, &b| a.max(b));
        if largest(&self.sizes) > u64::from(u32::MAX)
            || largest(&self.streams) > VOLUMES as u64 - 1
            || largest(&self.ops) >= KINDS * (u64::from(u16::MAX) + 2)
        {
            return Err(Damage::Number);
        }
        let (mut runs_over, mut is_empty) = (false, false);
        requests.extend((0..length).map(|i| {
            let (arrival_ns, over) = before.arrival_ns.overflowing_add(self.gaps_ns[i]);
            runs_over |= over;
            before.arrival_ns = arrival_ns;
            let size_bytes = self.sizes[i] as u32;
            let offset_bytes = match self.distance_unit {
                None => self.offsets[i],
                Some(unit) => {
                    let zigzag = self.offsets[i];
                    let distance = (zigzag >> 1) ^ (zigzag & 1).wrapping_neg();
                    before.end_bytes.wrapping_add(distance.wrapping_mul(unit))
                }
            };
            before.end_bytes = offset_bytes.wrapping_add(u64::from(size_bytes));
            let (kind, placement) = (self.ops[i] % KINDS, self.ops[i] / KINDS);
            let fua = kind == FUA;
            let op = if fua { Op::Write } else { OPS[kind as usize % OPS.len()] };
            is_empty |= size_bytes == 0 && op != Op::Flush;
            Request::new(op, offset_bytes, size_bytes)
                .at(arrival_ns)
                .of_stream(self.streams[i] as u32)
                .with_fua(fua)
                .with_placement(placement.checked_sub(1).map(|number| PlacementId(number as u16)))
        }));
        if runs_over || is_empty { Err(Damage::Number) } else { Ok(()) }
    }
}

/// Operations by their number in a file.
const OPS: [Op; 4] = [Op::Read, Op::Write, Op::Trim, Op::Flush];
/// A write that is durable at once; since version 3.
const FUA: u64 = OPS.len() as u64;
/// Numbers of operations. With a placement identifier, so many are added for each up to its own; since version 6.
const KINDS: u64 = FUA + 1;

#[cfg(test)]
mod tests {
    use super::super::column::SLACK_BYTES;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_a_flush_may_be_empty() {
        let decoded = |op| {
            let request = Request::new(op, 4096, 0).at(7);
            let mut bytes = Vec::new();
            encode(&[request], &mut bytes);
            bytes.extend([0; SLACK_BYTES]);
            decode(&bytes, 1, 0, &mut Vec::new())
        };
        assert!(decoded(Op::Flush).is_ok());
        for op in [Op::Read, Op::Write, Op::Trim] {
            assert!(decoded(op).is_err(), "{op:?}");
        }
    }

    #[test]
    fn numbers_beyond_their_columns_are_refused() {
        let accepted = |change: fn(&mut Group)| {
            let mut group = Group::new();
            group.sizes[0] = u64::from(u32::MAX);
            group.streams[0] = VOLUMES as u64 - 1;
            group.ops[0] = KINDS * (u64::from(u16::MAX) + 2) - 1;
            change(&mut group);
            group.append(1, &mut Before::start(0), &mut Vec::new()).is_ok()
        };
        assert!(accepted(|_| {}));
        assert!(!accepted(|group| group.sizes[0] += 1));
        assert!(!accepted(|group| group.streams[0] += 1));
        assert!(!accepted(|group| group.ops[0] += 1));
    }

    proptest! {
        /// What lies behind the checksums is safe without them.
        #[test]
        fn a_wrong_byte_is_another_block_or_an_error(
            sizes in prop::collection::vec(1u32..100_000, 1..600),
            place: prop::sample::Index,
            byte: u8,
        ) {
            let request = |(i, &size_bytes): (usize, &u32)| Request::new(Op::Write, u64::from(size_bytes) << 20, size_bytes).at(100 * i as u64).of_stream(3);
            let requests: Vec<Request> = sizes.iter().enumerate().map(request).collect();
            let mut bytes = Vec::new();
            encode(&requests, &mut bytes);
            let place = place.index(bytes.len());
            bytes[place] = byte;
            bytes.extend([0; SLACK_BYTES]);
            let mut found = Vec::new();
            if decode(&bytes, requests.len(), 0, &mut found).is_ok() {
                prop_assert_eq!(found.len(), requests.len());
                prop_assert!(found.is_sorted_by_key(|request| request.arrival_ns));
            }
        }
    }
}
