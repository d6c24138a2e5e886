//! `gavel init`: a `gavel.toml` with a project id, and a folder for memory. Safe to repeat.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;
use gavel_domain::ProjectId;
use gavel_memory::{MEMORY_FOLDER, make_memory_folder};
use serde_json::json;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::project::{Named, named, real};
use crate::settings::{no_link, project_file, read_project_file, unread};
use crate::ui::{Look, cell};

pub(crate) fn run(context: &Context) -> Result<Exit, Failure> {
    let here = real(context.directory())?;
    let file = project_file(&here).unwrap_or_else(|| here.join("gavel.toml"));
    let root = file.parent().unwrap_or(&here);
    let fresh_folder = !root.join(MEMORY_FOLDER).exists();
    // Nothing is written before both places are known to be no links.
    read_project_file(&file)?;
    make_memory_folder(root)?;
    let (id, named_now) = name_project(&file)?;
    let made = [("gavel.toml", named_now), (MEMORY_FOLDER, fresh_folder)];
    let strong = |text: &str| (text.to_owned(), Look::Strong);
    let mut rows = vec![
        vec![strong("project"), cell(id)],
        vec![strong("folder"), cell(root.display())],
    ];
    rows.extend(made.map(|(name, new)| {
        let word = if new { "made" } else { "was there" };
        vec![strong(name), cell(word)]
    }));
    context.ui.table(&rows);
    let made: Vec<&str> = made
        .iter()
        .filter(|made| made.1)
        .map(|made| made.0)
        .collect();
    context.ui.data(
        "init",
        &json!({ "project": id, "root": root, "made": made }),
    );
    Ok(Exit::Done)
}

/// The project's id, and whether it was given just now. What a person wrote is never rewritten.
pub(crate) fn name_project(file: &Path) -> Result<(ProjectId, bool), Failure> {
    let text = read_project_file(file)?.unwrap_or_default();
    let found = named(&text)
        .with_context(|| file.display().to_string())
        .map_err(|error| Failure::new(Exit::Usage, error))?;
    let id = ProjectId::from_uuid(gavel_run::fresh_id());
    match found {
        Named::Id(id) => return Ok((id, false)),
        Named::TableOnly => {
            let nameless = format!("{} has a table [project] without an id", file.display());
            let remedy = format!("add this line to it: id = \"{id}\"");
            return Err(Failure::usage(nameless).hint(remedy));
        }
        Named::No => {}
    }
    let gap = match text.chars().next_back() {
        None => "",
        Some('\n') => "\n",
        Some(_) => "\n\n",
    };
    let table = format!("{gap}[project]\nid = \"{id}\"\n");
    let mut options = OpenOptions::new();
    let opened = no_link(options.append(true).create(true)).open(file);
    let written = opened.and_then(|mut opened| opened.write_all(table.as_bytes()));
    written.map_err(|error| unread(file, error))?;
    Ok((id, true))
}
