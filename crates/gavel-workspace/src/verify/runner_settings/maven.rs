//! Maven: what a `pom.xml` says about who runs the tests, and which.

use gavel_rules::RunnerSetting;

use super::{TreeFiles, name_of, whole};

/// Plugins of these groups run no code of the tree but its tests.
const GROUPS: [&str; 3] = [
    "org.apache.maven.plugins",
    "org.springframework.boot",
    "org.jacoco",
];
/// Words of a manifest that load something, leave tests out, or hide what it says.
const CHOOSES: [&str; 13] = [
    "<extension",
    "<!DOCTYPE",
    "<!ENTITY",
    "antrun",
    "testFailureIgnore",
    "skipTests",
    "<skip",
    "maven.test.",
    "<argLine",
    "<jvm>",
    "<properties-file",
    "<excludes",
    "<classpathDependencyExclude",
];

pub(super) fn settings(tree: &TreeFiles) -> Vec<RunnerSetting> {
    let files = tree.entries.keys();
    let files = files.filter(|path| name_of(path) == "pom.xml");
    let files = files.filter(|path| tree.text(path).is_some_and(chooses));
    files
        .filter_map(|path| whole(tree, path, "plugins and settings of its tests"))
        .collect()
}

fn chooses(text: &str) -> bool {
    CHOOSES.iter().any(|word| text.contains(word)) || !plugins_are_known(text)
}

/// A plugin that names no group is one of Maven's own.
fn plugins_are_known(text: &str) -> bool {
    text.split("<plugin>").skip(1).all(|plugin| {
        let plugin = plugin.split("</plugin>").next().unwrap_or_default();
        // Those of its dependencies come later.
        let own = plugin.split("<dependencies>").next().unwrap_or_default();
        let mut groups = own.split("<groupId>").skip(1);
        let has_more = plugin.len() > own.len();
        !has_more
            && groups.all(|group| {
                let group = group.split('<').next().unwrap_or_default();
                GROUPS.contains(&group.trim())
            })
    })
}
