//! What the names of files say: CI, containers, hosting. And which services a compose file starts.

use gavel_workspace::RepoPath;

use super::{TechnologyKind, technology};
use crate::lines::numbered;
use crate::survey::{Evidence, Technology};

/// What a file of this name means.
pub(crate) fn of_file(path: &RepoPath) -> Option<Technology> {
    use TechnologyKind::{Bundler, Ci, Container, Hosting, Linter, TestKit};
    let text = path.as_str();
    let name = path.name();
    let yaml = name.ends_with(".yml") || name.ends_with(".yaml");
    let starts = |start: &str| name.starts_with(start);
    let (kind, what) = match name {
        _ if yaml && text.starts_with(".github/workflows/") => (Ci, "GitHub Actions"),
        _ if yaml && text.starts_with(".forgejo/workflows/") => (Ci, "Forgejo Actions"),
        _ if yaml && text.starts_with(".gitea/workflows/") => (Ci, "Gitea Actions"),
        _ if text == ".circleci/config.yml" => (Ci, "CircleCI"),
        _ if yaml && text.starts_with(".buildkite/") => (Ci, "Buildkite"),
        ".gitlab-ci.yml" => (Ci, "GitLab CI"),
        "Jenkinsfile" => (Ci, "Jenkins"),
        ".travis.yml" => (Ci, "Travis CI"),
        "azure-pipelines.yml" => (Ci, "Azure Pipelines"),
        "bitbucket-pipelines.yml" => (Ci, "Bitbucket Pipelines"),
        ".drone.yml" => (Ci, "Drone"),
        ".cirrus.yml" => (Ci, "Cirrus CI"),
        "appveyor.yml" | ".appveyor.yml" => (Ci, "AppVeyor"),
        ".woodpecker.yml" => (Ci, "Woodpecker"),
        "Dockerfile" | "Containerfile" => (Container, "Docker"),
        _ if starts("Dockerfile.") || name.ends_with(".Dockerfile") => (Container, "Docker"),
        _ if yaml && (starts("docker-compose") || starts("compose.")) => {
            (Container, "Docker Compose")
        }
        "Chart.yaml" => (Container, "Helm"),
        "kustomization.yaml" | "kustomization.yml" => (Container, "Kubernetes"),
        "skaffold.yaml" => (Container, "Skaffold"),
        "vercel.json" => (Hosting, "Vercel"),
        "netlify.toml" => (Hosting, "Netlify"),
        "fly.toml" => (Hosting, "Fly.io"),
        "render.yaml" => (Hosting, "Render"),
        "Procfile" => (Hosting, "Heroku"),
        "app.yaml" => (Hosting, "App Engine"),
        "wrangler.toml" | "wrangler.jsonc" => (Hosting, "Cloudflare Workers"),
        "serverless.yml" => (Hosting, "Serverless Framework"),
        "railway.json" | "railway.toml" => (Hosting, "Railway"),
        "firebase.json" => (Hosting, "Firebase Hosting"),
        _ if name.ends_with(".tf") => (Hosting, "Terraform"),
        "rustfmt.toml" | ".rustfmt.toml" => (Linter, "rustfmt"),
        "clippy.toml" => (Linter, "Clippy"),
        ".golangci.yml" | ".golangci.yaml" => (Linter, "golangci-lint"),
        ".rubocop.yml" => (Linter, "RuboCop"),
        ".pre-commit-config.yaml" => (Linter, "pre-commit"),
        "tox.ini" => (TestKit, "tox"),
        "noxfile.py" => (TestKit, "nox"),
        "pytest.ini" => (TestKit, "pytest"),
        "phpunit.xml" | "phpunit.xml.dist" => (TestKit, "PHPUnit"),
        "turbo.json" => (Bundler, "Turborepo"),
        "nx.json" => (Bundler, "Nx"),
        _ => return None,
    };
    Some(technology(kind, what, Evidence::file(path)))
}

/// True for a file that says which images are started together.
fn is_compose(path: &RepoPath) -> bool {
    of_file(path).is_some_and(|found| found.name == "Docker Compose")
}

/// What the text of a file says: which images are started, which tools are configured.
pub(crate) fn of_text(path: &RepoPath, text: &str) -> Vec<Technology> {
    if is_compose(path) {
        return compose_services(path, text);
    }
    if path.name() == "pyproject.toml" {
        return python_tools(path, text);
    }
    Vec::new()
}

/// Tools that `pyproject.toml` configures: `[tool.ruff]`, `[tool.pytest.ini_options]`.
fn python_tools(path: &RepoPath, text: &str) -> Vec<Technology> {
    let known = [
        ("ruff", TechnologyKind::Linter, "Ruff"),
        ("black", TechnologyKind::Linter, "Black"),
        ("mypy", TechnologyKind::Linter, "mypy"),
        ("pyright", TechnologyKind::Linter, "Pyright"),
        ("pylint", TechnologyKind::Linter, "Pylint"),
        ("isort", TechnologyKind::Linter, "isort"),
        ("pytest", TechnologyKind::TestKit, "pytest"),
        ("tox", TechnologyKind::TestKit, "tox"),
    ];
    let mut found: Vec<Technology> = Vec::new();
    for (line, full) in numbered(text) {
        let Some(table) = full.trim().strip_prefix("[tool.") else {
            continue;
        };
        let name = table.split(['.', ']']).next().unwrap_or_default();
        let entry = known.iter().find(|(tool, ..)| *tool == name);
        if let Some((_, kind, what)) = entry
            && found.iter().all(|one| one.name != *what)
        {
            found.push(technology(*kind, what, Evidence::line(path, line)));
        }
    }
    found
}

/// Databases and queues that a compose file starts, with the version of their image.
fn compose_services(path: &RepoPath, text: &str) -> Vec<Technology> {
    let known = [
        ("postgres", "PostgreSQL"),
        ("postgis", "PostgreSQL"),
        ("mysql", "MySQL"),
        ("mariadb", "MariaDB"),
        ("mongo", "MongoDB"),
        ("redis", "Redis"),
        ("valkey", "Valkey"),
        ("rabbitmq", "RabbitMQ"),
        ("kafka", "Kafka"),
        ("elasticsearch", "Elasticsearch"),
        ("opensearch", "OpenSearch"),
        ("memcached", "Memcached"),
        ("nats", "NATS"),
        ("clickhouse-server", "ClickHouse"),
    ];
    let mut found = Vec::new();
    for (line, full) in numbered(text) {
        let item = full.trim().trim_start_matches("- ");
        let Some(image) = item.strip_prefix("image:") else {
            continue;
        };
        let image = image.trim().trim_matches(['"', '\'']);
        let (image, tag) = image.rsplit_once(':').unwrap_or((image, ""));
        let name = image.rsplit('/').next().unwrap_or(image);
        if let Some((_, what)) = known.iter().find(|(known, _)| *known == name) {
            let version = tag
                .starts_with(|c: char| c.is_ascii_digit())
                .then(|| tag.to_owned());
            found.push(Technology {
                version,
                ..technology(TechnologyKind::Database, what, Evidence::line(path, line))
            });
        }
    }
    found
}
