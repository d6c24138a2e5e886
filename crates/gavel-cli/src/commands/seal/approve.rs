//! `gavel seal approve`: a person looks at a result that was sealed without one, and agrees to it. A further
//! seal follows, over the same judged tree; nothing is run again.

use std::sync::Arc;

use anyhow::anyhow;
use gavel_build::{ReadersKeys, SealCheck, SealStatement, pick_branch, verify_seal};
use gavel_domain::ProductBrief;
use gavel_domain::{Approver, BranchPushed, Head, QuestionCard, RunState, Sealed, Speaker};
use gavel_product::{LaterMeans, SealsMade, seal_later};
use gavel_rules::Asking;
use gavel_run::{Drift, DriveEnd, DriveOptions, Run, StopHandle, WaitMode};
use gavel_store::{Access, SqliteStore, Store as _};
use gavel_workspace::{BranchTip, CommitId, Repository};
use serde_json::json;

use super::super::after::remove_tree;
use super::{Told, card, open_repository, unread};
use crate::card::{Room, card_lines, chosen};
use crate::context::{Context, VERSION};
use crate::driver::{product_brief, records};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::live::Keys;
use crate::stopping::on_ctrl_c;
use crate::which_run::Unnamed;

const APPROVE: &str = "approve";
const NOT_NOW: &str = "not-now";

pub(super) async fn run(context: &Context, named: Option<&str>) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadWrite).await?;
    let head = sealed_run(context, &store, named).await?;
    approve(context, store, &head).await
}

/// The run that is meant: by its id, by its branch, or by the branch that a check would take.
async fn sealed_run(
    context: &Context,
    store: &SqliteStore,
    named: Option<&str>,
) -> Result<Head, Failure> {
    let is_branch = named.is_none_or(|name| name.contains('/'));
    if !is_branch {
        return context.run(store, named, Unnamed::Newest).await;
    }
    let repository = open_repository(context).await?;
    let branches = repository.branches().await.map_err(unread)?;
    let head = repository.head().await?;
    let branch = pick_branch(&branches, &head, named).ok_or_else(|| super::no_branch(named))?;
    let check = verify_seal(&repository, branch, ReadersKeys::default()).await?;
    let Some(statement) = check.statement else {
        let none = anyhow!("{} carries no seal that can be read", branch.short());
        return Err(Failure::new(Exit::Gate, none)
            .hint(format!("gavel seal verify {} tells why", branch.short())));
    };
    let run = statement.predicate.run;
    store.head(run).await?.ok_or_else(|| {
        let gone = anyhow!("this machine holds no journal of run {run}, which made that seal");
        Failure::new(Exit::Usage, gone).hint("approve it where it was run")
    })
}

/// What a person is to look at.
struct Case {
    head: Head,
    brief: ProductBrief,
    branch: BranchTip,
    check: SealCheck,
}

impl Case {
    fn statement(&self) -> Result<&SealStatement, Failure> {
        let missing = || Failure::new(Exit::Gate, anyhow!("the seal cannot be read"));
        self.check.statement.as_ref().ok_or_else(missing)
    }
}

/// Shows a sealed run to a person and seals it with their approval.
pub(crate) async fn approve(
    context: &Context,
    store: Arc<SqliteStore>,
    head: &Head,
) -> Result<Exit, Failure> {
    let short = head.run.short();
    if head.driver != gavel_product::DRIVER || head.state != RunState::Sealed {
        let open = anyhow!("run {short} is {}: there is no seal to approve", head.state);
        return Err(Failure::new(Exit::Conflict, open).hint(format!("gavel status {short}")));
    }
    let brief = product_brief(&store, head).await?.ok_or_else(|| {
        let gone = anyhow!("what run {short} was given is no longer kept");
        Failure::new(Exit::Failed, gone)
    })?;
    if is_pending(&store, head).await? {
        context
            .ui
            .note("a person approved this before; what was left to do is done now");
        return finish(context, store, head, (brief, None)).await;
    }
    let case = look(head, brief).await?;
    if let Some(failure) = not_the_sealed_one(&store, &case).await? {
        return Err(failure);
    }
    let by = case.statement()?.predicate.approval.as_ref();
    if by.is_some_and(|approval| approval.by == Approver::Person) {
        context
            .ui
            .line(format!("run {short}: a person approved it before"));
        tell(context, &store, head).await?;
        return Ok(Exit::Done);
    }
    show(context, &case)?;
    if context.asking() == Asking::Impossible {
        return Err(nobody_looks(context, &short));
    }
    if !ask(context).await {
        context.ui.line("not approved: nothing was changed");
        return Ok(Exit::Waiting);
    }
    let commit = case.branch.commit.clone();
    finish(context, store, head, (case.brief, Some(commit))).await
}

/// True when a person approved it and the further seal is not done.
pub(crate) async fn is_pending(store: &SqliteStore, head: &Head) -> Result<bool, Failure> {
    if head.state != RunState::Sealed || head.driver != gavel_product::DRIVER {
        return Ok(false);
    }
    Ok(SealsMade::of(&records(store, head).await?)
        .pending
        .is_some())
}

async fn look(head: &Head, brief: ProductBrief) -> Result<Case, Failure> {
    let repository = Repository::open(&brief.git, &brief.checkout).await?;
    let branches = repository.branches().await.map_err(unread)?;
    let name = head.branch.as_deref().unwrap_or_default();
    let full = format!("refs/heads/{name}");
    let branch = branches.into_iter().find(|tip| tip.name == full);
    let branch = branch.ok_or_else(|| {
        let gone = anyhow!(
            "the branch `{name}` is not in {} any more",
            brief.checkout.display()
        );
        Failure::new(Exit::Conflict, gone).hint("git fetch it, or make it point to its seal again")
    })?;
    let check = verify_seal(&repository, &branch, ReadersKeys::default()).await?;
    Ok(Case {
        head: head.clone(),
        brief,
        branch,
        check,
    })
}

/// Only what this run sealed is approved, as it was sealed.
async fn not_the_sealed_one(store: &SqliteStore, case: &Case) -> Result<Option<Failure>, Failure> {
    let name = case.branch.short();
    let hint = format!("gavel seal verify {name} tells more");
    if let Some(problem) = case.check.problems.first() {
        let wrong = anyhow!("the seal of {name} does not hold: {problem}");
        return Ok(Some(Failure::new(Exit::Gate, wrong).hint(hint)));
    }
    let made = SealsMade::of(&records(store, &case.head).await?);
    let last = made.commits.last().map(String::as_str);
    if last == Some(case.branch.commit.as_str()) {
        return Ok(None);
    }
    let other = anyhow!("{name} carries another seal than the one that this run made");
    Ok(Some(Failure::new(Exit::Conflict, other).hint(hint)))
}

/// Everything that a person has to see before they agree.
fn show(context: &Context, case: &Case) -> Result<(), Failure> {
    let ui = &context.ui;
    let predicate = &case.statement()?.predicate;
    ui.line(ui.look(
        &format!(
            "Sealed, and nobody has looked at it: {}",
            case.branch.short()
        ),
        crate::ui::Look::Strong,
    ));
    let told = Told {
        check: &case.check,
        branch: &case.branch,
        named_by: None,
        thread: None,
        places: None,
    };
    card::show_statement(ui, &told, predicate);
    let after = predicate.after_approval();
    ui.line("");
    ui.line(format!("with your approval it is: {}", after.verdict));
    for reason in &after.reasons {
        ui.line(format!("  - {}", card::plain(reason)));
    }
    ui.line("");
    ui.line("look at it yourself:");
    let folder = case.brief.checkout.display().to_string();
    let branch = case.branch.short();
    let base = card::short(&predicate.base_commit);
    let judged = card::short(&predicate.judged_commit);
    let look = format!("../look-{}", predicate.build);
    let commands = [
        &[
            "git", "-C", &folder, "diff", &base, &judged, "--", ".", ":!.gavel",
        ][..],
        &["git", "-C", &folder, "worktree", "add", &look, branch],
    ];
    for words in commands {
        ui.line(format!("  {}", to_copy(words)));
    }
    for command in predicate.commands.iter().take(1) {
        let words: Vec<&str> = command.argv.iter().map(String::as_str).collect();
        ui.line("in there, its tests:");
        ui.line(format!("  {}", to_copy(&words)));
    }
    Ok(())
}

/// A command as it can be run, or the words of one that cannot be shown as it is.
fn to_copy(words: &[&str]) -> String {
    let shown = || card::plain(&words.join(" "));
    card::command_line(words).unwrap_or_else(|| format!("(not to be copied) {}", shown()))
}

/// A flag, a pipe or a program is nobody who looks.
fn nobody_looks(context: &Context, short: &str) -> Failure {
    let why = if context.general.yes {
        "--yes is no approval: a person looks at the result and says so"
    } else {
        "only a person at a terminal approves a result"
    };
    Failure::new(Exit::Refused, anyhow!(why)).hint(format!(
        "in a terminal, without --yes: gavel seal approve {short}"
    ))
}

async fn ask(context: &Context) -> bool {
    let card = QuestionCard::with_options(
        "Do you approve this result?".to_owned(),
        Some("A new seal says that a person looked. The old one stays behind it.".to_owned()),
        &[
            (APPROVE, "approve: I have looked at it"),
            (NOT_NOW, "not now: nothing changes"),
        ],
    );
    for line in card_lines(&card, None, Room::of_terminal()) {
        let dressed = line
            .iter()
            .map(|(text, look)| context.ui.look_beside(text, *look));
        context.ui.beside(dressed.collect::<String>());
    }
    let mut keys = Keys::default();
    if let Err(error) = keys.forget() {
        tracing::warn!(%error, "what was typed before the question was not forgotten");
    }
    context.ui.prompt("  1–2 › ");
    let typed = keys.line().await.ok().flatten();
    context.ui.prompt_answered();
    let options = [APPROVE.to_owned(), NOT_NOW.to_owned()];
    let meant = typed.and_then(|typed| chosen(&options, typed.trim()).cloned());
    meant.as_deref() == Some(APPROVE)
}

/// Seals what a person approved, now or in an earlier drive that died.
pub(crate) async fn finish(
    context: &Context,
    store: Arc<SqliteStore>,
    head: &Head,
    (brief, seen): (ProductBrief, Option<CommitId>),
) -> Result<Exit, Failure> {
    let seal = match seen {
        Some(seal) => seal,
        // What is pending names the seal that was looked at.
        None => SealsMade::of(&records(&store, head).await?)
            .pending
            .and_then(|approved| approved.seal.parse().ok())
            .ok_or_else(|| Failure::new(Exit::Conflict, anyhow!("somebody else finished it")))?,
    };
    let means = LaterMeans {
        workshop: context.workshop().await?,
        seal_key: context.seal_key()?,
        gavel: VERSION,
    };
    let engine = context.engine(Arc::clone(&store), &[])?;
    let options = DriveOptions {
        wait: WaitMode::Leave,
        yes: false,
        drift: Drift::Note,
        paid: context.settings()?.paid(),
    };
    let stop = StopHandle::new();
    let _watch = on_ctrl_c(stop.clone(), head.run, context.ui.clone());
    let given = brief.clone();
    let drive = |run: Run| Box::pin(seal_later(run, given, means, (Speaker::PERSON, seal)));
    let end = engine.drive_sealed(head.run, options, stop, drive).await?;
    // The seal is where it is: a folder that stays behind changes nothing about that.
    if let Err(error) = remove_tree(context, head, &brief).await {
        context.ui.note(format!("the work tree stays: {error:#}"));
    }
    if let DriveEnd::Stopped(_) = end {
        let short = head.run.short();
        return Err(Failure::new(Exit::Interrupted, anyhow!("interrupted"))
            .hint(format!("gavel seal approve {short} finishes it")));
    }
    tell(context, &store, head).await?;
    Ok(Exit::Done)
}

/// Says what the seal of a run is now.
async fn tell(context: &Context, store: &SqliteStore, head: &Head) -> Result<(), Failure> {
    let all = records(store, head).await?;
    let sealed = all
        .iter()
        .rev()
        .find_map(|record| record.read::<Sealed>().ok());
    let Some(sealed) = sealed else {
        return Ok(());
    };
    let pushed = all
        .iter()
        .rev()
        .find_map(|record| record.read::<BranchPushed>().ok());
    let pushed = pushed.filter(|one| one.commit == sealed.commit);
    let ui = &context.ui;
    let commit = card::short(&sealed.commit);
    ui.line(format!(
        "sealed, {}: {} in the commit {commit}",
        sealed.verdict, sealed.branch
    ));
    if let Some(pushed) = &pushed {
        ui.line(format!("pushed: {}", pushed.state()));
    }
    ui.line(format!("  gavel seal verify {}", sealed.branch));
    let state = pushed.map(|one| one.state().to_string());
    ui.data(
        "seal-approve",
        &json!({
            "run": head.run,
            "branch": sealed.branch,
            "commit": sealed.commit,
            "verdict": sealed.verdict,
            "pushed": state,
        }),
    );
    Ok(())
}
