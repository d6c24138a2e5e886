//! A wish about the language and its libraries, and what of it these rules heed: they write Rust
//! with its standard library alone.

use super::project::joined;

/// What every program of the rules is written with, whatever was wished for.
pub(super) const BUILT: &str = "Rust, standard library only; everything is kept in one text file";
/// Why a wish for anything else is beyond reach.
pub(super) const OTHER: &str =
    "is not what the offline rules write: they write Rust alone, with its standard library";

/// How a line of the idea begins that is such a wish.
const LINE: &str = "stack:";
/// Words that part one library from the next.
const PARTING: [&str; 5] = ["and", "with", "plus", "using", "or"];
const RUST: [&str; 4] = ["rust", "rust-lang", "rustlang", "rustc"];
/// Words that ask for nothing, or for what is done anyway.
const IDLE: &str = "a the in it only just plain pure please use its latest stable new edition version \
    2021 2024 standard library libraries lib std no dependency dependencies crates crate cargo \
    language programming backend one text file files flat program binary cli command line";
/// Wishes that leave it to us.
const OPEN: &str = "any anything whatever you decide choose default none preference best fits";
/// Languages that cannot stand beside Rust in a program of ours.
const LANGUAGES: &str = "go golang zig c c++ cpp c# swift kotlin java scala python javascript \
    typescript ruby php perl lua haskell elixir erlang ocaml dart julia r nim bash shell deno bun \
    node nodejs node.js";

/// What a wish comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wish {
    /// It is Rust, or anything; what else was named is not used.
    Rust { unused: Vec<String> },
    /// It asks for something else.
    Other,
}

/// The idea without its wishes about the stack, and these wishes.
pub(super) fn apart(idea: &str) -> (String, Vec<&str>) {
    let wish = |line: &'_ str| {
        let start = line.trim_start().get(..LINE.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(LINE))
    };
    let rest = joined(idea.lines().filter(|line| !wish(line)), "\n");
    let wishes = idea.lines().filter(|line| wish(line));
    let wishes = wishes.filter_map(|line| line.split_once(':'));
    (rest, wishes.map(|(_, wish)| wish.trim()).collect())
}

pub(super) fn read(wish: &str) -> Wish {
    let is = |list: &str, word: &str| list.split_whitespace().any(|own| own == word);
    let lower = |word: &str| word.to_lowercase();
    let parts = parts(wish);
    let words = || parts.iter().flatten().map(|word| lower(word));
    let rust = words().any(|word| RUST.contains(&word.as_str()));
    let idle = |word: &str| {
        let number = word.starts_with(|c: char| c.is_ascii_digit());
        number || RUST.contains(&word) || is(IDLE, word)
    };
    if !rust && words().all(|word| idle(&word) || is(OPEN, &word)) {
        return Wish::Rust { unused: Vec::new() };
    }
    if !rust || words().any(|word| is(LANGUAGES, &word)) {
        return Wish::Other;
    }
    let unused = parts.iter().filter_map(|part| {
        let named = part.iter().filter(|word| !idle(&lower(word)));
        let named = joined(named, " ");
        (!named.is_empty()).then_some(named)
    });
    Wish::Rust {
        unused: unused.collect(),
    }
}

/// What of a wish is not heeded, for people.
pub(super) fn unmet(wish: &str) -> Option<String> {
    match read(wish) {
        Wish::Other => {
            Some("the offline rules write Rust alone, with its standard library".to_owned())
        }
        Wish::Rust { unused } => not_used(&unused),
    }
}

/// `clap is not used` and why.
pub(super) fn not_used(unused: &[String]) -> Option<String> {
    let verb = match unused {
        [] => return None,
        [_] => "is",
        _ => "are",
    };
    let names = crate::english::listed(unused);
    Some(format!(
        "{names} {verb} not used: the program needs nothing but Rust's standard library"
    ))
}

/// The words of a wish, library by library.
fn parts(wish: &str) -> Vec<Vec<&str>> {
    let mut parts = Vec::new();
    for piece in wish.split([',', ';', '/', '&', '(', ')', ':']) {
        let words: Vec<&str> = piece
            .split_whitespace()
            .map(|word| word.trim_end_matches(['.', '!']))
            .collect();
        let parting = |word: &&str| {
            PARTING.contains(&word.to_lowercase().as_str()) || !word.contains(char::is_alphanumeric)
        };
        parts.extend(words.split(parting).map(<[&str]>::to_vec));
    }
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::{Wish, apart, read};

    #[test]
    fn only_rust_is_heeded_and_libraries_are_named() {
        let unused = |wish: &str| match read(wish) {
            Wish::Rust { unused } => Some(unused.join("|")),
            Wish::Other => None,
        };
        for (wish, expected) in [
            ("Rust", ""),
            ("Rust, standard library only", ""),
            ("rust 1.89, edition 2024, no dependencies", ""),
            ("Rust with clap and serde_json", "clap|serde_json"),
            ("Rust + clap", "clap"),
            ("whatever you choose", ""),
        ] {
            assert_eq!(unused(wish).as_deref(), Some(expected), "{wish}");
        }
        for wish in [
            "Go",
            "Zig",
            "C",
            "C++",
            "Swift",
            "Kotlin",
            "Rust and TypeScript",
            "Frobnicate 3",
            "trust me",
        ] {
            assert_eq!(unused(wish), None, "{wish}");
        }
    }

    #[test]
    fn a_wish_is_a_line_of_its_own() {
        let (rest, wishes) = apart("a todo list\nStack: Go\n\nalso a rating");
        assert_eq!(rest, "a todo list\n\nalso a rating");
        assert_eq!(wishes, ["Go"]);
        assert!(apart("pancake stack: height").1.is_empty());
    }
}
