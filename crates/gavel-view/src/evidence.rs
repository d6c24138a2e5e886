//! Evidence that somebody else can follow in a clone: the line of a file, a test, a commit, a
//! command.

use gavel_domain::EvidenceRef;
use gavel_rules::evidence_text;

/// Evidence in a few words.
pub fn evidence_words(evidence: &EvidenceRef) -> String {
    match evidence {
        EvidenceRef::Test { name } => name.clone(),
        EvidenceRef::File { path, line } => file_link(path, *line),
        EvidenceRef::Commit { id } => format!("commit {}", short_id(id)),
        EvidenceRef::Command { command, exit } => format!("{command} (exit {exit})"),
        EvidenceRef::Smoke { request } => format!("smoke run: {request}"),
        EvidenceRef::Example { .. } => evidence_text(evidence),
    }
}

/// The line of a file, as forges and editors spell it; below the root of a checkout.
pub fn file_link(path: &str, line: u32) -> String {
    if line == 0 {
        path.to_owned()
    } else {
        format!("{path}#L{line}")
    }
}

/// The command that runs one test and no other, as far as its runner can be told that; none for a
/// recipe whose runner is not known or a name that a shell would read as more than a word.
pub fn one_test(recipe: &str, name: &str) -> Option<String> {
    let plain = |c: char| c.is_alphanumeric() || "_-:./".contains(c);
    if name.is_empty() || name.starts_with('-') || !name.chars().all(plain) {
        return None;
    }
    match recipe {
        "cargo" => Some(format!("cargo test {name} -- --exact")),
        // With a file before it the name is whole; without, it is a word to look for.
        "pytest" if name.contains("::") => Some(format!("python -m pytest {name}")),
        "pytest" => Some(format!("python -m pytest -k {name}")),
        "unittest" => Some(format!("python -m unittest {name}")),
        "node_test" => Some(format!("node --test --test-name-pattern ^{name}$")),
        "go" => {
            let levels = name.split("::").map(|level| format!("^{level}$"));
            let pattern = levels.collect::<Vec<_>>().join("/");
            Some(format!("go test ./... -count=1 -run '{pattern}'"))
        }
        "jest" | "vitest" => {
            let title = name.split("::").collect::<Vec<_>>().join(" ");
            let run = if recipe == "jest" {
                "jest"
            } else {
                "vitest run"
            };
            Some(format!("npx {run} -t '^{title}$'"))
        }
        "maven" => {
            let (class, method) = name.rsplit_once("::")?;
            let class = class.replace("::", ".");
            Some(format!("mvn test -Dtest={class}#{method}"))
        }
        "dotnet" => {
            let whole = name.replace("::", ".");
            Some(format!("dotnet test --filter FullyQualifiedName={whole}"))
        }
        // Whatever the project calls may not know how to run one test.
        _ => None,
    }
}

/// The beginning of an id, as people name commits.
pub fn short_id(id: &str) -> String {
    id.chars().take(12).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_become_commands() {
        assert_eq!(
            one_test("cargo", "cli::bookmark_listed").as_deref(),
            Some("cargo test cli::bookmark_listed -- --exact")
        );
        assert_eq!(
            one_test("pytest", "tests/test_a.py::test_b").as_deref(),
            Some("python -m pytest tests/test_a.py::test_b")
        );
        for (recipe, name, command) in [
            (
                "go",
                "TestTable::two",
                "go test ./... -count=1 -run '^TestTable$/^two$'",
            ),
            ("jest", "sums::adds", "npx jest -t '^sums adds$'"),
            ("vitest", "adds", "npx vitest run -t '^adds$'"),
            (
                "maven",
                "com::example::AppTest::adds",
                "mvn test -Dtest=com.example.AppTest#adds",
            ),
            (
                "dotnet",
                "Demo::Sums::Adds",
                "dotnet test --filter FullyQualifiedName=Demo.Sums.Adds",
            ),
        ] {
            assert_eq!(one_test(recipe, name).as_deref(), Some(command));
        }
        for odd in ["", "-h", "a; rm -rf ~", "a b", "$(id)"] {
            assert_eq!(one_test("cargo", odd), None, "{odd}");
        }
        assert_eq!(one_test("npm", "a"), None);
    }

    #[test]
    fn a_line_is_told_as_forges_do() {
        assert_eq!(file_link("src/main.rs", 12), "src/main.rs#L12");
        assert_eq!(file_link("src/main.rs", 0), "src/main.rs");
    }
}
