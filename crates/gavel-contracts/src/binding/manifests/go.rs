//! go.mod: what is required, and what is put in the place of another module.

use std::collections::BTreeSet;

use super::{Dependency, ManifestProblem, Use};
use crate::binding::tree::{Tree, folder_of, resolve};

pub(super) fn read(
    path: &str,
    text: &str,
    tree: &Tree<'_>,
) -> Result<Vec<Dependency>, ManifestProblem> {
    let mut found = Vec::new();
    let quoted = quoted_in(tree);
    let mut block = None;
    for (number, line) in (1..).zip(text.lines()) {
        let (code, comment) = line.split_once("//").unwrap_or((line, ""));
        let words: Vec<&str> = code.split_whitespace().collect();
        let (verb, rest) = match (block, words.as_slice()) {
            (_, [")"]) => {
                block = None;
                continue;
            }
            (None, [verb, "("]) => {
                block = Some(*verb);
                continue;
            }
            (Some(verb), rest) => (verb, rest),
            (None, [verb, rest @ ..]) => (*verb, rest),
            (None, []) => continue,
        };
        let Some(module) = rest.first().map(|module| module.trim_matches(['"', '`'])) else {
            continue;
        };
        let one = |elsewhere| Dependency {
            package: module.to_owned(),
            line: number,
            used: Use::Product,
            elsewhere,
        };
        match verb {
            // Nobody checks the mark; what the code imports is needed by the product itself.
            "require"
                if comment.trim().starts_with("indirect") && !is_imported(module, &quoted) => {}
            "require" | "tool" => found.push(one(None)),
            "replace" => {
                let target = rest.iter().skip_while(|word| **word != "=>").nth(1);
                let target = target.copied().unwrap_or_default();
                let folder = resolve(folder_of(path), target.trim_matches('"'));
                let is_own = target.starts_with('.')
                    && folder.is_some_and(|folder| tree.has(&format!("{folder}/go.mod")));
                if !is_own {
                    found.push(one(Some(target.to_owned())));
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

/// Everything that stands in double quotes in the Go files of the tree itself: imports are among it.
fn quoted_in<'a>(tree: &Tree<'a>) -> BTreeSet<&'a str> {
    let sources = tree
        .texts()
        .filter(|(path, _)| path.ends_with(".go") && !path.starts_with("vendor/"));
    let lines = sources.flat_map(|(_, text)| text.lines());
    lines
        .flat_map(|line| line.split(['"', '`']).skip(1).step_by(2))
        .collect()
}

fn is_imported(module: &str, quoted: &BTreeSet<&str>) -> bool {
    let below = format!("{module}/");
    let first = quoted.range(module..).next();
    let first_below = quoted.range(below.as_str()..).next();
    first == Some(&module) || first_below.is_some_and(|path| path.starts_with(&below))
}
