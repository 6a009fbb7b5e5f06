//! Placement identifiers by a rule, for workloads that carry none.

use super::as_inside;
use crate::{Error, Op, PlacementId, Position, Request, Source};

/// Which placement identifier each write carries.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Placing {
    /// The one that it has in its workload, if it has any.
    #[default]
    AsGiven,
    /// The number of its volume, device or stream.
    ByStream,
    /// The number of these sizes, in bytes and rising, which it exceeds.
    BySize(Vec<u64>),
    /// The identifier of the first of these ranges in which its first byte lies, and 0 elsewhere: lines `start, end, identifier`, the
    /// end excluded, as in fio's `dp_scheme` files.
    ByRange(Vec<String>),
}

/// A rule that can be followed.
enum Rule {
    Stream,
    Size(Vec<u64>),
    Range(Vec<Range>),
}

/// Bytes from the first up to the end, which carry an identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Range {
    first_byte: u64,
    end_byte: u64,
    id: PlacementId,
}

/// Gives the writes of a workload placement identifiers.
pub(super) struct WithPlacement {
    inside: Box<dyn Source>,
    rule: Rule,
}

impl WithPlacement {
    /// `inside`, with identifiers if the rule asks for others than it has.
    ///
    /// # Errors
    /// Sizes that do not rise, a line that is no range.
    pub fn around(inside: Box<dyn Source>, placing: &Placing) -> Result<Box<dyn Source>, Error> {
        let rule = match placing {
            Placing::AsGiven => return Ok(inside),
            Placing::ByStream => Rule::Stream,
            Placing::BySize(bounds) if bounds.is_sorted_by(|a, b| a < b) => {
                Rule::Size(bounds.clone())
            }
            Placing::BySize(_) => {
                let what = "a size is not larger than the one before it";
                return Err(Error::new(what, "placement by size", "put them in rising order"));
            }
            Placing::ByRange(lines) => Rule::Range(ranges(lines)?),
        };
        Ok(Box::new(Self { inside, rule }))
    }
}

impl Rule {
    fn id(&self, request: &Request) -> PlacementId {
        match self {
            Self::Stream => PlacementId(u16::try_from(request.stream).unwrap_or(u16::MAX)),
            Self::Size(bounds) => {
                let exceeded = bounds.partition_point(|&it| it < u64::from(request.size_bytes));
                PlacementId(exceeded as u16)
            }
            Self::Range(ranges) => {
                let holds = |range: &&Range| {
                    (range.first_byte..range.end_byte).contains(&request.offset_bytes)
                };
                ranges.iter().find(holds).map_or(PlacementId(0), |range| range.id)
            }
        }
    }
}

/// The ranges that lines name.
fn ranges(lines: &[String]) -> Result<Vec<Range>, Error> {
    if lines.is_empty() {
        let help = "give lines of `start, end, identifier`, as in fio's dp_scheme files";
        return Err(Error::new("there is no range", "placement by address", help));
    }
    let numbered = (1..).zip(lines);
    numbered.map(|(number, line)| range(line).ok_or_else(|| no_range(number, line))).collect()
}

fn no_range(number: usize, line: &str) -> Error {
    let help = "give `start, end, identifier`: bytes, the end excluded and above the start, and 0 to 65535, as in `0, 1073741824, 1`";
    let place = format!("placement by address, range {number}");
    Error::new(format!("`{line}` is no range"), place, help)
}

fn range(line: &str) -> Option<Range> {
    let parts: Vec<&str> = line.split(',').map(str::trim).collect();
    let [first, end, id] = parts[..] else { return None };
    let (first_byte, end_byte) = (first.parse().ok()?, end.parse().ok()?);
    let id = PlacementId(id.parse().ok()?);
    (first_byte < end_byte).then_some(Range { first_byte, end_byte, id })
}

impl Source for WithPlacement {
    as_inside!();

    fn next_batch(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        self.inside.next_batch(batch)?;
        for request in batch.iter_mut().filter(|request| request.op == Op::Write) {
            request.placement = Some(self.rule.id(request));
        }
        Ok(())
    }

    fn rewind(&mut self) -> Result<(), Error> {
        self.inside.rewind()
    }

    fn seek(&mut self, position: Position) -> Result<bool, Error> {
        self.inside.seek(position)
    }

    fn start_unix_ns(&self) -> Option<u64> {
        self.inside.start_unix_ns()
    }

    fn len_hint(&self) -> Option<u64> {
        self.inside.len_hint()
    }

    fn placed(&self) -> &[super::Placed] {
        self.inside.placed()
    }

    fn uniform_span_bytes(&self) -> Option<u64> {
        self.inside.uniform_span_bytes()
    }
}
