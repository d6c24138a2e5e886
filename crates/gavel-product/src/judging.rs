//! Judging criteria: a test of their name needs nobody; what no test shows goes to the judge, whose
//! evidence is looked up before it counts.

use std::collections::{BTreeMap, BTreeSet};

use gavel_agent::{Ask, Asked};
use gavel_build::{CommandRan, VerifyOutput};
use gavel_domain::{
    CriteriaJudged, Criterion, CriterionJudged, CriterionStanding, EvidenceRef, FaultClass, Role,
    Scope, Spec, Tokens, VerifyFinished, VerifyVerdict,
};
use gavel_models::ModelInfo;
use gavel_rules::{
    Claimant, Claimed, CriterionProof, KnownProof, ProofWord, Ranked, Reader, TestWord, score,
    shown_by_test, unproven,
};
use gavel_run::{Blobs, Pure, RunError, StepFailure};
use gavel_workspace::{CommitId, FileAt, RepoPath, TestNames};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::PROVEN_FLOW;
use crate::delivery::readme_text;
use crate::hot_words::shown_by_commands;
use crate::judge_task;
use crate::way::{Leave, Way, read_json};

const SYSTEM: &str = "You judge whether criteria of a software project hold, each by itself. The \
    tests of the project were run and passed, but no test has the name of these criteria. `met` \
    means that the whole statement holds, `partial` that a part of it does, `unmet` that it does \
    not, or that you cannot tell. Name what shows it: `test` (a test from the list, by its full \
    name), `file` (a path and a line in it that does what the statement says), `command` (a \
    command from the list, with its exit code), `commit` (an id from the list), `smoke` (a request \
    from the list). A commit, and a command that ended in an error, show a part at most; that all \
    tests passed shows nothing else. Everything is looked up: what is not there counts as nothing, \
    and then the criterion is unmet. Never guess a line: take it from the numbered files.";

/// The longest file whose lines are looked at.
const MOST_BYTES: usize = 4 << 20;
/// What the verification calls the commands that tried something out; the others ran tests.
const SMOKE: &str = "smoke";
/// The most commits of a branch that are looked at.
const MOST_COMMITS: u32 = 1_000;

/// What is to be judged, and what there is to judge it by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToJudge<'a> {
    /// The sprint; zero for the done gate.
    pub(crate) sprint: u32,
    pub(crate) criteria: &'a [Criterion],
    pub(crate) spec: &'a Spec,
    /// The verification of the commit, and the tests and commands of it.
    pub(crate) verify: &'a VerifyFinished,
    pub(crate) tests: &'a TestNames,
    pub(crate) commands: &'a [CommandRan],
    pub(crate) commit: &'a CommitId,
    /// Names that only a runner printed which cannot run one test alone; not looked at while a phase is
    /// built.
    pub(crate) printed: &'a BTreeSet<String>,
    /// What Gavel proved by itself, by criterion; empty while a phase is built.
    pub(crate) proven: &'a BTreeMap<String, CriterionProof>,
    /// Whether what the judge says can change what becomes of the work.
    pub(crate) asked: JudgeAsked,
    /// Judges what no test shows.
    pub(crate) judge: &'a ModelInfo,
    /// Did the work.
    pub(crate) coder: &'a ModelInfo,
}

/// Whether the judge is asked about what no test shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JudgeAsked {
    /// It is.
    Yes,
    /// The work goes back anyhow: what only a judge could say stays open.
    No,
}

/// What it came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Judgement {
    /// The criteria, in their order.
    pub(crate) judged: Vec<CriterionJudged>,
    /// The weighted share of what holds, in thousandths.
    pub(crate) score: u32,
    /// Criteria that the judge said hold, without evidence that exists.
    pub(crate) unproven: Vec<String>,
}

/// What a judgement rests on, as its fact is addressed: runs from before there was a proof go on as
/// they began.
#[derive(Serialize)]
#[serde(untagged)]
enum JudgedBy<'a> {
    Tests(Seen<'a>),
    Proof(Seen<'a>, &'a BTreeMap<String, CriterionProof>),
}

/// The commit, the criteria, the tests that passed and failed, and what was claimed.
type Seen<'a> = (
    &'a str,
    Vec<&'a str>,
    (&'a BTreeSet<String>, &'a BTreeSet<String>),
    &'a BTreeMap<String, Claimed>,
);

/// A command's words, and its exit code.
type Ended = (String, Option<i32>);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reply {
    /// One for each criterion.
    judgements: Vec<Said>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Said {
    /// The id of the criterion.
    id: String,
    standing: SaidStanding,
    /// What shows it; empty only for `unmet`.
    evidence: Vec<SaidRef>,
    /// Why, in one sentence.
    why: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SaidStanding {
    Met,
    Partial,
    Unmet,
}

/// One piece of evidence; flat, since small models lose their way in nested choices.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SaidRef {
    kind: SaidKind,
    /// The test, the path, the command, the commit or the request.
    name: String,
    /// The line of a file; 0 for anything else.
    line: u32,
    /// The exit code of a command; 0 for anything else.
    exit: i32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SaidKind {
    Test,
    File,
    Command,
    Commit,
    Smoke,
}

/// Judges criteria; `criteria` below the scope records it, and `judge-1` what the judge said.
pub(crate) async fn judge_criteria(
    way: Way<'_>,
    scope: &Scope,
    work: ToJudge<'_>,
) -> Result<Judgement, Leave> {
    let claims = claims(way, scope, &work).await?;
    let fact = record(way, scope, &work, &claims).await?;
    let judged: Vec<CriterionJudged> = read_json(way.run, fact.judged).await?;
    Ok(Judgement {
        unproven: unproven(&claims, &judged),
        score: fact.score,
        judged,
    })
}

/// What the judge says about the criteria that no test speaks of; nothing while tests fail.
async fn claims(
    way: Way<'_>,
    scope: &Scope,
    work: &ToJudge<'_>,
) -> Result<BTreeMap<String, Claimed>, Leave> {
    let TestNames { passed, failed } = work.tests;
    let silent = |one: &&Criterion| {
        let proof = work.proven.get(&one.id).map(CriterionProof::word);
        // What a test of another name shows about a small change does not replace the judge.
        let proven = Criterion::is_id(&one.id) && proof.is_some_and(|it| it != ProofWord::Silent);
        !proven && shown_by_test(&one.id, passed, failed) == TestWord::NoTest
    };
    let open: Vec<&Criterion> = work.criteria.iter().filter(silent).collect();
    let passed = match work.verify.verdict {
        VerifyVerdict::Passed => true,
        VerifyVerdict::Failed | VerifyVerdict::Unclear => false,
    };
    if !passed {
        return Ok(BTreeMap::new());
    }
    // Whether tests passed is never a judge's to say.
    let own = |one: &&Criterion| Some((one.id.clone(), shown_by_commands(one, work.commands)?));
    let mut claims: BTreeMap<String, Claimed> = open.iter().filter_map(own).collect();
    let open: Vec<&Criterion> = open
        .into_iter()
        .filter(|one| !claims.contains_key(&one.id))
        .collect();
    if open.is_empty() || work.asked == JudgeAsked::No {
        return Ok(claims);
    }
    let task = judge_task::task(way, work, &open).await?;
    let ask = Ask {
        model: work.judge,
        role: Role::Judge,
        shape: "judge",
        system: SYSTEM,
        task: &task,
        max_output: Tokens(16_000),
    };
    let check = |reply: &Reply| check(reply, &open);
    let context = &way.place.context;
    let scope = scope.scope("judge", 1)?;
    let asked = ask.answer(way.run, &scope, (context, check)).await?;
    match asked {
        Asked::Answered(reply) => claims.extend(reply.judgements.into_iter().map(Said::claim)),
        // A judge who cannot judge has shown nothing; the criteria stay open.
        Asked::Unusable { problem } => {
            let note = format!("the judge gave no usable answer: {problem}");
            let unmet = |one: &&Criterion| (one.id.clone(), nothing_shown(&note));
            claims.extend(open.iter().map(unmet));
        }
    }
    Ok(claims)
}

fn nothing_shown(note: &str) -> Claimed {
    Claimed {
        by: Claimant::Judge,
        standing: CriterionStanding::Unmet,
        evidence: Vec::new(),
        note: note.to_owned(),
    }
}

/// An answer names every criterion once and evidence for whatever it says holds.
fn check(reply: &Reply, open: &[&Criterion]) -> Result<(), String> {
    let mut missing: BTreeSet<&str> = open.iter().map(|one| one.id.as_str()).collect();
    let mut wrong = Vec::new();
    for said in &reply.judgements {
        if !missing.remove(said.id.as_str()) {
            wrong.push(format!(
                "`{}` was not asked for, or is judged twice",
                said.id
            ));
        }
        if said.standing != SaidStanding::Unmet && said.evidence.is_empty() {
            wrong.push(format!(
                "`{}` names no evidence: name what shows it, or say `unmet`",
                said.id
            ));
        }
    }
    wrong.extend(missing.iter().map(|id| format!("`{id}` is not judged")));
    wrong.truncate(12);
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("; "))
    }
}

impl Said {
    fn claim(self) -> (String, Claimed) {
        let claimed = Claimed {
            by: Claimant::Judge,
            standing: match self.standing {
                SaidStanding::Met => CriterionStanding::Met,
                SaidStanding::Partial => CriterionStanding::Partial,
                SaidStanding::Unmet => CriterionStanding::Unmet,
            },
            evidence: self.evidence.into_iter().map(EvidenceRef::from).collect(),
            note: self.why,
        };
        (self.id, claimed)
    }
}

impl From<SaidRef> for EvidenceRef {
    fn from(said: SaidRef) -> Self {
        let SaidRef {
            kind,
            name,
            line,
            exit,
        } = said;
        match kind {
            SaidKind::Test => Self::Test { name },
            SaidKind::File => Self::File {
                path: name.trim_start_matches("./").to_owned(),
                line,
            },
            SaidKind::Command => Self::Command {
                command: name,
                exit,
            },
            SaidKind::Commit => Self::Commit { id: name },
            SaidKind::Smoke => Self::Smoke { request: name },
        }
    }
}

/// Looks everything up that was named, and records what it comes to.
async fn record(
    way: Way<'_>,
    scope: &Scope,
    work: &ToJudge<'_>,
    claims: &BTreeMap<String, Claimed>,
) -> Result<CriteriaJudged, Leave> {
    let ids: Vec<&str> = work.criteria.iter().map(|one| one.id.as_str()).collect();
    let TestNames { passed, failed } = work.tests;
    let input = if way.run.flow() >= PROVEN_FLOW {
        let seen = (work.commit.as_str(), ids, (passed, failed), claims);
        JudgedBy::Proof(seen, work.proven)
    } else {
        JudgedBy::Tests((work.commit.as_str(), ids, (passed, failed), claims))
    };
    let (commands, test_commands) = commands_of(work.commands);
    let (commands, test_commands) = (commands.as_slice(), test_commands.as_slice());
    let smoke = smoke_of(way, work).await?;
    let smoke = smoke.as_slice();
    let effect = |blobs: Blobs| async move {
        let files = files_of(way, claims, work.commit).await?;
        let mut before = BTreeMap::new();
        if way.run.flow() >= PROVEN_FLOW {
            before = files_of(way, claims, &way.place.base).await?;
            without_our_words(&mut before, &files, work.spec);
        }
        let ranked = (way.run.flow() >= PROVEN_FLOW).then_some(Ranked {
            proven: work.proven,
            before: &before,
            reader: if work.judge.id == work.coder.id || work.judge.id.is_rules() {
                Reader::Author
            } else {
                Reader::Independent
            },
        });
        let known = KnownProof {
            passed,
            failed,
            printed: work.printed,
            files: &files,
            ranked,
            commits: &commits_of(way, work).await?,
            commands,
            test_commands,
            smoke,
        };
        let weight = |id: &str| work.spec.weight(id);
        let judged = gavel_rules::judge_criteria(work.criteria, weight, claims, &known);
        let count = |wanted| {
            let such = judged.iter().filter(|one| one.standing == wanted);
            u32::try_from(such.count()).unwrap_or(u32::MAX)
        };
        let text = serde_json::to_string(&judged).map_err(|error| failed_for(&error))?;
        Ok(CriteriaJudged {
            sprint: work.sprint,
            met: count(CriterionStanding::Met),
            partial: count(CriterionStanding::Partial),
            unmet: count(CriterionStanding::Unmet),
            score: score(&judged),
            judged: blobs.keep(text),
        })
    };
    let judged = way.run.step(scope.key("criteria")?, Pure, &input, effect);
    Ok(judged.await?.value)
}

/// The named files as they are in a commit; what is not there is not in it.
async fn files_of(
    way: Way<'_>,
    claims: &BTreeMap<String, Claimed>,
    commit: &CommitId,
) -> Result<BTreeMap<String, String>, StepFailure> {
    let named = claims.values().flat_map(|claimed| &claimed.evidence);
    let paths: BTreeSet<&str> = named
        .filter_map(|evidence| match evidence {
            EvidenceRef::File { path, .. } => Some(path.as_str()),
            EvidenceRef::Test { .. }
            | EvidenceRef::Commit { .. }
            | EvidenceRef::Command { .. }
            | EvidenceRef::Smoke { .. }
            | EvidenceRef::Example { .. } => None,
        })
        .collect();
    let mut files = BTreeMap::new();
    for path in paths {
        let Ok(file) = path.parse::<RepoPath>() else {
            continue;
        };
        let found = way.place.repository.file_at(commit, &file, MOST_BYTES);
        match found.await.map_err(|error| failed_for(&error))? {
            FileAt::File(bytes) => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                files.insert(path.to_owned(), text);
            }
            FileAt::TooLarge | FileAt::NotAFile | FileAt::Missing => {}
        }
    }
    Ok(files)
}

/// What Gavel wrote into a README itself says what was wanted, not what is.
fn without_our_words(
    before: &mut BTreeMap<String, String>,
    files: &BTreeMap<String, String>,
    spec: &Spec,
) {
    for path in files.keys() {
        let name = path.rsplit('/').next().unwrap_or(path);
        if name.to_ascii_lowercase().starts_with("readme") {
            let text = before.entry(path.clone()).or_default();
            text.push('\n');
            text.push_str(&readme_text(spec));
        }
    }
}

/// The commits of the branch up to the judged one; whatever came later is not its proof.
async fn commits_of(way: Way<'_>, work: &ToJudge<'_>) -> Result<BTreeSet<String>, StepFailure> {
    let place = way.place;
    let log = place.tree.log(&place.branch, MOST_COMMITS).await;
    let log = log.map_err(|error| failed_for(&error))?;
    let up_to = log.iter().skip_while(|entry| entry.commit != *work.commit);
    let ours = up_to.take_while(|entry| entry.commit != place.base);
    Ok(ours.map(|entry| entry.commit.to_string()).collect())
}

/// Commands with how they ended: those that tried something out, and those that ran tests.
pub(crate) fn commands_of(commands: &[CommandRan]) -> (Vec<Ended>, Vec<Ended>) {
    let (tried, tests): (Vec<_>, Vec<_>) = commands.iter().partition(|ran| ran.recipe == SMOKE);
    let ended = |all: Vec<&CommandRan>| {
        let all = all.into_iter();
        all.map(|ran| (ran.argv.join(" "), ran.exit)).collect()
    };
    (ended(tried), ended(tests))
}

/// The smoke runs that came to what their recipe says, as the verification recorded them.
pub(crate) async fn smoke_of(way: Way<'_>, work: &ToJudge<'_>) -> Result<Vec<String>, RunError> {
    let output = VerifyOutput::read(&way.run.text(work.verify.output).await?);
    let passed = output.smoke.into_iter().filter(|ran| ran.passed);
    Ok(passed.map(|ran| ran.request).collect())
}

fn failed_for(problem: &dyn std::error::Error) -> StepFailure {
    StepFailure::of(FaultClass::Failed, problem)
}

#[cfg(test)]
#[path = "judging_tests.rs"]
mod tests;
