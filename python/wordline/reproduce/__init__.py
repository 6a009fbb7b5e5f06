"""Reproducing publications: their tables and figures, beside ours.

>>> from wordline import reproduce
>>> reproduce.reproduce(reproduce.study("ressd"), ["table5"]).items["table5"]
"""

from wordline.components import catalogue
from wordline.errors import ConfigError
from wordline.reproduce import centaur, lazyrs, llh, reo, ressd
from wordline.reproduce.runner import Reproduction, choose, reproduce
from wordline.reproduce.study import Figure, Findings, Load, Study

__all__ = ["STUDIES", "Figure", "Findings", "Load", "Reproduction", "Study", "choose", "reproduce"]
__all__ += ["study"]

_ALL = (
    centaur.STUDY,
    centaur.ASSUMPTIONS,
    centaur.BEYOND,
    lazyrs.STUDY,
    lazyrs.BEYOND,
    llh.STUDY,
    llh.READINGS,
    llh.LIMITS,
    llh.CODES,
    reo.STUDY,
    ressd.STUDY,
    *ressd.LAYERS,
    *ressd.SIZES,
    *ressd.READINGS,
    ressd.ABLATIONS,
    ressd.LIMITS,
    ressd.MAP,
)
STUDIES = {one.paper: one for one in _ALL}
"""The studies by the publication's short name."""


def study(paper: str) -> Study:
    """The study of that publication.

    Raises:
        ConfigError: There is none.
    """
    if paper not in STUDIES:
        help_ = catalogue.did_you_mean(paper, STUDIES, "papers", "wordline list papers")
        raise ConfigError(f"unknown paper `{paper}`", help=help_)
    return STUDIES[paper]
