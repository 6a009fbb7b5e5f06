"""The cell laboratory: threshold voltages, errors and experiments.

>>> from wordline import lab
>>> survey = lab.vth("planar-tlc", pec=3000, age="1y", temp="40C")
>>> survey.reads_by[1].rber
"""

from wordline._native import Table
from wordline.arguments import checked
from wordline.lab.campaigns import campaign
from wordline.lab.quantities import ChipLike, Quantity, named, texts
from wordline.native import native_api
from wordline.native.types.lab import Contents, ExperimentReport, Survey

__all__ = ["campaign", "contents", "distributions", "experiment", "tables", "vth"]


def contents() -> Contents:
    """Its chips, each value with its source, and its experiments."""
    return native_api.lab_contents()


@checked
def vth(
    chip: ChipLike,
    *,
    mode: str = "",
    pec: Quantity = 0,
    age: Quantity = 0,
    temp: Quantity = "40C",
    reads: Quantity = 0,
) -> Survey:
    """A word line's distributions, references, bit errors and codeword failures.

    Args:
        chip: A chip of `contents()`, or a TOML file in the form of those chips.
        mode: slc, mlc, tlc or qlc; the chip's own where empty.
        pec: P/E cycles, such as 3000 or "3K".
        age: Time since the program, with its unit, such as "1y", "3mo" or "12h".
        temp: Temperature over that time, such as "40C".
        reads: Reads of other pages of the block in that time.

    Raises:
        ConfigError: An unknown chip, a mode that it lacks, or a quantity that cannot be.
    """
    return native_api.lab_vth(*named(chip), mode, *texts(pec, age, temp, reads))


@checked
def distributions(
    chip: ChipLike,
    *,
    mode: str = "",
    pec: Quantity = 0,
    age: Quantity = 0,
    temp: Quantity = "40C",
    reads: Quantity = 0,
) -> Table:
    """The distributions of `vth` as a table in Arrow's format, for polars, pandas and pyarrow.

    Its columns are `voltage`, in units, and for each state the share of its cells per unit.

    Args:
        chip: A chip of `contents()`, or a TOML file in the form of those chips.
        mode: slc, mlc, tlc or qlc; the chip's own where empty.
        pec: P/E cycles.
        age: Time since the program, with its unit.
        temp: Temperature over that time.
        reads: Reads of other pages of the block in that time.

    Raises:
        ConfigError: As `vth`.
    """
    return native_api.lab_distributions(*named(chip), mode, *texts(pec, age, temp, reads))


@checked
def experiment(name: str) -> ExperimentReport:
    """Runs an experiment: its comparison with the publication, its fits, and its curves.

    Raises:
        ConfigError: An unknown experiment.
    """
    return native_api.lab_run(name)


@checked
def tables(chip: ChipLike) -> dict[str, str]:
    """What a drive needs of a chip, as texts of CSV files: latencies, error rates, erases.

    Raises:
        ConfigError: An unknown chip.
    """
    return native_api.lab_tables(*named(chip))
