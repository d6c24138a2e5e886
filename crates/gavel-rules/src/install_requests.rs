//! What steps that bring dependencies may have only on a person's word, and how that is asked.

use std::collections::BTreeSet;
use std::net::IpAddr;

use gavel_domain::{
    Digest, HostRefusal, InstallRequest, InstallScripts, QuestionCard, VerifyFinished,
};

/// A verification that wants more hosts than this is not worth more questions.
const MOST: usize = 4;
/// How many packages a card names.
const MOST_NAMED: usize = 12;
/// The option that agrees.
pub const INSTALL_YES: &str = "yes";
/// The option that does not, which is recommended.
pub const INSTALL_NO: &str = "no";
/// Digits of the name of a request.
const NAME: usize = 32;

/// The hosts that a verification wanted and that a person may allow, at most four. A public name that
/// leads to a private network is nobody's to allow but the person's own settings'.
pub fn install_requests(fact: &VerifyFinished) -> Vec<InstallRequest> {
    let mut found = BTreeSet::new();
    for step in &fact.install {
        let refused = step.refused.iter();
        for row in refused.filter(|row| row.reason == HostRefusal::NotAllowed) {
            let (host, port) = (row.host.clone(), row.port);
            match (&step.scripts, step.offline) {
                (Some(scripts), _) => found.insert(InstallRequest::ScriptHost {
                    scripts: scripts.clone(),
                    host,
                    port,
                }),
                (None, false) => found.insert(InstallRequest::Host { host, port }),
                // What the project itself runs gets no network.
                (None, true) => false,
            };
        }
    }
    found.into_iter().take(MOST).collect()
}

/// The name under which it is remembered what was said about a request in a repository.
pub fn install_request_name(repository: &str, request: &InstallRequest) -> String {
    let (kind, script, place) = match request {
        InstallRequest::Host { host, port } => ("host", String::new(), format!("{host}:{port}")),
        InstallRequest::ScriptHost {
            scripts,
            host,
            port,
        } => (
            "script",
            scripts.digest.to_string(),
            format!("{host}:{port}"),
        ),
        InstallRequest::OpenNetwork => ("open", String::new(), String::new()),
    };
    let name = Digest::of_fields([repository, kind, &script, &place].map(str::as_bytes));
    name.to_string().chars().take(NAME).collect()
}

/// The card that a person sees.
pub fn install_question(request: &InstallRequest) -> QuestionCard {
    let (text, why, yes, no) = match request {
        InstallRequest::Host { host, port } => (
            format!(
                "May dependencies of this repository be fetched from {}?",
                place(host, *port)
            ),
            format!(
                "The project names it, and none of your package managers is configured for it.{} \
                 Nothing of the project runs while there is a network. You are asked once for this \
                 repository and host.",
                private(host)
            ),
            "fetch from it, in this run and later ones",
            "go on without it",
        ),
        InstallRequest::ScriptHost {
            scripts,
            host,
            port,
        } => (
            format!(
                "Scripts of dependencies want to talk to {}. May they?",
                place(host, *port)
            ),
            format!(
                "They had no network, and asked for it. Packages with scripts: {}.{} They would see the \
                 dependencies and nothing else of the project, and reach that host alone. You are asked \
                 once for this repository and host, and again when a dependency changes.",
                named(scripts),
                private(host)
            ),
            "let these scripts talk to it, in this run and later ones",
            "go on without it",
        ),
        InstallRequest::OpenNetwork => (
            "May dependencies be fetched with the whole network of this machine?".to_owned(),
            "Commands have no network of their own here: that needs user namespaces or bubblewrap. What \
             is fetched from cannot be limited then, loopback and your own network included. Nothing of \
             the project is meant to run in such a step. You are asked once for this repository."
                .to_owned(),
            "fetch like that, in this run and later ones",
            "fetch nothing",
        ),
    };
    QuestionCard::with_options(text, Some(why), &[(INSTALL_YES, yes), (INSTALL_NO, no)])
}

fn named(scripts: &InstallScripts) -> String {
    let (all, shown) = (scripts.packages.len(), scripts.packages.iter());
    let shown: Vec<&str> = shown.take(MOST_NAMED).map(String::as_str).collect();
    match all.checked_sub(shown.len()) {
        None | Some(0) => shown.join(", "),
        Some(more) => format!("{} and {more} more", shown.join(", ")),
    }
}

/// What must be said about an address that is no public one.
fn private(host: &str) -> &'static str {
    match host.parse::<IpAddr>() {
        Ok(address) if !crate::reach::is_public(address) => {
            " It is an address of this machine or of a private network."
        }
        Ok(_) | Err(_) => "",
    }
}

fn place(host: &str, port: u16) -> String {
    match (host.contains(':'), port) {
        (false, 443) => host.to_owned(),
        (false, port) => format!("{host}:{port}"),
        (true, port) => format!("[{host}]:{port}"),
    }
}

#[cfg(test)]
#[path = "install_requests_tests.rs"]
mod tests;
