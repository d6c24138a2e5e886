//! Languages by the name of a file, and how their comments and strings look.

use gavel_workspace::SourceLanguage;
use serde::{Deserialize, Serialize};

macro_rules! languages {
    ($($variant:ident $name:literal $style:ident [$($ending:literal)*])*) => {
        /// A language that lines are counted of.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[expect(missing_docs, reason = "each is called what it is")]
        pub enum Language { $($variant,)* }

        impl Language {
            /// Its name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            pub(crate) const fn style(self) -> Style {
                match self { $(Self::$variant => Style::$style,)* }
            }

            fn of_ending(ending: &str) -> Option<Self> {
                match ending { $($($ending)|* => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

/// How comments and strings look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// `//`, `/* */`, strings in one line.
    Slashes,
    /// The same, with nested comments, raw strings and lifetimes.
    Rust,
    /// The same, with templates and regular expressions.
    Script,
    /// The same, with raw strings between backticks.
    Go,
    /// The same, and `#`.
    Php,
    /// `#`, and strings of several lines.
    Python,
    /// `#`, and `=begin` to `=end`.
    Ruby,
    /// `#`.
    Hash,
    /// `--`, `/* */`.
    Sql,
    /// `<!-- -->`.
    Markup,
    /// `/* */`.
    Sheet,
}

/// Languages that are read alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    Rust,
    Script,
    Python,
    Go,
    Jvm,
    DotNet,
    Php,
    Ruby,
    Prisma,
    Sql,
    /// Only its lines are counted.
    Counted,
}

languages! {
    Rust "Rust" Rust ["rs"]
    TypeScript "TypeScript" Script ["ts" "mts" "cts" "tsx"]
    JavaScript "JavaScript" Script ["js" "mjs" "cjs" "jsx"]
    Python "Python" Python ["py" "pyi"]
    Go "Go" Go ["go"]
    Java "Java" Slashes ["java"]
    Kotlin "Kotlin" Slashes ["kt" "kts"]
    CSharp "C#" Slashes ["cs"]
    FSharp "F#" Slashes ["fs"]
    Php "PHP" Php ["php"]
    Ruby "Ruby" Ruby ["rb" "rake"]
    C "C" Slashes ["c" "h"]
    Cpp "C++" Slashes ["cpp" "hpp" "cc" "cxx" "hh"]
    Swift "Swift" Slashes ["swift"]
    Scala "Scala" Slashes ["scala"]
    Dart "Dart" Slashes ["dart"]
    Elixir "Elixir" Hash ["ex" "exs"]
    Vue "Vue" Markup ["vue"]
    Svelte "Svelte" Markup ["svelte"]
    Shell "Shell" Hash ["sh" "bash"]
    Sql "SQL" Sql ["sql"]
    Prisma "Prisma" Slashes ["prisma"]
    GraphQl "GraphQL" Hash ["graphql" "gql"]
    Protobuf "Protocol Buffers" Slashes ["proto"]
    Terraform "Terraform" Hash ["tf"]
    Html "HTML" Markup ["html" "htm"]
    Css "CSS" Sheet ["css" "scss" "less"]
    Template "Templates" Markup ["erb" "twig" "jinja" "j2" "hbs" "ejs" "cshtml" "razor"]
}

impl Language {
    /// The language of a file by its name.
    pub fn of_path(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        match name {
            "Rakefile" | "Gemfile" => return Some(Self::Ruby),
            _ => {}
        }
        let (_, ending) = name.rsplit_once('.')?;
        Self::of_ending(ending)
    }

    /// True for a language in which programs are written: sheets, markup and schemas are none.
    pub const fn is_code(self) -> bool {
        !matches!(
            self,
            Self::Html
                | Self::Css
                | Self::Template
                | Self::Prisma
                | Self::Sql
                | Self::GraphQl
                | Self::Protobuf
                | Self::Terraform
        )
    }

    /// The languages that it is read like.
    pub(crate) const fn family(self) -> Family {
        match self {
            Self::Rust => Family::Rust,
            Self::TypeScript | Self::JavaScript => Family::Script,
            Self::Python => Family::Python,
            Self::Go => Family::Go,
            Self::Java | Self::Kotlin | Self::Scala => Family::Jvm,
            Self::CSharp | Self::FSharp => Family::DotNet,
            Self::Php => Family::Php,
            Self::Ruby => Family::Ruby,
            Self::Prisma => Family::Prisma,
            Self::Sql => Family::Sql,
            Self::C
            | Self::Cpp
            | Self::Swift
            | Self::Dart
            | Self::Elixir
            | Self::Vue
            | Self::Svelte
            | Self::Shell
            | Self::GraphQl
            | Self::Protobuf
            | Self::Terraform
            | Self::Html
            | Self::Css
            | Self::Template => Family::Counted,
        }
    }

    /// True when its imports are followed.
    pub const fn imports_are_followed(self) -> bool {
        matches!(
            self,
            Self::Rust | Self::Python | Self::JavaScript | Self::TypeScript
        )
    }

    /// The grammar that its syntax is checked with.
    pub(crate) fn grammar(self, path: &gavel_workspace::RepoPath) -> Option<SourceLanguage> {
        self.imports_are_followed()
            .then(|| SourceLanguage::of_path(path))
            .flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_languages() {
        let cases = [
            ("src/main.rs", Some(Language::Rust)),
            ("a.tsx", Some(Language::TypeScript)),
            ("Gemfile", Some(Language::Ruby)),
            ("a.unknown", None),
            ("Makefile", None),
            ("build.gradle.kts", Some(Language::Kotlin)),
        ];
        for (path, language) in cases {
            assert_eq!(Language::of_path(path), language, "{path}");
        }
    }
}
