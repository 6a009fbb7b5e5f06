//! The published figures of an experiment, and the verdict on ours.

use super::{Findings, Item};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use wordline_cell::Error;
use wordline_items::Served;
use wordline_items::expected::{self, HEADER};

/// One item for each line of `expected`.
///
/// # Errors
/// A file that is malformed, an id for which the experiment gave no value, or a value without line.
pub fn judge(expected: &str, findings: &Findings) -> Result<Vec<Item>, Error> {
    let wrong = |line: usize, what: String| {
        Error::new(what, format!("the columns are {HEADER}")).at(format!("line {line}"))
    };
    let rows = expected::rows(expected).map_err(|error| wrong(error.line, error.what))?;
    let mut items = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let Some(ours) = findings.ours.get(&row.id) else {
            return Err(wrong(index + 2, format!("no value for `{}`", row.id)));
        };
        items.push(Item { note: note(findings, &row.id), ..row.item(*ours) });
    }
    match findings.ours.keys().find(|id| !items.iter().any(|item| item.id == **id)) {
        Some(id) => Err(wrong(0, format!("`{id}` is not among the lines"))),
        None => Ok(items),
    }
}

/// The published value of each id that has one, for what is reckoned from them alone.
pub fn published(expected: &str) -> BTreeMap<String, f64> {
    values(expected, |_| true)
}

fn values(text: &str, wanted: impl Fn(Served) -> bool) -> BTreeMap<String, f64> {
    let rows = expected::rows(text).unwrap_or_default().into_iter();
    let wanted = rows.filter(|row| wanted(row.served));
    wanted.filter_map(|row| Some((row.id, row.reference?))).collect()
}

/// The rows that a fit may read: those that are marked as fitted, and no others. Counts what was read.
pub struct Goals {
    values: BTreeMap<String, f64>,
    read: RefCell<BTreeSet<String>>,
}

impl Goals {
    /// The rows of `expected` that are marked.
    pub fn of(expected: &str) -> Self {
        let values = values(expected, |served| served == Served::Fit);
        Self { values, read: RefCell::default() }
    }

    /// The value of a row.
    ///
    /// # Panics
    /// A row that is not marked as fitted: mark it, or do not read it.
    pub fn get(&self, id: &str) -> f64 {
        let found = self.values.get(id).copied();
        let value =
            found.unwrap_or_else(|| panic!("`{id}` is read by a fit, but not marked `yes`"));
        self.read.borrow_mut().insert(id.to_owned());
        value
    }

    /// How many rows were read.
    pub fn read(&self) -> usize {
        self.read.borrow().len()
    }
}

fn note(findings: &Findings, id: &str) -> String {
    let found = findings.notes.iter().filter(|(ids, _)| id.starts_with(ids));
    found.max_by_key(|(ids, _)| ids.len()).map(|(_, why)| why.clone()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_items::Status;

    fn findings(values: &[(&str, f64)]) -> Findings {
        let mut findings = Findings::default();
        values.iter().for_each(|(id, value)| findings.set(*id, *value));
        findings.note("a", "why");
        findings
    }

    #[test]
    fn verdicts_tell_fitted_from_predicted() {
        let text =
            format!("{HEADER}\na/1,\"X, Y\",w,u,2,0.1,yes\na/2,X,w,u,2,0.1,no\nb,X,w,u,,0,no\n");
        let items = judge(&text, &findings(&[("a/1", 2.1), ("a/2", 2.5), ("b", 1.0)])).unwrap();
        let statuses: Vec<Status> = items.iter().map(|item| item.status).collect();
        assert_eq!(statuses, [Status::Calibrated, Status::Deviates, Status::NotPublished]);
        assert_eq!((items[0].source.as_str(), items[0].note.as_str()), ("X, Y", "why"));
        assert_eq!(items[2].note, "");
    }

    #[test]
    fn what_is_malformed_is_refused() {
        let none = findings(&[]);
        let some = findings(&[("a", 1.0)]);
        let maybe = judge(&format!("{HEADER}\na,X,w,u,2,0.1,maybe\n"), &some).unwrap_err();
        assert!(maybe.what.contains("none of no, yes"), "{}", maybe.what);
        for (text, told) in [
            ("", "header"),
            (&format!("{HEADER}\na,b\n"), "2 fields"),
            (&format!("{HEADER}\na,X,w,u,2,much,no\n"), "no number"),
            (&format!("{HEADER}\na,X,w,u,2,0.1,no\n"), "no value"),
        ] {
            assert!(judge(text, &none).unwrap_err().what.contains(told), "{text}");
        }
        let extra = judge(&format!("{HEADER}\n"), &findings(&[("a", 1.0)])).unwrap_err();
        assert!(extra.what.contains("not among"));
    }

    #[test]
    fn a_fit_reads_marked_rows_alone_and_what_it_read_is_counted() {
        let text = format!(
            "{HEADER}\na/x,X,w,u,2,0,yes\na/y,X,w,u,2,0,yes\nb/x,X,w,u,2,0,yes\n\
             b/y,X,w,u,3,0,yes\nc/x,X,w,u,4,0,no\nc/y,X,w,u,4,0,selected\n"
        );
        let goals = Goals::of(&text);
        assert_eq!(goals.read(), 0);
        let read = ["a/x", "a/x", "a/y", "b/x"].map(|id| goals.get(id));
        assert_eq!((read, goals.read()), ([2.0; 4], 3));
        for id in ["c/x", "c/y", "d"] {
            let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| goals.get(id)));
            assert!(refused.is_err(), "{id}");
        }
        assert_eq!(published(&text).len(), 6);
    }
}
