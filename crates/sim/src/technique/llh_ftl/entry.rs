//! The parameters of LLH-FTL, the drives on which it works, and its operations.

use super::cells::Chip;
use super::codes::{Code, SecondWrites, Wanted, more_room};
use super::order::Order;
use super::rounds::{BITS, Layout, Rows};
use super::threshold::Bounds;
use super::{LlhFtl, Rules};
use crate::declare::{Kind as Holds, Table, TechniqueDecl, choice, params};
use crate::drive::ByCost;
use crate::error::Error;
use crate::nand::{
    ERASED, Flash, Geometry, Kind, Mode, Needs, OpRow, OpTable, Transition, infeasible,
};
use crate::policy::{gc, hotness};
use crate::schema::{Cell, Config, FrontierScope, ProgramUnit};
use crate::technique::die_group::DieGroup;
use crate::technique::{Entry, InSuperblocks, Technique};

/// Share of a block's life in which reuse was safe on all chips of the publication but one.
const SAFE_SHARE: f64 = 0.4;
/// Share of second writes that fail, beyond which a reader is told.
const FAILS_OFTEN: f64 = 0.01;
/// Cycles up to which reuse was safe on each chip of the publication: 0.4 of the 3,000 of A16, the fewest.
pub(super) const SAFE_CYCLES: u32 = 1_200;
/// Units of a page that its second write carries.
const UNITS_PER_UNIT_AGAIN: u32 = 2;

/// The entry in the list of techniques.
pub const ENTRY: Entry = Entry {
    declaration: TechniqueDecl {
        name: "llh_ftl",
        params: LlhFtlConfig::PARAMS,
        defaults: || toml::Table::try_from(LlhFtlConfig::default()).unwrap_or_default(),
    },
    summary: "MLC blocks take hot data in two rounds: low pages first, then low pages again by a code for write-once memory, and the high pages.",
    source: "Margaglia et al., The Devil is in the Details: Implementing Flash Page Reuse with WOM Codes, USENIX FAST 2016",
    in_superblocks: InSuperblocks::Dense(
        "a page is coded over when it is invalid itself, and the planes of a program, or the parity of its row, would have to be so with it",
    ),
    build: |table, drive| {
        Ok(Box::new(LlhFtl::new(own_of(table)?, &drive.config)?) as Box<dyn Technique>)
    },
};

/// The parameters in its table.
pub(super) fn own_of(table: &toml::Table) -> Result<LlhFtlConfig, Error> {
    table.clone().try_into().map_err(|error| {
        infeasible(format!("[technique.llh_ftl]: {error}"), "see `wordline describe llh_ftl`")
    })
}

choice! {
    /// When the threshold is updated.
    pub enum Updated {
        Collection = "collection",
        Opening = "opening",
    }
}

choice! {
    /// When hot data goes to a partially used block in place of an erased one.
    pub enum ReuseWhen {
        Scarce = "scarce",
        Threshold = "threshold",
    }
}

choice! {
    /// In which part of a block's life it is reused.
    pub enum Safe {
        Share = "share",
        Table = "table",
    }
}

params! {
    /// `[technique.llh_ftl]`: MLC blocks that are written in two rounds.
    pub struct LlhFtlConfig {
        group: String = String::new(), Holds::Text, "",
            "the group of dies on which it works, NAME of drive.group.NAME, where the drive has several kinds of flash; everything else is then done as without it",
            "";
        threshold: f64 = 0.5, Holds::Float(0.0, 1.0), "share",
            "partially used blocks that may wait for their second round at first, as a share of the spare blocks of a write point's planes (of a bank); 0.5 and 0.25 were evaluated",
            "Margaglia et al., USENIX FAST 2016, Section 6: OP/2 and OP/4";
        reuse_when: ReuseWhen = ReuseWhen::Scarce, Holds::OneOf(ReuseWhen::NAMES), "",
            "when hot data goes to a partially used block. scarce: once erased blocks are scarce, to one without valid data or if more wait than the threshold; threshold: as soon as as many wait as the threshold, and no sooner. Then no more wait, and while the threshold is 0 erased blocks take hot data page by page",
            "scarce: emulator, github.com/zdvresearch/fast2016-ftl at 4bb8cb0, log.c; threshold: Margaglia et al., USENIX FAST 2016, Section 4, partially-use and reuse conditions";
        updated: Updated = Updated::Collection, Holds::OneOf(Updated::NAMES), "",
            "when the threshold is updated. collection: by the victim of each garbage collection; opening: by the cheapest victim of the moment, whenever a block is opened for hot data, erased blocks are scarce and no partially used block is free of valid data",
            "collection: Margaglia et al., USENIX FAST 2016, Section 4; opening: emulator, github.com/zdvresearch/fast2016-ftl at 4bb8cb0, log.c";
        window: u64 = 5, Holds::Int(1, 1000), "victims",
            "victims with whose mean count of valid units that of another is compared",
            "Margaglia et al., USENIX FAST 2016, Section 5.2";
        steps: u64 = 1, Holds::Int(1, 1000), "comparisons",
            "comparisons in a row that must come out alike before the threshold moves by a block; 7 in the emulator",
            "Margaglia et al., USENIX FAST 2016, Section 4: updated in each garbage collection; emulator, github.com/zdvresearch/fast2016-ftl at 4bb8cb0, log.c: 7";
        floor: u64 = 0, Holds::Int(0, 1_000_000), "blocks",
            "the threshold does not fall once it is here; 5 in the emulator, of 112 spare blocks of a bank",
            "Margaglia et al., USENIX FAST 2016, Section 4: tells of none; emulator, github.com/zdvresearch/fast2016-ftl at 4bb8cb0, log.c: 5";
        ceiling: u64 = 0, Holds::Int(0, 1_000_000), "blocks",
            "the threshold does not rise once it is here; 0: the spare blocks of a write point's planes (of a bank)",
            "emulator, github.com/zdvresearch/fast2016-ftl at 4bb8cb0, log.c: 112, which is the spare blocks of a bank of the drive with 32 GB and 28 %";
        order: Order = Order::Pairwise, Holds::OneOf(Order::NAMES), "",
            "order of the second round. pairwise: a low page, then its high page; numbered: the low page of the next word line before the high page, as chips number them",
            "pairwise: Margaglia et al., USENIX FAST 2016, Section 3.2; numbered: emulator, github.com/zdvresearch/fast2016-ftl at 4bb8cb0, nand.h";
        failure: f64 = 0.0025, Holds::Float(0.0, 1.0), "",
            "probability that a page cannot be encoded: its data goes to a cold block as it is, and the low page takes the next",
            "Margaglia et al., USENIX FAST 2016, Section 4";
        safe_share: f64 = SAFE_SHARE, Holds::Float(0.0, 1.0), "share",
            "share of drive.chip.endurance_pec up to which blocks are reused; afterwards hot data fills them page by page",
            "Margaglia et al., USENIX FAST 2016, Sections 3.4 and 4: the first 40 %, on all chips but B16";
        safe: Safe = Safe::Share, Holds::OneOf(Safe::NAMES), "",
            "in which part of its life a block is reused. share: safe_share of it; table: as long as the error rates of chip stay below 1e-3 by its table of the cell laboratory, and never where they do not",
            "table: Margaglia et al., USENIX FAST 2016, Section 3.1, the limit; presets/cells/tables/llh-*/reprogram.csv";
        chip: Chip = Chip::A16, Holds::OneOf(Chip::NAMES), "",
            "safe = \"table\": the chip of the paper; C35 was not measured there, and its table is that of A27",
            "Margaglia et al., USENIX FAST 2016, Table 2";
        strain: f64 = 1.14, Holds::Float(1.0, 10.0), "P/E cycles",
            "cycles that one with a reuse wears as much as",
            "Margaglia et al., USENIX FAST 2016, Table 4: lives whose first 0.4 T are reused are shorter by 5 to 6 % of T, so 1.125 on B16, 1.13 on A16, 1.14 on B29, 1.15 on A27";
        lists: bool = false, Holds::Bool, "",
            "true: the last page of each round, and of each block of cold data, holds the list of the block's logical pages, which is read before the block is reused and before garbage collection, unless nothing on it is valid. The drive without reuse that has such lists, too, is that of safe_share = 0",
            "emulator, github.com/zdvresearch/fast2016-ftl at 4bb8cb0, log.c; the paper does not say where such a list is";
        code: Code = Code::Assumed, Holds::OneOf(Code::NAMES), "",
            "how second writes are encoded. assumed: half a page, which fails with the probability failure; polar: a polar code that tries once; polar64: one that tries 64 layouts; ldgm: message passing; elimination: the same with elimination. Of these presets/codes/wom.csv says what a page holds, how often that fails, and how long it takes",
            "assumed: Margaglia et al., USENIX FAST 2016, Section 4; the others: measured by `wordline code`";
        spare_percent: f64 = 0.0, Holds::Float(0.0, 50.0), "%",
            "spare area of a page that the code may use, of its data; 0: none, so that a second write holds three eighths of a page",
            "Margaglia et al., USENIX FAST 2016, Section 5.1: the board's cannot be used; Table 2: 3.1 to 11.4 % on chips";
        encode_us: f64 = 0.0, Holds::Float(0.0, 1_000_000.0), "us",
            "code = \"assumed\": time to encode a page, for which its die waits",
            "Margaglia et al., USENIX FAST 2016, Section 5.2: as long as the error correction, in hardware";
        low_energy: f64 = 68.55 / 68.18, Holds::Float(0.0, 100.0), "",
            "energy of the first program of a low page, over that of drive.chip",
            "Margaglia et al., USENIX FAST 2016, Table 5: 68.55 and 68.18 uJ";
        low_again_energy: f64 = 63.04 / 68.18, Holds::Float(0.0, 100.0), "",
            "energy of the second program of a low page, over that of a low page of drive.chip",
            "Margaglia et al., USENIX FAST 2016, Table 5: 63.04 and 68.18 uJ";
        high_energy: f64 = 180.85 / 195.65, Holds::Float(0.0, 100.0), "",
            "energy of the program of a high page in the second round, over that of drive.chip",
            "Margaglia et al., USENIX FAST 2016, Table 5: 180.85 and 195.65 uJ";
        erase_energy: f64 = 186.49 / 192.79, Holds::Float(0.0, 100.0), "",
            "energy of the erase of a reused block, over that of drive.chip or the erase scheme",
            "Margaglia et al., USENIX FAST 2016, Table 5: 186.49 and 192.79 uJ";
    }
}

/// The modes of a word line: its low page was programmed alone, once or twice; then its high page.
const LOW: Mode = "low";
const LOW_AGAIN: Mode = "low_again";
const LOW_AND_HIGH: Mode = "low_and_high";

impl LlhFtlConfig {
    /// Appends the operations to the table: programs and reads take the time of the chip's own.
    pub(super) fn add_operations(
        &self,
        table: &mut OpTable,
        flash: &Flash<'_>,
        second: &SecondWrites,
    ) -> Rows {
        let program = table.row(flash.rows.program).clone();
        let read = table.row(flash.rows.read).clone();
        let row = |name, needs, transition, energy: f64| OpRow {
            name,
            needs,
            transition,
            energy_nj: program.energy_nj.map(|nj| (nj as f64 * energy).round() as u64),
            ..program.clone()
        };
        debug_assert_eq!((program.kind, read.kind), (Kind::Program, Kind::Read));
        let first = Transition::first(&[ERASED], LOW);
        let again = Transition { from: &[LOW], to: LOW_AGAIN, passes: 1 };
        let high = Transition::first(&[LOW, LOW_AGAIN], LOW_AND_HIGH);
        let mut low_again = row("low_reprogram", Needs::Programmed, again, self.low_again_energy);
        // What the page holds is read a step ahead; the die waits for what is made of it.
        let encode_ns = (second.encode_us * 1e3).round() as u64;
        low_again.pages_read_first = 1;
        low_again.array_ns = low_again.array_ns.map(|ns| ns + encode_ns);
        let rows = Rows {
            low: table.push(row("low_program", Needs::Erased, first, self.low_energy)),
            low_again: table.push(low_again),
            high: table.push(row("high_program", Needs::Erased, high, self.high_energy)),
            encoded_read: table.push(OpRow { name: "encoded_read", ..read }),
        };
        let page_bytes = (flash.chip.page_kib * 1024.0).round() as u64;
        table.spread(rows.encoded_read, u64::from(second.cells_of_unit), page_bytes);
        rows
    }

    pub(super) fn wanted(&self) -> Wanted {
        let &Self { code, spare_percent, failure, encode_us, .. } = self;
        Wanted { code, spare_percent, failure, encode_us }
    }

    /// What a reader must know before believing the figures.
    fn warnings(
        &self,
        config: &Config,
        die_group: &DieGroup<'_>,
        second: &SecondWrites,
    ) -> Vec<String> {
        let mut warnings = Vec::new();
        let wears_out = die_group.chip().endurance_pec > 0;
        if wears_out && self.safe == Safe::Share && self.safe_share > SAFE_SHARE {
            warnings.push(format!(
                "technique.llh_ftl.safe_share = {}: Margaglia et al. (2016) found reuse safe in the first {SAFE_SHARE} of a block's life",
                self.safe_share
            ));
        }
        if second.failure > FAILS_OFTEN {
            warnings.push(format!(
                "technique llh_ftl: code = \"{}\" with technique.llh_ftl.spare_percent = {} fails in {:.1} % of the second writes",
                self.code,
                self.spare_percent,
                100.0 * second.failure
            ));
        }
        let units = die_group.group.units_per_page;
        if second.units * UNITS_PER_UNIT_AGAIN < units {
            warnings.push(format!(
                "technique llh_ftl: with code = \"{}\" and technique.llh_ftl.spare_percent = {} a second write carries {} of the {units} units of a page, less than half: {}",
                self.code,
                self.spare_percent,
                second.units,
                more_room(&self.wanted(), die_group.chip().page_kib)
            ));
        }
        if config.ftl.gc.mode.works_in_idle_time() {
            warnings.push(format!(
                "technique llh_ftl: blocks are reused only while erased ones are scarce, which ftl.gc.mode = \"{}\" prevents in idle time",
                config.ftl.gc.mode
            ));
        }
        warnings
    }
}

impl LlhFtl {
    /// The technique for the drive of `config`.
    ///
    /// # Errors
    /// A drive on which it does not work, with what to change.
    pub fn new(own: LlhFtlConfig, config: &Config) -> Result<Self, Error> {
        let geometry = Geometry::new(config)?;
        let levels = hotness::temperatures(&config.ftl.hotness) - 1;
        let die_group = DieGroup::of("llh_ftl", &own.group, config, &geometry)?;
        check_drive(&own, config, &die_group, levels)?;
        let (group, chip) = (die_group.group, die_group.chip());
        let second = SecondWrites::of(&own.wanted(), chip.page_kib, group.units_per_page)?;
        let layout = Layout {
            units_per_page: group.units_per_page,
            units_again: second.units,
            word_lines: group.pages_per_block / BITS,
            order: own.order,
            lists: u32::from(own.lists),
            rows: Rows::default(),
        };
        let planes =
            if config.ftl.frontier_scope == FrontierScope::Die { group.planes_per_die } else { 1 };
        let blocks = f64::from(planes * group.blocks_per_plane);
        let spare = blocks - blocks / (1.0 + config.drive.over_provisioning);
        let bounds = Bounds {
            first: (spare * own.threshold).round() as u32,
            floor: own.floor as u32,
            ceiling: if own.ceiling == 0 { spare.round() as u32 } else { own.ceiling as u32 },
            window: own.window as u32,
            steps: own.steps as u32,
        };
        let safe_share = match own.safe {
            Safe::Share => own.safe_share,
            Safe::Table => own.chip.safe_share(own.strain)?,
        };
        let safe_pec = match chip.endurance_pec {
            0 if safe_share > 0.0 => u64::MAX,
            pec => (pec as f64 * safe_share).floor() as u64,
        };
        let warnings = own.warnings(config, &die_group, &second);
        let rules = Rules { layout, second, bounds, safe_pec };
        let technique = Self::with(own, &geometry, &die_group, rules, levels, config.run.seed);
        let endurance_key = match chip.endurance_pec {
            0 => die_group.key("endurance_pec"),
            _ => String::new(),
        };
        Ok(Self { warnings, endurance_key, ..technique })
    }
}

/// Refuses drives on which it does not work.
fn check_drive(
    own: &LlhFtlConfig,
    config: &Config,
    die_group: &DieGroup<'_>,
    levels: u32,
) -> Result<(), Error> {
    let chip = die_group.chip();
    let refuse = |is_wrong: bool, what: &str, help: &str| match is_wrong {
        true => Err(infeasible(format!("technique llh_ftl: {what}"), help)),
        false => Ok(()),
    };
    refuse(
        chip.cell != Cell::Mlc,
        &format!(
            "low pages that are written twice before their high page are those of MLC, not {}",
            chip.cell
        ),
        &format!("set {} to \"mlc\"", die_group.key("cell")),
    )?;
    refuse(
        chip.program != ProgramUnit::Page,
        &format!(
            "{} = \"{}\" writes low and high pages together",
            die_group.key("program"),
            chip.program
        ),
        &format!("set {} to \"page\"", die_group.key("program")),
    )?;
    refuse(
        chip.multi_plane,
        "a second round takes a block by itself, not one in each plane",
        &format!("set {} to false", die_group.key("multi_plane")),
    )?;
    refuse(
        !chip.pages_per_block.is_multiple_of(u64::from(BITS)),
        &format!("{} pages are not whole word lines of two pages", chip.pages_per_block),
        &format!("set {} to an even number", die_group.key("pages_per_block")),
    )?;
    refuse(
        own.lists && chip.pages_per_block <= u64::from(BITS),
        "a block's list takes a page of each round, and leaves none",
        &format!("set {} to {} or more", die_group.key("pages_per_block"), 2 * BITS),
    )?;
    let units = die_group.group.units_per_page;
    refuse(
        !units.is_multiple_of(UNITS_PER_UNIT_AGAIN),
        &format!(
            "a second write carries half a page, and a page holds {units} of ftl.mapping_unit_kib"
        ),
        &format!(
            "set ftl.mapping_unit_kib to half of {}, or another even part of it",
            die_group.key("page_kib")
        ),
    )?;
    refuse(
        levels == 0,
        "nothing tells it which writes are hot",
        "set ftl.hotness.policy, such as to \"size\"",
    )?;
    refuse(
        own.updated == Updated::Opening && gc::build(config).orders().by_cost == ByCost::None,
        &format!(
            "updated = \"opening\" asks for the cheapest victim, which ftl.gc.policy = \"{}\" does not know",
            config.ftl.gc.policy
        ),
        "set ftl.gc.policy to \"greedy\", or technique.llh_ftl.updated to \"collection\"",
    )
}
