//! Whether the branch of a new run may be pushed: what the person's settings say, what a person said
//! before, and, where somebody sits at the terminal, what they say now.

use std::path::PathBuf;

use gavel_domain::{
    PushConsent, PushDecision, PushPlan, PushRefusal, QuestionCard, RunStarted, Seq,
};
use gavel_product::REMOTE;
use gavel_rules::{
    Asking, EarlierAnswer, PushCase, PushSetting, PushStep, RemoteFound, decide_push,
};
use gavel_store::{HeadsQuery, SqliteStore, Store as _};
use gavel_workspace::{LocalRemote, RemoteUrl, Repository};
use serde_json::Value;

use crate::card::{Room, card_lines, chosen};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::live::Keys;
use crate::site::Site;

/// Among how many runs of the project an earlier answer is sought, the newest first.
const LOOK_BACK: u32 = 500;

impl Context {
    /// Whether a person may be asked before a run begins. Whoever wants data, or said yes to
    /// everything beforehand, looks at no card; and this is nothing that `--yes` agrees to.
    pub(crate) fn asking(&self) -> Asking {
        if self.attended() && !self.general.yes && !self.general.json {
            Asking::Possible
        } else {
            Asking::Impossible
        }
    }
}

/// Decides where the branch of a run goes that begins in this place.
pub(crate) async fn decide(
    context: &Context,
    store: &SqliteStore,
    site: &Site,
    asking: Asking,
) -> Result<PushDecision, Failure> {
    let closed = [
        context.state().to_owned(),
        site.checkout.clone(),
        site.git_dir.clone(),
    ];
    let repository = site.git_dir.display().to_string();
    let remote = find(context, site, &closed).await?;
    let earlier = match &remote {
        RemoteFound::Network(address) => earlier_answer(store, site, address).await?,
        RemoteFound::Absent
        | RemoteFound::Unusable
        | RemoteFound::Forbidden
        | RemoteFound::Local(_) => EarlierAnswer::Absent,
    };
    let case = PushCase {
        remote,
        setting: setting(context, &closed)?,
        earlier,
        asking,
    };
    let plan = match decide_push(case) {
        PushStep::Plan(plan) => plan,
        PushStep::Ask(address) => ask(context, address).await,
    };
    Ok(PushDecision { repository, plan })
}

async fn find(context: &Context, site: &Site, closed: &[PathBuf]) -> Result<RemoteFound, Failure> {
    let repository = Repository::open(&context.git()?, &site.checkout).await;
    let repository = repository.map_err(|error| Failure::new(Exit::Failed, error))?;
    Ok(match repository.remote(REMOTE) {
        None => RemoteFound::Absent,
        Some(Err(_)) => RemoteFound::Unusable,
        Some(Ok(url)) => match url.local_path() {
            None => RemoteFound::Network(url.address().to_owned()),
            Some(_) => real_path(&url, closed).map_or(RemoteFound::Forbidden, RemoteFound::Local),
        },
    })
}

/// The real path of a bare repository that is not closed to pushes.
fn real_path(url: &RemoteUrl, closed: &[PathBuf]) -> Option<String> {
    let found = LocalRemote::open(url.local_path()?, closed).ok()?;
    found.path().to_str().map(str::to_owned)
}

fn setting(context: &Context, closed: &[PathBuf]) -> Result<PushSetting, Failure> {
    let settings = context.settings()?;
    let mut values = settings.effective.iter();
    let value = values.find(|value| value.key == "push.remotes");
    match value.map(|value| &value.value) {
        Some(Value::String(word)) if word == "none" => Ok(PushSetting::Never),
        Some(Value::Array(listed)) => {
            let addresses = listed.iter().filter_map(Value::as_str);
            let read = addresses.map(|text| listed_address(text, closed));
            let known: Result<Vec<_>, _> = read.collect();
            Ok(PushSetting::Remotes(known?.into_iter().flatten().collect()))
        }
        Some(_) | None => Ok(PushSetting::Ask),
    }
}

/// An address of the settings; `None` for a path at which nothing can be pushed to.
fn listed_address(text: &str, closed: &[PathBuf]) -> Result<Option<String>, Failure> {
    let url = RemoteUrl::new(text).map_err(|error| {
        Failure::usage(format!("push.remotes names `{text}`: {error}")).hint(
            "name the address as `git remote get-url origin` shows it, or a path from the root",
        )
    })?;
    Ok(match url.local_path() {
        None => Some(url.address().to_owned()),
        Some(_) => real_path(&url, closed),
    })
}

/// What a person said last about this repository and this address. It stands in the first facts of
/// runs, so there is nothing to keep in step with them.
async fn earlier_answer(
    store: &SqliteStore,
    site: &Site,
    address: &str,
) -> Result<EarlierAnswer, Failure> {
    let query = HeadsQuery {
        project: site.project,
        unfinished: false,
        limit: LOOK_BACK,
    };
    let mut heads = store.heads(query).await?;
    heads.retain(|head| head.driver == gavel_product::DRIVER);
    heads.sort_by_key(|head| std::cmp::Reverse(head.started_at));
    let repository = site.git_dir.display().to_string();
    for head in heads {
        // A run that cannot be read says nothing.
        let Ok(first) = store.records(head.run, Seq::ZERO, 1).await else {
            continue;
        };
        let started = first.first().and_then(|record| record.read().ok());
        let decision = started.and_then(|started: RunStarted| PushDecision::of(&started.settings));
        match decision {
            Some(decision) if decision.repository == repository => match decision.plan {
                PushPlan::Agreed {
                    remote,
                    by: PushConsent::Answer,
                } if remote == address => return Ok(EarlierAnswer::Agreed),
                PushPlan::Withheld {
                    remote,
                    why: PushRefusal::Declined,
                } if remote == address => return Ok(EarlierAnswer::Declined),
                PushPlan::Nowhere | PushPlan::Agreed { .. } | PushPlan::Withheld { .. } => {}
            },
            Some(_) | None => {}
        }
    }
    Ok(EarlierAnswer::Absent)
}

const YES: &str = "yes";
const NO: &str = "no";

/// Asks at the terminal. Whatever is neither yes nor no is no answer, and asked again by the next run.
async fn ask(context: &Context, address: String) -> PushPlan {
    let card = QuestionCard::with_options(
        format!("May the branches of runs in this repository be pushed to {address}?"),
        Some(
            "Its config names this remote. Your source goes there with every commit of a run, on the \
             run's own branch, never by force. You are asked once for this repository and address."
                .to_owned(),
        ),
        &[
            (YES, "push there, in this run and later ones"),
            (NO, "keep everything on this machine"),
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
    let options = [YES.to_owned(), NO.to_owned()];
    let meant = typed.and_then(|typed| chosen(&options, typed.trim()).cloned());
    match meant.as_deref() {
        Some(YES) => PushPlan::Agreed {
            remote: address,
            by: PushConsent::Answer,
        },
        Some(_) => PushPlan::Withheld {
            remote: address,
            why: PushRefusal::Declined,
        },
        None => {
            context
                .ui
                .beside("  no answer: nothing is pushed in this run");
            PushPlan::Withheld {
                remote: address,
                why: PushRefusal::Unasked,
            }
        }
    }
}
