//! Some volumes of a workload.

use super::as_inside;
use crate::{Error, Position, Request, Source};

/// The requests of some volumes.
pub(super) struct Choose {
    inside: Box<dyn Source>,
    volumes: Vec<u32>,
}

impl Choose {
    pub fn new(inside: Box<dyn Source>, volumes: &[u32]) -> Self {
        let mut volumes = volumes.to_vec();
        volumes.sort_unstable();
        Self { inside, volumes }
    }
}

impl Source for Choose {
    as_inside!();

    fn next_batch(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        loop {
            self.inside.next_batch(batch)?;
            if batch.is_empty() {
                return Ok(());
            }
            batch.retain(|request| self.volumes.binary_search(&request.stream).is_ok());
            if !batch.is_empty() {
                return Ok(());
            }
        }
    }

    fn rewind(&mut self) -> Result<(), Error> {
        self.inside.rewind()
    }

    fn start_unix_ns(&self) -> Option<u64> {
        self.inside.start_unix_ns()
    }

    fn seek(&mut self, position: Position) -> Result<bool, Error> {
        match position {
            Position::Time(_) => self.inside.seek(position),
            // How many requests of other volumes stand ahead is not known.
            Position::Request(_) => Ok(false),
        }
    }
}
