//! A run whose power is cut at every operation.

use super::array_cuts;
use super::assembly::{recorded, restarted};
use super::cut_choice::{CutChoice, plan};
use super::drive::MemberDrive;
use super::{Run, Watch, with_host_mode};
use crate::error::Error;
use crate::flash::Image;
use crate::nand::infeasible;
use crate::power::array::Recorded;
use crate::power::{CutReport, Cuts, Did, HoldUp, Restarted, Restarts, check_end};
use crate::schema::{ArrayLevel, Config};
use wordline_trace::Source;

/// Runs `workload` on the drive of `config`, and cuts power at every operation of it.
///
/// # Errors
/// As [`simulate`](super::simulate); a drive that a capacitor protects, an array that cannot be cut.
pub fn power_cuts(
    config: &Config,
    mut workload: Box<dyn Source>,
    choice: CutChoice,
    watch: &mut dyn Watch,
) -> Result<CutReport, Error> {
    let config = &with_host_mode(config, &mut *workload)?;
    check(config)?;
    let run = Run::begin(config, workload, watch)?;
    if config.array.level != ArrayLevel::None {
        return array_cuts::cut(run, choice);
    }
    let drive = recorded(config, &mut *run.watch)?;
    run.cut(drive, choice)
}

fn check(config: &Config) -> Result<(), Error> {
    if config.power.protection.bears_all() {
        return Err(infeasible(
            "power.protection = \"capacitor\": what is under way ends and what the controller holds is saved, so that a cut takes nothing",
            "set power.protection to \"none\", or to an energy in nJ",
        ));
    }
    Ok(())
}

impl Run<'_> {
    fn cut(
        mut self,
        mut drive: Box<dyn MemberDrive>,
        choice: CutChoice,
    ) -> Result<CutReport, Error> {
        self.replay_all(&mut *drive)?;
        drive.drain()?;
        drive.check()?;
        let Recorded { recording, log, numbers } = drive.take_recorded()?;
        let state = drive.state();
        check_end(&recording, &log, state, numbers)?;
        let hold_up = HoldUp::of(self.config, state);
        let plan = plan(self.config, choice, hold_up);
        let mut anew = Anew { config: self.config };
        let report = Cuts::new(&recording, &log, state, numbers, &plan).run(&mut anew)?;
        Ok(CutReport { warnings: self.workload.remarks(), ..report })
    }
}

/// Restarts a drive of a configuration.
struct Anew<'a> {
    config: &'a Config,
}

impl Restarts for Anew<'_> {
    fn restart(&mut self, image: &Image) -> Result<Restarted, Error> {
        let mut drive = restarted(self.config, image)?;
        let recording = drive.take_recording()?;
        let did = Did::of(&drive.counters(), drive.quiet_at_ns(), recording.commands.iter());
        Ok(Restarted { did, state: drive.into_state(), recording })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Own;
    use super::super::assembly::{empty_ftl, fill_ftl, stack};
    use super::*;
    use crate::config::load;
    use crate::engine::Count;
    use crate::ftl::Ftl;
    use crate::host::Driver;
    use crate::ids::Lpn;
    use crate::technique::Stack;
    use wordline_trace::{Op, Request};

    /// A run of writes, trims and flushes on a small drive that was full before.
    fn recorded(check: impl Fn(&mut Recorded, &Ftl<Stack, Count>)) {
        let keys = ["run.mode=count", "power.protection=none"].map(String::from);
        let config = load("preset = \"tiny\"", "tiny", &keys).expect("it is right");
        let technique = stack(&config, Vec::new()).expect("it is right");
        let mut ftl = empty_ftl(&config, technique, Own::default()).expect("it works");
        ftl.keep_marks();
        fill_ftl(&config, &mut ftl, &mut ()).expect("it works");
        ftl.record();
        let mut driver = Driver::new(&config, ftl, Count::default());
        driver.note_requests();
        let request = |number: u64| {
            Request::new(
                [Op::Write, Op::Write, Op::Trim, Op::Write][number as usize % 4],
                number * 977 % 64 * 4096,
                if number % 50 == 49 { 0 } else { 4096 },
            )
            .at(number)
        };
        let as_flush =
            |it: Request| if it.size_bytes == 0 { Request { op: Op::Flush, ..it } } else { it };
        let requests: Vec<Request> = (0..2000).map(request).map(as_flush).collect();
        driver.feed(&requests, 0).expect("it works");
        driver.drain().expect("it works");
        let mut recorded = driver.take_recorded().expect("it was recorded");
        check(&mut recorded, &driver.device.ftl);
    }

    fn is_found(recorded: &Recorded, ftl: &Ftl<Stack, Count>) -> bool {
        let Recorded { recording, log, numbers } = recorded;
        check_end(recording, log, &ftl.state, *numbers).is_ok()
    }

    #[test]
    fn what_a_restart_after_the_run_would_not_find_is_told() {
        recorded(|recorded, ftl| {
            assert!(is_found(recorded, ftl));
            let newest = |lpn: Lpn| ftl.state.map.at(lpn);
            let commands = &mut recorded.recording.commands;
            let is_needed = |written: &(crate::ids::Unit, crate::flash::Mark)| {
                newest(written.1.lpn) == written.0
            };
            let last = commands.iter_mut().rev().find(|it| it.written.iter().any(is_needed));
            last.expect("something was written").written.clear();
            assert!(!is_found(recorded, ftl), "what was not programmed is missed");
        });
    }

    #[test]
    fn an_older_version_than_the_drive_holds_is_told() {
        recorded(|recorded, ftl| {
            for (unit, mark) in
                recorded.recording.commands.iter_mut().flat_map(|it| &mut it.written)
            {
                if ftl.state.map.at(mark.lpn) != *unit {
                    mark.sequence = u64::MAX;
                }
            }
            assert!(!is_found(recorded, ftl), "what seems newer is not what the drive holds");
        });
    }
}
