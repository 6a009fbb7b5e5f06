//! The benchmarks as a program in a pipe.

use std::process::{Command, Stdio};

#[test]
fn a_closed_pipe_ends_the_program_well() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let done = Command::new(env!("CARGO_BIN_EXE_wordline-bench"))
        .arg("no benchmark has this name")
        .stdout(writer)
        .stderr(Stdio::piped())
        .output()
        .expect("it starts");
    assert_eq!(String::from_utf8_lossy(&done.stderr), "");
    assert_eq!(done.status.code(), Some(0));
}
