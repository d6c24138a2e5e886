use super::*;

fn files(names: &str) -> Vec<String> {
    names.split_whitespace().map(str::to_owned).collect()
}

fn manifest(ecosystem: Ecosystem, dependencies: usize) -> ManifestFound {
    ManifestFound {
        path: "x".to_owned(),
        ecosystem,
        dependencies: (0..dependencies).map(|n| format!("d{n}")).collect(),
    }
}

#[test]
fn a_repository_is_nothing_a_project_or_unclear() {
    use Ecosystem::{Node, Rust};
    use RepositoryKind::{Ambiguous, Existing, Greenfield};
    for (sources, manifests, kind) in [
        (0, vec![], Greenfield),
        (1, vec![], Ambiguous),
        (40, vec![], Ambiguous),
        (0, vec![(Rust, 3)], Ambiguous),
        (5, vec![(Rust, 3)], Ambiguous),
        (6, vec![(Rust, 3)], Existing),
        (6, vec![(Rust, 0)], Ambiguous),
        (90, vec![(Rust, 9), (Node, 9)], Ambiguous),
    ] {
        let manifests: Vec<_> = manifests
            .into_iter()
            .map(|(ecosystem, count)| manifest(ecosystem, count))
            .collect();
        let found = classify_repository(sources, &manifests);
        assert_eq!(found, kind, "{sources} {manifests:?}");
    }
}

#[test]
fn manifests_of_many_kinds_are_known_and_one_counts_for_each() {
    for (name, ecosystem) in [
        ("Cargo.toml", Ecosystem::Rust),
        ("package.json", Ecosystem::Node),
        ("go.mod", Ecosystem::Go),
        ("requirements.txt", Ecosystem::Python),
        ("pyproject.toml", Ecosystem::Python),
        ("pom.xml", Ecosystem::Maven),
        ("build.gradle.kts", Ecosystem::Gradle),
        ("Shop.csproj", Ecosystem::DotNet),
        ("Shop.sln", Ecosystem::DotNet),
        ("Gemfile", Ecosystem::Ruby),
        ("composer.json", Ecosystem::Php),
    ] {
        assert_eq!(
            manifests_among(&files(name)),
            [(name.to_owned(), ecosystem)]
        );
    }
    let both = manifests_among(&files("pyproject.toml requirements.txt"));
    assert_eq!(both.len(), 1, "one project: {both:?}");
    let below = manifests_among(&files("server/go.mod web/package.json web/a/package.json"));
    assert_eq!(below.len(), 2, "{below:?}");
    let workspace = manifests_among(&files("Cargo.toml ui/package.json"));
    assert_eq!(
        workspace.len(),
        1,
        "what lies deeper is a part: {workspace:?}"
    );
    assert!(manifests_among(&files("node_modules/x/package.json a/b/c/Cargo.toml")).is_empty());
}

#[test]
fn sources_and_tests_are_told_apart() {
    let seen = look_at_files(&files(
        "README.md src/a.rs src/b_tests.rs tests/it/main.rs test_x.py web/x.spec.ts a/b/c.go \
         node_modules/y/index.js a/1/2/3/4/5/6/7.rs notes.txt",
    ));
    assert_eq!((seen.sources, seen.tests), (3, 4), "{seen:?}");
    assert_eq!(seen.source_folders, ["src"]);
    assert_eq!(seen.test_folders, ["tests"]);
    assert!(seen.documented);
}

#[test]
fn the_mode_needs_source_tests_and_words() {
    let mode = |names: &str| {
        let files = files(names);
        audit_mode(files.len(), &look_at_files(&files))
    };
    assert_eq!(mode(""), AuditMode::Greenfield);
    assert_eq!(mode("notes.txt"), AuditMode::ScratchDir);
    assert_eq!(mode("a.rs b.rs c.rs tests/d.rs"), AuditMode::ScratchDir);
    assert_eq!(
        mode("a.rs b.rs tests/d.rs README.md"),
        AuditMode::ScratchDir
    );
    assert_eq!(
        mode("a.rs b.rs c.rs tests/d.rs README.md"),
        AuditMode::UpgradeExisting
    );
    assert_eq!(
        mode("a.rs b.rs c.rs tests/d.rs docs/x.md"),
        AuditMode::UpgradeExisting
    );
}

#[test]
fn dependencies_are_read_from_every_kind_of_manifest() {
    let table = [
        (
            Ecosystem::Rust,
            "[package]\nname = \"x\"\n[dependencies]\nserde = \"1\"\ntokio.workspace = true\n# no = 1\n\
             [dependencies.sqlx]\nversion = \"1\"\n[dev-dependencies]\ninsta = \"1\"\n[lints]\na = 1",
            "serde tokio sqlx insta",
        ),
        (
            Ecosystem::Node,
            r#"{"dependencies": {"react": "1"}, "devDependencies": {"vite": "1"}}"#,
            "react vite",
        ),
        (Ecosystem::Node, "{ broken", ""),
        (
            Ecosystem::Go,
            "module x\nrequire github.com/a/b v1\nrequire (\n\tgithub.com/c/d v2\n)\n",
            "github.com/a/b github.com/c/d",
        ),
        (
            Ecosystem::Python,
            "[project]\ndependencies = [\n  \"flask>=2\",\n  \"psycopg[binary]\",\n]\n[tool.x]\ny = \"z\"",
            "flask psycopg",
        ),
        (
            Ecosystem::Python,
            "[tool.poetry.dependencies]\npython = \"^3\"\ndjango = \"^5\"",
            "django",
        ),
        (
            Ecosystem::Python,
            "flask==2.0\n# note\n-r more.txt\n",
            "flask",
        ),
        (
            Ecosystem::Maven,
            "<artifactId>me</artifactId><dependency><groupId>g</groupId><artifactId>junit</artifactId></dependency>",
            "junit",
        ),
        (
            Ecosystem::DotNet,
            "<PackageReference Include=\"Dapper\" Version=\"2\" />",
            "Dapper",
        ),
        (Ecosystem::Ruby, "source 'x'\ngem 'rails', '~> 7'", "rails"),
        (
            Ecosystem::Gradle,
            "plugins {}\nimplementation(\"a:b:1\")\ntestImplementation 'c:d:2'",
            "a:b:1 c:d:2",
        ),
        (
            Ecosystem::Php,
            r#"{"require": {"php": "8", "ext-json": "*", "laravel/framework": "1"}}"#,
            "laravel/framework",
        ),
    ];
    for (ecosystem, text, names) in table {
        assert_eq!(dependency_names(ecosystem, text), files(names), "{text}");
    }
}

#[test]
fn a_readme_is_cut_to_its_beginning() {
    let text = "# Shop\n\n[![badge](x)](y)\n\nSells things\nto people.\n\n```\ncode here\n```\n\n\
                ## Use\n\nSecond part.\n\nThird part.\n";
    assert_eq!(
        readme_beginning(text),
        "Sells things to people.\n\nSecond part."
    );
    assert_eq!(readme_headings(text), ["Shop", "Use"]);
    assert_eq!(readme_beginning(&"ä".repeat(900)).chars().count(), 500);
    let many: String = (0..20).map(|n| format!("# h{n}\n")).collect();
    assert_eq!(readme_headings(&many).len(), 12);
    assert_eq!(
        readme_headings("```\n# no\n```\n#hash\n"),
        Vec::<String>::new()
    );
}

#[test]
fn one_manifest_tells_the_language_and_how_tests_run() {
    let mut found = RepositoryFound {
        manifests: vec![manifest(Ecosystem::Rust, 1)],
        tests: 1,
        ..RepositoryFound::default()
    };
    assert_eq!(found.language(), Some("Rust"));
    assert_eq!(found.test_command(), Some("cargo test"));
    assert_eq!(found.depends_on(&["sqlx", "d0"]), Some("d0"));
    found.tests = 0;
    assert_eq!(found.test_command(), None, "no tests, nothing to run");
    found.manifests.push(manifest(Ecosystem::Node, 1));
    assert_eq!(found.language(), None, "two languages are a question");
}
