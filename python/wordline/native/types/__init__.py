"""What comes back from Rust, as typed and frozen classes; all but `record` is generated."""
