"""Warnings of many runs: which are told as one, and of how many runs."""

from wordline.figures import warning_groups


def test_numbers_that_differ_become_a_range() -> None:
    runs = [["8 % is padding, 0.4 times, key = 1000"]] * 3 + [
        ["12 % is padding, 0.21 times, key = 1000"]
    ]
    assert warning_groups.of_runs(runs) == {
        "8 to 12 % is padding, 0.21 to 0.4 times, key = 1000": 4
    }


def test_the_most_frequent_comes_first() -> None:
    assert list(
        warning_groups.of_runs([["rare"], ["often"], ["often", "rare"], ["often"]]).items()
    ) == [
        ("often", 3),
        ("rare", 2),
    ]


def test_a_run_counts_once_however_many_of_its_drives_warn() -> None:
    array = [f"drive {number}: moved {10 - number} %" for number in range(4)]
    assert warning_groups.of_runs([array, ["moved 1,200 %"], ["moved 3 %"]]) == {
        "moved 3 to 1,200 %": 3
    }


def test_names_are_no_numbers() -> None:
    runs = [["tables of llh-a16"], ["tables of llh-a27"], ["m1 of 2.5 days"], ["m2 of 2.5 days"]]
    assert warning_groups.of_runs(runs) == {run[0]: 1 for run in runs}


def test_ranges_are_joined() -> None:
    parts = [("3 to 5 of 7", 2), ("4 to 9 of 7", 1), ("1 of 7", 1)]
    assert warning_groups.together(parts) == {"1 to 9 of 7": 4}


def test_what_they_concern() -> None:
    assert warning_groups.concerned({"w": 1870}, 4020, "runs") == [("w", "1,870 of 4,020 runs")]
