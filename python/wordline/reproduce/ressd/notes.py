"""What must be known of values, by the beginning of their ids; measured in docs/ressd.md."""

from collections.abc import Mapping

_PADDING = (
    "one-shot programs of sparse writes leave pages without data, and reprograms do not; how long "
    "registers wait for data is not published, and decides the sign (docs/ressd.md)"
)
_FIRST = (
    "ReSSD opens 768 blocks before GC must free one, and GC makes room for them once: proj_1, "
    "proj_3 and prn_1 write little more than that (docs/ressd.md)"
)
_START = f"{_FIRST}; {_PADDING}"
_MOVES = "GC that moves pages is rarer, but each moves more of them (docs/ressd.md)"

NOTES: Mapping[str, str] = {
    "ressd/fig10/parity_writes": "Linux md writes parity with its data; the publication's cache "
    "seems to hold some of it back: see parity_held_back",
    "ressd/fig10/update_interval": "a twin's pages lie close together: more data shares a page of "
    "parity than in a volume",
    "ressd/fig13": _START,
    "ressd/fig13/moved": f"{_FIRST}; {_MOVES}",
    "ressd/fig13/share_of": "volumes that write little have few candidates",
    "ressd/fig14": f"{_FIRST}; {_MOVES}",
    "ressd/fig15": _START,
    "ressd/fig15/gc_direct": "0.01 % of the erases are direct without ReSSD, so that their change "
    "says little; with it 21 % are, where the published changes mean 28 %",
    "ressd/fig16": _PADDING,
    "ressd/fig17": f"{_FIRST}; {_MOVES}",
    "ressd/fig18": "GC holds every drive at its threshold of 8 % free, with or without ReSSD",
    "ressd/fig19": _START,
    "ressd/fig20": _START,
    "ressd/fig22": "programs that are padded take fewer pages in MLC mode, too; without padding it "
    "endures 13 times as long on hm_0",
    "ressd/fig26": "a twin draws each interval by itself, whatever the one before was",
    "ressd/fig27": _PADDING,
    "ressd/fig28": "one volume of fifteen",
    "ressd/statements": _START,
}
