"""The figures of ReSSD, from results made up so that the values follow by hand."""

from collections.abc import Sequence
from typing import Any

import pytest
from wordline.configuration import find
from wordline.native.types.record import Tree
from wordline.native.types.run import RunResult
from wordline.reproduce import Load, Study, judge, study
from wordline.reproduce.ressd import ABLATIONS, LAYERS, LIMITS, MAP, READINGS, SIZES, STUDY
from wordline.reproduce.ressd.conditions import POINTS, picture
from wordline.reproduce.ressd.drives import DRIVES
from wordline.reproduce.ressd.workloads import NAMES
from wordline.runs.single_run import simulate

EVERY = (STUDY, *LAYERS, *SIZES)
QUARTER_VALID = {"count": 50, "pages_moved": 50 * 384 // 4}


def _record(host: int, gc: int, technique: int, reprograms: int, erases: int, direct: int) -> Tree:
    latency = {"mean_us": 100.0 + erases, "count": 10}
    parts = {
        "writes": host - reprograms,
        "gc": gc,
        "fully_invalidated": technique,
        "third_pages": reprograms // 2,
    }
    bytes_of = {"time_stamps": 384 << 10, "tags": 36 << 10, "pointers": 432, "word_lines": 9 << 20}
    parity = {
        "per_data": 1.0,
        "held_back_per_data": 0.9,
        "data_interval_s": 100.0,
        "parity_interval_s": 70.0,
        "updates_on_hottest_fifth": 0.8,
    }
    ressd = {
        "page_consumption": parts,
        "fully_invalidated": {"along": technique, "idle": 0, "of_spent": 0},
        "capacity": {"free_pages": 1100},
        "metadata_bytes": {**bytes_of, "total": sum(bytes_of.values())},
    }
    return Tree(
        {
            "flash": {
                "page_programs": {"host": host, "gc": gc, "technique": technique},
                "reprograms": reprograms,
                "padding": 0 if reprograms else 200,
                "erases": erases,
            },
            "gc": {"with_migration": erases - direct, "direct": direct, "time_ms": float(gc)},
            "capacity": {"free_pages": 1000},
            "host": {"write": latency, "read": latency},
            "array": {"parity": parity},
            "technique": {"ressd": ressd} if reprograms else {},
        }
    )


class _Made:
    """Every workload alike: drives without ReSSD, with it, and with virtual super layers."""

    is_whole = True

    def __init__(self, names: Sequence[str] = NAMES) -> None:
        self.loads = [Load(name, f"twin:ressd/{name}") for name in names]

    def result(self, drive: str, load: Load) -> Any:
        assert load in self.loads
        if drive.startswith(("baseline", "raid")):
            return _record(1000, 1000, 0, 0, 20, 1)
        if "virtual" in drive:
            return _record(1000, 600, 160, 400, 10, 5)
        return _record(1000, 600, 200, 400, 10, 4)

    def traffic(self, load: Load) -> Any:
        assert load in self.loads
        switches = [[0.4, 0.1, 0, 0], [0.05, 0.1, 0.05, 0], [0, 0, 0.1, 0.05], [0, 0, 0, 0.15]]
        return Tree({"total": {"updates": {"intervals": {"zone_switches": switches}}}})


def _values(name: str, made: _Made) -> dict[str, float]:
    figures = (figure for one in EVERY for figure in one.figures)
    figure = next(figure for figure in figures if figure.name == name)
    return dict(figure.values(made))


def test_changes_follow_from_pages_and_erases() -> None:
    made = _Made()
    # 1000 + 600 + 200 - 400 pages and 200 third ones against 2000 and 200 without data.
    assert _values("fig13", made)["consumption/average"] == pytest.approx(100 * (1600 / 2200 - 1))
    assert _values("fig13", made)["writes/average"] == pytest.approx(100 * (800 / 1200 - 1))
    assert _values("fig13", made)["moved/average"] == pytest.approx(-20)
    shares = [_values("fig13", made)[f"share_of_{name}/hm_0"] for name in ("writes", "gc")]
    assert shares == pytest.approx([100 * 800 / 1600, 100 * 600 / 1600])
    # 100 page writes per erase against 50.
    assert _values("fig15", made)["erases/average"] == pytest.approx(-50)
    assert _values("fig15", made)["gc_direct/average"] == pytest.approx(300)
    assert _values("fig16", made)["writes_per_erase/hm_0"] == pytest.approx(100)
    assert _values("fig18", made)["free_pages/prn_1"] == pytest.approx(10)
    assert _values("fig18", made)["workloads_that_gain_much"] == len(NAMES)
    assert _values("fig19", made)["rss_change/average"] == pytest.approx(100 * (1600 / 2200 - 1))


def test_totals_stand_beside_means() -> None:
    class Made(_Made):
        def result(self, drive: str, load: Load) -> Any:
            erases = (10 if drive == "rss" else 20) if load.name == "hm_0" else 100
            return _record(1000, 1000, 0, 400, erases, 1)

    told = _values("fig15", Made(["hm_0", "hm_1"]))
    assert told["erases/average"] == pytest.approx(-25)
    assert told["erases/total"] == pytest.approx(100 * (110 / 120 - 1))
    endured = _values("fig22", Made(["hm_0", "hm_1"]))
    assert endured["endurance_by_rss/average"] == pytest.approx((10 + 20) / 2)
    assert endured["endurance_by_rss/total"] == pytest.approx(20 * 110 / 120)
    # A rate of all is all that was counted over all that it is counted by.
    rates = _values("fig16", Made(["hm_0", "hm_1"]))
    assert rates["writes_per_erase/average"] == pytest.approx(50)
    assert rates["writes_per_erase/total"] == pytest.approx(100 * (120 / 110 - 1))


def test_both_accounts_of_the_third_page_are_set_side_by_side() -> None:
    class Made(_Made):
        def result(self, drive: str, load: Load) -> Any:
            if drive.endswith("free"):
                return _record(1000, 400, 200, 400, 5, 4)
            return super().result(drive, load)

    told = _values("accounts", Made())
    assert told["array/erases/mean/lost"] == told["array/erases/total/lost"] == pytest.approx(-50)
    assert told["array/erases/mean/free"] == pytest.approx(-75)
    # Two a word line, three, and three with what programs leave without data.
    for name, share in (
        ("consumption_as_two", 1400 / 2000),
        ("consumption_as_three_without_padding", 1600 / 2000),
        ("consumption", 1600 / 2200),
    ):
        assert told[f"array/{name}/mean/lost"] == pytest.approx(100 * (share - 1)), name
    assert told["drive/writes_per_erase/total/free"] == pytest.approx(300)
    made = Made()
    made.is_whole = False
    assert not _values("accounts", made)


def test_published_averages_are_held_against_one_another() -> None:
    told = _values("derivations", _Made())
    # 70.1 % consumed: 34.5 % of it by writes, which are 68.4 % of before, and so on.
    before = 34.5 * 0.701 / 0.684 + 65.5 * 0.701 / 0.721
    assert told["fig13/parts_before"] == pytest.approx(before)
    third = (34.5 * 0.701 / 0.684 - 34.5 * 0.701) / 2
    lost = 100 * (before / (70.1 + third) - 1)
    assert told["writes_per_erase/by_a_lost_third_page"] == pytest.approx(lost)
    assert lost == pytest.approx(30.9, abs=0.1)
    assert told["writes_per_erase/least_by_plain_means"] == pytest.approx(100 / 0.694 - 100)
    assert told["fig13/least_writes_by_three_a_word_line"] == -25
    # Of e erases a share d is direct: 0.506 (1 - d) + 11.9 d is 0.694.
    direct = told["fig15/direct_share_before"] / 100
    assert 0.506 * (1 - direct) + 11.9 * direct == pytest.approx(0.694)
    assert told["fig15/direct_share"] == pytest.approx(100 * direct * 11.9 / 0.694)
    assert told["ours/moved_per_page/average"] == pytest.approx(100)
    assert told["ours/writes_per_erase_times_erases/lost"] == pytest.approx(2 * 0.5)


def test_metadata_are_told_in_the_publications_units() -> None:
    told = _values("overheads", _Made(["hm_0"]))
    assert [told[name] for name in ("time_stamps", "tags", "pointers", "word_lines")] == [
        384, 36, 432, 9,
    ]  # fmt: skip
    assert told["map_spared_by_12_blocks"] == 10.5


def test_parity_is_told_by_the_users_writes() -> None:
    told = _values("fig10", _Made())
    assert told["parity_writes/average"] == pytest.approx(100)
    assert told["parity_held_back/average"] == pytest.approx(90)
    assert told["update_interval/average"] == pytest.approx(-30)
    assert _values("fig11", _Made())["updates_on_hottest_fifth/hm_0"] == pytest.approx(80)


def test_endurance_counts_the_cycles_of_each_kind() -> None:
    told = _values("fig22", _Made())
    # 50 page writes per erase on both, 30,000 cycles against 1,500; 100 with reprograms.
    assert told["endurance_by_raid/average"] == pytest.approx(20)
    assert told["endurance_by_rss/average"] == pytest.approx(10)


def test_statements_are_true_or_not() -> None:
    told = _values("statements", _Made())
    # 4 of 10 erases are direct instead of 1 of 20; ReSSD gains the same alone and in the array.
    assert told["a_larger_share_of_gc_is_direct"] == 1
    assert told["the_array_consumes_less_than_a_drive"] == 0
    assert told["virtual_layers_consume_less"] == 1
    assert told["at_most_two_valid_pages_are_read_with_a_host_write"] == 1
    assert set(told.values()) == {0, 1}


def test_more_than_two_valid_pages_with_a_host_write_are_told() -> None:
    class Made(_Made):
        def result(self, drive: str, load: Load) -> Any:
            if drive == "rss":
                return _record(1000, 600, 1300, 400, 10, 4)
            return super().result(drive, load)

    told = _values("statements", Made())
    assert told["at_most_two_valid_pages_are_read_with_a_host_write"] == 0


def test_a_quick_run_judges_statements_by_its_volumes() -> None:
    made = _Made(["hm_0", "proj_4"])
    made.is_whole = False
    told = _values("statements", made)
    assert "proj_4_gains_less_space" in told
    assert "mlc_mode_writes_proj_1_slower" not in told
    figure = next(figure for figure in STUDY.figures if figure.name == "statements")
    assert figure.is_quick


def test_direct_erases_are_compared_as_shares_of_all() -> None:
    """3 of 20 are a larger share than 4 of 40."""

    class Made(_Made):
        def result(self, drive: str, load: Load) -> Any:
            erases, direct = (20, 3) if drive == "raid" else (40, 4)
            return _record(1000, 600, 200, 400, erases, direct)

    assert _values("statements", Made())["a_larger_share_of_gc_is_direct"] == 0


def test_virtual_super_layers_are_set_beside_fixed_ones() -> None:
    assert _values("fig23", _Made())["of_moved/average"] == pytest.approx(100 * 40 / 200)
    assert _values("fig23", _Made())["of_writes/average"] == pytest.approx(100 * 40 / 1600)
    told = _values("fig24", _Made())
    fewer = told["consumption/hm_0"]
    assert fewer == pytest.approx(100 * (1560 / 1600 - 1))
    assert _values("fig27", _Made())["consumption/virtual/average"] == pytest.approx(fewer)
    assert told["gc_direct/hm_0"] == pytest.approx(25)
    shares = [told[f"direct_share_of_{drive}/average"] for drive in ("rss_virtual", "rss")]
    assert shares == pytest.approx([50, 40])


def test_virtual_super_layers_reach_a_share_of_the_ideal_case() -> None:
    class Made(_Made):
        def result(self, drive: str, load: Load) -> Any:
            gc = {"rss": 600, "rss_virtual": 500}.get(drive, 200)
            return _record(1000, gc, 200, 400, 10, 4)

    assert _values("fig27", Made())["share_of_ideal/consumption"] == pytest.approx(25)


def test_other_readings_are_measured_like_the_array() -> None:
    every = [figure for study_ in READINGS for figure in study_.figures]
    figures = {figure.name: dict(figure.values(_Made())) for figure in every}
    assert len(figures) == len(every), "each reading is in one study"
    array = _values("fig13", _Made())
    full = figures["registers_wait_until_full"]
    assert full["moved/average"] == array["moved/average"]
    assert full["share_of_gc/hm_0"] == array["share_of_gc/hm_0"]
    assert "erases/average" not in figures["room_to_begin_with"]
    assert figures["room_to_begin_with"]["free_pages/prn_1"] == pytest.approx(10)
    assert figures["room_to_begin_with"]["mlc_write_latency/average"] == pytest.approx(0)
    of_parts = "in_parts_with_stamps_of_pages"
    endurance = figures[of_parts]["mlc_endurance/average"]
    assert endurance == pytest.approx(20)
    assert figures[of_parts]["mlc_endurance/total"] == pytest.approx(20)
    keys = {name: set(own) for study_ in READINGS for name, own in study_.drives.items()}
    both = {
        "in_parts_with_stamps_third_page_free": of_parts,
        **{
            f"{name}_third_page_free": name
            for name in ("ssdsim", "ssdsim_in_3d", "blocking", "next_hot_write")
        },
    }
    assert {name for name in figures if name.endswith("third_page_free")} == set(both)
    for free, lost in both.items():
        assert keys[f"raid {free}"] == keys[f"raid {lost}"]
        assert keys[f"rss {free}"] - keys[f"rss {lost}"] == {'technique.ressd.third_page="free"'}


def test_ssdsim_programs_page_by_page_and_its_successor_fills_programs() -> None:
    small = (
        "drive.chip.blocks_per_plane=48",
        "drive.over_provisioning=1.0",
        'workload.source="zipf:writes=3e3,size_kib=16,span_mib=512,interval_us=2000"',
    )

    drives = study("ressd-ssdsim").drives

    def told(name: str) -> RunResult:
        keys = [key for key in drives[f"raid {name}"] if not key.startswith("array.")]
        return simulate(find("ressd-576g").with_overrides((*keys, *small)))

    by_page, full = told("ssdsim"), told("ssdsim_in_3d")
    assert by_page.host.buffer_write_hits == full.host.buffer_write_hits > 0
    pages = by_page.flash.page_programs.host
    assert by_page.flash.padding == 0
    assert by_page.flash.program_operations >= pages
    # A program of TLC takes three pages, which wait for one another.
    assert full.flash.program_operations < 0.6 * pages


def test_updates_switch_zones() -> None:
    told = _values("fig26", _Made())
    switched = [told[f"switched_from_zone{zone}/average"] for zone in (1, 2, 3)]
    assert switched == pytest.approx([10, 10, 5])
    assert told["hot_to_zone4/hm_0"] == pytest.approx(100 * 0.05 / 0.85)
    targets = [told[f"from_zone2/to_zone{zone}/hm_0"] for zone in (1, 3, 4)]
    assert targets == pytest.approx([50, 50, 0])
    assert _values("statements", _Made())["hot_data_that_switches_stays_hot"] == 1


def test_larger_arrays_are_measured_by_their_own_baseline() -> None:
    told = _values("fig28", _Made())
    assert told["consumption/10_drives/average"] == pytest.approx(0)
    assert told["consumption/10_drives/total"] == pytest.approx(0)

    class Made(_Made):
        def result(self, drive: str, load: Load) -> Any:
            is_more = load.name == "hm_1" or drive == "rss_virtual_of_10"
            return _record(1000, 2800 if is_more else 800, 0, 0, 10, 1)

    told = _values("fig28", Made(["hm_0", "hm_1"]))
    assert told["consumption/10_drives/average"] == pytest.approx((100 + 0) / 2)
    assert told["consumption/10_drives/total"] == pytest.approx(100 * (8000 / 6000 - 1))
    told = _values("fig28", _Made())
    by_baseline = told["consumption/10_drives_by_baseline/average"]
    assert by_baseline == pytest.approx(100 * (1560 / 2200 - 1))
    seven = _values("drives", _Made())
    assert seven["consumption/7_drives/average"] == pytest.approx(0)
    told = _values("layers", _Made())
    assert told["consumption/64_layers/average"] == pytest.approx(0)


def test_a_part_of_the_workloads_has_no_average() -> None:
    made = _Made(["hm_0"])
    made.is_whole = False
    assert list(_values("fig14", made)) == ["gc_time/hm_0"]


@pytest.mark.parametrize("one", EVERY, ids=lambda one: one.paper)
def test_every_figure_names_its_drives_and_has_the_published_values(one: Study) -> None:
    published = {row["id"] for row in judge.expected(one)}
    made = _Made()
    known = {load.name for load in one.loads(None, False)}
    for figure in one.figures:
        assert set(figure.drives) <= set(one.drives)
        assert set(figure.loads) <= known
        if figure.drives:
            begin = f"{one.paper}/{figure.name}/"
            ours = {f"{begin}{name}" for name in figure.values(made)}
            assert {name for name in published if name.startswith(begin)} <= ours
    figures = {name.split("/")[1] for name in published}
    assert figures <= {figure.name for figure in one.figures}
    assert all(any(name.startswith(begin) for name in published) for begin in one.notes)


def test_every_drive_is_of_some_study() -> None:
    assert {drive for one in EVERY for figure in one.figures for drive in figure.drives} == set(
        DRIVES
    )


def test_an_ablation_tells_how_far_an_assumption_moves_the_mean() -> None:
    class Made(_Made):
        def result(self, drive: str, load: Load) -> Any:
            system, _, name = drive.partition(" ")
            if name == "programs_in_parts" and system == "raid":
                return _record(1000, 1400, 0, 0, 20 if load.name == "stg_0" else 40, 1)
            return super().result(system, load)

    figures = {figure.name: figure for figure in ABLATIONS.figures}
    made = Made([load.name for load in ABLATIONS.loads(None, False)])
    told = figures["consumption"].values(made)
    # 1600 pages with ReSSD, against 2200 or, in parts, 2600.
    as_is = 100 * (1600 / 2200 - 1)
    assert told["mean/as_is"] == told["mean/spent_blocks_left_to_gc"] == pytest.approx(as_is)
    assert told["moves_mean/programs_in_parts"] == pytest.approx(100 * (1600 / 2600 - 1) - as_is)
    erases = figures["erases"].values(made)
    ends = [erases[f"{end}/programs_in_parts"] for end in ("lowest", "mean", "highest")]
    assert ends == pytest.approx([-75, -(75 + 50) / 2, -50])
    assert figures["moved_per_page"].values(made)["mean/as_is"] == pytest.approx(100)
    shares = [figures[f"share_of_{part}"].values(made) for part in ("writes", "gc")]
    assert [share["mean/as_is"] for share in shares] == pytest.approx([800 / 16, 600 / 16])
    assert figures["mlc_endurance"].values(made)["mean/as_is"] == pytest.approx(20)


def test_every_ablation_names_the_drives_that_it_reads() -> None:
    class Needed(_Made):
        drives: frozenset[str] = frozenset()

        def result(self, drive: str, load: Load) -> Any:
            assert drive in self.drives
            return super().result(drive.split()[0], load)

    needed: set[str] = set()
    for figure in ABLATIONS.figures:
        made = Needed([load.name for load in ABLATIONS.loads(None, False)])
        made.drives = frozenset(figure.drives)
        needed |= made.drives
        means = [name for name in figure.values(made) if name.startswith("mean/")]
        notes = [ABLATIONS.note(f"ressd-ablations/{figure.name}/{name}") for name in means]
        assert len(means) > 1
        assert all(notes)
    assert needed == set(ABLATIONS.drives)


def test_conditions_stand_beside_the_padding_without_reprograms() -> None:
    figure = next(figure for figure in MAP.figures if figure.name == "conditions")

    class Made(_Made):
        def result(self, drive: str, load: Load) -> Any:
            assert figure.runs(drive, load) and drive in figure.drives
            erases = {"ressd, 0": 15, "ressd, 4": 10}.get(drive.partition(" candidates")[0], 20)
            padding = 0.5 if load.name.endswith("32 KiB") else 2.0
            made = {"write_amplification_by_cause": {"padding": padding}, "gc": QUARTER_VALID}
            return Tree({"flash": {"erases": erases}, **made})

    made = Made()
    made.loads = figure.of(MAP.loads(None, False))
    told = figure.values(made)
    assert len(told) == 4 * len(POINTS)
    assert told["invalid in victims, over-provisioning, buffer/50%"] == pytest.approx(75)
    assert told["padding, request size/32 KiB"] == pytest.approx(50)
    assert told["erases, buffer_kib, 4 waiting/default"] == pytest.approx(-50)
    items = [{"id": f"ressd-map/conditions/{name}", "ours": ours} for name, ours in told.items()]
    drawn = picture(items)
    assert drawn and len(drawn.spec["data"]["values"]) == 2 * len(POINTS)
    assert {(row["padding"], row["y"]) for row in drawn.spec["data"]["values"]} == {
        (0.5, -25), (0.5, -50), (2, -25), (2, -50),
    }  # fmt: skip
    assert picture([]) is None


def test_every_condition_has_a_drive_and_a_workload_of_its_own() -> None:
    assert len({(point.keys, point.load) for point in POINTS}) == len(
        {(point.drive, point.load) for point in POINTS}
    )
    for point in POINTS:
        found = find(MAP.base).with_overrides(MAP.drives[point.drive]).resolve()
        assert found["ftl"]["program_start"] == "when_idle"
        assert found["ftl"]["acknowledge"] == point.ending
        assert found["ftl"]["gc"]["policy"] == point.policy


def test_writes_alone_have_no_latency_of_reads_to_be_changed() -> None:
    class Made(_Made):
        def result(self, drive: str, load: Load) -> Any:
            found = super().result(drive, load)
            none = {"mean_us": 0.0, "count": 0}
            host = {**found["host"], "read": none} if "zipf" in load.name else found["host"]
            return Tree({**found, "host": host})

    made = Made()
    made.loads = list(LIMITS.loads(None, False))
    told = next(figure for figure in LIMITS.figures if figure.name == "skew").values(made)
    assert "write_latency/zipf 0.5" in told and "read_latency/hm_0" in told
    assert "read_latency/zipf 0.5" not in told


def test_each_published_number_is_judged_once() -> None:
    """Beside what is twice published, readings aside, no two lines may count as reproduced."""
    judged: dict[tuple[str, str, str], list[str]] = {}
    for row in judge.expected(STUDY):
        section = row["source"].partition(", Section ")[2].split(" ")[0].rstrip(":,")
        is_number = row["reference"] and "/statements/" not in row["id"]
        if is_number and row["fitted"] == "no" and "reading=" not in row["id"]:
            judged.setdefault((section, row["reference"], row["unit"]), []).append(row["id"])
    assert {place: ids for place, ids in judged.items() if len(ids) > 1} == {}
    accounts = [row for row in judge.expected(STUDY) if row["id"].startswith("ressd/accounts/")]
    assert {row["fitted"] for row in accounts} == {"unjudged"}


def test_no_id_of_the_laboratory_is_doubled() -> None:
    for figure in STUDY.figures:
        ids = [item["id"] for item in judge.of_laboratory(STUDY, figure)]
        assert not any(f"/{figure.name}/{figure.name}/" in one for one in ids)
        assert len(set(ids)) == len(ids)


def test_the_laboratory_reproduces_within_a_quarter() -> None:
    for figure in STUDY.figures:
        for item in judge.of_laboratory(STUDY, figure):
            if item["status"] == "reproduced":
                assert abs(item["deviation"]) <= 0.25, item["id"]


def test_a_preset_is_the_drive_of_the_study() -> None:
    ours = find("ressd-576g-published").resolve()
    assert ours == find(STUDY.base).with_overrides(DRIVES["baseline"]).resolve()
