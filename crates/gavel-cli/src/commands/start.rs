//! `gavel start "<idea>"`: finds or makes the place, starts a run, drives it.

use std::path::Path;

use gavel_domain::{Caps, Digest, MicroUsd, Month, PushDecision, RunId};
use gavel_domain::{IdeaOrigin, ProductBrief};
use gavel_rules::{Asking, sanitize_line};
use gavel_run::{NewRun, usage};
use gavel_store::{Access, CallsQuery, Store as _};
use gavel_workspace::{ProjectFolder, Repository};

use super::control::read_text;
use super::drive::drive;
use crate::args::StartArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::flows::{RunsOf, undrivable_runs};
use crate::publishing;
use crate::site::{Site, Wanted};
use crate::slots::{OFFLINE, models_of, offline_alone, slots_of, told};
use crate::ui::Look;

/// Longer ideas are specifications: nobody reads them at once, and no prompt has room for them.
const MAX_IDEA_BYTES: usize = 32 * 1024;
/// How many uncommitted files are named.
const MOST_NAMED: usize = 5;
const BRANCH_PREFIX: &str = "gavel/";

pub(crate) async fn run(mut context: Context, args: StartArgs) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadWrite).await?;
    let asking = context.asking();
    let said_by = IdeaOrigin::Person;
    let id = record(
        &mut context,
        store.clone(),
        &args,
        Caller { asking, said_by },
    )
    .await?;
    let Some(head) = store.head(id).await? else {
        return Err(gavel_run::RunError::NoRun(id).into());
    };
    let wait = context.wait_mode();
    drive(&context, store, &head, wait).await
}

/// Who begins a run.
#[derive(Clone, Copy)]
pub(super) struct Caller {
    /// Whether they can be asked.
    pub(super) asking: Asking,
    /// Whose words the idea is.
    pub(super) said_by: IdeaOrigin,
}

/// Finds or makes the place and records the run, unless it is on record.
pub(super) async fn record(
    context: &mut Context,
    store: std::sync::Arc<gavel_store::SqliteStore>,
    args: &StartArgs,
    caller: Caller,
) -> Result<RunId, Failure> {
    let id = args
        .run
        .unwrap_or_else(|| RunId::from_uuid(gavel_run::fresh_id()));
    if store.head(id).await?.is_none() {
        let idea = idea(args.idea.clone())?;
        refuse_pack(args.recipe.as_deref())?;
        // Nothing is made for a model that cannot be reached.
        let slots = slots_of(&context.settings()?.of_run().values)?;
        context.engine(store.clone(), &models_of(&slots))?;
        let wanted = if args.from_repo {
            Wanted::Existing
        } else {
            Wanted::Any
        };
        let site = Site::find(context, args.into.as_deref(), wanted).await?;
        let here = ProjectFolder {
            id: site.project,
            root: Some(site.checkout.clone()),
        };
        for run in undrivable_runs(&store, RunsOf::Project(&here)).await? {
            let note = context.ui.look_beside("note", Look::Warn);
            context.ui.note(format!("{note} {}", run.describe()));
            context.ui.note(format!("     {}", run.remedy()));
        }
        tell_uncommitted(context, &site).await;
        let brief = ProductBrief {
            said_by: caller.said_by,
            ..brief(context, args, &site, (id, idea))?
        };
        let push = publishing::decide(context, &store, &site, caller.asking).await?;
        let beginning = Beginning { id, brief, push };
        begin(context, store, beginning, &site).await?;
    }
    Ok(id)
}

/// A run begins with the last commit: what lies beside it in the checkout stays out, and that is said. What
/// cannot be looked up is left to the run, which opens the repository anyway.
async fn tell_uncommitted(context: &Context, site: &Site) {
    let (Ok(git), Ok(base)) = (context.git(), site.base.parse()) else {
        return;
    };
    let Ok(repository) = Repository::open(&git, &site.checkout).await else {
        return;
    };
    let Ok(files) = repository.uncommitted(&site.checkout, &base).await else {
        return;
    };
    // What a first start makes is Gavel's own.
    let own = |file: &String| file == "gavel.toml" || file.starts_with(".gavel/");
    let files: Vec<String> = files.into_iter().filter(|file| !own(file)).collect();
    if files.is_empty() {
        return;
    }
    let named: Vec<&str> = files.iter().take(MOST_NAMED).map(String::as_str).collect();
    let more = match files.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let warning = context.ui.look_beside("note", Look::Warn);
    context.ui.note(format!(
        "{warning} uncommitted changes stay out of this run, which begins with your last commit: {}{more}",
        sanitize_line(&named.join(", "))
    ));
}

fn idea(word: String) -> Result<String, Failure> {
    let idea = read_text(word)?.trim().to_owned();
    if idea.is_empty() {
        return Err(Failure::usage("there is no idea: give one in a few words")
            .hint("gavel start \"a bookmark manager with tags\""));
    }
    if idea.len() > MAX_IDEA_BYTES {
        let long = format!("the idea is longer than {MAX_IDEA_BYTES} bytes; nothing was started");
        return Err(Failure::usage(long).hint("say it in a few sentences"));
    }
    Ok(idea)
}

/// A pack that is named and not followed would be a promise that nobody keeps.
fn refuse_pack(pack: Option<&str>) -> Result<(), Failure> {
    let Some(pack) = pack else {
        return Ok(());
    };
    let none = anyhow::anyhow!("there is no recipe pack `{pack}`: this version has no packs");
    Err(Failure::new(Exit::Refused, none)
        .hint("leave --recipe out; --stack TEXT tells which language and libraries you want"))
}

fn brief(
    context: &Context,
    args: &StartArgs,
    site: &Site,
    about: (RunId, String),
) -> Result<ProductBrief, Failure> {
    Ok(ProductBrief {
        stack: args.stack.clone(),
        without_memory: args.no_prior_context,
        force_council: args.force_council,
        review_phases: args.review_phases,
        mini: args.mini,
        from_repo: args.from_repo,
        ..plain_brief(context, site, about)?
    })
}

/// Starts the run of one step of a plan.
pub(super) async fn begin_step(
    context: &Context,
    store: &std::sync::Arc<gavel_store::SqliteStore>,
    (id, idea): (RunId, String),
    site: &Site,
) -> Result<(), Failure> {
    let brief = ProductBrief {
        said_by: IdeaOrigin::PlanStep,
        ..plain_brief(context, site, (id, idea))?
    };
    let push = publishing::decide(context, store, site, context.asking()).await?;
    let beginning = Beginning { id, brief, push };
    begin(context, std::sync::Arc::clone(store), beginning, site).await
}

/// What a run begins with, besides the settings.
struct Beginning {
    id: RunId,
    brief: ProductBrief,
    push: PushDecision,
}

/// The brief of a run without any wishes.
fn plain_brief(
    context: &Context,
    site: &Site,
    (id, idea): (RunId, String),
) -> Result<ProductBrief, Failure> {
    let project = site
        .project
        .map_or_else(|| "unnamed".to_owned(), |project| project.to_string());
    let work_tree = absolute(context.state())?
        .join("worktrees")
        .join(project)
        .join(id.short())
        .join("tree");
    Ok(ProductBrief {
        idea,
        said_by: IdeaOrigin::Person,
        git: context.git()?,
        checkout: site.checkout.clone(),
        repository: site.git_dir.clone(),
        base: site.base.clone(),
        work_tree,
        branch_prefix: BRANCH_PREFIX.to_owned(),
        stack: None,
        without_memory: false,
        force_council: false,
        review_phases: false,
        mini: false,
        from_repo: false,
    })
}

/// The folder with links resolved; it exists, since the store lies in it.
fn absolute(folder: &Path) -> Result<std::path::PathBuf, Failure> {
    crate::project::real(folder)
}

/// What is left of the month, when that is less than the run's own cap.
async fn left_of_month(
    store: &std::sync::Arc<dyn gavel_store::Store>,
    caps: &Caps,
) -> Result<Option<MicroUsd>, Failure> {
    let Some(month) = caps.month_usd else {
        return Ok(None);
    };
    let query = CallsQuery {
        run: None,
        month: Some(Month::of(Context::clock().now())),
    };
    let spent = usage(store.as_ref(), query).await?.total;
    let booked = spent.cost + spent.interrupted_ceiling + spent.reserved;
    let left = month.saturating_sub(booked);
    Ok(caps.run_usd.is_none_or(|cap| cap > left).then_some(left))
}

/// The run's own money cap, in words.
pub(super) fn cap_told(caps: &Caps) -> String {
    match caps.run_usd {
        Some(cap) => format!("at most {cap}"),
        None => "no cap".to_owned(),
    }
}

/// Warns when less is left of the month than the run may spend.
pub(super) async fn tell_month(
    context: &Context,
    store: &std::sync::Arc<dyn gavel_store::Store>,
    caps: &Caps,
) -> Result<(), Failure> {
    if let Some(left) = left_of_month(store, caps).await? {
        let warning = context.ui.look_beside("note", Look::Warn);
        context.ui.note(format!(
            "{warning} of caps.month_usd {left} is left, which is less than this run may spend"
        ));
    }
    Ok(())
}

/// Writes the run's first fact, and says what begins.
async fn begin(
    context: &Context,
    store: std::sync::Arc<gavel_store::SqliteStore>,
    Beginning { id, brief, push }: Beginning,
    site: &Site,
) -> Result<(), Failure> {
    // The settings of the place count, which `--into` may just have chosen.
    let mut settings = context.settings()?.of_run();
    push.record(&mut settings);
    if context.general.yes {
        settings.record_yes();
    }
    let slots = slots_of(&settings.values)?;
    let caps = settings.caps.clone();
    let cap = cap_told(&caps);
    let text = serde_json::to_string(&brief).map_err(|error| Failure::new(Exit::Bug, error))?;
    let new = NewRun {
        driver: gavel_product::DRIVER.to_owned(),
        flow: gavel_product::FLOW,
        settings,
        project: site.project,
        brief: Some(text),
    };
    let engine = context.engine(store, &models_of(&slots))?;
    // The id is random enough to draw the seed from it, and a test may repeat it.
    engine.start_as(id, Digest::of(id.to_string()), new).await?;
    let strong = |text: &str| context.ui.look_beside(text, Look::Strong);
    let short = id.short();
    context.ui.note(format!(
        "{} {short}  {}  {}\n{} {}, {cap}",
        strong("run"),
        site.checkout.display(),
        context
            .ui
            .look_beside(&format!("on {BRANCH_PREFIX}build-{short}"), Look::Faint),
        strong("models"),
        told(&slots),
    ));
    if !offline_alone(&slots) {
        tell_month(context, engine.store(), &caps).await?;
    }
    if slots.coder.as_str() == OFFLINE && !crate::means::has_cargo() {
        let warning = context.ui.look_beside("note", Look::Warn);
        context.ui.note(format!(
            "{warning} cargo was not found: the rules write Rust, and nothing can be tested here"
        ));
    }
    Ok(())
}
