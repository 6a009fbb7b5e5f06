//! Any text in place of a format's name and options is a format or an error, never a panic.

use crate::trace;

const TRACE: &[u8] = b"time,op,offset,size,disk\n5000,R,4096,1,a\n\"6000\",write,0,2,b\n";

/// Tries one input.
pub fn run(text: &str) {
    trace::run(TRACE, Some(text));
    trace::run(TRACE, Some(&format!("csv:{text}")));
}
