//! Judging criteria: what a test of a criterion's name shows, which evidence of a judge exists, and
//! what it all comes to. How evidence looks proves nothing; it must be found.

use std::collections::{BTreeMap, BTreeSet};

use gavel_domain::{
    ByHeart, Criterion, CriterionJudged, CriterionStanding, EvidenceRank, EvidenceRef,
    ExampleChanges, test_name, test_without_parameters,
};
use serde::Serialize;

use crate::citing::{CitedLine, can_show};
use crate::proof::{CriterionProof, ProofWord};

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
    /// Names of passed tests that only a runner printed which cannot run one of them alone: they show
    /// nothing.
    pub printed: &'a BTreeSet<String>,
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
    /// What is ranked; none in runs that began before evidence had ranks.
    pub ranked: Option<Ranked<'a>>,
}

/// What evidence is ranked by.
#[derive(Debug, Clone, Copy)]
pub struct Ranked<'a> {
    /// What Gavel proved by itself, by criterion.
    pub proven: &'a BTreeMap<String, CriterionProof>,
    /// The named files as they were before the run; what is not there is new. Lines that Gavel wrote
    /// itself are among them.
    pub before: &'a BTreeMap<String, String>,
    /// Whether the judge is somebody else than whoever did the work.
    pub reader: Reader,
}

/// Who read the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// Another model than the one that did it.
    Independent,
    /// The model that did it, or rules, which read nothing.
    Author,
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
pub fn check_refs(statement: &str, claimed: &Claimed, known: &KnownProof<'_>) -> Vec<EvidenceRef> {
    let mut found: Vec<EvidenceRef> = Vec::new();
    let all = claimed.evidence.iter();
    let says = Says {
        by: claimed.by,
        statement,
    };
    for held in all.filter_map(|one| check_ref(one, says, known)) {
        if !found.contains(&held) {
            found.push(held);
        }
    }
    found
}

/// Who says that which statement holds.
#[derive(Clone, Copy)]
struct Says<'a> {
    by: Claimant,
    statement: &'a str,
}

fn check_ref(
    evidence: &EvidenceRef,
    says: Says<'_>,
    known: &KnownProof<'_>,
) -> Option<EvidenceRef> {
    match evidence {
        EvidenceRef::Test { name } => {
            let name = test_named(name.trim(), known)?;
            Some(EvidenceRef::Test { name })
        }
        EvidenceRef::File { path, line } => says_something(says.statement, (path, *line), known)
            .then(|| EvidenceRef::File {
                path: path.clone(),
                line: *line,
            }),
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
            let found = match says.by {
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
        // Only Gavel itself says what it executed.
        EvidenceRef::Example { .. } => None,
    }
}

/// True for a line of the project's own that is there and can show the statement.
fn says_something(statement: &str, (path, line): (&str, u32), known: &KnownProof<'_>) -> bool {
    let ours = path
        .get(..OURS.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(OURS));
    let Some(text) = known.files.get(path).filter(|_| !ours) else {
        return false;
    };
    if let Some(ranked) = known.ranked {
        let before = ranked.before.get(path).map(String::as_str);
        let cited = CitedLine {
            path,
            line,
            text,
            before,
        };
        return can_show(statement, cited);
    }
    let place = line
        .checked_sub(1)
        .and_then(|place| usize::try_from(place).ok());
    let line = place.and_then(|place| text.lines().nth(place));
    line.is_some_and(|line| line.contains(char::is_alphanumeric))
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
        let standing = match seen.get(id) {
            // One test cannot show two statements.
            Some(2..) => Standing::unmet("several criteria have this id"),
            Some(_) | None => standing_of(criterion, claims.get(id), known),
        };
        CriterionJudged {
            id: id.to_owned(),
            standing: standing.how_far,
            evidence: standing.evidence,
            note: standing.note,
            weight: weight(id).max(1),
            rank: standing.rank,
            caught: standing.caught,
        }
    });
    judged.collect()
}

/// How far a criterion holds, and by what.
struct Standing {
    how_far: CriterionStanding,
    evidence: Vec<EvidenceRef>,
    note: String,
    rank: Option<EvidenceRank>,
    caught: String,
}

impl Standing {
    fn unmet(note: impl Into<String>) -> Self {
        Self {
            how_far: CriterionStanding::Unmet,
            evidence: Vec::new(),
            note: note.into(),
            rank: None,
            caught: String::new(),
        }
    }

    /// Says of what does not hold that a runner printed its name, which is why that shows nothing.
    fn naming_printed(mut self, id: &str, printed: &BTreeSet<String>) -> Self {
        let is_printed = printed.iter().any(|test| test_name(test) == id);
        if self.how_far == CriterionStanding::Unmet && is_printed {
            let why = "its test was only named in what a runner printed that cannot run one test alone; an \
                       example, or a judge with evidence, can show it";
            self.note = match self.note.as_str() {
                "" => why.to_owned(),
                note => format!("{note} ({why})"),
            };
        }
        self
    }

    fn met_by(evidence: Vec<EvidenceRef>, rank: Option<EvidenceRank>) -> Self {
        Self {
            how_far: CriterionStanding::Met,
            evidence,
            note: String::new(),
            rank,
            caught: String::new(),
        }
    }
}

fn standing_of(criterion: &Criterion, said: Option<&Claimed>, known: &KnownProof<'_>) -> Standing {
    let id = criterion.id.as_str();
    let by_test = shown_by_test(id, known.passed, known.failed);
    if let TestWord::Failed(test) = by_test {
        return Standing::unmet(format!("the test {test} failed"));
    }
    let proof = known.ranked.and_then(|ranked| ranked.proven.get(id));
    match proof.map_or(ProofWord::Silent, CriterionProof::word) {
        // What a judge is asked about needs the judge, whatever a test of the work shows.
        ProofWord::Shown { .. } if said.is_some() => {}
        ProofWord::Shown {
            rank,
            evidence,
            caught,
        } => {
            return Standing {
                caught,
                ..Standing::met_by(evidence, Some(rank))
            };
        }
        ProofWord::Refuted(why) => return Standing::unmet(why),
        ProofWord::Silent => {}
    }
    match by_test {
        TestWord::Passed(test) => {
            let name = test.to_owned();
            let rank = known.ranked.map(|_| EvidenceRank::TestRan);
            Standing::met_by(vec![EvidenceRef::Test { name }], rank)
        }
        TestWord::Failed(_) | TestWord::NoTest => {
            let standing = match said {
                Some(claimed) => claimed_standing(criterion, claimed, known),
                None => Standing::unmet("no test of this name was executed"),
            };
            standing.naming_printed(id, known.printed)
        }
    }
}

/// What somebody said, as far as its evidence exists.
fn claimed_standing(criterion: &Criterion, claimed: &Claimed, known: &KnownProof<'_>) -> Standing {
    let evidence = check_refs(&criterion.statement, claimed, known);
    let holds = |how_far, evidence: Vec<EvidenceRef>| {
        let rank = known
            .ranked
            .and_then(|ranked| rank_of(&evidence, claimed.by, ranked.reader));
        let standing = Standing {
            how_far,
            evidence,
            note: claimed.note.clone(),
            rank,
            caught: String::new(),
        };
        with_new_test(standing, criterion, known)
    };
    match claimed.standing {
        CriterionStanding::Unmet => Standing::unmet(claimed.note.as_str()),
        CriterionStanding::Met | CriterionStanding::Partial if evidence.is_empty() => {
            let named = named(&claimed.evidence);
            Standing::unmet(format!(
                "nothing that was named as evidence can show it: {named}"
            ))
        }
        CriterionStanding::Met if evidence.iter().any(shows_whole) => {
            holds(CriterionStanding::Met, evidence)
        }
        CriterionStanding::Met | CriterionStanding::Partial => {
            holds(CriterionStanding::Partial, evidence)
        }
    }
}

/// What a judge calls met is shown more firmly by a test that fails without it.
fn with_new_test(
    mut standing: Standing,
    criterion: &Criterion,
    known: &KnownProof<'_>,
) -> Standing {
    let proof = known.ranked.and_then(|it| it.proven.get(&criterion.id));
    if let (CriterionStanding::Met, Some(proof)) = (standing.how_far, proof)
        && let ProofWord::Shown {
            rank,
            evidence,
            caught,
        } = proof.word()
    {
        standing.rank = standing.rank.max(Some(rank));
        for one in evidence {
            if !standing.evidence.contains(&one) {
                standing.evidence.push(one);
            }
        }
        standing.caught = caught;
    }
    standing
}

/// The rank of the firmest evidence.
fn rank_of(evidence: &[EvidenceRef], by: Claimant, reader: Reader) -> Option<EvidenceRank> {
    let read = match (by, reader) {
        (Claimant::Judge, Reader::Author) => EvidenceRank::Said,
        (Claimant::Judge, Reader::Independent) | (Claimant::Program, _) => EvidenceRank::Read,
    };
    let one = |evidence: &EvidenceRef| match rank_by_kind(evidence) {
        EvidenceRank::Read => read,
        rank @ (EvidenceRank::Said
        | EvidenceRank::TestRan
        | EvidenceRank::AsWritten
        | EvidenceRank::TestBites
        | EvidenceRank::Executed) => rank,
    };
    evidence.iter().map(one).max()
}

/// How firmly evidence of this kind shows something, where somebody else than the author read it. That a
/// test bites is no matter of its kind.
pub(crate) const fn rank_by_kind(evidence: &EvidenceRef) -> EvidenceRank {
    match evidence {
        EvidenceRef::Test { .. } | EvidenceRef::Smoke { .. } => EvidenceRank::TestRan,
        EvidenceRef::Command { exit: 0, .. } => EvidenceRank::TestRan,
        EvidenceRef::Command { .. } | EvidenceRef::File { .. } => EvidenceRank::Read,
        EvidenceRef::Commit { .. } => EvidenceRank::Said,
        EvidenceRef::Example { .. } => EvidenceRank::Executed,
    }
}

/// True for evidence that can show a whole statement: that something was committed, or ended in an
/// error, cannot.
pub(crate) const fn shows_whole(evidence: &EvidenceRef) -> bool {
    match evidence {
        EvidenceRef::Test { .. }
        | EvidenceRef::File { .. }
        | EvidenceRef::Smoke { .. }
        | EvidenceRef::Example { .. } => true,
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
        EvidenceRef::Test { .. } | EvidenceRef::Smoke { .. } | EvidenceRef::Example { .. } => true,
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
        EvidenceRef::Example { runs: 1, .. } => "its example, executed as written".to_owned(),
        EvidenceRef::Example { runs, changes } => {
            let how = match changes {
                // Before it was kept, this was said of all of them.
                None => "also with other values",
                Some(changes) => changed(*changes),
            };
            let by_heart = changes.unwrap_or_default().by_heart;
            format!(
                "its example, executed {runs} times, {how}{}",
                kept_by_heart(by_heart)
            )
        }
    }
}

/// In what the executions of an example differ, in words.
const fn changed(changes: ExampleChanges) -> &'static str {
    match (changes.values, changes.order) {
        (true, true) => "also with other values and in another order",
        (true, false) => "also with other values",
        (false, true) => "also in another order",
        (false, false) => "as written, each time in another folder",
    }
}

/// What a program that knows the written answers keeps of an example, in words.
const fn kept_by_heart(by_heart: ByHeart) -> &'static str {
    match by_heart {
        ByHeart::Nothing => "",
        ByHeart::Values => "; none of its values could be another one",
        ByHeart::Numbers => "; a number that comes out did not follow from others that went in",
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
