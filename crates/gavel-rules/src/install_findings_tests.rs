use gavel_domain::{Blob, HostRefused, HostTraffic, VerifyVerdict};

use super::*;

fn step(command: &str, exit: Option<i32>) -> InstallStep {
    InstallStep {
        command: command.to_owned(),
        exit,
        offline: false,
        open: false,
        hosts: Vec::new(),
        refused: Vec::new(),
        scripts: None,
        scripts_unasked: None,
    }
}

fn offline(command: &str, exit: Option<i32>) -> InstallStep {
    InstallStep {
        offline: true,
        ..step(command, exit)
    }
}

fn fact(recipe: &str, reason: &str, install: Vec<InstallStep>) -> VerifyFinished {
    VerifyFinished {
        recipe: recipe.to_owned(),
        verdict: VerifyVerdict::Unclear,
        reason: reason.to_owned(),
        executed: 0,
        passed: 0,
        failed: 0,
        skipped: 0,
        output: Blob::new("").name(),
        tree: None,
        level: None,
        coverage: None,
        smoke: None,
        install,
    }
}

#[test]
fn a_refused_host_is_named_once_with_what_to_do() {
    let row = |host: &str, port, reason| HostRefused {
        host: host.to_owned(),
        port,
        reason,
        times: 3,
    };
    let mut fetch = step("npm ci --ignore-scripts", Some(1));
    fetch.refused = vec![
        row("git.example", 443, HostRefusal::NotAllowed),
        row("pypi.org", 443, HostRefusal::PrivateAddress),
        row("registry.example", 80, HostRefusal::NotAFetch),
        row("repo.maven.apache.org", 443, HostRefusal::Unreachable),
    ];
    let found = install_findings(&fact("npm", "install_failed", vec![fetch.clone(), fetch]));
    let beginnings = [
        "git.example was refused",
        "pypi.org was refused",
        "registry.example:80 was asked",
        "repo.maven.apache.org could not be reached",
    ];
    assert_eq!(found.len(), 4, "{found:?}");
    for (sentence, beginning) in found.iter().zip(beginnings) {
        assert!(sentence.starts_with(beginning), "{sentence}");
    }
    assert!(found[0].contains("[install] hosts"), "{}", found[0]);
}

#[test]
fn a_script_that_failed_is_told_and_what_decided_is_not_told_twice() {
    let failed = offline("npm rebuild", Some(1));
    let steps = vec![
        step("npm ci", Some(0)),
        failed.clone(),
        offline("npm run prepare", Some(0)),
    ];
    let expected = "`npm rebuild` ended with exit code 1; it ran without network, and the tests were run all the same";
    assert_eq!(
        install_findings(&fact("npm", "all_passed", steps)),
        [expected]
    );
    let steps = vec![
        step("pnpm fetch", Some(0)),
        offline("pnpm install --offline", Some(1)),
    ];
    assert_eq!(
        install_findings(&fact("pnpm", "install_failed", steps)),
        Vec::<String>::new()
    );
    // A fetch that was tried again another way says nothing by itself.
    let steps = vec![step("pip download", Some(1)), step("pip download", Some(0))];
    assert_eq!(
        install_findings(&fact("pytest", "all_passed", steps)),
        Vec::<String>::new()
    );
    let found = install_findings(&fact(
        "cargo+own",
        "install_failed",
        vec![offline("./gradlew", None)],
    ));
    assert!(found[0].contains("[install] project_commands"), "{found:?}");
}

#[test]
fn hosts_are_summed_up_over_steps() {
    let row = |host: &str, received| HostTraffic {
        host: host.to_owned(),
        port: 443,
        sent: 1,
        received,
    };
    let mut first = step("a", Some(0));
    first.hosts = vec![row("b.example", 900), row("a.example", 1_200_000)];
    let mut second = step("b", Some(0));
    second.hosts = vec![row("b.example", 900)];
    let expected = "a.example (1.2 MB), b.example (1 kB)";
    assert_eq!(install_summary(&[first, second]).as_deref(), Some(expected));
    assert_eq!(install_summary(&[step("a", Some(0))]), None);
}

#[test]
fn an_open_network_is_told_once() {
    let open = |open| InstallStep {
        open,
        ..step("npm ci", Some(0))
    };
    let told = install_findings(&fact("npm", "all_passed", vec![open(true), open(true)]));
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].contains("the whole network of this machine"),
        "{told:?}"
    );
    let none = install_findings(&fact("npm", "all_passed", vec![open(false)]));
    assert_eq!(none, Vec::<String>::new());
}

#[test]
fn why_nobody_is_asked_about_scripts_is_said_once() {
    let cases = [
        (
            ScriptsUnasked::TooManyFiles { most: 200_000 },
            "more than 200000 files",
        ),
        (
            ScriptsUnasked::TooManyBytes { most: 1 << 30 },
            "larger than 1073.7 MB",
        ),
        (ScriptsUnasked::NotComparable, "such as a pipe"),
        (ScriptsUnasked::OtherManager, "npm and of yarn 1"),
    ];
    for (why, said) in cases {
        let mut rebuild = offline("npm rebuild", Some(1));
        rebuild.scripts_unasked = Some(why);
        let ran = fact("npm", "tests_passed", vec![rebuild.clone(), rebuild]);
        let found = install_findings(&ran);
        let found: Vec<_> = found.iter().filter(|line| line.contains(said)).collect();
        assert_eq!(found.len(), 1, "{said}: {found:?}");
        assert!(found[0].starts_with("no run asks whether"), "{found:?}");
    }
    let plain = fact("npm", "tests_passed", vec![offline("npm rebuild", Some(0))]);
    assert_eq!(install_findings(&plain), [""; 0]);
}
