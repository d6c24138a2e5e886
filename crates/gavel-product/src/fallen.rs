//! Assumptions that a person refuted. The gate holds until the spec changed, or a person says that the
//! result stands without them; the seal says which.

use std::collections::{BTreeMap, BTreeSet};

use gavel_domain::{
    AnswerShape, AnswerValue, Audience, Confidence, Criterion, Digest, Key, OnTimeout, Purpose,
    QuestionCard, Scope,
};
use gavel_rules::{Ledger, Settlement, may_decide};
use gavel_run::Question;

use crate::way::{Leave, Way};

/// The longest answer.
const MOST_BYTES: u32 = 4_000;
const STANDS: &str = "stands";
const NOT_YET: &str = "not-yet";
/// The first flow in which each of them is asked about alone, and words that deny settle nothing.
const ALONE_SINCE: u32 = 9;
/// Words that deny.
const DENIES: [&str; 14] = [
    "no", "not", "nor", "never", "none", "nothing", "neither", "cannot", "without", "fails",
    "failed", "wrong", "missing", "unless",
];

/// One of them.
#[derive(Debug, Clone)]
pub(crate) struct Fallen {
    pub(crate) claim: String,
    /// What was asked for when it fell.
    criteria: Digest,
    pub(crate) settled: Option<Settlement>,
}

/// All that the plan rested on and that fell, by their ids.
#[derive(Debug, Clone, Default)]
pub(crate) struct FallenAssumptions(BTreeMap<String, Fallen>);

/// What a visit of the gate looks at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FallenCase<'a> {
    pub(crate) ledger: &'a Ledger,
    pub(crate) criteria: &'a [Criterion],
    /// The tests that passed in the verification of this visit.
    pub(crate) passed: &'a BTreeSet<String>,
}

impl FallenAssumptions {
    /// What was assumed, of each of them.
    pub(crate) fn claims(&self) -> Vec<String> {
        self.iter().map(|fallen| fallen.claim.clone()).collect()
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Fallen> {
        self.0.values()
    }

    /// Takes in what fell since the last visit, and asks about what fell before it. What is returned
    /// holds the gate.
    pub(crate) async fn settle(
        &mut self,
        way: Way<'_>,
        scope: &Scope,
        case: FallenCase<'_>,
    ) -> Result<Vec<String>, Leave> {
        let wanted = digest(case.criteria);
        for fallen in self.0.values_mut() {
            if fallen.settled.is_none() && fallen.criteria != wanted {
                fallen.settled = Some(Settlement::ChangedSpec);
            }
        }
        self.ask_about_open(way, scope, case.passed).await?;
        let fell = case.ledger.fell();
        for entry in fell.filter(|entry| entry.confidence == Confidence::High) {
            let fallen = || Fallen {
                claim: entry.claim.clone(),
                criteria: wanted,
                settled: None,
            };
            self.0.entry(entry.id.clone()).or_insert_with(fallen);
        }
        let open = self.0.values().filter(|fallen| fallen.settled.is_none());
        Ok(open.map(|fallen| fallen.claim.clone()).collect())
    }
}

impl FallenAssumptions {
    /// One question for each that is open: what a person says about one of them settles no other. In
    /// runs from before that, one question is about all of them.
    async fn ask_about_open(
        &mut self,
        way: Way<'_>,
        scope: &Scope,
        passed: &BTreeSet<String>,
    ) -> Result<(), Leave> {
        let open = self.0.values_mut();
        let mut open: Vec<&mut Fallen> = open.filter(|one| one.settled.is_none()).collect();
        let alone = way.run.flow() >= ALONE_SINCE;
        let at_once = if alone { 1 } else { open.len().max(1) };
        for (place, together) in open.chunks_mut(at_once).enumerate() {
            let key = match place {
                0 => scope.key("fallen")?,
                more => scope.key(&format!("fallen-{}", more + 1))?,
            };
            let claims: Vec<String> = together.iter().map(|one| one.claim.clone()).collect();
            let settlement = ask(way, key, &claims, passed).await?;
            for fallen in together {
                fallen.settled.clone_from(&settlement);
            }
        }
        Ok(())
    }
}

fn digest(criteria: &[Criterion]) -> Digest {
    Digest::of(serde_json::to_vec(criteria).unwrap_or_default())
}

/// Asks whether the result stands without them.
async fn ask(
    way: Way<'_>,
    key: Key,
    open: &[String],
    passed: &BTreeSet<String>,
) -> Result<Option<Settlement>, Leave> {
    let run = way.run;
    let answered = run.ask(key, question(open)).await?.value;
    if answered.assumed || answered.timed_out || !may_decide(answered.by) {
        return Ok(None);
    }
    Ok(match &answered.value {
        AnswerValue::Option { id } if id == STANDS => Some(Settlement::Person),
        AnswerValue::Text { text } => {
            let words = run.text(*text).await?;
            let denies = run.flow() >= ALONE_SINCE && denies(&words);
            if denies {
                None
            } else {
                named_test(&words, passed)
            }
        }
        AnswerValue::Option { .. } | AnswerValue::Decide | AnswerValue::Limit { .. } => None,
    })
}

/// True for words that may say of a test that it shows nothing.
fn denies(words: &str) -> bool {
    let words = words.split(|c: char| !c.is_alphanumeric() && !"'’_".contains(c));
    words.map(str::to_lowercase).any(|word| {
        let is_short = word.ends_with("n't") || word.ends_with("n’t");
        is_short || DENIES.contains(&word.as_str())
    })
}

/// The passed test that an answer names.
fn named_test(words: &str, passed: &BTreeSet<String>) -> Option<Settlement> {
    let named = words
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| "`'\".,;()".contains(c)))
        .find(|word| passed.contains(*word));
    named.map(|name| Settlement::Test(name.to_owned()))
}

fn question(open: &[String]) -> Question {
    let lines: Vec<String> = open.iter().map(|claim| format!("- {claim}")).collect();
    let why = format!(
        "The plan rested on this, and it was refuted:\n{}\n\nSay that the result stands without it, or \
         name a test that shows it. Until then, or until the spec changes, nothing is shipped.",
        lines.join("\n")
    );
    Question {
        purpose: Purpose::Choice,
        card: QuestionCard::with_options(
            "Does the result stand without these assumptions?".to_owned(),
            Some(why),
            &[
                (STANDS, "yes, it stands without them; the seal will say so"),
                (NOT_YET, "not yet: work on it again"),
            ],
        ),
        shape: AnswerShape::ChoiceOrText {
            options: vec![STANDS.to_owned(), NOT_YET.to_owned()],
            max_bytes: MOST_BYTES,
        },
        // `--yes` cannot vouch for what a person said is wrong.
        recommended: Some(NOT_YET.to_owned()),
        audience: Audience::Person,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_deny_settle_nothing() {
        for (words, no) in [
            ("see `sorted_by_date`.", false),
            ("sorted_by_date does not show it", true),
            ("sorted_by_date doesn't", true),
            ("No: sorted_by_date is about something else", true),
            ("not_sorted shows it", false),
        ] {
            assert_eq!(denies(words), no, "{words}");
        }
    }

    #[test]
    fn only_a_test_that_passed_settles_by_its_name() {
        let passed = BTreeSet::from(["sorted_by_date".to_owned()]);
        let shown = Settlement::Test("sorted_by_date".to_owned());
        for (words, settled) in [
            ("see `sorted_by_date`.", Some(shown)),
            ("sorted_by_name shows it", None),
            ("it is fine", None),
        ] {
            assert_eq!(named_test(words, &passed), settled, "{words}");
        }
    }
}
