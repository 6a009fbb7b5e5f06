//! Published traces, where they are at hand: in the folder that `WORDLINE_TRACES` names, else in
//! `../shared/traces` beside the repository. Where there is none the tests are reported as ignored.

mod excerpts;
mod published;
mod twins;

use libtest_mimic::{Arguments, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A test and its name.
type Test = (&'static str, fn(&Path));

/// The tests of a module by their names.
macro_rules! tests {
    ($module:ident: $($name:ident),* $(,)?) => {
        [$((concat!(stringify!($module), "::", stringify!($name)), $module::$name as fn(&Path))),*]
    };
}

const EXCERPTS: [Test; 7] = tests!(excerpts:
    excerpts_have_their_published_counts,
    native_samples_are_recognised,
    either_event_of_blkparse_can_be_read,
    text_and_binary_of_one_trace_agree,
    the_two_forms_of_one_trace_agree,
    the_two_disks_of_a_workstation_lie_side_by_side,
    excerpts_survive_the_own_format,
);

const PUBLISHED: [Test; 1] = tests!(published: unique_and_rewritten_data_are_as_published);

const TWINS: [Test; 1] = tests!(twins: fitted_twins_keep_volumes_coverage_and_adjacency);

fn main() -> ExitCode {
    let folder = std::env::var_os("WORDLINE_TRACES").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/traces")),
        PathBuf::from,
    );
    let is_there = folder.is_dir();
    if !is_there {
        let path = folder.display();
        eprintln!("skipped: no traces at {path}; WORDLINE_TRACES names their folder");
    }
    let trials = EXCERPTS.into_iter().chain(PUBLISHED).chain(TWINS).map(|(name, test)| {
        let folder = folder.clone();
        let trial = Trial::test(name, move || {
            test(&folder);
            Ok(())
        });
        trial.with_ignored_flag(!is_there)
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}
