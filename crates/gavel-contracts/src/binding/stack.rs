//! The stack: no language and no package that it does not name.

use gavel_domain::ContractKind;

use super::entry::is_config;
use super::language::Language;
use super::manifests::{self, Dependency, ManifestProblem, Use};
use super::report::{BindingRule, BindingSeverity, Collector, Spot, Verdict, list_names};
use super::stack_text::{Packages, StackText, normal};
use super::tree::{FileText, Tree, TreeFile, is_set_aside, name_of};
use crate::finding::quote;

/// Manifests and build files with dependencies that no rule reads.
const NOT_READ: [&str; 16] = [
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "setup.py",
    "Gemfile",
    "composer.json",
    "mix.exs",
    "Package.swift",
    "pubspec.yaml",
    "environment.yml",
    "deno.json",
    "deno.jsonc",
    "conanfile.txt",
    "vcpkg.json",
    "CMakeLists.txt",
    "WORKSPACE",
];

/// The most packages of one manifest.
const MAX_DEPENDENCIES: usize = 2_000;

pub(super) fn check(text: &str, tree: &Tree<'_>, collector: &mut Collector) {
    let stack = StackText::read(text);
    check_languages(&stack, tree, collector);
    match &stack.packages {
        Some(packages) => check_packages(packages, tree, collector),
        None => collector.not_checked(
            ContractKind::Stack,
            "dependencies",
            "there is no section `Dependencies` with a bullet",
        ),
    }
    for what in [
        "storage",
        "versions of languages and packages",
        "the test command",
    ] {
        let why = match what {
            "storage" => "no rule knows how a program keeps its data",
            "the test command" => "the verification settles by itself what runs the tests",
            _ => "only names are compared",
        };
        collector.not_checked(ContractKind::Stack, what, why);
    }
}

const fn verdict(rule: BindingRule, severity: BindingSeverity) -> Verdict {
    Verdict {
        rule,
        severity,
        contract: ContractKind::Stack,
    }
}

fn check_languages(stack: &StackText, tree: &Tree<'_>, collector: &mut Collector) {
    if stack.languages.is_empty() {
        let why = "the section `Language` names none that a rule knows";
        collector.not_checked(ContractKind::Stack, "languages", why);
        return;
    }
    collector.checked(1);
    let named: Vec<&str> = stack
        .languages
        .iter()
        .map(|language| language.label())
        .collect();
    let named = list_names(named);
    for file in tree.files() {
        let languages = file.languages();
        let is_named = languages
            .iter()
            .any(|language| stack.languages.contains(language));
        if languages.is_empty() || is_named || is_excused(&file, stack) {
            continue;
        }
        let other: Vec<&str> = languages.iter().map(|language| language.label()).collect();
        let severity = if is_set_aside(file.path) {
            BindingSeverity::Warning
        } else {
            BindingSeverity::Error
        };
        let message = format!(
            "this is {}, and the stack names {named}; write it in that, or take it out",
            other.join(" or ")
        );
        let verdict = verdict(BindingRule::OtherLanguage, severity);
        collector.add(verdict, Spot::new(file.path, 1), message);
    }
}

/// True for a file that a named language brings along.
fn is_excused(file: &TreeFile<'_>, stack: &StackText) -> bool {
    let named = |language| stack.languages.contains(&language);
    let is = |language| file.languages().contains(&language);
    let scripts = named(Language::JavaScript) || named(Language::TypeScript);
    let on_jvm = [Language::Java, Language::Kotlin, Language::Scala];
    let declares = name_of(file.path).ends_with(".d.ts") && scripts;
    let builds = name_of(file.path).ends_with(".gradle.kts") && on_jvm.into_iter().any(named);
    let shell = is(Language::Shell) && stack.shell_scripts && file.path.starts_with("scripts/");
    (is_config(file.path) && scripts) || declares || builds || shell
}

fn check_packages(packages: &Packages, tree: &Tree<'_>, collector: &mut Collector) {
    for bullet in &packages.unread {
        collector.not_checked(
            ContractKind::Stack,
            format!("dependencies: {}", quote(bullet)),
            "no rule can tell which packages are meant; name them in backticks",
        );
    }
    for file in tree.files() {
        if NOT_READ.contains(&name_of(file.path)) && !is_set_aside(file.path) {
            let what = format!("dependencies of {}", file.path);
            collector.not_checked(ContractKind::Stack, what, "no rule reads such a manifest");
        }
        if !manifests::is_manifest(file.path) || is_third_party(file.path) {
            continue;
        }
        let spot = |line| Spot::new(file.path, line);
        let FileText::Text(text) = file.text else {
            let verdict = verdict(BindingRule::ManifestUnreadable, BindingSeverity::Error);
            let message = "a manifest that cannot be read as text; keep it as a plain text file";
            collector.add(verdict, spot(1), message);
            continue;
        };
        match manifests::read(file.path, text, tree) {
            Ok(dependencies) if dependencies.len() > MAX_DEPENDENCIES => {
                let verdict = verdict(BindingRule::TooLarge, BindingSeverity::Error);
                let message =
                    format!("more than {MAX_DEPENDENCIES} packages, and nobody compares so many");
                collector.add(verdict, spot(1), message);
            }
            Ok(dependencies) => {
                collector.checked(1);
                for dependency in &dependencies {
                    check_dependency(packages, dependency, file.path, collector);
                }
            }
            Err(ManifestProblem { line, problem }) => {
                let verdict = verdict(BindingRule::ManifestUnreadable, BindingSeverity::Error);
                let message = format!("the manifest cannot be read: {problem}; mend it");
                collector.add(verdict, spot(line), message);
            }
        }
    }
}

/// Manifests of packages that came from elsewhere say nothing about what the product asks for.
fn is_third_party(path: &str) -> bool {
    path.split('/').any(|part| part == "node_modules") || path.starts_with("vendor/")
}

fn check_dependency(
    packages: &Packages,
    dependency: &Dependency,
    file: &str,
    collector: &mut Collector,
) {
    let Dependency {
        package,
        line,
        used,
        elsewhere,
    } = dependency;
    let spot = Spot::new(file, *line);
    let is_in = |names: &std::collections::BTreeSet<String>| {
        let mut spellings = manifests::spellings(package).into_iter();
        spellings.any(|name| names.contains(&normal(&name)))
    };
    let for_tests = *used == Use::Tests && is_in(&packages.for_tests);
    if !is_in(&packages.named) && !for_tests {
        let severity = if packages.whole {
            BindingSeverity::Error
        } else {
            BindingSeverity::Warning
        };
        let verdict = verdict(BindingRule::DependencyNotNamed, severity);
        let message = format!(
            "the stack does not name the package {}; do without it, or have the contract name it",
            quote(package)
        );
        collector.add(verdict, spot, message);
        return;
    }
    if let Some(place) = elsewhere
        && !is_in(&packages.with_source)
    {
        let verdict = verdict(BindingRule::DependencySource, BindingSeverity::Error);
        let message = format!(
            "the package {} is taken from {}, and the stack names it without a source; \
             take it from its registry",
            quote(package),
            quote(place)
        );
        collector.add(verdict, spot, message);
    }
}
