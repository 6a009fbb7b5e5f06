//! Codes: write-once-memory codes and error correction. Knows nothing of the simulator.
