//! `cargo xtask tidy`: the rules of docs/style.md that a program can check, one file per rule.
//!
//! A rule is a function from the tree (or cargo's metadata) to findings. Each has a test in which
//! it fails.

mod attributes;
mod clippy_copies;
mod edges;
mod fences;
mod licences;
mod links;
mod machine;
mod manifests;
mod markdown;
mod module_docs;
mod order;
mod packages;
mod reasons;
mod sizes;
mod spdx;
mod tree;
mod words;

use anyhow::{Result, bail};

use self::packages::Packages;
use self::tree::Tree;
use crate::args::Args;
use crate::say;

/// Something that breaks a rule: where, and what to do.
type Finding = String;

/// Runs the verb.
pub(crate) fn run(args: Args) -> Result<()> {
    args.finish()?;
    if check()? {
        return Ok(());
    }
    bail!("the tree is not tidy")
}

/// Checks every rule and says what was found; true if nothing was.
pub(crate) fn check() -> Result<bool> {
    let tree = Tree::read()?;
    let packages = Packages::of_workspace()?;
    let rules: [(&str, Vec<Finding>); 13] = [
        ("crate edges", edges::check(&tree, &packages)?),
        ("fences", fences::check(&packages)),
        ("reasons", reasons::check(&tree)?),
        ("order", order::check(&tree)),
        ("links", links::check(&tree)),
        ("manifests", manifests::check(&tree, &packages)?),
        ("clippy copies", clippy_copies::check(&tree)?),
        ("file sizes", sizes::check(&tree, &sizes::EXCUSED)),
        ("module docs", module_docs::check(&tree)),
        ("attributes", attributes::check(&tree)),
        ("words", words::check(&tree)?),
        ("machine traces", machine::check(&tree)),
        (
            "licences",
            licences::check(&tree, &Packages::of_lock_file()?)?,
        ),
    ];
    for (rule, findings) in &rules {
        for finding in findings {
            say::line(&format!("{rule}: {finding}"));
        }
    }
    let count: usize = rules.iter().map(|(_, findings)| findings.len()).sum();
    let files = tree.files().count();
    say::line(&format!(
        "tidy: {} rules, {files} files, {count} findings",
        rules.len()
    ));
    Ok(count == 0)
}
