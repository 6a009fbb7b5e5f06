"""Margaglia et al., USENIX FAST 2016: low pages written twice before an erase."""

from wordline.reproduce.llh import (
    codes,
    energy,
    erases,
    life,
    limits,
    readings,
    times,
    workloads,
)
from wordline.reproduce.llh.drives import needed_by
from wordline.reproduce.llh.notes import NOTES
from wordline.reproduce.llh.statements import STATEMENTS
from wordline.reproduce.study import Study

_FIGURES = (
    workloads.TABLE6,
    *erases.FIGURES,
    times.FIGURE,
    *energy.FIGURES,
    *life.FIGURES,
    STATEMENTS,
)

STUDY = Study(
    paper="llh",
    source=workloads.SOURCE,
    base="llh-emulator-16g",
    drives=needed_by(_FIGURES),
    loads=workloads.loads,
    figures=_FIGURES,
    notes=NOTES,
)

LIMITS = limits.STUDY
READINGS = readings.STUDY
CODES = codes.STUDY
