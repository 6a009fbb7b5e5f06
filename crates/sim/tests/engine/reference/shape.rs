//! What follows from a configuration before anything is written.

use wordline_sim::config::{
    ChipConfig, Chips, Config, FreeBlockOrder, FrontierScope, Frontiers, GcCounts, GcTrigger,
    MapCacheChoice, PlaneAllocation, ProgramUnit, Ties, VictimChoice, WearChoice,
};

/// Sizes and rules of the dies of one kind of flash, in blocks and mapping units.
pub struct Shape {
    pub sizes: [(char, usize); 4],
    /// A drive of several kinds: the plane of this kind, if it is one, at each turn of a round.
    turns: Vec<Option<usize>>,
    pub planes: usize,
    pub planes_per_die: usize,
    pub blocks_per_plane: usize,
    pub units_per_block: usize,
    pub units_per_page: usize,
    pub pages_per_unit: usize,
    pub unit_bytes: u64,
    pub logical_units: usize,
    /// Blocks that are filled side by side.
    pub lanes: usize,
    /// Units of one program in each of them.
    pub lane_units: usize,
    /// Planes that share an open block.
    pub scope_planes: usize,
    /// Planes that share a collector.
    pub domain_planes: usize,
    pub streams: usize,
    /// GC's own stream, if it has one.
    pub gc_stream: Option<usize>,
    /// The stream of translation pages, and how many of them there are.
    pub map_stream: usize,
    pub map_pages: usize,
    /// Erased blocks that a domain holds back, and those that only GC may use.
    pub reserve: usize,
    /// Whether what open blocks can still take is part of that.
    pub counts_pages: bool,
    pub inner: usize,
    pub sensed_planes: usize,
    pub by_wear: bool,
    /// The spread of wear beyond which cold blocks are moved, and the stream that takes their data.
    pub levelling: Option<(u64, usize)>,
    pub allocation: &'static str,
    /// Whether erased blocks are used by number, round and round.
    pub is_circular: bool,
    /// Whether host writes go to the plane of the die that has the most free pages.
    pub most_free: bool,
    /// Whether GC comes before any access of the host.
    pub at_access: bool,
    pub policy: VictimChoice,
    pub ties: Ties,
    pub window: usize,
    /// Blocks that are drawn for one victim.
    pub draws: u64,
}

/// Planes whose pages are sensed together.
fn sensed_planes(chip: &ChipConfig) -> usize {
    match (chip.multi_plane, chip.multi_plane_reads) {
        (false, _) => 1,
        (true, 0) => chip.planes as usize,
        (true, planes) => planes as usize,
    }
}

impl Shape {
    /// The shape of one of the kinds of flash of a drive.
    pub fn new(config: &Config, kind: usize) -> Self {
        let (drive, ftl) = (&config.drive, &config.ftl);
        let kinds = drive.kinds();
        let chip = kinds[kind].chip;
        let sizes = [
            ('C', kinds[kind].channels as usize),
            ('W', kinds[kind].chips_per_channel as usize),
            ('D', chip.dies as usize),
            ('P', chip.planes as usize),
        ];
        let planes: usize = sizes.iter().map(|(_, size)| size).product();
        let planes_per_die = chip.planes as usize;
        let bytes_of = |kind: &Chips<'_>| (kind.chip.page_kib * 1024.0) as u64;
        let page_bytes = bytes_of(&kinds[kind]);
        let unit_bytes = match (ftl.mapping_unit_kib * 1024.0) as u64 {
            0 => kinds.iter().map(bytes_of).min().expect("one kind at least"),
            bytes => bytes,
        };
        let units_per_page = (page_bytes / unit_bytes).max(1) as usize;
        let pages_per_unit = (unit_bytes / page_bytes).max(1) as usize;
        let units_per_block = chip.pages_per_block as usize * units_per_page / pages_per_unit;
        let bytes: u64 = kinds.iter().map(|kind| planes_of(kind) * plane_bytes(kind)).sum();
        let physical = (bytes / unit_bytes) as usize;
        let bits = match chip.cell.name() {
            "slc" => 1,
            "mlc" => 2,
            "tlc" => 3,
            _ => 4,
        };
        // A program covers whole units, and whole word lines where pages cannot be programmed alone.
        let word_line = if chip.program == ProgramUnit::Page { 1 } else { bits };
        let lane_pages = (1..).find(|n| n % word_line == 0 && n % pages_per_unit == 0).unwrap();
        let lanes = if chip.multi_plane { planes_per_die } else { 1 };
        let temperatures = match ftl.hotness.policy.name() {
            "none" => 1,
            "interval" | "page_interval" => ftl.hotness.intervals_min.len() + 1,
            _ => 2,
        };
        let separate = ftl.frontiers == Frontiers::Separate;
        let domain_planes = match ftl.gc.scope.name() {
            "plane" => 1,
            "die" => planes_per_die,
            _ => planes,
        };
        let levels = ftl.wear.policy == WearChoice::Static;
        let is_paged = ftl.map_cache.policy == MapCacheChoice::Dftl;
        let map_stream = temperatures + usize::from(separate);
        let wear_stream = map_stream + usize::from(is_paged);
        let logical_units = (physical as f64 / (1.0 + drive.over_provisioning)) as usize;
        // One block for each stream that the drive itself writes; with lanes one more.
        let inner = if separate { 1 } else { temperatures }
            + [is_paged, levels, lanes > 1].map(usize::from).iter().sum::<usize>();
        let domain_blocks = (domain_planes * chip.blocks_per_plane as usize) as f64;
        Self {
            sizes,
            turns: if kinds.len() > 1 {
                turns(&kinds, kind, ftl.allocation.name())
            } else {
                Vec::new()
            },
            planes,
            planes_per_die,
            blocks_per_plane: chip.blocks_per_plane as usize,
            units_per_block,
            units_per_page,
            pages_per_unit,
            unit_bytes,
            logical_units,
            lanes,
            lane_units: lane_pages * units_per_page / pages_per_unit,
            scope_planes: match chip.multi_plane || ftl.frontier_scope == FrontierScope::Die {
                true => planes_per_die,
                false => 1,
            },
            domain_planes,
            streams: wear_stream + usize::from(levels),
            gc_stream: separate.then_some(temperatures),
            map_stream,
            // Entries of 4 bytes.
            map_pages: match is_paged {
                true => logical_units.div_ceil(unit_bytes as usize / 4),
                false => 0,
            },
            reserve: inner.max((ftl.gc.free_block_threshold * domain_blocks) as usize),
            counts_pages: ftl.gc.counts == GcCounts::Pages,
            inner,
            sensed_planes: sensed_planes(chip),
            by_wear: ftl.wear.policy != WearChoice::None,
            levelling: levels.then_some((ftl.wear.threshold, wear_stream)),
            allocation: ftl.allocation.name(),
            is_circular: ftl.free_block_order == FreeBlockOrder::Circular,
            most_free: ftl.plane_allocation == PlaneAllocation::MostFree,
            at_access: ftl.gc.trigger == GcTrigger::Access,
            policy: ftl.gc.policy,
            ties: ftl.gc.ties,
            window: ftl.gc.window as usize,
            draws: if ftl.gc.policy == VictimChoice::DChoices { ftl.gc.d } else { 1 },
        }
    }

    /// Units of one program.
    pub fn program_units(&self) -> usize {
        self.lane_units * self.lanes
    }

    pub fn dies(&self) -> usize {
        self.planes / self.planes_per_die
    }

    pub fn scopes(&self) -> usize {
        self.planes / self.scope_planes
    }

    /// The planes of the die of a plane.
    pub fn planes_beside(&self, plane: usize) -> std::ops::Range<usize> {
        let first = plane - plane % self.planes_per_die;
        first..first + self.planes_per_die
    }

    pub fn plane_of_block(&self, block: usize) -> usize {
        block / self.blocks_per_plane
    }

    pub fn domain_of_plane(&self, plane: usize) -> usize {
        plane / self.domain_planes
    }

    pub fn page_of(&self, place: usize) -> usize {
        place / self.units_per_page * self.pages_per_unit
    }

    /// The plane of a logical unit under a static order, whose first letter changes fastest; `None`
    /// where it lies in another kind of flash.
    pub fn static_plane(&self, lpn: usize) -> Option<usize> {
        if !self.turns.is_empty() {
            return self.turns[lpn % self.turns.len()];
        }
        if self.allocation == "dynamic" {
            // Only translation pages ask.
            return Some(lpn % self.planes);
        }
        let mut rest = lpn;
        let mut index = [0; 4];
        for letter in self.allocation.chars() {
            let which = self.sizes.iter().position(|(name, _)| *name == letter).unwrap();
            index[which] = rest % self.sizes[which].1;
            rest /= self.sizes[which].1;
        }
        let plane =
            self.sizes.iter().zip(index).fold(0, |at, ((_, size), index)| at * size + index);
        Some(plane)
    }

    /// The planes from which an open block of `scope` is counted: one for each lane.
    pub fn lane_planes(&self, scope: usize) -> std::ops::Range<usize> {
        let first = scope * self.scope_planes;
        first..first + self.lanes
    }
}

fn plane_bytes(kind: &Chips<'_>) -> u64 {
    let page_bytes = (kind.chip.page_kib * 1024.0) as u64;
    kind.chip.blocks_per_plane * kind.chip.pages_per_block * page_bytes
}

fn planes_of(kind: &Chips<'_>) -> u64 {
    kind.channels * kind.chips_per_channel * kind.chip.dies * kind.chip.planes
}

/// One round over all planes: the largest have 256 turns, the others by their size, evenly spread;
/// at the same point of the round the order of the letters counts. For each turn, the plane of
/// `wanted` that has it.
fn turns(kinds: &[Chips<'_>], wanted: usize, letters: &str) -> Vec<Option<usize>> {
    let most = kinds.iter().map(plane_bytes).max().expect("one kind at least");
    let mut all = Vec::new();
    for (number, kind) in kinds.iter().enumerate() {
        let turns = (256.0 * plane_bytes(kind) as f64 / most as f64).round().max(1.0);
        for plane in 0..planes_of(kind) {
            let (p, rest) = (plane % kind.chip.planes, plane / kind.chip.planes);
            let (d, rest) = (rest % kind.chip.dies, rest / kind.chip.dies);
            let (w, c) = (rest % kind.chips_per_channel, rest / kind.chips_per_channel);
            let channel = kind.first_channel + c;
            let chips_before = |other: &&Chips<'_>| {
                (other.first_channel..other.first_channel + other.channels).contains(&channel)
            };
            let before = kinds[..number].iter().filter(chips_before);
            let way = before.map(|other| other.chips_per_channel).sum::<u64>() + w;
            let at = |letter| match letter {
                'C' => channel,
                'W' => way,
                'D' => d,
                _ => p,
            };
            let place: Vec<u64> = letters.chars().rev().map(at).collect();
            for turn in 0..turns as u64 {
                let mine = (number == wanted).then_some(plane as usize);
                all.push(((turn as f64 + 0.5) / turns, place.clone(), mine));
            }
        }
    }
    all.sort_by(|(one, here, _), (other, there, _)| one.total_cmp(other).then(here.cmp(there)));
    all.into_iter().map(|(_, _, mine)| mine).collect()
}
