"""Gao et al., ACM TOS 18(1):9, 2022: reprogrammed word lines, alone and in a RAID 5."""

from wordline.reproduce.ressd import (
    ablations,
    accounts,
    array,
    derivations,
    laboratory,
    layers,
    limits,
    overheads,
    paying,
    readings,
    single,
    sizes,
    workloads,
)
from wordline.reproduce.ressd.drives import needed_by
from wordline.reproduce.ressd.notes import NOTES
from wordline.reproduce.ressd.statements import STATEMENTS
from wordline.reproduce.ressd.workloads import SOURCE
from wordline.reproduce.study import Study

_FIGURES = (
    *laboratory.FIGURES,
    *overheads.FIGURES,
    *workloads.FIGURES,
    *array.FIGURES,
    *single.FIGURES,
    workloads.SWITCHES,
    STATEMENTS,
    *accounts.FIGURES,
    *derivations.FIGURES,
)

STUDY = Study(
    paper="ressd",
    source=SOURCE,
    base="ressd-576g",
    drives=needed_by(_FIGURES),
    loads=workloads.loads,
    figures=_FIGURES,
    notes=NOTES,
)

ABLATIONS = ablations.STUDY
LAYERS = layers.STUDIES
LIMITS = limits.STUDY
MAP = paying.STUDY
READINGS = readings.STUDIES
SIZES = sizes.STUDIES
