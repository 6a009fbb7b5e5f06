//! Fuzz targets: each module is one, and its `run` tries one input. cargo-fuzz links them as programs
//! (`tools/fuzz`); the tests try some hundred inputs of each, drawn by a seed.

pub mod campaign_store;
pub mod cell_tables;
pub mod chip_toml;
pub mod config_load;
pub mod ecc_decode;
pub mod generator_spec;
pub mod ldpc_matrix;
pub mod nbd;
pub mod trace;
pub mod trace_options;
pub mod wom_page;
pub mod wom_spec;
pub mod workload_toml;

#[cfg(test)]
mod draw;
#[cfg(test)]
mod tests;
