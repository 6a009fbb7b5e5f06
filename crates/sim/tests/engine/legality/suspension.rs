//! Suspended programs and erases. Suspending takes 20 ns, resuming 30; an operation with less than
//! 100 ns left is not suspended, and none more than twice.

use super::rig::*;
use wordline_sim::config::{Config, DieClasses, SuspendedPulse};
use wordline_sim::engine::Scheduler;
use wordline_sim::nand::command::Cause;

fn suspending() -> Config {
    let mut config = drive();
    config.drive.scheduling.suspend_program = true;
    config.drive.scheduling.suspend_erase = true;
    config
}

fn suspensions(config: &Config, steps: &[Step]) -> u64 {
    carry_out(queued(config), steps).sched.suspensions()
}

#[test]
fn an_erase_is_suspended_for_a_host_read() {
    // At 1000 with 2000 left: suspended by 1020, read until 1080, resumed by 1110, done at 3110.
    let steps = [erase(), read().block(8).at(1000)];
    queued_ends(&suspending(), &steps, &[3110, 1080]);
    assert_eq!(suspensions(&suspending(), &steps), 1);
}

#[test]
fn a_program_is_suspended_for_a_host_read() {
    // Its array works from 10 to 610; at 110, 500 are left.
    let steps = [program(), read().block(8).at(110)];
    queued_ends(&suspending(), &steps, &[110 + 20 + 60 + 30 + 500, 190]);
}

/// Both values of `suspend_loading`.
fn loading() -> [Config; 2] {
    [false, true].map(|suspend_loading| {
        let mut config = suspending();
        config.drive.scheduling.suspend_loading = suspend_loading;
        config
    })
}

#[test]
fn a_program_that_is_being_loaded_is_suspended_as_it_begins() {
    // Loaded until 10: a read that comes at 9 waits for the program, or suspends it by 30 and is over at 90.
    let steps = |at_ns| [program(), read().block(8).at(at_ns)];
    let [off, on] = loading();
    for at_ns in [1, 9] {
        queued_ends(&off, &steps(at_ns), &[610, 670]);
        queued_ends(&on, &steps(at_ns), &[90 + 30 + 600, 90]);
        assert_eq!([&off, &on].map(|config| suspensions(config, &steps(at_ns))), [0, 1]);
    }
    // From 10 on the array works, and both are alike.
    for config in [&off, &on] {
        queued_ends(config, &steps(10), &[90 + 30 + 600, 90]);
        queued_ends(config, &steps(110), &[190 + 30 + 500, 190]);
        queued_ends(config, &steps(511), &[610, 670]);
    }
}

#[test]
fn an_erase_is_not_suspended_before_it_begins() {
    // Told until 10 what it is to do: a read that comes at 9 waits for it.
    let steps = |at_ns| [erase().command(10), read().block(8).at(at_ns)];
    for config in &loading() {
        queued_ends(config, &steps(9), &[3010, 3070]);
        queued_ends(config, &steps(10), &[90 + 30 + 3000, 90]);
    }
}

#[test]
fn a_program_that_waits_in_its_register_is_suspended_as_it_begins() {
    // The second program is loaded from 10 to 20, or to 1010, while the first one works until 610.
    let [off, on] = loading().map(|mut config| {
        config.drive.chip.cache_program = true;
        config
    });
    let steps = |second: Step, at_ns| [program(), second.page(1), read().block(8).at(at_ns)];
    for at_ns in [15, 20, 300] {
        queued_ends(&off, &steps(program(), at_ns), &[610, 1210, 1270]);
        queued_ends(&on, &steps(program(), at_ns), &[610, 690 + 30 + 600, 690]);
    }
    let slow = program().transfer(1000);
    queued_ends(&off, &steps(slow.clone(), 700), &[610, 1610, 1670]);
    queued_ends(&on, &steps(slow, 700), &[610, 1090 + 30 + 600, 1090]);
}

#[test]
fn a_program_that_was_loaded_is_suspended_by_the_rules_of_others() {
    let [_, on] = loading();
    let steps = [program(), read().block(8).at(5)];
    let waits = |config: &Config, steps: &[Step]| queued_ends(config, steps, &[610, 670]);
    waits(&on, &[program(), read().block(8).cause(Cause::Gc).at(5)]);
    waits(&on, &[program().urgent(), read().block(8).at(5)]);
    let with = |set: fn(&mut Config)| {
        let mut config = on.clone();
        set(&mut config);
        config
    };
    waits(&with(|config| config.drive.scheduling.suspend_program = false), &steps);
    waits(&with(|config| config.drive.scheduling.suspend_limit = 0), &steps);
    waits(&with(|config| config.drive.scheduling.suspend_min_us = 0.601), &steps);
    let enough = with(|config| config.drive.scheduling.suspend_min_us = 0.6);
    queued_ends(&enough, &steps, &[720, 90]);
}

#[test]
fn only_with_enough_left() {
    // The erase ends at 3000: 100 left at 2900 is enough, 99 is not.
    for (at_ns, ends_ns) in [(2900, [3110, 2980]), (2901, [3000, 3060])] {
        queued_ends(&suspending(), &[erase(), read().block(8).at(at_ns)], &ends_ns);
    }
}

#[test]
fn only_for_host_reads() {
    let read = read().block(8).cause(Cause::Gc).at(1000);
    queued_ends(&suspending(), &[erase(), read], &[3000, 3060]);
    queued_ends(&suspending(), &[erase(), program().block(1).at(1000)], &[3000, 3610]);
}

#[test]
fn only_where_allowed() {
    let mut config = suspending();
    config.drive.scheduling.suspend_erase = false;
    queued_ends(&config, &[erase(), read().block(8).at(1000)], &[3000, 3060]);
    config.drive.scheduling.suspend_program = false;
    config.drive.scheduling.suspend_erase = true;
    queued_ends(&config, &[program(), read().block(8).at(110)], &[610, 670]);
    // A read is never suspended.
    config.drive.scheduling.suspend_program = true;
    config.drive.scheduling.suspend_min_us = 0.0;
    queued_ends(&config, &[read().block(8), read().block(9).at(10)], &[60, 120]);
}

#[test]
fn as_often_as_the_limit_says() {
    // Each suspension costs 20 + 60 + 30; the third read waits for the end.
    let reads = [1000, 1500, 2000].map(|at_ns| read().block(8).at(at_ns));
    let steps = [vec![erase()], reads.to_vec()].concat();
    queued_ends(&suspending(), &steps, &[3220, 1080, 1580, 3280]);
    assert_eq!(suspensions(&suspending(), &steps), 2);
    let mut config = suspending();
    config.drive.scheduling.suspend_limit = 3;
    queued_ends(&config, &steps, &[3330, 1080, 1580, 2080]);
}

#[test]
fn one_suspension_serves_all_reads_that_wait() {
    // The second read arrives while the first is served, the third while it resumes.
    let reads = [1000, 1050].map(|at_ns| read().block(8).at(at_ns));
    let steps = [vec![erase()], reads.to_vec()].concat();
    queued_ends(&suspending(), &steps, &[1140 + 30 + 2000, 1080, 1140]);
    assert_eq!(suspensions(&suspending(), &steps), 1);
}

#[test]
fn nothing_else_runs_meanwhile() {
    // A program that waits is not begun between the suspension and the end of the erase.
    let steps = [erase(), program().block(1).at(500), read().block(8).at(1000)];
    queued_ends(&suspending(), &steps, &[3110, 3720, 1080]);
}

#[test]
fn an_interrupted_pulse_starts_again() {
    // Pulses of 700 from 0 on: at 1000 the second one has 300 behind it, all lost.
    let steps = [erase().pulse(700), read().block(8).at(1000)];
    queued_ends(&suspending(), &steps, &[1110 + 2000 + 300, 1080]);
    // Between two pulses nothing is lost.
    let steps = [erase().pulse(700), read().block(8).at(1400)];
    queued_ends(&suspending(), &steps, &[1510 + 1600, 1480]);
}

#[test]
fn a_pulse_is_interrupted_only_with_enough_left_and_the_last_one_never() {
    // The second pulse ends at 1400: 100 left at 1300 is enough, 99 is not.
    for (at_ns, ends_ns) in [(1300, [1410 + 1700 + 600, 1380]), (1301, [3000, 3060])] {
        queued_ends(&suspending(), &[erase().pulse(700), read().block(8).at(at_ns)], &ends_ns);
    }
    // The last pulse begins at 2800.
    for (at_ns, ends_ns) in [(2700, [2810 + 300 + 600, 2780]), (2800, [3000, 3060])] {
        queued_ends(&suspending(), &[erase().pulse(700), read().block(8).at(at_ns)], &ends_ns);
    }
}

#[test]
fn a_resuming_operation_has_done_nothing_yet() {
    // Resuming from 1080 to 1110; suspended again at 1090, it still has 2000 to do.
    let reads = [1000, 1090].map(|at_ns| read().block(8).at(at_ns));
    let steps = [vec![erase()], reads.to_vec()].concat();
    queued_ends(&suspending(), &steps, &[1090 + 20 + 60 + 30 + 2000, 1080, 1170]);
}

#[test]
fn a_pulse_may_go_on_where_it_stopped() {
    let mut config = suspending();
    config.drive.scheduling.suspended_pulse = SuspendedPulse::Resume;
    // As undivided, but for the last pulse.
    let steps = [erase().pulse(700), read().block(8).at(1000)];
    queued_ends(&config, &steps, &[3110, 1080]);
    let steps = [erase().pulse(700), read().block(8).at(2801)];
    queued_ends(&config, &steps, &[3000, 3060]);
    let repeated_ns =
        |config| carry_out(queued(config), &[erase().pulse(700), read().block(8).at(1000)]);
    assert_eq!(repeated_ns(&config).sched.repeated_ns(), 0);
    assert_eq!(repeated_ns(&suspending()).sched.repeated_ns(), 300);
}

#[test]
fn a_verify_read_is_not_interrupted() {
    // A short pulse and long ones, each verified in 100: the second pulse works from 500 to 1500.
    let loops = [(400, 100), (1000, 100), (1000, 100)];
    let all = |at_ns| [erase().loops(&loops), read().block(8).at(at_ns)];
    queued_ends(&suspending(), &all(1400), &[1400 + 110 + 2200, 1480]);
    queued_ends(&suspending(), &all(1401), &[2700, 2760]);
    queued_ends(&suspending(), &all(1599), &[2700, 2760]);
}

#[test]
fn a_pulse_that_forbids_it_is_not_interrupted() {
    let mut erase = erase().pulse(1000);
    erase.loops.as_mut_slice()[1].may_suspend = false;
    let ends = |at_ns, ends_ns: &[u64]| {
        queued_ends(&suspending(), &[erase.clone(), read().block(8).at(at_ns)], ends_ns);
    };
    ends(900, &[900 + 110 + 3000, 980]);
    ends(1100, &[3000, 3060]);
}

#[test]
fn a_host_write_that_has_waited_keeps_an_erase_going() {
    let mut config = suspending();
    config.drive.scheduling.suspend_write_wait_ms = 0.000_5;
    // The write has waited 499 ns, or 500.
    for (at_ns, ends_ns) in [(1099, [3110, 3720, 1179]), (1100, [3000, 3670, 3060])] {
        let steps = [erase(), program().block(9).at(600), read().block(8).at(at_ns)];
        queued_ends(&config, &steps, &ends_ns);
    }
}

/// With classes the write that goes next need not have waited longest: what is collected stands behind those of the host.
#[test]
fn whatever_write_has_waited_keeps_an_erase_going() {
    let mut config = suspending();
    config.drive.scheduling.suspend_write_wait_ms = 0.000_5;
    config.drive.scheduling.by_class = DieClasses::Flin;
    for (at_ns, read_ns) in [(1099, 1179), (1100, 3060)] {
        let collected = program().cause(Cause::Gc).block(9).at(600);
        let steps = [erase(), collected, program().block(10).at(1000), read().block(8).at(at_ns)];
        assert_eq!(carry_out(queued(&config), &steps).ends_ns[3], read_ns);
    }
}
