"""What the text of the publication says: 1 where it is so here, else 0."""

from collections.abc import Mapping

from wordline.configuration import find
from wordline.reproduce.lazyrs.drives import name
from wordline.reproduce.lazyrs.measures import idle_share, lazy, reprogramming_ratio
from wordline.reproduce.lazyrs.modes import exposed_is_no_worse
from wordline.reproduce.lazyrs.performance import LAZY, ratio
from wordline.reproduce.lazyrs.workloads import INTENSE, PUBLISHED
from wordline.reproduce.study import Findings, Load

_MODES = ("m1", "m7", "m30")
_HIGH, _LOW = 0.6, 0.3  # Section 4.2
_LIST_KIB = 192  # Section 4.1, at 128 GB
_AT_GIB = 128e9 / 2**30


def statements(found: Findings) -> Mapping[str, float]:
    """The statements that runs decide."""
    loads = {load.name: load for load in found.loads}
    holds = {"exposed_is_no_worse_than_conventional": exposed_is_no_worse()}
    holds |= _of_rules(found) | _of_order(found, loads)
    return {of: float(holds[of]) for of in holds}


def _of_rules(found: Findings) -> dict[str, bool]:
    runs = [found.result(name(ftl, "days"), load) for ftl in LAZY for load in found.loads]
    told = [lazy(run) for run in runs]
    drive = find("lazyrs-16g").resolve()["drive"]
    chip = drive["chip"]
    chips = drive["channels"] * drive["chips_per_channel"]
    blocks = chips * chip["blocks_per_plane"]
    block_gib = chip["pages_per_block"] * chip["page_kib"] / 2**20
    entry_bytes = max(one.list_bytes / max(one.longest_list_blocks, 1) for one in told)
    whole = lazy(found.result(name("lazy_d", "days"), found.loads[0]))
    switches = [switch for one in told for switch in _steps(one.switches)]
    return {
        # Section 1: nothing is written to other blocks for a second stage.
        "second_stages_write_nothing_elsewhere": all(
            run.flash.page_programs.technique == 0 and one.moved.units == 0
            for run, one in zip(runs, told, strict=True)
        ),
        # Section 4.1
        "dead_blocks_have_no_second_stage": all(
            one.first_stages
            == one.second_stages.idle + one.second_stages.due + one.dropped + one.waiting
            for one in told
        ),
        "entries_at_most_blocks": all(one.longest_list_blocks <= blocks for one in told),
        "lists_of_128_gb_within_192_kb": _AT_GIB / block_gib * entry_bytes <= _LIST_KIB * 1024,
        # Section 4.2
        "begins_in_m1": whole.blocks_opened.m1 > 0
        and all(before == 0 for before, _, _ in switches[:1]),
        "above_u_high_slows": all(after > before for before, after, u in switches if u > _HIGH),
        "below_u_low_quickens": all(after < before for before, after, u in switches if u < _LOW),
        "between_stays": all(u > _HIGH or u < _LOW for _, _, u in switches),
    }


def _steps(switches: list) -> list[tuple[int, int, float]]:
    """The mode before each change, the one after it, and how full the list was."""
    modes = [0, *(_MODES.index(switch.mode) for switch in switches)]
    return [
        (before, after, switch.u)
        for before, after, switch in zip(modes, modes[1:], switches, strict=False)
    ]


def _of_order(found: Findings, loads: Mapping[str, Load]) -> dict[str, bool]:
    oltp = loads[INTENSE]
    varmail, _, webproxy = (loads[of] for of in PUBLISHED)

    def gain(load: Load) -> float:
        return ratio(found, load, ("lazy", "page"), "days")

    def reprograms(ftl: str, load: Load) -> float:
        return reprogramming_ratio(found.result(name(ftl, "days"), load))

    def hidden(load: Load) -> float:
        return idle_share(found.result(name("lazy", "days"), load))

    return {
        # Section 5.2; where the publication says OLTP, the row that is intense.
        "lazy_beats_page": all(gain(load) > 1 for load in found.loads),
        "lazy_beats_d_on_oltp": ratio(found, oltp, ("lazy", "lazy_d"), "days") > 1,
        "varmail_gains_more_than_webproxy": gain(varmail) > gain(webproxy),
        "idle_hides_most_but_on_oltp": hidden(oltp) < min(hidden(varmail), hidden(webproxy)),
        "reprograms_fewest_in_m": all(
            reprograms("lazy_m", load) <= min(reprograms("lazy", load), reprograms("lazy_d", load))
            for load in found.loads
        ),
        "reprograms_most_on_webproxy": reprograms("lazy", webproxy)
        > max(reprograms("lazy", varmail), reprograms("lazy", oltp)),
        "reprograms_least_on_oltp": reprograms("lazy", oltp)
        < min(reprograms("lazy", varmail), reprograms("lazy", webproxy)),
        "reprograms_less_than_d_on_oltp": reprograms("lazy", oltp) < reprograms("lazy_d", oltp),
    }
