"""What publications report of whole drives: the files that studies set their figures beside."""

import csv
import math
import re
from collections import Counter
from pathlib import Path

import pytest
from wordline.components import catalogue
from wordline.configuration import find
from wordline.traces import trace_info

ROOT = Path(__file__).parents[1]
FOLDERS = {"llh": "llh_ftl", "lazyrs": "lazyrs", "centaur": "centaur"}
PAPERS = {
    "llh": "Margaglia et al., USENIX FAST 2016, ",
    "lazyrs": "Kim and Kim, Electronics 12(4):843, 2023, ",
    "centaur": "Liu et al., POMACS 4(2):28, 2020, ",
}
Row = dict[str, str]


def _rows(paper: str) -> list[Row]:
    path = ROOT / "experiments" / FOLDERS[paper] / "drives.csv"
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def _values(paper: str, begin: str) -> dict[str, float]:
    """The published values by what follows `begin` in their ids."""
    start = f"{paper}/{begin}/"
    rows = {row["id"]: float(row["reference"]) for row in _rows(paper)}
    return {name.removeprefix(start): rows[name] for name in rows if name.startswith(start)}


def _twins(begin: str) -> dict[str, dict[str, float]]:
    """What is published of the workloads whose names begin so."""
    found = [one for one in catalogue.load()["twins"] if one["name"].startswith(begin)]
    return {
        one["name"].removeprefix(begin): {
            told["key"]: told["value"] for told in one["values"] if told["source"] == "published"
        }
        for one in found
    }


@pytest.mark.parametrize("paper", PAPERS)
def test_every_line_has_a_name_of_its_own_a_place_in_the_paper_and_a_tolerance(paper: str) -> None:
    rows = _rows(paper)
    assert list(rows[0]) == ["id", "source", "unit", "reference", "tolerance", "fitted"]
    assert [name for name, count in Counter(row["id"] for row in rows).items() if count > 1] == []
    place = re.compile(r"(abstract|Sections? \d|Table \d|Figure \d)")
    for row in rows:
        assert re.fullmatch(rf"{paper}(/[\w.=-]+)+", row["id"]), row["id"]
        assert row["source"].startswith(PAPERS[paper]), row["id"]
        assert place.match(row["source"].removeprefix(PAPERS[paper])), row["id"]
        assert float(row["reference"]) != 0, row["id"]
        assert 0 <= float(row["tolerance"]) <= 1, row["id"]
        assert row["fitted"] in ("no", "yes", "implied", "selected", "twin"), row["id"]


@pytest.mark.parametrize("paper", PAPERS)
def test_a_statement_is_true_or_not_and_says_which_is_larger(paper: str) -> None:
    statements = [row for row in _rows(paper) if row["id"].startswith(f"{paper}/statements/")]
    assert len(statements) > 8
    for row in statements:
        assert (row["unit"], row["reference"], row["tolerance"]) == ("", "1", "0"), row["id"]
        told = row["source"].partition(": ")[2]
        assert re.search("[<>=]", told), row["id"]


@pytest.mark.parametrize("paper", PAPERS)
def test_a_reading_stands_beside_another_one(paper: str) -> None:
    names = [row["id"] for row in _rows(paper)]
    read = {name.partition("/reading=")[0] for name in names if "/reading=" in name}
    assert read
    for begin in read:
        others = {name.removeprefix(f"{begin}/").partition("/")[0] for name in names
                  if name.startswith(f"{begin}/")}  # fmt: skip
        assert len(others) > 1, begin


def test_the_volumes_of_llh_are_its_twins() -> None:
    columns = {
        "requests": ("requests_m", 1),
        "rate": ("rate_per_s", 1),
        "write_share": ("write_ratio", 100),
        "hot_write_share": ("hot_write_ratio", 100),
        "written": ("written_gib", 1),
    }
    twins = _twins("twin:llh/")
    assert len(twins) == 19
    for column, (key, factor) in columns.items():
        of_twins = {name: told[key] * factor for name, told in twins.items()}
        assert _values("llh", f"table6/{column}") == pytest.approx(of_twins), column


def test_the_volumes_of_centaur_are_its_twins() -> None:
    columns = {
        "reads": "reads_m",
        "writes": "writes_m",
        "read": "read_gib",
        "written": "written_gib",
        "read_coverage": "read_coverage_gib",
        "write_coverage": "write_coverage_gib",
    }
    twins = _twins("twin:centaur/")
    assert len(twins) == 12
    for column, key in columns.items():
        of_twins = {name: told[key] for name, told in twins.items()}
        assert _values("centaur", f"table1/{column}") == of_twins, column


def test_the_mixes_of_lazyrs_are_its_applications() -> None:
    for name, reads in _values("lazyrs", "table1/reads_per_write").items():
        requests = trace_info(f"{name}:requests=30000").total.requests
        assert requests.reads / requests.writes == pytest.approx(reads, rel=0.05), name


def test_the_expected_erases_of_llh_follow_from_its_hot_writes() -> None:
    hot = _values("llh", "table6/hot_write_share")
    expected = _values("llh", "fig7a/expected")
    # Section 4: every two low pages take one page more, so that a block takes 5/4 of its pages.
    assert expected == pytest.approx({name: 1 - hot[name] / 100 / 5 for name in hot})
    at_28 = _values("llh", "fig7a/op28")
    assert {name: expected[name] for name in at_28} == at_28
    assert len(at_28) == 14  # but FIU, whose reductions were lower


def test_the_mean_energies_of_llh_follow_from_those_of_operations() -> None:
    """Table 5's last lines by its others: a block of 256 pages, of which 128 are low."""
    erase, low, high, again, fresh, later = 186.49, 50.37, 51.25, 63.04, 68.55, 180.85
    reads = {
        "baseline": (low + high) / 2,
        # A page of the second round lies on two low ones.
        "llh": (128 * low + 64 * 2 * low + 128 * high) / 320,
    }
    writes = {
        "baseline": (68.18 + 195.65) / 2 + erase / 256,
        "llh": (128 * (fresh + low + again + later) + erase) / 320,
    }
    assert _values("llh", "table5/logical_read") == pytest.approx(reads, rel=2e-4)
    assert _values("llh", "table5/logical_write") == pytest.approx(writes, abs=0.005)
    with_own_erase = (68.18 + 195.65) / 2 + 192.79 / 256
    assert with_own_erase == pytest.approx(132.67, abs=0.005)


def test_the_factors_of_lazyrs_and_the_stages_of_its_modes_are_as_published() -> None:
    factors = _values("lazyrs", "fig10a/lazy_over_page")
    assert factors == {"varmail": 2.6, "webproxy": 1.9, "oltp": 1.65}
    first = _values("lazyrs", "fig9b/first_stage")
    rest = _values("lazyrs", "fig9b/second_stage/reading=rest")
    assert {mode: first[mode] + rest[mode] for mode in first} == pytest.approx(
        dict.fromkeys(("m1", "m7", "m30"), 1)
    )


def _drives() -> list[tuple[str, str, list[str]]]:
    """What each drive of the studies to come is, its preset and its keys."""
    text = (ROOT / "experiments" / "README.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
    named = [row for row in rows if len(row) == 4 and row[0] in FOLDERS]
    return [
        (what, preset.strip("`"), re.findall("`(.*?)`", keys)) for _, what, preset, keys in named
    ]


@pytest.mark.parametrize(("what", "preset", "keys"), _drives(), ids=lambda value: str(value)[:40])
def test_a_drive_of_a_study_to_come_is_its_preset_but_for_its_keys(
    what: str, preset: str, keys: list[str]
) -> None:
    base = find(preset)
    resolved = base.with_overrides(tuple(keys)).resolve()
    assert resolved != base.resolve()
    tlc = resolved["drive"]["group"].get("tlc", {"chip": resolved["drive"]["chip"]})["chip"]
    if what.endswith("3D die without IDP") or what == "SLC/MLC without IDP":
        assert (tlc["program"], tlc["planes"], tlc["page_kib"]) == ("page", 2, 16)


def test_half_of_the_writes_of_zipf_are_hot() -> None:
    for what, _, keys in _drives():
        if (found := re.match(r"hotness of Zipf ([\d.]+), (\d+) %", what)) is None:
            continue
        theta, spare = float(found[1]), int(found[2]) / 100
        units = 4 * 2**20 / (1 + spare)

        def below(n: float, theta: float = theta) -> float:
            """Euler and Maclaurin's sum of k^-theta for k up to n, less its constant."""
            whole = math.log(n) if theta == 1 else n ** (1 - theta) / (1 - theta)
            return whole + n**-theta / 2

        # The constant is the zeta function at theta, or Euler's.
        constant = {0.9: -9.430114019, 0.95: -19.42643720, 1: 0.577215665}[theta]
        hot = float(keys[-1].partition("=")[2]) * units
        share = (below(hot) + constant) / (below(units) + constant)
        assert share == pytest.approx(0.5, abs=2e-4), what
