//! What techniques ask of a drive. Each line is a choice.

use crate::common::Dice;
use wordline_sim::technique::{self, InSuperblocks};

/// A technique, the kinds of flash of the drive that are drawn for it, and the keys that it needs.
pub struct Needs {
    pub technique: &'static str,
    /// Whether it needs two kinds of flash.
    pub is_mixed: bool,
    keys: &'static [&'static [&'static str]],
}

impl Needs {
    /// Superblocks in which the technique works.
    pub fn in_superblocks(&self) -> InSuperblocks {
        technique::find(self.technique).expect("it is a technique").in_superblocks
    }
}

const HOTNESS: &[&str] = &[
    "ftl.hotness.policy=interval",
    "ftl.hotness.policy=page_interval",
    "ftl.hotness.policy=size",
    "ftl.hotness.policy=sequence",
    "ftl.hotness.policy=oracle",
    "ftl.hotness.policy=parity",
    "ftl.hotness.policy=handle",
];

pub const NEEDS: &[Needs] = &[
    Needs {
        technique: "ressd",
        is_mixed: false,
        keys: &[
            &["drive.chip.cell=tlc"],
            &["drive.chip.pages_per_block=12", "drive.chip.pages_per_block=24"],
            &["drive.chip.layers_per_block=1", "drive.chip.layers_per_block=4"],
            &["drive.chip.multi_plane=false"],
            &["drive.chip.blocks_per_plane=30", "drive.chip.blocks_per_plane=48"],
            &["ftl.frontier_scope=plane"],
            &["ftl.mapping_unit_kib=0"],
            &["drive.over_provisioning=0.5", "drive.over_provisioning=1.5"],
            &["technique.ressd.layers=1", "technique.ressd.layers=2"],
            &["technique.ressd.third_page=lost"],
            HOTNESS,
        ],
    },
    Needs {
        technique: "llh_ftl",
        is_mixed: false,
        keys: &[
            &["drive.chip.cell=mlc"],
            &["drive.chip.program=page"],
            &["drive.chip.page_kib=8"],
            &["drive.chip.pages_per_block=12", "drive.chip.pages_per_block=24"],
            &["drive.chip.multi_plane=false"],
            &["drive.chip.blocks_per_plane=30", "drive.chip.blocks_per_plane=48"],
            &["drive.over_provisioning=0.5", "drive.over_provisioning=1.5"],
            &["ftl.mapping_unit_kib=4", "ftl.mapping_unit_kib=2"],
            HOTNESS,
        ],
    },
    Needs {
        technique: "centaur",
        is_mixed: true,
        keys: &[
            &["drive.chip.multi_plane=false"],
            &["drive.chip.endurance_pec=3000"],
            &["drive.chip.page_kib=4"],
            &["drive.group.one.chip.cell=slc", "drive.group.one.chip.cell=mlc"],
            &["drive.group.one.chip.program=page"],
            &["drive.group.one.chip.multi_plane=false"],
            &["drive.group.one.chip.page_kib=4"],
            &["drive.group.one.chip.endurance_pec=50000"],
            &["drive.group.other.chip.cell=tlc"],
            &[
                "drive.group.other.chip.program=one_shot",
                "drive.group.other.chip.program=full_sequence",
            ],
            &["drive.group.other.chip.multi_plane=false"],
            &["drive.group.other.chip.page_kib=16"],
            &[
                "drive.group.other.chip.pages_per_block=12",
                "drive.group.other.chip.pages_per_block=24",
            ],
            &["drive.group.other.chip.endurance_pec=3000"],
            &["ftl.frontiers=separate"],
            &["ftl.mapping_unit_kib=0", "ftl.mapping_unit_kib=4"],
            &["precondition.pattern=random", "precondition.pattern=sequential"],
            &["technique.centaur.initial_bytes=24576"],
            &["technique.centaur.min_bytes=4096"],
            &["technique.centaur.max_bytes=49152"],
            &["technique.centaur.step_bytes=512", "technique.centaur.step_bytes=0"],
            &["technique.centaur.mode=centaur", "technique.centaur.mode=cache_partial"],
        ],
    },
    Needs {
        technique: "slc_cache",
        is_mixed: false,
        keys: &[
            &["drive.chip.cell=tlc", "drive.chip.cell=mlc", "drive.chip.cell=qlc"],
            &["drive.chip.pages_per_block=12", "drive.chip.pages_per_block=24"],
            &["drive.chip.blocks_per_plane=30", "drive.chip.blocks_per_plane=48"],
            &["drive.over_provisioning=0.5", "drive.over_provisioning=1.5"],
            &["ftl.incomplete=pad"],
            &["ftl.mapping_unit_kib=0"],
            &["technique.slc_cache.static_mib=0"],
            &["technique.slc_cache.static_share=0", "technique.slc_cache.static_share=0.1"],
        ],
    },
    Needs {
        technique: "lazy_ftl",
        is_mixed: false,
        keys: &[
            &["drive.chip.cell=tlc", "drive.chip.cell=qlc"],
            &["drive.chip.program=one_shot", "drive.chip.program=full_sequence"],
            &["drive.chip.pages_per_block=12", "drive.chip.pages_per_block=24"],
            &["ftl.incomplete=pad"],
            &["ftl.frontiers=separate"],
            &["ftl.mapping_unit_kib=0"],
            &["run.mode=timed"],
            &["technique.lazy_ftl.valve=true"],
            &["technique.lazy_ftl.writes=all"],
            &["technique.lazy_ftl.day_s=1", "technique.lazy_ftl.day_s=100"],
            &["technique.lazy_ftl.margin_s=0.01"],
        ],
    },
];

impl Needs {
    /// The keys, each drawn, where the technique works on `group`; now and then one of them is left out.
    pub fn draw(&self, dice: &mut Dice, group: Option<&str>) -> Vec<String> {
        let mut drawn = vec![format!("technique.{}={{}}", self.technique)];
        for choice in self.keys {
            let key = dice.pick(choice);
            if dice.one_in(40) {
                continue;
            }
            drawn.push(match group.filter(|_| !self.is_mixed) {
                Some(group) => key.replace("drive.chip.", &format!("drive.group.{group}.chip.")),
                None => key.to_owned(),
            });
        }
        if let Some(group) = group.filter(|_| !self.is_mixed) {
            drawn.push(format!("technique.{}.group={group}", self.technique));
        }
        drawn
    }
}
