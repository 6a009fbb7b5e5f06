//! The dies on which a technique works: those of a drive of one kind of flash, or of one group of several.

use crate::error::Error;
use crate::ids::Unit;
use crate::nand::{Geometry, Group, infeasible};
use crate::schema::{ChipConfig, Chips, Config};

/// The group of dies that a technique works on.
pub(super) struct DieGroup<'a> {
    /// The index of their group.
    pub index: usize,
    /// Their group.
    pub group: &'a Group,
    /// The first unit of their blocks.
    pub first_unit: Unit,
    /// Their flash, and where it sits.
    pub kind: Chips<'a>,
    /// Whether the drive has other dies besides.
    is_mixed: bool,
}

impl<'a> DieGroup<'a> {
    /// The dies of the technique of that name, to which its configuration gives the group `wanted`; where that is
    /// empty, those of the whole drive.
    ///
    /// # Errors
    /// A drive of several kinds of flash without a group, a group that the drive does not have.
    pub fn of(
        technique: &str,
        wanted: &str,
        config: &'a Config,
        geometry: &'a Geometry,
    ) -> Result<Self, Error> {
        let groups = &geometry.groups;
        let is_mixed = geometry.is_mixed();
        let key = format!("technique.{technique}.group");
        let names: Vec<String> =
            groups.iter().map(|group| format!("{key} to \"{}\"", group.name)).collect();
        let index = match groups.iter().position(|group| group.name == wanted) {
            _ if wanted.is_empty() && !is_mixed => 0,
            Some(index) => index,
            None if wanted.is_empty() => {
                return Err(infeasible(
                    format!(
                        "technique {technique} works on one kind of flash, and the drive has several"
                    ),
                    format!("set {}, or leave out drive.group", names.join(" or ")),
                ));
            }
            None if is_mixed => {
                return Err(infeasible(
                    format!("{key} = \"{wanted}\": the drive has no such group"),
                    format!("set {}", names.join(" or ")),
                ));
            }
            None => {
                return Err(infeasible(
                    format!("{key} = \"{wanted}\": the drive has one kind of flash"),
                    format!("leave out {key}, or give the drive a drive.group.{wanted}"),
                ));
            }
        };
        let kind = config.drive.kinds()[index];
        let group = &groups[index];
        let first_unit = geometry.first_unit(group.blocks.first());
        Ok(Self { index, group, first_unit, kind, is_mixed })
    }

    /// The chips of the dies.
    pub fn chip(&self) -> &'a ChipConfig {
        self.kind.chip
    }

    /// The group that the technique is given; `None`: it has the whole drive.
    pub fn given(&self) -> Option<usize> {
        self.is_mixed.then_some(self.index)
    }

    /// A key of the chips, as a configuration names it.
    pub fn key(&self, key: &str) -> String {
        self.group.key(key)
    }
}
