//! "Did you mean": the valid name nearest to a mistyped one.

/// The candidate nearest to `name`, unless all are too far to be a slip of the hand.
///
/// Case and the choice between `-` and `_` do not count; a name that begins another counts as one
/// edit; otherwise about one edit in three letters is allowed.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = fold(name);
    let allowed = (name.len() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (distance(&name, &fold(candidate)), candidate))
        .filter(|&(edits, _)| edits <= allowed)
        .min_by_key(|&(edits, _)| edits)
        .map(|(_, candidate)| candidate)
}

/// Help for an unknown `name`: the nearest valid one, and all of them.
pub fn help<'a>(name: &str, valid: impl IntoIterator<Item = &'a str> + Clone) -> String {
    let guess = nearest(name, valid.clone()).map(str::to_owned);
    with_guess(guess, valid)
}

/// Help from a guess already made and all valid names.
pub(super) fn with_guess<'a>(
    guess: Option<String>,
    valid: impl IntoIterator<Item = &'a str>,
) -> String {
    let list: Vec<&str> = valid.into_iter().collect();
    let list = if list.is_empty() { "none".to_owned() } else { list.join(", ") };
    match guess {
        Some(guess) => format!("did you mean `{guess}`? valid: {list}"),
        None => format!("valid: {list}"),
    }
}

fn fold(name: &str) -> Vec<char> {
    name.chars().flat_map(char::to_lowercase).map(|c| if c == '-' { '_' } else { c }).collect()
}

/// Edits from `a` to `b`: insertions, deletions, substitutions and swaps of neighbours (optimal
/// string alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    if a.len().min(b.len()) >= 3 && (a.starts_with(b) || b.starts_with(a)) {
        return usize::from(a.len() != b.len());
    }
    let mut before = vec![0; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1; b.len() + 1];
        for j in 0..b.len() {
            let substitute = above[j] + usize::from(a[i] != b[j]);
            row[j + 1] = substitute.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
        assert_eq!(help("x", []), "valid: none");
    }

    proptest! {
        #[test]
        fn distance_is_symmetric_and_zero_only_for_equals(a in "[a-c]{0,6}", b in "[a-c]{0,6}") {
            let (x, y) = (fold(&a), fold(&b));
            prop_assert_eq!(distance(&x, &y), distance(&y, &x));
            prop_assert_eq!(distance(&x, &y) == 0, a == b);
        }
    }
}
