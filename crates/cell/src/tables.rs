//! What a drive needs of a chip, as tables in CSV: latencies, energies, error rates, and erases by
//! scheme.
//!
//! Each table begins with a line that names its kind, version and chip, so that a reader can refuse
//! what it does not know; then come the names of the columns. The same chip gives the same bytes on
//! every machine.

use crate::energy::{self, Loops};
use crate::erase::cycling::{cycle, equivalent_pec, stride_pec};
use crate::erase::{Erase, Scheme};
use crate::math::at_least;
use crate::pagewise::{Order, Pages, Pattern};
use crate::reprogram::MOST_REPROGRAMS;
use crate::{Chip, Conditions, Error, Levels, Plan, WordLine, analytic, moves, read};
use std::fmt::Write;

mod pulses;
mod staged;

/// Version of the tables' columns.
pub const VERSION: u32 = 1;

/// Wear in the error rates, as shares of the chip's endurance.
const WEAR: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
/// Ages in the error rates, in hours: fresh, a day, a month, three months, a year.
const AGES_H: [f64; 5] = [0.0, 24.0, 730.0, 2190.0, 8760.0];
/// Temperatures in the error rates, in °C.
const TEMPERATURES_C: [f64; 2] = [40.0, 55.0];
const LAST_AGE_H: f64 = AGES_H[AGES_H.len() - 1];
/// Ages and temperatures of the error rates of what holds data for long.
const USUAL: Grid<'_> = (&AGES_H, &TEMPERATURES_C);
/// Error rates below this are rounding of the grid's sums, and are written as this.
const LEAST_RATE: f64 = 1e-12;

/// Ages in hours, and temperatures in °C.
type Grid<'a> = (&'a [f64], &'a [f64]);

/// A table: its file's name, and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Such as `rber.csv`.
    pub file: &'static str,
    /// The whole text.
    pub text: String,
}

/// All tables of the preset `name`.
///
/// # Errors
/// An unknown chip.
pub fn of_chip(name: &str) -> Result<Vec<Table>, Error> {
    of(name, &Chip::preset(name)?)
}

/// All tables of a chip, called `name`; those of erases only where it is known how its blocks erase.
///
/// # Errors
/// A mode that the chip cannot be programmed in, or laws that do not reach its endurance.
pub fn of(name: &str, chip: &Chip) -> Result<Vec<Table>, Error> {
    hardest(chip).iter().try_for_each(|conditions| conditions.check(chip))?;
    let modes: Vec<(Levels, Plan)> = Levels::ALL
        .into_iter()
        .filter(|levels| *levels <= chip.levels)
        .map(|levels| Ok((levels, Plan::mode(chip, levels)?)))
        .collect::<Result<_, Error>>()?;
    let mut tables = vec![
        table("latency.csv", name, "operation,mode,page,latency_us", |out| {
            modes.iter().for_each(|(levels, plan)| latencies(chip, *levels, plan, out));
            chip.stages.iter().for_each(|stages| staged::latencies(chip, stages, out));
        }),
        table(
            "rber.csv",
            name,
            "mode,pec,age_h,temperature_c,page,rber_default,rber_optimal",
            |out| {
                for (levels, plan) in &modes {
                    let own_c = staged::temperatures_c(chip, *levels);
                    error_rates(chip, levels.name(), plan, (&AGES_H, &own_c), out);
                }
                chip.stages.iter().for_each(|stages| staged::errors(chip, stages, out));
            },
        ),
        table("energy.csv", name, "operation,mode,page,energy_uj", |out| {
            modes.iter().for_each(|(levels, plan)| energies(chip, *levels, plan, out));
            let pulse = energy::erase_uj(chip, 1.0);
            row(out, format_args!("erase_pulse,{},block,{pulse:.2}", chip.levels.name()));
        }),
    ];
    let again = reprograms(chip);
    if !again.is_empty() {
        let columns = "mode,reprograms,pec,age_h,temperature_c,page,rber_default,rber_optimal";
        tables.push(table("reprogram.csv", name, columns, |out| {
            again.iter().for_each(|(mode, plan)| error_rates(chip, mode, plan, USUAL, out));
        }));
    }
    if let Some(erase) = &chip.erase {
        let borrowed = chip.erase_as.as_ref();
        let name = &borrowed.map_or_else(
            || name.to_owned(),
            |lender| {
                format!("{name}, whose erases are not measured but borrowed from {}", lender.chip)
            },
        );
        tables.push(table("erase.csv", name, "scheme,pec,pulse_ms,share_of_blocks", |out| {
            Scheme::ALL.into_iter().for_each(|scheme| erases(erase, scheme, out));
        }));
        let columns = "scheme,pec,mean_pulse_ms,mean_damage_ms,equivalent_ispe_pec";
        tables.push(table("wear.csv", name, columns, |out| {
            Scheme::ALL.into_iter().for_each(|scheme| wear(erase, scheme, out));
        }));
        tables.push(table("pulses.csv", name, "curve,pulse,at,value", |out| {
            pulses::curves(chip, erase, out);
        }));
    }
    Ok(tables)
}

/// P/E cycles between rows of the erase tables.
fn every_pec(erase: &Erase) -> u32 {
    10 * stride_pec(erase)
}

/// The hardest conditions of any table; all others lie between these and none.
fn hardest(chip: &Chip) -> Vec<Conditions> {
    let most = chip.erase.as_ref().map_or(0.0, |erase| erase.endurance_pec);
    let pec = most.max(chip.endurance_pec);
    let hottest = TEMPERATURES_C.into_iter().chain([chip.retention.reference_c]);
    hottest.map(|c| Conditions::fresh(pec).aged(LAST_AGE_H, c)).collect()
}

fn table(file: &'static str, chip: &str, columns: &str, rows: impl Fn(&mut String)) -> Table {
    let kind = file.trim_end_matches(".csv");
    let mut text =
        format!("# wordline cell table: {kind}, version {VERSION}, chip {chip}\n{columns}\n");
    rows(&mut text);
    Table { file, text }
}

/// Adds a row; writing into a string cannot fail.
fn row(out: &mut String, row: std::fmt::Arguments<'_>) {
    let _ = writeln!(out, "{row}");
}

/// The programs of a word line, and a read of each page.
fn latencies(chip: &Chip, levels: Levels, plan: &Plan, out: &mut String) {
    let name = levels.name();
    for (page, loops) in programs(chip, plan) {
        row(out, format_args!("program,{name},{page},{:.1}", loops.count * chip.program.loop_us));
    }
    for page in 0..plan.pages {
        let read_us = chip.read.sense_us * plan.sensings(page) as f64;
        row(out, format_args!("read,{name},{page},{read_us:.1}"));
    }
}

/// Loops of each program command of a plan, with the page that it writes: all at once, or one page
/// after the other.
fn programs(chip: &Chip, plan: &Plan) -> Vec<(String, Loops)> {
    let loops = Loops::of_plan(chip, plan);
    if loops.len() == plan.pages && plan.pages > 1 {
        return loops.into_iter().enumerate().map(|(page, own)| (page.to_string(), own)).collect();
    }
    let sum = |of: fn(&Loops) -> f64| loops.iter().map(of).sum();
    let all = Loops { count: sum(|own| own.count), conducting: sum(|own| own.conducting) };
    vec![("all".into(), all)]
}

/// Energy of the programs of a word line, of a read of each page, and of an erase pulse of a block.
fn energies(chip: &Chip, levels: Levels, plan: &Plan, out: &mut String) {
    let name = levels.name();
    let programs = programs(chip, plan);
    let pages = plan.pages as f64 / programs.len() as f64;
    for (page, loops) in programs {
        let uj = energy::program_uj(chip, pages, loops);
        row(out, format_args!("program,{name},{page},{uj:.2}"));
    }
    for page in 0..plan.pages {
        let uj = energy::read_uj(chip, plan.sensings(page) as f64);
        row(out, format_args!("read,{name},{page},{uj:.2}"));
    }
}

/// Error rates of a plan by wear, age, temperature and page; `name` begins each row.
fn error_rates(chip: &Chip, name: &str, plan: &Plan, grid: Grid<'_>, out: &mut String) {
    let (ages_h, temperatures_c) = grid;
    let rested_h = plan.rested_h();
    for pec in WEAR.map(|share| share * chip.endurance_pec) {
        let programmed = analytic::programmed(chip, plan, pec, &WordLine::NOMINAL);
        for &age_h in ages_h {
            let temperatures = if age_h == 0.0 { &temperatures_c[..1] } else { temperatures_c };
            for temperature_c in temperatures {
                let conditions = Conditions::fresh(pec).aged(age_h, *temperature_c);
                let classes =
                    analytic::aged(chip, &programmed, &conditions, &WordLine::NOMINAL, rested_h);
                let best = read::optimal_references(plan, &classes);
                let default = read::error_rates(plan, &classes, &plan.references);
                let optimal = read::error_rates(plan, &classes, &best);
                for (page, rates) in default.iter().zip(&optimal).enumerate() {
                    let [default, optimal] =
                        [rates.0, rates.1].map(|rate| at_least(*rate, LEAST_RATE));
                    row(
                        out,
                        format_args!(
                            "{name},{pec},{age_h},{temperature_c},{page},{default:.3e},{optimal:.3e}"
                        ),
                    );
                }
            }
        }
    }
}

/// The ways to program word lines again, each with its mode and count: pages of low bits twice
/// (Margaglia et al., FAST 2016), or two bits per cell moved up among eight states (Gao et al., ACM
/// TOS 18(1):9, 2022).
fn reprograms(chip: &Chip) -> Vec<(String, Plan)> {
    if let Ok(pages) = Pages::of(chip) {
        return vec![("low_low_high,1".into(), pages.plan(Pattern::MoreZeros, Order::LowLowHigh))];
    }
    if chip.levels != Levels::Tlc {
        return Vec::new();
    }
    let counts = 0..=usize::from(MOST_REPROGRAMS);
    counts.map(|n| (format!("two_bits,{n}"), moves::lower_of_two(chip, n))).collect()
}

/// Shares of blocks by the time under pulses that their next erase takes.
fn erases(erase: &Erase, scheme: Scheme, out: &mut String) {
    for look in cycle(erase, scheme, erase.endurance_pec as u32, every_pec(erase)) {
        let mut times = look.pulse_ms.clone();
        times.sort_by(f64::total_cmp);
        for same in times.chunk_by(|a, b| a == b) {
            let share = same.len() as f64 / times.len() as f64;
            row(out, format_args!("{},{},{:.2},{share:.4}", scheme.name(), look.pec, same[0]));
        }
    }
}

fn wear(erase: &Erase, scheme: Scheme, out: &mut String) {
    for look in cycle(erase, scheme, erase.endurance_pec as u32, every_pec(erase)) {
        let damage_ms = look.mean_damage_ms();
        let pec = equivalent_pec(erase, damage_ms);
        let pulse_ms = look.mean_pulse_ms();
        let name = scheme.name();
        row(out, format_args!("{name},{},{pulse_ms:.3},{damage_ms:.1},{pec:.0}", look.pec));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::NAMES;
    use std::path::Path;

    /// `wordline lab tables CHIP --out presets/cells/tables/CHIP` writes them anew.
    #[test]
    fn the_shipped_tables_come_out_bit_for_bit() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../presets/cells/tables");
        for chip in NAMES {
            let tables = of_chip(chip).unwrap();
            assert_eq!(std::fs::read_dir(root.join(chip)).unwrap().count(), tables.len(), "{chip}");
            for table in tables {
                let path = root.join(chip).join(table.file);
                let shipped = std::fs::read_to_string(&path)
                    .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                assert!(shipped == table.text, "{} is not what the chip gives", path.display());
            }
        }
    }

    /// Drives of a publication and its cells take as long, a program of a word line and a read on
    /// average over its pages; they are as large, and last as long.
    #[test]
    fn cells_are_as_the_drives_chips_of_their_names() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../presets/chips");
        let mut compared = 0;
        for name in NAMES {
            let Ok(text) = std::fs::read_to_string(root.join(format!("{name}.toml"))) else {
                continue;
            };
            let drive: toml::Table = text.parse().unwrap();
            let drives = |key: &str| drive[key].as_integer().unwrap() as f64;
            let chip = Chip::preset(name).unwrap();
            let plan = Plan::mode(&chip, chip.levels).unwrap();
            let loops: f64 = plan.loops(&chip).iter().sum();
            let sensings: usize = (0..plan.pages).map(|page| plan.sensings(page)).sum();
            let read_us = chip.read.sense_us * sensings as f64 / plan.pages as f64;
            let pages = f64::from(chip.geometry.pages_per_block(chip.levels));
            // Centaur's two planes always work together, and count as one in the drive.
            let planes = if *name == "centaur-tlc" { 2.0 } else { 1.0 };
            for (key, cells) in [
                ("program_us", loops * chip.program.loop_us),
                ("read_us", read_us),
                ("page_kib", planes * f64::from(chip.geometry.page_kib)),
                ("pages_per_block", pages),
                ("endurance_pec", chip.endurance_pec),
            ] {
                // Where measured erases say how long blocks last, the drive's chip does not.
                if key == "endurance_pec" && chip.erase.is_some() && chip.erase_as.is_none() {
                    assert!(!drive.contains_key(key), "{name}");
                    continue;
                }
                let drives = drives(key);
                assert!((cells / drives - 1.0).abs() < 0.002, "{name} {key}: {cells}, {drives}");
            }
            compared += 1;
        }
        assert!(compared >= 5, "{compared}");
    }

    /// 90 % of the 60 bits per KiB that LazyRS's code corrects, after the days of each mode at 30 °C;
    /// after a year, where a second stage came at once, and 31.2 % fewer where it came after a month.
    #[test]
    fn pages_in_two_stages_have_the_errors_that_were_published() {
        let tables = of_chip("lazyrs-tlc").unwrap();
        let rber = tables.iter().find(|table| table.file == "rber.csv").unwrap();
        let worst = |mode: &str, age_h: u32| -> f64 {
            let start = format!("{mode},1000,{age_h},30,");
            let rows = rber.text.lines().filter_map(|line| line.strip_prefix(&start));
            let rates = rows.map(|row| row.rsplit(',').next().unwrap().parse::<f64>().unwrap());
            8192.0 * rates.reduce(f64::max).unwrap_or_else(|| panic!("no {start}"))
        };
        for (mode, age_h) in [("m1", 24), ("m7", 168), ("m30", 730), ("secured", 8760)] {
            let errors = worst(mode, age_h);
            assert!((errors / 54.0 - 1.0).abs() < 0.02, "{mode}: {errors}");
        }
        let fewer = 1.0 - worst("secured_m30", 8760) / worst("secured", 8760);
        assert!((fewer - 0.312).abs() < 0.005, "{fewer}");
    }

    /// Of the shipped tables, which the chips give bit for bit.
    #[test]
    fn a_table_of_borrowed_erases_says_so() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../presets/cells/tables");
        let mut borrowers = 0;
        for chip in NAMES {
            let borrowed = Chip::preset(chip).unwrap().erase_as.is_some();
            borrowers += usize::from(borrowed);
            for file in ["rber.csv", "erase.csv", "wear.csv", "pulses.csv"] {
                let Ok(text) = std::fs::read_to_string(root.join(chip).join(file)) else {
                    continue;
                };
                let first = text.lines().next().unwrap();
                let told = first.contains("not measured but borrowed from reo-tlc");
                assert_eq!(told, borrowed && file != "rber.csv", "{chip} {file}");
            }
        }
        assert_eq!(borrowers, 9);
    }

    #[test]
    fn rows_have_the_columns_and_shares_add_up() {
        for table in of_chip("reo-tlc").unwrap() {
            let mut lines = table.text.lines();
            assert!(lines.next().unwrap().contains("version 1, chip reo-tlc"));
            let columns = lines.next().unwrap().split(',').count();
            assert!(lines.clone().all(|line| line.split(',').count() == columns), "{}", table.file);
            if table.file == "erase.csv" {
                let fresh = lines.filter(|line| line.starts_with("conservative,0,"));
                let shares: f64 =
                    fresh.map(|l| l.rsplit(',').next().unwrap().parse::<f64>().unwrap()).sum();
                assert!((shares - 1.0).abs() < 1e-3, "{shares}");
            }
        }
    }
}
