"""What must be known of values, by the beginning of their ids; measured in docs/ressd.md."""

from collections.abc import Mapping

_PADDING = (
    "one-shot programs of sparse writes leave pages without data, which are not consumed but fill "
    "blocks, and reprograms do not; how long registers wait for data is not published "
    "(docs/ressd.md)"
)
_SMALL = (
    "hm_1 and proj_4, which hardly write, erase more with ReSSD and move the mean by ten points "
    "(docs/ressd.md)"
)
_LOST = (
    "by the text's account a word line of two bits loses a page, so that GC comes sooner; where GC "
    "takes it for free this falls (`accounts`)"
)
_SHARES = (
    "without ReSSD GC moves the implied 1.8 pages for each page written in the mean, but 0.7 to 5 "
    "on one volume or another"
)

_FREE = (
    "GC holds every drive at 8 % free by its count, with or without ReSSD; third pages, where it "
    "takes them for free, are not there to be written; where GC hardly starts, free pages rise "
    "(`wordline reproduce ressd-readings --figure room_to_begin_with`)"
)

NOTES: Mapping[str, str] = {
    "ressd/abstract/writes_per_erase": f"the text has 30.3 %; {_PADDING}",
    "ressd/abstract/write_latency": f"the text has 16.7 %; {_LOST}",
    "ressd/abstract/free_pages": _FREE,
    "ressd/accounts": "not judged here: each published number is judged once, in its own figure",
    "ressd/fig10/parity_writes": "Linux md writes parity with its data",
    "ressd/fig10/parity_held_back": "a reading that was chosen because it agrees on twins; "
    "excerpts of real volumes hold back a half or less (docs/ressd.md)",
    "ressd/fig10/update_interval": "hangs on where data lies: -2 to -64 % on five excerpts of real "
    "volumes (docs/ressd.md); a twin's pages lie close together",
    "ressd/fig13/consumption": f"{_SMALL}; {_PADDING}",
    "ressd/fig13/moved": _LOST,
    "ressd/fig13/share_of": f"{_SHARES}; programs in parts move them (docs/ressd.md)",
    "ressd/fig14": _LOST,
    "ressd/fig15": f"{_SMALL}; {_PADDING}",
    "ressd/fig15/gc_direct": "0.1 % of the erases are direct without ReSSD, so that their change "
    "says little; with it 18 and 14 % are on stg_0 and prn_1 (docs/ressd.md), where the "
    "published changes mean 28 %",
    "ressd/fig16": "were both plain means of volumes with equal writes, 30.6 % fewer erases would "
    "raise page writes per erase by 44 % at least; a total and a mean of ratios may be what is "
    f"published (`derivations`); {_PADDING}",
    "ressd/fig17/write_latency": f"writes wait for GC more than for programs; {_LOST}",
    "ressd/fig17/read_latency": "a read that is served first gains from the two sensings alone; "
    "where it waits its turn, as much as a write",
    "ressd/fig18": _FREE,
    "ressd/fig19": "a single drive has no parity, but is counted in the same way",
    "ressd/fig20": _PADDING,
    "ressd/fig22/write_latency": "writes wait for GC more than for programs; where GC hardly "
    "starts MLC mode writes 24.7 % faster (ressd-readings)",
    "ressd/fig22/endurance": "programs that are padded take fewer pages in MLC mode, too; in "
    "parts it endures 13.6 times as long as TLC (ressd-programs)",
    "ressd/fig26": "a twin draws each interval by itself; in a real volume pages leave zone 1 six "
    "tenths as often as they then would",
    "ressd/fig24": "two volumes differ by as much as the accounts of the third page do "
    "(docs/ressd.md)",
    "ressd/fig22/endurance_by_rss": "with the third page free it is 10.0 and 10.3 times as long "
    "on stg_0 and prn_1",
    "ressd/statements": _PADDING,
}
