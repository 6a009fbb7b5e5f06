//! Wordline for Python: whole runs cross the border, never single requests. The package
//! `wordline` dresses what stands here.

mod catalogue;
mod codes;
mod columns;
mod drives;
mod ecc;
mod expected;
mod failure;
mod lab;
mod own;
mod parquet;
mod rate_files;
mod recorded;
mod run;
mod schema;
mod serve;
mod stats;
mod table;
mod theory;
mod toml_text;
mod trace;
mod validate;
mod watch;
mod words;

use pyo3::prelude::*;

/// The compiled part of the package `wordline`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::catalogue::{catalogue, drive_presets};
    #[pymodule_export]
    use crate::codes::{
        WomCode, failure_interval, instruction_sets, ldgm_threshold, least_failure, polar_longest,
    };
    #[pymodule_export]
    use crate::drives::{fit_log, log_amplification, log_drive};
    #[pymodule_export]
    use crate::ecc::{EccCode, ldpc_measured};
    #[pymodule_export]
    use crate::expected::expected;
    #[pymodule_export]
    use crate::lab::{lab_campaign, lab_contents, lab_distributions, lab_run, lab_tables, lab_vth};
    #[pymodule_export]
    use crate::own::{Blocks, HostWrite, Planes};
    #[pymodule_export]
    use crate::recorded::cut_recorded;
    #[pymodule_export]
    use crate::run::{
        Run, check_drives, check_workload, erase_life, memory_bytes, power_cuts, resolve, run,
    };
    #[pymodule_export]
    use crate::schema::schemas;
    #[pymodule_export]
    use crate::serve::{Server, serve};
    #[pymodule_export]
    use crate::stats::{student_quantile, student_tails};
    #[pymodule_export]
    use crate::table::Table;
    #[pymodule_export]
    use crate::theory::reuse;
    #[pymodule_export]
    use crate::toml_text::parse_toml;
    #[pymodule_export]
    use crate::trace::{trace_convert, trace_fit, trace_info, trace_synth};
    #[pymodule_export]
    use crate::validate::validate;

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::failure::quiet_panics();
        module.add("VERSION", wordline_sim::VERSION)?;
        module.add("CHECKS_ITSELF", cfg!(debug_assertions))?;
        module.add("SOURCE", env!("WORDLINE_SOURCE"))
    }
}
