//! The identity of the simulator: a digest of all source that decides what a run gives.
//!
//! Results are kept by it. It is that of the sources, and not of the compiled file, so that every
//! wheel of the same sources has the same, whatever machine built it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

const SIMULATOR: &str = "wordline-sim";

// FNV-1a with 128 bits (Fowler, Noll, Vo; RFC 9923, section 5).
const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../..");
    let mut crates = BTreeSet::new();
    add_crates(&root, SIMULATOR, &mut crates)?;
    let mut files = BTreeSet::new();
    for name in &crates {
        add_files(&folder(&root, name), &mut files)?;
    }
    add_files(&root.join("presets"), &mut files)?;
    let lock = root.join("Cargo.lock");
    println!("cargo::rerun-if-changed={}", lock.display());
    let libraries = libraries(&fs::read_to_string(lock)?);
    let mut digest = libraries.iter().flat_map(|text| text.bytes()).fold(OFFSET, add);
    for file in files {
        println!("cargo::rerun-if-changed={}", file.display());
        let text = fs::read(&file)?;
        let name = file.strip_prefix(&root)?.to_string_lossy().replace('\\', "/");
        let head = format!("{name}\0{}\0", text.len());
        digest = head.bytes().chain(text).fold(digest, add);
    }
    println!("cargo::rustc-env=WORDLINE_SOURCE={digest:032x}");
    Ok(())
}

fn add(digest: u128, byte: u8) -> u128 {
    (digest ^ u128::from(byte)).wrapping_mul(PRIME)
}

/// Of the locked packages those that the simulator needs, each as its entry says, but for what that needs itself. A
/// source distribution has fewer packages, and its lock names the others as what they are.
fn libraries(lock: &str) -> BTreeSet<String> {
    let entries: Vec<&str> = lock.split("[[package]]").skip(1).collect();
    let is_meant = |entry: &str, needed: &str| {
        let mut words = needed.split(' ');
        let mut has = |key: &str| {
            words.next().is_none_or(|word| entry.contains(&format!("\n{key} = \"{word}\"\n")))
        };
        has("name") && has("version")
    };
    let mut found = BTreeSet::new();
    let mut open = vec![SIMULATOR];
    while let Some(needed) = open.pop() {
        for entry in entries.iter().filter(|entry| is_meant(entry, needed)) {
            let (about, needs) = entry.split_once("dependencies = [").unwrap_or((entry, ""));
            if found.insert(about.trim().to_owned()) {
                open.extend(needs.split('"').skip(1).step_by(2));
            }
        }
    }
    found
}

fn folder(root: &Path, name: &str) -> PathBuf {
    root.join("crates").join(name.trim_start_matches("wordline-"))
}

/// A crate of this workspace and those that it is made of.
fn add_crates(
    root: &Path,
    name: &str,
    found: &mut BTreeSet<String>,
) -> Result<(), Box<dyn std::error::Error>> {
    if !found.insert(name.to_owned()) {
        return Ok(());
    }
    let manifest = folder(root, name).join("Cargo.toml");
    println!("cargo::rerun-if-changed={}", manifest.display());
    let text = fs::read_to_string(manifest)?;
    let needed = text.lines().skip_while(|line| *line != "[dependencies]").skip(1);
    for line in needed.take_while(|line| !line.starts_with('[')) {
        let other = line.split(['.', ' ', '=']).next().unwrap_or_default();
        if other.starts_with("wordline-") {
            add_crates(root, other, found)?;
        }
    }
    Ok(())
}

/// The files in a folder that are neither tests nor documents.
fn add_files(folder: &Path, found: &mut BTreeSet<PathBuf>) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with('.')
            || ["tests", "tests.rs", "examples", "proptest-regressions", "Cargo.toml"]
                .contains(&&*name)
        {
            continue;
        }
        if path.is_dir() {
            add_files(&path, found)?;
        } else if !name.ends_with(".md") {
            found.insert(path);
        }
    }
    Ok(())
}
