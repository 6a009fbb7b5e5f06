//! The benchmarks.

use crate::case::{Case, Goal};
use crate::codes;
use crate::traces;
use wordline_codes::cpu::Isa;

/// Those of traces and codes, which take little memory: resident sizes are those of the process so
/// far.
pub const CASES: &[Case] = &[
    Case {
        goal: Goal { name: "trace/read/msr", unit: "M requests/s", value: 3.0, at_least: true },
        run: |tiny| traces::read("trace.csv", tiny),
    },
    Case {
        goal: Goal {
            name: "trace/read/wordline",
            unit: "M requests/s",
            value: 20.0,
            at_least: true,
        },
        run: |tiny| traces::read("trace.wlt", tiny),
    },
    Case {
        goal: Goal { name: "trace/statistics", unit: "M requests/s", value: 2.0, at_least: true },
        run: traces::statistics,
    },
    Case {
        goal: Goal {
            name: "trace/write/wordline",
            unit: "M requests/s",
            value: 5.0,
            at_least: true,
        },
        run: |tiny| traces::write("trace.wlt", tiny),
    },
    Case {
        goal: Goal {
            name: "code/polar/write",
            unit: "µs/try, 2^16 cells",
            value: 60.0,
            at_least: false,
        },
        run: |tiny| codes::polar_write(Isa::best(), tiny),
    },
    Case {
        goal: Goal {
            name: "code/polar/read",
            unit: "µs, 2^16 cells",
            value: 10.0,
            at_least: false,
        },
        run: |tiny| codes::polar_read(Isa::best(), tiny),
    },
    Case {
        goal: Goal {
            name: "code/polar/write/plain",
            unit: "µs/try, 2^16 cells",
            value: 60.0,
            at_least: false,
        },
        run: |tiny| codes::polar_write(Isa::Plain, tiny),
    },
    Case {
        goal: Goal {
            name: "code/polar/read/plain",
            unit: "µs, 2^16 cells",
            value: 20.0,
            at_least: false,
        },
        run: |tiny| codes::polar_read(Isa::Plain, tiny),
    },
    Case {
        goal: Goal {
            name: "code/polar/read/correct",
            unit: "µs, 2^16 cells",
            value: 1000.0,
            at_least: false,
        },
        run: codes::polar_correct,
    },
    Case {
        goal: Goal {
            name: "code/polar/bit-by-bit",
            unit: "x our time",
            value: 20.0,
            at_least: true,
        },
        run: codes::against_bit_by_bit,
    },
    Case {
        goal: Goal {
            name: "code/polar/round-trips",
            unit: "k pages/s, 2^12",
            value: 50.0,
            at_least: true,
        },
        run: codes::round_trips,
    },
    Case {
        goal: Goal {
            name: "code/ldgm/write",
            unit: "µs, 2^16 cells",
            value: 5000.0,
            at_least: false,
        },
        run: codes::ldgm_write,
    },
];
