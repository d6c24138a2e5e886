//! `gavel contracts check`: whether the code keeps the contracts, as far as rules can tell.

use std::path::PathBuf;

use anyhow::anyhow;
use gavel_contracts::{BindingReport, BindingSeverity, TreeFile, check_binding};
use gavel_rules::sanitize_for_display;
use gavel_view::Report;
use gavel_workspace::{CommitId, Repository, TreeRoot};
use serde_json::{Value, json};

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::repository_root;
use crate::ui::{Look, Ui};

/// Where the contracts of a build lie in a tree.
const FOLDER: &str = ".gavel/contracts";

/// The files of a folder as they lie there, against the contracts among them.
pub(super) fn of_folder(context: &Context, tree: Option<PathBuf>) -> Result<Exit, Failure> {
    let folder = match tree {
        Some(tree) => {
            let named = context.directory().join(&tree);
            if !named.is_dir() {
                let none = format!("there is no folder {}", tree.display());
                return Err(Failure::usage(none));
            }
            crate::project::real(&named)?
        }
        None => repository_root(context.directory())
            .unwrap_or(context.directory())
            .to_owned(),
    };
    let shelf = super::read_folder(&folder.join(FOLDER)).map_err(|failure| {
        failure.hint("gavel contracts check RUN compares the contracts of a run")
    })?;
    let root = TreeRoot::open(&folder).map_err(|error| Failure::new(Exit::Failed, error))?;
    let texts = root.texts();
    let report = check_binding(&shelf, texts.iter().map(TreeFile::from));
    let whose = json!({ "tree": folder.display().to_string() });
    Ok(show(&context.ui, whose, &report))
}

/// The commit that the gate judged last, against the contracts of its run.
pub(super) async fn of_run(context: &Context, run: &Report) -> Result<Exit, Failure> {
    let shelf = super::shelf(run)?;
    let none = |what: &str| {
        let none = format!("run {} has {what}", run.run.short());
        Failure::usage(none).hint("gavel contracts check --tree DIR compares a folder")
    };
    let place = run.place.as_ref().ok_or_else(|| none("no repository"))?;
    let repository = Repository::open(&context.git()?, &place.checkout).await?;
    let failed = |error| Failure::new(Exit::Failed, error);
    let judged = run.gates.last().map(|gate| gate.commit.parse::<CommitId>());
    let commit = match judged {
        Some(commit) => commit.map_err(|error| Failure::new(Exit::Bug, error))?,
        None => {
            let branch = run.branch.as_deref().ok_or_else(|| none("no commit yet"))?;
            let branches = repository.branches().await.map_err(failed)?;
            let is_it =
                |tip: &&gavel_workspace::BranchTip| tip.is_local() && tip.branch() == branch;
            let tip = branches.iter().find(is_it);
            tip.ok_or_else(|| none("no commit here"))?.commit.clone()
        }
    };
    let read = repository.read_commit(&commit).await.map_err(failed)?;
    let read = read.ok_or_else(|| {
        let gone = anyhow!("commit {commit} is not in {}", place.checkout.display());
        Failure::new(Exit::Failed, gone).hint("fetch the run's branch into that repository")
    })?;
    let texts = repository.texts_of(&read.tree).await.map_err(failed)?;
    let report = check_binding(&shelf, texts.iter().map(TreeFile::from));
    let whose = json!({ "run": run.run, "commit": commit.to_string() });
    Ok(show(&context.ui, whose, &report))
}

/// Says what was found and what was not looked at; an error ends with its own exit code.
fn show(ui: &Ui, whose: Value, report: &BindingReport) -> Exit {
    for finding in &report.findings {
        let (look, word) = match finding.severity {
            BindingSeverity::Error => (Look::Bad, "error"),
            BindingSeverity::Warning => (Look::Warn, "warning"),
            BindingSeverity::Note => (Look::Faint, "note"),
        };
        let place = sanitize_for_display(&format!("{}:{}:", finding.file, finding.line));
        ui.line(format!(
            "{} {} {}",
            ui.look(&place, Look::Strong),
            ui.look(&format!("{word}: {}", finding.rule.word()), look),
            sanitize_for_display(&finding.message)
        ));
    }
    for (rule, more) in &report.left_out {
        ui.line(format!("{more} more of {}", rule.word()));
    }
    let verdict = match (report.checked, report.errors().count()) {
        (0, 0) => ui.look("no rule could be applied", Look::Warn),
        (_, 0) => ui.look(
            "the code keeps its contracts, as far as rules can tell",
            Look::Good,
        ),
        (_, errors) => ui.look(
            &format!("the code breaks its contracts: {errors} findings"),
            Look::Bad,
        ),
    };
    ui.line(format!("{verdict} ({} rules applied)", report.checked));
    if !report.not_checked.is_empty() {
        ui.line(ui.look("Not checked:", Look::Strong));
    }
    for entry in &report.not_checked {
        let text = format!("{}: {} ({})", entry.contract, entry.what, entry.why);
        ui.line(format!(
            "  {}",
            ui.look(&sanitize_for_display(&text), Look::Faint)
        ));
    }
    let mut data = json!(report);
    if let (Value::Object(fields), Value::Object(whose)) = (&mut data, whose) {
        fields.extend(whose);
    }
    ui.data("contracts-check", &data);
    if report.holds() {
        Exit::Done
    } else {
        Exit::Gate
    }
}
