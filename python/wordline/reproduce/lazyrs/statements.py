"""What the text of the publication says: 1 where it is so here, else 0.

Only what a run, or a key that is chosen for another reason, may contradict. That an entry leaves
the list with its block, or that a second stage writes nothing elsewhere, holds by construction.
"""

from collections.abc import Mapping

from wordline.reproduce.lazyrs.drives import PACED, name
from wordline.reproduce.lazyrs.measures import reprogramming_ratio
from wordline.reproduce.lazyrs.modes import exposed_is_no_worse
from wordline.reproduce.lazyrs.performance import kept, ratio
from wordline.reproduce.lazyrs.workloads import PUBLISHED
from wordline.reproduce.study import Findings, Load


def statements(found: Findings) -> Mapping[str, float]:
    """The statements that runs decide, under the paced host."""
    loads = {load.name: load for load in found.loads}
    varmail, oltp, webproxy = (loads[of] for of in PUBLISHED)

    def gain(load: Load) -> float:
        return ratio(found, load, ("lazy", "page"), PACED)

    def reprograms(ftl: str, load: Load) -> float:
        return reprogramming_ratio(found.result(name(ftl, PACED), load))

    holds = {
        "exposed_is_no_worse_than_conventional": exposed_is_no_worse(),
        # Section 5.2
        "lazy_beats_page": all(gain(load) > 1 for load in found.loads),
        "lazy_beats_d_on_oltp": ratio(found, oltp, ("lazy", "lazy_d"), PACED) > 1,
        "varmail_gains_more_than_webproxy": gain(varmail) > gain(webproxy),
        "idle_hides_most_but_on_oltp": kept(found, oltp)
        < min(kept(found, varmail), kept(found, webproxy)),
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
    return {of: float(held) for of, held in holds.items()}
