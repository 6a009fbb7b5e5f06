"""Of what latencies consist, as people see it."""

import wordline as wl
from conftest import Cli
from wordline.facts import latency_breakdown
from wordline.report.page import render

GC_BOUND = ("tiny", "uniform:writes=2e4,interval_us=6000", {"ftl": {"gc": {"mode": "foreground"}}})


def test_parts_are_all_of_the_latency_and_the_largest_wait_is_named() -> None:
    result = wl.run(*GC_BOUND, host={"breakdown": True}, ftl={"acknowledge": "program"})
    parts = latency_breakdown.of(result, "write")
    assert abs(sum(parts.values()) / result.host.write.mean_us - 1) < 1e-9
    assert parts["GC on the die"] > 0.5 * result.host.write.mean_us
    assert latency_breakdown.of(result, "read") == dict.fromkeys(latency_breakdown.PARTS, 0)
    told = latency_breakdown.told(result)
    assert "writes took on average" in told
    assert "waiting for GC on the die (ftl.gc.mode" in told
    page = render(result)
    assert told in page
    assert "Write latency by part" in page
    assert "Read latency by part" not in page


def test_an_array_names_its_own_parts() -> None:
    array = {"level": "raid5", "drives": 3, "stripe_cache": 8}
    host = {"breakdown": True, "mode": "closed", "queue_depth": 32}
    result = wl.run("tiny", "uniform:writes=2e3", host=host, array=array)
    parts = latency_breakdown.of(result, "write")
    assert abs(sum(parts.values()) / result.host.write.mean_us - 1) < 1e-9
    assert parts["a stripe of the array's cache"] > 0.5 * result.host.write.mean_us
    assert "(array.stripe_cache)" in latency_breakdown.told(result)
    assert "a stripe of the array's cache" in render(result)


def test_a_run_without_the_key_says_nothing_of_it() -> None:
    result = wl.run("tiny", "uniform:requests=100")
    assert latency_breakdown.of(result, "write") == {}
    assert latency_breakdown.told(result) == ""
    assert "latency by part" not in render(result)


def test_a_run_prints_its_parts(cli: Cli) -> None:
    done = cli("run", "tiny", "--workload", "uniform:requests=1e3", "--set", "host.breakdown=true",
               "--set", "ftl.acknowledge=program")  # fmt: skip
    assert "Mean latencies by part, µs" in done.stdout
    assert "their own operations" in done.stdout
