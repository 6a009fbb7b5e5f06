"""Codes for a second write, from Python and from the command line."""

import json
from pathlib import Path

import pytest
from conftest import Cli
from hypothesis import given, settings
from hypothesis import strategies as st
from wordline import _native
from wordline.codes import Estimate, Family, WomCode
from wordline.codes.capacity import COMPLETE, LAYOUTS, LDGM, ONE_TRY, Study
from wordline.codes.tallies import Tallies
from wordline.codes.wom import PageCode, for_page
from wordline.components import catalogue
from wordline.errors import ConfigError, OutputError, RunError

FAMILIES = [Family.POLAR, Family.LDGM, Family.ELIMINATION]
PAGE = 1280  # bytes, of which 256 are spare


def started(_: str) -> object:
    return lambda *_: None


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=20)
@given(old=st.binary(min_size=1024, max_size=1024), new=st.binary(min_size=400, max_size=400))
def test_pages_come_back_and_only_ones_become_zeros(family: Family, old: bytes, new: bytes) -> None:
    code = for_page(family, PAGE, 400, tries=16)
    used = old + b"\xff" * (PAGE - len(old))
    written = code.write_page(used, new)
    if written is None:
        assert sum(map(int.bit_count, used)) < 6000  # of 10,240: data that leave little room
        return
    page, metadata = written
    assert all(after & ~before == 0 for before, after in zip(used, page, strict=True))
    assert code.read_page(page, metadata, len(new)) == new
    with pytest.raises(RunError):
        code.read_page(page, metadata + 16, len(new))


def test_counts_go_on_where_they_stopped(tmp_path: Path) -> None:
    code = WomCode(Family.POLAR, 1024, 400, tries=4)
    whole = code.attempts(600)
    assert code.attempts(600, counts=code.attempts(200)) == whole
    tallies = Tallies(tmp_path / "tallies.json", started)  # type: ignore[arg-type]
    tallies.failure(code, 1024, 200)
    again = Tallies(tmp_path / "tallies.json", started)  # type: ignore[arg-type]
    assert again.failure(code, 1024, 600) == Estimate.of(sum(whole), whole[-1])


def test_counts_of_something_else_are_refused(tmp_path: Path) -> None:
    (tmp_path / "tallies.json").write_text("[]")
    with pytest.raises(OutputError, match="counts"):
        Tallies(tmp_path / "tallies.json", started)  # type: ignore[arg-type]


def test_more_attempts_need_less_spare_area() -> None:
    study = Study(True, Tallies(None, started))  # type: ignore[arg-type]
    one, _ = study.needed(ONE_TRY, 1024, erased=True)
    many, evidence = study.needed(LAYOUTS, 1024, erased=True)
    assert 0 < many < one
    assert evidence and evidence.high <= 0.0025


def test_instructions_do_not_change_what_is_counted() -> None:
    def counts(instructions: str) -> list[int]:
        return WomCode(Family.POLAR, 4096, 1700, tries=3, instructions=instructions).attempts(200)

    found = {tuple(counts(name)) for name in _native.instruction_sets()}
    assert len(found) == 1


def test_pages_through_files(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(bytes(range(256)) * 4 + b"\xff" * 256)
    (tmp_path / "new").write_bytes(b"a logical page! " * 25)
    done = cli("code", "write-page", "old", "new", "page", "--json")
    assert done.returncode == 0, done.stderr
    metadata = str(json.loads(done.stdout)["metadata"])
    args = ("code", "read-page", "page", "back", "--bytes", "400", "--metadata")
    done = cli(*args, metadata)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "back").read_bytes() == (tmp_path / "new").read_bytes()
    done = cli(*args, "63", "--force")
    assert done.returncode == 1
    assert "checksum" in done.stderr
    (tmp_path / "old").write_bytes(b"\0" * 1280)
    done = cli("code", "write-page", "old", "new", "none")
    assert done.returncode == 1 and "does not fit" in done.stderr
    assert not (tmp_path / "none").exists()


def test_wrong_cells_are_corrected_where_sub_channels_were_given_up_for_that() -> None:
    code = for_page(Family.POLAR, PAGE, 300, tries=16, rber=1e-3)
    assert 0 < code.correcting < code.cells // 2
    used, new = bytes(range(256)) * 4 + b"\xff" * 256, b"a logical page! " * 18 + b"of 300 bytes"
    written = code.write_page(used, new)
    assert written
    page = bytearray(written[0])
    page[7] ^= 0x10
    page[900] ^= 0x01
    assert code.correct_page(bytes(page), written[1], len(new)) == (new, 2)
    assert code.read_page(bytes(page), written[1], len(new)) == new
    lost = code.lost_reads(200)
    assert lost.trials > 190 and lost.failures <= 1
    assert code.lost_reads(50, rber=0.2).rate == 1.0
    with pytest.raises(ConfigError, match="take a polar code"):
        WomCode(Family.LDGM, 1024, 400, rber=1e-3)


def test_codes_of_pages_have_the_names_of_the_technique_and_its_tries() -> None:
    llh_ftl = next(of for of in catalogue.load()["techniques"] if of["name"] == "llh_ftl")
    key = next(of for of in llh_ftl["params"] if of["key"].endswith("code"))
    assert key["kind"]["one_of"] == ["assumed", *(code.value for code in PageCode)]
    methods = (ONE_TRY, LAYOUTS, LDGM, COMPLETE)
    assert [(code.family, code.tries) for code in PageCode] == [
        (method.family, method.tries) for method in methods
    ]


def test_a_rate_beyond_what_cells_hold_is_warned_of(cli: Cli) -> None:
    for rate, is_told in (("0.3", False), ("0.9", True)):
        done = cli("code", "polar", "--cells", "1024", "--rate", rate)
        assert done.returncode == 0, done.stderr
        assert ("every write may fail at this rate" in done.stderr) == is_told, rate


def test_random_pages_make_the_round_trip(cli: Cli) -> None:
    args = ("code", "round-trips", "--pages", "500", "--json")
    for options in (
        ("--code", "ldgm"),
        ("--code", "elimination", "--tries", "2"),
        ("--rber", "5e-4", "--logical-bytes", "200"),
    ):
        found = json.loads(cli(*args, *options).stdout)
        assert found["wrong"] == found["unnoticed"] == 0
        assert found["refused"] + found["corrected"] + found["does_not_fit"] == 500
        assert (found["corrected"] > 200) == (options[0] == "--rber")


def test_spoiled_pages_through_files(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(bytes(range(256)) * 4 + b"\xff" * 256)
    (tmp_path / "new").write_bytes(b"a logical page! " * 18)
    done = cli("code", "write-page", "old", "new", "page", "--rber", "1e-3", "--json")
    metadata = str(json.loads(done.stdout)["metadata"])
    page = bytearray((tmp_path / "page").read_bytes())
    page[100] ^= 0x04
    (tmp_path / "page").write_bytes(page)
    args = ("code", "read-page", "page", "back", "--bytes", "288", "--metadata", metadata)
    assert cli(*args).returncode == 1
    done = cli(*args, "--rber", "1e-3")
    assert done.returncode == 0, done.stderr
    assert "wrong cells corrected: 1" in done.stdout
    assert (tmp_path / "back").read_bytes() == (tmp_path / "new").read_bytes()


@pytest.mark.parametrize(
    "args",
    [
        ("polar", "--rber", "0.5"),
        ("polar", "--rber", "-1"),
        ("polar", "--rber", "1e-3", "--read-failure", "0"),
        ("polar", "--cells", "1024", "--rber", "0.2", "--rate", "0.4"),
        ("round-trips", "--reserved", "97"),
        ("round-trips", "--code", "rivest-shamir"),
        ("round-trips", "--code", "ldgm", "--rber", "1e-3"),
        ("round-trips", "--logical-bytes", "700"),
        ("polar", "--cells", "100"),
        ("polar", "--rate", "2"),
        ("polar", "--writable", "0"),
        ("polar", "--tries", "0"),
        ("polar", "--instructions", "none"),
        ("ldgm", "--message-bits", "0"),
        ("write-page", "absent", "absent", "page"),
        ("write-page", ".", ".", "page"),
        ("read-page", "absent", "page", "--metadata", "0", "--bytes", "4"),
        ("wom-capacity", "--plot", "figure.bmp"),
    ],
)
def test_bad_input_says_what_and_how_to_mend_it(cli: Cli, args: tuple[str, ...]) -> None:
    done = cli("code", *args)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ") and "  help: " in done.stderr


def test_a_code_is_described(cli: Cli) -> None:
    done = cli("code", "polar", "--cells", "4096", "--failure-rate", "--trials", "500", "--json")
    found = json.loads(done.stdout)
    assert found["message_bits"] == 1496
    assert found["failure"]["trials"] == 500
    listed = json.loads(cli("code", "list", "--json").stdout)["wom"]
    names = [code.value for code in PageCode]
    assert [code["name"] for code in listed] == [*names, "rivest-shamir"]


@pytest.mark.parametrize(
    ("verb", "given", "needed"),
    [
        ("polar", ("--trials", "100"), "--failure-rate"),
        ("polar", ("--read-failure", "0.01"), "--rber"),
        ("ldgm", ("--failures", "3"), "--failure-rate"),
        ("bch", ("--rber", "1e-3"), "--failure-rate"),
        ("bch", ("--errors", "3"), "--speed"),
        ("ldpc", ("--tallies", "counted.json"), "--failure-rate"),
        ("ldpc", ("--seed", "2"), "--failure-rate"),
    ],
)
def test_an_option_without_its_partner_is_refused(
    cli: Cli, verb: str, given: tuple[str, str], needed: str
) -> None:
    done = cli("code", verb, *given)
    assert done.returncode == 2 and not done.stdout
    assert f"{given[0]} says nothing without {needed}" in done.stderr
    assert f"add {needed}" in done.stderr


@pytest.mark.parametrize("name", ["failure_rate", "read_failure", "writable", "rber"])
@pytest.mark.parametrize("value", [float("nan"), -0.1, 1.1])
def test_a_share_that_cannot_be_is_refused_by_its_name(name: str, value: float) -> None:
    """Whether or not the code's size would make use of it."""
    with pytest.raises(ConfigError, match=name):
        WomCode(Family.POLAR, 256, 8, **{name: value})  # pyright: ignore[reportArgumentType]
