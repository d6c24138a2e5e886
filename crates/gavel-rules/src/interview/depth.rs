//! How much an idea says about itself, and how deep the interview goes because of it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// Words that narrow an idea down.
const QUALIFIERS: &str = "team teams tenant tenants saas b2b react vue svelte angular oauth auth sso \
    stripe billing payment payments postgres postgresql mysql sqlite mongodb redis docker kubernetes \
    aws azure gcp microservice microservices serverless graphql rest grpc websocket websockets \
    realtime offline mobile ios android desktop cli gdpr hipaa admin roles permissions encrypted \
    rust python go java typescript";
/// More words than these are more than a line.
const SHORT: usize = 10;
/// More words than these are a description.
const LONG: usize = 40;

/// How much an idea says about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Specificity {
    /// A line without anything that narrows it down.
    Minimal,
    /// More than a line, or something that narrows it down.
    Moderate,
    /// A description.
    Detailed,
}

/// How deep the interview goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    /// One card confirms everything.
    Trivial,
    /// A few questions.
    Standard,
    /// Every question that nothing settles.
    Complex,
}

/// Puts an idea into a bucket. Words are compared as whole words: an author is no auth.
pub fn specificity(idea: &str) -> Specificity {
    let lower = idea.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let named: BTreeSet<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| QUALIFIERS.split_whitespace().any(|known| known == *word))
        .collect();
    if words.len() > LONG || named.len() >= 3 {
        Specificity::Detailed
    } else if words.len() > SHORT || !named.is_empty() {
        Specificity::Moderate
    } else {
        Specificity::Minimal
    }
}

/// How deep to ask when nobody said: a line is asked about as far as it must be, a description
/// has been thought about.
pub fn depth_of(idea: &str) -> Depth {
    match specificity(idea) {
        Specificity::Minimal | Specificity::Moderate => Depth::Standard,
        Specificity::Detailed => Depth::Complex,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ideas_fall_into_buckets_by_whole_words() {
        use Specificity::{Detailed, Minimal, Moderate};
        let long = "word ".repeat(41);
        for (idea, bucket) in [
            ("", Minimal),
            ("todo app", Minimal),
            ("build a chat platform", Minimal),
            ("add a retry to the login endpoint", Minimal),
            ("a page about an author", Minimal),
            ("a teammate finder", Minimal),
            ("auth", Moderate),
            ("a list for my team", Moderate),
            ("one two three four five six seven eight nine ten", Minimal),
            (
                "one two three four five six seven eight nine ten eleven",
                Moderate,
            ),
            ("team team team", Moderate),
            (
                "migrate the billing service to a multi-tenant microservice architecture",
                Detailed,
            ),
            ("a SaaS for teams, with Stripe.", Detailed),
            (&long, Detailed),
        ] {
            assert_eq!(specificity(idea), bucket, "{idea}");
        }
    }

    #[test]
    fn a_description_is_asked_about_at_length() {
        assert_eq!(depth_of("todo app"), Depth::Standard);
        assert_eq!(depth_of("a SaaS for teams with Stripe"), Depth::Complex);
    }
}
