"""What must be known of values, by the beginning of their ids; measured in docs/ressd.md."""

from collections.abc import Mapping

_PADDING = (
    "one-shot programs of sparse writes leave pages without data, and reprograms do not; how long "
    "registers wait for data is not published, and decides the sign (docs/ressd.md)"
)
_SMALL = (
    "ReSSD opens some 500 blocks more before GC must free one: most of what hm_1 and proj_4 write"
)
_START = f"{_PADDING}; {_SMALL}"
_GREEDY = (
    "greedy GC takes a block as soon as no other has fewer valid pages: hardly any is left alone "
    "until its last page dies"
)

NOTES: Mapping[str, str] = {
    "ressd/fig10/parity_writes": "Linux md writes parity with its data; the publication's cache "
    "seems to hold some of it back",
    "ressd/fig10/update_interval": "a twin's pages lie close together: more data shares a page of "
    "parity than in a volume",
    "ressd/fig13": _START,
    "ressd/fig13/moved": f"{_GREEDY}; {_SMALL}",
    "ressd/fig13/share_of": f"the baseline moves fewer pages than published; {_GREEDY}",
    "ressd/fig14": _START,
    "ressd/fig15": _START,
    "ressd/fig15/gc_direct": _GREEDY,
    "ressd/fig16": f"{_SMALL}: the mean is theirs",
    "ressd/fig17": _START,
    "ressd/fig18": "GC holds every drive at its threshold of 8 % free, with or without ReSSD",
    "ressd/fig19": _START,
    "ressd/fig20": _START,
    "ressd/fig22": "programs that are padded take fewer pages in MLC mode, too",
    "ressd/fig26": "a twin draws each interval by itself, whatever the one before was",
    "ressd/fig27": "three volumes of fifteen",
    "ressd/fig28": "two volumes of fifteen",
}
