//! Where each client reads of servers, and how it wants to be told.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{jsonc, tomls};
use crate::args::{ClientName, ScopeName};
use crate::context::Context;
use crate::environment::{folder, home, variable};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::project;

/// The name of our entry.
pub(super) const ENTRY: &str = "gavel";

/// How a client's file is written, and the table that lists servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Json { table: &'static str },
    Toml { table: &'static str },
}

/// A field of our entry, by its name.
pub(super) type Field = (&'static str, Value);

/// What is written where.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) name: &'static str,
    pub(super) file: PathBuf,
    pub(super) form: Form,
    /// The fields that are ours; others in the same entry stay.
    pub(super) entry: Vec<Field>,
    /// The client's own command for the same.
    pub(super) own_command: Option<String>,
}

impl Target {
    pub(super) fn of(
        context: &Context,
        client: ClientName,
        scope: ScopeName,
    ) -> Result<Self, Failure> {
        let file = match scope {
            ScopeName::Project => project::root(context.directory())?.join(below_project(client)),
            ScopeName::User => below_home(client).ok_or_else(|| {
                Failure::usage("there is no home folder").hint("use --scope project")
            })?,
        };
        let program = program(scope)?;
        let args = arguments(client);
        let mut entry = Vec::new();
        if let ClientName::ClaudeCode | ClientName::Vscode = client {
            entry.push(("type", json!("stdio")));
        }
        entry.push(("command", json!(program)));
        entry.push(("args", json!(args)));
        let scope_word = match scope {
            ScopeName::User => "user",
            ScopeName::Project => "project",
        };
        let own_command = match (client, scope) {
            (ClientName::ClaudeCode, _) => Some(format!(
                "claude mcp add --scope {scope_word} {ENTRY} -- {program} {}",
                args.join(" ")
            )),
            (ClientName::Codex, ScopeName::User) => Some(format!(
                "codex mcp add {ENTRY} -- {program} {}",
                args.join(" ")
            )),
            (
                ClientName::Codex | ClientName::Cursor | ClientName::Vscode | ClientName::Zed,
                ScopeName::User | ScopeName::Project,
            ) => None,
        };
        Ok(Self {
            name: name(client),
            file,
            form: form(client),
            entry,
            own_command,
        })
    }

    /// The whole file, as it would be with nothing else in it.
    pub(super) fn snippet(&self) -> String {
        match self.form {
            Form::Json { table } => jsonc::alone(table, &self.entry),
            Form::Toml { table } => tomls::alone(table, &self.entry),
        }
    }
}

const fn name(client: ClientName) -> &'static str {
    match client {
        ClientName::ClaudeCode => "claude-code",
        ClientName::Cursor => "cursor",
        ClientName::Vscode => "vscode",
        ClientName::Codex => "codex",
        ClientName::Zed => "zed",
    }
}

const fn form(client: ClientName) -> Form {
    match client {
        ClientName::ClaudeCode | ClientName::Cursor => Form::Json {
            table: "mcpServers",
        },
        ClientName::Vscode => Form::Json { table: "servers" },
        ClientName::Zed => Form::Json {
            table: "context_servers",
        },
        ClientName::Codex => Form::Toml {
            table: "mcp_servers",
        },
    }
}

const fn below_project(client: ClientName) -> &'static str {
    match client {
        ClientName::ClaudeCode => ".mcp.json",
        ClientName::Cursor => ".cursor/mcp.json",
        ClientName::Vscode => ".vscode/mcp.json",
        ClientName::Codex => ".codex/config.toml",
        ClientName::Zed => ".zed/settings.json",
    }
}

fn below_home(client: ClientName) -> Option<PathBuf> {
    let settings = || folder("XDG_CONFIG_HOME", ".config");
    match client {
        ClientName::ClaudeCode => Some(home()?.join(".claude.json")),
        ClientName::Cursor => Some(home()?.join(".cursor/mcp.json")),
        ClientName::Vscode if cfg!(target_os = "macos") => {
            Some(home()?.join("Library/Application Support/Code/User/mcp.json"))
        }
        ClientName::Vscode => Some(settings()?.join("Code/User/mcp.json")),
        ClientName::Codex => {
            let own = variable("CODEX_HOME").map(PathBuf::from);
            let own = own.filter(|folder| folder.is_absolute());
            let folder = own.or_else(|| home().map(|home| home.join(".codex")))?;
            Some(folder.join("config.toml"))
        }
        ClientName::Zed => Some(settings()?.join("zed/settings.json")),
    }
}

/// Editors start servers wherever they like and put the folder in; the others start them in it.
fn arguments(client: ClientName) -> Vec<&'static str> {
    match client {
        ClientName::Cursor | ClientName::Vscode => vec!["-C", "${workspaceFolder}", "mcp"],
        ClientName::ClaudeCode | ClientName::Codex | ClientName::Zed => vec!["mcp"],
    }
}

/// A file that others read names the program; one of your own may say where it lies, since editors
/// do not know the PATH of your shell.
fn program(scope: ScopeName) -> Result<String, Failure> {
    match scope {
        ScopeName::Project => Ok("gavel".to_owned()),
        ScopeName::User => {
            let own = std::env::current_exe().map_err(|error| Failure::new(Exit::Failed, error))?;
            Ok(own.display().to_string())
        }
    }
}
