//! What a repository uses, by its dependencies and by the names of its files.

mod catalogue;
mod files;

use gavel_rules::Ecosystem;
use serde::{Deserialize, Serialize};

use crate::language::Language;
use crate::survey::{DependencyScope, Evidence, Stack, Technology};

pub(crate) use files::{of_file, of_text};

/// What kind of thing a technology is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TechnologyKind {
    /// A framework for servers and programs.
    Framework,
    /// Maps objects to a database.
    Orm,
    /// A database, a queue or a cache.
    Database,
    /// Draws what people see.
    FrontEnd,
    /// Puts a front end together.
    Bundler,
    /// Runs tests.
    TestKit,
    /// Reads code for mistakes or lays it out.
    Linter,
    /// Builds and tests on a server.
    Ci,
    /// Packs a program with its system.
    Container,
    /// Runs it for everybody.
    Hosting,
    /// A service of somebody else.
    Service,
}

impl TechnologyKind {
    /// The kind as people read it, for several.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Framework => "Frameworks",
            Self::Orm => "ORMs",
            Self::Database => "Databases and queues",
            Self::FrontEnd => "Front ends",
            Self::Bundler => "Bundlers",
            Self::TestKit => "Test kits",
            Self::Linter => "Linters and formatters",
            Self::Ci => "CI",
            Self::Container => "Containers",
            Self::Hosting => "Hosting",
            Self::Service => "External services",
        }
    }
}

/// What the dependencies of a manifest mean.
pub(crate) fn of_stack(stack: &Stack) -> Vec<Technology> {
    let mut found: Vec<Technology> = Vec::new();
    for dependency in &stack.dependencies {
        let hits =
            catalogue::entries().filter(|entry| entry.means(stack.ecosystem, &dependency.name));
        for entry in hits {
            // What is only there for tests is no part of the program, unless tests are what it is for.
            let for_tests = dependency.scope == DependencyScope::Development;
            let is_tool = matches!(
                entry.kind,
                TechnologyKind::TestKit
                    | TechnologyKind::Linter
                    | TechnologyKind::Bundler
                    | TechnologyKind::FrontEnd
                    | TechnologyKind::Framework
                    | TechnologyKind::Orm
            );
            if for_tests && !is_tool {
                continue;
            }
            if found
                .iter()
                .any(|one| one.name == entry.name && one.kind == entry.kind)
            {
                continue;
            }
            found.push(Technology {
                kind: entry.kind,
                name: entry.name.to_owned(),
                version: dependency
                    .version
                    .as_ref()
                    .map(|stated| stated.text.clone()),
                evidence: dependency.declared.clone(),
            });
        }
    }
    found
}

/// Adds what is not known yet; a version fills a gap.
pub(crate) fn add(all: &mut Vec<Technology>, new: Technology) {
    let known = all
        .iter_mut()
        .find(|one| one.name == new.name && one.kind == new.kind);
    match known {
        Some(known) if known.version.is_none() && new.version.is_some() => *known = new,
        Some(_) => {}
        None => all.push(new),
    }
}

/// A test kit that comes with a language.
pub(crate) struct BuiltInKit {
    pub(crate) name: &'static str,
    pub(crate) language: Language,
}

/// Without a test kit among the dependencies, these languages bring their own.
pub(crate) const fn built_in_tests(ecosystem: Ecosystem) -> Option<BuiltInKit> {
    match ecosystem {
        Ecosystem::Rust => Some(BuiltInKit {
            name: "cargo test",
            language: Language::Rust,
        }),
        Ecosystem::Go => Some(BuiltInKit {
            name: "go test",
            language: Language::Go,
        }),
        Ecosystem::Node
        | Ecosystem::Python
        | Ecosystem::Maven
        | Ecosystem::Gradle
        | Ecosystem::DotNet
        | Ecosystem::Ruby
        | Ecosystem::Php => None,
    }
}

pub(crate) fn technology(kind: TechnologyKind, name: &str, evidence: Evidence) -> Technology {
    Technology {
        kind,
        name: name.to_owned(),
        version: None,
        evidence,
    }
}

#[cfg(test)]
#[path = "technology_tests.rs"]
mod tests;
