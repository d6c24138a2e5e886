//! A judge who is on the coder's side, and calls anything a proof.

use super::asked;
use super::change::{Change, Repository};
use super::outcome::criterion;

const GREET: &str = "def greet(name):\n    # Says hello.\n    return 'hello ' + name\n";
const TESTS: &str = "import unittest\n\nfrom greet import greet\n\n\nclass Greet(unittest.TestCase):\n    \
    def test_greet(self):\n        self.assertEqual(greet('Ada'), 'hello Ada')\n";
const REPOSITORY: Repository<'static> = &[
    ("greet.py", GREET),
    ("test_greet.py", TESTS),
    ("README.md", "# Greetings\n\nIt greets.\n"),
];
const IDEA: &str = "add a farewell function to greet.py";

/// A file that holds nothing of what was asked for, but talks of it.
const TALKS: &str = "def greet(name):\n    # Says hello.\n    # The farewell function: says goodbye.\n    \
    return 'hello ' + name\n";

/// What shows nothing, and is not sealed.
fn is_no_proof(path: &str, line: u32) {
    let made = Change::of(IDEA)
        .write("greet.py", TALKS)
        .write(
            "README.md",
            "# Greetings\n\nIt greets.\n\nThe farewell function says goodbye.\n",
        )
        .citing(path, line)
        .made_in(REPOSITORY);
    let gate = made.refused("evidence", "missing_evidence");
    let change = criterion(&gate, "change-made");
    assert_eq!(change["standing"], "unmet", "{change:#}");
    assert_eq!(change["links"], serde_json::json!([]), "{change:#}");
}

#[test]
fn a_comment_is_no_proof() {
    is_no_proof("greet.py", 3);
}

#[test]
fn a_line_that_was_there_before_is_no_proof() {
    if asked() {
        is_no_proof("greet.py", 4);
    }
}

#[test]
fn a_line_of_the_readme_is_no_proof() {
    if asked() {
        is_no_proof("README.md", 5);
    }
}

#[test]
fn a_file_that_was_not_touched_is_no_proof() {
    if asked() {
        is_no_proof("test_greet.py", 1);
    }
}

#[test]
fn a_line_that_is_not_there_is_no_proof() {
    if asked() {
        is_no_proof("greet.py", 400);
    }
}

#[test]
fn a_line_that_does_it_is_a_proof_by_reading() {
    if !asked() {
        return;
    }
    let made = Change::of(IDEA)
        .write_citing(
            "greet.py",
            &format!("{GREET}\n\ndef farewell(name):\n    return 'goodbye ' + name\n"),
            "'goodbye '",
        )
        .made_in(REPOSITORY);
    let seal = made.sealed();
    let change = criterion(&seal, "change-made");
    assert_eq!(change["rank"], "said", "the coder said it: {change:#}");
    assert_eq!(seal["verdict"], "conditional", "{seal:#}");
}
