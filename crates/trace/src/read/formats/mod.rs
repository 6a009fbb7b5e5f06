//! The table of formats.

mod ascii;
mod disksim;
mod mqsim;
mod msr;
mod scsi;
mod vscsi;
mod wordline;

use super::format::FormatDecl;

/// The formats that can be read. Where a file fits several, the first one counts.
pub fn formats() -> &'static [FormatDecl] {
    const FORMATS: &[FormatDecl] = &[
        FormatDecl::container::<wordline::Wordline>(),
        FormatDecl::of::<msr::Msr>(),
        FormatDecl::of::<mqsim::Mqsim>(),
        FormatDecl::of::<disksim::DiskSim>(),
        FormatDecl::of::<vscsi::Vscsi1>(),
        FormatDecl::of::<vscsi::Vscsi2>(),
    ];
    FORMATS
}
