"""The lists of bugs that the tests must notice fit the code as it stands."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from mutating.lists import Mutant  # noqa: E402
from mutating.places import find, pattern, python_places, rust_places  # noqa: E402
from mutating.weaving import weave  # noqa: E402

RUST = """
const fn ten() -> u32 { 10 }
fn lazily() -> impl Iterator<Item = u32> { (0..3).map(|n| n + 1) }
// fn comment() { a brace: } }
fn odd<'a>(text: &'a [u8; 2]) -> bool {
    let brace = '{';
    let quote = "}\\"";
    text[0] == b'{' && brace != quote.chars().next().unwrap()
}
trait Has { fn nothing(&self); }
impl Has for () {
    fn nothing(&self) {
        fn within() -> u32 { 1 }
        assert!(within() < 2);
    }
}
"""


def test_every_bug_of_the_lists_can_be_put_in() -> None:
    told = subprocess.run(
        [sys.executable, ROOT / "tools" / "mutants", "--list"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    assert len(told.stdout.splitlines()) > 300


def test_places_are_found_whatever_stands_in_comments_and_literals() -> None:
    found = list(rust_places(RUST))
    assert [(place.path[-1], place.body is not None) for place in found] == [
        ("ten", False),
        ("lazily", False),
        ("odd", True),
        ("nothing", True),
    ]
    assert all(RUST[place.end - 1] == "}" for place in found)
    assert all(RUST[place.body] == "{" for place in found if place.body)


def test_places_are_named_by_their_types() -> None:
    source = """
        impl<const N: usize> From<[u8; N]> for held::Told<N> where u8: Copy { fn from() {} }
        struct Told<T> { told: T }
        trait Told { fn default() -> u8 { 3 } fn none(); }
        static TOLD: [Told; 1] = [Told { told: ';' }];
        for_each! { fn told(a: u8) = other }
        mod told { const fn told() -> &'static str { "" } }
        mod tests { fn told() {} }
    """
    assert ["::".join(place.path) for place in rust_places(source)] == [
        "Told::from",
        "Told",
        "Told::default",
        "TOLD",
        "told::told",
        "tests::told",
    ]
    source = "A, B = 1, 2\nif A:\n    class C:\n        x: int = 1\n        def f(self): ...\n"
    places = [".".join(place.path) for place in python_places(source, "", ("p",))]
    assert places == ["p.A", "p.B", "p.C", "p.C.x", "p.C.f"]


@pytest.mark.parametrize(
    ("snippet", "text", "is_found"),
    [
        ("f(a, b).g()", "f(\n    a,\n    b,\n)\n.g()", True),
        ("f(\n    a,\n)", "f(a)", True),
        ("a + b", "a+b", True),
        ("return a", "returna", False),
        ("block", "blocks", False),
        ("block", "a_block", False),
        ("f(a)", "f(a, b)", False),
        ("< b", "a < b", True),
    ],
)
def test_snippets_are_found_however_their_lines_are_broken(
    snippet: str, text: str, is_found: bool
) -> None:
    assert bool(pattern(snippet).search(text)) == is_found


def test_what_does_not_stand_there_once_is_said() -> None:
    with pytest.raises(LookupError, match=r"there is no Nothing::nothing"):
        find("Nothing::nothing", "x")
    with pytest.raises(LookupError, match=r"'self' occurs \d+ times in Ftl::flush of crates/sim"):
        find("Ftl::flush", "self")


def bug(find: str, replace: str, text: str = RUST) -> Mutant:
    begin = text.index(find)
    end = begin + len(find)
    return Mutant("area", 1, "place", "file.rs", begin, end, replace, "a rule", ("command",))


def test_a_function_holds_all_of_its_bugs_and_others_are_left_as_they_are() -> None:
    bugs = {
        4: bug("brace != quote", "brace == quote"),
        7: bug("within() < 2", "within() > 2"),
        8: bug("text[0]", "text[1]"),
        9: bug("{ 10 }", "{ 11 }"),
        10: bug("n + 1", "n"),
    }
    text, held = weave(RUST, bugs)
    assert held == {4, 7, 8}
    for number in held:
        replace = bugs[number].replace
        assert text.index(f"\n{number} => {{") < text.index(replace)
        assert text.count(replace) == 1
    assert text.count("brace != quote") == 2
    assert text.count("{ 10 }") == 1 and text.count("match mutant() {") == 2


def test_the_woven_function_does_what_was_asked(tmp_path: Path) -> None:
    program = 'fn double(n: u32) -> u32 { n * 2 }\nfn main() { println!("{}", double(21)); }\n'
    bugs = {3: bug("n * 2", "n * 3", program), 5: bug("n * 2", "n + 2", program)}
    text, held = weave(program, bugs)
    assert held == {3, 5}
    source, built, reached = tmp_path / "main.rs", tmp_path / "main", tmp_path / "reached"
    source.write_text(text, "utf-8")
    subprocess.run(["rustc", "-o", built, source], check=True, cwd=tmp_path)

    def said(**environment: str) -> str:
        return subprocess.run(
            [built], env=environment, capture_output=True, text=True, check=True
        ).stdout

    assert [said(), said(WORDLINE_MUTANT="3"), said(WORDLINE_MUTANT="5")] == [
        "42\n",
        "63\n",
        "23\n",
    ]
    said(WORDLINE_REACHED=str(reached))
    assert reached.read_text("ascii").split() == ["3", "5"]
