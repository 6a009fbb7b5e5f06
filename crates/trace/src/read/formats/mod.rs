//! The table of formats.

mod alibaba;
mod ascii;
mod blkparse;
mod cloudphysics;
mod csv;
mod disksim;
mod fio;
mod fiu;
mod mix;
mod mqsim;
mod msr;
mod oraclegeneral;
mod scsi;
mod spc;
mod systor;
mod tencent;
mod vscsi;
mod wordline;

pub(crate) use msr::UNIX_EPOCH_TICKS;

use super::declaration::FormatDecl;

/// The formats that can be read.
pub fn formats() -> &'static [FormatDecl] {
    const FORMATS: &[FormatDecl] = &[
        FormatDecl::container::<wordline::Wordline>(),
        FormatDecl::of::<msr::Msr>(),
        FormatDecl::of::<mqsim::Mqsim>(),
        FormatDecl::of::<disksim::DiskSim>(),
        FormatDecl::of::<spc::Spc>(),
        FormatDecl::of::<fiu::Fiu>(),
        FormatDecl::of::<systor::Systor>(),
        FormatDecl::of::<alibaba::Alibaba>(),
        FormatDecl::of::<tencent::Tencent>(),
        FormatDecl::of::<cloudphysics::CloudPhysics>(),
        FormatDecl::of::<vscsi::Vscsi1>(),
        FormatDecl::of::<vscsi::Vscsi2>(),
        FormatDecl::of::<blkparse::Blkparse>(),
        FormatDecl::of::<fio::Fio>(),
        FormatDecl::of::<oraclegeneral::OracleGeneral>(),
        FormatDecl::of::<csv::Csv>(),
    ];
    FORMATS
}

#[cfg(test)]
mod tests;
