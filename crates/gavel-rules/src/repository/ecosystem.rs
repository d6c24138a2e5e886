//! Ecosystems: whose manifest a file is, which language it means, how its tests are run.

use serde::{Deserialize, Serialize};

/// What a manifest belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ecosystem {
    /// `Cargo.toml`.
    Rust,
    /// `package.json`.
    Node,
    /// `go.mod`.
    Go,
    /// `pyproject.toml`, `requirements.txt`, `setup.py`.
    Python,
    /// `pom.xml`.
    Maven,
    /// `build.gradle`, `build.gradle.kts`.
    Gradle,
    /// `*.csproj`, `*.fsproj`, `*.sln`.
    DotNet,
    /// `Gemfile`.
    Ruby,
    /// `composer.json`.
    Php,
}

impl Ecosystem {
    /// The ecosystem of a file with this name.
    pub fn of_file(name: &str) -> Option<Self> {
        let ends = |ending: &str| name.ends_with(ending);
        Some(match name {
            "Cargo.toml" => Self::Rust,
            "package.json" => Self::Node,
            "go.mod" => Self::Go,
            "pyproject.toml" | "requirements.txt" | "setup.py" => Self::Python,
            "pom.xml" => Self::Maven,
            "build.gradle" | "build.gradle.kts" => Self::Gradle,
            "Gemfile" => Self::Ruby,
            "composer.json" => Self::Php,
            _ if ends(".csproj") || ends(".fsproj") || ends(".sln") => Self::DotNet,
            _ => return None,
        })
    }

    /// Its language, as people say it.
    pub const fn language(self) -> &'static str {
        match self {
            Self::Rust => "Rust",
            Self::Node => "TypeScript or JavaScript on Node",
            Self::Go => "Go",
            Self::Python => "Python",
            Self::Maven | Self::Gradle => "Java",
            Self::DotNet => "C#",
            Self::Ruby => "Ruby",
            Self::Php => "PHP",
        }
    }

    /// How its tests are usually run.
    pub const fn test_command(self) -> &'static str {
        match self {
            Self::Rust => "cargo test",
            Self::Node => "npm test",
            Self::Go => "go test ./...",
            Self::Python => "pytest",
            Self::Maven => "mvn test",
            Self::Gradle => "gradle test",
            Self::DotNet => "dotnet test",
            Self::Ruby => "rspec",
            Self::Php => "composer test",
        }
    }
}

const SOURCE_ENDINGS: [&str; 24] = [
    ".rs", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".py", ".go", ".java", ".kt", ".cs",
    ".fs", ".rb", ".php", ".c", ".h", ".cpp", ".hpp", ".swift", ".scala", ".vue", ".svelte", ".sh",
];
const TEST_ENDINGS: [&str; 13] = [
    "_test.go",
    "_test.py",
    "_test.rs",
    "_tests.rs",
    ".test.ts",
    ".test.tsx",
    ".test.js",
    ".spec.ts",
    ".spec.js",
    "Test.java",
    "Tests.cs",
    "_spec.rb",
    "Test.php",
];

/// True for a file with code in it.
pub(crate) fn is_source(name: &str) -> bool {
    SOURCE_ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// True for a file that is called like a test.
pub(crate) fn is_test(name: &str) -> bool {
    TEST_ENDINGS.iter().any(|ending| name.ends_with(ending))
        || (name.starts_with("test_") && name.ends_with(".py"))
}
