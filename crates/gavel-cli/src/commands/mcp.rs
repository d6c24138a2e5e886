//! `gavel mcp`: the served tools, for any agent.

mod door;
mod library;
mod shop;

pub(crate) use shop::fresh_bytes;

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::anyhow;
use gavel_agent::{SessionDesk, Visit};
use gavel_domain::Role;
use gavel_mcp::{HttpDoor, HttpLimits, McpServer, Shop, serve_stdio};
use gavel_rules::Bond;
use gavel_store::{Access, SqliteStore};
use tokio_util::sync::CancellationToken;

use crate::args::McpArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::stopping;
use crate::which_run::Unnamed;

pub(crate) async fn run(context: &Context, args: McpArgs) -> Result<Exit, Failure> {
    match args.http {
        Some(_) => over_http(context, args).await,
        None => over_stdio(context, args).await,
    }
}

async fn over_stdio(context: &Context, args: McpArgs) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadWrite).await?;
    let secret = shop::secret(&store).await?;
    let desk = Arc::new(SessionDesk::for_one(&secret, Context::clock()));
    let visitor = visitor(context, &store, &args).await?;
    let server = server(context, store, &args, (desk, visitor))?;
    let stop = CancellationToken::new();
    let _watch = stopping::cancel_on_ctrl_c(stop.clone());
    let streams = (tokio::io::stdin(), tokio::io::stdout());
    let served = serve_stdio(server, streams, stop).await;
    served.map_err(|error| Failure::new(Exit::Failed, error))?;
    Ok(Exit::Done)
}

async fn over_http(context: &Context, args: McpArgs) -> Result<Exit, Failure> {
    let Some(address) = args.http else {
        return Err(Failure::usage("there is no address to listen on"));
    };
    let remote = !address.ip().is_loopback();
    if remote && !args.allow_remote {
        let open = anyhow!("{address} can be reached from other machines");
        let hint = "listen on 127.0.0.1, or add --allow-remote: then everybody needs a key";
        return Err(Failure::new(Exit::Refused, open).hint(hint));
    }
    let store = context.store(Access::ReadWrite).await?;
    let secret = shop::secret(&store).await?;
    let desk = Arc::new(SessionDesk::for_many(&secret, Context::clock()));
    let door = HttpDoor {
        address,
        keys: Arc::new(shop::StoreKeys(store.clone())),
        key_required: remote || args.require_key,
        hosts: args.host.clone(),
        limits: HttpLimits::DEFAULT,
    };
    let key_required = door.key_required;
    let server = server(context, store, &args, (desk, Visit::guest()))?;
    let open = door.open().await;
    let open = open.map_err(|error| Failure::new(Exit::Failed, error))?;
    let url = format!("http://{}/mcp", open.address());
    let who = if key_required {
        "with a key"
    } else {
        "as guests, or with a key"
    };
    context.ui.line(format!(
        "serving MCP at {url}, to clients that come {who}; ctrl-C ends it"
    ));
    let data = serde_json::json!({ "url": url, "key_required": key_required });
    context.ui.data("mcp", &data);
    let stop = CancellationToken::new();
    let _watch = stopping::cancel_on_ctrl_c(stop.clone());
    open.serve(server, stop).await;
    Ok(Exit::Done)
}

/// The fixtures of the official suite, behind the same door.
pub(crate) async fn conformance(context: &Context, address: SocketAddr) -> Result<Exit, Failure> {
    if !address.ip().is_loopback() {
        return Err(Failure::usage(
            "the fixtures are served to this machine alone",
        ));
    }
    let store = context.store(Access::ReadWrite).await?;
    let door = HttpDoor {
        address,
        keys: Arc::new(shop::StoreKeys(store)),
        key_required: false,
        hosts: Vec::new(),
        limits: HttpLimits::DEFAULT,
    };
    let open = door.open().await;
    let open = open.map_err(|error| Failure::new(Exit::Failed, error))?;
    let url = format!("http://{}/mcp", open.address());
    context
        .ui
        .line(format!("serving fixtures at {url}; ctrl-C ends it"));
    context.ui.data("mcp", &serde_json::json!({ "url": url }));
    let stop = CancellationToken::new();
    let _watch = stopping::cancel_on_ctrl_c(stop.clone());
    gavel_mcp::serve_conformance(open, stop).await;
    Ok(Exit::Done)
}

fn server(
    context: &Context,
    store: Arc<SqliteStore>,
    args: &McpArgs,
    (desk, visitor): (Arc<SessionDesk>, Visit),
) -> Result<McpServer, Failure> {
    let offered = shop::offered(&args.tools)?;
    let runs = shop::runs(context, &store)?;
    let counter = shop::counter(context, &store, (&desk, &runs))?;
    let library = Arc::new(library::Shelves::new(context, store, runs));
    Ok(McpServer::new(Shop {
        counter,
        library,
        desk,
        offered,
        visitor,
    }))
}

/// Who speaks over standard input: a guest, or the role that whoever started this gave it.
async fn visitor(context: &Context, store: &SqliteStore, args: &McpArgs) -> Result<Visit, Failure> {
    let (Some(word), Some(build)) = (&args.speaks_as, args.build.as_deref()) else {
        return Ok(Visit::guest());
    };
    let role = ROLES
        .into_iter()
        .find(|role| gavel_rules::role_word(*role) == word);
    let Some(role) = role else {
        let words = ROLES.map(gavel_rules::role_word).join(", ");
        let unknown = format!("nobody may speak as `{word}`");
        return Err(Failure::usage(unknown).hint(format!("the roles are: {words}")));
    };
    let build = context.run(store, Some(build), Unnamed::Newest).await?.run;
    let mut visit = Visit::of(role, Bond::Door);
    visit.bound = Some(build);
    visit.session.run = Some(build);
    Ok(visit)
}

/// Roles that may come from outside: never a person, never the engine.
const ROLES: [Role; 9] = [
    Role::Guest,
    Role::Leader,
    Role::Stance,
    Role::Researcher,
    Role::Scout,
    Role::Coder,
    Role::Auditor,
    Role::Fixer,
    Role::Judge,
];
