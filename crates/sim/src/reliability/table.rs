//! Reading tables that the laboratories of cells and of codes write: their kind, their columns, then rows.

use crate::error::Error;
use crate::nand::infeasible;

/// A table of text: a first line that says its kind and version, one of columns, then rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Table<'a> {
    /// What messages call it.
    name: &'a str,
    /// The command that writes it.
    writer: &'static str,
    rows: &'a str,
    /// The line of the first row.
    first: usize,
}

impl<'a> Table<'a> {
    /// Opens the table that is called `name` in messages and that `writer` writes; returns it with what its first
    /// line says after `kind`.
    ///
    /// # Errors
    /// Another kind or version of table, or other columns.
    pub fn open(
        (name, writer): (&'a str, &'static str),
        text: &'a str,
        (kind, columns): (&str, &str),
    ) -> Result<(Self, &'a str), Error> {
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        let (second, rows) = rest.split_once('\n').unwrap_or((rest, ""));
        let table = Self { name, writer, rows, first: 3 };
        match first.trim_end().strip_prefix(kind) {
            Some(said) if second.trim_end() == columns => Ok((table, said)),
            _ => Err(table.wrong(&format!("does not begin with `{kind}` and `{columns}`"))),
        }
    }

    /// Opens a table with any columns, behind comments and empty lines; returns it with the line of its columns.
    pub fn open_any((name, writer): (&'a str, &'static str), text: &'a str) -> (Self, &'a str) {
        let is_comment = |line: &&str| line.starts_with('#') || line.trim().is_empty();
        let before = text.split_inclusive('\n').take_while(is_comment);
        let (lines, bytes) =
            before.fold((0, 0), |(lines, bytes), line| (lines + 1, bytes + line.len()));
        let (columns, rows) = text[bytes..].split_once('\n').unwrap_or((&text[bytes..], ""));
        (Self { name, writer, rows, first: lines + 2 }, columns.trim_end())
    }

    /// What `read` makes of each row, given its fields.
    ///
    /// # Errors
    /// A row of which it makes nothing, which is not `wanted`.
    pub fn rows<R>(
        &self,
        wanted: &str,
        read: impl Fn(&[&'a str]) -> Option<R>,
    ) -> Result<Vec<R>, Error> {
        self.rows_with_lines(|fields, _| read(fields).ok_or_else(|| format!("not {wanted}")))
    }

    /// What `read` makes of each row, given its fields and its line.
    ///
    /// # Errors
    /// A row of which it makes nothing, and what it says of that.
    pub fn rows_with_lines<R>(
        &self,
        read: impl Fn(&[&'a str], usize) -> Result<R, String>,
    ) -> Result<Vec<R>, Error> {
        let row = |(line, number): (&'a str, usize)| {
            let fields: Vec<&str> = line.split(',').map(str::trim).collect();
            read(&fields, number).map_err(|what| self.wrong_at(number, &what, line))
        };
        self.rows.lines().zip(self.first..).map(row).collect()
    }

    /// An error: a line of the table is wrong.
    pub fn wrong_at(&self, line: usize, what: &str, text: &str) -> Error {
        self.error(format!("{}, line {line}: {what}: {}", self.name, text.escape_debug()))
    }

    /// An error: the table is wrong.
    pub fn wrong(&self, what: &str) -> Error {
        self.error(format!("{}: {what}", self.name))
    }

    /// An error: a column of the table is wrong; it says which there may be.
    pub fn wrong_columns(&self, what: &str, valid: &str) -> Error {
        infeasible(format!("{}: {what}", self.name), format!("columns are {valid}"))
    }

    /// An error: the table lacks what somebody asks for; it says what to ask for.
    pub fn lacks(&self, what: &str, help: &str) -> Error {
        infeasible(format!("{}: {what}", self.name), help)
    }

    fn error(&self, what: String) -> Error {
        infeasible(what, format!("write it with `{}`", self.writer))
    }
}

/// A field that is a finite number.
pub(crate) fn number(fields: &[&str], at: usize) -> Option<f64> {
    fields.get(at)?.parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let open = |text| Table::open(("x.csv", "write x"), text, ("# x, version 1", "a,b"));
        for text in ["", "# x, version 1", "# y\na,b\n", "# x, version 1\nb,a\n"] {
            let error = open(text).expect_err(text).to_string();
            assert!(
                error.contains("x.csv: does not begin with `# x, version 1` and `a,b`"),
                "{error}"
            );
        }
        let (table, said) = open("# x, version 1, chip y\na,b\n1,2\n3,z\n").unwrap();
        assert_eq!(said, ", chip y");
        let error = table.rows("two numbers", |fields| number(fields, 1)).unwrap_err().to_string();
        assert!(error.contains("x.csv, line 4: not two numbers: 3,z"), "{error}");
        assert_eq!(table.rows("a text", |fields| Some(fields[0])).unwrap(), ["1", "3"]);
    }
}
