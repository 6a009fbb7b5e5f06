//! What a format that can be written does with requests.

use crate::Request;

/// Turns requests into the bytes of a format.
pub(super) trait Encoder: Send {
    /// Appends what stands ahead of the first request.
    fn begin(&mut self, out: &mut Vec<u8>);
    /// Appends requests, in the order of their arrivals.
    fn encode(&mut self, requests: &[Request], out: &mut Vec<u8>);
    /// Appends what stands behind the last request; `names` are those of volumes, by number, and `notes` say what was
    /// mended of the requests.
    fn end(&mut self, names: &[String], notes: &[String], out: &mut Vec<u8>);
}
