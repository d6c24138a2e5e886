//! `gavel scout`: what a repository is, what is wrong with it, and a plan to renew it. No model, no network.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use gavel_report::{Document, scout_document, scout_plan_document, scout_quick_document};
use gavel_scout::{
    DiskTree, Finding, Limits, QuickScan, RenovationPlan, Scan, Severity, Snapshot,
    SourceTree as _, plan, sarif, scan_deep, scan_quick,
};

use super::review::terminal::show_document;
use crate::args::{ScoutArgs, ScoutCommand};
use crate::context::{Context, VERSION};
use crate::exit::Exit;
use crate::failure::Failure;

/// A folder with its files listed.
struct Place {
    folder: PathBuf,
    name: String,
    tree: DiskTree,
    limits: Limits,
}

pub(crate) fn run(context: &Context, args: &ScoutArgs) -> Result<Exit, Failure> {
    if let Some(ScoutCommand::Plan { folder, html }) = &args.command {
        return plan_of(
            context,
            &Place::open(context, folder.as_deref())?,
            html.as_deref(),
        );
    }
    let place = Place::open(context, args.folder.as_deref())?;
    let kept = Kept::at(context, &place.folder);
    let before = kept.read();
    match before {
        Some(before) if !args.deep && args.html.is_none() => {
            quick(context, &place, &kept, &before, args.sarif)
        }
        before => {
            if before.is_none() && !args.deep {
                context
                    .ui
                    .note("there is no scan of this folder yet: the whole tree is read");
            }
            deep(context, args, &place, &kept)
        }
    }
}

fn deep(context: &Context, args: &ScoutArgs, place: &Place, kept: &Kept) -> Result<Exit, Failure> {
    let scan = scan_deep(&place.tree, &place.limits);
    kept.write(&Snapshot::of_deep(&place.tree, &scan))?;
    if args.sarif {
        print_sarif(context, &scan.findings);
    } else {
        show(
            context,
            &scout_document(&scan, &place.name),
            args.html.as_deref(),
        )?;
        context.ui.data(
            "scout",
            &DeepJson {
                depth: "deep",
                scan: &scan,
            },
        );
    }
    Ok(exit(&scan.findings))
}

fn quick(
    context: &Context,
    place: &Place,
    kept: &Kept,
    before: &Snapshot,
    as_sarif: bool,
) -> Result<Exit, Failure> {
    let scan = scan_quick(&place.tree, &place.limits, before);
    if scan.has_changes() {
        kept.write(&before.of_quick(&place.tree, &scan))?;
    }
    if as_sarif {
        print_sarif(context, &scan.findings);
    } else {
        show(context, &scout_quick_document(&scan, &place.name), None)?;
        context.ui.data(
            "scout",
            &QuickJson {
                depth: "quick",
                scan: &scan,
            },
        );
    }
    Ok(exit(&scan.findings))
}

fn plan_of(context: &Context, place: &Place, html: Option<&Path>) -> Result<Exit, Failure> {
    let plan = plan(&scan_deep(&place.tree, &place.limits));
    show(context, &scout_plan_document(&plan, &place.name), html)?;
    context
        .ui
        .data("renovation_plan", &PlanJson { plan: &plan });
    Ok(Exit::Done)
}

/// What a deep scan says as data.
#[derive(serde::Serialize)]
struct DeepJson<'a> {
    depth: &'static str,
    #[serde(flatten)]
    scan: &'a Scan,
}

/// What a quick scan says as data.
#[derive(serde::Serialize)]
struct QuickJson<'a> {
    depth: &'static str,
    #[serde(flatten)]
    scan: &'a QuickScan,
}

/// What a plan says as data.
#[derive(serde::Serialize)]
struct PlanJson<'a> {
    #[serde(flatten)]
    plan: &'a RenovationPlan,
}

/// Errors fail the command, so that CI can stop at them; warnings and notes do not.
fn exit(findings: &[Finding]) -> Exit {
    match findings
        .iter()
        .any(|finding| finding.severity == Severity::Error)
    {
        true => Exit::Gate,
        false => Exit::Done,
    }
}

fn print_sarif(context: &Context, findings: &[Finding]) {
    let log = format!("{:#}\n", sarif(findings, VERSION));
    context.ui.raw(log.as_bytes());
}

fn show(context: &Context, document: &Document, html: Option<&Path>) -> Result<(), Failure> {
    match html {
        Some(file) if file == Path::new("-") => context.ui.raw(document.page().as_bytes()),
        Some(file) => {
            let file = context.directory().join(file);
            std::fs::write(&file, document.page())
                .with_context(|| format!("cannot write {}", file.display()))
                .map_err(|error| Failure::new(Exit::Failed, error))?;
            context.ui.line(format!("wrote {}", file.display()));
        }
        None if std::io::stdout().is_terminal() => show_document(&context.ui, document),
        None => context.ui.line(document.markdown().trim_end()),
    }
    Ok(())
}

impl Place {
    fn open(context: &Context, folder: Option<&Path>) -> Result<Self, Failure> {
        let wanted = context.directory().join(folder.unwrap_or(Path::new("")));
        let folder = match wanted.canonicalize() {
            Ok(real) if real.is_dir() => real,
            Ok(_) | Err(_) => {
                let wrong = format!("{} is not a folder", wanted.display());
                return Err(Failure::usage(wrong).hint("name the folder of a repository"));
            }
        };
        let limits = Limits::default();
        let tree = DiskTree::open(&folder, limits.files)
            .map_err(|error| Failure::new(Exit::Failed, error))?;
        if tree.files().left_out > 0 {
            let left = tree.files().left_out;
            context.ui.note(format!(
                "{left} files above the cap of {} are not looked at",
                limits.files
            ));
        }
        let name = folder.file_name().map_or_else(
            || folder.display().to_string(),
            |name| name.to_string_lossy().into_owned(),
        );
        Ok(Self {
            folder,
            name,
            tree,
            limits,
        })
    }
}

/// What the last scan of a folder left: a cache below the state folder, never in the repository.
struct Kept {
    file: PathBuf,
}

impl Kept {
    fn at(context: &Context, folder: &Path) -> Self {
        let name = gavel_domain::Digest::of(folder.as_os_str().as_encoded_bytes());
        Self {
            file: context.state().join("scout").join(format!("{name}.json")),
        }
    }

    /// The last scan; one that cannot be read is none.
    fn read(&self) -> Option<Snapshot> {
        let text = std::fs::read_to_string(&self.file).ok()?;
        serde_json::from_str(&text).ok()
    }

    fn write(&self, snapshot: &Snapshot) -> Result<(), Failure> {
        let text =
            serde_json::to_string(snapshot).map_err(|error| Failure::new(Exit::Bug, error))?;
        crate::atomic_file::write(&self.file, &text)
    }
}
