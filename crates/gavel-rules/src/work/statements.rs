//! Whether statements of a test are still there, and what was put between them is harmless.

use std::collections::BTreeSet;

use super::files::{Statement, StatementKind, Token, TokenKind};
use super::renames::Renames;

/// Names with which code ends early, is skipped or has another meaning.
const LEAVES: [&str; 16] = [
    "exit",
    "_exit",
    "abort",
    "quit",
    "skip",
    "skipTest",
    "skipIf",
    "xfail",
    "importorskip",
    "todo",
    "pending",
    "forget",
    "take_hook",
    "set_hook",
    "longjmp",
    "kill",
];
/// Keywords with which a statement leaves its test.
const LEAVING: [&str; 6] = ["return", "break", "continue", "yield", "throw", "raise"];

/// True when every statement of `before` is in `after`, in its order and with its blocks, and what
/// stands between them cannot change what they do.
pub(super) fn are_kept(before: &[Statement], after: &[Statement], renames: &Renames) -> bool {
    let words = words_in(before);
    let mut rest = after.iter();
    for old in before {
        loop {
            let Some(new) = rest.next() else {
                return false;
            };
            if is_kept(old, new, renames) {
                break;
            }
            if !is_harmless(new, &words) {
                return false;
            }
        }
    }
    rest.all(is_harmless_at_end)
}

/// True when a statement says what it said, and its blocks still hold their statements.
pub(super) fn is_kept(old: &Statement, new: &Statement, renames: &Renames) -> bool {
    renames.explain(&old.tokens, &new.tokens)
        && old.blocks.len() == new.blocks.len()
        && old
            .blocks
            .iter()
            .zip(&new.blocks)
            .all(|(old, new)| are_kept(old, new, renames))
}

/// True when both say the same, blocks included, with nothing added.
pub(super) fn are_same(before: &[Statement], after: &[Statement], renames: &Renames) -> bool {
    let same = |old: &Statement, new: &Statement| {
        renames.explain(&old.tokens, &new.tokens)
            && old.blocks.len() == new.blocks.len()
            && old
                .blocks
                .iter()
                .zip(&new.blocks)
                .all(|(old, new)| are_same(old, new, renames))
    };
    before.len() == after.len() && before.iter().zip(after).all(|(old, new)| same(old, new))
}

/// The names that statements speak of.
pub(super) fn words_in(statements: &[Statement]) -> BTreeSet<&str> {
    let all = statements.iter().flat_map(Statement::flat);
    let tokens = all.flat_map(|one| &one.tokens);
    let words = tokens.filter(|token| token.kind == TokenKind::Word);
    words.map(|token| token.text.as_str()).collect()
}

/// Between statements that were there: further assertions, and values under names that nothing else
/// speaks of.
fn is_harmless(new: &Statement, words: &BTreeSet<&str>) -> bool {
    if leaves(new) {
        return false;
    }
    match &new.kind {
        StatementKind::Assertion => true,
        StatementKind::Binding(names) => names.iter().all(|name| !words.contains(name.as_str())),
        StatementKind::Import
        | StatementKind::Definition(_)
        | StatementKind::Head
        | StatementKind::Leave
        | StatementKind::Other => false,
    }
}

/// Behind everything that was there: anything but definitions, which hold for the whole block, and
/// `yield`, which keeps a function from running at all.
fn is_harmless_at_end(new: &Statement) -> bool {
    let all = new.flat();
    let mut tokens = all.iter().flat_map(|one| &one.tokens);
    if tokens.any(|token| token.is_sign("yield")) {
        return false;
    }
    match &new.kind {
        StatementKind::Definition(_) | StatementKind::Import => false,
        StatementKind::Assertion
        | StatementKind::Binding(_)
        | StatementKind::Head
        | StatementKind::Leave
        | StatementKind::Other => true,
    }
}

fn leaves(statement: &Statement) -> bool {
    let all = statement.flat();
    let mut tokens = all.iter().flat_map(|one| &one.tokens);
    let leaving = |token: &Token| match token.kind {
        TokenKind::Word => LEAVES.contains(&token.text.as_str()),
        TokenKind::Sign => LEAVING.contains(&token.text.as_str()),
        TokenKind::Text | TokenKind::Number => false,
    };
    tokens.any(leaving)
}

/// The assertions of `before` that `after` does not hold, as they were written.
pub(super) fn lost_assertions(
    before: &[Statement],
    after: &[Statement],
    renames: &Renames,
) -> Vec<String> {
    let is_assertion = |one: &&Statement| one.kind == StatementKind::Assertion;
    let mut left: Vec<&Statement> = after
        .iter()
        .flat_map(Statement::flat)
        .filter(is_assertion)
        .collect();
    let all = before.iter().flat_map(Statement::flat).filter(is_assertion);
    let lost = all.filter(|old| {
        let same = left.iter().position(|new| is_kept(old, new, renames));
        same.map(|at| left.swap_remove(at)).is_none()
    });
    lost.map(Statement::code).collect()
}
