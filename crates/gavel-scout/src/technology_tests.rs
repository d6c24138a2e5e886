use gavel_workspace::RepoPath;

use super::*;
use crate::survey::{Dependency, Requirement};

fn names(
    ecosystem: Ecosystem,
    package: &str,
    scope: DependencyScope,
) -> Vec<(TechnologyKind, String)> {
    let path = RepoPath::new("manifest").unwrap();
    let stack = Stack {
        manifest: path.clone(),
        ecosystem,
        name: None,
        language_version: None,
        lock_file: None,
        dependencies: vec![Dependency {
            name: package.to_owned(),
            scope,
            requirement: Requirement::Any,
            declared: Evidence::line(&path, 1),
            version: None,
        }],
    };
    let found = of_stack(&stack);
    found.into_iter().map(|one| (one.kind, one.name)).collect()
}

#[test]
fn packages_mean_technologies_in_their_own_ecosystem_only() {
    use DependencyScope::{Development, Runtime};
    use TechnologyKind::{Framework, Orm, Service, TestKit};
    let cases = [
        (Ecosystem::Rust, "axum", Runtime, vec![(Framework, "Axum")]),
        (Ecosystem::Node, "axum", Runtime, vec![]),
        (
            Ecosystem::Node,
            "stripe",
            Runtime,
            vec![(Service, "Stripe")],
        ),
        (Ecosystem::Node, "stripe", Development, vec![]),
        (
            Ecosystem::Node,
            "jest",
            Development,
            vec![(TestKit, "Jest")],
        ),
        (
            Ecosystem::Python,
            "Django",
            Runtime,
            vec![(Framework, "Django")],
        ),
        (
            Ecosystem::Python,
            "google-cloud-storage",
            Runtime,
            vec![(Service, "Google Cloud")],
        ),
        (
            Ecosystem::Php,
            "laravel/framework",
            Runtime,
            vec![(Framework, "Laravel"), (Orm, "Eloquent")],
        ),
        (
            Ecosystem::Ruby,
            "railties",
            Runtime,
            vec![(Framework, "Rails")],
        ),
    ];
    for (ecosystem, package, scope, wanted) in cases {
        let wanted: Vec<_> = wanted
            .into_iter()
            .map(|(kind, name)| (kind, name.to_owned()))
            .collect();
        assert_eq!(names(ecosystem, package, scope), wanted, "{package}");
    }
}

#[test]
fn files_mean_technologies() {
    let cases = [
        (".github/workflows/ci.yml", Some("GitHub Actions")),
        (".github/dependabot.yml", None),
        ("deploy/Dockerfile.web", Some("Docker")),
        ("docker-compose.dev.yml", Some("Docker Compose")),
        ("compose.yaml", Some("Docker Compose")),
        ("composer.json", None),
        ("infra/main.tf", Some("Terraform")),
        ("src/main.rs", None),
    ];
    for (path, wanted) in cases {
        let found = of_file(&RepoPath::new(path).unwrap());
        assert_eq!(found.map(|one| one.name).as_deref(), wanted, "{path}");
    }
}

#[test]
fn a_compose_file_says_which_databases_run() {
    let path = RepoPath::new("docker-compose.yml").unwrap();
    let text = "services:\n  db:\n    image: postgres:16.2-alpine\n  app:\n    image: own/app:1\n";
    let found = of_text(&path, text);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].name, "PostgreSQL");
    assert_eq!(found[0].version.as_deref(), Some("16.2-alpine"));
    assert_eq!(found[0].evidence.line, Some(3));
    assert!(of_text(&RepoPath::new("a.yml").unwrap(), text).is_empty());
}

#[test]
fn a_pyproject_says_which_tools_it_configures() {
    let path = RepoPath::new("pyproject.toml").unwrap();
    let text = "[tool.ruff]\n[tool.ruff.lint]\n[tool.pytest.ini_options]\n[tool.unknown]\n";
    let found = of_text(&path, text);
    let names: Vec<String> = found
        .iter()
        .map(|one| format!("{} {}", one.name, one.evidence))
        .collect();
    assert_eq!(names, ["Ruff pyproject.toml:1", "pytest pyproject.toml:3"]);
}
