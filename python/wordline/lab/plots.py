"""The laboratory's plots, as SVG, PNG or one HTML page that loads nothing from anywhere."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import altair as alt

from wordline.errors import ConfigError
from wordline.native.types.lab import Plot, Survey
from wordline.persistence import files

FORMATS = (".svg", ".png", ".html")
_WIDTH, _HEIGHT = 680, 280
_LEAST = 1e-7  # of a state's cells per unit: less is not drawn


def check(path: Path) -> None:
    """Refuses a file that cannot become a plot, before anything is computed.

    Raises:
        ConfigError: Its ending names no format, or one whose converter is not installed.
    """
    if path.suffix not in FORMATS:
        raise ConfigError(
            f"no format `{path.suffix}` for plots", str(path), f"valid: {', '.join(FORMATS)}"
        )
    if path.suffix != ".html" and not find_spec("vl_convert"):
        raise ConfigError(
            f"plots as `{path.suffix}` need the package vl-convert-python",
            str(path),
            "pip install vl-convert-python, or name a file that ends in .html",
        )


def of_survey(survey: Survey) -> Any:
    """The distributions of a survey, with its references."""
    rows = [
        {"state": state.name, "x": voltage, "y": density}
        for state in survey.states
        for voltage, density in zip(survey.voltages, state.density, strict=True)
        if density > _LEAST
    ]
    lines = _lines(
        rows,
        "state",
        alt.X("x:Q", title="threshold voltage (units)", scale=alt.Scale(zero=False)),
        alt.Y("y:Q", title="share of the state's cells per unit", scale=alt.Scale(type="log")),
    )
    references = [
        {"references": reading.references_are, "x": reference}
        for reading in survey.reads_by
        for reference in reading.references
    ]
    rules = (
        alt.Chart(alt.Data(values=references))
        .mark_rule(color="grey")
        .encode(x="x:Q", strokeDash=alt.StrokeDash("references:N", title="references"))
    )
    title = (
        f"{survey.chip} in {survey.mode.upper()} mode, {survey.pec:,.0f} P/E cycles, "
        f"{survey.age_h:,.0f} h at {survey.temperature_c:g} °C"
    )
    return (lines + rules).properties(title=title, width=_WIDTH, height=_HEIGHT)


def of_experiment(plots: Sequence[Plot]) -> Any:
    """The curves of an experiment, one below the other."""
    return alt.vconcat(*map(_plot, plots)).resolve_scale(color="independent")


def _plot(plot: Plot) -> Any:
    rows = [
        {"series": series.name, "x": x, "y": y}
        for series in plot.series
        for x, y in series.points
        if y > 0 or not plot.log_y
    ]
    scale = alt.Scale(type="log") if plot.log_y else alt.Scale(zero=False)
    chart = _lines(
        rows,
        "series",
        alt.X("x:Q", title=plot.x, scale=alt.Scale(zero=False)),
        alt.Y("y:Q", title=plot.y, scale=scale),
    )
    return chart.properties(title=plot.title, width=_WIDTH, height=_HEIGHT)


def _lines(rows: list[dict[str, Any]], by: str, x: alt.X, y: alt.Y) -> Any:
    chart = alt.Chart(alt.Data(values=rows)).mark_line(strokeWidth=1.5)
    return chart.encode(x=x, y=y, color=alt.Color(f"{by}:N", title=None, sort=None))


def save(chart: Any, path: Path) -> Path:
    """Writes a plot whole or not at all.

    Raises:
        ConfigError: Its ending names no format, or one whose converter is not installed.
        OutputError: The file cannot be written.
    """
    check(path)
    spec = chart.to_dict()
    if path.suffix == ".html":
        return files.write(path, _page(spec))
    import vl_convert

    if path.suffix == ".png":
        return files.write(path, vl_convert.vegalite_to_png(spec, scale=2))
    return files.write(path, vl_convert.vegalite_to_svg(spec))


def _page(spec: dict[str, Any]) -> str:
    from wordline.report import page

    return (
        "<!doctype html>\n<html lang='en'>\n<meta charset='utf-8'>\n"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>\n"
        "<title>Wordline</title>\n<style>#plot { display: block; overflow-x: auto; }</style>\n"
        f"<div id='plot'></div>\n<script type='module'>\n{page.asset('vega.js')}\n"
        f"vegaEmbed('#plot', {page.in_script(spec)});\n</script>\n</html>\n"
    )
