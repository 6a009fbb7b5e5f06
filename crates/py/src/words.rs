//! What the reader of TOML says of a key or value, in the words of the manual.

/// `what` in our words; what is none of the reader's phrases stays as it is, without the numbers
/// that Rust gives the system's errors.
pub fn own_words(what: &str) -> String {
    phrase(what).unwrap_or_else(|| match what.split_once(" (os error ") {
        Some((told, number)) => format!("{told}{}", number.split_once(')').map_or("", |n| n.1)),
        None => what.to_owned(),
    })
}

fn phrase(what: &str) -> Option<String> {
    if let Some(rest) = what.strip_prefix("unknown field ") {
        let (key, valid) = rest.split_once(", ")?;
        return Some(format!("there is no key {key}{}", choices(valid)));
    }
    if let Some(rest) = what.strip_prefix("unknown variant ") {
        let (value, valid) = rest.split_once(", ")?;
        return Some(format!("{value} is not among the values{}", choices(valid)));
    }
    if let Some(rest) = what.strip_prefix("missing field ") {
        return Some(format!("the key {rest} is missing"));
    }
    let rest = ["invalid type: ", "invalid value: ", "invalid length "];
    let rest = rest.iter().find_map(|start| what.strip_prefix(start))?;
    let (found, expected) = rest.rsplit_once(", expected ")?;
    Some(format!("expected {}, found {}", kind(expected), value(found)))
}

/// What may stand there: "; valid: `a`, `b`".
fn choices(valid: &str) -> String {
    let valid = valid.strip_prefix("expected ").unwrap_or_default();
    let valid = valid.strip_prefix("one of ").unwrap_or(valid).replace(" or ", ", ");
    if valid.is_empty() { String::new() } else { format!("; valid: {valid}") }
}

/// What is expected, by a name of Rust or of the reader.
fn kind(expected: &str) -> String {
    let sized =
        |prefix: &str| expected.strip_prefix(prefix).map(|bits| bits.parse::<u32>().is_ok());
    match expected {
        "a string" | "string" => "text".into(),
        "a boolean" => "true or false".into(),
        "a sequence" => "a list".into(),
        "a map" => "a table".into(),
        "usize" => "a whole number from 0".into(),
        _ if sized("u") == Some(true) => "a whole number from 0".into(),
        _ if sized("i") == Some(true) => "a whole number".into(),
        _ if sized("f") == Some(true) => "a number".into(),
        _ if expected.starts_with("struct ") => "a table".into(),
        _ => match expected.strip_prefix("an array of length ") {
            Some(length) => format!("a list of {length}"),
            None => expected.into(),
        },
    }
}

/// What was found.
fn value(found: &str) -> String {
    let bare =
        |start: &str| found.strip_prefix(start).map(|rest| rest.trim_matches('`').to_owned());
    match found {
        "map" => "a table".into(),
        "sequence" => "a list".into(),
        _ => ["integer ", "floating point ", "boolean ", "string "]
            .iter()
            .find_map(|start| bare(start))
            .unwrap_or_else(|| found.into()),
    }
}
