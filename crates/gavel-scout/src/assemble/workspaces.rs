//! The parts of a repository of several: folders that a manifest lists and that have a manifest themselves.

use std::collections::BTreeMap;

use globset::{GlobBuilder, GlobMatcher};

use super::stacks::folder_of;
use crate::manifest::Manifest;
use crate::survey::{Evidence, Workspace};

pub(super) fn workspaces(manifests: &[&Manifest]) -> Vec<Workspace> {
    let mut all: BTreeMap<String, Workspace> = BTreeMap::new();
    for root in manifests {
        let above = folder_of(root.path.as_str());
        let excluded: Vec<GlobMatcher> = root
            .members
            .iter()
            .filter_map(|member| matcher(above, member.pattern.strip_prefix('!')?))
            .collect();
        for member in &root.members {
            let Some(matcher) = matcher(above, &member.pattern) else {
                continue;
            };
            for part in manifests
                .iter()
                .filter(|part| part.ecosystem == root.ecosystem)
            {
                let folder = folder_of(part.path.as_str());
                let fits = folder != above && matcher.is_match(folder);
                if !fits || excluded.iter().any(|glob| glob.is_match(folder)) {
                    continue;
                }
                let known = all.entry(folder.to_owned()).or_insert_with(|| Workspace {
                    folder: folder.to_owned(),
                    name: None,
                    ecosystem: part.ecosystem,
                    evidence: Evidence::line(&root.path, member.line),
                });
                known.name = known.name.take().or_else(|| part.name.clone());
            }
        }
    }
    all.into_values().collect()
}

/// A pattern below a folder; one that is no pattern matches nothing.
fn matcher(above: &str, pattern: &str) -> Option<GlobMatcher> {
    let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
    let full = if above.is_empty() {
        pattern.to_owned()
    } else {
        format!("{above}/{pattern}")
    };
    let glob = GlobBuilder::new(&full)
        .literal_separator(true)
        .build()
        .ok()?;
    Some(glob.compile_matcher())
}
