"""Wordline: a laboratory for NAND-flash SSDs.

>>> import wordline as wl
>>> result = wl.run("tiny", "uniform:writes=1e5")
>>> result.write_amplification

The same with what is declared as classes and functions, so that an editor completes it:

>>> result = wl.run(
...     wl.presets.tiny(), wl.workloads.uniform(writes=100_000), wl.policies.gc.d_choices(d=5)
... )
"""

import importlib
from typing import TYPE_CHECKING

from wordline import _native

if TYPE_CHECKING:
    from wordline.components import policies, presets, tables, techniques, workloads
    from wordline.components.catalogue import names
    from wordline.components.custom import Custom
    from wordline.components.part import OnDrive, Part, Preset, Workload, on_drive, trace
    from wordline.errors import ConfigError, OutputError, RunError, WordlineError, WorkloadError
    from wordline.fitting.library import DriveFit, fit_drive
    from wordline.leagues.library import League, league
    from wordline.loading import load
    from wordline.native.types.power import CutReport, RecordedCuts
    from wordline.player.library import play
    from wordline.player.recording import Recording
    from wordline.results.result import Case, Comparison, Record, Result, Tree
    from wordline.results.store import Store
    from wordline.runs.power_cuts import cuts
    from wordline.runs.recorded_cuts import recorded_cuts
    from wordline.runs.serving import Served, serve
    from wordline.runs.side_by_side import compare
    from wordline.runs.single_run import run
    from wordline.search.library import Front, optimise
    from wordline.sweeps.library import Sweep, sweep
    from wordline.traces import trace_info

__version__ = _native.VERSION

__all__ = [
    "Case",
    "Comparison",
    "ConfigError",
    "Custom",
    "CutReport",
    "DriveFit",
    "Front",
    "League",
    "OnDrive",
    "OutputError",
    "Part",
    "Preset",
    "Record",
    "RecordedCuts",
    "Recording",
    "Result",
    "RunError",
    "Served",
    "Store",
    "Sweep",
    "Tree",
    "WordlineError",
    "Workload",
    "WorkloadError",
    "__version__",
    "compare",
    "cuts",
    "fit_drive",
    "league",
    "load",
    "names",
    "on_drive",
    "optimise",
    "play",
    "policies",
    "presets",
    "recorded_cuts",
    "run",
    "serve",
    "sweep",
    "tables",
    "techniques",
    "trace",
    "trace_info",
    "workloads",
]

_HOMES = {
    "wordline.components.catalogue": ("names",),
    "wordline.components.part": (
        "OnDrive",
        "Part",
        "Preset",
        "Workload",
        "on_drive",
        "trace",
    ),
    "wordline.runs.side_by_side": ("compare",),
    "wordline.components.custom": ("Custom",),
    "wordline.runs.power_cuts": ("cuts",),
    "wordline.errors": (
        "ConfigError",
        "OutputError",
        "RunError",
        "WordlineError",
        "WorkloadError",
    ),
    "wordline.fitting.library": ("DriveFit", "fit_drive"),
    "wordline.leagues.library": ("League", "league"),
    "wordline.loading": ("load",),
    "wordline.results.result": ("Case", "Comparison", "Record", "Result", "Tree"),
    "wordline.runs.recorded_cuts": ("recorded_cuts",),
    "wordline.native.types.power": ("CutReport", "RecordedCuts"),
    "wordline.player.library": ("play",),
    "wordline.player.recording": ("Recording",),
    "wordline.runs.single_run": ("run",),
    "wordline.results.store": ("Store",),
    "wordline.search.library": ("Front", "optimise"),
    "wordline.runs.serving": ("Served", "serve"),
    "wordline.sweeps.library": ("Sweep", "sweep"),
    "wordline.traces": ("trace_info",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_COMPONENTS = ("policies", "presets", "tables", "techniques", "workloads")


if not TYPE_CHECKING:  # a misspelt name is an error to the type checker

    def __getattr__(name: str) -> object:
        """Loads what is asked for when it is asked for: the command line's help stays instant."""
        if name in _COMPONENTS:
            from wordline.components.namespace import Namespace

            found = importlib.import_module(f"wordline.components.{name}")
            found.__class__ = Namespace
        elif name in _HOME_OF:
            found = getattr(importlib.import_module(_HOME_OF[name]), name)
        else:
            raise AttributeError(f"module `wordline` has no attribute `{name}`")
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return __all__
