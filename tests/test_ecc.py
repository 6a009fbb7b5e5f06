"""Error-correcting codes from Python and from the command line."""

import json
from pathlib import Path

import pytest
from conftest import Cli
from wordline.codes import EccCode
from wordline.codes.verdicts import verdict
from wordline.errors import ConfigError, RunError


def test_codes_have_the_sizes_of_their_families() -> None:
    bch = EccCode.bch(data_bytes=1024, t=72)
    assert (bch.data_bytes, bch.parity_bytes, bch.codeword_bits) == (1024, 126, 9193)
    assert len(bch.encode(bytes(1024))) == 126
    ldpc = EccCode.ldpc(rows=10)
    assert (ldpc.data_bytes, ldpc.parity_bytes) == (4096, 320)
    assert 0.87 < EccCode.ldpc(rows=19).rate < ldpc.rate < 0.93


def test_losses_agree_with_the_closed_form_and_go_on_where_they_stopped() -> None:
    code = EccCode.bch(data_bytes=64, t=4)
    whole = code.failure(8e-3, trials=20_000, failures=20_000)
    part = code.failure(8e-3, trials=5_000, failures=20_000)
    assert code.failure(8e-3, trials=20_000, failures=20_000, counts=part.counts) == whole
    exact = code.failure_probability(8e-3)
    assert exact is not None
    assert whole.estimate.low < exact < whole.estimate.high


def test_a_code_that_cannot_be_says_why() -> None:
    with pytest.raises(ConfigError, match="do not fit into a codeword"):
        EccCode.bch(data_bytes=8192, t=8)
    with pytest.raises(ConfigError, match="no stored code with 11 rows"):
        EccCode.ldpc(rows=11)
    with pytest.raises(ConfigError, match="4 bytes of data, but the code has 64"):
        EccCode.bch(64, 4).encode(b"four")
    with pytest.raises(ConfigError, match="odd number"):
        EccCode.ldpc(reads=2).failure(0.01, trials=1)


def test_the_verb_prints_items_keeps_counts_and_plots(cli: Cli, tmp_path: Path) -> None:
    tallies, plot = tmp_path / "tallies.json", tmp_path / "plot.svg"
    options = ("--t", "4", "--data-bytes", "64", "--failure-rate", "--trials", "300")
    files = ("--tallies", str(tallies), "--plot", str(plot), "--json")
    first = cli("code", "bch", *options, *files)
    assert first.returncode == 0, first.stderr
    found = json.loads(first.stdout)
    # Of 300 words about 150, 30 and 3 are lost: three say little of one in a hundred.
    statuses = [item["status"] for item in found["items"]]
    assert statuses == ["reproduced", "reproduced", "inconclusive"]
    assert "more trials" in found["items"][2]["note"]
    assert plot.read_text().startswith("<svg")
    assert cli("code", "bch", *options, *files, "--force").stdout == first.stdout


def test_stored_waterfalls_are_reproduced(cli: Cli) -> None:
    done = cli("code", "ldpc", "--rows", "10", "--failure-rate", "--trials", "256", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    statuses = [item["status"] for item in found["items"]]
    # Near one half, 100 lost words decide; near 0.01 three do not.
    assert (statuses[0], statuses[2]) == ("reproduced", "inconclusive")
    assert "deviates" not in statuses
    assert sum(point["miscorrected"] for point in found["points"]) == 0


@pytest.mark.parametrize(
    ("ours", "band", "status"),
    [
        ((0.009, 0.012), (0.01, 0.01), "reproduced"),
        ((0.005, 0.02), (0.01, 0.01), "reproduced"),
        ((0.004, 0.012), (0.01, 0.01), "inconclusive"),
        ((0.0, 0.05), (0.01, 0.01), "inconclusive"),
        ((0.0, 0.009), (0.01, 0.01), "deviates"),
        ((0.011, 0.5), (0.01, 0.01), "deviates"),
        ((0.009, 0.012), (0.001, 0.03), "inconclusive"),
        ((0.0125, 0.02), (0.0075, 0.0125), "inconclusive"),
        ((0.0101, 0.0126), (0.0075, 0.0125), "inconclusive"),
        ((0.0101, 0.0125), (0.0075, 0.0125), "reproduced"),
        ((0.01, 0.0126), (0.0075, 0.0125), "reproduced"),
        ((0.0, 0.0), (0.0, 0.0), "reproduced"),
    ],
)
def test_a_verdict_needs_an_interval_that_decides(
    ours: tuple[float, float], band: tuple[float, float], status: str
) -> None:
    assert verdict(ours, band, 0.01 if band[1] else 0.0) == status


def test_no_failures_reproduce_nothing(cli: Cli) -> None:
    lost = ("code", "bch", "--t", "4", "--data-bytes", "64", "--failure-rate", "--rber", "1e-3")
    done = cli(*lost, "--trials", "100", "--json")
    (item,) = json.loads(done.stdout)["items"]
    assert (item["ours"], item["status"]) == (0.0, "inconclusive")
    assert cli(*lost, "--failures", "0").returncode == 2


def test_speed_is_measured(cli: Cli) -> None:
    done = cli("code", "bch", "--t", "4", "--data-bytes", "64", "--speed", "--errors", "2")
    assert done.returncode == 0, done.stderr
    assert "2 wrong bits" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("bch", "--data-bytes", "9000"), "do not fit"),
        (("bch", "--plot", "x.svg"), "nothing to plot"),
        (("bch", "--failure-rate", "--plot", "x.gif"), "no format"),
        (("bch", "--failure-rate", "--rber", "0.7"), "from 0 to 0.5"),
        (("ldpc", "--rows", "11"), "one of 10, 12, 14, 16, 19"),
        (("ldpc", "--reads", "5", "--failure-rate"), "was not measured"),
    ],
)
def test_bad_input_is_refused(cli: Cli, arguments: tuple[str, ...], message: str) -> None:
    done = cli("code", *arguments)
    assert done.returncode == 2
    assert message in done.stderr


def test_words_come_back_with_wrong_bits_and_tables_hold_what_is_known() -> None:
    for code in (EccCode.bch(64, 4), EccCode.ldpc(rows=10)):
        data = bytes(range(256)) * 16
        data = data[: code.data_bytes]
        parity = code.encode(data)
        spoilt = bytes([data[0] ^ 0x21]) + data[1:]
        assert code.decode(spoilt, parity) == (data, 2)
        with pytest.raises(RunError, match="more errors"):
            code.decode(bytes(len(data)), b"\x55" * len(parity))
        rbers, losses = zip(*code.table(), strict=True)
        assert list(rbers) == sorted(rbers) and list(losses) == sorted(losses)
    with pytest.raises(ConfigError, match="take 1, 3 or 7"):
        EccCode.ldpc(reads=5).table()


def test_files_are_encoded_and_decoded(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(b"what is kept " * 20)
    for options in (("--t", "8", "--data-bytes", "128"), ("--code", "ldpc", "--rows", "12")):
        done = cli("code", "encode", "data", "words", "--force", *options)
        assert done.returncode == 0, done.stderr
        words = bytearray((tmp_path / "words").read_bytes())
        words[3] ^= 0xFF
        (tmp_path / "words").write_bytes(words)
        done = cli("code", "decode", "words", "back", "--bytes", "260", "--force", *options)
        assert done.stdout == "wrong bits corrected: 8\n", done.stderr
        assert (tmp_path / "back").read_bytes() == b"what is kept " * 20
        (tmp_path / "words").write_bytes(b"\x5a" * len(words))
        done = cli("code", "decode", "words", "none", *options)
        assert done.returncode == 1 and "codeword 0: more errors" in done.stderr
        (tmp_path / "words").write_bytes(words[:-1])
        done = cli("code", "decode", "words", "none", *options)
        assert done.returncode == 2 and "no whole codewords" in done.stderr
    assert not (tmp_path / "none").exists()


def test_a_table_is_written_for_other_programs(cli: Cli, tmp_path: Path) -> None:
    done = cli("code", "bch", "--t", "4", "--data-bytes", "64", "--table", "bch.csv")
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "bch.csv").read_text().splitlines()
    assert lines[0] == "# wordline code table: failure, version 1, code bch/t=4/data=64"
    assert lines[1] == "rber,failure" and len(lines) > 100


@pytest.mark.parametrize(
    ("args", "name"),
    [(("bch", "--t", "72"), "bch-72.csv"), (("ldpc", "--rows", "14"), "ldpc-14.csv")],
)
def test_the_simulators_tables_are_those_of_the_codes(
    cli: Cli, tmp_path: Path, args: tuple[str, ...], name: str
) -> None:
    assert cli("code", *args, "--table", name).returncode == 0
    shipped = Path(__file__).parent.parent / "presets" / "codes" / name
    assert (tmp_path / name).read_text() == shipped.read_text()
