//! Go and Maven: modules from a module proxy, artifacts from a repository.

use std::collections::BTreeSet;

use super::{Failing, Folder, InstallProblem, Installer, Step, Tree};
use crate::{ArgvError, MavenMirror};

/// Maven's settings in the home of install steps.
pub(super) const SETTINGS: &str = "maven-settings.xml";

/// A known version of the one plugin that fetches.
const DEPENDENCY_PLUGIN: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1";

/// Modules, by no version control and by no other toolchain than the one that is here.
pub(super) fn go(tree: &Tree, proxies: &str) -> Result<Vec<Step>, ArgvError> {
    if tree.has("vendor/modules.txt") {
        return Ok(Vec::new());
    }
    let proxies = match proxies {
        "" => "https://proxy.golang.org",
        named => named,
    };
    let step = Step::fetch(["go", "mod", "download"])?;
    Ok(vec![step.with("GOPROXY", proxies)])
}

impl Installer<'_> {
    /// Resolves artifacts with a plugin of a known name and version. Plugins of the build are fetched by
    /// it and not run, and what the tree keeps in `.mvn` (extensions, options of Java) is not found,
    /// because another folder is named as the root of the project.
    pub(super) async fn maven(&mut self) -> Result<(), InstallProblem> {
        let tree = self.tree()?;
        self.one(maven(&tree, &["go-offline"])).await?;
        for artifact in chosen_later(&tree) {
            let named = format!("-Dartifact={artifact}");
            let step = maven(&tree, &["get", &named]);
            // Which of them a project needs is known to its tests alone.
            self.one(step.map(|step| Step {
                failing: Failing::IsAFinding,
                ..step
            }))
            .await?;
        }
        Ok(())
    }
}

/// What the plugin that runs tests chooses only when it runs: its adapter for the test framework.
pub(super) fn chosen_later(tree: &Tree) -> Vec<String> {
    let mut list = Vec::new();
    // Of one version as a rule; a repository may name what the plugin is made of otherwise.
    let plugins = [
        "org/apache/maven/plugins/maven-surefire-plugin",
        "org/apache/maven/surefire/maven-surefire-common",
    ];
    let all = plugins.iter().flat_map(|plugin| versions(tree, plugin));
    for version in all.collect::<BTreeSet<_>>() {
        for adapter in [
            "surefire-junit4",
            "surefire-junit-platform",
            "surefire-testng",
        ] {
            list.push(format!("org.apache.maven.surefire:{adapter}:{version}"));
        }
    }
    for version in versions(tree, "org/junit/platform/junit-platform-engine") {
        list.push(format!(
            "org.junit.platform:junit-platform-launcher:{version}"
        ));
    }
    list
}

/// The versions of an artifact that came.
fn versions(tree: &Tree, artifact: &str) -> Vec<String> {
    let folder = tree.cache.join("m2").join(artifact);
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<_> = names
        .filter(|name| name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(plain))
        .take(4)
        .collect();
    names.sort();
    names
}

fn maven(tree: &Tree, rest: &[&str]) -> Result<Step, ArgvError> {
    let (goal, options) = rest.split_first().unwrap_or((&"go-offline", &[]));
    let goal = format!("{DEPENDENCY_PLUGIN}:{goal}");
    let manifest = tree.file("pom.xml");
    let home = format!("-Duser.home={}", tree.in_fetch("home"));
    let fetched = format!("-Dmaven.repo.local={}", tree.in_cache("m2"));
    let settings = tree.in_fetch(&format!("home/{SETTINGS}"));
    let words = [
        "mvn",
        "--batch-mode",
        &home,
        &fetched,
        "-s",
        &settings,
        "-gs",
        &settings,
        "-f",
        &manifest,
        &goal,
    ];
    let mut step = Step::fetch(words.iter().chain(options).copied())?;
    step.folder = Folder::Fetch;
    Ok(step
        .with("MAVEN_BASEDIR", super::shown(&tree.fetch))
        .with("MAVEN_SKIP_RC", "1"))
}

/// The person's mirrors, and the proxy, which Java does not take from the environment.
pub(super) fn settings(mirrors: &[MavenMirror]) -> String {
    let mut text = String::from("<settings>\n<proxies>\n");
    for scheme in ["http", "https"] {
        text.push_str(&format!(
            "<proxy><id>{scheme}</id><active>true</active><protocol>{scheme}</protocol>\
             <host>127.0.0.1</host><port>3128</port><nonProxyHosts></nonProxyHosts></proxy>\n"
        ));
    }
    text.push_str("</proxies>\n<mirrors>\n");
    for (number, mirror) in mirrors.iter().enumerate() {
        let (of, url) = (escaped(&mirror.of), escaped(&mirror.url));
        text.push_str(&format!(
            "<mirror><id>mirror-{number}</id><mirrorOf>{of}</mirrorOf><url>{url}</url></mirror>\n"
        ));
    }
    text.push_str("</mirrors>\n</settings>\n");
    text
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
