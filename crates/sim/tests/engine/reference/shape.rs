//! What follows from a configuration before anything is written.

use wordline_sim::config::Config;

/// Sizes of a drive and its rules, in blocks and mapping units.
pub struct Shape {
    pub sizes: [(char, usize); 4],
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
    /// Erased blocks that a domain holds back, and those that only GC may use.
    pub reserve: usize,
    pub inner: usize,
    pub multi_plane: bool,
    pub by_wear: bool,
    pub allocation: String,
    pub policy: String,
    pub window: usize,
}

impl Shape {
    pub fn new(config: &Config) -> Self {
        let (drive, chip, ftl) = (&config.drive, &config.drive.chip, &config.ftl);
        let sizes = [
            ('C', drive.channels as usize),
            ('W', drive.chips_per_channel as usize),
            ('D', chip.dies as usize),
            ('P', chip.planes as usize),
        ];
        let planes: usize = sizes.iter().map(|(_, size)| size).product();
        let planes_per_die = chip.planes as usize;
        let page_bytes = (chip.page_kib * 1024.0) as u64;
        let unit_bytes = match (ftl.mapping_unit_kib * 1024.0) as u64 {
            0 => page_bytes,
            bytes => bytes,
        };
        let units_per_page = (page_bytes / unit_bytes).max(1) as usize;
        let pages_per_unit = (unit_bytes / page_bytes).max(1) as usize;
        let units_per_block = chip.pages_per_block as usize * units_per_page / pages_per_unit;
        let physical = planes * chip.blocks_per_plane as usize * units_per_block;
        let bits = match chip.cell.as_str() {
            "slc" => 1,
            "mlc" => 2,
            "tlc" => 3,
            _ => 4,
        };
        // A program covers whole units, and whole word lines where pages cannot be programmed alone.
        let word_line = if chip.program == "page" { 1 } else { bits };
        let lane_pages = (1..).find(|n| n % word_line == 0 && n % pages_per_unit == 0).unwrap();
        let lanes = if chip.multi_plane { planes_per_die } else { 1 };
        let temperatures = if ftl.hotness.policy == "none" { 1 } else { 2 };
        let separate = ftl.frontiers == "separate";
        let domain_planes = match ftl.gc.scope.as_str() {
            "plane" => 1,
            "die" => planes_per_die,
            _ => planes,
        };
        // One block for each stream that GC writes; with lanes one more.
        let inner = if separate { 1 } else { temperatures } + usize::from(lanes > 1);
        let domain_blocks = (domain_planes * chip.blocks_per_plane as usize) as f64;
        Self {
            sizes,
            planes,
            planes_per_die,
            blocks_per_plane: chip.blocks_per_plane as usize,
            units_per_block,
            units_per_page,
            pages_per_unit,
            unit_bytes,
            logical_units: (physical as f64 / (1.0 + drive.over_provisioning)) as usize,
            lanes,
            lane_units: lane_pages * units_per_page / pages_per_unit,
            scope_planes: match chip.multi_plane || ftl.frontier_scope == "die" {
                true => planes_per_die,
                false => 1,
            },
            domain_planes,
            streams: temperatures + usize::from(separate),
            gc_stream: separate.then_some(temperatures),
            reserve: inner.max((ftl.gc.free_block_threshold * domain_blocks) as usize),
            inner,
            multi_plane: chip.multi_plane,
            by_wear: ftl.wear.policy == "dynamic",
            allocation: ftl.allocation.clone(),
            policy: ftl.gc.policy.clone(),
            window: ftl.gc.window as usize,
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

    pub fn plane_of_block(&self, block: usize) -> usize {
        block / self.blocks_per_plane
    }

    pub fn domain_of_plane(&self, plane: usize) -> usize {
        plane / self.domain_planes
    }

    pub fn page_of(&self, place: usize) -> usize {
        place / self.units_per_page * self.pages_per_unit
    }

    /// The plane of a logical unit under a static order, whose first letter changes fastest.
    pub fn static_plane(&self, lpn: usize) -> usize {
        let mut rest = lpn;
        let mut index = [0; 4];
        for letter in self.allocation.chars() {
            let which = self.sizes.iter().position(|(name, _)| *name == letter).unwrap();
            index[which] = rest % self.sizes[which].1;
            rest /= self.sizes[which].1;
        }
        self.sizes.iter().zip(index).fold(0, |plane, ((_, size), index)| plane * size + index)
    }

    /// The planes from which an open block of `scope` is counted: one for each lane.
    pub fn lane_planes(&self, scope: usize) -> std::ops::Range<usize> {
        let first = scope * self.scope_planes;
        first..first + self.lanes
    }
}
