//! `gavel models use`: tries one reply of each form that runs need, shows what came, and makes the model
//! the one that runs work with.

use std::sync::{Mutex, PoisonError};

use anyhow::anyhow;
use gavel_domain::{Price, Role, Settings};
use gavel_models::{ModelId, Reply, ReplyForm, probe_request};
use gavel_product::ModelTrouble;
use gavel_rules::{RetryPolicy, sanitize_line};
use gavel_run::{
    Call, Drift, DriveOptions, NewRun, PaidConsent, Run, RunError, StopHandle, WaitMode,
};
use gavel_store::Access;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::commands::config::set_own;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::slots::OFFLINE;
use crate::stopping::cancel_on_ctrl_c;
use crate::summary::clipped;
use crate::ui::Look;

/// What drives the run in which a model is tried; what it costs is booked there like any other call.
pub(crate) const MODEL_TRIAL: &str = "model-trial";
/// The setting that is written.
const LEADER: &str = "models.slots.leader";
/// How much of a reply is shown.
const SHOWN: usize = 60;

/// What came of one try.
struct Trial {
    form: ReplyForm,
    /// What was said, or what went wrong.
    outcome: Result<String, Problem>,
}

/// Why there is no reply that can be used.
struct Problem {
    text: String,
    /// Why the model could not be asked, where that is what happened.
    trouble: Option<ModelTrouble>,
}

pub(crate) async fn use_model(
    context: &Context,
    name: &str,
    try_only: bool,
) -> Result<Exit, Failure> {
    gavel_models::install_tls();
    let id = if name == OFFLINE {
        None
    } else {
        Some(named(context, name).await?)
    };
    let trials = match &id {
        Some(id) => {
            may_spend(context, id)?;
            let trials = tried(context, id).await?;
            show(context, id, &trials);
            trials
        }
        // The rules need no trial: they are part of the program.
        None => Vec::new(),
    };
    let name = id.as_ref().map_or(OFFLINE, ModelId::as_str);
    let speaks = trials
        .iter()
        .all(|trial| trial.form != ReplyForm::Text || trial.outcome.is_ok());
    let fit = trials.iter().all(|trial| trial.outcome.is_ok());
    let file = if speaks && !try_only {
        let file = set_own(LEADER, &format!("\"{name}\""))?;
        context.ui.line(format!(
            "wrote {LEADER} = \"{name}\" into {}",
            file.display()
        ));
        Some(file)
    } else {
        None
    };
    if !speaks {
        context
            .ui
            .line("it does not answer, so nothing was written");
    } else if !fit {
        let warning = context.ui.look("note", Look::Warn);
        context.ui.line(format!(
            "{warning} runs need tool calls and structured answers; without them most steps fail"
        ));
    }
    let replies: Vec<Value> = trials.iter().map(as_json).collect();
    let data = json!({ "model": name, "replies": replies, "written": file });
    context.ui.data("models_use", &data);
    Ok(if fit { Exit::Done } else { Exit::Provider })
}

fn as_json(trial: &Trial) -> Value {
    let form = trial.form.label();
    match &trial.outcome {
        Ok(reply) => json!({ "form": form, "works": true, "reply": reply }),
        Err(problem) => json!({ "form": form, "works": false, "problem": problem.text }),
    }
}

/// The model that is meant: as it is named, or the only one of its provider.
async fn named(context: &Context, name: &str) -> Result<ModelId, Failure> {
    if name.contains('/') {
        return name
            .parse::<ModelId>()
            .map_err(|error| Failure::new(Exit::Usage, error));
    }
    let models = context.models()?;
    let probe = models.probe(name).await.map_err(|error| {
        Failure::new(Exit::Provider, error).hint(
            "gavel models list shows what is there; gavel models use PROVIDER/MODEL names one",
        )
    })?;
    match probe.models.as_slice() {
        [only] => format!("{name}/{only}")
            .parse::<ModelId>()
            .map_err(|error| Failure::new(Exit::Provider, error)),
        [] => Err(Failure::new(
            Exit::Provider,
            anyhow!("{name} has no models"),
        )),
        several => {
            for model in several {
                context.ui.note(format!("  {name}/{model}"));
            }
            let count = several.len();
            Err(Failure::usage(format!("{name} has {count} models"))
                .hint(format!("name one: gavel models use {name}/MODEL")))
        }
    }
}

/// Three small replies of a model that may cost something are a person's to agree to.
fn may_spend(context: &Context, id: &ModelId) -> Result<(), Failure> {
    let loaded = context.settings()?;
    let mut models = context.models()?;
    let configured = models.ensure(id).map_err(|error| {
        let remedy = loaded.models.remedy(&error);
        Failure::new(Exit::Provider, error).hint(remedy)
    })?;
    let costs_nothing = configured.info.price == Some(Price::FREE);
    if costs_nothing || loaded.paid() == PaidConsent::Given {
        return Ok(());
    }
    let asked = "It asks for three short replies, which may cost something. Type yes to go on: ";
    if context.attended() && context.types_yes(asked)? {
        return Ok(());
    }
    Err(Failure::new(
        Exit::Waiting,
        anyhow!("{id} may cost something, so nobody was asked"),
    )
    .hint("gavel -c models.paid=agreed models use … agrees to three short replies"))
}

/// Asks the model once for each form.
async fn tried(context: &Context, id: &ModelId) -> Result<Vec<Trial>, Failure> {
    let store = context.store(Access::ReadWrite).await?;
    let engine = context.engine(store, std::slice::from_ref(id))?;
    let new = NewRun {
        driver: MODEL_TRIAL.to_owned(),
        flow: 1,
        settings: Settings::default(),
        project: None,
        brief: None,
    };
    let run = engine.start(new).await?;
    let options = DriveOptions {
        wait: WaitMode::Leave,
        yes: false,
        drift: Drift::Note,
        paid: PaidConsent::Given,
    };
    let stop = StopHandle::new();
    let stopped = CancellationToken::new();
    let _watch = cancel_on_ctrl_c(stopped.clone());
    let trials = Mutex::new(Vec::new());
    let work = async |run: Run| {
        for form in ReplyForm::ALL {
            let outcome = one_reply(&run, id, form).await?;
            let reached = !matches!(
                &outcome,
                Err(Problem {
                    trouble: Some(_),
                    ..
                })
            );
            let mut trials = trials.lock().unwrap_or_else(PoisonError::into_inner);
            trials.push(Trial { form, outcome });
            // Who cannot be asked for words cannot be asked for anything.
            if !reached {
                break;
            }
        }
        Ok(())
    };
    tokio::select! {
        end = Box::pin(engine.drive(run, options, stop.clone(), work)) => {
            end?;
        }
        () = stopped.cancelled() => {
            stop.cut();
            return Err(Failure::new(Exit::Interrupted, anyhow!("interrupted: nothing was written")));
        }
    }
    Ok(trials.into_inner().unwrap_or_else(PoisonError::into_inner))
}

async fn one_reply(
    run: &Run,
    id: &ModelId,
    form: ReplyForm,
) -> Result<Result<String, Problem>, RunError> {
    let key = match form {
        ReplyForm::Text => "trial/text",
        ReplyForm::ToolCall => "trial/tool",
        ReplyForm::Answer => "trial/answer",
    };
    let call = Call {
        request: probe_request(id, form),
        role: Role::Leader,
        // A person waits, and sees what goes wrong the first time.
        policy: RetryPolicy::never(),
    };
    match run.call(gavel_domain::Key::new(key)?, call).await {
        Ok(reply) => Ok(match form.problem(&reply.value) {
            Some(text) => Err(Problem {
                text,
                trouble: None,
            }),
            None => Ok(described(form, &reply.value)),
        }),
        Err(RunError::Failed(error)) => Ok(Err(Problem {
            text: error.message.clone(),
            trouble: ModelTrouble::of(error.fault.class),
        })),
        Err(error) => Err(error),
    }
}

fn described(form: ReplyForm, reply: &Reply) -> String {
    match (form, reply.tool_calls.first()) {
        (ReplyForm::ToolCall, Some(call)) => format!("{} {}", call.name, call.arguments),
        (ReplyForm::Text | ReplyForm::Answer | ReplyForm::ToolCall, _) => {
            reply.text.trim().to_owned()
        }
    }
}

fn show(context: &Context, id: &ModelId, trials: &[Trial]) {
    let ui = &context.ui;
    ui.line(ui.look(id.as_str(), Look::Strong));
    let rows: Vec<_> = trials
        .iter()
        .map(|trial| {
            let form = (format!("  {}", trial.form.label()), Look::Plain);
            let (word, text) = match &trial.outcome {
                Ok(reply) => (("works".to_owned(), Look::Good), reply),
                Err(problem) => (("fails".to_owned(), Look::Bad), &problem.text),
            };
            let text = clipped(&sanitize_line(text), SHOWN);
            vec![form, word, (text, Look::Faint)]
        })
        .collect();
    ui.table(&rows);
    for problem in trials
        .iter()
        .filter_map(|trial| trial.outcome.as_ref().err())
    {
        if let Some(trouble) = problem.trouble {
            ui.line(sanitize_line(&problem.text));
            ui.line(trouble.remedy(id));
        }
    }
}
