//! A look at a repository as a document: what is wrong, what it is built from, how its parts hang together,
//! and what was not read.

mod plan;

use gavel_scout::{
    ConfigSource, DependencyScope, EntryKind, Finding, QuickScan, Requirement, Scan, Severity,
    Stack, Survey, TechnologyKind,
};

use super::run::counted;
use crate::document::{Bar, Block, Document, Line, MapEdge, MapNode, ModuleMap, Span, Tone};

pub use plan::scout_plan_document;

/// A list longer than this is cut, and says so.
const MOST: usize = 40;

/// Everything that a deep look found.
pub fn scout_document(scan: &Scan, name: &str) -> Document {
    let survey = &scan.survey;
    let mut blocks = Vec::new();
    findings(&scan.findings, &mut blocks);
    languages(survey, &mut blocks);
    layers(survey, &mut blocks);
    technologies(survey, &mut blocks);
    stacks(survey, &mut blocks);
    map(survey, &mut blocks);
    entry_points(survey, &mut blocks);
    workspaces(survey, &mut blocks);
    routes(survey, &mut blocks);
    models(survey, &mut blocks);
    configuration(survey, &mut blocks);
    tests(survey, &mut blocks);
    gaps(survey, &mut blocks);
    let read = format!("{} files, {} of them read", survey.files, survey.files_read);
    Document {
        title: format!("The repository {name}"),
        badge: badge(&scan.findings),
        lead: vec![Line::plain(read)],
        blocks,
    }
}

/// What changed since the last look.
pub fn scout_quick_document(scan: &QuickScan, name: &str) -> Document {
    let mut blocks = Vec::new();
    let changes = [
        ("Added", &scan.added),
        ("Changed", &scan.changed),
        ("Removed", &scan.removed),
    ];
    for (title, files) in changes.into_iter().filter(|(_, files)| !files.is_empty()) {
        heading(title, &mut blocks);
        let lines = files.iter().map(|path| Line::of(path.as_str(), Tone::File));
        list(lines.collect(), &mut blocks);
    }
    findings(&scan.findings, &mut blocks);
    let mut lead = vec![Line::plain(format!(
        "{} files; since the last scan {} added, {} changed, {} removed; {} new findings",
        scan.files,
        scan.added.len(),
        scan.changed.len(),
        scan.removed.len(),
        scan.new_findings,
    ))];
    if !scan.from_deep.is_empty() {
        let codes: Vec<&str> = scan.from_deep.iter().map(|check| check.code()).collect();
        lead.push(Line::plain(format!(
            "answers of the last deep scan, which may be old: {}; --deep looks again",
            codes.join(", ")
        )));
    }
    Document {
        title: format!("The repository {name}"),
        badge: badge(&scan.findings),
        lead,
        blocks,
    }
}

fn badge(findings: &[Finding]) -> Span {
    let count = |severity: Severity| {
        let of_it = findings.iter().filter(|one| one.severity == severity);
        u32::try_from(of_it.count()).unwrap_or(u32::MAX)
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let notes = count(Severity::Note);
    let tone = match (errors, warnings) {
        (0, 0) => Tone::Good,
        (0, _) => Tone::Warn,
        (_, _) => Tone::Bad,
    };
    Span::new(
        format!(
            "{}, {}, {}",
            counted(errors, "error"),
            counted(warnings, "warning"),
            counted(notes, "note")
        ),
        tone,
    )
}

fn heading(text: &str, blocks: &mut Vec<Block>) {
    blocks.push(Block::Heading(2, Line::plain(text)));
}

/// A list, cut where it is too long.
fn list(mut lines: Vec<Line>, blocks: &mut Vec<Block>) {
    let more = lines.len().saturating_sub(MOST);
    lines.truncate(MOST);
    if more > 0 {
        lines.push(Line::of(
            format!("and {more} more; --json has all"),
            Tone::Faint,
        ));
    }
    blocks.push(Block::List(lines));
}

/// A table, cut where it is too long.
fn table(titles: &[&'static str], mut rows: Vec<Vec<Line>>, blocks: &mut Vec<Block>) {
    let more = rows.len().saturating_sub(MOST);
    rows.truncate(MOST);
    blocks.push(Block::Table {
        titles: titles.to_vec(),
        rows,
    });
    if more > 0 {
        blocks.push(Block::Paragraph(Line::of(
            format!("and {more} more; --json has all"),
            Tone::Faint,
        )));
    }
}

fn place(evidence: &gavel_scout::Evidence) -> Line {
    let text = match evidence.line {
        Some(line) => format!("{}#L{line}", evidence.path),
        None => evidence.path.to_string(),
    };
    Line::of(text, Tone::File)
}

fn severity(severity: Severity) -> Line {
    let tone = match severity {
        Severity::Error => Tone::Bad,
        Severity::Warning => Tone::Warn,
        Severity::Note => Tone::Faint,
    };
    Line::of(severity.word(), tone)
}

fn findings(all: &[Finding], blocks: &mut Vec<Block>) {
    heading("Findings", blocks);
    if all.is_empty() {
        blocks.push(Block::Paragraph(Line::plain(
            "No check found anything in what was read.",
        )));
        return;
    }
    let row = |finding: &Finding| {
        let where_ = finding
            .evidence
            .as_ref()
            .map_or_else(|| Line::plain("–"), place);
        let what = Line::plain(format!("{}; {}", finding.message, finding.check.remedy()));
        let code = Line::plain(finding.check.code());
        vec![severity(finding.severity), code, where_, what]
    };
    table(
        &["", "check", "where", "what"],
        all.iter().map(row).collect(),
        blocks,
    );
}

fn languages(survey: &Survey, blocks: &mut Vec<Block>) {
    let bars = survey.languages.iter().take(16).map(|share| Bar {
        label: share.language.name().to_owned(),
        amount: u64::from(share.lines),
        shown: format!("{} lines in {} files", share.lines, share.files),
    });
    bars_block("Languages", bars.collect(), blocks);
}

fn layers(survey: &Survey, blocks: &mut Vec<Block>) {
    let bars = survey.layers.iter().map(|share| Bar {
        label: share.layer.name().to_owned(),
        amount: u64::from(share.lines),
        shown: format!("{} lines in {} files", share.lines, share.files),
    });
    bars_block("Layers", bars.collect(), blocks);
}

fn bars_block(title: &'static str, bars: Vec<Bar>, blocks: &mut Vec<Block>) {
    if !bars.is_empty() {
        heading(title, blocks);
        blocks.push(Block::Bars { title, bars });
    }
}

fn technologies(survey: &Survey, blocks: &mut Vec<Block>) {
    if survey.technologies.is_empty() {
        return;
    }
    heading("Built with", blocks);
    let mut last: Option<TechnologyKind> = None;
    let row = |one: &gavel_scout::Technology| {
        let first = last != Some(one.kind);
        last = Some(one.kind);
        let kind = if first { one.kind.title() } else { "" };
        let version = one.version.clone().unwrap_or_else(|| "–".to_owned());
        vec![
            Line::plain(kind),
            Line::plain(one.name.as_str()),
            Line::plain(version),
            place(&one.evidence),
        ]
    };
    table(
        &["", "name", "version", "seen in"],
        survey.technologies.iter().map(row).collect(),
        blocks,
    );
}

fn stacks(survey: &Survey, blocks: &mut Vec<Block>) {
    if survey.stacks.is_empty() {
        return;
    }
    heading("Manifests and versions", blocks);
    let row = |stack: &Stack| {
        let known = stack
            .dependencies
            .iter()
            .filter(|one| one.version.is_some())
            .count();
        let local = stack
            .dependencies
            .iter()
            .filter(|one| one.requirement == Requirement::Local)
            .count();
        let outside = stack.dependencies.len() - local;
        let lock = match &stack.lock_file {
            Some(path) => Line::of(path.as_str(), Tone::File),
            None => Line::plain("none"),
        };
        let language = stack
            .language_version
            .as_ref()
            .map_or("–", |stated| stated.text.as_str());
        vec![
            Line::of(stack.manifest.as_str(), Tone::File),
            Line::plain(format!("{outside}, {known} with a version")),
            lock,
            Line::plain(language),
        ]
    };
    let titles = ["manifest", "dependencies", "lock file", "language"];
    table(&titles, survey.stacks.iter().map(row).collect(), blocks);
    let runtime = survey
        .stacks
        .iter()
        .flat_map(|stack| &stack.dependencies)
        .filter(|one| one.scope == DependencyScope::Runtime && one.version.is_some());
    let mut rows: Vec<Vec<Line>> = runtime
        .filter_map(|one| {
            let version = one.version.as_ref()?;
            Some(vec![
                Line::plain(one.name.as_str()),
                Line::plain(version.text.as_str()),
                place(&version.evidence),
            ])
        })
        .collect();
    rows.dedup();
    if !rows.is_empty() {
        blocks.push(Block::Heading(3, Line::plain("Versions in use")));
        table(&["package", "version", "stated in"], rows, blocks);
    }
}

fn map(survey: &Survey, blocks: &mut Vec<Block>) {
    let graph = &survey.imports;
    if graph.groups.len() < 2 {
        return;
    }
    heading("Module map", blocks);
    blocks.push(Block::Paragraph(Line::plain(format!(
        "{} files of Rust, Python, JavaScript and TypeScript: {} imports inside, {} of packages",
        graph.files, graph.inside, graph.outside
    ))));
    let index = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let nodes = graph.groups.iter().map(|group| MapNode {
        label: group.name.clone(),
        shown: format!("{} files", group.files),
    });
    let edges = graph.edges.iter().map(|edge| MapEdge {
        from: index(edge.from),
        to: index(edge.to),
        imports: edge.imports,
    });
    blocks.push(Block::Map(ModuleMap {
        nodes: nodes.collect(),
        edges: edges.collect(),
    }));
}

fn entry_points(survey: &Survey, blocks: &mut Vec<Block>) {
    if survey.entry_points.is_empty() {
        return;
    }
    heading("Entry points", blocks);
    let row = |entry: &gavel_scout::EntryPoint| {
        let kind = match entry.kind {
            EntryKind::Program => "program",
            EntryKind::Library => "library",
        };
        vec![
            Line::of(entry.path.as_str(), Tone::File),
            Line::plain(kind),
            place(&entry.evidence),
        ]
    };
    table(
        &["file", "", "by"],
        survey.entry_points.iter().map(row).collect(),
        blocks,
    );
}

fn workspaces(survey: &Survey, blocks: &mut Vec<Block>) {
    if survey.workspaces.is_empty() {
        return;
    }
    heading("Workspace", blocks);
    let row = |one: &gavel_scout::Workspace| {
        let name = one.name.clone().unwrap_or_else(|| "–".to_owned());
        vec![
            Line::of(one.folder.as_str(), Tone::File),
            Line::plain(name),
            place(&one.evidence),
        ]
    };
    table(
        &["folder", "name", "listed in"],
        survey.workspaces.iter().map(row).collect(),
        blocks,
    );
}

fn routes(survey: &Survey, blocks: &mut Vec<Block>) {
    if survey.routes.is_empty() {
        return;
    }
    heading("Routes", blocks);
    let row = |one: &gavel_scout::Route| {
        vec![
            Line::plain(one.method.as_str()),
            Line::of(one.address.as_str(), Tone::Code),
            place(&one.evidence),
        ]
    };
    table(
        &["", "address", "where"],
        survey.routes.iter().map(row).collect(),
        blocks,
    );
}

fn models(survey: &Survey, blocks: &mut Vec<Block>) {
    if survey.models.is_empty() {
        return;
    }
    heading("Data models", blocks);
    let row = |one: &gavel_scout::DataModel| {
        vec![
            Line::of(one.name.as_str(), Tone::Code),
            place(&one.evidence),
        ]
    };
    table(
        &["name", "where"],
        survey.models.iter().map(row).collect(),
        blocks,
    );
}

fn configuration(survey: &Survey, blocks: &mut Vec<Block>) {
    if survey.configuration.is_empty() {
        return;
    }
    heading("Settings come from", blocks);
    let line = |source: &ConfigSource| match source {
        ConfigSource::File { path } => Line::of(path.as_str(), Tone::File),
        ConfigSource::Variable { name, evidence } => Line::of(name.as_str(), Tone::Code)
            .and(", read in ", Tone::Plain)
            .then(place(evidence)),
    };
    list(survey.configuration.iter().map(line).collect(), blocks);
}

fn tests(survey: &Survey, blocks: &mut Vec<Block>) {
    if survey.tests.is_empty() {
        return;
    }
    heading("Tests", blocks);
    let line = |one: &gavel_scout::TestCount| {
        Line::plain(format!(
            "{}: {} tests in {} files",
            one.language.name(),
            one.tests,
            one.files
        ))
    };
    list(survey.tests.iter().map(line).collect(), blocks);
}

fn gaps(survey: &Survey, blocks: &mut Vec<Block>) {
    heading("Not read", blocks);
    if survey.gaps.is_empty() {
        blocks.push(Block::Paragraph(Line::plain("Every file was read.")));
        return;
    }
    let line = |gap: &gavel_scout::Gap| {
        let first = gap
            .first
            .as_ref()
            .map_or(String::new(), |first| format!(", the first: {first}"));
        Line::plain(format!("{} files {}{first}", gap.files, gap.reason.text()))
    };
    list(survey.gaps.iter().map(line).collect(), blocks);
}
