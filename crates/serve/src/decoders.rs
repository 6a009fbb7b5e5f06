//! Decoders for the threads that serve a drive.

use crate::locked::lock;
use crate::store::Sensing;
use std::sync::Mutex;
use wordline_media::{Decoder, Lost, Reads};

/// The decoders of a drive, or of each drive of an array.
pub struct Decoders(Vec<Kind>);

/// Decoders of the same drive.
struct Kind {
    /// One of which there can be more.
    first: Decoder,
    /// Those that no thread uses now.
    spare: Mutex<Vec<Decoder>>,
}

impl Decoders {
    /// Decoders of drives, by their numbers.
    pub fn new(first: Vec<Decoder>) -> Self {
        let kind = |first| Kind { first, spare: Mutex::default() };
        Self(first.into_iter().map(kind).collect())
    }

    /// The data of a unit, written to `data`; what it took is added to `reads`.
    ///
    /// # Errors
    /// It cannot be had.
    pub fn decode(&self, of: &Sensing, data: &mut [u8], reads: &mut Reads) -> Result<(), Lost> {
        let kind = &self.0[of.by];
        let spare = lock(&kind.spare).pop();
        let mut decoder = spare.unwrap_or_else(|| kind.first.clone());
        let decoded = decoder.decode(&of.sensed, data, reads);
        lock(&kind.spare).push(decoder);
        decoded
    }
}
