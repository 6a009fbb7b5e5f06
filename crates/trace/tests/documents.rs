//! The manual's pages on formats and the table of formats agree.

#![cfg(feature = "files")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use wordline_trace::formats;

fn pages() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats")
}

#[test]
fn every_format_has_a_page_that_describes_it() {
    for format in formats() {
        let path = pages().join(format.name).with_extension("md");
        let page = std::fs::read_to_string(&path).unwrap_or_else(|error| {
            panic!("{}: {error}", path.display());
        });
        assert!(page.starts_with(&format!("# {}", format.name)), "{}", format.name);
        let options = format.options.iter().map(|option| option.key);
        for word in format.aliases.iter().copied().chain(options) {
            let is_there =
                page.contains(&format!("`{word}`")) || page.contains(&format!("`{word}="));
            assert!(is_there, "{}: `{word}` is missing", path.display());
        }
        // A csv's columns are the user's.
        if format.name == "csv" {
            continue;
        }
        // Its fields by name: what stands ahead of the bracket with the units.
        let fields = format.columns.split('(').next().unwrap_or_default();
        let separated = fields.split([',', ' ']).filter(|word| word.len() > 1);
        for word in separated.filter(|word| word.bytes().all(|byte| byte.is_ascii_alphabetic())) {
            let (page, word) = (page.to_lowercase(), word.to_lowercase());
            assert!(page.contains(&word), "{}: field {word} is missing", path.display());
        }
    }
}

#[test]
fn every_page_and_row_belongs_to_a_format() {
    let names: BTreeSet<String> = formats().iter().map(|format| format.name.to_owned()).collect();
    let files = std::fs::read_dir(pages()).expect("the folder of pages");
    let found: BTreeSet<String> = files
        .map(|entry| entry.expect("an entry").path())
        .filter_map(|path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()))
        .filter(|stem| stem != "index")
        .collect();
    assert_eq!(found, names);
    let index = std::fs::read_to_string(pages().join("index.md")).expect("the index");
    for name in names {
        assert!(index.contains(&format!("[{name}]({name}.md)")), "the table lacks {name}");
        assert!(index.lines().any(|line| line == name), "the contents lack {name}");
    }
}
