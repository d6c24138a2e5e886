//! Which branch is meant, which build it belongs to, and whose settings count.

use gavel_workspace::{BranchTip, BuildBranch, HeadState};

/// What stands before the id of a build in the name of its branch.
const BUILD: &str = "build-";
/// Where build branches of projects without a setting of their own lie.
const BUILDS: &str = "gavel/build-";
/// Names of main lines, tried in this order where no remote says which it is.
const TRUNKS: [&str; 3] = ["main", "master", "trunk"];

/// The build of a branch: what stands after `build-` in its name.
pub fn build_of(branch: &BuildBranch) -> Option<&str> {
    let (_, last) = split_last(branch.as_str());
    last.strip_prefix(BUILD).filter(|build| !build.is_empty())
}

/// True when the branch is the one of that build.
pub(super) fn ends_in_build(branch: &str, build: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let shaped = !build.is_empty() && !build.starts_with('.') && build.chars().all(plain);
    let (_, last) = split_last(branch);
    shaped && last.strip_prefix(BUILD) == Some(build)
}

fn split_last(name: &str) -> (&str, &str) {
    name.rsplit_once('/').unwrap_or(("", name))
}

/// Finds the branch that a person means, among those that there are (newest first).
///
/// A name is a local branch, else one of a remote (`origin/x`), else one of `origin` (`x`). Without
/// a name it is the current branch if that is a build's, else the newest build's.
pub fn pick_branch<'a>(
    branches: &'a [BranchTip],
    head: &HeadState,
    named: Option<&str>,
) -> Option<&'a BranchTip> {
    let full = |name: &str| branches.iter().find(|tip| tip.name == name);
    if let Some(name) = named {
        return full(name)
            .or_else(|| full(&format!("refs/heads/{name}")))
            .or_else(|| full(&format!("refs/remotes/{name}")))
            .or_else(|| full(&format!("refs/remotes/origin/{name}")));
    }
    let current = match head {
        HeadState::Branch { name, .. } => Some(name.as_str()),
        HeadState::Detached { .. } | HeadState::Unborn { .. } => None,
    };
    current
        .filter(|name| name.starts_with(BUILDS))
        .and_then(|name| full(&format!("refs/heads/{name}")))
        .or_else(|| branches.iter().find(|tip| is_build(tip)))
}

fn is_build(tip: &BranchTip) -> bool {
    tip.branch().starts_with(BUILDS)
}

/// Finds the main line, whose settings say which keys are known.
///
/// What somebody said counts: the full name of the branch that `origin` calls its default, for
/// example. Nobody said: a branch with the usual name, then the current branch. A build's branch is never the main line, nor is the one that is being
/// judged: a build must not introduce its own signer.
pub fn default_branch<'a>(
    branches: &'a [BranchTip],
    head: &HeadState,
    said: Option<&str>,
    judged: &BranchTip,
) -> Option<&'a BranchTip> {
    let full = |name: &str| branches.iter().find(|tip| tip.name == name);
    let current = match head {
        HeadState::Branch { name, .. } => full(&format!("refs/heads/{name}")),
        HeadState::Detached { .. } | HeadState::Unborn { .. } => None,
    };
    said.and_then(full)
        .or_else(|| {
            let local = TRUNKS.iter().map(|name| format!("refs/heads/{name}"));
            local.into_iter().find_map(|name| full(&name))
        })
        .or(current)
        .filter(|tip| !is_build(tip) && tip.branch() != judged.branch())
}

#[cfg(test)]
mod tests {
    use super::{default_branch, ends_in_build, pick_branch};
    use gavel_workspace::{BranchTip, HeadState};

    fn tip(name: &str) -> BranchTip {
        BranchTip {
            name: name.to_owned(),
            commit: "a".repeat(40).parse().unwrap(),
        }
    }

    fn on(name: &str) -> HeadState {
        HeadState::Branch {
            name: name.to_owned(),
            commit: "a".repeat(40).parse().unwrap(),
        }
    }

    #[test]
    fn the_branch_that_is_meant_is_found() {
        let branches = [
            tip("refs/remotes/origin/gavel/build-2"),
            tip("refs/heads/gavel/build-1"),
            tip("refs/heads/main"),
            tip("refs/remotes/origin/gavel/build-1"),
        ];
        let picked = |head: &str, named: Option<&str>| {
            pick_branch(&branches, &on(head), named).map(|tip| tip.name.clone())
        };
        let some = |name: &str| Some(name.to_owned());
        let local = some("refs/heads/gavel/build-1");
        assert_eq!(picked("main", Some("gavel/build-1")), local);
        assert_eq!(picked("gavel/build-1", None), local);
        let remote = some("refs/remotes/origin/gavel/build-1");
        assert_eq!(picked("main", Some("origin/gavel/build-1")), remote);
        let newest = some("refs/remotes/origin/gavel/build-2");
        assert_eq!(picked("main", None), newest);
        assert_eq!(picked("main", Some("gavel/build-2")), newest);
        assert_eq!(picked("main", Some("nothing")), None);
        assert_eq!(picked("main", Some("-n")), None);
    }

    #[test]
    fn a_build_never_is_the_main_line() {
        let build = tip("refs/heads/gavel/build-1");
        let branches = [build.clone(), tip("refs/heads/main")];
        let named = |of_origin: Option<&str>, judged: &BranchTip| {
            default_branch(&branches, &on("gavel/build-1"), of_origin, judged)
                .map(|tip| tip.name.clone())
        };
        assert_eq!(named(None, &build), Some("refs/heads/main".to_owned()));
        assert_eq!(named(Some("refs/heads/gavel/build-1"), &build), None);
        assert_eq!(named(None, &tip("refs/remotes/origin/main")), None);
        let alone = &branches[..1];
        assert_eq!(
            default_branch(alone, &on("gavel/build-1"), None, &build),
            None
        );
    }

    #[test]
    fn a_build_is_the_end_of_its_branch() {
        assert!(ends_in_build("gavel/build-1a", "1a"));
        for (branch, build) in [
            ("gavel/build-1a", "a"),
            ("gavel/build-1a", ""),
            ("gavel/build-../x", "../x"),
            ("main", "main"),
        ] {
            assert!(!ends_in_build(branch, build), "{branch} {build}");
        }
    }
}
