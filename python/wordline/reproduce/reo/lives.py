"""The life of blocks by each scheme, and what the code's margin and wrong predictions change."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from wordline.configuration import find
from wordline.reproduce.reo.drives import PECS, SCHEMES, scheme
from wordline.reproduce.study import Findings

_REQUIREMENTS = (63, 50, 40)
_MISPREDICTED = (0.05, 0.1, 0.2)


@cache
def _life(name: str, *parameters: str) -> Mapping[str, Any]:
    of, _ = SCHEMES[name]
    own = (f"erase.{of}.{parameter}" for parameter in parameters)
    return find("reo-1t").with_overrides((*scheme(name), *own)).erase_life()


def lifetimes(_: Findings) -> Mapping[str, float]:
    """P/E cycles until blocks pass 63 errors per KiB on average."""
    return {name: _life(name)["lifetime_pec"] for name in SCHEMES}


def sensitivity(_: Findings) -> Mapping[str, float]:
    """What REO's erases take by the requirement, and by how often a prediction is wrong."""
    cases = [f"requirement={errors}" for errors in _REQUIREMENTS]
    cases += [f"misprediction_share={share}" for share in _MISPREDICTED]
    values: dict[str, float] = {}
    for case in cases:
        life = _life("REO", case)
        ages = {age["pec"]: age["pulse_ms"] for age in life["ages"]}
        values |= {f"{case}/{age}": ages[pec] for age, pec in PECS.items() if pec in ages}
        values[f"lifetime/{case}"] = life["lifetime_pec"]
    return values
