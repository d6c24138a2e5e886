//! Runs that callers start: begun here with the settings of this machine, driven by another process.

use std::sync::Arc;

use gavel_agent::Refused;
use gavel_domain::{IdeaOrigin, MicroUsd, RunId};
use gavel_product::served::{Doing, RunDoor, WantedCouncil, WantedRun};
use gavel_rules::Asking;
use gavel_store::SqliteStore;

use crate::args::{CouncilArgs, FlagValue, StartArgs};
use crate::commands::{council, start};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::launch::launch;
use crate::ui::Ui;

/// Begins runs in the folder that is served.
pub(super) struct Door {
    context: Context,
    store: Arc<SqliteStore>,
}

impl Door {
    pub(super) fn new(context: &Context, store: Arc<SqliteStore>) -> Result<Self, Failure> {
        let context = silent(context)?;
        Ok(Self { context, store })
    }

    async fn begun(&self, wanted: WantedRun) -> Result<RunId, Failure> {
        let mut context = silent(&self.context)?;
        let args = StartArgs {
            idea: wanted.idea,
            stack: wanted.stack,
            mini: wanted.mini,
            force_council: wanted.force_council,
            from_repo: wanted.from_repo,
            max_cost: self.narrowed(wanted.max_cost)?,
            ..StartArgs::default()
        };
        context.general.flags = args.flags();
        // Whoever started the server is not asked in the middle of something else.
        let store = Arc::clone(&self.store);
        let caller = start::Caller {
            asking: Asking::Impossible,
            said_by: IdeaOrigin::Agent,
        };
        start::record(&mut context, store, &args, caller).await
    }

    async fn convened(&self, wanted: WantedCouncil) -> Result<RunId, Failure> {
        let mut context = silent(&self.context)?;
        let args = CouncilArgs {
            topic: Some(wanted.topic),
            max_cost: self.narrowed(wanted.max_cost)?,
            ..CouncilArgs::default()
        };
        context.general.flags = args.flags();
        council::record(&context, &self.store, (&args, wanted.attended)).await
    }

    /// The cap as a flag, when it is below that of the settings: a caller never widens it.
    fn narrowed(&self, wanted: Option<MicroUsd>) -> Result<Option<String>, Failure> {
        let set = self.context.settings()?.of_run().caps.run_usd;
        let narrower = wanted.filter(|wanted| set.is_none_or(|set| *wanted < set));
        Ok(narrower
            .map(|MicroUsd(micro)| format!("{}.{:06}", micro / 1_000_000, micro % 1_000_000)))
    }
}

impl RunDoor for Door {
    fn begin(&self, wanted: WantedRun) -> Doing<'_, RunId> {
        Box::pin(async move {
            words(&wanted.idea)?;
            self.begun(wanted)
                .await
                .map_err(|failure| refused(&failure))
        })
    }

    fn convene(&self, wanted: WantedCouncil) -> Doing<'_, RunId> {
        Box::pin(async move {
            words(&wanted.topic)?;
            self.convened(wanted)
                .await
                .map_err(|failure| refused(&failure))
        })
    }

    fn launch(&self, run: RunId) -> Doing<'_, ()> {
        Box::pin(async move {
            let launched = launch(&self.context, &self.store, run).await;
            launched.map_err(|failure| refused(&failure))
        })
    }
}

/// The same folder and state, without a word to anybody: standard output belongs to the protocol.
fn silent(context: &Context) -> Result<Context, Failure> {
    let mut general = context.general.clone();
    general.directory = Some(context.directory().to_owned());
    general.state = Some(context.state().to_owned());
    general.non_interactive = true;
    general.quiet = true;
    general.json = false;
    general.flags = Vec::<FlagValue>::new();
    // Whoever starts a server agrees to nothing in runs that others begin.
    general.yes = false;
    let ui = Ui::new(&general);
    Context::new(general, ui)
}

/// At a command line this word means standard input, which belongs to the protocol here.
fn words(text: &str) -> Result<(), Refused> {
    if text.trim() == "-" {
        return Err(Refused::new(
            "bad_arguments",
            "`-` says nothing: say it in a few words",
        ));
    }
    Ok(())
}

fn refused(failure: &Failure) -> Refused {
    let code = match failure.exit {
        Exit::Usage => "bad_arguments",
        Exit::Provider => "no_model",
        Exit::Refused => "refused",
        Exit::Conflict => "conflict",
        Exit::Done
        | Exit::Failed
        | Exit::Waiting
        | Exit::Budget
        | Exit::Gate
        | Exit::Bug
        | Exit::Interrupted => "failed",
    };
    let message = match &failure.hint {
        Some(hint) => format!("{}; {hint}", failure.message()),
        None => failure.message(),
    };
    Refused::new(code, message)
}
