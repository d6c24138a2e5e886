//! Sealing: what was proven, signed, in a commit of its own.

use std::collections::BTreeMap;

use gavel_build::{
    CommandRan, SealCommand, SealContract, SealCriterion, SealJournal, SealPredicate, SealSpend,
    SealStatement, SealWork, Signer, Site, commit_seal, push_branch,
};
use gavel_contracts::Shelf;
use gavel_domain::{Digest, SandboxLevel, Scope, Sealed, Stage};
use gavel_rules::{LeftOut, Omission, seal_verdict};
use gavel_run::Run;
use gavel_workspace::CommitId;

use crate::building::{Built, CONTRACTS, id};
use crate::discovery::Discovered;
use crate::gating::Judged;
use crate::staffing::Staff;
use crate::trouble::{Tried, persist};
use crate::way::{Leave, Way};

/// A sealed branch.
#[derive(Debug)]
pub(crate) struct SealedBranch {
    branch: String,
    commit: CommitId,
    verdict: String,
}

/// Signs the seal, commits it, and pushes the branch where there is a remote.
pub(crate) async fn seal(
    way: Way<'_>,
    site: &Site,
    (found, built): (&Discovered, &Built),
    (shelf, judged): (&Shelf, &Judged),
) -> Result<SealedBranch, Leave> {
    let Way {
        run, means, place, ..
    } = way;
    way.enter(Stage::Sealing).await?;
    let left_out = left_out(way, (found, built), judged);
    // Who is chosen when this is tried again has no part in the work.
    let mut nobody = found.staff.clone();
    persist(way, "seal", &mut nobody, async |scope: Scope, _: &Staff| {
        let statement = statement(way, (&found.staff, &left_out), (shelf, judged)).await?;
        let work = SealWork {
            tree: &place.tree,
            branch: &place.branch,
            judged: &judged.commit,
            statement: &statement,
            key: &means.seal_key,
            at: judged.at,
        };
        let made = commit_seal(run, &scope, work).await?;
        let commit = id(run, &made.commit)?;
        push_branch(run, scope.key("push")?, site, &commit).await?;
        Ok(Tried::Done(SealedBranch {
            branch: place.branch.to_string(),
            commit,
            verdict: made.signed.verdict,
        }))
    })
    .await
}

/// The run's last fact.
pub(crate) async fn finish(run: &Run, sealed: &SealedBranch) -> Result<(), Leave> {
    let fact = Sealed {
        branch: sealed.branch.clone(),
        commit: sealed.commit.to_string(),
        verdict: sealed.verdict.clone(),
    };
    run.decide(run.scope("seal", 1)?.key("sealed")?, fact)
        .await?;
    Ok(())
}

/// What the run did without, by what happened in it: models that took over later change nothing
/// about that.
fn left_out(way: Way<'_>, (found, built): (&Discovered, &Built), judged: &Judged) -> LeftOut {
    let mut left_out = LeftOut::default();
    match found.debated.as_slice() {
        [] | [_] => left_out.note(Omission::Debate),
        [first, others @ ..] if others.iter().all(|seat| seat == first) => {
            left_out.note(Omission::SecondOpinion);
        }
        _ => {}
    }
    if built.audited_itself {
        left_out.note(Omission::IndependentAudit);
    }
    if way.brief.without_memory {
        left_out.note(Omission::Memory);
    }
    if found.traps > 0 {
        left_out.note(Omission::Traps);
    }
    let bare = |ran: &CommandRan| ran.level == SandboxLevel::None;
    if judged.verified.commands.iter().any(bare) {
        left_out.note(Omission::Sandbox);
    }
    left_out
}

async fn statement(
    way: Way<'_>,
    (staff, left_out): (&Staff, &LeftOut),
    (shelf, judged): (&Shelf, &Judged),
) -> Result<SealStatement, Leave> {
    let Way {
        run, means, place, ..
    } = way;
    let (verdict, reasons) = seal_verdict(&judged.verdict, left_out);
    let (seq, head) = run.position();
    let spend = run.usage().await?.total;
    let criteria = judged.criteria.iter().zip(&judged.verdict.criteria);
    let contracts: BTreeMap<_, _> = shelf
        .iter()
        .map(|contract| {
            let file = format!("{CONTRACTS}/{}", contract.kind.file_name());
            let blake3 = contract.digest();
            (contract.kind, SealContract { file, blake3 })
        })
        .collect();
    let commands = judged.verified.commands.iter().map(|ran| SealCommand {
        argv: ran.argv.clone(),
        exit: ran.exit,
        output_blake3: Digest::of(&ran.output),
        level: ran.level,
        millis: ran.millis,
    });
    let predicate = SealPredicate {
        build: run.id().short(),
        run: run.id(),
        gavel: env!("CARGO_PKG_VERSION").to_owned(),
        sealed_at: judged.at,
        branch: place.branch.to_string(),
        base_commit: place.base.to_string(),
        judged_commit: judged.commit.to_string(),
        verdict,
        score: judged.verdict.score,
        reasons,
        left_out: left_out.lines(),
        conditions: judged.verdict.conditions.clone(),
        criteria: criteria
            .map(|(criterion, shown)| SealCriterion {
                id: criterion.id.clone(),
                statement: criterion.statement.clone(),
                evidence: shown.evidence.clone(),
                holds: shown.holds,
            })
            .collect(),
        contracts,
        journal: SealJournal { seq, head },
        commands: commands.collect(),
        models: staff.names(),
        spend: SealSpend {
            usd: spend.cost + spend.interrupted_ceiling,
            unconfirmed_usd: spend.interrupted_ceiling,
            calls: spend.calls,
            input_tokens: spend.tokens.input,
            output_tokens: spend.tokens.output,
        },
        signer: Signer {
            public_key: means.seal_key.public(),
        },
    };
    Ok(SealStatement::new(&judged.tree, predicate))
}
