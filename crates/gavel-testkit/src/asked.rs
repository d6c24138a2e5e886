//! Slow tests against outside programs run only when asked for.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

/// True when `GAVEL_TEST_WITH`, a comma list, names this part (`peers`, `model`, …). Otherwise says on
/// standard error what was left out, and in the file of `GAVEL_TEST_LEFT_OUT` which test did, so that a
/// green run does not claim more than it did.
pub fn asked_for(part: &str) -> bool {
    #[expect(
        clippy::disallowed_methods,
        reason = "the test runner speaks to tests through the environment"
    )]
    let with = std::env::var("GAVEL_TEST_WITH").unwrap_or_default();
    let asked = names(&with, part);
    if !asked {
        left_out(part, &format!("set GAVEL_TEST_WITH={part}"));
    }
    asked
}

/// Says in the same two places that this machine lacks something without which the test shows nothing,
/// or less than it is for.
pub fn left_out(part: &str, why: &str) {
    let words = format!("left out: {part} ({why})\n");
    // A closed standard error only loses the note.
    drop(std::io::stderr().write_all(words.as_bytes()));
    if let Some(file) = text_asked_for("GAVEL_TEST_LEFT_OUT") {
        note(Path::new(&file), part);
    }
}

/// Tells whoever runs all tests that this one did not do all that it is for.
fn note(file: &Path, part: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test without a name");
    // One write each, since many tests share the file.
    let line = format!("{part}\t{test}\n");
    let mut file = OpenOptions::new().append(true).open(file).unwrap();
    file.write_all(line.as_bytes()).unwrap();
}

/// A number that whoever runs the tests gave in this variable.
pub fn number_asked_for(variable: &str) -> Option<u32> {
    text_asked_for(variable)?.parse().ok()
}

/// A text that whoever runs the tests gave in this variable.
#[expect(
    clippy::disallowed_methods,
    reason = "the test runner speaks to tests through the environment"
)]
pub fn text_asked_for(variable: &str) -> Option<String> {
    std::env::var(variable).ok()
}

fn names(list: &str, part: &str) -> bool {
    list.split(',').any(|named| named.trim() == part)
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn a_part_is_named_whole() {
        assert!(names("peers, model", "model"));
        assert!(!names("models", "model"));
        assert!(!names("", "model"));
    }
}
