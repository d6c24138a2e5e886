use gavel_domain::{Blob, HostRefused, InstallStep, VerifyVerdict};

use super::*;

fn refused(host: &str, reason: HostRefusal) -> HostRefused {
    HostRefused {
        host: host.to_owned(),
        port: 443,
        reason,
        times: 2,
    }
}

fn step(offline: bool, refused: Vec<HostRefused>, scripts: Option<InstallScripts>) -> InstallStep {
    InstallStep {
        command: "npm ci".to_owned(),
        exit: Some(1),
        offline,
        open: false,
        hosts: Vec::new(),
        refused,
        scripts,
        scripts_unasked: None,
    }
}

fn fact(install: Vec<InstallStep>) -> VerifyFinished {
    VerifyFinished {
        recipe: "npm".to_owned(),
        verdict: VerifyVerdict::Unclear,
        reason: "install_failed".to_owned(),
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

fn scripts(digest: &str) -> InstallScripts {
    InstallScripts {
        digest: Digest::of(digest),
        packages: vec!["left@1.0.0".to_owned()],
    }
}

fn host(host: &str) -> InstallRequest {
    InstallRequest::Host {
        host: host.to_owned(),
        port: 443,
    }
}

fn script_host(digest: &str, host: &str) -> InstallRequest {
    InstallRequest::ScriptHost {
        scripts: scripts(digest),
        host: host.to_owned(),
        port: 443,
    }
}

#[test]
fn what_a_person_may_allow_is_asked_once_and_nothing_else_is() {
    let steps = vec![
        step(
            false,
            vec![
                refused("git.example", HostRefusal::NotAllowed),
                refused("inside.example", HostRefusal::PrivateAddress),
                refused("post.example", HostRefusal::NotAFetch),
                refused("large.example", HostRefusal::LimitReached),
                refused("silent.example", HostRefusal::Unreachable),
            ],
            None,
        ),
        step(
            false,
            vec![refused("git.example", HostRefusal::NotAllowed)],
            None,
        ),
        step(
            true,
            vec![refused("files.example", HostRefusal::NotAllowed)],
            Some(scripts("a")),
        ),
        // A script of the project: whoever changes the project changes it.
        step(
            true,
            vec![refused("own.example", HostRefusal::NotAllowed)],
            None,
        ),
    ];
    assert_eq!(
        install_requests(&fact(steps)),
        [host("git.example"), script_host("a", "files.example")]
    );
    assert_eq!(install_requests(&fact(Vec::new())), []);
}

#[test]
fn a_project_cannot_ask_for_more_than_four_hosts_at_once() {
    let many = (0..64).map(|n| refused(&format!("h{n}.example"), HostRefusal::NotAllowed));
    let asked = install_requests(&fact(vec![step(false, many.collect(), None)]));
    assert_eq!(asked.len(), 4);
}

#[test]
fn an_answer_counts_for_its_repository_its_host_and_its_scripts() {
    let names: BTreeSet<String> = [
        install_request_name("/a/.git", &host("x.example")),
        install_request_name("/b/.git", &host("x.example")),
        install_request_name("/a/.git", &host("y.example")),
        install_request_name("/a/.git", &script_host("one", "x.example")),
        install_request_name("/a/.git", &script_host("two", "x.example")),
        install_request_name("/a/.git", &InstallRequest::OpenNetwork),
    ]
    .into();
    assert_eq!(names.len(), 6);
    assert_eq!(
        install_request_name("/a/.git", &host("x.example")),
        install_request_name("/a/.git", &host("x.example"))
    );
}

#[test]
fn a_card_names_the_host_and_says_when_it_is_no_public_one() {
    let card = install_question(&host("git.example"));
    assert_eq!(
        card.text,
        "May dependencies of this repository be fetched from git.example?"
    );
    assert!(!card.why.unwrap().contains("private network"));
    let card = install_question(&InstallRequest::Host {
        host: "127.0.0.1".to_owned(),
        port: 8080,
    });
    assert!(card.text.ends_with("127.0.0.1:8080?"), "{}", card.text);
    assert!(card.why.unwrap().contains("private network"));
    let card = install_question(&script_host("a", "files.example"));
    assert!(card.why.unwrap().contains("left@1.0.0"));
}
