//! What flash that holds data has to know to code second writes.

use super::codes::{Code, SecondWrites};
use super::entry::{ENTRY, own_of};
use crate::error::Error;
use crate::nand::{Geometry, infeasible};
use crate::schema::Config;
use crate::technique::die_group::DieGroup;

/// Units of a page that flash codes again: the first of them is known when the page is to be written, and a
/// second write must carry no more.
const UNITS: u32 = 2;

/// How second writes are coded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coding {
    /// The code.
    pub code: Code,
    /// Spare area of a page that it may program besides the data, percent of that.
    pub spare_percent: f64,
}

/// How second writes are coded on a drive.
///
/// # Errors
/// No technique writes pages again, no code is named, or a page holds other than two units.
pub fn coding(config: &Config) -> Result<Coding, Error> {
    let refuse = |what: String, help: String| {
        let help = format!("{help}, or data.second_write to \"drawn\"");
        Err(infeasible(format!("data.second_write = \"coded\": {what}"), help))
    };
    let Some(toml::Value::Table(table)) = config.technique.get(ENTRY.declaration.name) else {
        return refuse(
            "no technique of this drive writes pages again".into(),
            "set technique.llh_ftl".into(),
        );
    };
    let own = own_of(table)?;
    if own.code == Code::Assumed {
        return refuse(
            "technique.llh_ftl.code = \"assumed\" names no code".into(),
            "set technique.llh_ftl.code to \"polar64\"".into(),
        );
    }
    let geometry = Geometry::new(config)?;
    let die_group = DieGroup::of(ENTRY.declaration.name, &own.group, config, &geometry)?;
    let (units, page_kib) = (die_group.group.units_per_page, die_group.chip().page_kib);
    if units != UNITS {
        return refuse(
            format!(
                "a page must hold {UNITS} units, of which its second write carries one, and {page_kib} KiB hold {units}"
            ),
            format!("set ftl.mapping_unit_kib to {}", page_kib / f64::from(UNITS)),
        );
    }
    let second = SecondWrites::of(&own.wanted(), page_kib, units)?;
    Ok(Coding { code: own.code, spare_percent: second.spare_percent })
}
