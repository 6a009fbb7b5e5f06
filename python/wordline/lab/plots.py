"""The laboratory's plots, as SVG, PNG or one HTML page that loads nothing from anywhere."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import altair as alt

from wordline import storage
from wordline.errors import ConfigError

FORMATS = (".svg", ".png", ".html")
_WIDTH, _HEIGHT = 680, 280
_LEAST = 1e-7  # of a state's cells per unit: less is not drawn


def check(path: Path) -> None:
    """Refuses a file whose ending names no format, before anything is computed."""
    if path.suffix not in FORMATS:
        raise ConfigError(
            f"no format `{path.suffix}` for plots", str(path), f"valid: {', '.join(FORMATS)}"
        )


def of_survey(survey: Mapping[str, Any]) -> Any:
    """The distributions of a survey, with its references."""
    rows = [
        {"state": state["name"], "x": voltage, "y": density}
        for state in survey["states"]
        for voltage, density in zip(survey["voltages"], state["density"], strict=True)
        if density > _LEAST
    ]
    lines = _lines(
        rows,
        "state",
        alt.X("x:Q", title="threshold voltage (units)", scale=alt.Scale(zero=False)),
        alt.Y("y:Q", title="share of the state's cells per unit", scale=alt.Scale(type="log")),
    )
    references = [
        {"references": reading["references_are"], "x": reference}
        for reading in survey["reads_by"]
        for reference in reading["references"]
    ]
    rules = (
        alt.Chart(alt.Data(values=references))
        .mark_rule(color="grey")
        .encode(x="x:Q", strokeDash=alt.StrokeDash("references:N", title="references"))
    )
    title = (
        f"{survey['chip']} in {survey['mode'].upper()} mode, {survey['pec']:,.0f} P/E cycles, "
        f"{survey['age_h']:,.0f} h at {survey['temperature_c']:g} °C"
    )
    return (lines + rules).properties(title=title, width=_WIDTH, height=_HEIGHT)


def of_experiment(plots: Sequence[Mapping[str, Any]]) -> Any:
    """The curves of an experiment, one below the other."""
    return alt.vconcat(*map(_plot, plots)).resolve_scale(color="independent")


def _plot(plot: Mapping[str, Any]) -> Any:
    rows = [
        {"series": series["name"], "x": x, "y": y}
        for series in plot["series"]
        for x, y in series["points"]
        if y > 0 or not plot["log_y"]
    ]
    scale = alt.Scale(type="log") if plot["log_y"] else alt.Scale(zero=False)
    chart = _lines(
        rows,
        "series",
        alt.X("x:Q", title=plot["x"], scale=alt.Scale(zero=False)),
        alt.Y("y:Q", title=plot["y"], scale=scale),
    )
    return chart.properties(title=plot["title"], width=_WIDTH, height=_HEIGHT)


def _lines(rows: list[dict[str, Any]], by: str, x: alt.X, y: alt.Y) -> Any:
    chart = alt.Chart(alt.Data(values=rows)).mark_line(strokeWidth=1.5)
    return chart.encode(x=x, y=y, color=alt.Color(f"{by}:N", title=None, sort=None))


def save(chart: Any, path: Path) -> Path:
    """Writes a plot whole or not at all.

    Raises:
        ConfigError: The ending names no format.
        OutputError: The file cannot be written.
    """
    import vl_convert

    check(path)
    spec = chart.to_dict()
    if path.suffix == ".png":
        return storage.write_whole(path, vl_convert.vegalite_to_png(spec, scale=2))
    if path.suffix == ".svg":
        return storage.write_whole(path, vl_convert.vegalite_to_svg(spec))
    return storage.write_whole(path, vl_convert.vegalite_to_html(spec, bundle=True))
