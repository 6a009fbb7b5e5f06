"""The demo: what it shows, and that little must be known before it is believed."""

import wordline as wl
from wordline.demonstration import page, questions
from wordline.runs import side_by_side

_MOST = 3


def test_the_demo_answers_its_questions_with_few_warnings() -> None:
    cases: list[wl.Case] = []
    for question in questions.QUESTIONS:
        for load in question.loads:
            found = side_by_side.compare_variants(
                question.base(load), question.variants, [load.workload]
            )
            cases += question.named(load, found).cases
    demo = wl.Comparison(cases)
    assert len(page.warnings_of(demo)) <= _MOST
    for question in questions.QUESTIONS:
        gains = []
        for load in question.loads:
            without, with_it = question.pair(load, demo)
            better = with_it / without if load.figure.better == "higher" else without / with_it
            gains.append(better)
        suits, does_not = gains
        assert suits > 1.05 and does_not < 1.01, question.name
