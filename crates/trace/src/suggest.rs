//! "Did you mean": the valid name nearest to a mistyped one.

/// The candidate nearest to `name`, unless all are too far to be a slip of the hand: about one
/// edit in three letters.
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let allowed = ((name.chars().count() + 1) / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (strsim::osa_distance(name, candidate), candidate))
        .filter(|&(edits, _)| edits <= allowed)
        .min_by_key(|&(edits, _)| edits)
        .map(|(_, candidate)| candidate)
}

/// Help for an unknown `name`: the nearest valid one, and all of them.
pub(crate) fn help(name: &str, valid: &[&str]) -> String {
    let list = valid.join(", ");
    match nearest(name, valid.iter().copied()) {
        Some(guess) => format!("did you mean `{guess}`? valid: {list}"),
        None => format!("valid: {list}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_find_their_name_and_strangers_none() {
        let names = ["uniform", "zipf", "hotcold"];
        assert_eq!(nearest("unifrom", names), Some("uniform"));
        assert_eq!(nearest("zip", names), Some("zipf"));
        assert_eq!(nearest("lru", names), None);
        assert_eq!(help("zpif", &names), "did you mean `zipf`? valid: uniform, zipf, hotcold");
        assert_eq!(help("lru", &names), "valid: uniform, zipf, hotcold");
    }
}
