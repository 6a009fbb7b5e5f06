//! Any text in place of a format's name and options is a format or an error, never a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wordline_fuzz::replay;

const TRACE: &[u8] = b"time,op,offset,size,disk\n5000,R,4096,1,a\n\"6000\",write,0,2,b\n";

fuzz_target!(|text: &str| {
    replay(TRACE, Some(text));
    replay(TRACE, Some(&format!("csv:{text}")));
});
