//! Why a loop did not do what somebody asked, as an exit code and what to type now.

use gavel_deliberation::loops::{LoopProblem, PromoteError};
use gavel_domain::RunId;
use gavel_rules::deliberation::AdvanceError;

use crate::exit::Exit;
use crate::failure::Failure;

/// A problem with a loop that is known.
pub(super) fn failed(id: RunId) -> impl Fn(LoopProblem) -> Failure {
    move |problem| of(problem, Some(id))
}

/// A problem without a loop.
pub(crate) fn plain(problem: LoopProblem) -> Failure {
    of(problem, None)
}

/// A plan that was not kept.
pub(super) fn not_kept(id: RunId) -> impl Fn(PromoteError) -> Failure {
    move |error| match error {
        PromoteError::Loop(problem) => of(problem, Some(id)),
        PromoteError::Open(error) => error.into(),
        PromoteError::Add(error) => error.into(),
        PromoteError::Store(error) => error.into(),
        error @ PromoteError::NoPlan { .. } => Failure::new(Exit::Usage, error)
            .hint(format!(
                "gavel loop get {} shows where it stands",
                id.short()
            ))
            .because("not_promotable"),
        PromoteError::KeptAs {
            artifact,
            item,
            kind,
        } => {
            let hint = format!("gavel memory get {item} shows it");
            let error = PromoteError::KeptAs {
                artifact,
                item,
                kind,
            };
            Failure::new(Exit::Conflict, error)
                .hint(hint)
                .because("promoted_before")
        }
    }
}

fn of(problem: LoopProblem, id: Option<RunId>) -> Failure {
    let code = problem.code();
    let (exit, hint) = (exit_of(&problem), hint_of(&problem, id));
    let failure = if let LoopProblem::Run(error) = problem {
        Failure::from(error)
    } else {
        Failure::new(exit, problem)
    };
    let failure = match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    };
    failure.because(code)
}

const fn exit_of(problem: &LoopProblem) -> Exit {
    match problem {
        LoopProblem::NotYours { .. }
        | LoopProblem::NotTheirVoice { .. }
        | LoopProblem::Stranger { .. }
        | LoopProblem::OtherAgent { .. }
        | LoopProblem::OwnerOnly { .. } => Exit::Refused,
        LoopProblem::Advance(AdvanceError::Blocked { .. }) => Exit::Gate,
        LoopProblem::Version { .. }
        | LoopProblem::KeyReused
        | LoopProblem::NotOpen { .. }
        | LoopProblem::NotPaused { .. }
        | LoopProblem::AfterAnother { .. }
        | LoopProblem::Advance(AdvanceError::LastPhase { .. } | AdvanceError::NotOpen { .. }) => {
            Exit::Conflict
        }
        LoopProblem::Memory(_) | LoopProblem::AnswerUnreadable(_) | LoopProblem::Run(_) => {
            Exit::Failed
        }
        LoopProblem::NoLoop(_)
        | LoopProblem::Several(_)
        | LoopProblem::Name(_)
        | LoopProblem::Unknown(_)
        | LoopProblem::Missing { .. }
        | LoopProblem::Protocol(_)
        | LoopProblem::ProtocolForm(_)
        | LoopProblem::NoSlot { .. }
        | LoopProblem::NotActing { .. }
        | LoopProblem::NobodyOfYours { .. }
        | LoopProblem::TooLong { .. }
        | LoopProblem::TooMany { .. }
        | LoopProblem::NoTurn { .. }
        | LoopProblem::NothingProduced { .. }
        | LoopProblem::NoReason { .. }
        | LoopProblem::Artifact(_)
        | LoopProblem::Uncovered { .. }
        | LoopProblem::Advance(AdvanceError::NoPhase { .. })
        | LoopProblem::Promote(_) => Exit::Usage,
    }
}

/// What to type now.
fn hint_of(problem: &LoopProblem, id: Option<RunId>) -> Option<String> {
    let loops = "gavel loop list --all shows the loops of this project".to_owned();
    let unknown = matches!(problem, LoopProblem::NoLoop(_) | LoopProblem::Several(_));
    let Some(id) = id.map(RunId::short) else {
        return unknown.then_some(loops);
    };
    let get = format!("gavel loop get {id} shows where it stands");
    Some(match problem {
        LoopProblem::NoLoop(_) | LoopProblem::Several(_) => loops,
        LoopProblem::Version { actual, .. } => {
            format!("gavel loop get {id} shows it as it is now; then --expect {actual}")
        }
        LoopProblem::NotYours { holder, slot, .. } => {
            format!("{holder} hands in for {slot}: gavel loop inbox --agent {holder}")
        }
        LoopProblem::NotTheirVoice {
            slot,
            holder,
            agent,
        } => format!(
            "gavel loop inbox --agent {holder} shows it the turn; gavel loop complete {id} {slot} \
             --agent {agent} --outcome cancelled --reason \"…\" takes it back"
        ),
        LoopProblem::NoTurn { slot } | LoopProblem::NotActing { slot, .. } => {
            format!(
                "gavel loop get {id} shows whose turn it is; gavel loop turn {id} {slot} gives one"
            )
        }
        LoopProblem::NothingProduced { .. } => "hand it in with --artifact TYPE=TEXT".to_owned(),
        LoopProblem::Uncovered { critiques } => format!(
            "add --addresses {}, or --waive ID=REASON for what the plan leaves",
            critiques.join(",")
        ),
        LoopProblem::NoReason { .. } => "add --reason \"…\"".to_owned(),
        LoopProblem::NotPaused { .. }
        | LoopProblem::NotOpen { .. }
        | LoopProblem::AfterAnother { .. }
        | LoopProblem::NoSlot { .. }
        | LoopProblem::Advance(_)
        | LoopProblem::OwnerOnly { .. }
        | LoopProblem::Stranger { .. }
        | LoopProblem::NobodyOfYours { .. }
        | LoopProblem::Artifact(_)
        | LoopProblem::Promote(_) => get,
        LoopProblem::KeyReused
        | LoopProblem::TooLong { .. }
        | LoopProblem::TooMany { .. }
        | LoopProblem::OtherAgent { .. }
        | LoopProblem::Name(_)
        | LoopProblem::Unknown(_)
        | LoopProblem::Missing { .. }
        | LoopProblem::Protocol(_)
        | LoopProblem::ProtocolForm(_)
        | LoopProblem::Memory(_)
        | LoopProblem::AnswerUnreadable(_)
        | LoopProblem::Run(_) => return None,
    })
}
