"""Charts and the script that draws them: valid, shipped with the package, fast to write."""

import re
import subprocess
import sys
from pathlib import Path

import altair as alt
import pytest
import wordline as wl
from wordline.report import charts, page, vega

# What no report needs: a converter to images, tables, a library that builds and checks charts.
NOT_FOR_PLOTS = "import sys; sys.modules['vl_convert'] = sys.modules['pandas'] = None\n"
NOT_FOR_REPORTS = NOT_FOR_PLOTS + "sys.modules['altair'] = None\n"
WRITES = "uniform:writes=2000"
FIFO = "fifo:ftl.gc.policy=fifo"
CALL = "from wordline.cli import main\nsys.argv[0] = 'wordline'\nmain()\n"


def call(
    folder: Path, *args: str, without: str = NOT_FOR_PLOTS
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", without + CALL, *args]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_every_chart_is_what_the_schema_declares(comparison: wl.Comparison) -> None:
    one = [comparison.cases[0]]
    drawn = [*charts.of_cases(comparison.of(comparison.workloads[0])), *charts.of_cases(one)]
    assert len(drawn) > 20
    for chart in drawn:
        spec = chart.spec
        assert alt.Chart.from_dict(spec, validate=True).to_dict(validate=True)
        assert spec["width"] == "container"
        assert spec["data"]["values"], chart.title


def test_the_script_draws_the_version_that_charts_are_written_in() -> None:
    head = page.asset("vega.js")[:200]
    shipped = re.search(r"Vega-Lite (\d+)\.", head)
    assert shipped, head
    assert alt.SCHEMA_VERSION.startswith(f"v{shipped[1]}."), "run tools/write-vega"
    assert vega.SCHEMA.endswith(f"/v{shipped[1]}.json")
    assert "University of Washington" in page.asset("vega.js")[:1000]


@pytest.mark.parametrize(
    "args",
    [
        ("run", "tiny", "--workload", WRITES, "--out", "out"),
        ("compare", "tiny", "--technique", "conventional", "--variant", FIFO, "--out", "out"),
        ("trace", "info", WRITES, "--html", "out/report.html"),
        ("reproduce", "ressd", "--figure", "table5", "--quick", "--out", "out"),
    ],
    ids=lambda args: args[0],
)
def test_a_report_loads_nothing_that_is_slow(tmp_path: Path, args: tuple[str, ...]) -> None:
    (tmp_path / "out").mkdir()
    done = call(tmp_path, *args, without=NOT_FOR_REPORTS)
    assert done.returncode == 0, done.stderr
    assert "vegaEmbed=" in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_a_picture_without_its_converter_is_refused_with_the_way_to_it(
    tmp_path: Path, kind: str
) -> None:
    done = call(tmp_path, "lab", "vth", "--chip", "planar-tlc", "--plot", f"it.{kind}")
    assert done.returncode == 2
    assert "pip install vl-convert-python" in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_plot_as_a_page_needs_no_converter(tmp_path: Path) -> None:
    done = call(tmp_path, "lab", "vth", "--chip", "planar-tlc", "--plot", "it.html")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "it.html").read_text()
    assert "vegaEmbed('#plot', {" in text
    assert not re.search(r"<script[^>]+src=|<link", text)
