"""Rust functions that hold all of their mutants, one of which a run asks for.

A function with mutants 7 and 9 becomes

    fn f(…) -> R { match mutant() { 7 => {body with 7} 9 => {body with 9} _ => {body} } }

where `mutant()` reads the environment once. So all mutants are compiled in one build, and a test
that asks for one of them needs no compiler. Where WORDLINE_REACHED names a file, each function
writes there which mutants it holds when it is first called.
"""

from __future__ import annotations

from mutating.lists import Mutant
from mutating.places import rust_places

CHOSEN = "WORDLINE_MUTANT"
REACHED = "WORDLINE_REACHED"

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


def weave(text: str, mutants: dict[int, Mutant]) -> tuple[str, set[int]]:
    """A file with all mutants that can be chosen while it runs, and which they are.

    `mutants` are those of the file, by the number that asks for each.
    """
    bodies = [(place.body, place.end) for place in rust_places(text) if place.body is not None]
    held: dict[tuple[int, int], list[int]] = {}
    for number, mutant in mutants.items():
        for begin, end in bodies:
            if begin < mutant.begin and mutant.end < end:
                held.setdefault((begin, end), []).append(number)
    for begin, end in sorted(held, reverse=True):
        body, numbers = text[begin:end], held[begin, end]
        told = {"numbers": " ".join(map(str, numbers)), "chosen": CHOSEN, "reached": REACHED}
        arms = [CHOICE.format(**told), "match mutant() {"]
        arms += [f"{number} => {mutants[number].put_into(body, begin)}" for number in numbers]
        arms.append(f"_ => {body} }}")
        text = text[:begin] + "{" + "\n".join(arms) + "}" + text[end:]
    return text, {number for numbers in held.values() for number in numbers}
