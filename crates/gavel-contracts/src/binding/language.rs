//! Programming languages: which file is written in which, and what people call them.

use super::tree::name_of;

/// A programming language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Language {
    Rust,
    Python,
    JavaScript,
    TypeScript,
    Go,
    Java,
    Kotlin,
    Scala,
    Groovy,
    Clojure,
    C,
    Cpp,
    ObjectiveC,
    CSharp,
    FSharp,
    VisualBasic,
    Swift,
    Dart,
    Ruby,
    Php,
    Perl,
    Lua,
    R,
    Julia,
    Haskell,
    OCaml,
    Elixir,
    Erlang,
    Zig,
    Nim,
    Crystal,
    Tcl,
    Awk,
    Fortran,
    Pascal,
    Assembly,
    Shell,
    PowerShell,
    Batch,
    /// What a compiler made of source that is not here.
    Compiled,
}

/// What is known about a language.
struct Known {
    language: Language,
    label: &'static str,
    extensions: &'static [&'static str],
    /// In lower case; the label is one of its names anyway.
    names: &'static [&'static str],
    /// Programs that `#!` lines name.
    programs: &'static [&'static str],
}

const fn known(
    language: Language,
    label: &'static str,
    extensions: &'static [&'static str],
    names: &'static [&'static str],
    programs: &'static [&'static str],
) -> Known {
    Known {
        language,
        label,
        extensions,
        names,
        programs,
    }
}

const KNOWN: [Known; 40] = [
    known(Language::Rust, "Rust", &["rs"], &[], &["rust-script"]),
    known(
        Language::Python,
        "Python",
        &["py", "pyi", "pyw", "pyx", "ipynb", "pyc"],
        &["cpython"],
        &["python", "pypy", "uv"],
    ),
    known(
        Language::JavaScript,
        "JavaScript",
        &["js", "mjs", "cjs", "jsx", "vue", "svelte"],
        &[
            "js",
            "ecmascript",
            "node",
            "node.js",
            "nodejs",
            "bun",
            "deno",
            "es",
        ],
        &["node", "nodejs", "bun", "deno"],
    ),
    known(
        Language::TypeScript,
        "TypeScript",
        &["ts", "mts", "cts", "tsx", "vue", "svelte"],
        &["ts", "deno"],
        &["tsx", "ts-node"],
    ),
    known(Language::Go, "Go", &["go"], &["golang"], &[]),
    known(
        Language::Java,
        "Java",
        &["java", "class", "jar"],
        &[],
        &["java"],
    ),
    known(Language::Kotlin, "Kotlin", &["kt", "kts"], &[], &["kotlin"]),
    known(Language::Scala, "Scala", &["scala", "sc"], &[], &["scala"]),
    known(Language::Groovy, "Groovy", &["groovy"], &[], &["groovy"]),
    known(
        Language::Clojure,
        "Clojure",
        &["clj", "cljs", "cljc"],
        &["clojurescript"],
        &["bb"],
    ),
    known(Language::C, "C", &["c", "h"], &[], &["tcc"]),
    known(
        Language::Cpp,
        "C++",
        &["cc", "cpp", "cxx", "h", "hh", "hpp", "hxx", "inl", "ipp"],
        &["cpp", "cplusplus"],
        &[],
    ),
    known(
        Language::ObjectiveC,
        "Objective-C",
        &["m", "mm", "h"],
        &["objc"],
        &[],
    ),
    known(Language::CSharp, "C#", &["cs", "csx"], &["csharp"], &[]),
    known(Language::FSharp, "F#", &["fs", "fsx"], &["fsharp"], &[]),
    known(Language::VisualBasic, "VB.NET", &["vb"], &["vb"], &[]),
    known(Language::Swift, "Swift", &["swift"], &[], &["swift"]),
    known(Language::Dart, "Dart", &["dart"], &["flutter"], &["dart"]),
    known(
        Language::Ruby,
        "Ruby",
        &["rb", "rake"],
        &["rails"],
        &["ruby"],
    ),
    known(Language::Php, "PHP", &["php"], &["laravel"], &["php"]),
    known(Language::Perl, "Perl", &["pl", "pm", "t"], &[], &["perl"]),
    known(
        Language::Lua,
        "Lua",
        &["lua"],
        &["luajit"],
        &["lua", "luajit"],
    ),
    known(Language::R, "R", &["r"], &[], &["rscript"]),
    known(Language::Julia, "Julia", &["jl"], &[], &["julia"]),
    known(
        Language::Haskell,
        "Haskell",
        &["hs", "lhs"],
        &[],
        &["runghc", "runhaskell", "stack"],
    ),
    known(Language::OCaml, "OCaml", &["ml", "mli"], &[], &["ocaml"]),
    known(Language::Elixir, "Elixir", &["ex", "exs"], &[], &["elixir"]),
    known(
        Language::Erlang,
        "Erlang",
        &["erl", "hrl", "escript"],
        &[],
        &["escript"],
    ),
    known(Language::Zig, "Zig", &["zig"], &[], &[]),
    known(Language::Nim, "Nim", &["nim"], &[], &[]),
    known(Language::Crystal, "Crystal", &["cr"], &[], &["crystal"]),
    known(
        Language::Tcl,
        "Tcl",
        &["tcl"],
        &[],
        &["tclsh", "wish", "expect"],
    ),
    known(
        Language::Awk,
        "Awk",
        &["awk"],
        &[],
        &["awk", "gawk", "mawk"],
    ),
    known(
        Language::Fortran,
        "Fortran",
        &["f", "f77", "f90", "f95", "f03", "f08"],
        &[],
        &[],
    ),
    known(Language::Pascal, "Pascal", &["pas"], &["delphi"], &[]),
    known(
        Language::Assembly,
        "assembly",
        &["s", "asm"],
        &["assembler"],
        &[],
    ),
    known(
        Language::Shell,
        "shell",
        &["sh", "bash", "zsh", "ksh", "fish", "bats"],
        &["bash", "sh", "posix", "zsh", "fish"],
        &[
            "sh", "bash", "dash", "zsh", "ksh", "fish", "bats", "busybox",
        ],
    ),
    known(
        Language::PowerShell,
        "PowerShell",
        &["ps1", "psm1"],
        &["pwsh"],
        &["pwsh"],
    ),
    known(Language::Batch, "batch", &["bat", "cmd"], &[], &[]),
    known(
        Language::Compiled,
        "compiled code",
        &[
            "exe", "dll", "so", "dylib", "a", "o", "obj", "lib", "wasm", "node",
        ],
        &[],
        &[],
    ),
];

impl Language {
    pub(super) fn label(self) -> &'static str {
        let known = KNOWN.iter().find(|known| known.language == self);
        known.map_or("another language", |known| known.label)
    }

    /// The language that a word of prose names. Names that are words or letters of English count
    /// only as they are written: `Go`, `C`, `R`.
    pub(super) fn named_by(word: &str) -> Vec<Self> {
        let word = word.trim_matches(|c: char| "`*_.:!?".contains(c));
        if matches!(
            word,
            "go" | "c" | "r" | "swift" | "crystal" | "batch" | "es" | "stack"
        ) {
            return Vec::new();
        }
        let lower = word.to_lowercase();
        let bare = lower.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let is_it = |known: &&Known| {
            let label = known.label.to_lowercase();
            [lower.as_str(), bare]
                .iter()
                .any(|name| *name == label || known.names.contains(name))
        };
        KNOWN
            .iter()
            .filter(is_it)
            .map(|known| known.language)
            .collect()
    }
}

/// The languages that a file may be written in: by its extension, else by its `#!` line.
pub(super) fn languages_of(path: &str, first_line: &str) -> Vec<Language> {
    let name = name_of(path).to_lowercase();
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    let by_name =
        |known: &&Known| extension.is_some_and(|extension| known.extensions.contains(&extension));
    let found: Vec<Language> = KNOWN
        .iter()
        .filter(by_name)
        .map(|known| known.language)
        .collect();
    if !found.is_empty() {
        return found;
    }
    let Some(line) = first_line.strip_prefix("#!") else {
        return Vec::new();
    };
    let words = line.split_whitespace().map(name_of);
    let mut words = words.filter(|word| *word != "env" && !word.starts_with('-'));
    // `FOO=bar` may stand before the program when `env` starts it.
    let Some(program) = words.find(|word| !word.contains('=')) else {
        return Vec::new();
    };
    let program = program.to_lowercase();
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_it = |known: &&Known| known.programs.contains(&program);
    KNOWN
        .iter()
        .filter(is_it)
        .map(|known| known.language)
        .collect()
}
