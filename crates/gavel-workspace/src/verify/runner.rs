//! The test runners whose output is understood.

use super::counts::Counts;
use super::names::{self, TestNames};
use super::runners::{self, bun, dotnet, go, surefire};

/// A test runner, known by its closing lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Runner {
    Cargo,
    Node,
    Vitest,
    Jest,
    Mocha,
    Bun,
    Pytest,
    Unittest,
    Go,
    Surefire,
    Dotnet,
}

impl Runner {
    /// Those that scripts of Node projects call.
    pub(super) const OF_SCRIPTS: &'static [Self] =
        &[Self::Node, Self::Vitest, Self::Jest, Self::Mocha, Self::Bun];

    /// All: a command that may call anything.
    pub(super) const ALL: &'static [Self] = &[
        Self::Cargo,
        Self::Node,
        Self::Vitest,
        Self::Jest,
        Self::Mocha,
        Self::Bun,
        Self::Pytest,
        Self::Unittest,
        Self::Go,
        Self::Surefire,
        Self::Dotnet,
    ];

    /// The runners of a recipe, by the name that facts record.
    pub(super) fn of_recipe(name: &str) -> &'static [Self] {
        match name {
            "cargo" => &[Self::Cargo],
            "node_test" => &[Self::Node],
            "npm" | "pnpm" | "yarn" | "bun" => Self::OF_SCRIPTS,
            "pytest" => &[Self::Pytest],
            "unittest" | "django" => &[Self::Unittest],
            "go" => &[Self::Go],
            "maven" => &[Self::Surefire],
            "dotnet" => &[Self::Dotnet],
            "make" | "own" => Self::ALL,
            _ => &[],
        }
    }

    /// One for each closing of this runner in an output without colours.
    pub(super) fn closings(self, output: &str) -> Vec<Counts> {
        match self {
            Self::Cargo => runners::cargo(output),
            Self::Node => runners::node(output),
            Self::Vitest => runners::vitest(output),
            Self::Jest => runners::jest(output),
            Self::Mocha => runners::mocha(output),
            Self::Bun => bun::closings(output),
            Self::Pytest => runners::pytest(output),
            Self::Unittest => runners::unittest(output),
            Self::Go => go::closings(output),
            Self::Surefire => surefire::closings(output),
            Self::Dotnet => dotnet::closings(output),
        }
    }

    /// The tests that this runner names in an output without colours; only asked where it closed.
    pub(super) fn names(self, output: &str) -> TestNames {
        match self {
            Self::Cargo => names::cargo(output),
            Self::Node => names::node(output),
            Self::Vitest => names::vitest(output),
            Self::Jest => names::jest(output),
            Self::Mocha => names::mocha(output),
            Self::Bun => bun::names(output),
            Self::Pytest => names::pytest(output),
            Self::Unittest => names::unittest(output),
            Self::Go => go::names(output),
            Self::Surefire => surefire::names(output),
            Self::Dotnet => dotnet::names(output),
        }
    }
}
