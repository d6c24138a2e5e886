//! What kind of change a request asks for, as far as proof differs by it.

/// Words of something that does not work.
const BROKEN: [&str; 58] = [
    "bug",
    "bugs",
    "buggy",
    "crash",
    "crashes",
    "crashed",
    "crashing",
    "panic",
    "panics",
    "panicked",
    "wrong",
    "wrongly",
    "incorrect",
    "incorrectly",
    "broken",
    "breaks",
    "regression",
    "regressed",
    "fails",
    "failing",
    "failed",
    "hangs",
    "hang",
    "freezes",
    "leak",
    "leaks",
    "deadlock",
    "deadlocks",
    "race",
    "overflow",
    "overflows",
    "underflow",
    "traceback",
    "segfault",
    "corrupt",
    "corrupts",
    "corrupted",
    "defect",
    "faulty",
    "misbehaves",
    "nullpointerexception",
    "off-by-one",
    "fehler",
    "kaputt",
    "falsch",
    "abstürzt",
    "absturz",
    "stürzt",
    "exception",
    "loses",
    "lost",
    "ignores",
    "ignored",
    "duplicates",
    "throws",
    "infinite",
    "stuck",
    "vulnerability",
];
/// Words with which a repair is asked for.
const REPAIRS: [&str; 12] = [
    "fix",
    "fixes",
    "fixed",
    "repair",
    "repairs",
    "resolve",
    "resolves",
    "correct",
    "mend",
    "hotfix",
    "behebe",
    "repariere",
];
/// What may be fixed without anything behaving otherwise.
const NO_BEHAVIOUR: [&str; 26] = [
    "typo",
    "typos",
    "spelling",
    "grammar",
    "wording",
    "comment",
    "comments",
    "readme",
    "changelog",
    "docs",
    "documentation",
    "docstring",
    "docstrings",
    "formatting",
    "format",
    "indentation",
    "whitespace",
    "lint",
    "lints",
    "linter",
    "warning",
    "warnings",
    "link",
    "links",
    "tippfehler",
    "license",
];
/// Words with which something new is asked for, whatever it is about.
const BUILDS: [&str; 8] = [
    "add",
    "create",
    "build",
    "implement",
    "introduce",
    "write",
    "make",
    "support",
];

/// True for a request to repair how something behaves: its new test has to fail on the base. A typo,
/// a document or a warning is repaired without one.
pub fn is_bug_fix(request: &str) -> bool {
    let request = request.to_lowercase();
    let letters = |c: char| !c.is_alphanumeric() && c != '-' && c != '\'';
    let words: Vec<&str> = request
        .split(letters)
        .filter(|word| !word.is_empty())
        .collect();
    let says = |list: &[&str]| words.iter().any(|word| list.contains(word));
    let repairs = words.iter().position(|word| REPAIRS.contains(word));
    let is_about_text = repairs.is_some_and(|at| {
        let object = words.iter().skip(at + 1).take(6);
        object.clone().any(|word| NO_BEHAVIOUR.contains(word))
    });
    let negated = [
        "doesn't",
        "does not",
        "don't",
        "isn't",
        "is not",
        "not work",
        "no longer",
    ];
    let complains = says(&BROKEN) || negated.iter().any(|words| request.contains(words));
    let begins_new = words.first().is_some_and(|word| BUILDS.contains(word));
    match repairs {
        Some(_) if is_about_text => says(&["bug", "bugs", "crash", "crashes", "regression"]),
        // "add a correct total" builds something.
        Some(at) => at == 0 || !begins_new || says(&["bug", "bugs", "crash", "regression"]),
        None => complains && !begins_new && !says(&["typo", "typos", "spelling"]),
    }
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
