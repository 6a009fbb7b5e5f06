"""Gao et al., ACM TOS 18(1):9, 2022: reprogrammed word lines, alone and in a RAID 5."""

from wordline.reproduce.ressd import (
    ablations,
    accounts,
    array,
    derivations,
    laboratory,
    limits,
    overheads,
    paying,
    potential,
    readings,
    single,
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
    *potential.FIGURES,
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
LIMITS = limits.STUDY
MAP = paying.STUDY
POTENTIAL = potential.STUDY
READINGS = readings.STUDIES
