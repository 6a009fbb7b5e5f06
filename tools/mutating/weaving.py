"""Rust functions that hold all of their mutants, one of which a run asks for.

A function with mutants 7 and 9 becomes

    fn f(…) -> R { match mutant() { 7 => {body with 7} 9 => {body with 9} _ => {body} } }

where `mutant()` reads the environment once. So all mutants are compiled in one build, and a test
that asks for one of them needs no compiler. Where WORDLINE_REACHED names a file, each function
writes there which mutants it holds when it is first called.
"""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass

from mutating.lists import Mutant

CHOSEN = "WORDLINE_MUTANT"
REACHED = "WORDLINE_REACHED"

# Everything in which a brace is no brace, or a `fn` no function.
OPAQUE = re.compile(
    r"""//[^\n]*
      | /\*.*?\*/
      | b?r(?P<hashes>\#*)".*?"(?P=hashes)
      | b?"(?:\\.|[^"\\])*"
      | b?'(?:\\[^'\n]*|[^'\\\n])'
    """,
    re.VERBOSE | re.DOTALL,
)
FUNCTION = re.compile(r"(?P<before>[^;{}]*)\bfn\s+(?P<name>\w+)")
CHOICE = """
fn mutant() -> u32 {{
    static CHOSEN: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    *CHOSEN.get_or_init(|| {{
        if let Some(file) = std::env::var_os("{reached}") {{
            let file = std::fs::OpenOptions::new().append(true).create(true).open(file);
            let _ = std::io::Write::write_all(&mut file.unwrap(), b"{numbers}\\n");
        }}
        std::env::var("{chosen}").map_or(0, |asked| asked.parse().unwrap())
    }})
}}
"""


@dataclass(frozen=True)
class Function:
    """A function of a file: where its body lies, braces included."""

    name: str
    begin: int
    end: int
    # Whether all of its mutants' bodies have one type and may be chosen while it runs.
    can_choose: bool


def blank(text: str) -> str:
    """The text with comments and literals blanked out, all places kept."""
    return OPAQUE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def body_of(code: str, at: int) -> tuple[int, int] | None:
    """Where the first braces from `at` begin and end; None if a `;` comes first."""
    depth = 0
    for begin in range(at, len(code)):
        if code[begin] in "([":
            depth += 1
        elif code[begin] in ")]":
            depth -= 1
        elif code[begin] == ";" and depth == 0:
            return None
        elif code[begin] == "{" and depth == 0:
            break
    else:
        return None
    braces = 0
    for end in range(begin, len(code)):
        braces += {"{": 1, "}": -1}.get(code[end], 0)
        if braces == 0:
            return begin, end + 1
    return None


def functions(text: str) -> list[Function]:
    """The functions of a file, those within others left out."""
    code = blank(text)
    found: list[Function] = []
    at = 0
    while head := FUNCTION.search(code, at):
        at = head.end()
        if (body := body_of(code, at)) is None:
            continue
        signature = code[at : body[0]]
        constant = re.search(r"\bconst\s*(?:unsafe\s+)?$", head["before"])
        hidden = re.search(r"->.*\bimpl\b", signature, re.DOTALL)
        at = body[1]
        found.append(Function(head["name"], *body, can_choose=not (constant or hidden)))
    return found


def function_around(places: list[Function], begin: int, end: int) -> Function | None:
    """The function within whose braces a range lies, if it may hold mutants."""
    index = bisect.bisect_right([place.begin for place in places], begin) - 1
    if index < 0:
        return None
    place = places[index]
    inside = place.begin < begin and end < place.end
    return place if inside and place.can_choose else None


def weave(text: str, mutants: dict[int, Mutant]) -> tuple[str, set[int]]:
    """A file with all mutants that can be chosen while it runs, and which they are.

    `mutants` are those of the file, by the number that asks for each.
    """
    places = functions(text)
    held: dict[Function, list[int]] = {}
    for number, mutant in mutants.items():
        begin = text.index(mutant.find)
        if place := function_around(places, begin, begin + len(mutant.find)):
            held.setdefault(place, []).append(number)
    for place in sorted(held, key=lambda place: -place.begin):
        body = text[place.begin : place.end]
        told = {"numbers": " ".join(map(str, held[place])), "chosen": CHOSEN, "reached": REACHED}
        arms = [CHOICE.format(**told), "match mutant() {"]
        for number in held[place]:
            find, replace = mutants[number].find, mutants[number].replace
            arms.append(f"{number} => {body.replace(find, replace)}")
        arms.append(f"_ => {body} }}")
        text = text[: place.begin] + "{" + "\n".join(arms) + "}" + text[place.end :]
    return text, {number for numbers in held.values() for number in numbers}
