//! Files of published values, `expected.csv`.

use crate::{Item, Served, Status};

/// The columns; `reference` is empty where nothing was published.
pub const HEADER: &str = "id,source,workload,unit,reference,tolerance,fitted";

/// A published value.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The item's id.
    pub id: String,
    /// Where the value comes from.
    pub source: String,
    /// What was measured.
    pub workload: String,
    /// Unit of the value; empty for a pure number.
    pub unit: String,
    /// The value; `None` where nothing was published.
    pub reference: Option<f64>,
    /// The deviation that still counts as agreement.
    pub tolerance: f64,
    /// What the value served for.
    pub served: Served,
}

/// A file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub what: String,
}

impl Row {
    /// The comparison with `ours`.
    pub fn item(&self, ours: f64) -> Item {
        let Self { id, source, workload, unit, .. } = self;
        let item = Item::new(id, source, workload, unit.clone(), self.tolerance);
        match self.reference {
            Some(reference) => item.judged_by(reference, ours, self.served),
            None => Item { ours: Some(ours), status: Status::NotPublished, ..item },
        }
    }
}

/// The lines of `text` behind its header.
///
/// # Errors
/// The first line that is malformed.
pub fn rows(text: &str) -> Result<Vec<Row>, Malformed> {
    let mut lines = text.lines().enumerate();
    if lines.next().map(|(_, line)| line) != Some(HEADER) {
        return Err(Malformed { line: 1, what: "not the header of an expected.csv".into() });
    }
    let rows = lines.map(|(index, line)| row(line).map_err(|what| (index + 1, what)));
    rows.map(|row| row.map_err(|(line, what)| Malformed { line, what })).collect()
}

fn row(line: &str) -> Result<Row, String> {
    let fields = split(line);
    let Ok([id, source, workload, unit, reference, tolerance, fitted]) =
        <[String; 7]>::try_from(fields)
    else {
        return Err(format!("{} fields", split(line).len()));
    };
    let Ok(tolerance) = tolerance.parse() else {
        return Err(format!("tolerance `{tolerance}` is no number"));
    };
    let Some(served) = Served::of(&fitted) else {
        let known = Served::WORDS.map(|(word, _)| word).join(", ");
        return Err(format!("fitted `{fitted}` is none of {known}"));
    };
    let reference = match reference.parse() {
        Ok(value) => Some(value),
        Err(_) if reference.is_empty() => None,
        Err(_) => return Err(format!("reference `{reference}` is no number")),
    };
    Ok(Row { id, source, workload, unit, reference, tolerance, served })
}

/// The fields of a line of CSV; quoted ones may hold commas and doubled quotes.
fn split(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let (mut is_quoted, mut chars) = (false, line.chars().peekable());
    while let Some(c) = chars.next() {
        let field = fields.last_mut().expect("there is always one");
        match c {
            '"' if is_quoted && chars.peek() == Some(&'"') => {
                field.push('"');
                chars.next();
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            c => field.push(c),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_judged_by_what_they_served_for() {
        let text = format!(
            "{HEADER}\na,\"X, \"\"Y\"\"\",w,u,2,0.1,yes\nb,X,w,u,2,0.1,no\nc,X,w,u,,0,no\n"
        );
        let rows = rows(&text).unwrap();
        let items: Vec<Item> = rows.iter().map(|row| row.item(2.1)).collect();
        let statuses: Vec<Status> = items.iter().map(|item| item.status).collect();
        assert_eq!(statuses, [Status::Calibrated, Status::Reproduced, Status::NotPublished]);
        assert_eq!((items[0].source.as_str(), items[2].ours), ("X, \"Y\"", Some(2.1)));
    }

    #[test]
    fn what_is_malformed_is_refused_by_its_line() {
        for (text, line, told) in [
            ("", 1, "header"),
            (&format!("{HEADER}\na,X,w,u,2,0,no\na,b\n"), 3, "2 fields"),
            (&format!("{HEADER}\na,X,w,u,2,much,no\n"), 2, "`much` is no number"),
            (&format!("{HEADER}\na,X,w,u,two,0,no\n"), 2, "`two` is no number"),
            (&format!("{HEADER}\na,X,w,u,2,0.1,maybe\n"), 2, "none of no, yes"),
        ] {
            let error = rows(text).unwrap_err();
            assert!(error.line == line && error.what.contains(told), "{error:?}");
        }
    }
}
