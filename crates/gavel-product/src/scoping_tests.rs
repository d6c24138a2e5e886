//! What a spec takes over from discovery.

use super::*;

#[test]
fn what_discovery_left_open_is_assumed_and_nothing_else() {
    let answer = |question: &str, answer: &str, source| DiscoveryAnswer {
        question: question.to_owned(),
        answer: answer.to_owned(),
        source,
        ..DiscoveryAnswer::default()
    };
    let assumed = left_open(&[
        answer("audience", "one person", AnswerSource::Open),
        answer("deployment", "", AnswerSource::Open),
        answer("db-strategy", "a file", AnswerSource::Recommended),
        answer("design-status", "none", AnswerSource::NotNeeded),
    ]);
    let told: Vec<_> = assumed
        .iter()
        .map(|one| (one.claim.as_str(), one.raised_by.as_str(), one.confidence))
        .collect();
    assert_eq!(
        told,
        [
            (
                "For `audience`, which was left open, this will do: one person",
                "discovery",
                Confidence::Medium
            ),
            (
                "Nothing depends on `deployment`, which was left open.",
                "discovery",
                Confidence::Medium
            ),
        ]
    );
}
