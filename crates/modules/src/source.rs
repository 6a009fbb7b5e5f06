//! A crate's modules as their sources declare them: what each defines, imports and names. Tests are
//! left out.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::read_to_string;
use std::path::{Path, PathBuf};

/// A path of names, such as `["crate", "chip", "Chip"]`.
pub type Names = Vec<String>;

/// A module, in a file of its own or within one.
#[derive(Debug, Default)]
pub struct Module {
    /// Its names from the crate's root, which has none.
    pub path: Names,
    /// Its file.
    pub file: PathBuf,
    /// Modules inside it.
    pub children: BTreeSet<String>,
    /// Items that it defines.
    pub items: BTreeSet<String>,
    /// What its `use` brings in: the name here, and the path that it stands for.
    pub imports: BTreeMap<String, Names>,
    /// Paths of which it brings in everything.
    pub globs: Vec<Names>,
    /// Paths of two names or more in its code.
    pub named: BTreeSet<Names>,
}

/// All modules from the file of the root on.
///
/// # Panics
/// A file that cannot be read, or that is no Rust.
pub fn read(root: &Path) -> Vec<Module> {
    let mut modules = Vec::new();
    read_file(root.to_path_buf(), Vec::new(), &mut modules);
    modules
}

fn read_file(file: PathBuf, path: Names, modules: &mut Vec<Module>) {
    let text = read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let tokens = text.parse().unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    read_module(tokens, file, path, modules);
}

fn read_module(tokens: TokenStream, file: PathBuf, path: Names, modules: &mut Vec<Module>) {
    let mut reader =
        Reader { module: Module { path, file, ..Module::default() }, inner: Vec::new() };
    reader.code(tokens, true);
    let (module, inner) = (reader.module, reader.inner);
    for (name, body) in inner {
        let path = [module.path.clone(), vec![name]].concat();
        match body {
            Some(body) => read_module(body, module.file.clone(), path, modules),
            None => read_file(file_of(&module, &path), path, modules),
        }
    }
    modules.push(module);
}

/// Where a module that has a file of its own lies: beside its parent's, or in its parent's folder.
fn file_of(parent: &Module, path: &[String]) -> PathBuf {
    let (name, folder) = (path.last().map_or("", String::as_str), parent.file.parent());
    let mut folder = folder.unwrap_or(Path::new("")).to_path_buf();
    let stem = parent.file.file_stem().unwrap_or_default();
    if stem != "mod" && stem != "lib" && stem != "main" {
        folder.push(stem);
    }
    let single = folder.join(format!("{name}.rs"));
    if single.exists() { single } else { folder.join(name).join("mod.rs") }
}

/// Words before the name of an item.
const KINDS: [&str; 8] = ["fn", "struct", "enum", "union", "trait", "type", "const", "static"];

/// Reads the code of one module.
struct Reader {
    module: Module,
    /// Modules inside, with their code where that is in this file.
    inner: Vec<(String, Option<TokenStream>)>,
}

impl Reader {
    /// Reads `tokens`, items of the module where `is_outermost`, else what an item consists of.
    fn code(&mut self, tokens: TokenStream, is_outermost: bool) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            at = self.next(&tokens, at, is_outermost);
        }
    }

    /// Reads what begins at `at`, and says where the rest does.
    fn next(&mut self, tokens: &[TokenTree], at: usize, is_outermost: bool) -> usize {
        match &tokens[at] {
            TokenTree::Group(group) => self.code(group.stream(), false),
            TokenTree::Punct(sign) => match (sign.as_char(), tokens.get(at + 1)) {
                ('#', Some(TokenTree::Group(about))) if is_for_tests(about) => {
                    return at + 2 + item_length(&tokens[at + 2..]);
                }
                ('#', Some(TokenTree::Group(_))) => return at + 2,
                // A lifetime, or a variable of a macro.
                ('\'' | '$', Some(TokenTree::Ident(name))) if name != "crate" => return at + 2,
                // The rest of a path that does not begin with a name: `<T as Trait>::…`.
                (':', Some(TokenTree::Punct(second))) if second.as_char() == ':' => return at + 3,
                _ => {}
            },
            TokenTree::Ident(word) => {
                return self.word(&word.to_string(), tokens, at, is_outermost);
            }
            TokenTree::Literal(_) => {}
        }
        at + 1
    }

    /// Reads what begins with the word at `at`, and says where the rest does.
    fn word(&mut self, word: &str, tokens: &[TokenTree], at: usize, is_outermost: bool) -> usize {
        let name = tokens.get(at + 1).and_then(ident);
        match (word, name) {
            ("use", _) => {
                let length = item_length_to(&tokens[at..], ';');
                self.import(Vec::new(), &tokens[at + 1..at + length - 1]);
                return at + length;
            }
            // `pub(in …)`.
            ("pub", None) => return at + 2 - usize::from(!is_parenthesis(tokens.get(at + 1))),
            ("mod", Some(name)) if is_outermost => {
                let body = match tokens.get(at + 2) {
                    Some(TokenTree::Group(body)) => Some(body.stream()),
                    _ => None,
                };
                self.module.children.insert(name.clone());
                self.inner.push((name, body));
                return at + 3;
            }
            ("macro_rules", _) => {
                self.module.items.extend(tokens.get(at + 2).and_then(ident));
                return at + 3;
            }
            (kind, Some(name)) if KINDS.contains(&kind) && !KINDS.contains(&name.as_str()) => {
                if is_outermost {
                    self.module.items.insert(name);
                }
                return at + 1;
            }
            _ => {}
        }
        let (path, after) = path(tokens, at);
        if path.len() > 1 {
            self.module.named.insert(path);
        }
        after
    }

    /// Reads a tree of imports below `before`.
    fn import(&mut self, before: Names, tree: &[TokenTree]) {
        for branch in tree.split(|token| is_sign(token, ',')).filter(|branch| !branch.is_empty()) {
            let (own, after) = path(branch, 0);
            let whole = [before.clone(), own].concat();
            match branch.get(after..).unwrap_or_default() {
                [] => self.bring(whole.clone(), whole),
                [TokenTree::Ident(_), TokenTree::Ident(name)] => {
                    self.bring(vec![name.to_string()], whole);
                }
                [.., TokenTree::Group(inner)] => {
                    let inner: Vec<TokenTree> = inner.stream().into_iter().collect();
                    self.import(whole, &inner);
                }
                _ => self.module.globs.push(whole),
            }
        }
    }

    /// Brings in what stands at `path` under the last name of `name`.
    fn bring(&mut self, mut name: Names, mut path: Names) {
        if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
            path.pop();
            if name.last().is_some_and(|last| last == "self") {
                name.pop();
            }
        }
        self.module.imports.extend(name.pop().map(|name| (name, path)));
    }
}

/// The path that begins at `at`, and where it ends: at an import's star, brace or `as`, too.
fn path(tokens: &[TokenTree], mut at: usize) -> (Names, usize) {
    let mut path = Vec::new();
    while let Some(name) = tokens.get(at).and_then(ident) {
        if !path.is_empty() && name == "as" {
            break;
        }
        path.push(name);
        at += 1;
        let colons = tokens.get(at..at + 2).unwrap_or_default();
        if colons.is_empty() || !colons.iter().all(|token| is_sign(token, ':')) {
            break;
        }
        if tokens.get(at + 2).and_then(ident).is_none() {
            return (path, at + 2);
        }
        at += 2;
    }
    (path, at)
}

fn ident(token: &TokenTree) -> Option<String> {
    match token {
        TokenTree::Ident(name) => Some(name.to_string()),
        _ => None,
    }
}

fn is_sign(token: &TokenTree, wanted: char) -> bool {
    matches!(token, TokenTree::Punct(sign) if sign.as_char() == wanted)
}

fn is_parenthesis(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Parenthesis)
}

/// Whether an attribute keeps what follows for the tests.
fn is_for_tests(about: &Group) -> bool {
    let text = about.stream().to_string().replace(' ', "");
    text == "test" || text == "cfg(test)" || text.starts_with("cfg(all(test,")
}

/// Tokens of the item that begins here: up to its braces or its semicolon.
fn item_length(tokens: &[TokenTree]) -> usize {
    let is_end = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        token => is_sign(token, ';'),
    };
    tokens.iter().position(is_end).map_or(tokens.len(), |end| end + 1)
}

/// Tokens up to the sign, it included.
fn item_length_to(tokens: &[TokenTree], end: char) -> usize {
    tokens.iter().position(|token| is_sign(token, end)).map_or(tokens.len(), |at| at + 1)
}
