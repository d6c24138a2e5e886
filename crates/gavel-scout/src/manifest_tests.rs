use proptest::prelude::*;

use super::*;

fn dependency(path: &str, text: &str, name: &str) -> Option<(Requirement, DependencyScope, u32)> {
    let manifest = read(&RepoPath::new(path).unwrap(), text).unwrap();
    let found = manifest
        .dependencies
        .into_iter()
        .find(|one| one.name == name)?;
    Some((found.requirement, found.scope, found.declared.line?))
}

fn exact(text: &str) -> Requirement {
    Requirement::Exact(text.to_owned())
}

fn range(text: &str) -> Requirement {
    Requirement::Range(text.to_owned())
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn each_manifest_says_what_it_asks_for_and_in_which_line() {
    use DependencyScope::{Build, Development, Optional, Runtime};
    let pom = "<project><artifactId>a</artifactId><properties><v>1.2</v></properties>\n<dependencies>\n\
               <dependency><groupId>g</groupId>\n<artifactId>a</artifactId><version>${v}</version>\n\
               <scope>test</scope></dependency></dependencies></project>";
    let cases = [
        (
            "Cargo.toml",
            "[dependencies]\nserde = \"1\"",
            "serde",
            range("1"),
            Runtime,
            2,
        ),
        (
            "Cargo.toml",
            "[dependencies.a]\nversion = \"=1.2.3\"\noptional = true",
            "a",
            exact("1.2.3"),
            Optional,
            1,
        ),
        (
            "Cargo.toml",
            "[dev-dependencies]\nb = { path = \"../b\" }",
            "b",
            Requirement::Local,
            Development,
            2,
        ),
        (
            "Cargo.toml",
            "[target.'cfg(unix)'.dependencies]\nlibc = \"*\"",
            "libc",
            Requirement::Any,
            Runtime,
            2,
        ),
        (
            "Cargo.toml",
            "[dependencies]\nx.workspace = true",
            "x",
            Requirement::Elsewhere,
            Runtime,
            2,
        ),
        (
            "package.json",
            "{\n\"dependencies\": {\n\"a\": \"^1\" }}",
            "a",
            range("^1"),
            Runtime,
            3,
        ),
        (
            "package.json",
            "{\"devDependencies\": {\n\"a\": \"latest\" }}",
            "a",
            Requirement::Any,
            Development,
            2,
        ),
        (
            "package.json",
            "{\"dependencies\": {\"a\": \"workspace:*\" }}",
            "a",
            Requirement::Local,
            Runtime,
            1,
        ),
        (
            "pyproject.toml",
            "[project]\ndependencies = [\n \"a[b]>=1; x\",\n]",
            "a",
            range(">=1"),
            Runtime,
            3,
        ),
        (
            "pyproject.toml",
            "[tool.poetry.group.dev.dependencies]\na = \"^1\"",
            "a",
            range("^1"),
            Development,
            2,
        ),
        (
            "pyproject.toml",
            "[build-system]\nrequires = [\"h\"]",
            "h",
            Requirement::Any,
            Build,
            2,
        ),
        (
            "requirements.txt",
            "# x\n-r b.txt\na==1.0 # y",
            "a",
            exact("1.0"),
            Runtime,
            3,
        ),
        (
            "requirements-dev.txt",
            "a",
            "a",
            Requirement::Any,
            Development,
            1,
        ),
        (
            "Pipfile",
            "[dev-packages]\na = \"*\"",
            "a",
            Requirement::Any,
            Development,
            2,
        ),
        (
            "setup.cfg",
            "[options]\ninstall_requires =\n  a>=1",
            "a",
            range(">=1"),
            Runtime,
            3,
        ),
        (
            "setup.py",
            "setup(name='x', install_requires=[\n 'a==1',\n])",
            "a",
            exact("1"),
            Runtime,
            2,
        ),
        (
            "go.mod",
            "module x\nrequire (\n\ta/b v1.2.3\n)",
            "a/b",
            exact("1.2.3"),
            Runtime,
            3,
        ),
        ("pom.xml", pom, "g:a", exact("1.2"), Development, 3),
        (
            "build.gradle",
            "dependencies {\n implementation 'g:a:1.0'\n}",
            "g:a",
            exact("1.0"),
            Runtime,
            2,
        ),
        (
            "build.gradle.kts",
            "testImplementation(\"g:a\")",
            "g:a",
            Requirement::Elsewhere,
            Development,
            1,
        ),
        (
            "a.csproj",
            "<Project>\n<PackageReference Include=\"A\" Version=\"1.0\" />\n</Project>",
            "A",
            exact("1.0"),
            Runtime,
            2,
        ),
        (
            "Gemfile",
            "group :test do\n gem 'a', '~> 1'\nend",
            "a",
            range("~> 1"),
            Development,
            2,
        ),
        (
            "a.gemspec",
            "s.add_dependency 'a', '>= 1'",
            "a",
            range(">= 1"),
            Runtime,
            1,
        ),
        (
            "composer.json",
            "{\"require\": {\n\"a/b\": \"^1\"}}",
            "a/b",
            range("^1"),
            Runtime,
            2,
        ),
        (
            "libs.versions.toml",
            "[versions]\nv = \"1\"\n[libraries]\na = { module = \"g:a\", version.ref = \"v\" }",
            "g:a",
            exact("1"),
            Runtime,
            4,
        ),
    ];
    for (path, text, name, requirement, scope, line) in cases {
        let found = dependency(path, text, name);
        assert_eq!(found, Some((requirement, scope, line)), "{path}: {text}");
    }
}

#[test]
fn parts_of_a_repository_are_listed() {
    let cases = [
        (
            "Cargo.toml",
            "[workspace]\nmembers = [\"crates/*\"]",
            "crates/*",
        ),
        (
            "package.json",
            "{\"workspaces\": [\"packages/*\"]}",
            "packages/*",
        ),
        (
            "pnpm-workspace.yaml",
            "packages:\n  - 'apps/*' # x\nother:\n  - b",
            "apps/*",
        ),
        ("go.work", "use (\n\t./a\n)", "a"),
        (
            "pom.xml",
            "<project><modules><module>a</module></modules></project>",
            "a",
        ),
        ("settings.gradle", "include ':a:b'", "a/b"),
        (
            "a.sln",
            "Project(\"{X}\") = \"A\", \"src\\A\\A.csproj\", \"{Y}\"",
            "src/A",
        ),
    ];
    for (path, text, member) in cases {
        let manifest = read(&RepoPath::new(path).unwrap(), text).unwrap();
        let members: Vec<&str> = manifest
            .members
            .iter()
            .map(|one| one.pattern.as_str())
            .collect();
        assert_eq!(members, [member], "{path}");
    }
}

#[test]
fn a_broken_manifest_says_so() {
    for path in [
        "Cargo.toml",
        "package.json",
        "pyproject.toml",
        "composer.json",
        "pom.xml",
        "go.mod",
    ] {
        let manifest = read(&RepoPath::new(path).unwrap(), "{[<broken").unwrap();
        assert_eq!(manifest.understood, Understood::No, "{path}");
    }
    assert_eq!(read(&RepoPath::new("README.md").unwrap(), "x"), None);
}

proptest! {
    #[test]
    fn no_text_makes_a_reader_panic(text in "[\\PC\\n\"'\\[\\]{}=:<>/,(]{0,300}") {
        let names = [
            "Cargo.toml", "package.json", "pyproject.toml", "requirements.txt", "Pipfile", "setup.cfg",
            "setup.py", "go.mod", "go.work", "pom.xml", "build.gradle", "settings.gradle", "a.csproj",
            "a.sln", "Gemfile", "a.gemspec", "composer.json", "libs.versions.toml", "pnpm-workspace.yaml",
        ];
        for name in names {
            let path = RepoPath::new(name).unwrap();
            let lines = u32::try_from(text.lines().count().max(1)).unwrap();
            for one in read(&path, &text).unwrap().dependencies {
                prop_assert!(one.declared.line.unwrap() <= lines);
            }
        }
    }
}
