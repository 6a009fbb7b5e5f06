"""The lists of bugs that the tests must notice fit the code as it stands."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from mutating.lists import Mutant  # noqa: E402
from mutating.weaving import functions, weave  # noqa: E402

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


def bug(find: str, replace: str) -> Mutant:
    return Mutant("area", 1, "file.rs", find, replace, "a rule", ("command",))


def test_functions_are_found_whatever_stands_in_comments_and_literals() -> None:
    found = functions(RUST)
    assert [(place.name, place.can_choose) for place in found] == [
        ("ten", False),
        ("lazily", False),
        ("odd", True),
        ("nothing", True),
    ]
    assert all(RUST[place.begin] == "{" and RUST[place.end - 1] == "}" for place in found)


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
        find, replace = bugs[number].find, bugs[number].replace
        assert text.index(f"\n{number} => {{") < text.index(replace)
        assert text.count(replace) == 1
        assert text.count(find) >= 1
    assert text.count("{ 10 }") == 1 and text.count("match mutant() {") == 2


def test_the_woven_function_does_what_was_asked(tmp_path: Path) -> None:
    program = 'fn double(n: u32) -> u32 { n * 2 }\nfn main() { println!("{}", double(21)); }\n'
    text, held = weave(program, {3: bug("n * 2", "n * 3"), 5: bug("n * 2", "n + 2")})
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
