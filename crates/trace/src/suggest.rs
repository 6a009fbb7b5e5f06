//! "Did you mean": the valid name nearest to a mistyped one.

/// The candidate nearest to `name`, unless all are too far to be a slip of the hand.
///
/// Case and the choice between `-` and `_` do not count; a name that begins another counts as one
/// edit; otherwise about one edit in three letters is allowed.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = fold(name);
    let allowed = ((name.chars().count() + 1) / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (distance(&name, &fold(candidate)), candidate))
        .filter(|&(edits, _)| edits <= allowed)
        .min_by_key(|&(edits, _)| edits)
        .map(|(_, candidate)| candidate)
}

/// Help for an unknown `name`: the nearest valid one, and all of them.
pub fn help(name: &str, valid: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    help_or_list(name, valid, "")
}

/// Like [`help`], where the command `listed_by` lists what is valid.
pub fn help_or_list(
    name: &str,
    valid: impl IntoIterator<Item = impl AsRef<str>>,
    listed_by: &str,
) -> String {
    let valid: Vec<_> = valid.into_iter().collect();
    let names = || valid.iter().map(AsRef::as_ref);
    with_guess(nearest(name, names()).map(str::to_owned), names(), listed_by)
}

/// More names than a reader looks through where one of them is the likely one.
const MOST_BESIDE_A_GUESS: usize = 12;

/// Help from a guess already made and all valid names; in the place of many names the command `listed_by`, if any.
pub fn with_guess<'a>(
    guess: Option<String>,
    valid: impl IntoIterator<Item = &'a str>,
    listed_by: &str,
) -> String {
    let list: Vec<&str> = valid.into_iter().collect();
    let all = if list.is_empty() { "none".to_owned() } else { list.join(", ") };
    match guess {
        None => format!("valid: {all}"),
        Some(guess) if list.len() <= MOST_BESIDE_A_GUESS => {
            format!("did you mean `{guess}`? valid: {all}")
        }
        Some(guess) if listed_by.is_empty() => format!("did you mean `{guess}`?"),
        Some(guess) => format!("did you mean `{guess}`? `{listed_by}` shows all"),
    }
}

fn fold(name: &str) -> String {
    name.chars().flat_map(char::to_lowercase).map(|c| if c == '-' { '_' } else { c }).collect()
}

/// Edits from `a` to `b`: insertions, deletions, substitutions and swaps of neighbours (optimal
/// string alignment).
fn distance(a: &str, b: &str) -> usize {
    let is_part = a.starts_with(b) || b.starts_with(a);
    if is_part && a.len().min(b.len()) >= 3 {
        return usize::from(a.len() != b.len());
    }
    strsim::osa_distance(a, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: &[&str] = &["greedy", "fifo", "random", "d_choices", "cost_benefit"];

    #[test]
    fn slips_find_their_name() {
        for (slip, meant) in [
            ("gredy", "greedy"),
            ("Greedy", "greedy"),
            ("rnadom", "random"),
            ("d-choices", "d_choices"),
            ("cost", "cost_benefit"),
            ("costbenefit", "cost_benefit"),
            ("fiof", "fifo"),
        ] {
            assert_eq!(nearest(slip, NAMES.iter().copied()), Some(meant), "{slip}");
        }
    }

    #[test]
    fn strangers_find_none() {
        for name in ["", "lru", "windowed", "fi"] {
            assert_eq!(nearest(name, NAMES.iter().copied()), None, "{name}");
        }
    }

    #[test]
    fn help_lists_what_is_valid() {
        assert_eq!(help("fifoo", ["fifo", "lru"]), "did you mean `fifo`? valid: fifo, lru");
        assert_eq!(help("x", [""; 0]), "valid: none");
        let many: Vec<String> = (0..13).map(|n| format!("name{n}")).collect();
        assert_eq!(help("nam7", &many), "did you mean `name7`?");
        assert!(help("nam7", &many[..12]).contains("? valid: name0, name1"));
        let listed = |name| help_or_list(name, &many, "wordline list names");
        assert_eq!(listed("nam7"), "did you mean `name7`? `wordline list names` shows all");
        assert!(listed("other").starts_with("valid: name0, name1"));
    }
}
