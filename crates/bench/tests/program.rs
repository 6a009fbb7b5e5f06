//! The benchmarks as a program.

use std::process::{Command, Stdio};

#[test]
fn a_closed_pipe_ends_the_program_well() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let done = Command::new(env!("CARGO_BIN_EXE_wordline-bench"))
        .arg("--list")
        .stdout(writer)
        .stderr(Stdio::piped())
        .output()
        .expect("it starts");
    assert_eq!(String::from_utf8_lossy(&done.stderr), "");
    assert_eq!(done.status.code(), Some(0));
}

#[test]
fn what_it_does_not_know_is_refused() {
    for (argument, says) in [("--tyni", "--tyni"), ("no such name", "--list")] {
        let done = Command::new(env!("CARGO_BIN_EXE_wordline-bench")).arg(argument).output();
        let done = done.expect("it starts");
        let errors = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{argument}");
        assert!(errors.contains(says) && done.stdout.is_empty(), "{argument}: {errors}");
    }
}

/// Every benchmark runs on a small drive, so that none can rot.
#[test]
fn every_benchmark_runs() {
    let done = Command::new(env!("CARGO_BIN_EXE_wordline-bench")).arg("--tiny").output();
    let done = done.expect("it starts");
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success() && errors.is_empty(), "{errors}");
    // A line each, below the heading.
    assert!(String::from_utf8_lossy(&done.stdout).lines().count() > 30);
}
