"""Wordline: a laboratory for NAND-flash SSDs.

>>> import wordline as wl
>>> result = wl.run("tiny", "uniform:writes=1e5")
>>> result.write_amplification
"""

from wordline import _native
from wordline.errors import ConfigError, OutputError, RunError, WordlineError, WorkloadError
from wordline.result import Case, Comparison, Record, Result
from wordline.runs import compare, run

__version__ = _native.VERSION

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
