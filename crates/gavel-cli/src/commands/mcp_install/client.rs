//! Where each client reads of servers, and how it wants to be told.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{jsonc, tomls, yaml};
use crate::args::{ClientName, ScopeName};
use crate::context::Context;
use crate::environment::{called_program, folder, home, variable};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::project;

/// The name of our entry.
pub(super) const ENTRY: &str = "gavel";

/// How a client's file is written, and the table that lists servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Json {
        table: &'static str,
    },
    Toml {
        table: &'static str,
    },
    /// Shown and never edited: nothing here writes YAML without losing what else stands in it.
    Yaml {
        table: &'static str,
    },
}

/// A field of our entry, by its name.
pub(super) type Field = (&'static str, Value);

/// What is written where.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) name: &'static str,
    pub(super) file: PathBuf,
    /// The project whose file it is; none for a file of the person's own.
    pub(super) project: Option<PathBuf>,
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
        scope: Option<ScopeName>,
    ) -> Result<Self, Failure> {
        let scope = scope.unwrap_or(default_scope(client));
        let (file, project) = match scope {
            ScopeName::Project => {
                let below = below_project(client).ok_or_else(|| {
                    let name = name(client);
                    Failure::usage(format!("{name} has one file for all projects"))
                        .hint("use --scope user")
                })?;
                let root = project::root(context.directory())?;
                (root.join(below), Some(root))
            }
            ScopeName::User => {
                let file = below_home(client).ok_or_else(|| {
                    Failure::usage("there is no home folder").hint("use --scope project")
                })?;
                (file, None)
            }
        };
        let program = program(scope)?;
        let args = arguments(context, client)?;
        let mut entry = Vec::new();
        if let ClientName::ClaudeCode | ClientName::Vscode = client {
            entry.push(("type", json!("stdio")));
        }
        let command = if client == ClientName::Goose {
            entry.push(("enabled", json!(true)));
            entry.push(("type", json!("stdio")));
            entry.push(("name", json!(ENTRY)));
            "cmd"
        } else {
            "command"
        };
        entry.push((command, json!(program)));
        entry.push(("args", json!(args)));
        let line = format!("{program} {}", args.join(" "));
        Ok(Self {
            name: name(client),
            file,
            project,
            form: form(client),
            entry,
            own_command: own_command(client, scope, &line),
        })
    }

    /// The whole file, as it would be with nothing else in it.
    pub(super) fn snippet(&self) -> String {
        match self.form {
            Form::Json { table } => jsonc::alone(table, &self.entry),
            Form::Toml { table } => tomls::alone(table, &self.entry),
            Form::Yaml { table } => yaml::alone(table, &self.entry),
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
        ClientName::GeminiCli => "gemini-cli",
        ClientName::Goose => "goose",
        ClientName::Windsurf => "windsurf",
        ClientName::ClaudeDesktop => "claude-desktop",
    }
}

/// The client's own command that does the same.
fn own_command(client: ClientName, scope: ScopeName, line: &str) -> Option<String> {
    let scope_word = match scope {
        ScopeName::User => "user",
        ScopeName::Project => "project",
    };
    match (client, scope) {
        (ClientName::ClaudeCode, _) => Some(format!(
            "claude mcp add --scope {scope_word} {ENTRY} -- {line}"
        )),
        (ClientName::GeminiCli, _) => Some(format!(
            "gemini mcp add --scope {scope_word} {ENTRY} {line}"
        )),
        (ClientName::Codex, ScopeName::User) => Some(format!("codex mcp add {ENTRY} -- {line}")),
        (_other, ScopeName::User | ScopeName::Project) => None,
    }
}

const fn default_scope(client: ClientName) -> ScopeName {
    match below_project(client) {
        Some(_) => ScopeName::Project,
        None => ScopeName::User,
    }
}

const fn form(client: ClientName) -> Form {
    match client {
        ClientName::ClaudeCode
        | ClientName::Cursor
        | ClientName::GeminiCli
        | ClientName::Windsurf
        | ClientName::ClaudeDesktop => Form::Json {
            table: "mcpServers",
        },
        ClientName::Goose => Form::Yaml {
            table: "extensions",
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

/// Nothing for a client with one file for all projects.
const fn below_project(client: ClientName) -> Option<&'static str> {
    match client {
        ClientName::ClaudeCode => Some(".mcp.json"),
        ClientName::Cursor => Some(".cursor/mcp.json"),
        ClientName::Vscode => Some(".vscode/mcp.json"),
        ClientName::Codex => Some(".codex/config.toml"),
        ClientName::Zed => Some(".zed/settings.json"),
        ClientName::GeminiCli => Some(".gemini/settings.json"),
        ClientName::Goose | ClientName::Windsurf | ClientName::ClaudeDesktop => None,
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
        ClientName::GeminiCli => Some(home()?.join(".gemini/settings.json")),
        ClientName::Goose => Some(settings()?.join("goose/config.yaml")),
        ClientName::Windsurf => Some(home()?.join(".codeium/windsurf/mcp_config.json")),
        ClientName::ClaudeDesktop if cfg!(target_os = "macos") => {
            let support = home()?.join("Library/Application Support");
            Some(support.join("Claude/claude_desktop_config.json"))
        }
        ClientName::ClaudeDesktop => Some(settings()?.join("Claude/claude_desktop_config.json")),
    }
}

/// Editors start servers wherever they like and put the folder in; a client that cannot say which
/// folder it is about serves this one; the others start servers in theirs.
fn arguments(context: &Context, client: ClientName) -> Result<Vec<String>, Failure> {
    let folder = match client {
        ClientName::Cursor | ClientName::Vscode => Some("${workspaceFolder}".to_owned()),
        ClientName::Windsurf | ClientName::ClaudeDesktop => {
            let root = project::root(context.directory())?;
            Some(root.display().to_string())
        }
        ClientName::ClaudeCode
        | ClientName::Codex
        | ClientName::Zed
        | ClientName::GeminiCli
        | ClientName::Goose => None,
    };
    let folder = folder.map(|folder| ["-C".to_owned(), folder]);
    let words = folder.into_iter().flatten();
    Ok(words.chain(["mcp".to_owned()]).collect())
}

/// A file that others read names the program; one of your own may say where it lies, since editors
/// do not know the PATH of your shell. It says so as it was called: a link that a package manager
/// keeps outlives the version behind it.
fn program(scope: ScopeName) -> Result<String, Failure> {
    match scope {
        ScopeName::Project => Ok("gavel".to_owned()),
        ScopeName::User => {
            let called = called_program().map_err(|error| Failure::new(Exit::Failed, error))?;
            Ok(called.display().to_string())
        }
    }
}
