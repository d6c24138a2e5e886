//! Feedback: what failed decides who looks at it next, and what the next sprint is told.

use std::fmt::Write as _;

/// The longest focus of a sprint, in bytes.
pub const FOCUS_BYTES: usize = 8_192;
/// How many lines of one kind a focus has.
const LINES: usize = 40;

/// Who is to act on a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FeedbackTo {
    /// Mend what fails.
    Coder,
    /// Show what was done.
    Tester,
    /// Do what is missing.
    Owner,
    /// Change how it is built.
    Architect,
    /// Plan it anew.
    Everybody,
}

impl FeedbackTo {
    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Coder => "coder",
            Self::Tester => "tester",
            Self::Owner => "owner",
            Self::Architect => "architect",
            Self::Everybody => "everybody",
        }
    }
}

/// Where the failure of a gate condition goes, and what is asked for.
pub fn route_feedback(condition: &str) -> (FeedbackTo, &'static str) {
    match condition {
        "engineering_floor" => (
            FeedbackTo::Coder,
            "Mend what the verification found: every test must pass.",
        ),
        "evidence" => (
            FeedbackTo::Tester,
            "Show what was done: write a test of exactly its name for every criterion without \
             evidence.",
        ),
        "weighted_score" | "assumption_ledger" => (
            FeedbackTo::Owner,
            "Do what is missing: the open criteria come first, the heaviest before the others.",
        ),
        "tests_unharmed" => (
            FeedbackTo::Coder,
            "Put tests and settings back as they were before the run, and make the code pass them.",
        ),
        "base_tests" => (
            FeedbackTo::Coder,
            "Make the tests from before the run pass again, unchanged.",
        ),
        "fix_shown" => (
            FeedbackTo::Tester,
            "Add a test that fails on the code from before the fix, for the right reason.",
        ),
        "tests_bite" => (
            FeedbackTo::Tester,
            "Make these tests fail when the code is broken as it says; the code itself is right.",
        ),
        "contracts_kept" => (
            FeedbackTo::Architect,
            "Change the code where it breaks its contracts.",
        ),
        "owner_customer" => (
            FeedbackTo::Architect,
            "Change what owner and customer object to.",
        ),
        "user_approval" => (
            FeedbackTo::Everybody,
            "The user did not accept the result. Plan anew what they ask for.",
        ),
        _ => (FeedbackTo::Coder, "Mend what stands against the result."),
    }
}

/// What a sprint is told beside its phase. Parts without lines are left out.
#[derive(Debug, Clone, Copy, Default)]
pub struct Focus<'a> {
    /// What the feedback asks for.
    pub feedback: &'a str,
    /// What people said about the result.
    pub people: &'a [String],
    /// Criteria that do not hold yet, the heaviest first.
    pub open_criteria: &'a [String],
    /// What failed last.
    pub failures: &'a [String],
    /// Assumptions that nobody has shown.
    pub assumptions: &'a [String],
}

impl Focus<'_> {
    /// The text, at most [`FOCUS_BYTES`] long; empty when there is nothing to tell.
    pub fn text(&self) -> String {
        let mut text = String::new();
        if !self.feedback.is_empty() {
            line(&mut text, self.feedback);
        }
        for (title, lines) in [
            ("People said:", self.people),
            ("Open criteria:", self.open_criteria),
            ("What failed last:", self.failures),
            ("Taken for granted, not shown:", self.assumptions),
        ] {
            if lines.is_empty() {
                continue;
            }
            line(&mut text, title);
            for one in lines.iter().take(LINES) {
                line(&mut text, &format!("- {one}"));
            }
            if lines.len() > LINES {
                line(&mut text, &format!("and {} more", lines.len() - LINES));
            }
        }
        cut(text)
    }
}

fn line(text: &mut String, line: &str) {
    // Writing to a string cannot fail.
    if writeln!(text, "{line}").is_err() {
        text.clear();
    }
}

fn cut(mut text: String) -> String {
    if text.len() > FOCUS_BYTES {
        text.truncate(text.floor_char_boundary(FOCUS_BYTES));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_condition_finds_somebody() {
        let to = |condition| route_feedback(condition).0.word();
        let routed = [
            "engineering_floor",
            "evidence",
            "weighted_score",
            "assumption_ledger",
            "owner_customer",
            "user_approval",
            "contracts_pinned",
        ]
        .map(to);
        assert_eq!(
            routed.join(" "),
            "coder tester owner owner architect everybody coder"
        );
    }

    #[test]
    fn a_focus_tells_what_there_is_and_no_more_than_fits() {
        assert_eq!(Focus::default().text(), "");
        let open = ["adds_a_note: a note is added".to_owned()];
        let focus = Focus {
            feedback: "Mend it.",
            open_criteria: &open,
            ..Focus::default()
        };
        assert_eq!(
            focus.text(),
            "Mend it.\nOpen criteria:\n- adds_a_note: a note is added\n"
        );
        let many = vec!["ü".repeat(1_000); 50];
        let focus = Focus {
            failures: &many,
            ..Focus::default()
        };
        assert!(focus.text().len() <= FOCUS_BYTES);
        let few = vec!["x".to_owned(); 45];
        let focus = Focus {
            failures: &few,
            ..Focus::default()
        };
        assert!(focus.text().ends_with("- x\nand 5 more\n"));
    }
}
