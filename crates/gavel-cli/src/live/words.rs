//! What stages and parts are called, and what came of them, in words.

use gavel_domain::{
    BreakerTripped, CriteriaJudged, Role, ShareExceeded, SprintPart, SprintStage, Stage,
    VerifyVerdict,
};
use gavel_rules::Breaker;
use gavel_rules::sanitize_line;
use serde_json::Value;

use super::progress::{Came, Progress};

/// What a finished stage came to.
pub(crate) fn came_of(stage: Stage, came: &Came) -> String {
    match stage {
        Stage::Intake => match &came.route {
            Some((route, size)) => {
                let way = match route.as_str() {
                    "hot_path" => "straight to work",
                    "council" => "through the council",
                    other => other,
                };
                format!("{size}, {way}")
            }
            None => String::new(),
        },
        Stage::Discovery => match came.answers_taken {
            Some(taken) => format!("{} as recommended", count(taken, "answer")),
            None => String::new(),
        },
        Stage::Council => council(came),
        Stage::Scoping => count(came.criteria, "criterion"),
        Stage::Contracts => count(size(came.contracts.len()), "contract"),
        Stage::Building => building(came),
        Stage::Gating => match came.gate {
            Some((true, score)) => format!("passed, {}", percent(score)),
            Some((false, score)) => format!("not passed, {}", percent(score)),
            None => "without a verdict".to_owned(),
        },
        Stage::Sealing => came.seal.clone().unwrap_or_default(),
        Stage::Lessons => match came.lessons {
            0 => "none".to_owned(),
            lessons => format!("{lessons} proposed"),
        },
        Stage::Scout => String::new(),
    }
}

fn council(came: &Came) -> String {
    // The spec is reviewed by rules also where the council debated: a debate has a badge.
    if let (Some((speaks_for, speaks_against)), None) = (came.review, came.badge) {
        return format!("rule-based review: {speaks_for} for, {speaks_against} against");
    }
    if let Some((options, cites)) = came.options {
        return format!(
            "rules: {}, {}",
            count(options, "option"),
            count(cites, "citation")
        );
    }
    let mut text = count(came.decisions, "decision");
    if came.dissent > 0 {
        text.push_str(&format!(", {} with dissent", came.dissent));
    }
    if let Some(badge) = came.badge {
        text.push_str(&format!(", evidence {}", badge.word()));
    }
    text
}

fn building(came: &Came) -> String {
    let mut parts = vec![
        count(size(came.phases.len()), "phase"),
        count(came.commits, "commit"),
    ];
    if let Some(verified) = &came.verified {
        parts.push(match verified.verdict {
            VerifyVerdict::Passed => format!("{} pass", count(verified.passed, "test")),
            VerifyVerdict::Failed => {
                format!("{} of {} tests fail", verified.failed, verified.executed)
            }
            VerifyVerdict::Unclear => "tests unclear".to_owned(),
        });
    }
    parts.join(", ")
}

/// What happens right now.
pub(crate) fn doing(progress: &Progress) -> String {
    let Some(stage) = progress.stage() else {
        let doing = progress.deliberation.doing();
        return doing.unwrap_or_else(|| "begins".to_owned());
    };
    let asked = progress.at_work().next().is_some();
    let came = &progress.came;
    match stage {
        Stage::Intake => "reading the idea".to_owned(),
        Stage::Scout => "reading the repository".to_owned(),
        Stage::Discovery => "looking for good answers".to_owned(),
        Stage::Council => match progress.debate.doing() {
            Some(doing) => doing,
            None if asked => "weighing the plan".to_owned(),
            None => "reviewing the plan".to_owned(),
        },
        Stage::Scoping => "writing the spec".to_owned(),
        Stage::Contracts => format!("{} of 9 written", came.contracts.len()),
        Stage::Building => match &progress.sprint {
            Some(part) => sprint_doing(progress, part),
            None => "preparing the work tree".to_owned(),
        },
        Stage::Gating => {
            let proof = progress.proof.doing();
            proof.unwrap_or_else(|| "testing a fresh checkout".to_owned())
        }
        Stage::Sealing => "signing the seal".to_owned(),
        Stage::Lessons => "looking for lessons".to_owned(),
    }
}

/// `sprint 3 of 8, phase 2: writing code`.
fn sprint_doing(progress: &Progress, part: &SprintStage) -> String {
    let plain = part_doing(part);
    let Some(opened) = &progress.opened else {
        return plain;
    };
    let (sprint, most) = (opened.sprint, progress.max_sprints);
    let phase = opened
        .phase
        .map_or_else(String::new, |phase| format!(", phase {phase}"));
    let doing = plain.split_once(": ").map_or(&*plain, |(_, doing)| doing);
    format!("sprint {sprint} of {most}{phase}: {doing}")
}

/// How many criteria hold after a sprint; only the gate proves them.
pub(crate) fn score_told(judged: &CriteriaJudged) -> String {
    let CriteriaJudged {
        sprint,
        met,
        partial,
        unmet,
        score,
        judged: _,
    } = judged;
    let all = met + partial + unmet;
    let partly = match partial {
        0 => String::new(),
        some => format!(", {some} in part"),
    };
    format!(
        "sprint {sprint}: {met} of {all} criteria hold{partly} ({} %), not proven yet",
        score / 10
    )
}

/// Why the run does not go on by itself.
pub(crate) fn breaker_told(tripped: &BreakerTripped) -> String {
    let place = tripped
        .sprint
        .map_or_else(String::new, |sprint| format!(" (sprint {sprint})"));
    let then = if tripped.degraded {
        "it goes on, and the seal says so"
    } else {
        "it waits for you"
    };
    let known = Breaker::from_word(&tripped.breaker);
    let what = known.map_or_else(
        || tripped.reason.replace('_', " "),
        |breaker| breaker.sentence().trim_end_matches('.').to_owned(),
    );
    format!("{what}{place}: {then}")
}

/// A stage took more than its share; nothing stops for it.
pub(crate) fn share_told(share: &ShareExceeded) -> String {
    let ShareExceeded {
        stage,
        spent,
        share,
    } = share;
    format!("{stage} has spent {spent}, more than its share of {share}; it goes on")
}

/// What a part of a sprint does.
pub(crate) fn part_doing(part: &SprintStage) -> String {
    let doing = match part.part {
        SprintPart::Scout => "scout reads",
        SprintPart::Plan => "planning files",
        SprintPart::Code => "writing code",
        SprintPart::Verify => "running the tests",
        SprintPart::Audit => "auditing",
        SprintPart::Fix => "repairing",
        SprintPart::Commit => "committing",
    };
    let round = match part.round {
        0 => String::new(),
        round => format!(" (repair {round})"),
    };
    format!("sprint {}: {doing}{round}", part.sprint)
}

/// What a tool does, from its name and what it was called with.
pub(crate) fn tool_doing(name: &str, arguments: &[u8]) -> String {
    let arguments: Value = serde_json::from_slice(arguments).unwrap_or(Value::Null);
    let given = ["path", "kind", "phase", "command", "pattern", "about"]
        .iter()
        .find_map(|field| arguments.get(field));
    let given = match given {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        Some(_) | None => String::new(),
    };
    let verb = match name {
        "write_file" => "writing",
        "edit_file" => "changing",
        "read_file" => "reading",
        "list_directory" => "looking into",
        "search_code" => "searching",
        "check_syntax" => "checking",
        "run_tests" => "running the tests",
        "run_command" => "running",
        "submit_contract" => "submitting",
        "submit_audit" => "submitting the audit",
        "gavel_get_contract" => "reading contract",
        "gavel_get_phase_window" => "reading phase",
        "gavel_get_project_context" => "reading",
        "gavel_list_contracts" => "listing contracts",
        other => other,
    };
    // What a model wrote may hold anything: one line, and no sign that steers a terminal.
    let given: String = given.chars().take(120).collect();
    format!("{verb} {}", sanitize_line(&given))
        .trim()
        .to_owned()
}

/// A role as people call it.
pub(crate) const fn role(role: Role) -> &'static str {
    match role {
        Role::Person => "person",
        Role::Engine => "engine",
        Role::Leader => "leader",
        Role::Stance => "seat",
        Role::Researcher => "researcher",
        Role::Scout => "scout",
        Role::Coder => "coder",
        Role::Auditor => "auditor",
        Role::Fixer => "fixer",
        Role::Judge => "judge",
        Role::Guest => "guest",
    }
}

/// `0.4 s`, `12 s`, `3:05`.
pub(crate) fn span(millis: i64) -> String {
    let seconds = millis / 1_000;
    if seconds >= 60 {
        format!("{}:{:02}", seconds / 60, seconds % 60)
    } else if seconds >= 10 {
        format!("{seconds} s")
    } else {
        format!("{seconds}.{} s", (millis % 1_000) / 100)
    }
}

fn percent(score: u32) -> String {
    format!("{} % shown", score / 10)
}

fn count(number: u32, thing: &str) -> String {
    match (number, thing) {
        (1, _) => format!("1 {thing}"),
        (_, "criterion") => format!("{number} criteria"),
        (_, _) => format!("{number} {thing}s"),
    }
}

fn size(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
