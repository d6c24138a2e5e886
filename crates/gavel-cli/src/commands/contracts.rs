//! `gavel contracts`: what a build is held to, as agents read it.

mod check;

use std::path::Path;

use anyhow::{Context as _, anyhow};
use gavel_contracts::{Finding, MAX_CONTRACT_BYTES, Shelf, check_all, phase_window};
use gavel_domain::{Contract, ContractKind, Spec};
use gavel_rules::sanitize_for_display;
use gavel_store::Access;
use gavel_view::Report;
use gavel_view::{ContractTold, Text};
use serde_json::{Value, json};

use crate::args::{ContractsCommand, RunChoice};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::ui::{Look, cell};
use crate::which_run::Unnamed;

pub(crate) async fn run(context: &Context, command: ContractsCommand) -> Result<Exit, Failure> {
    match command {
        ContractsCommand::List { run } => list(context, &report(context, run.run).await?),
        ContractsCommand::Get {
            kind,
            of_version,
            run,
        } => get(context, (&kind, of_version), run).await,
        ContractsCommand::Window { phase, run } => window(context, phase, run).await,
        ContractsCommand::Check { run: Some(run), .. } => {
            check::of_run(context, &report(context, Some(run)).await?).await
        }
        ContractsCommand::Check { run: None, tree } => check::of_folder(context, tree),
        ContractsCommand::Validate { dir: Some(dir), .. } => {
            let shelf = read_folder(&context.directory().join(&dir))?;
            let findings = check_all(&shelf, None);
            Ok(tell(context, &json!({ "dir": dir }), &findings))
        }
        ContractsCommand::Validate {
            named,
            run,
            dir: None,
        } => {
            let report = report(context, named.or(run.run)).await?;
            let spec: Option<&Spec> = report.spec.as_ref().and_then(Text::kept);
            let findings = check_all(&shelf(&report)?, spec);
            Ok(tell(context, &json!({ "run": report.run }), &findings))
        }
    }
}

/// The run that is meant, with contracts.
async fn report(context: &Context, run: Option<String>) -> Result<Report, Failure> {
    let store = context.store(Access::ReadOnly).await?;
    let head = context
        .run(store.as_ref(), run.as_deref(), Unnamed::Newest)
        .await?;
    let report = Report::read(store.as_ref(), head.run).await?;
    if report.contracts.is_empty() {
        let none = format!("run {} has no contracts", head.run.short());
        return Err(Failure::usage(none).hint("gavel status lists all runs; name one with --run"));
    }
    Ok(report)
}

fn list(context: &Context, report: &Report) -> Result<Exit, Failure> {
    let titles = ["contract", "version", "bytes", "digest", ""];
    let mut rows = vec![titles.map(|title| (title.to_owned(), Look::Faint)).to_vec()];
    let all = || report.contracts.iter().chain(&report.versions);
    rows.extend(all().map(|told| {
        let pinned = if told.pinned {
            ("pinned".to_owned(), Look::Good)
        } else {
            ("not pinned".to_owned(), Look::Warn)
        };
        vec![
            (told.kind.to_string(), Look::Strong),
            cell(told.version),
            cell(told.bytes),
            (told.digest.short(), Look::Faint),
            pinned,
        ]
    }));
    context.ui.table(&rows);
    let contracts: Vec<Value> = all().map(as_json).collect();
    context.ui.data(
        "contracts",
        &json!({ "run": report.run, "contracts": contracts }),
    );
    Ok(Exit::Done)
}

fn as_json(told: &ContractTold) -> Value {
    json!({
        "kind": told.kind,
        "file": told.kind.file_name(),
        "version": told.version,
        "bytes": told.bytes,
        "digest": told.digest,
        "pinned": told.pinned,
        "model": told.model,
    })
}

async fn get(
    context: &Context,
    (kind, version): (&str, Option<u32>),
    run: RunChoice,
) -> Result<Exit, Failure> {
    let Some(kind) = ContractKind::from_word(&kind.replace('-', "_")) else {
        let kinds = ContractKind::ALL.map(ContractKind::word).join(", ");
        let unknown = format!("there is no contract `{kind}`");
        return Err(Failure::usage(unknown).hint(format!("there are: {kinds}")));
    };
    if kind == ContractKind::Phases {
        let whole = anyhow!("the contract `phases` is never handed out whole");
        let hint = "gavel contracts window N shows phase N and the one after it";
        return Err(Failure::new(Exit::Refused, whole).hint(hint));
    }
    let report = report(context, run.run).await?;
    let told = told(&report, (kind, version))?;
    let text = text(told)?;
    context.ui.line(sanitize_for_display(text).trim_end());
    let mut data = as_json(told);
    if let Value::Object(fields) = &mut data {
        fields.insert("run".into(), json!(report.run));
        fields.insert("text".into(), json!(text));
    }
    context.ui.data("contract", &data);
    Ok(Exit::Done)
}

async fn window(context: &Context, phase: u32, run: RunChoice) -> Result<Exit, Failure> {
    let report = report(context, run.run).await?;
    let phases = text(told(&report, (ContractKind::Phases, None))?)?;
    let window = phase_window(phases, phase).map_err(|error| Failure::new(Exit::Usage, error))?;
    context.ui.line(sanitize_for_display(&window).trim_end());
    context.ui.data(
        "window",
        &json!({ "run": report.run, "phase": phase, "text": window }),
    );
    Ok(Exit::Done)
}

fn told(
    report: &Report,
    (kind, version): (ContractKind, Option<u32>),
) -> Result<&ContractTold, Failure> {
    report.version_of(kind, version).ok_or_else(|| {
        let run = report.run.short();
        let none = match version {
            Some(version) => format!("run {run} has no version {version} of `{kind}`"),
            None => format!("run {run} has no contract `{kind}` yet"),
        };
        Failure::usage(none).hint("gavel contracts list shows what there is")
    })
}

fn text(told: &ContractTold) -> Result<&str, Failure> {
    match &told.text {
        Text::Kept(text) | Text::Odd(text) => Ok(text),
        Text::Gone => {
            let gone = format!("the text of the contract `{}` is no longer kept", told.kind);
            let hint = "it stands on the build's branch, in .gavel/contracts";
            Err(Failure::new(Exit::Failed, anyhow!(gone)).hint(hint))
        }
    }
}

fn shelf(report: &Report) -> Result<Shelf, Failure> {
    let contracts = report.contracts.iter().map(|told| {
        Ok(Contract {
            kind: told.kind,
            text: text(told)?.to_owned(),
        })
    });
    contracts.collect()
}

/// The contracts that lie in a folder under their file names.
fn read_folder(dir: &Path) -> Result<Shelf, Failure> {
    let failed = |error: anyhow::Error| Failure::new(Exit::Usage, error);
    if !dir.is_dir() {
        return Err(failed(anyhow!("{} is not a folder", dir.display())));
    }
    let mut shelf = Shelf::default();
    for kind in ContractKind::ALL {
        let file = dir.join(kind.file_name());
        let size = match std::fs::metadata(&file) {
            Ok(known) => known.len(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(failed(anyhow::Error::new(error).context(named(&file)))),
        };
        // One that is far too long is not read to be told that it is too long.
        if size > 4 * u64::try_from(MAX_CONTRACT_BYTES).unwrap_or(u64::MAX) {
            let long = format!("{} is longer than any contract", file.display());
            return Err(failed(anyhow!(long)));
        }
        let text = std::fs::read_to_string(&file).with_context(|| named(&file));
        let text = text.map_err(failed)?;
        shelf.insert(Contract { kind, text });
    }
    if shelf.iter().next().is_none() {
        let hint = "the files are named as docs/contracts.md says, for example schema.md";
        let none = anyhow!("there is no contract in {}", dir.display());
        return Err(failed(none).hint(hint));
    }
    Ok(shelf)
}

fn named(file: &Path) -> String {
    format!("cannot read {}", file.display())
}

/// Says what was found; findings end with their own exit code.
fn tell(context: &Context, whose: &Value, findings: &[Finding]) -> Exit {
    for finding in findings {
        let place = match finding.line {
            Some(line) => format!("{}:{line}", finding.kind.file_name()),
            None => finding.kind.file_name().to_owned(),
        };
        let (message, help) = (
            sanitize_for_display(&finding.message),
            sanitize_for_display(&finding.help),
        );
        context.ui.line(format!(
            "{} {} {message}",
            context.ui.look(&format!("{place}:"), Look::Strong),
            context.ui.look(finding.rule, Look::Bad),
        ));
        context
            .ui
            .line(format!("    {}", context.ui.look(&help, Look::Faint)));
    }
    if findings.is_empty() {
        let text = context.ui.look("the contracts hold", Look::Good);
        context.ui.line(text);
    }
    let told = findings.iter().map(|finding| {
        json!({
            "rule": finding.rule,
            "severity": "error",
            "file": finding.kind.file_name(),
            "line": finding.line,
            "message": finding.message,
            "help": finding.help,
        })
    });
    let told: Vec<Value> = told.collect();
    let mut data = json!({ "valid": findings.is_empty(), "findings": told });
    if let (Value::Object(fields), Value::Object(whose)) = (&mut data, whose) {
        fields.extend(whose.clone());
    }
    context.ui.data("validate", &data);
    if findings.is_empty() {
        Exit::Done
    } else {
        Exit::Gate
    }
}
