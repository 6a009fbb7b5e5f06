"""The league: who is admitted, what is told of whom, and that it is kept and read again."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import wordline as wl
from click.testing import CliRunner
from wordline.cli.app import app
from wordline.errors import RunError
from wordline.leagues import heats, library, outages, page, standings
from wordline.leagues.drives import DIVISIONS, Division
from wordline.leagues.heats import Extent, Load
from wordline.leagues.library import League
from wordline.results.store import Store
from wordline.runs import power_cuts
from wordline.runs.single_run import CONVENTIONAL
from wordline.sweeps import summary
from wordline.sweeps.runner import Standing as Course

TINY = Extent(
    thetas=(0.9,), intervals_us=(3000, heats.FLAT_OUT_US), requests=1500, settles=False,
    acknowledge=("buffer", "program"), spare=(0.75, 1, 3), seeds=2, cycles_per_erase=1000,
    repeats=40, lives=True, sizes_kib=(32,), named=heats.FOR[:1], worn_only=(),
    has_array=True, cut_requests=1000, cut_every=60,
)  # fmt: skip
SMALL = Division(
    "small", "tiny's flash with one-shot programs",
    'preset = "tiny"\n[drive.chip]\nprogram = "one_shot"\npages_per_block = 48\n'
    'layers_per_block = 8\nendurance_pec = 3000\n[erase]\nscheme = "ispe"\n'
    '[precondition]\npattern = "steady"\n',
    0.5, is_worn_out=True,
)  # fmt: skip


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[League, Store]]:
    """A league of one small division."""
    store = Store(tmp_path_factory.mktemp("league") / "store")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(heats, "DIVISIONS", (SMALL,))
        yield library.carry_out(TINY, store, None, 2, lambda _: lambda _: None), store


def refused_in(division: Division) -> dict[str, str]:
    _, refused = heats.admitted(division, division.base, ())
    return {one.variant: one.why for one in refused}


def test_who_is_admitted_where() -> None:
    admitted = {
        one.name: {variant.name for variant in heats.admitted(one, one.base, ())[0]}
        for one in DIVISIONS
    }
    techniques = {"ressd", "llh_ftl", "centaur", "slc_cache", "lazy_ftl"}
    assert admitted["3D TLC"] & techniques == {"ressd", "slc_cache", "lazy_ftl"}
    assert admitted["3D TLC"] >= {"reo", "reo+", "aero", "dpes", "i_ispe", "lazy_ftl + reo"}
    assert admitted["MLC"] & techniques == {"llh_ftl", "slc_cache"}
    assert admitted["2D and 3D"] == {CONVENTIONAL, "centaur", "lazy_ftl", "centaur + lazy_ftl"}


def test_a_refusal_has_the_reason_of_the_simulator() -> None:
    refused = refused_in(DIVISIONS[0])
    assert refused["ressd + lazy_ftl"] == "ressd and lazy_ftl both claim the hook Placement"
    assert "are those of MLC, not tlc" in refused["llh_ftl"]
    mixed = refused_in(DIVISIONS[2])
    assert not any("reo" in name for name in mixed)
    assert "are those of MLC, not slc" in mixed["llh_ftl"]
    assert "a super layer is made of layers" in mixed["ressd"]


def test_each_drive_stands_beside_the_conventional_one(small: tuple[League, Store]) -> None:
    found = small[0].standings()
    for own in standings.together(found).values():
        first, *others = own
        assert (first.variant, dict(first.effects)) == (CONVENTIONAL, {})
        assert others
        for one in others:
            effect = one.effects["write_amplification"]
            ours, theirs = (x.values["write_amplification"] for x in (one, first))
            assert effect.ratio.mean == pytest.approx(ours / theirs, rel=0.05)
            assert effect.ratio.low <= effect.ratio.mean <= effect.ratio.high
    assert {one.acknowledge for one in found} == {"buffer", "program"}
    assert len({one.variant for one in found}) >= 8


def test_what_a_technique_is_worth_is_read_off_the_conventional_drive(
    small: tuple[League, Store],
) -> None:
    rows = [row for row in summary.rows_of(small[0].table) if row["heat"] == heats.SPACE]
    own = [row for row in rows if row["variant"] == CONVENTIONAL]
    by_space: dict[float, list[float]] = {}
    for row in own:
        if row[heats.ACKNOWLEDGE] == "buffer":
            by_space.setdefault(row[heats.OVER_PROVISIONING], []).append(row["erases_per_gib"])
    assert sorted(by_space) == [0.375, 0.5, 1.5]
    lazy = next(
        one for one in small[0].standings()
        if (one.variant, one.acknowledge) == ("lazy_ftl", "buffer")
    )  # fmt: skip
    assert lazy.worth is None or 0.375 <= lazy.worth <= 1.5


def cuts_of(league: League) -> list[dict[str, Any]]:
    return [row for row in summary.rows_of(league.table) if row["heat"] == heats.CUT]


def test_every_drive_is_cut(small: tuple[League, Store]) -> None:
    rows = cuts_of(small[0])
    named = {(row["variant"], row[heats.ACKNOWLEDGE]) for row in rows}
    assert named == {(one.variant, one.acknowledge) for one in small[0].standings()}
    assert len(rows) == TINY.seeds * len(named)
    assert all(row["cut_lost_most_kib"] >= row["cut_lost_kib"] > 0 for row in rows)
    mean = {
        end: sum(row["cut_lost_kib"] for row in rows if row[heats.ACKNOWLEDGE] == end)
        for end in ("buffer", "program")
    }
    assert mean["buffer"] > mean["program"], "what waits in the buffer was acknowledged"
    assert any(row["cut_flushed_percent"] for row in rows)


def test_figures_of_cuts_are_those_of_the_report(small: tuple[League, Store]) -> None:
    asked, refused = outages.asked(SMALL, TINY)
    report = power_cuts.cut(asked[0].configuration, TINY.cut_every)
    assert report.hold_up
    assert report.hold_up.unit_bytes == 4096
    row = cuts_of(small[0])[0]
    lost = report.hold_up.forgotten_units / report.cuts
    assert row["cut_lost_kib"] == pytest.approx(4 * lost)
    assert row["cut_lost_most_kib"] == 4 * report.hold_up.forgotten_most
    assert row["cut_flushed_percent"] == pytest.approx(100 * report.losing_cuts / report.cuts)
    assert {one.heat for one in refused} == {heats.CUT}
    assert {one.variant for one in refused} >= {"centaur", "ressd + lazy_ftl"}


def test_drives_of_two_kinds_of_flash_can_be_cut() -> None:
    base = outages.unprotected(DIVISIONS[2].base)
    drive = base.with_overrides([f"workload.source={heats.TYPICAL.text(100)}"])
    assert power_cuts.cut(drive, 50).cuts > 0


def test_a_cut_run_that_fails_is_a_row(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RunError("no erased block is left", "", "")

    monkeypatch.setattr(power_cuts, "cut", fail)
    asked, _ = outages.asked(SMALL, TINY)
    rows = outages.carry_out(asked[:2], 1, Store(tmp_path / "s"), 2, lambda _: None)
    assert [row["error"] for row in rows] == ["no erased block is left"] * 2


def test_dpes_ages_with_the_chip() -> None:
    """Its ages are published of reo-tlc, whose mean block lasts 5,330 cycles."""
    lasts = DIVISIONS[0].base.erase_life().lifetime_pec
    ages = dict(key.split("=") for key in DIVISIONS[0].dpes)
    assert lasts
    for key, published in (("later_pec", 1500), ("until_pec", 3500)):
        assert int(ages[f"erase.dpes.{key}"]) == pytest.approx(published * lasts / 5330, abs=1)


def test_dpes_has_these_ages_where_it_competes() -> None:
    found, _ = heats.admitted(DIVISIONS[0], DIVISIONS[0].base, ())
    own = next(one for one in found if one.name == "dpes")
    assert set(DIVISIONS[0].dpes) <= set(own.overrides)
    assert not any(
        key.startswith("erase.dpes") for one in found for key in one.overrides if one.name != "dpes"
    )


def test_warnings_are_told_by_kind(small: tuple[League, Store]) -> None:
    warnings = small[0].about["warnings"]
    assert max(warnings.values()) <= len(small[0])
    assert not any(told.startswith("drive ") and told[6].isdigit() for told in warnings)
    assert not any("erase.reo.chip" in told for told in warnings)


def test_a_league_is_written_and_read_again(small: tuple[League, Store], tmp_path: Path) -> None:
    small[0].save(tmp_path / "league")
    again = wl.load(tmp_path / "league")
    assert isinstance(again, League)
    assert dict(again.table) == dict(small[0].table)
    assert again.standings() == small[0].standings()
    assert again.about == json.loads(json.dumps(small[0].about))
    html = (tmp_path / "league" / "report.html").read_text()
    assert "Who wins where" in html
    assert "both claim the hook Placement" in html
    won = {
        (one.division, one.acknowledge, one.figure)
        for one in small[0].winners()
        if one.variant != CONVENTIONAL
    }
    asked = {(one.division, one.acknowledge, one.figure) for one in small[0].winners()}
    assert html.count("<figure") == len(won)
    assert ("No drive is known to be better than conventional" in html) == (won != asked)
    made = CliRunner().invoke(app, ["report", str(tmp_path / "league")])
    assert made.exit_code == 0, made.output
    assert (tmp_path / "league" / "report.html").read_text() == html


def test_what_is_kept_is_not_run_again(
    small: tuple[League, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heats, "DIVISIONS", (SMALL,))
    courses: list[Course] = []
    again = library.carry_out(TINY, small[1], None, 2, lambda _: courses.append)
    assert courses
    assert all(course.found == course.total for course in courses)
    assert dict(again.table) == dict(small[0].table)


def test_the_verb(
    small: tuple[League, Store], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(heats, "DIVISIONS", (SMALL,))
    monkeypatch.setattr(heats, "QUICK", TINY)
    asked = ["league", "--quick", "--store", str(small[1].folder), "--out", str(tmp_path / "l")]
    told = CliRunner().invoke(app, asked)
    assert told.exit_code == 0, told.output
    assert "small, writes end in the buffer" in told.output
    assert "drives are refused; the report says why" in told.output
    assert {path.name for path in (tmp_path / "l").iterdir()} >= set(library.NAMES)
    data = json.loads(CliRunner().invoke(app, [*asked, "--json"]).stdout)
    assert data["standings"][0]["variant"] == CONVENTIONAL
    assert {one["figure"] for one in data["winners"]} <= set(standings.WON_BY)


def made_up(values: dict[str, Sequence[float]], interval_us: int = 3000) -> list[dict[str, Any]]:
    """Rows of a map of one workload, all figures the same."""
    return [
        {
            "division": "x", "heat": heats.MAP, heats.ACKNOWLEDGE: "buffer", "variant": variant,
            "workload": "w", "theta": 0.9, "interval_us": interval_us, "seed": seed,
            "size_kib": 16, "load": "",
            **dict.fromkeys(standings.WON_BY, value),
        }
        for variant, of in values.items() for seed, value in enumerate(of, 1)
    ]  # fmt: skip


def test_the_winner_is_the_best_beyond_chance() -> None:
    rows = made_up({
        CONVENTIONAL: (100.0, 101.0, 99.0), "good": (50.0, 50.5, 49.6),
        "better": (40.0, 40.5, 39.5), "lucky": (1.0, 400.0, 30.0),
    })  # fmt: skip
    found = {one.figure: one for one in standings.winners(rows)}
    assert found["read_p999_us"].variant == "better"
    assert found["read_p999_us"].ratio == pytest.approx(0.4, rel=0.01)
    assert "bandwidth_mb_s" not in found, "the host decides it"


def test_more_is_better_flat_out_and_nobody_wins_by_less_than_a_percent() -> None:
    flat_out = heats.FLAT_OUT_US
    rows = made_up({CONVENTIONAL: (10.0, 10.1, 9.9), "fast": (20.0, 20.1, 19.9)}, flat_out)
    found = {one.figure: one.variant for one in standings.winners(rows)}
    assert found == {"bandwidth_mb_s": "fast", "spent_lifetime": CONVENTIONAL}
    rows = made_up({CONVENTIONAL: (10.0, 11.0, 9.0), "same": (9.95, 10.945, 8.955)})
    assert {one.variant for one in standings.winners(rows)} == {CONVENTIONAL}


def test_a_life_is_judged_by_what_drives_wrote_until_their_end() -> None:
    """Cycles are the same; the one drive lives half as long again."""
    rows = made_up({CONVENTIONAL: (10.0, 10.1, 9.9), "gentle": (10.0, 10.1, 9.9)})
    lives = made_up({CONVENTIONAL: (10.0, 10.1, 9.9), "gentle": (15.0, 15.1, 14.9)})
    lives = [{**row, "heat": heats.LIFE} for row in lives]
    found = {one.figure: one for one in standings.winners([*rows, *lives])}
    assert "spent_lifetime" not in found
    assert (found["life_gib"].variant, found["life_gib"].ratio) == (
        "gentle", pytest.approx(1.5, rel=0.01),
    )  # fmt: skip


def test_table_and_map_tell_the_same_life(small: tuple[League, Store]) -> None:
    lives = {
        (one.acknowledge, one.variant): one.effects["life_gib"].ratio.mean
        for one in small[0].standings()
        if "life_gib" in one.effects
    }
    won = [one for one in small[0].winners() if one.figure == "life_gib"]
    assert {one.acknowledge for one in won} == {"buffer", "program"}
    for one in won:
        if one.variant != CONVENTIONAL:
            assert one.ratio == pytest.approx(lives[one.acknowledge, one.variant], rel=0.05)


def _effects(**ratios: float) -> dict[str, Any]:
    return {
        key: SimpleNamespace(
            metric=standings.METRICS[key],
            ratio=SimpleNamespace(mean=ratio),
            is_beyond_chance=True,
        )
        for key, ratio in ratios.items()
    }


def test_no_beaten_drive_is_on_the_front() -> None:
    """As docs/league.md has them without a buffer: ReSSD + REO loses in every goal."""
    found = standings.unbeaten({
        "ressd + reo": _effects(life_gib=2.07, bandwidth_mb_s=0.64, write_p999_us=2.75),
        "slc_cache + reo": _effects(life_gib=2.28, bandwidth_mb_s=0.91, write_p999_us=0.025),
        "lazy_ftl + reo": _effects(life_gib=1.4, bandwidth_mb_s=1.11, write_p999_us=0.08),
        "reo": _effects(life_gib=1.4, write_p999_us=0.86),
    })  # fmt: skip
    assert list(found) == ["slc_cache + reo", "lazy_ftl + reo"]
    assert found["slc_cache + reo"] == {
        "life_gib": 2.28, "bandwidth_mb_s": 0.91, "write_p999_us": pytest.approx(40),
    }  # fmt: skip


def test_cycles_count_where_no_drive_lives_to_its_end() -> None:
    found = standings.unbeaten({"a": _effects(spent_lifetime=0.5), "b": _effects(iops=2.0)})
    assert found == {"a": {"spent_lifetime": 2.0}}


def test_every_named_workload_has_a_front(small: tuple[League, Store]) -> None:
    found = small[0].fronts()
    assert [(one.load, one.acknowledge) for one in found] == [
        ("", "buffer"), ("database log", "buffer"), ("", "program"), ("database log", "program"),
    ]  # fmt: skip
    for one in found:
        assert one.drives
        assert all("life_gib" in gains for gains in one.drives.values())


def test_workloads_write_as_much() -> None:
    for load in heats.FOR:
        told = load.text(100_000)
        keys = dict(one.split("=") for one in told.partition(":")[2].split(",") if "=" in one)
        writes = int(keys["requests"]) * (1 - float(keys["read"]))
        assert writes * float(keys["size_kib"]) == pytest.approx(75_000 * 16, rel=0.001)


def test_what_was_put_off_is_in_the_bandwidth() -> None:
    host = SimpleNamespace(iops=100.0, iops_if_secured=80.0)
    row = {"bandwidth_mb_s": 10.0}
    assert library._once_secured(row, SimpleNamespace(host=host)) == {"bandwidth_mb_s": 8.0}
    host.iops_if_secured = None
    assert library._once_secured(row, SimpleNamespace(host=host)) == {}


def test_what_a_drive_gives_up_and_needs(small: tuple[League, Store]) -> None:
    drives = small[0].about["drives"]
    one = next(one for one in drives if one["variant"] == CONVENTIONAL)
    assert one["given_up"] == pytest.approx(0.5 / 1.5, abs=0.01)
    result = wl.run("tiny", "uniform:writes=100", host={"write_buffer_mib": 2})
    entries = result.capacity.logical_pages * 4 / 2**20 + result.capacity.buffer_bytes / 2**20
    assert standings.dram_mib(result.capacity, result.config) == pytest.approx(entries + 2)


def test_what_a_drive_is_worth_is_told_at_the_usual_space(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = [
        SimpleNamespace(variant=variant, has=has, needs=needs)
        for variant, has, needs in
        (("a", 0.28, 0.35), ("a", 0.5, 0.9), ("b", 0.28, None), ("b", 0.5, 0.6))
    ]  # fmt: skip
    monkeypatch.setattr(summary, "worth", lambda *_: found)
    assert standings._worth([{standings.USUAL: 0.28}]) == {"a": 0.35}


def test_dram_holds_the_map_the_drives_buffer_and_the_hosts() -> None:
    """4 MiB of map for a million pages, a buffer of 3 MiB, and one of 2 for the host's writes."""
    capacity = SimpleNamespace(logical_pages=1 << 20, buffer_bytes=3 << 20)
    assert standings.dram_mib(capacity, {"host": {"write_buffer_mib": 2.0}}) == 9.0


def test_words() -> None:
    assert page.intensity(Load(0.9, 3000).interval_us) == "3,000 µs apart"
    assert page.intensity(heats.FLAT_OUT_US) == "flat out"
