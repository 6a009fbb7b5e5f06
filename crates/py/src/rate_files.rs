//! Tables of error rates that a configuration names by their files: the simulator reads none.

use crate::failure::Failure;
use toml::Value;
use wordline_sim::config::Config;
use wordline_sim::reliability::{is_table_file, table_of_file};

/// Puts the texts of files in the place of their paths.
///
/// # Errors
/// A file that cannot be read.
pub fn read(config: &mut Config) -> Result<(), Failure> {
    read_one(&mut config.drive.reads.table)?;
    for own in config.array.drive.values_mut() {
        let reads = own.get_mut("drive").and_then(|drive| drive.get_mut("reads"));
        if let Some(Value::String(table)) = reads.and_then(|reads| reads.get_mut("table")) {
            read_one(table)?;
        }
    }
    Ok(())
}

fn read_one(table: &mut String) -> Result<(), Failure> {
    if is_table_file(table) {
        let text = std::fs::read_to_string(&*table).map_err(|error| Failure::Infeasible {
            what: format!("drive.reads.table: {table}: {error}"),
            help: "name a CSV file of error rates that can be read".into(),
        })?;
        *table = table_of_file(table, &text);
    }
    Ok(())
}
