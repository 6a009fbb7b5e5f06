"""The drives: each erase scheme at each age, and how pages are read on them."""

PECS = {"0.5K": 500, "2.5K": 2500, "4.5K": 4500}
"""The ages at which performance was measured, in P/E cycles."""

SCHEMES: dict[str, tuple[str, tuple[str, ...]]] = {
    "ISPE": ("ispe", ()),
    "i-ISPE": ("i_ispe", ()),
    "DPES": ("dpes", ()),
    "REO-": ("aero", ()),
    "REO": ("reo", ()),
    "REO by data": ("reo", ("erase.reo.margin=data",)),
    "REO+": ("reo", ("erase.reo.gate_voltages=word_line",)),
}
"""The publication's names: the scheme, and what is laid over its parameters.

`REO by data` spends the margin that measured blocks show, not that of the prediction table.
"""

# Calibrated to the read latency of REO+ at the three ages: how long data has aged, and how much
# word lines differ. That errors go by cycles, not by damage, follows from REO- and REO, which read
# no faster than ISPE.
_READS = (
    "drive.reads.errors_by=cycles",
    "drive.reads.data_age_h=13",
    "drive.reads.word_line_sigma=2.6",
)

# Nothing of the course of a run is shown, and the invariants are for the tests.
_RUN = ("run.check=false", "run.series_points=0")

_SUSPENSION = (
    "drive.scheduling.suspend_erase=true",
    "drive.scheduling.suspend_min_us=700",
    "drive.scheduling.suspend_write_wait_ms=64",
)
"""When the simulator of AERO interrupts an erase; the last loop never is."""


def is_published(name: str, age: str) -> bool:
    """False where the publication has no value: blocks erased by i-ISPE do not live so long."""
    return (name, age) != ("i-ISPE", "4.5K")


def scheme(name: str) -> tuple[str, ...]:
    """The keys that choose a scheme."""
    of, own = SCHEMES[name]
    return (f"erase.scheme={of}", *own)


def _drive(name: str, age: str) -> tuple[str, ...]:
    return (*scheme(name), f"drive.chip.initial_pec={PECS[age]}", *_READS, *_RUN)


PERFORMANCE = {
    f"{name} at {age}": _drive(name, age)
    for name in SCHEMES
    for age in PECS
    if is_published(name, age)
}
"""For the table of performance."""

RESTART, RESUME = "restart", "resume"
"""What an interrupted pulse does: it begins again, as AERO's simulator has it, or goes on."""

# At which pulses may go on as well.
_RESUME_AGE = "2.5K"
_RESUME_SCHEMES = ("ISPE", "REO-", "REO")


def suspending(name: str, age: str, pulse: str) -> str:
    """The name of a drive whose reads interrupt erases."""
    return f"{name} at {age}, {pulse}"


def resumes(name: str, age: str) -> bool:
    """Whether interrupted pulses go on in one of the drives."""
    return age == _RESUME_AGE and name in _RESUME_SCHEMES


def _suspending(name: str, age: str, pulse: str) -> tuple[str, ...]:
    return (*_drive(name, age), *_SUSPENSION, f"drive.scheduling.suspended_pulse={pulse}")


SUSPENDING = {
    suspending(name, age, pulse): _suspending(name, age, pulse)
    for name in SCHEMES
    for age in PECS
    for pulse in (RESTART, RESUME)
    if is_published(name, age) and (pulse == RESTART or resumes(name, age))
}
"""For read tails."""
