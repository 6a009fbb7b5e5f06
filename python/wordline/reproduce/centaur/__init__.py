"""Liu et al., POMACS 4(2):28, 2020: 2D and 3D flash in one drive."""

from wordline.reproduce.centaur import (
    assumptions,
    beyond,
    dies,
    lifetime,
    rival,
    shapes,
    speed,
    workloads,
)
from wordline.reproduce.centaur.drives import BASES, DRIVES, MIXED, WHOLE
from wordline.reproduce.centaur.notes import NOTES, TRACE_NOTES
from wordline.reproduce.centaur.statements import statements
from wordline.reproduce.centaur.workloads import SOURCE
from wordline.reproduce.study import Study

_FIGURES = (
    *workloads.FIGURES,
    *shapes.FIGURES,
    *dies.FIGURES,
    *lifetime.FIGURES,
    *speed.FIGURES,
    *rival.FIGURES,
)

STUDY = Study(
    paper="centaur",
    source=SOURCE,
    base=MIXED,
    drives=DRIVES,
    loads=workloads.loads,
    figures=(*_FIGURES, statements(_FIGURES)),
    notes=NOTES,
    bases=BASES,
    trace_notes=TRACE_NOTES,
    whole=WHOLE,
)

ASSUMPTIONS = assumptions.STUDY

BEYOND = beyond.STUDY
