"""Section 4.4.1: what a drive must remember besides, and what its map spares."""

from collections.abc import Mapping

from wordline.reproduce.study import Figure, Findings

_KB = 1024
_ENTRY_BYTES = 7  # of the map: the logical and the physical address of a page
_SPARED_PER_BLOCK = 128  # entries of a third of its 384 pages
_BLOCKS = 12  # whose spared entries are said to make up for it


def _overheads(found: Findings) -> Mapping[str, float]:
    told = found.result("ressd", found.loads[0]).technique.ressd.metadata_bytes
    spared = _SPARED_PER_BLOCK * _ENTRY_BYTES
    return {
        "time_stamps": told.time_stamps / _KB,
        "tags": told.tags / _KB,
        "pointers": told.pointers,
        "word_lines": told.word_lines / _KB**2,
        "total": told.total / _KB**2,
        "map_spared_per_block": spared,
        "map_spared_by_12_blocks": _BLOCKS * spared / _KB,
        "blocks_that_make_up": told.total / spared,
    }


FIGURES = (
    Figure("overheads", "Metadata and map (Section 4.4.1)", _overheads, "blocks", ("ressd",)),
)
