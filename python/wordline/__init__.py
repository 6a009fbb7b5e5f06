"""Wordline: a laboratory for NAND-flash SSDs.

>>> import wordline as wl
>>> result = wl.run("tiny", "uniform:writes=1e5")
>>> result.write_amplification

The same with what is declared as classes and functions, so that an editor completes it:

>>> result = wl.run(
...     wl.presets.tiny(), wl.workloads.uniform(writes=100_000), wl.policies.gc.d_choices(d=5)
... )
"""

from wordline import _native
from wordline.components import policies, presets, tables, techniques, workloads
from wordline.components.part import Part, Preset, Workload, trace
from wordline.errors import ConfigError, OutputError, RunError, WordlineError, WorkloadError
from wordline.result import Case, Comparison, Record, Result
from wordline.runs import compare, run
from wordline.traces import trace_info

__version__ = _native.VERSION

__all__ = [
    "Case",
    "Comparison",
    "ConfigError",
    "OutputError",
    "Part",
    "Preset",
    "Record",
    "Result",
    "RunError",
    "WordlineError",
    "Workload",
    "WorkloadError",
    "__version__",
    "compare",
    "policies",
    "presets",
    "run",
    "tables",
    "techniques",
    "trace",
    "trace_info",
    "workloads",
]
