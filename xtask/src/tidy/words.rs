//! One word per idea: names in the code avoid the synonyms that docs/glossary.md bans.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use super::Finding;
use super::markdown::{bare, table};
use super::tree::Tree;

const GLOSSARY: &str = "docs/glossary.md";
const DECLARES: [&str; 8] = [
    "struct", "enum", "trait", "fn", "mod", "type", "const", "static",
];

/// Looks at every declared name and every file name.
pub(super) fn check(tree: &Tree) -> Result<Vec<Finding>> {
    let banned = banned(tree.text(GLOSSARY)?)?;
    let mut findings = Vec::new();
    for (path, text) in tree.rust() {
        let file = path
            .rsplit('/')
            .next()
            .unwrap_or(path)
            .trim_end_matches(".rs");
        let names = text
            .lines()
            .zip(1..)
            .filter_map(|(line, number)| Some((declared(line)?, number)));
        for (name, number) in names.chain([(file, 1)]) {
            let wrong = parts(name)
                .into_iter()
                .find_map(|part| banned.get_key_value(&part));
            if let Some((wrong, right)) = wrong {
                findings.push(format!(
                    "{path}:{number}: `{name}` says {wrong}; our word is {right}"
                ));
            }
        }
    }
    Ok(findings)
}

/// The last column of the glossary: banned word → our word.
fn banned(text: &str) -> Result<BTreeMap<String, String>> {
    let mut banned = BTreeMap::new();
    for cells in table(text, "word") {
        let [word, _, not] = cells.as_slice() else {
            bail!("{GLOSSARY}: a row needs three cells: {cells:?}");
        };
        let words = not.split(',').map(bare).filter(|word| !word.is_empty());
        banned.extend(words.map(|wrong| (wrong.to_owned(), bare(word).to_owned())));
    }
    if banned.is_empty() {
        bail!("{GLOSSARY} holds no table that starts with `| word |`");
    }
    Ok(banned)
}

/// The name that a line of code declares; what stands in quotes or in a comment declares nothing.
fn declared(line: &str) -> Option<&str> {
    let code = line.split('"').next()?;
    let code = code.split("//").next()?;
    let mut words = code
        .split_whitespace()
        .skip_while(|word| !DECLARES.contains(word));
    words.next()?;
    let name = words.next()?;
    let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    name.get(..end.unwrap_or(name.len()))
        .filter(|name| !name.is_empty())
}

/// `RunSession`, `run_session` and `RUN_SESSION` are both made of `run` and `session`.
fn parts(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = vec![String::new()];
    let mut before_lower = false;
    for c in name.chars() {
        let starts = c.is_ascii_uppercase() && before_lower;
        if starts || c == '_' {
            parts.push(String::new());
        }
        if c != '_'
            && let Some(last) = parts.last_mut()
        {
            last.push(c.to_ascii_lowercase());
        }
        before_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str =
        "| word | means | never |\n|---|---|---|\n| run | x | session, job |\n| fact | y | |\n";

    fn findings(path: &str, text: &str) -> usize {
        check(&Tree::of(&[(GLOSSARY, TABLE), (path, text)]))
            .unwrap()
            .len()
    }

    #[test]
    fn synonyms_in_names_are_found() {
        assert_eq!(findings("a.rs", "pub struct RunSession;"), 1);
        assert_eq!(findings("a.rs", "    async fn start_job(&self) {}"), 1);
        assert_eq!(findings("a.rs", "const MAX_JOB: u8 = 1;"), 1);
        assert_eq!(findings("a/job.rs", ""), 1);
    }

    #[test]
    fn other_words_and_prose_are_free() {
        assert_eq!(findings("a.rs", "// a fn job would be wrong"), 0);
        assert_eq!(findings("a.rs", "let job = 1; struct Jobs;"), 0);
        assert_eq!(findings("a.rs", "let text = \"fn job\";"), 0);
        assert_eq!(findings("a.rs", "fn run() {}"), 0);
        assert!(check(&Tree::of(&[(GLOSSARY, "")])).is_err());
    }
}
