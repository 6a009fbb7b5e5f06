"""The report of a search: its front, how soon it was found, and the drives on it."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import combinations
from typing import Any

from wordline import _native
from wordline.figures import metrics, warning_groups
from wordline.report import drawing, page, tables
from wordline.report.drawing import Chart, rounded
from wordline.report.vega import NAME, QUANTITY, Channel, Mark, Scale, chart, names, quantities
from wordline.search import trials
from wordline.search.front import hypervolume

_MOST_PAIRS = 6
_MOST_VOLUME_AIMS = 3
_MOST_POINTS = 3000
_FADED = 0.25


def render(about: Mapping[str, Any], table: _native.Table) -> str:
    """A search as one HTML file that loads nothing from anywhere."""
    aims = ", ".join(f"{word} {about['labels'][name]}" for name, word in about["aims"].items())
    title = f"Search {about['name']}: {aims}, by {about['trials']:,} trials of {about['base']}"
    return page.document(escape(title), _sections(about, table))


def _sections(about: Mapping[str, Any], table: _native.Table) -> Iterator[str]:
    rows = trials.rows_of(table)
    drawn = [one for one in (*_fronts(about, rows), _course(about, rows)) if one]
    if drawn:
        yield page.section("At a glance", page.figures(drawn))
    yield page.warning_box(warnings_of(about, len(trials.front_of(table))))
    yield page.section("The front", _drives(about, trials.front_of(table)))
    yield page.section("The search", _about(about))


def warnings_of(about: Mapping[str, Any], found: int) -> list[tuple[str, str]]:
    """What must be known before the front is believed."""
    told: list[tuple[str, str]] = []
    if not found:
        what = "no drive keeps the limits" if about["limits"] else "no drive could be judged"
        told.append((f"the front is empty: {what}", ""))
    if about["failed"]:
        told.append((f"{about['failed']:,} of {about['trials']:,} trials failed", about["why"]))
    if len(about["seeds"]) < 2:
        what = "each drive was run with one seed: the front takes chance for merit"
        told.append((f"{what}; set `seeds` to 5 or more", ""))
    return told + warning_groups.concerned(about["warnings"], about["trials"], "trials")


def _signs(about: Mapping[str, Any]) -> dict[str, int]:
    return {name: 1 if word == "least" else -1 for name, word in about["aims"].items()}


def _fronts(about: Mapping[str, Any], rows: Sequence[dict[str, Any]]) -> Iterator[Chart | None]:
    """Every drive by two aims, those on the front in full color."""
    labels = about["labels"]
    for x, y in list(combinations(about["aims"], 2))[:_MOST_PAIRS]:
        tried = [row for row in rows if row[x] is not None and row[y] is not None]
        shown = [
            {
                "drive": row[trials.VARIANT],
                "trial": row[trials.TRIAL],
                "x": rounded(row[x]),
                "y": rounded(row[y]),
                "standing": row[trials.STANDING],
            }
            for row in drawing.thin(tried, _MOST_POINTS)
        ]
        domain = [trials.FRONT, trials.BEATEN, trials.BEYOND]
        encoding = {
            "x": Channel(field="x", type=QUANTITY, title=labels[x], scale=Scale(zero=False)),
            "y": Channel(field="y", type=QUANTITY, title=labels[y], scale=Scale(zero=False)),
            "color": Channel(field="drive", type=NAME, title=None, sort=None),
            "opacity": Channel(
                field="standing", type=NAME, title=None, legend=None,
                scale=Scale(type="ordinal", domain=domain, range=[1, _FADED, _FADED / 2]),
            ),
            "tooltip": [*names("drive", "standing"), *quantities("trial", "x", "y")],
        }  # fmt: skip
        drawn = chart(shown, Mark(type="point", filled=True, size=60), encoding)
        told = (
            f"{about['aims'][x].capitalize()} {labels[x]} and {about['aims'][y]} {labels[y]} are "
            "sought; faint points are beaten in every aim, or beyond a limit."
        )
        yield drawing.finish(f"{labels[y]} against {labels[x]}", told, drawn)


def _course(about: Mapping[str, Any], rows: Sequence[dict[str, Any]]) -> Chart | None:
    """How much of the space that the front covers in the end was covered after each batch."""
    signs = _signs(about)
    judged = (trials.FRONT, trials.BEATEN)
    places = [
        (row[trials.TRIAL], tuple(sign * row[name] for name, sign in signs.items()))
        for row in rows
        if row[trials.STANDING] in judged
    ]
    if len(places) < 2 or len(signs) > _MOST_VOLUME_AIMS:
        return None
    worst = tuple(max(place[aim] for _, place in places) for aim in range(len(signs)))
    whole = hypervolume([place for _, place in places], worst)
    if not whole:
        return None
    ends = range(about["batch"], about["trials"] + about["batch"], about["batch"])
    shown: list[dict[str, Any]] = [
        {
            "x": min(end, about["trials"]),
            "y": rounded(
                hypervolume([place for number, place in places if number < end], worst) / whole
            ),
        }
        for end in ends
    ]
    encoding = {
        "x": Channel(field="x", type=QUANTITY, title="trials"),
        "y": Channel(field="y", type=QUANTITY, title="share of the front's hypervolume"),
        "tooltip": quantities("x", "y"),
    }
    drawn = chart(shown, Mark(type="line", point=Mark(type="point", size=30)), encoding)
    told = "Flat at the end: more trials would change little. Still rising: give it more."
    return drawing.finish("How soon the front was found", told, drawn)


def _drives(about: Mapping[str, Any], found: Sequence[dict[str, Any]]) -> str:
    keys = list(dict.fromkeys([*about["aims"], *about["axes"]]))
    heads = ("drive", *(about["labels"].get(key, key) for key in keys), "configuration")
    told = [
        (
            escape(row[trials.VARIANT]),
            *(escape(in_words(row[key])) for key in keys),
            f"<code>{row[trials.FILE]}</code>",
        )
        for row in found
    ]
    return tables.table("Each file is a drive that `wordline run` takes", heads, told)


def in_words(value: Any) -> str:
    """A chosen value or a figure for people."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "–" if value is None else str(value)
    return metrics.figure(value)


def _about(about: Mapping[str, Any]) -> str:
    told = [("base", about["base"]), ("set", ", ".join(about["set"]) or "nothing")]
    told += [("drives", ", ".join(about["variants"]))]
    told += [("workload", load) for load in about["workloads"]]
    told += [("axes", ", ".join(about["axes"]) or "none")]
    told += [("limit", limit) for limit in about["limits"]]
    told += [("seeds", ", ".join(map(str, about["seeds"])) or "the base's")]
    told += [("sampler", f"{about['sampler']} of Optuna, seed {about['seed']}")]
    told += [("trials", f"{about['trials']:,}, in batches of {about['batch']:,}")]
    told += [("of them different", f"{about['drives']:,}")]
    told += [("simulator", f"Wordline {about['wordline']}, {about['simulator'][:8]}")]
    note = "<p>Every trial is a row of <code>trials.parquet</code>.</p>"
    return note + tables.table("", ("", ""), [(escape(a), escape(b)) for a, b in told])
