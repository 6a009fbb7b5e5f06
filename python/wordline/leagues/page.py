"""The report of a league: who wins where, the table, and what was refused."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from wordline import _native
from wordline.figures import metrics, warning_groups
from wordline.figures.metrics import Metric
from wordline.leagues import heats, outages, standings
from wordline.leagues.standings import Front, Standing, Winner
from wordline.report import drawing, page, tables
from wordline.report.drawing import Chart, rounded
from wordline.report.vega import NAME, PLACE, Axis, Channel, Mark, Scale, chart, names, quantities
from wordline.runs.single_run import CONVENTIONAL
from wordline.sweeps import summary

_ENDS = {"buffer": "writes end in the buffer", "program": "writes end with their program"}
_CELL_PX = 34
_COLOURS = (
    "#9e9e9e", "#4c78a8", "#f58518", "#54a24b", "#b279a2", "#eeca3b", "#e45756", "#72b7b2",
    "#9d755d", "#ff9da6",
)  # fmt: skip
"""Of drives in the maps, the conventional one grey."""

FRONTS = "What to build"
GAINS = ("life", "bandwidth", "write p99.9")
TYPICAL = "typical"
"""How the workload without a name is called."""

_CUTS = """
    Power cuts: the same drive without its capacitor and without the rules that would make up for
    it, with one flush in a hundred requests; what is missing after a restart of what the drive had
    acknowledged, and cuts after which something is missing that had been flushed.
"""


def render(about: Mapping[str, Any], table: _native.Table) -> str:
    """A league as one HTML file that loads nothing from anywhere."""
    divisions = ", ".join(one["name"] for one in about["divisions"])
    title = f"League: {len(table):,} runs on {divisions}"
    return page.document(escape(title), _sections(about, table))


def _sections(about: Mapping[str, Any], table: _native.Table) -> Iterator[str]:
    rows = summary.rows_of(table)
    yield page.warning_box(warning_groups.concerned(about["warnings"], len(table), "runs"))
    yield page.section(FRONTS, _fronts(standings.fronts(rows)))
    winners = list(standings.winners(rows))
    yield page.section("Who wins where", page.figures(_maps(winners)) + _nowhere(winners))
    for place, own in standings.together(standings.standings(rows)).items():
        yield page.section(heading(*place), _table(own, about["drives"]))
    yield page.section("Refused", _refused(about["refused"]))
    yield page.section("The drives", _drives(about["divisions"]))


def gains(of: Mapping[str, float]) -> list[str]:
    """A drive's gains in life, bandwidth and write tail, in words; a dash where none is known."""
    life = of.get("life_gib", of.get("spent_lifetime"))
    told = (life, of.get(standings.THROUGHPUT), of.get("write_p999_us"))
    return ["–" if one is None else metrics.change(one) for one in told]


def _fronts(fronts: Sequence[Front]) -> str:
    """The drives that no other one beats, with what each gains and costs."""
    rows = [
        (
            escape(one.load or TYPICAL),
            escape(one.division),
            escape(one.acknowledge),
            escape(drive),
            *map(escape, gains(of)),
        )
        for one in fronts
        for drive, of in one.drives.items()
    ]
    heads = ("workload", "division", "writes end", "drive", *GAINS)
    told = (
        f"Drives that no other one of their division beats, in times as good as {CONVENTIONAL}: "
        "below 1 is the price. A drive that is missing loses to one of these."
    )
    return f"<p>{escape(told)}</p>" + tables.table("", heads, rows)


def heading(division: str, acknowledge: str) -> str:
    """A part of the league, in words."""
    return f"{division}, {_ENDS[acknowledge]}"


def intensity(interval_us: int) -> str:
    """How often requests arrive, in words."""
    return "flat out" if interval_us == heats.FLAT_OUT_US else f"{interval_us:,} µs apart"


def _maps(winners: Sequence[Winner]) -> Iterator[Chart]:
    """A map for each division, way to end writes, and figure."""
    kinds = dict.fromkeys((one.division, one.acknowledge, one.figure) for one in winners)
    drives = list(dict.fromkeys([CONVENTIONAL, *(one.variant for one in winners)]))
    for division, acknowledge, figure in kinds:
        own = [
            one
            for one in winners
            if (one.division, one.acknowledge, one.figure) == (division, acknowledge, figure)
        ]
        if all(one.variant == CONVENTIONAL for one in own):
            continue
        metric = standings.METRICS[figure]
        title = f"{heading(division, acknowledge)}: best {metric.label}"
        told = f"The best drive beyond chance; grey where none is better than {CONVENTIONAL}."
        thetas = len({one.load.theta for one in own})
        one = drawing.finish(title, told, _map(own, drives), height=thetas * _CELL_PX)
        if one:
            yield one


def _nowhere(winners: Sequence[Winner]) -> str:
    """Where no drive wins, for which there is no map."""
    wins: dict[tuple[str, str], bool] = {}
    for one in winners:
        place = (heading(one.division, one.acknowledge), standings.METRICS[one.figure].label)
        wins[place] = wins.get(place, False) or one.variant != CONVENTIONAL
    items = "".join(
        f"<li>{escape(where)}: {escape(figure)}" for (where, figure), won in wins.items() if not won
    )
    told = f"No drive is known to be better than {CONVENTIONAL}, at any place of the map, in:"
    return f"<p>{told}</p><ul>{items}</ul>" if items else ""


def _map(winners: Sequence[Winner], drives: Sequence[str]) -> Any:
    """A map; a drive has the same colour in all of them."""
    shown: list[dict[str, Any]] = [
        {
            "x": intensity(one.load.interval_us),
            "y": one.load.theta,
            "drive": one.variant,
            "ratio": rounded(one.ratio),
        }
        for one in winners
    ]
    encoding = {
        "x": Channel(
            field="x", type=NAME, title="requests", sort=None, axis=Axis(labelAngle=0)
        ),
        "y": Channel(field="y", type=PLACE, title="skew (Zipf's exponent)"),
        "color": Channel(
            field="drive", type=NAME, title=None, sort=None,
            scale=Scale(domain=drives, range=_COLOURS[: len(drives)]),
        ),
        "tooltip": [*names("drive", "x", "y"), *quantities("ratio")],
    }  # fmt: skip
    return chart(shown, Mark(type="rect"), encoding)


def _table(own: Sequence[Standing], drives: Sequence[dict[str, Any]]) -> str:
    shown = [
        standings.METRICS[key] for key in standings.FIGURES if any(key in one.values for one in own)
    ]
    space = {(one["division"], one["acknowledge"], one["variant"]): one for one in drives}
    heads = ["drive", *map(_head, shown), "worth in over-provisioning", "flash given up",
             "DRAM of map and buffers (MiB)"]  # fmt: skip
    load = heats.TYPICAL
    how = " ".join(_CUTS.split()) if outages.METRICS[0] in shown else ""
    caption = (
        f"Skew {load.theta:g}, requests {intensity(load.interval_us)}; bandwidth with 32 requests "
        f"in flight. Ratios to {CONVENTIONAL} with 95 % intervals; those in colour are beyond "
        f"chance. {how}"
    )

    def row(one: Standing) -> Iterator[str]:
        yield escape(one.variant)
        yield from (_cell(one, metric) for metric in shown)
        yield metrics.figure(one.worth)
        has = space.get((one.division, one.acknowledge, one.variant))
        yield f"{has['given_up']:.1%}" if has else "–"
        yield metrics.figure(has["dram_mib"]) if has else "–"

    return f"<p>{escape(caption)}</p>" + tables.table("", heads, (list(row(one)) for one in own))


def _head(metric: Metric) -> str:
    return f"{metric.label} ({metric.unit})" if metric.unit else metric.label


def _cell(one: Standing, metric: Metric) -> str:
    value = metrics.figure(one.values.get(metric.key))
    effect = one.effects.get(metric.key)
    if effect is None:
        return value
    judged = metrics.judge(metric, effect.ratio.mean, same_work=True)
    kind = judged if effect.is_beyond_chance else "same"
    told = standings.interval_words(effect.ratio)
    return f"{value} <span class='{kind}'>{told}</span>"


def _refused(refused: Sequence[Mapping[str, str]]) -> str:
    heats_of: dict[tuple[str, str, str], list[str]] = {}
    for one in refused:
        heats_of.setdefault((one["variant"], one["division"], one["why"]), []).append(one["heat"])
    rows = [(*map(escape, place), ", ".join(of)) for place, of in heats_of.items()]
    caption = "Drives that the simulator does not build, with its reason"
    return tables.table(caption, ("drive", "division", "why", "heats"), rows)


def _drives(divisions: Sequence[Mapping[str, str]]) -> str:
    rows = [
        (escape(one["name"]), escape(one["flash"]), f"<pre>{escape(one['conventional'])}</pre>")
        for one in divisions
    ]
    note = "<p>Every run is a row of <code>points.parquet</code>.</p>"
    return note + tables.table("", ("division", "flash", "conventional drive"), rows)
