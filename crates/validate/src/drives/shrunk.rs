//! A workload over the whole of a real drive, on fewer units.

use wordline_trace::{Error, Request, Source};

/// The page of the default drive.
pub const UNIT_BYTES: u64 = 4096;

/// Requests of a page each of a real drive; the place that a request has in the space is what it keeps. The
/// laws of popularity depend on how many addresses there are, so they are drawn over all of them.
pub struct Shrunk {
    /// The requests of the real drive.
    pub source: Box<dyn Source>,
    /// Its space, in bytes.
    pub space_bytes: u64,
    /// Units of ours.
    pub units: u64,
}

impl Shrunk {
    fn shrink(&self, request: &mut Request) {
        let place = u128::from(request.offset_bytes) * u128::from(self.units);
        request.offset_bytes = (place / u128::from(self.space_bytes)) as u64 * UNIT_BYTES;
        request.size_bytes = UNIT_BYTES as u32;
    }
}

impl Source for Shrunk {
    fn name(&self) -> &str {
        self.source.name()
    }

    fn next_batch(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        self.source.next_batch(batch)?;
        batch.iter_mut().for_each(|request| self.shrink(request));
        Ok(())
    }

    fn rewind(&mut self) -> Result<(), Error> {
        self.source.rewind()
    }

    fn len_hint(&self) -> Option<u64> {
        self.source.len_hint()
    }

    fn is_synthetic(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_trace::{GeneratorContext, from_spec};

    #[test]
    fn places_are_kept_and_popular_ones_fall_together() {
        let context = GeneratorContext::on_drive(1000 * 4096, 1);
        let source = from_spec("sequential:writes=1000", &context).unwrap();
        let mut shrunk = Shrunk { source, space_bytes: 1000 * 4096, units: 10 };
        let (mut batch, mut counts) = (Vec::with_capacity(64), [0; 10]);
        loop {
            shrunk.next_batch(&mut batch).unwrap();
            if batch.is_empty() {
                break;
            }
            for request in &batch {
                assert_eq!((request.offset_bytes % 4096, request.size_bytes), (0, 4096));
                counts[(request.offset_bytes / 4096) as usize] += 1;
            }
        }
        assert_eq!(counts, [100; 10]);
    }
}
