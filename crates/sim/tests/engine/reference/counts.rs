//! The figures that are compared.

use std::collections::BTreeMap;
use wordline_sim::metrics::RunResult;

/// What a run counted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Counts {
    pub programs_host: u64,
    pub programs_gc: u64,
    pub programs_wear: u64,
    pub programs_mapping: u64,
    pub reads_host: u64,
    pub reads_gc: u64,
    pub reads_wear: u64,
    pub reads_mapping: u64,
    pub padding: u64,
    pub program_operations: u64,
    pub erases: u64,
    pub gc_count: u64,
    pub gc_with_migration: u64,
    pub gc_moved: u64,
    pub refused_writes: u64,
    pub free_units: u64,
    /// Blocks by erase count.
    pub wear: BTreeMap<u64, u64>,
    pub write_amplification: Option<f64>,
}

impl Counts {
    /// The figures of several kinds of flash together.
    pub fn of_all(parts: impl Iterator<Item = Self>) -> Self {
        let mut all = parts.fold(Self::default(), |mut all, part| {
            all.programs_host += part.programs_host;
            all.programs_gc += part.programs_gc;
            all.programs_wear += part.programs_wear;
            all.programs_mapping += part.programs_mapping;
            all.reads_host += part.reads_host;
            all.reads_gc += part.reads_gc;
            all.reads_wear += part.reads_wear;
            all.reads_mapping += part.reads_mapping;
            all.padding += part.padding;
            all.program_operations += part.program_operations;
            all.erases += part.erases;
            all.gc_count += part.gc_count;
            all.gc_with_migration += part.gc_with_migration;
            all.gc_moved += part.gc_moved;
            all.refused_writes += part.refused_writes;
            all.free_units += part.free_units;
            for (erases, blocks) in part.wear {
                *all.wear.entry(erases).or_default() += blocks;
            }
            all
        });
        let own = all.programs_gc + all.programs_wear + all.programs_mapping + all.padding;
        let written = all.programs_host + own;
        all.write_amplification =
            (all.programs_host > 0).then(|| written as f64 / all.programs_host as f64);
        all
    }

    pub fn of_result(result: &RunResult) -> Self {
        let flash = &result.flash;
        let of_techniques = flash.page_programs.technique + flash.page_reads.technique;
        assert_eq!(of_techniques, 0, "a conventional drive");
        Self {
            programs_host: flash.page_programs.host,
            programs_gc: flash.page_programs.gc,
            programs_wear: flash.page_programs.wear,
            programs_mapping: flash.page_programs.mapping,
            reads_host: flash.page_reads.host,
            reads_gc: flash.page_reads.gc,
            reads_wear: flash.page_reads.wear,
            reads_mapping: flash.page_reads.mapping,
            padding: flash.padding,
            program_operations: flash.program_operations,
            erases: flash.erases,
            gc_count: result.gc.count,
            gc_with_migration: result.gc.with_migration,
            gc_moved: result.gc.pages_moved,
            refused_writes: result.host.refused_writes,
            free_units: result.capacity.free_pages,
            wear: result.wear.histogram.iter().map(|&[erases, blocks]| (erases, blocks)).collect(),
            write_amplification: result.write_amplification,
        }
    }
}
