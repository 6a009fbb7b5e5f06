//! What several tests share.

use std::path::PathBuf;

/// The folder of traces; says so where there is none.
pub fn traces() -> Option<PathBuf> {
    let folder = std::env::var_os("WORDLINE_TRACES").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/traces")),
        PathBuf::from,
    );
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no traces at {}", folder.display());
    None
}
