//! `gavel config`.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, anyhow};
use gavel_workspace::Argv;
use serde_json::{Value, json};
use toml_edit::{DocumentMut, Item, Table};

use crate::args::ConfigSet;
use crate::atomic_file;
use crate::context::Context;
use crate::environment;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::providers::Whose;
use crate::settings::{check_settings, project_file, read_settings_file, user_file};
use crate::ui::{Look, cell};

pub(crate) fn show(context: &Context, origin: bool) -> Result<Exit, Failure> {
    let settings = context.settings()?;
    let rows: Vec<_> = settings
        .effective
        .iter()
        .map(|value| {
            let mut row = vec![
                (value.key.to_owned(), Look::Strong),
                cell(plain(&value.value)),
            ];
            if origin {
                row.push((value.origin.to_string(), Look::Faint));
            }
            row
        })
        .collect();
    context.ui.table(&rows);
    context
        .ui
        .data("config", &json!({ "settings": settings.effective }));
    Ok(Exit::Done)
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

/// A file of settings.
struct SettingsFile {
    path: PathBuf,
    whose: Whose,
}

impl SettingsFile {
    fn own() -> Result<Self, Failure> {
        let path = user_file()
            .ok_or_else(|| Failure::usage("there is no home folder").hint("set XDG_CONFIG_HOME"))?;
        let whose = Whose::User;
        Ok(Self { path, whose })
    }

    fn of(context: &Context, project: bool) -> Result<Self, Failure> {
        if !project {
            return Self::own();
        }
        let path = project_file(context.directory()).ok_or_else(|| {
            Failure::usage("there is no gavel.toml here").hint("gavel init makes one")
        })?;
        let whose = Whose::Project;
        Ok(Self { path, whose })
    }

    /// Writes one value; true when that changed the file.
    fn set(&self, key: &str, value: &str) -> Result<bool, Failure> {
        let old = self.text()?;
        let new = with_value(&old, key, value)
            .with_context(|| format!("{} is left as it is", self.path.display()))
            .map_err(|error| Failure::new(Exit::Usage, error))?;
        self.write(&new)?;
        Ok(old != new)
    }

    fn text(&self) -> Result<String, Failure> {
        let text = read_settings_file(&self.path, self.whose)?;
        Ok(text.unwrap_or_default())
    }

    /// Writes a text that was found to be good settings, and nothing else.
    fn write(&self, text: &str) -> Result<(), Failure> {
        check_settings(text, &self.path, self.whose)?;
        atomic_file::write(&self.path, text)
    }
}

pub(crate) fn path(context: &Context) -> Result<Exit, Failure> {
    let own = SettingsFile::own()?.path;
    let project = project_file(context.directory());
    let ui = &context.ui;
    let there = if own.exists() {
        ""
    } else {
        "  (not there yet)"
    };
    ui.line(format!("yours    {}{there}", own.display()));
    match &project {
        Some(file) => ui.line(format!("project  {}", file.display())),
        None => ui.line("project  none here: gavel init makes a gavel.toml"),
    }
    ui.data("config_path", &json!({ "user": own, "project": project }));
    Ok(Exit::Done)
}

/// Writes one value into the person's own file, and says which file that is.
pub(super) fn set_own(key: &str, value: &str) -> Result<PathBuf, Failure> {
    let file = SettingsFile::own()?;
    file.set(key, value)?;
    Ok(file.path)
}

pub(crate) fn set(context: &Context, setting: &ConfigSet) -> Result<Exit, Failure> {
    let ConfigSet {
        key,
        value,
        project,
    } = setting;
    let file = SettingsFile::of(context, *project)?;
    let changed = file.set(key, value)?;
    let path = file.path.display();
    context.ui.line(format!("wrote {key} into {path}"));
    let data = json!({ "file": file.path, "key": key, "changed": changed });
    context.ui.data("config_set", &data);
    Ok(Exit::Done)
}

/// The text with one value more or changed; everything else stays as it was written.
fn with_value(text: &str, key: &str, value: &str) -> anyhow::Result<String> {
    let mut document: DocumentMut = text.parse()?;
    let was_empty = document.is_empty();
    let names: Vec<&str> = key.split('.').collect();
    let Some((last, tables)) = names.split_last() else {
        return Err(anyhow!("a setting has a name"));
    };
    if names.iter().any(|name| name.is_empty()) {
        return Err(anyhow!("`{key}` is no name of a setting"));
    }
    let mut table: &mut dyn toml_edit::TableLike = document.as_table_mut();
    for name in tables {
        let inner = table.entry(name).or_insert_with(|| {
            let mut made = Table::new();
            // A table that only holds others needs no heading of its own.
            made.set_implicit(true);
            Item::Table(made)
        });
        table = inner
            .as_table_like_mut()
            .ok_or_else(|| anyhow!("`{name}` in `{key}` is a value, not a table"))?;
    }
    // What is no value of TOML is meant as a text.
    let value = value
        .parse::<toml_edit::Value>()
        .unwrap_or_else(|_text| value.into());
    table.insert(last, Item::Value(value));
    if !was_empty {
        return Ok(document.to_string());
    }
    // A file of comments alone keeps them at its top.
    document.set_trailing("");
    let comments = text.trim_end();
    let between = if comments.is_empty() { "" } else { "\n" };
    Ok(format!("{comments}{between}{document}"))
}

#[expect(
    clippy::disallowed_methods,
    reason = "the person's own editor, as they name it, at their terminal"
)]
pub(crate) fn edit(context: &Context, project: bool) -> Result<Exit, Failure> {
    let file = SettingsFile::of(context, project)?;
    if !context.attended() {
        let path = file.path.display();
        return Err(Failure::usage("an editor needs a terminal")
            .hint(format!("gavel config set KEY VALUE, or edit {path}")));
    }
    let named = environment::variable("VISUAL").or_else(|| environment::variable("EDITOR"));
    let editor = named.ok_or_else(|| {
        Failure::usage("no editor is named").hint("set VISUAL or EDITOR, such as EDITOR=vi")
    })?;
    let argv = Argv::parse(&editor).map_err(|error| Failure::new(Exit::Usage, error))?;
    let old = file.text()?;
    let failed = |error: std::io::Error| Failure::new(Exit::Failed, error);
    let folder = context.state().join("edit");
    let draft = folder.join(format!("{}.toml", std::process::id()));
    atomic_file::write(&draft, &old)?;
    let mut command = std::process::Command::new(argv.program());
    let words = argv.words().iter().skip(1);
    let ended = command.args(words).arg(&draft).status();
    let ended = ended
        .with_context(|| format!("{editor} could not be started"))
        .map_err(|error| Failure::new(Exit::Failed, error))?;
    let new = fs::read_to_string(&draft).map_err(failed)?;
    if !ended.success() || new == old {
        fs::remove_file(&draft).map_err(failed)?;
        context.ui.line("nothing was changed");
        return Ok(Exit::Done);
    }
    file.write(&new).map_err(|failure| {
        let kept = format!("{} keeps what you wrote", draft.display());
        failure.hint(kept)
    })?;
    fs::remove_file(&draft).map_err(failed)?;
    context.ui.line(format!("wrote {}", file.path.display()));
    Ok(Exit::Done)
}
