//! Metadata contexts: there is one, what is allocated.

use crate::wire::Fields;

pub const ALLOCATION: &[u8] = b"base:allocation";
/// By which its replies are known.
pub const NUMBER: u32 = 1;

/// The name of an export, and queries.
pub fn queries(data: &[u8]) -> Option<(&[u8], Vec<&[u8]>)> {
    let mut fields = Fields(data);
    let name = fields.string()?;
    let queries = (0..fields.u32()?).map(|_| fields.string()).collect::<Option<_>>()?;
    fields.0.is_empty().then_some((name, queries))
}

/// Whether the queries choose it.
pub fn chosen(queries: &[&[u8]]) -> bool {
    queries.contains(&ALLOCATION)
}

/// Whether it belongs to a list of what the queries match. No query matches everything.
pub fn listed(queries: &[&[u8]]) -> bool {
    queries.is_empty() || queries.contains(&&b"base:"[..]) || chosen(queries)
}
