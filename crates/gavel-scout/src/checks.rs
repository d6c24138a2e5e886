//! Checks of a whole repository. Each can fire, and each is silent where nothing is wrong.

use gavel_rules::{Ecosystem, is_own_file, is_test_source};

use crate::finding::{Check, Finding, Severity};
use crate::language::Language;
use crate::manifest::Understood;
use crate::reading::is_test_data;
use crate::scan::Seen;
use crate::survey::{
    ConfigSource, DependencyScope, EntryKind, Evidence, GapReason, Requirement, Survey,
};
use crate::technology::TechnologyKind;

/// The most findings of one check.
const MOST_OF_ONE: usize = 100;
/// A circle of more files is shown with its first ones.
const SHOWN_FILES: usize = 5;
/// So many lines of code without any test are worth a warning.
const NEEDS_TESTS: u32 = 50;

/// The findings that a survey leads to.
pub(crate) fn of_survey(survey: &Survey, seen: &[Seen<'_>]) -> Vec<Finding> {
    let mut all = Vec::new();
    all.extend(of_names(seen));
    all.extend(unpinned(survey));
    all.extend(lock_files(survey, seen));
    all.extend(unreadable(seen));
    all.extend(missing_tests(survey));
    all.extend(missing_ci(survey));
    all.extend(missing_env_example(survey, seen));
    all.extend(imports(survey));
    all
}

/// The checks that names of files answer: no file has to be read for them.
pub(crate) fn of_names(seen: &[Seen<'_>]) -> Vec<Finding> {
    let paths: Vec<&str> = seen.iter().map(|one| one.file.path.as_str()).collect();
    let mut all = Vec::new();
    let top = |starts: &[&str]| {
        paths.iter().any(|path| {
            let lower = path.to_ascii_lowercase();
            let shown = !lower.contains('/')
                || lower.starts_with(".github/")
                || lower.starts_with("docs/readme");
            let name = lower.rsplit('/').next().unwrap_or(&lower);
            shown && starts.iter().any(|start| name.starts_with(start))
        })
    };
    if !paths.is_empty() && !top(&["readme"]) {
        all.push(Finding::of_repository(
            Check::MissingReadme,
            Severity::Warning,
            "no README in the topmost folder",
        ));
    }
    if !paths.is_empty() && !top(&["license", "licence", "copying", "unlicense"]) {
        let message = "no licence file in the topmost folder: nobody else may use it";
        all.push(Finding::of_repository(
            Check::MissingLicence,
            Severity::Note,
            message,
        ));
    }
    all.extend(build_output(seen));
    all
}

/// Folders that tools write, of which git is not told to ignore them; one finding for each.
fn build_output(seen: &[Seen<'_>]) -> Vec<Finding> {
    const OUTPUT: [&str; 6] = [
        "node_modules",
        "__pycache__",
        ".venv",
        "target",
        "dist",
        "build",
    ];
    let mut folders: Vec<(String, &Seen<'_>, u32)> = Vec::new();
    for one in seen
        .iter()
        .filter(|one| !is_own_file(one.file.path.as_str()))
    {
        let path = one.file.path.as_str();
        if is_test_data(path) {
            continue;
        }
        let mut end = 0;
        let found = path.split('/').find_map(|part| {
            end += part.len() + 1;
            OUTPUT
                .contains(&part)
                .then(|| path.get(..end - 1).unwrap_or_default().to_owned())
        });
        let Some(folder) = found.filter(|folder| folder.len() < path.len()) else {
            continue;
        };
        match folders.iter_mut().find(|(known, _, _)| *known == folder) {
            Some((_, _, files)) => *files += 1,
            None => folders.push((folder, one, 1)),
        }
        if folders.len() > MOST_OF_ONE {
            break;
        }
    }
    let finding = |(folder, first, files): (String, &Seen<'_>, u32)| {
        let message = format!(
            "`{folder}/` looks like build output ({files} files), and no .gitignore excludes it"
        );
        Finding::at(
            Check::BuildOutput,
            Severity::Warning,
            Evidence::file(&first.file.path),
            message,
        )
    };
    folders.into_iter().map(finding).collect()
}

fn unpinned(survey: &Survey) -> Vec<Finding> {
    let mut all = Vec::new();
    for stack in &survey.stacks {
        for dependency in &stack.dependencies {
            let any = match &dependency.requirement {
                Requirement::Any => true,
                Requirement::Range(text) => {
                    text.starts_with(">=")
                        && !text.contains(['<', ','])
                        && stack.lock_file.is_none()
                }
                Requirement::Exact(_)
                | Requirement::Local
                | Requirement::Address(_)
                | Requirement::Elsewhere => false,
            };
            // What only builds a package is chosen by the builder; what a lock pins is pinned.
            if !any || dependency.scope == DependencyScope::Build {
                continue;
            }
            let (severity, how) = match (&dependency.version, dependency.scope) {
                (Some(version), _) => (
                    Severity::Note,
                    format!("; the lock file has {}", version.text),
                ),
                (None, DependencyScope::Runtime) => (Severity::Warning, String::new()),
                (None, _) => (Severity::Note, String::new()),
            };
            let from = match &dependency.requirement {
                Requirement::Range(text) => format!(" from {text} on"),
                Requirement::Any
                | Requirement::Exact(_)
                | Requirement::Local
                | Requirement::Address(_)
                | Requirement::Elsewhere => String::new(),
            };
            let message = format!("`{}` takes every version{from}{how}", dependency.name);
            all.push(Finding::at(
                Check::UnpinnedDependency,
                severity,
                dependency.declared.clone(),
                message,
            ));
        }
    }
    all.sort();
    all.truncate(MOST_OF_ONE);
    all
}

/// Which tool would write the lock file; nothing for ecosystems that need none by default.
const fn lock_name(ecosystem: Ecosystem) -> Option<&'static str> {
    match ecosystem {
        Ecosystem::Rust => Some("Cargo.lock"),
        Ecosystem::Node => Some("package-lock.json, yarn.lock or pnpm-lock.yaml"),
        Ecosystem::Go => Some("go.sum"),
        Ecosystem::Ruby => Some("Gemfile.lock"),
        Ecosystem::Php => Some("composer.lock"),
        Ecosystem::Python => Some("poetry.lock, uv.lock or pinned requirements"),
        Ecosystem::Maven | Ecosystem::Gradle | Ecosystem::DotNet => None,
    }
}

fn lock_files(survey: &Survey, seen: &[Seen<'_>]) -> Vec<Finding> {
    let mut all = Vec::new();
    // Binary lock files name no version, and are lock files.
    let has_binary = seen.iter().any(|one| one.file.path.name() == "bun.lockb");
    for stack in &survey.stacks {
        let outside = stack.dependencies.iter().filter(|one| {
            one.requirement != Requirement::Local && one.scope != DependencyScope::Build
        });
        let loose = outside.clone().any(|one| one.version.is_none());
        let is_gem = stack.manifest.name().ends_with(".gemspec");
        let Some(name) = lock_name(stack.ecosystem) else {
            continue;
        };
        if stack.lock_file.is_some()
            || !loose
            || is_gem
            || (has_binary && stack.ecosystem == Ecosystem::Node)
        {
            continue;
        }
        // Libraries often leave the choice to whoever uses them.
        let is_program = survey
            .entry_points
            .iter()
            .any(|entry| entry.kind == EntryKind::Program);
        let severity = if is_program {
            Severity::Warning
        } else {
            Severity::Note
        };
        let message = format!("no lock file beside or above it: {name}");
        all.push(Finding::at(
            Check::MissingLockFile,
            severity,
            Evidence::file(&stack.manifest),
            message,
        ));
    }
    all.truncate(MOST_OF_ONE);
    all
}

fn unreadable(seen: &[Seen<'_>]) -> Vec<Finding> {
    let broken = seen.iter().filter(|one| {
        let manifest = one.read.manifest.as_ref();
        let manifest = manifest.is_some_and(|manifest| manifest.understood == Understood::No);
        let empty = one
            .read
            .lock
            .as_ref()
            .is_some_and(crate::lock::Lock::is_empty)
            && one.file.stamp.bytes > 200;
        // What cannot be read as text is told as a gap.
        let binary = one.read.gap.is_some();
        (manifest || empty) && !binary
    });
    let finding = |one: &Seen<'_>| {
        let (severity, message) = match one.read.manifest {
            Some(_) => (Severity::Error, "this manifest cannot be read"),
            None => (
                Severity::Note,
                "no package was recognised in this lock file",
            ),
        };
        Finding::at(
            Check::UnreadableManifest,
            severity,
            Evidence::file(&one.file.path),
            message,
        )
    };
    broken.map(finding).collect()
}

fn missing_tests(survey: &Survey) -> Option<Finding> {
    let code: u32 = survey
        .languages
        .iter()
        .filter(|one| is_program(one.language))
        .map(|one| one.lines)
        .sum();
    let none = survey.tests.is_empty();
    let message =
        format!("no test among {code} lines of code; tests are told by their names and marks");
    (none && code >= NEEDS_TESTS)
        .then(|| Finding::of_repository(Check::MissingTests, Severity::Warning, message))
}

const fn is_program(language: Language) -> bool {
    language.is_code() && !matches!(language, Language::Shell)
}

fn missing_ci(survey: &Survey) -> Option<Finding> {
    let has_ci = survey
        .technologies
        .iter()
        .any(|one| one.kind == TechnologyKind::Ci);
    let message = "no settings of a CI service that is known here";
    let has_code = survey.languages.iter().any(|one| is_program(one.language));
    (has_code && !has_ci).then(|| Finding::of_repository(Check::MissingCi, Severity::Note, message))
}

fn missing_env_example(survey: &Survey, seen: &[Seen<'_>]) -> Option<Finding> {
    let mut variables = survey
        .configuration
        .iter()
        .filter_map(|source| match source {
            ConfigSource::Variable { name, evidence } => Some((name, evidence)),
            ConfigSource::File { .. } => None,
        });
    let own = |name: &str| {
        !matches!(
            name,
            "HOME"
                | "PATH"
                | "USER"
                | "SHELL"
                | "TERM"
                | "CI"
                | "NODE_ENV"
                | "NO_COLOR"
                | "DEBUG"
                | "PORT"
        )
    };
    let (name, evidence) = variables.find(|(name, _)| own(name))?;
    let more = variables.filter(|(name, _)| own(name)).count();
    let has_example = seen.iter().any(|one| {
        let name = one.file.path.name();
        let sample = [
            "example", "sample", "template", "dist", "defaults", "schema",
        ];
        name.contains("env")
            && name
                .split(['.', '-', '_'])
                .any(|part| sample.contains(&part))
    });
    // A command line tool reads its user's environment; a server has settings of its own.
    let serves = !survey.routes.is_empty()
        || seen.iter().any(|one| {
            one.read.gap == Some(GapReason::Credential) && one.file.path.name().starts_with(".env")
        });
    if has_example || !serves {
        return None;
    }
    let more = if more == 0 {
        String::new()
    } else {
        format!(" and {more} more")
    };
    let message =
        format!("code reads `{name}`{more} from the environment, and no .env.example says so");
    Some(Finding::at(
        Check::MissingEnvExample,
        Severity::Note,
        evidence.clone(),
        message,
    ))
}

fn imports(survey: &Survey) -> Vec<Finding> {
    let mut all = Vec::new();
    let in_tests = |path: &str| is_test_source(path) || is_test_data(path);
    for dead in survey.imports.dead.iter().take(MOST_OF_ONE) {
        let severity = match in_tests(dead.evidence.path.as_str()) {
            true => Severity::Note,
            false => Severity::Warning,
        };
        let message = format!("`{}` leads to no file", dead.target);
        all.push(Finding::at(
            Check::DeadImport,
            severity,
            dead.evidence.clone(),
            message,
        ));
    }
    for cycle in survey.imports.cycles.iter().take(MOST_OF_ONE) {
        // Modules of one crate may use each other; in the others the order of loading decides what is there.
        let severity = if cycle.language == Language::Rust {
            Severity::Note
        } else {
            Severity::Warning
        };
        let mut names: Vec<&str> = cycle
            .files
            .iter()
            .map(gavel_workspace::RepoPath::as_str)
            .take(SHOWN_FILES)
            .collect();
        if cycle.files.len() > SHOWN_FILES {
            names.push("…");
        }
        let message = format!(
            "{} files import each other in a circle: {}",
            cycle.files.len(),
            names.join(", ")
        );
        all.push(Finding::at(
            Check::CyclicImport,
            severity,
            cycle.evidence.clone(),
            message,
        ));
    }
    all
}

#[cfg(test)]
#[path = "checks_tests.rs"]
mod tests;
