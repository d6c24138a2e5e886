//! What folders are for, by their names, and the layer that they belong to.

use serde::{Deserialize, Serialize};

/// What the name of a folder says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FolderRole {
    /// Source of any kind.
    Source,
    /// What people see: pages, components, templates.
    Interface,
    /// What answers requests: routes, controllers, handlers.
    Api,
    /// What is done: services, use cases, commands.
    Application,
    /// What things are: models, entities.
    Domain,
    /// Where things are kept: repositories, migrations.
    Storage,
    /// Tests.
    Tests,
    /// Words about it.
    Documents,
    /// Settings.
    Configuration,
    /// What builds and runs it.
    Operations,
    /// Small programs for those who work on it.
    Scripts,
    /// What shows how it is used.
    Examples,
    /// Pictures, styles, files that are served as they are.
    Assets,
    /// Parts with manifests of their own.
    Packages,
}

/// A layer of a program, outermost first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// What people see.
    Interface,
    /// What answers requests.
    Api,
    /// What is done.
    Application,
    /// What things are.
    Domain,
    /// Where things are kept.
    Storage,
}

impl Layer {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Interface => "interface",
            Self::Api => "API",
            Self::Application => "application",
            Self::Domain => "domain",
            Self::Storage => "storage",
        }
    }
}

impl FolderRole {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Interface => "interface",
            Self::Api => "API",
            Self::Application => "application",
            Self::Domain => "domain",
            Self::Storage => "storage",
            Self::Tests => "tests",
            Self::Documents => "documents",
            Self::Configuration => "configuration",
            Self::Operations => "operations",
            Self::Scripts => "scripts",
            Self::Examples => "examples",
            Self::Assets => "assets",
            Self::Packages => "packages",
        }
    }

    /// The layer of the program that it is.
    pub const fn layer(self) -> Option<Layer> {
        match self {
            Self::Interface => Some(Layer::Interface),
            Self::Api => Some(Layer::Api),
            Self::Application => Some(Layer::Application),
            Self::Domain => Some(Layer::Domain),
            Self::Storage => Some(Layer::Storage),
            Self::Source
            | Self::Tests
            | Self::Documents
            | Self::Configuration
            | Self::Operations
            | Self::Scripts
            | Self::Examples
            | Self::Assets
            | Self::Packages => None,
        }
    }

    /// The role that a folder of this name has.
    pub fn of_name(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "src" | "lib" | "source" | "app" | "internal" | "pkg" | "cmd" => Self::Source,
            "components" | "pages" | "views" | "templates" | "ui" | "frontend" | "web"
            | "client" | "screens" | "layouts" | "widgets" => Self::Interface,
            "api" | "routes" | "routers" | "controllers" | "handlers" | "endpoints" | "graphql"
            | "resolvers" | "middleware" | "middlewares" | "rest" => Self::Api,
            "services" | "service" | "usecases" | "use_cases" | "application" | "commands"
            | "jobs" | "workers" | "tasks" => Self::Application,
            "domain" | "models" | "model" | "entities" | "entity" => Self::Domain,
            "repositories" | "repository" | "db" | "database" | "migrations" | "migrate"
            | "dao" | "store" | "storage" | "persistence" | "prisma" => Self::Storage,
            "tests" | "test" | "__tests__" | "spec" | "specs" | "e2e" | "testdata" | "fixtures" => {
                Self::Tests
            }
            "docs" | "doc" | "documentation" => Self::Documents,
            "config" | "configs" | "conf" | "settings" => Self::Configuration,
            ".github" | ".circleci" | "ci" | "deploy" | "deployment" | "infra"
            | "infrastructure" | "k8s" | "helm" | "terraform" | "docker" | "ops" => {
                Self::Operations
            }
            "scripts" | "tools" | "bin" | "hack" | "xtask" => Self::Scripts,
            "examples" | "example" | "samples" | "demo" => Self::Examples,
            "assets" | "static" | "public" | "images" | "styles" | "resources" => Self::Assets,
            "packages" | "crates" | "apps" | "libs" | "modules" | "plugins" => Self::Packages,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_roles_and_roles_have_layers() {
        assert_eq!(FolderRole::of_name("Controllers"), Some(FolderRole::Api));
        assert_eq!(
            FolderRole::of_name("migrations").and_then(FolderRole::layer),
            Some(Layer::Storage)
        );
        assert_eq!(
            FolderRole::of_name("docs").and_then(FolderRole::layer),
            None
        );
        assert_eq!(FolderRole::of_name("whatever"), None);
    }
}
