//! Nothing in the project speaks of the machine it was written on: no home or scratch paths, no
//! private hosts, no other package source than the public one.

use super::Finding;
use super::tree::Tree;

/// Spelled in two halves so that this file passes its own rule.
const FOLDERS: [&str; 2] = [concat!("/wo", "rk/"), concat!("/ro", "ot/")];
const PUBLIC_SOURCE: &str = "registry+https://github.com/rust-lang/crates.io-index";
const PRIVATE_ENDS: [&str; 5] = [".internal", ".local", ".lan", ".corp", ".intranet"];
const LOOPBACK: [&str; 5] = ["127.0.0.1", "127.1", "0.0.0.0", "localhost", "[::1]"];

/// Looks at every line of every file.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.files() {
        for (line, number) in text.lines().zip(1..) {
            if let Some(problem) = problem(path, line) {
                findings.push(format!("{path}:{number}: {problem}"));
            }
        }
    }
    findings
}

fn problem(path: &str, line: &str) -> Option<String> {
    if let Some(folder) = FOLDERS.iter().find(|folder| starts_a_path(line, folder)) {
        return Some(format!("names a folder of one machine, {folder}"));
    }
    if path == "Cargo.lock" {
        let source = line.strip_prefix("source = ")?.trim_matches('"');
        return (source != PUBLIC_SOURCE).then(|| format!("a package comes from {source}"));
    }
    let host = hosts(line).find(|host| is_private(host))?;
    Some(format!("names a private host, {host}"))
}

/// True if the folder stands at the root and not inside a longer path.
fn starts_a_path(line: &str, folder: &str) -> bool {
    let inside = |c: char| c.is_ascii_alphanumeric() || "._-}~*".contains(c);
    line.match_indices(folder).any(|(place, _)| {
        let before = line
            .get(..place)
            .and_then(|before| before.chars().next_back());
        !before.is_some_and(inside)
    })
}

fn hosts(line: &str) -> impl Iterator<Item = &str> {
    line.split("://").skip(1).map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !".-".contains(c));
        rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
    })
}

fn is_private(host: &str) -> bool {
    let numeric = host.contains('.') && host.chars().all(|c| c.is_ascii_digit() || c == '.');
    let documentation = ["192.0.2.", "198.51.100.", "203.0.113."]
        .iter()
        .any(|net| host.starts_with(net));
    let named = PRIVATE_ENDS.iter().any(|end| host.ends_with(end));
    !LOOPBACK.contains(&host) && !documentation && (numeric || named)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, line: &str) -> bool {
        !check(&Tree::of(&[(path, line)])).is_empty()
    }

    #[test]
    fn machine_folders_are_found() {
        let [scratch, home] = FOLDERS;
        assert!(found("README.md", &format!("see {scratch}main/x")));
        assert!(found("a.rs", &format!("\"{home}.cargo\"")));
        assert!(!found("a.rs", &format!("target{scratch}x and a.b{home}")));
    }

    #[test]
    fn private_hosts_and_sources_are_found() {
        let url = |host: &str| format!("get http://{host}:8080/simple");
        assert!(found("x.md", &url("10.1.2.3")));
        assert!(found("x.md", &url(concat!("proxy", ".internal"))));
        assert!(!found("x.md", &url("127.0.0.1")));
        assert!(!found("x.md", &url("example.com")));
        assert!(found(
            "Cargo.lock",
            "source = \"registry+https://elsewhere.example/index\""
        ));
        assert!(!found(
            "Cargo.lock",
            &format!("source = \"{PUBLIC_SOURCE}\"")
        ));
    }
}
