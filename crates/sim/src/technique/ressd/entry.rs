//! The parameters of ReSSD, the drives on which it works, and its operations.

use super::errors::ErrorRates;
use super::super_layer::Layers;
use super::word_line::MOST_REPROGRAMS;
use super::{ReSsd, Rows};
use crate::declare::{Table, TechniqueDecl};
use crate::declare::{choice, params};
use crate::error::Error;
use crate::nand::{
    ERASED, Flash, Geometry, Kind, Mode, Needs, OpRow, OpTable, Transition, infeasible,
};
use crate::policy::hotness;
use crate::schema::{Cell, Config, FrontierScope, GcCounts};
use crate::technique::die_group::DieGroup;
use crate::technique::{Entry, InSuperblocks, Technique};

/// Layers of a super layer beyond which the tested chip's ECC no longer corrects every page.
const RELIABLE_LAYERS: u64 = 2;
/// Bits of a cell that reprograms start from.
const BITS: u32 = 3;

/// The entry in the list of techniques.
pub const ENTRY: Entry = Entry {
    declaration: TechniqueDecl {
        name: "ressd",
        params: ReSsdConfig::PARAMS,
        defaults: || toml::Table::try_from(ReSsdConfig::default()).unwrap_or_default(),
    },
    summary: "TLC word lines that hold two bits in a cell take two more pages by reprograms, for data that is updated often.",
    source: "Gao et al., Reprogramming 3D TLC Flash Memory based Solid State Drives, ACM TOS 18(1):9, 2022",
    in_superblocks: InSuperblocks::Dense(
        "a word line is programmed again when its own pages are invalid, and the planes of a program, or the parity of its row, would have to be so with it",
    ),
    build: |table, drive| {
        let own = table.clone().try_into::<ReSsdConfig>();
        let own = own.map_err(|error| {
            infeasible(format!("[technique.ressd]: {error}"), "see `wordline describe ressd`")
        })?;
        Ok(Box::new(ReSsd::new(own, &drive.config)?) as Box<dyn Technique>)
    },
};

choice! {
    /// What becomes of a block whose word lines were all reprogrammed twice.
    pub enum SpentBlock {
        Left = "left",
        Emptied = "emptied",
        Cooled = "cooled",
    }
}

choice! {
    /// When the pages of a candidate begin to be moved, once more of them wait than may.
    pub enum Reclaim {
        AtOnce = "at_once",
        NextHotWrite = "next_hot_write",
        Blocking = "blocking",
    }
}

choice! {
    /// How many pages of a candidate a program takes along.
    pub enum Along {
        Fill = "fill",
        WordLine = "word_line",
    }
}

choice! {
    /// What becomes of the third page of a word line.
    pub enum ThirdPage {
        Lost = "lost",
        Free = "free",
    }
}

choice! {
    /// What keeps data that a reprogram endangers through a power loss.
    pub enum PowerLoss {
        Capacitor = "capacitor",
        Copies = "copies",
    }
}

params! {
    /// `[technique.ressd]`: reprogrammable TLC.
    pub struct ReSsdConfig {
        group: String = String::new(), crate::declare::Kind::Text, "",
            "the group of dies on which it works, NAME of drive.group.NAME, where the drive has several kinds of flash; everything else is then done as without it",
            "";
        layers: u64 = 2, crate::declare::Kind::Int(1, 1024), "layers",
            "layers of a super layer, which are reprogrammed in any order; more than 2 were not reliable on the tested chip",
            "Gao et al., ACM TOS 18(1):9, 2022, Section 3.3.2";
        virtual_layers: bool = false, crate::declare::Kind::Bool, "",
            "super layers reach across the border of two neighbours (V-SL), so that less data must be moved",
            "Gao et al., ACM TOS 18(1):9, 2022, Section 6.1";
        candidates: u64 = 0, crate::declare::Kind::Int(0, 1_000_000), "blocks",
            "candidate blocks of a plane and a hotness that may wait for updates before one of them is reclaimed",
            "not given; 0: a candidate is reused before another block is opened, Section 4.2";
        reclaim: Reclaim = Reclaim::AtOnce, crate::declare::Kind::OneOf(Reclaim::NAMES), "",
            "when the pages of a candidate begin to be moved, once more of them wait than may: at_once: with the next data of the host, so that hardly any candidate returns of its own accord; next_hot_write: when another write finds that no block of its hotness can be written, until when updates may make the candidate writable again; blocking: as at_once, and such a write waits until all that is in the way has been moved, and goes to the candidate instead of a normal block",
            "Gao et al., ACM TOS 18(1):9, 2022, Sections 4.2 and 4.3: greedy reclamation in idle time and with host writes; candidates return proactively as well, but how long they wait for that is not said; blocking: Section 4.3, requests of the host that come while a candidate is reclaimed are blocked";
        along: Along = Along::Fill, crate::declare::Kind::OneOf(Along::NAMES), "",
            "how many pages of a candidate a program of host data takes along: fill: as many as it lacks; word_line: those of one word line, so that a word line with one valid page waits for two host writes",
            "Gao et al., ACM TOS 18(1):9, 2022, Section 4.3 and Figure 9: one host write beside two valid pages of a word line, two beside one; fill does not leave registers waiting";
        spent: SpentBlock = SpentBlock::Emptied, crate::declare::Kind::OneOf(SpentBlock::NAMES), "",
            "what becomes of data in a block whose word lines were all reprogrammed twice: it is left there for GC to move, or moved away beforehand, like that of candidates, at once or once it is cold: when the last bound of ftl.hotness.intervals_min has passed without a write to the block. Of each plane as many blocks wait for that as ftl.gc.free_block_threshold keeps free, at least one; others are left to GC",
            "Gao et al., ACM TOS 18(1):9, 2022, Sections 4 and 7.2.2: reprogrammable blocks are erased without migration, their data is to be invalidated soon; that anything waits is not said";
        third_page: ThirdPage = ThirdPage::Lost, crate::declare::Kind::OneOf(ThirdPage::NAMES), "",
            "what GC that counts pages (ftl.gc.counts) takes the third page of a word line with two bits in a cell for. lost: it is gone until the erase; free: it stays in the count, and an erase adds a whole block to that, as in SSDSim, whose count falls by a page for each that is programmed: the drive draws on its reserve",
            "Gao et al., ACM TOS 18(1):9, 2022, lost: Section 3.3.3 (\"one-third of capacity is lost\", until the erase), Section 7.2.1 (\"the number of consumed flash pages still is three\") and Section 7.2.5 (word lines of reprogrammable blocks are taken for MLC's, each of which \"only contains two pages\"); free is not said: published moves and GC time fall by it alone";
        program_us: f64 = 2675.0, crate::declare::Kind::Float(0.0, 1e6), "us",
            "program of a word line with two bits in a cell",
            "Gao et al., ACM TOS 18(1):9, 2022, Table 4: the regular program of the reprogram scheme";
        reprogram_us: f64 = 2705.0, crate::declare::Kind::Float(0.0, 1e6), "us",
            "reprogram of a page, with the read of the word line before it",
            "Gao et al., ACM TOS 18(1):9, 2022, Table 4: Trep; Section 4.4.3 counts the read in";
        read_us: f64 = 53.0, crate::declare::Kind::Float(0.0, 1e6), "us",
            "read of a page from a cell of two bits: two sensings",
            "Gao et al., ACM TOS 18(1):9, 2022, Table 4: Tr of the reprogram scheme";
        ecc_bits: u64 = 0, crate::declare::Kind::Int(0, 1000), "bits per KiB",
            "errors that the code corrects in pages which are moved away; 0: that is not reckoned. What it has to correct, and how many of them it is to be expected to lose, is reported as corrected, by the tables of the cell laboratory; none is read again, and none gets lost",
            "Gao et al., ACM TOS 18(1):9, 2022, Section 4.3: valid pages are corrected before they are moved; Section 3.3.1: such as 80 bits per KiB; how many it loses is not given";
        power_loss: PowerLoss = PowerLoss::Capacitor, crate::declare::Kind::OneOf(PowerLoss::NAMES), "",
            "what saves the data that a reprogram puts at risk when power fails: a capacitor that lets it end, or copies of it that are programmed before",
            "Gao et al., ACM TOS 18(1):9, 2022, Section 4.4.2; which of them was evaluated is not given, Table 4 has no time for copies";
        copy_us: f64 = 2675.0, crate::declare::Kind::Float(0.0, 1e6), "us",
            "program of such copies, with power_loss = \"copies\"",
            "not given; assumed: two pages take the regular program of the reprogram scheme";
    }
}

/// The mode of a word line that holds two bits in a cell.
const TWO_BITS: Mode = "two_bits";
/// Its first program: of both pages at once, or, where programs take the pages that they have, in parts.
const FIRST: Transition = Transition::first(&[ERASED, TWO_BITS], TWO_BITS);
/// A reprogram: two of them are possible before an erase (Section 3.1).
const AGAIN: Transition = Transition { from: &[TWO_BITS], to: TWO_BITS, passes: MOST_REPROGRAMS };

impl ReSsdConfig {
    /// Appends the operations to the table. Energy is that of a whole word line, as long as it takes.
    pub(super) fn add_operations(&self, table: &mut OpTable, flash: &Flash<'_>) -> Rows {
        let conventional =
            (table.row(flash.rows.program).clone(), table.row(flash.rows.read).clone());
        let ns = |us: f64| (us * 1000.0).round() as u64;
        let row = |name, from: &OpRow, needs, transition, us: f64, pages: f64| {
            let share = |page: usize| ns(us) as f64 / from.array_ns[page].max(1) as f64;
            let energy = |page| (from.energy_nj[page] as f64 * pages * share(page)).round() as u64;
            OpRow {
                name,
                kind: from.kind,
                needs,
                array_ns: [ns(us); 4],
                transition,
                transfers: true,
                energy_nj: std::array::from_fn(energy),
                // The status read: where the word line's states are, and the page that stays.
                pages_read_first: u32::from(
                    (from.kind, needs) == (Kind::Program, Needs::Programmed),
                ),
            }
        };
        let (program, read) = (&conventional.0, &conventional.1);
        let bits = f64::from(BITS);
        let array_us = (self.reprogram_us - self.read_us).max(0.0);
        debug_assert_eq!((program.kind, read.kind), (Kind::Program, Kind::Read));
        Rows {
            program: table.push(row(
                "two_bit_program",
                program,
                Needs::Erased,
                FIRST,
                self.program_us,
                bits / 2.0,
            )),
            reprogram: table.push(row(
                "reprogram",
                program,
                Needs::Programmed,
                AGAIN,
                array_us,
                bits,
            )),
            copied_reprogram: table.push(row(
                "copy_and_reprogram",
                program,
                Needs::Programmed,
                AGAIN,
                array_us + self.copy_us,
                bits,
            )),
            read: table.push(row(
                "two_bit_read",
                read,
                Needs::Programmed,
                read.transition,
                self.read_us,
                1.0,
            )),
        }
    }

    /// What a reader must know before believing the figures.
    pub(super) fn warnings(&self) -> Vec<String> {
        let n = self.layers;
        let text = format!(
            "super layers of {n} layers: beyond {RELIABLE_LAYERS} the tested chip made more errors than its ECC corrects (Gao et al. 2022, Table 2): an ideal case"
        );
        if n > RELIABLE_LAYERS { vec![text] } else { Vec::new() }
    }
}

impl ReSsd {
    /// The technique for the drive of `config`.
    ///
    /// # Errors
    /// A drive on which it does not work, with what to change.
    pub fn new(own: ReSsdConfig, config: &Config) -> Result<Self, Error> {
        let geometry = Geometry::new(config)?;
        let levels = hotness::temperatures(&config.ftl.hotness) - 1;
        let die_group = DieGroup::of("ressd", &own.group, config, &geometry)?;
        check_drive(config, &die_group, levels)?;
        check_count(&own, config)?;
        let layers_per_block = die_group.chip().layers_per_block as u32;
        let layers = Layers {
            per_super_layer: own.layers as u32,
            per_block: layers_per_block,
            pages: die_group.group.pages_per_block / layers_per_block,
            bits: BITS,
            virtual_layers: own.virtual_layers,
        };
        let reserve = config.ftl.gc.free_block_threshold * die_group.chip().blocks_per_plane as f64;
        let spent = (reserve as usize).max(1);
        let technique = Self::with(own, &die_group, layers, levels, spent, ErrorRates::new()?);
        Ok(Self { cold_after_ns: hotness::cold_after_ns(&config.ftl.hotness), ..technique })
    }
}

/// Refuses a way of counting pages where none are counted.
fn check_count(own: &ReSsdConfig, config: &Config) -> Result<(), Error> {
    if own.third_page == ThirdPage::Free && config.ftl.gc.counts != GcCounts::Pages {
        return Err(infeasible(
            "technique.ressd.third_page = \"free\", but GC counts blocks, not pages",
            "set ftl.gc.counts to \"pages\", or third_page to \"lost\"",
        ));
    }
    Ok(())
}

/// Refuses drives on which it does not work.
fn check_drive(config: &Config, die_group: &DieGroup<'_>, levels: u32) -> Result<(), Error> {
    let chip = die_group.chip();
    let (layers, pages) = (chip.layers_per_block, chip.pages_per_block);
    let refuse = |is_wrong: bool, what: &str, help: &str| match is_wrong {
        true => Err(infeasible(format!("technique ressd: {what}"), help)),
        false => Ok(()),
    };
    let whole_layers = &format!(
        "set {} so that a layer holds a multiple of 3 pages",
        die_group.key("layers_per_block")
    );
    refuse(
        chip.cell != Cell::Tlc,
        &format!("its reprograms need the eight states of TLC, not {}", chip.cell),
        &format!("set {} to \"tlc\"", die_group.key("cell")),
    )?;
    refuse(layers == 0, "a super layer is made of layers, and the blocks have none", whole_layers)?;
    refuse(
        pages % (u64::from(BITS) * layers) != 0,
        &format!("{pages} pages are not whole word lines on each of {layers} layers"),
        whole_layers,
    )?;
    refuse(
        chip.multi_plane || config.ftl.frontier_scope != FrontierScope::Plane,
        "every plane has reprogrammable blocks of its own",
        &format!(
            "set {} to false and ftl.frontier_scope to \"plane\"",
            die_group.key("multi_plane")
        ),
    )?;
    refuse(
        die_group.group.units_per_page != 1 || die_group.group.pages_per_unit != 1,
        "a reprogram writes one page, so that the map must be by pages",
        &format!("set ftl.mapping_unit_kib to {}", die_group.key("page_kib")),
    )?;
    refuse(
        levels == 0,
        "nothing tells it which writes are hot",
        "set ftl.hotness.policy, such as to \"interval\"",
    )
}
