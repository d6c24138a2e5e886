//! How an assumption was settled that the plan rested on and that was refuted.

use std::fmt;

const CHANGED_SPEC: &str = "the spec was changed";
const PERSON: &str = "a person said that the result stands without it";
const BEFORE_TEST: &str = "a person named the test ";
const AFTER_TEST: &str = ", which passed";

/// How a refuted assumption was settled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settlement {
    /// Other criteria are asked for than when it fell.
    ChangedSpec,
    /// A person named a test that passed.
    Test(String),
    /// A person said that the result stands without it.
    Person,
}

impl Settlement {
    /// Reads what a seal says about it.
    pub fn read(text: &str) -> Option<Self> {
        if text == CHANGED_SPEC {
            return Some(Self::ChangedSpec);
        }
        if text == PERSON {
            return Some(Self::Person);
        }
        let name = text.strip_prefix(BEFORE_TEST)?.strip_suffix(AFTER_TEST)?;
        let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
        is_name.then(|| Self::Test(name.to_owned()))
    }
}

impl fmt::Display for Settlement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ChangedSpec => f.write_str(CHANGED_SPEC),
            Self::Test(name) => write!(f, "{BEFORE_TEST}{name}{AFTER_TEST}"),
            Self::Person => f.write_str(PERSON),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        for settled in [
            Settlement::ChangedSpec,
            Settlement::Test("sorted_by_date".to_owned()),
            Settlement::Person,
        ] {
            assert_eq!(Settlement::read(&settled.to_string()), Some(settled));
        }
        for text in [
            "",
            "x",
            "the spec was changed, more or less",
            "a person named the test , which passed",
            "a person named the test x, which failed",
        ] {
            assert_eq!(Settlement::read(text), None, "{text:?}");
        }
    }
}
