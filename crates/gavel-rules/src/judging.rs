//! Judging criteria: what a test of a criterion's name shows, which evidence of a judge exists, and
//! what it all comes to. How evidence looks proves nothing; it must be found.

use std::collections::{BTreeMap, BTreeSet};

use gavel_domain::{Criterion, CriterionJudged, CriterionStanding, EvidenceRef};
use serde::Serialize;

/// Everything met.
const WHOLE: u64 = 1000;
/// The shortest beginning of a commit's id that names it.
const SHORTEST_ID: usize = 7;

/// What tests say about a criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestWord<'a> {
    /// A test of its name passed, and none of its name failed.
    Passed(&'a str),
    /// A test of its name failed; no judge can say otherwise.
    Failed(&'a str),
    /// No test of its name was executed.
    NoTest,
}

/// Everything that evidence can be, as it was recorded.
#[derive(Debug, Clone, Copy)]
pub struct KnownProof<'a> {
    /// Tests that passed in this verification, by their full names.
    pub passed: &'a BTreeSet<String>,
    /// Tests that failed there.
    pub failed: &'a BTreeSet<String>,
    /// How many lines the files of the judged tree have.
    pub lines: &'a BTreeMap<String, u32>,
    /// The commits of the build's branch, ids in full.
    pub commits: &'a BTreeSet<String>,
    /// Commands on record with how they ended, words separated by spaces.
    pub commands: &'a [(String, Option<i32>)],
    /// Requests of smoke runs that came to what their recipe says.
    pub smoke: &'a [String],
}

/// What a judge said about a criterion, not yet checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Claimed {
    /// How far it holds, by the judge's word.
    pub standing: CriterionStanding,
    /// What is to show it.
    pub evidence: Vec<EvidenceRef>,
    /// Why.
    pub note: String,
}

/// What a test of exactly the criterion's name says. Names are compared by their last part.
pub fn shown_by_test<'a>(
    criterion: &str,
    passed: &'a BTreeSet<String>,
    failed: &'a BTreeSet<String>,
) -> TestWord<'a> {
    if !Criterion::is_id(criterion) {
        return TestWord::NoTest;
    }
    let same = |test: &&String| last_part(test) == criterion;
    match (failed.iter().find(same), passed.iter().find(same)) {
        (Some(test), _) => TestWord::Failed(test),
        (None, Some(test)) => TestWord::Passed(test),
        (None, None) => TestWord::NoTest,
    }
}

/// The evidence that exists, each once, in full names; the rest counts as none.
pub fn check_refs(evidence: &[EvidenceRef], known: &KnownProof<'_>) -> Vec<EvidenceRef> {
    let mut found: Vec<EvidenceRef> = Vec::new();
    for held in evidence.iter().filter_map(|one| check_ref(one, known)) {
        if !found.contains(&held) {
            found.push(held);
        }
    }
    found
}

fn check_ref(evidence: &EvidenceRef, known: &KnownProof<'_>) -> Option<EvidenceRef> {
    match evidence {
        EvidenceRef::Test { name } => {
            let name = test_named(name.trim(), known)?;
            Some(EvidenceRef::Test { name })
        }
        EvidenceRef::File { path, line } => {
            let lines = *known.lines.get(path)?;
            (1..=lines).contains(line).then(|| EvidenceRef::File {
                path: path.clone(),
                line: *line,
            })
        }
        EvidenceRef::Commit { id } => {
            let id = id.trim().to_ascii_lowercase();
            let mut all = known.commits.iter().filter(|full| full.starts_with(&id));
            let one = all.next().filter(|_| id.len() >= SHORTEST_ID)?;
            // A beginning that several share names none of them.
            all.next()
                .is_none()
                .then(|| EvidenceRef::Commit { id: one.clone() })
        }
        EvidenceRef::Command { command, exit } => {
            let words = one_spaced(command);
            let is_it = |(ran, ended): &(String, Option<i32>)| {
                one_spaced(ran) == words && *ended == Some(*exit)
            };
            known
                .commands
                .iter()
                .any(is_it)
                .then_some(EvidenceRef::Command {
                    command: words,
                    exit: *exit,
                })
        }
        EvidenceRef::Smoke { request } => {
            let request = one_spaced(request);
            let mut ran = known.smoke.iter().map(|ran| one_spaced(ran));
            ran.any(|ran| ran == request)
                .then_some(EvidenceRef::Smoke { request })
        }
    }
}

/// A passed test by its full name, or by a last part that only one test has.
fn test_named(name: &str, known: &KnownProof<'_>) -> Option<String> {
    if known.failed.contains(name) {
        return None;
    }
    if known.passed.contains(name) {
        return Some(name.to_owned());
    }
    let same = |test: &&String| last_part(test) == name;
    if known.failed.iter().any(|test| same(&test)) {
        return None;
    }
    let mut all = known.passed.iter().filter(same);
    let one = all.next()?;
    all.next().is_none().then(|| one.clone())
}

/// Judges criteria in their order: tests first, then a judge's word as far as its evidence exists.
pub fn judge_criteria(
    criteria: &[Criterion],
    weight: impl Fn(&str) -> u32,
    claims: &BTreeMap<String, Claimed>,
    known: &KnownProof<'_>,
) -> Vec<CriterionJudged> {
    let mut seen = BTreeMap::<&str, u32>::new();
    for criterion in criteria {
        *seen.entry(criterion.id.as_str()).or_default() += 1;
    }
    let judged = criteria.iter().map(|criterion| {
        let id = criterion.id.as_str();
        let (standing, evidence, note) = match seen.get(id) {
            // One test cannot show two statements.
            Some(2..) => unmet("several criteria have this id"),
            Some(_) | None => standing_of(id, claims.get(id), known),
        };
        CriterionJudged {
            id: id.to_owned(),
            standing,
            evidence,
            note,
            weight: weight(id).max(1),
        }
    });
    judged.collect()
}

type Standing = (CriterionStanding, Vec<EvidenceRef>, String);

fn unmet(note: impl Into<String>) -> Standing {
    (CriterionStanding::Unmet, Vec::new(), note.into())
}

fn standing_of(id: &str, said: Option<&Claimed>, known: &KnownProof<'_>) -> Standing {
    match shown_by_test(id, known.passed, known.failed) {
        TestWord::Passed(test) => {
            let name = test.to_owned();
            let evidence = vec![EvidenceRef::Test { name }];
            return (CriterionStanding::Met, evidence, String::new());
        }
        TestWord::Failed(test) => return unmet(format!("the test {test} failed")),
        TestWord::NoTest => {}
    }
    let Some(claimed) = said else {
        return unmet("no test of this name was executed");
    };
    let evidence = check_refs(&claimed.evidence, known);
    match claimed.standing {
        CriterionStanding::Unmet => unmet(claimed.note.as_str()),
        CriterionStanding::Met | CriterionStanding::Partial if evidence.is_empty() => {
            let named = named(&claimed.evidence);
            unmet(format!(
                "nothing that was named as evidence is there: {named}"
            ))
        }
        standing @ (CriterionStanding::Met | CriterionStanding::Partial) => {
            (standing, evidence, claimed.note.clone())
        }
    }
}

/// The criteria that a judge called met or partial without evidence that exists.
pub fn unproven(claims: &BTreeMap<String, Claimed>, judged: &[CriterionJudged]) -> Vec<String> {
    let without = judged.iter().filter(|one| {
        let claimed = claims.get(&one.id).is_some_and(|said| match said.standing {
            CriterionStanding::Met | CriterionStanding::Partial => true,
            CriterionStanding::Unmet => false,
        });
        claimed && one.evidence.is_empty()
    });
    without.map(|one| one.id.clone()).collect()
}

/// The weighted share of what holds, in thousandths, rounded down; nothing for no criteria.
pub fn score(judged: &[CriterionJudged]) -> u32 {
    let (mut held, mut all) = (0_u64, 0_u64);
    for one in judged {
        let weight = u64::from(one.weight.max(1));
        let halves = match one.standing {
            CriterionStanding::Met => 2,
            CriterionStanding::Partial => 1,
            CriterionStanding::Unmet => 0,
        };
        held = held.saturating_add(weight.saturating_mul(halves));
        all = all.saturating_add(weight);
    }
    let share = held
        .saturating_mul(WHOLE)
        .checked_div(all.saturating_mul(2));
    u32::try_from(share.unwrap_or(0)).unwrap_or(0)
}

/// True when a criterion was shown by something that ran, not by reading alone.
pub fn was_executed(judged: &CriterionJudged) -> bool {
    judged.evidence.iter().any(|evidence| match evidence {
        EvidenceRef::Test { .. } | EvidenceRef::Command { .. } | EvidenceRef::Smoke { .. } => true,
        EvidenceRef::File { .. } | EvidenceRef::Commit { .. } => false,
    })
}

/// Evidence as people read it: a test by its name, a line of a file as `path:line`.
pub fn evidence_text(evidence: &EvidenceRef) -> String {
    match evidence {
        EvidenceRef::Test { name } => name.clone(),
        EvidenceRef::File { path, line } => format!("{path}:{line}"),
        EvidenceRef::Commit { id } => format!("commit {id}"),
        EvidenceRef::Command { command, exit } => format!("`{command}` ended with {exit}"),
        EvidenceRef::Smoke { request } => format!("smoke run `{request}`"),
    }
}

fn named(evidence: &[EvidenceRef]) -> String {
    if evidence.is_empty() {
        return "nothing was named".to_owned();
    }
    let all: Vec<String> = evidence.iter().take(5).map(evidence_text).collect();
    all.join(", ")
}

fn last_part(test: &str) -> &str {
    test.rsplit("::").next().unwrap_or(test)
}

fn one_spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[path = "judging_tests.rs"]
mod tests;
