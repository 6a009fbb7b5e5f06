//! Lines that are read as plain give what the reader of any line gives.

use super::*;
use crate::read::format::{Format, Record};
use crate::read::options::Options;
use crate::read::tests::examples::examples;
use proptest::prelude::*;

/// What a plain line is followed by in a file: more of them.
const MORE: &str = "0 0 0 0 0 0 0 0 0 0\n";

/// Bytes that stand in traces of some format, or nearly.
const BYTES: &[u8] = b"0123456789 \t\n\r,.;:/-+RWrwx\x0b\x0c\x00\x7f\x80\xb5\xff";

/// Bytes of the line that `text` begins with, as `parse_plain` gives them, where it is plain.
type PlainBytes = fn(text: &[u8], sample: &[u8]) -> Option<usize>;

/// Holds `parse_plain` to `parse` on the line that `text` begins with, in a file that begins with `sample`.
fn plain_bytes<F: Format>(text: &[u8], sample: &[u8]) -> Option<usize> {
    let mut format = F::default();
    format.configure(&Options::none(F::NAME), sample).expect("no option is needed");
    let (record, bytes): (Record, usize) = format.parse_plain(text)?;
    let line = text[..bytes].strip_suffix(b"\n").expect("a whole line");
    assert!(!line.contains(&b'\n'), "{}", text.escape_ascii());
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let parsed = format.parse(line);
    assert_eq!(parsed, Ok(record), "{}: {}", F::NAME, line.escape_ascii());
    Some(bytes)
}

const FORMATS: [(&str, PlainBytes); 9] = [
    ("msr", plain_bytes::<msr::Msr>),
    ("mqsim", plain_bytes::<mqsim::Mqsim>),
    ("disksim", plain_bytes::<disksim::DiskSim>),
    ("spc", plain_bytes::<spc::Spc>),
    ("fiu", plain_bytes::<fiu::Fiu>),
    ("systor", plain_bytes::<systor::Systor>),
    ("alibaba", plain_bytes::<alibaba::Alibaba>),
    ("tencent", plain_bytes::<tencent::Tencent>),
    ("cloudphysics", plain_bytes::<cloudphysics::CloudPhysics>),
];

/// Lines of the examples, with the beginning of their files.
fn lines() -> Vec<(PlainBytes, Vec<u8>, Vec<u8>)> {
    let mut all = Vec::new();
    for example in examples() {
        let found = FORMATS.iter().find(|(name, _)| *name == example.format);
        let Some(&(_, plain_bytes)) = found else { continue };
        let lines = example.bytes.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec);
        all.extend(lines.map(|line| (plain_bytes, line, example.bytes.clone())));
    }
    all
}

#[test]
fn lines_of_traces_are_plain_whatever_ends_them() {
    let mut plain = [0; FORMATS.len()];
    for (plain_bytes, line, sample) in lines() {
        let bytes = |line: &[u8]| plain_bytes(&[line, MORE.as_bytes()].concat(), &sample);
        let is_plain = bytes(&line).is_some();
        for end in ["\n", "\r\n", " \t\r\n"] {
            let line = [line.trim_ascii_end(), end.as_bytes()].concat();
            assert_eq!(bytes(&line), is_plain.then_some(line.len()), "{}", line.escape_ascii());
        }
        let at = FORMATS.iter().position(|&(_, other)| std::ptr::fn_addr_eq(other, plain_bytes));
        plain[at.expect("listed")] += usize::from(is_plain);
    }
    assert!(plain.iter().all(|&plain| plain > 0), "{plain:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_plain_line_is_what_it_is_to_the_reader_of_any(
        pick: prop::sample::Index,
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), 0..3usize, prop::sample::select(BYTES)), 0..4
        ),
        cut: prop::sample::Index,
    ) {
        let all = lines();
        let (plain_bytes, mut line, sample) = all[pick.index(all.len())].clone();
        for (at, kept, byte) in changes {
            let at = at.index(line.len() + 1);
            // Inserted, or in the place of a byte or two.
            line.splice(at..line.len().min(at + kept), [byte]);
        }
        let text = [&line, MORE.as_bytes()].concat();
        let whole = plain_bytes(&text, &sample);
        let cut = plain_bytes(&text[..cut.index(text.len())], &sample);
        prop_assert!(cut.is_none() || cut == whole);
    }
}
