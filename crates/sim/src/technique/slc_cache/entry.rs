//! The parameters of the cache, the drives on which it works, and its operations.

use super::SlcCache;
use super::blocks::Blocks;
use super::figures::Figures;
use super::size::{Bounds, Size};
use crate::declare::{Kind as Holds, Table, TechniqueDecl, choice, params};
use crate::drive;
use crate::error::Error;
use crate::ids::{ById, StreamId};
use crate::nand::{
    ERASED, Flash, Geometry, Kind, Mode, Needs, OpRow, OpTable, Transition, infeasible,
};
use crate::policy::hotness;
use crate::schema::{Cell, Config, Incomplete};
use crate::technique::{Entry, InSuperblocks, Technique};

const MIB: f64 = 1024.0 * 1024.0;

/// The entry in the list of techniques.
pub const ENTRY: Entry = Entry {
    declaration: TechniqueDecl {
        name: "slc_cache",
        params: SlcCacheConfig::PARAMS,
        defaults: || toml::Table::try_from(SlcCacheConfig::default()).unwrap_or_default(),
    },
    summary: "Blocks that hold one bit in a cell take the host's writes first, and hand them on in idle time, as consumer drives do.",
    source: "Samsung Electronics, Samsung Solid State Drive TurboWrite Technology, white paper, 2013; in place: Yang et al., In-place Switch: Reprogramming based SLC Cache Design for Hybrid 3D SSDs, arXiv:2409.14360, 2024",
    in_superblocks: InSuperblocks::All,
    build: |table, drive| {
        let own = table.clone().try_into::<SlcCacheConfig>();
        let own = own.map_err(|error| {
            infeasible(
                format!("[technique.slc_cache]: {error}"),
                "see `wordline describe slc_cache`",
            )
        })?;
        Ok(Box::new(SlcCache::new(own, &drive.config)?) as Box<dyn Technique>)
    },
};

choice! {
    /// What becomes of a write that finds the cache full.
    pub enum WhenFull {
        WriteThrough = "write_through",
        FoldFirst = "fold_first",
        InPlace = "in_place",
    }
}

choice! {
    /// How the cache hands data on.
    pub enum Fold {
        Copy = "copy",
        InPlace = "in_place",
        Never = "never",
    }
}

choice! {
    /// When garbage collection takes blocks of the cache.
    pub enum Victims {
        Last = "last",
        Any = "any",
    }
}

choice! {
    /// Which writes of the host go beside the cache.
    pub enum Bypass {
        Nothing = "nothing",
        Large = "large",
        Cold = "cold",
    }
}

params! {
    /// `[technique.slc_cache]`: blocks that hold one bit in a cell, ahead of the others.
    pub struct SlcCacheConfig {
        size: Size = Size::Static, Holds::OneOf(Size::NAMES), "",
            "which blocks the cache may take. static: those that are its own; dynamic: those that no data needs, so that it shrinks as the drive fills, down to the static part; hybrid: both",
            "static and dynamic: Samsung's TurboWrite and Intelligent TurboWrite regions";
        static_share: f64 = 0.03, Holds::Float(0.0, 0.9), "share",
            "blocks of each plane that are the cache's own, rounded to whole blocks; they come out of drive.over_provisioning",
            "assumed; a Samsung 980 PRO of 1 TB sets 6 GB aside, about 1.8 % of its blocks";
        static_mib: f64 = 0.0, Holds::Float(0.0, 1e9), "MiB",
            "the same as the data that they hold; 0: static_share says it",
            "";
        dynamic_share: f64 = 1.0, Holds::Float(0.0, 1.0), "share",
            "dynamic, hybrid: share that the cache may take of the space in which no data stands outside of it",
            "assumed; logs of drives give from 0.3 to 0.9";
        dynamic_mib: f64 = 0.0, Holds::Float(0.0, 1e9), "MiB",
            "dynamic, hybrid: data that the dynamic part holds at most; 0: no such bound",
            "";
        when_full: WhenFull = WhenFull::WriteThrough, Holds::OneOf(WhenFull::NAMES), "",
            "what becomes of a write that finds the cache full. write_through: it goes to the other blocks; fold_first: it waits until the cache has handed a block on; in_place: it is programmed to the cells of a full block of the cache, beside what they hold",
            "in_place: Yang et al., arXiv:2409.14360, 2024";
        fold: Fold = Fold::Copy, Holds::OneOf(Fold::NAMES), "",
            "how the cache hands data on in idle time. copy: to other blocks; in_place: to the cells of the block that became full last, beside what they hold; never: not in idle time",
            "in_place: Yang et al., arXiv:2409.14360, 2024; Gao et al., ACM TOS 18(1):9, 2022, reprogram two bits to three on a chip";
        keep: f64 = 0.0, Holds::Float(0.0, 1.0), "share",
            "share of the cache that keeps its data in idle time, for it may be overwritten",
            "assumed";
        gc: Victims = Victims::Last, Holds::OneOf(Victims::NAMES), "",
            "when garbage collection takes blocks of the cache. last: only where nothing else is left; any: as its policy chooses, those of the static part excepted",
            "assumed";
        bypass: Bypass = Bypass::Nothing, Holds::OneOf(Bypass::NAMES), "",
            "which writes go beside the cache. large: requests of bypass_kib and more; cold: those of the coldest data that ftl.hotness.policy knows",
            "assumed";
        bypass_kib: f64 = 1024.0, Holds::Float(0.5, 1e6), "KiB",
            "bypass = \"large\": the smallest request that goes beside the cache",
            "assumed";
        program_us: f64 = 200.0, Holds::Float(0.0, 1e6), "us",
            "program of a word line with one bit in a cell",
            "HP, Technical white paper: Solid State Drive Technology, Table 1: 200 to 300 us for SLC";
        read_us: f64 = 25.0, Holds::Float(0.0, 1e6), "us",
            "read of a page from a cell of one bit",
            "HP, Technical white paper: Solid State Drive Technology, Table 1: 25 us for SLC";
        reprogram_us: f64 = 0.0, Holds::Float(0.0, 1e6), "us",
            "program of further pages to cells that hold one bit, without the read of that bit before it; 0: as long as the slowest page of drive.chip",
            "not published for one bit; Gao et al., ACM TOS 18(1):9, 2022, Table 4: from two bits to three it takes 1 % longer than the program of two";
        wear: f64 = 0.1, Holds::Float(0.0, 1.0), "P/E cycles",
            "P/E cycles that one with a single bit in a cell counts as",
            "derived: data sheets give 20,000 to 40,000 cycles in that mode for TLC of 1,000 to 3,000";
    }
}

/// The mode of a word line that holds one bit in a cell, and that after further pages joined it.
const ONE_BIT: Mode = "one_bit";
const SWITCHED: Mode = "switched";

/// Rows of the cache's own operations.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rows {
    /// One page to a word line.
    pub program: u8,
    /// The other pages of it.
    pub reprogram: u8,
    /// A page of a word line that holds one.
    pub read: u8,
}

/// The blocks as the cache divides them.
#[derive(Debug, Clone, Copy)]
pub struct Units {
    /// Units of a page.
    pub per_page: u32,
    /// Pages of a word line.
    pub bits: u32,
    /// Units of a block outside of the cache.
    pub per_block: u32,
}

impl Units {
    /// Units of a block in the cache.
    pub fn per_slc_block(self) -> u32 {
        self.per_block / self.bits
    }
}

impl SlcCacheConfig {
    /// Appends the operations to the table. Energy is that of a whole word line, as long as it takes.
    pub(super) fn add_operations(&self, table: &mut OpTable, flash: &Flash<'_>) -> Rows {
        let program = table.row(flash.rows.program).clone();
        let read = table.row(flash.rows.read).clone();
        debug_assert_eq!((program.kind, read.kind), (Kind::Program, Kind::Read));
        let ns = |us: f64| (us * 1000.0).round() as u64;
        let bits = flash.chip.cell.bits() as usize;
        let slowest_ns = program.array_ns[..bits].iter().copied().max().unwrap_or(0);
        let line_nj: u64 = program.energy_nj[..bits].iter().sum();
        let row = |name, needs, transition, array_ns: u64, pages: u64| OpRow {
            name,
            kind: Kind::Program,
            needs,
            array_ns: [array_ns; 4],
            transition,
            transfers: true,
            energy_nj: [scaled(line_nj, array_ns, slowest_ns) / pages.max(1); 4],
            pages_read_first: 0,
        };
        let first = Transition::first(&[ERASED], ONE_BIT);
        let again = Transition { from: &[ONE_BIT], to: SWITCHED, passes: 1 };
        let again_ns = match self.reprogram_us {
            0.0 => slowest_ns,
            us => ns(us),
        };
        let (read_ns, others) = (ns(self.read_us), bits as u64 - 1);
        Rows {
            program: table.push(row(
                "one_bit_program",
                Needs::Erased,
                first,
                ns(self.program_us),
                1,
            )),
            reprogram: table.push(row(
                "switch_program",
                Needs::Programmed,
                again,
                again_ns + read_ns,
                others,
            )),
            read: table.push(OpRow {
                name: "one_bit_read",
                array_ns: [read_ns; 4],
                energy_nj: [scaled(read.energy_nj[0], read_ns, read.array_ns[0]); 4],
                ..read
            }),
        }
    }

    /// What a reader must know before believing the figures.
    fn warnings(&self, config: &Config) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.fold != Fold::Never && !config.host.has_idle_time() {
            warnings.push(
                "technique slc_cache: host.mode = \"closed\" leaves no idle time in which the cache could hand data on; set host.mode to \"open\", and space the requests, or set host.burst_requests and host.pause_s".to_owned(),
            );
        }
        if self.reprogram_us == 0.0
            && (self.fold == Fold::InPlace || self.when_full == WhenFull::InPlace)
        {
            warnings.push(
                "technique.slc_cache.reprogram_us is 0: that further pages join a word line of one bit in the time of drive.chip.program_us is assumed; no measurement of it is published".to_owned(),
            );
        }
        warnings
    }

    /// Blocks of each plane that are its own.
    fn set_aside(&self, geometry: &Geometry, units: Units) -> f64 {
        let group = &geometry.groups[0];
        if self.static_mib == 0.0 {
            return self.static_share * f64::from(group.blocks_per_plane);
        }
        self.static_mib / mib_of_row(geometry, units)
    }

    fn bounds(&self, config: &Config, geometry: &Geometry, units: Units) -> Result<Bounds, Error> {
        let set_aside = self.set_aside(geometry, units);
        let whole = set_aside.round() as u32;
        refuse(
            set_aside > 0.0 && whole == 0,
            &format!("its static part comes to {set_aside:.3} blocks of a plane, less than one"),
            "raise technique.slc_cache.static_share or static_mib, or set both to 0",
        )?;
        let most = match self.dynamic_mib {
            0.0 => u32::MAX,
            mib => (mib / mib_of_row(geometry, units)).floor() as u32,
        };
        Ok(Bounds {
            size: self.size,
            set_aside: whole,
            share: self.dynamic_share,
            most,
            units: drive::logical_units(config, geometry),
            units_per_superblock: u64::from(units.per_block) * u64::from(geometry.planes().count()),
        })
    }
}

/// MiB that a block of the cache in each plane holds.
fn mib_of_row(geometry: &Geometry, units: Units) -> f64 {
    let units = f64::from(units.per_slc_block()) * f64::from(geometry.planes().count());
    units * geometry.unit_bytes as f64 / MIB
}

/// The energy of an operation that takes `ns` where another one takes `of_ns`.
fn scaled(energy_nj: u64, ns: u64, of_ns: u64) -> u64 {
    (energy_nj as f64 * ns as f64 / of_ns.max(1) as f64).round() as u64
}

impl SlcCache {
    /// The technique for the drive of `config`.
    ///
    /// # Errors
    /// A drive on which it does not work, with what to change.
    pub fn new(own: SlcCacheConfig, config: &Config) -> Result<Self, Error> {
        let geometry = Geometry::new(config)?;
        check_drive(&own, config, &geometry)?;
        let group = &geometry.groups[0];
        let units = Units {
            per_page: group.units_per_page,
            bits: group.bits,
            per_block: group.units_per_block,
        };
        let bounds = own.bounds(config, &geometry, units)?;
        // Scopes and domains are no more than planes.
        let planes = geometry.planes().count();
        let switches = own.fold == Fold::InPlace || own.when_full == WhenFull::InPlace;
        Ok(Self {
            rows: Rows::default(),
            units,
            bounds,
            levels: hotness::temperatures(&config.ftl.hotness),
            first_stream: StreamId::NONE,
            switches,
            blocks: Blocks::new(geometry.blocks().count(), planes, planes),
            normal: 0,
            worn: ById::filled(0.0, geometry.blocks().count()),
            has_begun: false,
            is_waiting: false,
            is_bypassing: false,
            figures: Figures::default(),
            warnings: if bounds.is_none() { Vec::new() } else { own.warnings(config) },
            config: own,
        })
    }
}

fn refuse(is_wrong: bool, what: &str, help: &str) -> Result<(), Error> {
    match is_wrong {
        true => Err(infeasible(format!("technique slc_cache: {what}"), help)),
        false => Ok(()),
    }
}

/// Refuses drives on which it does not work.
fn check_drive(own: &SlcCacheConfig, config: &Config, geometry: &Geometry) -> Result<(), Error> {
    let chip = config.drive.kinds()[0].chip;
    let group = &geometry.groups[0];
    refuse(geometry.is_mixed(), "the drive has several kinds of flash", "leave out drive.group")?;
    refuse(
        chip.cell == Cell::Slc,
        "cells of SLC hold one bit already",
        "set drive.chip.cell to \"mlc\", \"tlc\" or \"qlc\"",
    )?;
    refuse(
        group.pages_per_unit > 1,
        &format!(
            "a word line of one bit in a cell holds a page, less than a unit of {} pages",
            group.pages_per_unit
        ),
        "set ftl.mapping_unit_kib to drive.chip.page_kib or less",
    )?;
    refuse(
        !group.pages_per_block.is_multiple_of(group.bits),
        &format!("{} pages are not whole word lines of {}", group.pages_per_block, group.bits),
        "choose drive.chip.pages_per_block as a multiple",
    )?;
    refuse(
        config.ftl.incomplete == Incomplete::Leave,
        "a word line of one bit in a cell is programmed once",
        "set ftl.incomplete to \"pad\"",
    )?;
    refuse(
        own.bypass == Bypass::Cold && hotness::temperatures(&config.ftl.hotness) < 2,
        "bypass = \"cold\", but nothing tells it which writes are cold",
        "set ftl.hotness.policy, such as to \"sequence\"",
    )
}
