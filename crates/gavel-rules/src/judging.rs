//! Judging criteria: what a test of a criterion's name shows, which evidence of a judge exists, and
//! what it all comes to. How evidence looks proves nothing; it must be found.

use std::collections::{BTreeMap, BTreeSet};

use gavel_domain::{
    Criterion, CriterionJudged, CriterionStanding, EvidenceRef, test_name, test_without_parameters,
};
use serde::Serialize;

/// Everything met.
const WHOLE: u64 = 1000;
/// The shortest beginning of a commit's id that names it.
const SHORTEST_ID: usize = 7;
/// What Gavel itself puts on the branch: contracts and notes that say what was wanted, not what is.
const OURS: &str = ".gavel/";

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
    /// The named files of the judged tree, with what they hold.
    pub files: &'a BTreeMap<String, String>,
    /// The commits of the build's branch, ids in full.
    pub commits: &'a BTreeSet<String>,
    /// Commands on record with how they ended, words separated by spaces.
    pub commands: &'a [(String, Option<i32>)],
    /// Those that ran the project's tests. That tests passed says nothing about any statement of its
    /// own, so they are evidence only for what the program itself claims.
    pub test_commands: &'a [(String, Option<i32>)],
    /// Requests of smoke runs that came to what their recipe says.
    pub smoke: &'a [String],
}

/// What somebody said about a criterion, not yet checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Claimed {
    /// Who says it; no part of what was said.
    #[serde(skip)]
    pub by: Claimant,
    /// How far it holds, by their word.
    pub standing: CriterionStanding,
    /// What is to show it.
    pub evidence: Vec<EvidenceRef>,
    /// Why.
    pub note: String,
}

/// Who says that a criterion holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claimant {
    /// A model that judges.
    Judge,
    /// The program itself, by what it ran.
    Program,
}

/// Ids of small changes in runs of flow 4. A test could be called so, and would then speak for a
/// statement that it was not written for.
const NEVER_BY_TEST: [&str; 2] = ["change_made", "tests_still_pass"];

/// What tests of exactly the criterion's name say. Names are compared by their last part, and a test
/// that ran with several parameters is one test.
pub fn shown_by_test<'a>(
    criterion: &str,
    passed: &'a BTreeSet<String>,
    failed: &'a BTreeSet<String>,
) -> TestWord<'a> {
    if !Criterion::is_id(criterion) || NEVER_BY_TEST.contains(&criterion) {
        return TestWord::NoTest;
    }
    let same = |test: &&String| test_name(test) == criterion;
    match (failed.iter().find(same), passed.iter().find(same)) {
        (Some(test), _) => TestWord::Failed(test),
        (None, Some(test)) => TestWord::Passed(test),
        (None, None) => TestWord::NoTest,
    }
}

/// The evidence that exists, each once, in full names; the rest counts as none.
pub fn check_refs(claimed: &Claimed, known: &KnownProof<'_>) -> Vec<EvidenceRef> {
    let mut found: Vec<EvidenceRef> = Vec::new();
    let all = claimed.evidence.iter();
    for held in all.filter_map(|one| check_ref(one, claimed.by, known)) {
        if !found.contains(&held) {
            found.push(held);
        }
    }
    found
}

fn check_ref(evidence: &EvidenceRef, by: Claimant, known: &KnownProof<'_>) -> Option<EvidenceRef> {
    match evidence {
        EvidenceRef::Test { name } => {
            let name = test_named(name.trim(), known)?;
            Some(EvidenceRef::Test { name })
        }
        EvidenceRef::File { path, line } => {
            says_something(path, *line, known).then(|| EvidenceRef::File {
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
            let command = one_spaced(command);
            let is_it = |(ran, ended): &(String, Option<i32>)| {
                one_spaced(ran) == command && *ended == Some(*exit)
            };
            let found = match by {
                Claimant::Judge => known.commands.iter().any(is_it),
                Claimant::Program => {
                    let mut all = known.commands.iter().chain(known.test_commands);
                    all.any(is_it)
                }
            };
            let exit = *exit;
            found.then_some(EvidenceRef::Command { command, exit })
        }
        EvidenceRef::Smoke { request } => {
            let request = one_spaced(request);
            let mut ran = known.smoke.iter().map(|ran| one_spaced(ran));
            ran.any(|ran| ran == request)
                .then_some(EvidenceRef::Smoke { request })
        }
    }
}

/// True for a line of the project's own that is there and holds a word.
fn says_something(path: &str, line: u32, known: &KnownProof<'_>) -> bool {
    let ours = path
        .get(..OURS.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(OURS));
    let place = line
        .checked_sub(1)
        .and_then(|place| usize::try_from(place).ok());
    let text = known.files.get(path).zip(place);
    let text = text.and_then(|(text, place)| text.lines().nth(place));
    !ours && text.is_some_and(|text| text.contains(char::is_alphanumeric))
}

/// A passed test by its full name, or by a name that only one test has.
fn test_named(name: &str, known: &KnownProof<'_>) -> Option<String> {
    if known.failed.contains(name) {
        return None;
    }
    if known.passed.contains(name) {
        return Some(name.to_owned());
    }
    let same = |test: &&String| test_name(test) == name || test_without_parameters(test) == name;
    if known.failed.iter().any(|test| same(&test)) {
        return None;
    }
    let mut all = known.passed.iter().filter(same);
    let one = all.next()?;
    // Its runs with other parameters are the same test.
    let alone = all.all(|other| test_without_parameters(other) == test_without_parameters(one));
    alone.then(|| one.clone())
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
    let evidence = check_refs(claimed, known);
    match claimed.standing {
        CriterionStanding::Unmet => unmet(claimed.note.as_str()),
        CriterionStanding::Met | CriterionStanding::Partial if evidence.is_empty() => {
            let named = named(&claimed.evidence);
            unmet(format!(
                "nothing that was named as evidence is there: {named}"
            ))
        }
        CriterionStanding::Met if evidence.iter().any(shows_whole) => {
            (CriterionStanding::Met, evidence, claimed.note.clone())
        }
        CriterionStanding::Met | CriterionStanding::Partial => {
            (CriterionStanding::Partial, evidence, claimed.note.clone())
        }
    }
}

/// True for evidence that can show a whole statement: that something was committed, or ended in an
/// error, cannot.
const fn shows_whole(evidence: &EvidenceRef) -> bool {
    match evidence {
        EvidenceRef::Test { .. } | EvidenceRef::File { .. } | EvidenceRef::Smoke { .. } => true,
        EvidenceRef::Command { exit, .. } => *exit == 0,
        EvidenceRef::Commit { .. } => false,
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
        EvidenceRef::Test { .. } | EvidenceRef::Smoke { .. } => true,
        EvidenceRef::Command { exit, .. } => *exit == 0,
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

fn one_spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[path = "judging_tests.rs"]
mod tests;
