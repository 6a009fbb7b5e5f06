//! The cell laboratory: threshold voltages, programs, disturb, retention and erase. Knows nothing
//! of the simulator.
