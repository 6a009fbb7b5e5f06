//! Whether commands of techniques are legal before they are given: what their word lines have been through, and whether
//! one command reaches their pages.

use super::chips::Chips;
use crate::drive::DriveState;
use crate::nand::command::Command;
use crate::nand::{Span, Superblocks};

impl Chips {
    /// May a program in place be carried out? Otherwise the run has come to an illegal operation.
    pub fn allows(&mut self, state: &DriveState, row: u8, spans: &[Span]) -> bool {
        let judge = |&span: &Span| self.lines.judge(&state.ops, row, span);
        let legal = spans.iter().try_for_each(judge);
        self.reaches(state, spans) && self.note_legal(legal)
    }

    /// Do pages lie where one command reaches them? Otherwise the run has come to an illegal operation.
    pub fn reaches(&mut self, state: &DriveState, spans: &[Span]) -> bool {
        let apart =
            state.superblocks.as_ref().filter(|it| it.die_of(spans.iter().copied()).is_none());
        self.note_legal(apart.map_or(Ok(()), |_| Err(apart_text(spans))))
    }

    /// Notes why an operation is illegal; false where it is.
    fn note_legal(&mut self, legal: Result<(), String>) -> bool {
        match legal {
            Ok(()) => true,
            Err(why) => {
                self.illegal.get_or_insert(why);
                false
            }
        }
    }

    /// A program that no command carries out in a superblock `stops` the run.
    #[inline(never)]
    pub(super) fn take_in_superblock(
        &mut self,
        state: &DriveState,
        command: &Command<'_>,
        stops: &mut bool,
    ) {
        let (first, others) = command.pages();
        let spans = || std::iter::once(first).chain(others.iter().copied());
        let is_apart = |it: &Superblocks| it.die_of(spans()).is_none();
        if matches!(command, Command::Program(_))
            && state.superblocks.as_ref().is_some_and(is_apart)
        {
            self.illegal.get_or_insert_with(|| apart_text(&spans().collect::<Vec<_>>()));
            *stops = true;
        }
    }
}

/// Why no command reaches pages of a superblock.
fn apart_text(spans: &[Span]) -> String {
    let of = |span: &Span| format!("{} to {} of block {}", span.page, span.end() - 1, span.block);
    let pages: Vec<String> = spans.iter().map(of).collect();
    format!(
        "pages {} of a superblock do not lie in one plane each of one die, so that no command reaches them",
        pages.join(", ")
    )
}
