"""What the publication does not say of its simulator, or leaves room in, set otherwise."""

from collections.abc import Mapping
from dataclasses import dataclass

from wordline.reproduce.ressd.drives import FREE, Keys

AS_IS = "as_is"


@dataclass(frozen=True)
class Assumption:
    """What is set otherwise.

    Attributes:
        told: What that is, for a reader.
        shared: Keys of the drives with ReSSD and of those without.
        own: Keys of those with ReSSD alone.
        beyond: What else is compared than the two arrays.
    """

    told: str
    shared: Keys = ()
    own: Keys = ()
    beyond: tuple[str, ...] = ()


ASSUMPTIONS: Mapping[str, Assumption] = {
    AS_IS: Assumption("nothing", beyond=("drive", "virtual", "layers", "mlc")),
    "third_page_free": Assumption(
        'technique.ressd.third_page = "free": GC takes it for free',
        own=(FREE,),
        beyond=("drive", "virtual", "layers"),
    ),
    "gc_counts_blocks": Assumption(
        'ftl.gc.counts = "blocks": erased blocks are compared with the threshold, not free pages',
        ('ftl.gc.counts="blocks"',),
        beyond=("drive",),
    ),
    "reads_wait_their_turn": Assumption(
        'drive.scheduling.order = "in_order"', ('drive.scheduling.order="in_order"',)
    ),
    "spent_blocks_left_to_gc": Assumption(
        'technique.ressd.spent = "left"',
        own=('technique.ressd.spent="left"',),
        beyond=("drive", "virtual", "layers"),
    ),
    "spent_blocks_wait_until_cold": Assumption(
        'technique.ressd.spent = "cooled"', own=('technique.ressd.spent="cooled"',)
    ),
    "four_candidates_wait": Assumption(
        "technique.ressd.candidates = 4", own=("technique.ressd.candidates=4",)
    ),
    "idle_dies_start_programs": Assumption(
        'ftl.program_start = "when_idle": a program that is not full starts once its die is idle',
        ('ftl.program_start="when_idle"',),
    ),
    "registers_wait_until_full": Assumption(
        'ftl.acknowledge = "buffer": a write ends in the registers of its word line',
        ('ftl.acknowledge="buffer"',),
        beyond=("drive", "mlc"),
    ),
    "programs_in_parts": Assumption(
        'ftl.incomplete = "leave": a program takes the pages it has, and no more',
        ('ftl.incomplete="leave"',),
        beyond=("drive", "virtual", "layers", "mlc"),
    ),
    "more_room": Assumption(
        "drive.over_provisioning = 0.28", ("drive.over_provisioning=0.28",), beyond=("drive",)
    ),
    "gc_from_4_percent": Assumption(
        "ftl.gc.free_block_threshold = 0.04", ("ftl.gc.free_block_threshold=0.04",)
    ),
    "hot_within_8_hours": Assumption(
        "ftl.hotness.intervals_min = [120, 240, 480]", ("ftl.hotness.intervals_min=[120,240,480]",)
    ),
    "one_level_of_heat": Assumption(
        "ftl.hotness.intervals_min = [120]: a third of the first blocks that ReSSD opens",
        ("ftl.hotness.intervals_min=[120]",),
    ),
    "time_stamps_of_pages": Assumption(
        'ftl.hotness.policy = "page_interval": each page has a time stamp',
        ('ftl.hotness.policy="page_interval"',),
        beyond=("virtual", "layers"),
    ),
    "in_parts_with_stamps_of_pages": Assumption(
        'ftl.incomplete = "leave" and ftl.hotness.policy = "page_interval"',
        ('ftl.incomplete="leave"', 'ftl.hotness.policy="page_interval"'),
        beyond=("drive", "virtual", "layers", "mlc"),
    ),
    "parity_alone_is_hot": Assumption(
        'ftl.hotness.policy = "parity"', ('ftl.hotness.policy="parity"',)
    ),
    "a_code_takes_20_us": Assumption(
        "20 us more for each read, of moved pages as well, while the code corrects them",
        ("drive.chip.read_us=86",),
        own=("technique.ressd.read_us=73", "technique.ressd.reprogram_us=2725"),
    ),
    "md_pages_of_16_kib": Assumption("array.page_kib = 16, as the drives'", ("array.page_kib=16",)),
}
