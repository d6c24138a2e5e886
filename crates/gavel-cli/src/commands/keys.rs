//! `gavel keys`: what programs come in with over HTTP.

use anyhow::anyhow;
use gavel_domain::Digest;
use gavel_rules::KeyScope;
use gavel_store::{Access, KeyRow};
use serde_json::{Value, json};

use crate::args::KeysCommand;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::ui::{Look, cell};

/// What a key begins with, so that scanners for secrets know it.
const PREFIX: &str = "gvl_";
const LONGEST_LABEL: usize = 80;

pub(crate) async fn run(context: &Context, command: KeysCommand) -> Result<Exit, Failure> {
    match command {
        KeysCommand::Create { scope, label } => create(context, scope.into(), label).await,
        KeysCommand::List => list(context).await,
        KeysCommand::Revoke { id } => revoke(context, &id).await,
    }
}

/// What is kept of a key. A key is 32 random bytes, so its plain digest gives nothing away.
pub(crate) fn hashed(key: &str) -> String {
    Digest::of(key.as_bytes()).to_string()
}

async fn create(context: &Context, scope: KeyScope, label: String) -> Result<Exit, Failure> {
    if label.chars().count() > LONGEST_LABEL || label.chars().any(char::is_control) {
        let long = format!("the label is one line of at most {LONGEST_LABEL} signs");
        return Err(Failure::usage(long));
    }
    let store = context.store(Access::ReadWrite).await?;
    let bytes = super::mcp::fresh_bytes()?;
    let key = format!("{PREFIX}{}", hex(&bytes));
    // Enough of the digest to tell keys apart, and nothing of the key.
    let id: String = hashed(&key)
        .chars()
        .filter(char::is_ascii_hexdigit)
        .take(10)
        .collect();
    let row = KeyRow {
        id,
        scope: scope.word().to_owned(),
        label,
        created_at: Context::clock().now(),
        revoked_at: None,
    };
    store.add_key(&row, &hashed(&key)).await?;
    context.ui.line(&key);
    context.ui.note(format!(
        "key {} with the scope {}: it is shown this once; gavel keys revoke {} takes it back",
        row.id, row.scope, row.id
    ));
    let data = json!({ "id": row.id, "key": key, "scope": row.scope, "label": row.label });
    context.ui.data("key", &data);
    Ok(Exit::Done)
}

async fn list(context: &Context) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadWrite).await?;
    let keys = store.keys().await?;
    if keys.is_empty() {
        context.ui.line("no keys yet");
    } else {
        let titles = ["key", "scope", "made", "state", "for"];
        let mut rows = vec![titles.map(|title| (title.to_owned(), Look::Faint)).to_vec()];
        rows.extend(keys.iter().map(|key| {
            let state = match key.revoked_at {
                Some(_) => ("revoked".to_owned(), Look::Faint),
                None => ("good".to_owned(), Look::Good),
            };
            vec![
                (key.id.clone(), Look::Strong),
                cell(&key.scope),
                cell(key.created_at.strftime("%Y-%m-%d %H:%M")),
                state,
                cell(&key.label),
            ]
        }));
        context.ui.table(&rows);
    }
    let keys: Vec<Value> = keys.iter().map(as_json).collect();
    context.ui.data("keys", &json!({ "keys": keys }));
    Ok(Exit::Done)
}

fn as_json(key: &KeyRow) -> Value {
    json!({
        "id": key.id,
        "scope": key.scope,
        "label": key.label,
        "created_at": key.created_at,
        "revoked_at": key.revoked_at,
    })
}

async fn revoke(context: &Context, id: &str) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadWrite).await?;
    if !store.revoke_key(id, Context::clock().now()).await? {
        let id: String = id.chars().take(64).collect();
        let none = anyhow!("there is no key `{id}` that still opens anything");
        return Err(Failure::new(Exit::Usage, none).hint("gavel keys list shows them"));
    }
    context.ui.line(format!("key {id} opens nothing any more"));
    context
        .ui
        .data("key", &json!({ "id": id, "revoked": true }));
    Ok(Exit::Done)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
