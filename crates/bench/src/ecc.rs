//! Benchmarks of error correction.

use crate::case::{Case, Goal, Measured};
use std::time::Duration;
use wordline_codes::cpu::Isa;
use wordline_codes::ecc::Ecc;
use wordline_codes::ecc::bch::Bch;
use wordline_codes::ecc::ldpc::Ldpc;
use wordline_codes::ecc::speed::{Speed, measure};
use wordline_sim::peak_rss_mib;

/// All of them. The goals of BCH are what Linux's `lib/bch` takes for the same work (docs/ecc.md);
/// those of LDPC a gigabyte a second, a hundred megabytes a second, and without vectors four.
pub const CASES: &[Case] = &[
    case("ecc/bch/encode", "µs/KiB, t = 72", 2.6, |tiny| bch(72, 72, tiny, |s| s.encode_us)),
    case("ecc/bch/decode", "µs/KiB, t = 72", 145.0, |tiny| bch(72, 72, tiny, |s| s.decode_us)),
    case("ecc/bch/decode/half", "µs/KiB, 36 of 72", 68.0, |tiny| {
        bch(72, 36, tiny, |s| s.decode_us)
    }),
    case("ecc/bch/decode/few", "µs/KiB, 4 of 8", 3.5, |tiny| bch(8, 4, tiny, |s| s.decode_us)),
    case("ecc/bch/decode/split", "µs/KiB, 5 of 8", 4.9, |tiny| bch(8, 5, tiny, |s| s.decode_us)),
    case("ecc/ldpc/encode", "µs/4 KiB", 4.1, |tiny| ldpc(Isa::best(), tiny, |s| s.encode_us)),
    case("ecc/ldpc/decode", "µs/4 KiB, 100", 41.0, |tiny| {
        ldpc(Isa::best(), tiny, |s| s.decode_us)
    }),
    case("ecc/ldpc/decode/plain", "µs/4 KiB, 100", 1024.0, |tiny| {
        ldpc(Isa::Plain, tiny, |s| s.decode_us)
    }),
];

/// A benchmark that should take at most `goal`.
const fn case(
    name: &'static str,
    unit: &'static str,
    goal: f64,
    run: fn(bool) -> Result<Measured, String>,
) -> Case {
    Case { goal: Goal { name, unit, value: goal, at_least: false }, run }
}

/// A BCH code for 1 KiB with `errors` wrong bits.
fn bch(t: usize, errors: usize, tiny: bool, of: fn(&Speed) -> f64) -> Result<Measured, String> {
    let mut code = Bch::new(1024, t).map_err(|error| error.to_string())?;
    measured(&mut code, errors, tiny, of)
}

/// The LDPC code of 14 rows with 100 wrong bits.
fn ldpc(isa: Isa, tiny: bool, of: fn(&Speed) -> f64) -> Result<Measured, String> {
    let code = Ldpc::load(14).and_then(|code| code.with_isa(isa));
    measured(&mut code.ok_or("there is no such code")?, 100, tiny, of)
}

fn measured(
    code: &mut dyn Ecc,
    errors: usize,
    tiny: bool,
    of: fn(&Speed) -> f64,
) -> Result<Measured, String> {
    let speed = measure(code, errors, Duration::from_millis(if tiny { 0 } else { 500 }));
    if speed.refused > 0 {
        return Err(format!("{} of {} words were refused", speed.refused, speed.words));
    }
    Ok(Measured { value: of(&speed), peak_rss_mib: peak_rss_mib() })
}
