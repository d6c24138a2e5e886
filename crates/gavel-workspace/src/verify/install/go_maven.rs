//! Go and Maven: modules from a module proxy, artifacts from a repository.

use super::{Folder, InstallProblem, Installer, Step, Tree};
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
        self.one(maven(&tree)).await
    }
}

fn maven(tree: &Tree) -> Result<Step, ArgvError> {
    let goal = format!("{DEPENDENCY_PLUGIN}:go-offline");
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
    let mut step = Step::fetch(words)?;
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
