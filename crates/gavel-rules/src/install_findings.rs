//! What a person is told about the steps that brought dependencies.

use std::collections::{BTreeMap, BTreeSet};

use gavel_domain::{HostRefusal, InstallStep, ScriptsUnasked, VerifyFinished};

/// The reason of a verification that had no dependencies to test with.
const INSTALL_FAILED: &str = "install_failed";
/// Recipes whose install commands run code of the project.
const OF_THE_PROJECT: [&str; 2] = ["own", "dotnet"];

/// What is worth a person's attention, with what can be done about it; one sentence each.
pub fn install_findings(fact: &VerifyFinished) -> Vec<String> {
    let mut found = Vec::new();
    let mut refused = BTreeSet::new();
    for step in &fact.install {
        let scripts = step.offline || step.scripts.is_some();
        for row in &step.refused {
            refused.insert((scripts, &row.host, row.port, row.reason));
        }
    }
    for (scripts, host, port, reason) in refused {
        found.push(if scripts && reason != HostRefusal::Unreachable {
            format!(
                "{} was asked for by scripts that may not reach it, and was refused",
                place(host, port)
            )
        } else {
            refusal(host, port, reason)
        });
    }
    let unasked: BTreeSet<_> = fact
        .install
        .iter()
        .filter_map(|step| step.scripts_unasked)
        .collect();
    found.extend(unasked.into_iter().map(why_unasked));
    if fact.install.iter().any(|step| step.open) {
        found.push(
            "dependencies were fetched with the whole network of this machine, as was agreed: nothing says \
             whom that talked to"
                .to_owned(),
        );
    }
    let failed = fact.reason == INSTALL_FAILED;
    let last = fact.install.last().filter(|_| failed);
    let ended = |step: &InstallStep| match step.exit {
        Some(code) => format!("ended with exit code {code}"),
        None => "was ended from outside".to_owned(),
    };
    for step in &fact.install {
        let decided = last.is_some_and(|last| std::ptr::eq(last, step));
        if step.offline && step.exit != Some(0) && !decided {
            let (command, ended) = (&step.command, ended(step));
            found.push(format!(
                "`{command}` {ended}; it ran without network, and the tests were run all the same"
            ));
        }
    }
    let of_project = fact
        .recipe
        .split('+')
        .any(|name| OF_THE_PROJECT.contains(&name));
    if let Some(last) = last.filter(|last| last.offline && of_project) {
        let command = &last.command;
        found.push(format!(
            "`{command}` ran without network, since it runs code of the project; to let such commands \
             reach the registries, set [install] project_commands = \"registries\" in your own config.toml"
        ));
    }
    found
}

/// The hosts that were reached, with how much came from each; `None` when none was.
pub fn install_summary(steps: &[InstallStep]) -> Option<String> {
    let mut hosts: BTreeMap<&str, u64> = BTreeMap::new();
    for row in steps.iter().flat_map(|step| &step.hosts) {
        *hosts.entry(&row.host).or_default() += row.received;
    }
    let row = |(host, bytes): (&&str, &u64)| format!("{host} ({})", size(*bytes));
    let rows: Vec<_> = hosts.iter().map(row).collect();
    (!rows.is_empty()).then(|| rows.join(", "))
}

/// Why no run asks whether scripts of dependencies may reach the host that they asked for.
fn why_unasked(why: ScriptsUnasked) -> String {
    let why = match why {
        ScriptsUnasked::TooManyFiles { most } => {
            format!("node_modules has more than {most} files, and more are not compared")
        }
        ScriptsUnasked::TooManyBytes { most } => {
            format!(
                "node_modules is larger than {}, and more is not compared",
                size(most)
            )
        }
        ScriptsUnasked::NotComparable => {
            "node_modules holds what cannot be compared, such as a pipe or a name that is no text"
                .to_owned()
        }
        ScriptsUnasked::OtherManager => {
            "only those of npm and of yarn 1 are run apart from the project".to_owned()
        }
    };
    format!(
        "no run asks whether scripts of these dependencies may reach a host: {why}; they ran without network"
    )
}

fn place(host: &str, port: u16) -> String {
    match port {
        443 => host.to_owned(),
        port => format!("{host}:{port}"),
    }
}

fn refusal(host: &str, port: u16, reason: HostRefusal) -> String {
    let place = place(host, port);
    match reason {
        HostRefusal::NotAllowed => format!(
            "{place} was refused while dependencies were fetched: none of your package managers is \
             configured for it; to allow it, say so when a run asks at a terminal, or add it to [install] \
             hosts in your own config.toml"
        ),
        HostRefusal::PrivateAddress => format!(
            "{place} was refused while dependencies were fetched: it leads to this machine or a private \
             network; if that is meant, add it to [install] hosts in your own config.toml"
        ),
        HostRefusal::NotAFetch => {
            format!("{place} was asked for something else than a download, which was refused")
        }
        HostRefusal::LimitReached => {
            format!("{place}: more was fetched than one step may, and the rest was refused")
        }
        HostRefusal::Unreachable => format!(
            "{place} could not be reached while dependencies were fetched: it is allowed, and did not answer; \
             see that this machine is connected and that the registry is up, then try again"
        ),
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}

#[cfg(test)]
#[path = "install_findings_tests.rs"]
mod tests;
