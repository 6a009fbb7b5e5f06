//! The state before the first request: set directly, never replayed, so that its cost does not
//! depend on how long a drive takes to get there.

use super::fill::{Steady, fill, written_units};
use crate::engine::Count;
use crate::error::{Error, infeasible};
use crate::ftl::{Ask, Ftl, Io};
use crate::ids::{Id, Lpn};
use crate::metrics::Counters;
use crate::nand::Geometry;
use crate::policy::gc;
use crate::policy::hotness::{HostWrite, Part};
use crate::schema::{Config, Pattern};
use crate::technique::Hooks;
use crate::theory::Cleaning;
use crate::util::{Permutation, Rng};
use serde::Serialize;
use std::ops::Range;

/// Victims that the verification of a steady state aims at, and without which it says nothing: with a
/// hundred, the standard error of the policy that scatters most, random, is 9 %.
const VERIFY_VICTIMS: f64 = 400.0;
const VERIFY_VICTIMS_MIN: u64 = 100;
/// How often it is begun, where a drive had room that these writes did not use.
const VERIFY_TRIES: u32 = 2;
/// Writes, and units programmed for them, that it takes at most.
const VERIFY_WRITES_MAX: f64 = 4e6;
const VERIFY_PROGRAMS_MAX: u64 = 10_000_000;

/// Requests of a sequential fill that is written as the host writes.
const FILL_BYTES: u64 = 1 << 20;

/// Writes after which a set-up is asked whether it is to go on.
const ASK_WRITES: u32 = 4096;

/// What preconditioning did.
#[derive(Debug, Clone, Serialize)]
pub struct Preconditioning {
    /// The pattern.
    pub pattern: Pattern,
    /// Share of the logical space that was written.
    pub fill: f64,
    /// The closed form's write amplification, where a steady state was set.
    pub expected_write_amplification: Option<f64>,
    /// Write amplification of a short run of uniform writes from there; `None` where the run had too few victims.
    pub verified_write_amplification: Option<f64>,
    /// Writes of that run.
    pub verified_writes: u64,
    /// Its victims.
    pub verified_victims: u64,
}

impl Preconditioning {
    /// Nothing was done: the drive is as it was left.
    pub fn none() -> Self {
        Self {
            pattern: Pattern::None,
            fill: 0.0,
            expected_write_amplification: None,
            verified_write_amplification: None,
            verified_writes: 0,
            verified_victims: 0,
        }
    }
}

/// Brings an empty drive into the state that `config` asks for.
///
/// # Errors
/// What `ask` says, which is called every few milliseconds.
pub fn precondition<T: Hooks>(
    config: &Config,
    ftl: &mut Ftl<T, Count>,
    ask: Ask<'_>,
) -> Result<Preconditioning, Error> {
    let wanted = &config.precondition;
    let mut report = Preconditioning {
        pattern: wanted.pattern,
        fill: wanted.fill,
        expected_write_amplification: None,
        verified_write_amplification: None,
        verified_writes: 0,
        verified_victims: 0,
    };
    let is_replayed = matches!(wanted.pattern, Pattern::Sequential | Pattern::Random);
    if wanted.overwrites > 0.0 && !is_replayed {
        return Err(infeasible(
            format!(
                "precondition.overwrites, but nothing to overwrite with \"{}\"",
                wanted.pattern
            ),
            "set precondition.pattern to \"sequential\" or \"random\", or overwrites to 0",
        ));
    }
    if wanted.pattern == Pattern::None || wanted.fill == 0.0 {
        return Ok(report);
    }
    // A policy without a closed form begins with the state of greedy.
    let cleaning = (wanted.pattern == Pattern::Steady).then(|| cleaning(config, ftl));
    if cleaning.is_none() && ftl.technique.places_fill() {
        fill_as_the_host(config, ftl, ask)?;
        overwrite(config, ftl, ask)?;
        return Ok(report);
    }
    let steady = cleaning.map(|cleaning| {
        let written = written_units(config, &ftl.state);
        Steady { cleaning, beginnings: ftl.beginnings(config, cleaning, written) }
    });
    let fill = fill(config, &mut ftl.state, steady, ask)?;
    ftl.take_filled(&fill.blocks);
    if cleaning.is_none() {
        overwrite(config, ftl, ask)?;
    }
    if let Some(expected) = fill.expected {
        report.expected_write_amplification = Some(expected);
        // Of large superblocks, more writes than a set-up should take.
        if writes_of_victims(&ftl.state.geometry, VERIFY_VICTIMS_MIN as f64, expected)
            > VERIFY_WRITES_MAX
        {
            return Ok(report);
        }
        let counters = verify(config, ftl, fill.written, expected, ask)?;
        let is_verified = counters.gc_count >= VERIFY_VICTIMS_MIN;
        report.verified_write_amplification =
            counters.write_amplification().filter(|_| is_verified);
        report.verified_writes = counters.host_units;
        report.verified_victims = counters.gc_count;
    }
    Ok(report)
}

/// The policy whose steady state a drive begins with: of a choice of victims without a closed form, that
/// of the policy that the configuration names, and greedy otherwise.
fn cleaning<T: Hooks>(config: &Config, ftl: &Ftl<T, Count>) -> Cleaning {
    let named = || gc::build(config).cleaning();
    ftl.cleaning().or_else(named).unwrap_or(Cleaning::Greedy)
}

/// Writes the units one by one, so that the technique can say where each goes: in requests of a
/// mebibyte when sequential, otherwise of a unit. Erases on the way leave no wear.
fn fill_as_the_host<T: Hooks>(
    config: &Config,
    ftl: &mut Ftl<T, Count>,
    ask: Ask<'_>,
) -> Result<(), Error> {
    let written = written_units(config, &ftl.state);
    let units = request_units(config, ftl);
    let sequential = config.precondition.pattern == Pattern::Sequential;
    let permutation = Permutation::new(written, config.run.seed);
    let lpns = (0..written).map(|k| if sequential { k } else { permutation.place(k) });
    write_anew(config, ftl, units, lpns, ask)
}

/// Writes what was filled again, as often as the configuration says, by requests like those of the fill at
/// random places.
fn overwrite<T: Hooks>(
    config: &Config,
    ftl: &mut Ftl<T, Count>,
    ask: Ask<'_>,
) -> Result<(), Error> {
    let written = written_units(config, &ftl.state);
    let units = request_units(config, ftl);
    let units = u64::from(units);
    let requests = written.div_ceil(units);
    let again = requests as f64 * config.precondition.overwrites;
    let mut rng = Rng::new(config.run.seed, "overwrite");
    let places = (0..again.round() as u64).flat_map(|_| {
        let first = rng.below_wide(requests) * units;
        first..(first + units).min(written)
    });
    write_anew(config, ftl, units as u32, places, ask)
}

/// Units of a request with which a drive is filled.
fn request_units<T: Hooks>(config: &Config, ftl: &Ftl<T, Count>) -> u32 {
    match config.precondition.pattern {
        Pattern::Sequential => fill_units(ftl.state.geometry.unit_bytes, ftl.range_units()),
        _ => 1,
    }
}

/// Writes units that belong to aligned requests of so many. Erases on the way leave no wear.
fn write_anew<T: Hooks>(
    config: &Config,
    ftl: &mut Ftl<T, Count>,
    units: u32,
    lpns: impl Iterator<Item = u64>,
    ask: Ask<'_>,
) -> Result<(), Error> {
    let written = written_units(config, &ftl.state);
    let range = ftl.range_units();
    let unit_bytes = ftl.state.geometry.unit_bytes;
    let mut io = Io::new(Count::default());
    ftl.settings.wears = false;
    // Parts that follow one another differ in their number, the same one written again too.
    let mut number = 0;
    for (k, lpn) in lpns.map(Lpn).enumerate() {
        if (k as u64).is_multiple_of(ASK_WRITES.into()) {
            ask()?;
        }
        let first = lpn.range(units) * u64::from(units);
        let length = u64::from(units).min(written - first);
        number += u64::from(lpn == Lpn(first) || range > 0 && lpn.place_in_range(range) == 0);
        let write = HostWrite {
            lpn,
            request: lpn.range(units),
            request_offset_bytes: first * unit_bytes,
            request_bytes: (length * unit_bytes) as u32,
            now_ns: 0,
            handle: ftl.state.layout.first_stream().0 as u16,
            parity: false,
            part: (range > 0)
                .then(|| part_of_fill(first..first + length, lpn, range, unit_bytes, number)),
        };
        if !ftl.write_host(&mut io, &write, (), None) {
            break;
        }
    }
    ftl.end_all_programs(&mut io);
    ftl.finish_jobs(&mut io);
    ftl.forget_wear(config);
    Ok(())
}

/// Units of a request of a sequential fill: whole ranges, where units belong together.
fn fill_units(unit_bytes: u64, range_units: u32) -> u32 {
    let units = (FILL_BYTES / unit_bytes).max(1) as u32;
    let range = range_units.max(1);
    (units / range * range).max(range)
}

/// The part of a fill's request of these units to which a unit belongs.
fn part_of_fill(
    request: Range<u64>,
    lpn: Lpn,
    range_units: u32,
    unit_bytes: u64,
    number: u64,
) -> Part {
    let (range, units) = (lpn.range(range_units), u64::from(range_units));
    let first = request.start.max(range * units);
    let end = request.end.min((range + 1) * units);
    let bytes = (end - first) * unit_bytes;
    Part { number, bytes, last: Lpn(end - 1), has_waited: false }
}

/// Writes for which GC takes so many victims, by the write amplification to expect.
fn writes_of_victims(geometry: &Geometry, victims: f64, expected: f64) -> f64 {
    victims * geometry.units() as f64 / f64::from(geometry.blocks().count()) / expected
}

/// Counts of a short run of uniform writes. A technique that places data opens its blocks as the run
/// begins: there it counts once GC has come to as many blocks as there are planes. So it does where GC
/// hardly came: the drive holds back blocks for streams, and these writes are none of theirs.
fn verify<T: Hooks>(
    config: &Config,
    ftl: &mut Ftl<T, Count>,
    written: u64,
    expected: f64,
    ask: Ask<'_>,
) -> Result<Counters, Error> {
    let mut io = Io::new(Count::default());
    ftl.settings.wears = false;
    // Here is no idle time, in which GC keeps more blocks free than a write asks for.
    let limits = ftl.collector.limits.clone();
    ftl.collector.limits.iter_mut().for_each(|limit| limit.host = limit.in_use(config));
    let mut rng = Rng::new(config.run.seed, "verify");
    let has_room_to_begin_with = ftl.technique.places_fill();
    let geometry = &ftl.state.geometry;
    let planes = u64::from(geometry.planes().count());
    let writes = writes_of_victims(geometry, VERIFY_VICTIMS, expected);
    let writes = writes.clamp(1.0, VERIFY_WRITES_MAX) as u64;
    let mut request = 0;
    let mut write_until = |io: &mut Io<Count>, is_enough: &dyn Fn(&Counters) -> bool| {
        while !is_enough(&io.counters)
            && request < VERIFY_WRITES_MAX as u64
            && io.counters.units_programmed() < VERIFY_PROGRAMS_MAX
        {
            if request.is_multiple_of(ASK_WRITES.into()) {
                ask()?;
            }
            write_uniformly(ftl, io, Lpn(rng.below_wide(written)), request);
            request += 1;
        }
        Ok::<(), Error>(())
    };
    let mut has_room = has_room_to_begin_with;
    for _ in 0..VERIFY_TRIES {
        if has_room {
            write_until(&mut io, &|counters| counters.gc_count >= planes)?;
        }
        io.counters = Counters::default();
        write_until(&mut io, &|counters| counters.host_units >= writes)?;
        has_room = io.counters.gc_count < VERIFY_VICTIMS_MIN;
        if !has_room || io.counters.host_units < writes {
            break;
        }
    }
    let counters = io.counters.clone();
    ftl.end_all_programs(&mut io);
    ftl.finish_jobs(&mut io);
    ftl.collector.limits = limits;
    ftl.forget_wear(config);
    Ok(counters)
}

/// Writes a unit again that holds data.
fn write_uniformly<T: Hooks>(ftl: &mut Ftl<T, Count>, io: &mut Io<Count>, lpn: Lpn, request: u64) {
    let unit_bytes = ftl.state.geometry.unit_bytes;
    let part = Part { number: request, bytes: unit_bytes, last: lpn, has_waited: false };
    let write = HostWrite {
        lpn,
        request,
        request_offset_bytes: lpn.number() * unit_bytes,
        request_bytes: unit_bytes as u32,
        now_ns: 0,
        handle: 0,
        parity: false,
        part: (ftl.range_units() > 0).then_some(part),
    };
    if ftl.state.unit_of(lpn).is_some() {
        ftl.write_host(io, &write, (), None);
    }
}
