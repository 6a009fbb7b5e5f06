"""The life of blocks by each scheme, and what the code's margin and wrong predictions change."""

from collections.abc import Mapping
from functools import cache

from wordline.configuration import find
from wordline.native.types.erase import Life
from wordline.reproduce.reo.drives import PECS, SCHEMES, scheme
from wordline.reproduce.study import Findings, known

_REQUIREMENTS = (63, 50, 40)
_MISPREDICTED = (0.05, 0.1, 0.2)
_BY_DATA = "margin=data"
"""The requirement of 63 errors, and the margin that measured blocks show."""


@cache
def _life(name: str, *parameters: str) -> Life:
    of, _ = SCHEMES[name]
    own = (f"erase.{of}.{parameter}" for parameter in parameters)
    return find("reo-1t").with_overrides((*scheme(name), *own)).erase_life()


def lifetimes(_: Findings) -> Mapping[str, float]:
    """P/E cycles until blocks pass 63 errors per KiB on average."""
    return {name: known(_life(name).lifetime_pec) for name in SCHEMES}


def sensitivity(_: Findings) -> Mapping[str, float]:
    """What REO's erases take by the requirement, and by how often a prediction is wrong.

    The margin is what they are shorter by than REO-'s of the same cycles.
    """
    cases = [f"requirement={errors}" for errors in _REQUIREMENTS]
    cases += [_BY_DATA, *(f"misprediction_share={share}" for share in _MISPREDICTED)]
    values: dict[str, float] = {}
    conservative = _pulse_ms("REO-")
    for case in cases:
        ages = _pulse_ms("REO", case)
        values |= {f"{case}/{age}": ages[pec] for age, pec in PECS.items() if pec in ages}
        values[f"lifetime/{case}"] = known(_life("REO", case).lifetime_pec)
        if not case.startswith("misprediction"):
            spent = {
                f"margin/{case}/{age}": conservative[pec] - ages[pec] for age, pec in PECS.items()
            }
            values |= spent
    return values


def _pulse_ms(name: str, *parameters: str) -> dict[int, float]:
    """Mean time under pulses by P/E cycles."""
    return {age.pec: age.pulse_ms for age in _life(name, *parameters).ages}
