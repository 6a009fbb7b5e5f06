"""Plots of the study of second writes."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from wordline.codes.ecc import EccCode
from wordline.codes.references import TARGET

_WIDTH, _HEIGHT = 640, 260
_LEAST = 1e-4  # failure rates below are not drawn: too few writes to tell them


def of_study(study: Mapping[str, Any]) -> Any:
    """Failures by rate for each length, and needs beside what chips have."""
    lengths = sorted({row["cells"] for row in study["curves"]})
    curves = [_curves(study["curves"], cells) for cells in lengths]
    return alt.vconcat(*curves, _needs(study["chips"])).resolve_scale(color="independent")


def _curves(rows: Sequence[Mapping[str, Any]], cells: int) -> Any:
    shown = [dict(row) for row in rows if row["cells"] == cells and row["failure"] >= _LEAST]
    base = alt.Chart(alt.Data(values=shown)).encode(
        x=alt.X("rate:Q", title="bits of message per cell", scale=alt.Scale(zero=False)),
        color=alt.Color("code:N", title=None, sort=None),
    )
    failure = alt.Y("failure:Q", title="writes that fail", scale=alt.Scale(type="log"))
    bars = base.transform_filter("isValid(datum.low) && datum.low > 0").mark_rule()
    assumed = alt.Chart(alt.Data(values=[{"failure": TARGET}])).mark_rule(strokeDash=[4, 4])
    layers = (
        base.mark_line(point=True).encode(y=failure),
        bars.encode(y="low:Q", y2="high:Q"),
        assumed.encode(y="failure:Q"),
    )
    title = f"Second write over {cells:,} cells of random data; dashed: {TARGET:.2%}"
    return alt.layer(*layers).properties(title=title, width=_WIDTH, height=_HEIGHT)


def _needs(rows: Sequence[Mapping[str, Any]]) -> Any:
    bars = (
        alt.Chart()
        .mark_bar()
        .encode(
            x=alt.X("needed_percent:Q", title="spare area needed (% of the page)"),
            y=alt.Y("code:N", title=None, sort=None),
            color=alt.Color(
                "enough:N", title="the chip has it", scale=alt.Scale(range=["#c44", "#4a8"])
            ),
        )
    )
    has = alt.Chart().mark_rule(color="black", strokeDash=[4, 4]).encode(x="spare_percent:Q")
    facets = alt.layer(bars, has, data=alt.Data(values=[dict(row) for row in rows])).properties(
        width=220, height=90
    )
    return facets.facet(
        row=alt.Row("chip:N", title=None, sort=None, header=alt.Header(labelAngle=0)),
        column=alt.Column("spare_area:N", title="spare area after the first write; dashed: it is"),
    )


def of_ecc(code: EccCode, points: Sequence[Mapping[str, Any]]) -> Any:
    """Codewords lost by bit error rate: measured, beside the closed form or what is stored."""
    known = sorted(code.references()) if code.rows is not None else _closed_form(code, points)
    name = "closed form" if code.rows is None else "stored"
    rows = [{"what": name, "rber": at[0], "lost": at[1]} for at in known if at[1] > 0]
    rows += [
        {"what": "measured", "rber": at["rber"], "lost": at["rate"], "low": at["low"]}
        | {"high": at["high"]}
        for at in points
        if at["rate"] > 0
    ]
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("rber:Q", title="bit error rate", scale=alt.Scale(type="log", nice=False)),
        color=alt.Color("what:N", title=None, sort=None),
    )
    lost = alt.Y("lost:Q", title="codewords lost", scale=alt.Scale(type="log"))
    layers = (
        base.transform_filter(f"datum.what == '{name}'").mark_line().encode(y=lost),
        base.transform_filter("datum.what == 'measured'").mark_point(filled=True).encode(y=lost),
        base.transform_filter("datum.low > 0").mark_rule().encode(y="low:Q", y2="high:Q"),
    )
    return alt.layer(*layers).properties(title=code.name, width=_WIDTH, height=_HEIGHT)


def _closed_form(code: EccCode, points: Sequence[Mapping[str, Any]]) -> list[tuple[float, float]]:
    rbers = [at["rber"] for at in points]
    low, high = min(rbers) * 0.7, max(rbers) * 1.2
    steps = [low * (high / low) ** (step / 60) for step in range(61)]
    return [(rber, code.failure_probability(rber) or 0.0) for rber in steps if rber < 1]
