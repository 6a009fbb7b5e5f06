"""Wordline: a laboratory for NAND-flash SSDs.

>>> import wordline as wl
>>> result = wl.run("tiny", "uniform:writes=1e5")
>>> result.write_amplification
"""

from wordline._native import VERSION as __version__
from wordline.errors import ConfigError, OutputError, RunError, WordlineError, WorkloadError
from wordline.result import Case, Comparison, Record, Result
from wordline.runs import compare, run

__all__ = [
    "Case",
    "Comparison",
    "ConfigError",
    "OutputError",
    "Record",
    "Result",
    "RunError",
    "WordlineError",
    "WorkloadError",
    "__version__",
    "compare",
    "run",
]
