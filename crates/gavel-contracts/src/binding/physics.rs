//! The interface: each declared command has its words somewhere in the product's code.
//!
//! This is a necessary sign and no proof: a word may stand in code that does nothing with it. It
//! catches a command that was never written.

use std::collections::BTreeSet;

use gavel_domain::ContractKind;
use serde_json::Value;

use super::code::{Code, Token, TokenKind};
use super::language::Language;
use super::report::{BindingRule, BindingSeverity, Collector, Spot, Verdict, contract_path};
use super::rust_items::without_tests;
use super::tree::{FileText, Tree, TreeFile, is_set_aside, is_test};
use crate::check::physics::{Fields, line_of_key, read};
use crate::finding::quote;

/// Longer names are not looked at.
const MAX_WORD: usize = 120;

const fn error(rule: BindingRule) -> Verdict {
    Verdict {
        rule,
        severity: BindingSeverity::Error,
        contract: ContractKind::Physics,
    }
}

pub(super) fn check(text: &str, tree: &Tree<'_>, collector: &mut Collector) {
    let file = contract_path(ContractKind::Physics);
    let root = match read(text) {
        Ok(root) => root,
        Err((line, problem)) => {
            let spot = Spot::new(&file, line.unwrap_or(1));
            let message = format!("{problem}; mend the contract");
            return collector.add(error(BindingRule::ContractUnreadable), spot, message);
        }
    };
    let part = |name: &str| root.get(name).and_then(Value::as_object);
    if let Some(commands) = part("commands") {
        let said = said_by(tree);
        let program = title(&root);
        for command in commands.keys() {
            check_command((text, command), &program, &said, collector);
        }
        collector.not_checked(
            ContractKind::Physics,
            "arguments, answers and exits of commands",
            "they are seen only by running the program",
        );
    }
    for (path, item) in part("paths").into_iter().flatten() {
        let methods = item.as_object().into_iter().flat_map(Fields::keys);
        let methods: Vec<String> = methods
            .filter(|name| !name.starts_with("x-"))
            .map(|name| name.to_uppercase())
            .collect();
        let what = format!("{} {path}", methods.join(", "));
        collector.not_checked(
            ContractKind::Physics,
            what.trim(),
            "there is no route map yet",
        );
    }
}

fn title(root: &Fields) -> String {
    let title = root.get("info").and_then(|info| info.get("title"));
    join_parts(title.and_then(Value::as_str).unwrap_or_default())
}

fn check_command(
    (text, command): (&str, &str),
    program: &str,
    said: &Said,
    collector: &mut Collector,
) {
    // What stands in brackets or begins with a dash is an argument.
    let is_argument = |word: &&str| word.starts_with(['<', '[', '{', '-', '$']);
    let words = command
        .split_whitespace()
        .take_while(|word| !is_argument(word));
    // The program itself is named by its manifest.
    let words: Vec<&str> = words.filter(|word| join_parts(word) != program).collect();
    if words.is_empty() {
        let what = format!("the command {}", quote(command));
        collector.not_checked(ContractKind::Physics, what, "it has no word of its own");
        return;
    }
    collector.checked(1);
    let is_missing = |word: &&&str| {
        let wanted = join_parts(word);
        let inside = format!("-{wanted}-");
        let is_part = || said.names.iter().any(|name| name.contains(&inside));
        let is_said = said.parts.contains(&wanted) || (wanted.contains('-') && is_part());
        !is_said
    };
    let missing: Vec<String> = words
        .iter()
        .filter(is_missing)
        .map(|word| quote(word))
        .collect();
    if !missing.is_empty() {
        let line = line_of_key(text, command).unwrap_or(1);
        let message = format!(
            "the command {} is declared, and {} stands nowhere in the code of the product; build it",
            quote(command),
            missing.join(" and ")
        );
        let file = contract_path(ContractKind::Physics);
        let spot = Spot::new(&file, line);
        collector.add(error(BindingRule::CommandMissing), spot, message);
    }
}

/// The words of the product's code, in names and in literals.
#[derive(Debug, Default)]
struct Said {
    /// Each word alone.
    parts: BTreeSet<String>,
    /// Names of several words, as [`join_parts`] writes them, with a dash before and after.
    names: BTreeSet<String>,
}

fn said_by(tree: &Tree<'_>) -> Said {
    let mut said = Said::default();
    for file in tree.files().filter(is_product) {
        let FileText::Text(text) = file.text else {
            continue;
        };
        let languages = file.languages();
        let tokens = Code::of(&languages, file.path, text).tokens();
        let tokens = if languages.contains(&Language::Rust) {
            without_tests(&tokens)
        } else {
            tokens
        };
        for name in tokens.iter().flat_map(words_of) {
            said.parts.extend(name.split('-').map(str::to_owned));
            if name.contains('-') {
                said.names.insert(format!("-{name}-"));
            }
        }
    }
    said
}

fn is_product(file: &TreeFile<'_>) -> bool {
    !file.languages().is_empty() && !is_test(file.path) && !is_set_aside(file.path)
}

fn words_of<'a>(token: &Token<'a>) -> impl Iterator<Item = String> + use<'a> {
    let parts_words = match token.kind {
        TokenKind::Text => |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-')),
        TokenKind::Word => |c: char| !(c.is_alphanumeric() || c == '_'),
        TokenKind::Mark => |_: char| true,
    };
    let words = token.text.split(parts_words);
    words
        .filter(|word| !word.is_empty() && word.len() <= MAX_WORD)
        .map(join_parts)
}

/// `markRead`, `mark_read` and `mark-read` as `mark-read`.
fn join_parts(word: &str) -> String {
    let mut joined = String::new();
    let mut was_lower = false;
    for c in word.chars() {
        if matches!(c, '_' | '-') {
            joined.push('-');
        } else {
            if c.is_uppercase() && was_lower {
                joined.push('-');
            }
            joined.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase() || c.is_numeric();
    }
    joined.trim_matches('-').to_owned()
}
