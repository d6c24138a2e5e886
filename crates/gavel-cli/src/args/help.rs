//! `gavel --help` and `gavel help [COMMAND]`: the commands by what people want, each with an example.

use std::ffi::OsString;
use std::fmt::Write as _;

use clap::{CommandFactory as _, FromArgMatches as _};

use super::Cli;

/// Commands that belong together.
struct Group {
    title: &'static str,
    commands: &'static [(&'static str, &'static str)],
}

/// Every command that help shows, once, with an example of its use.
const GROUPS: &[Group] = &[
    Group {
        title: "Build",
        commands: &[
            (
                "start",
                "gavel start \"a bookmark manager with tags\" --into ../bookmarks",
            ),
            ("resume", "gavel resume"),
            ("answer", "gavel answer 1 --resume"),
            ("say", "gavel say \"keep the file format as it is\""),
            ("pause", "gavel pause"),
            ("ship", "gavel ship"),
            ("abort", "gavel abort 4bef4848 --reason \"the wrong idea\""),
        ],
    },
    Group {
        title: "Look",
        commands: &[
            ("status", "gavel status"),
            ("watch", "gavel watch"),
            ("review", "gavel review --html run.html"),
            ("scout", "gavel scout --html scout.html"),
            ("contracts", "gavel contracts list"),
            ("seal", "gavel seal verify --rerun"),
            ("usage", "gavel usage"),
            ("replay", "gavel replay"),
        ],
    },
    Group {
        title: "Decide",
        commands: &[
            (
                "council",
                "gavel council \"SQLite or PostgreSQL for the orders?\"",
            ),
            (
                "ideate",
                "gavel ideate \"Should we move the orders to PostgreSQL?\"",
            ),
            ("loop", "gavel loop list"),
            ("memory", "gavel memory search \"slow reports\""),
            ("intake", "gavel intake \"add a --json flag to list\""),
        ],
    },
    Group {
        title: "Connect",
        commands: &[
            ("models", "gavel models list"),
            ("mcp", "gavel mcp install --client claude-code"),
            ("keys", "gavel keys create --scope propose --label ci"),
        ],
    },
    Group {
        title: "Set up",
        commands: &[
            ("init", "gavel init"),
            ("config", "gavel config show --origin"),
            ("doctor", "gavel doctor"),
            ("runs", "gavel runs prune"),
            (
                "completions",
                "gavel completions bash > ~/.local/share/bash-completion/completions/gavel",
            ),
        ],
    },
];

/// The place of the listing is between usage and flags.
const TEMPLATE: &str =
    "{about-with-newline}\n{usage-heading} {usage}{after-help}\n\nOptions:\n{options}";

/// The command line as it is parsed and explained.
pub(super) fn command() -> clap::Command {
    let mut command = Cli::command();
    let listing = listing(&command);
    for (name, example) in GROUPS.iter().flat_map(|group| group.commands) {
        command = command.mut_subcommand(name, |inner| {
            inner.after_help(format!("Example: {example}"))
        });
    }
    command.help_template(TEMPLATE).after_help(listing)
}

/// Reads words by it.
pub(super) fn parse(words: &[OsString]) -> Result<Cli, clap::Error> {
    let mut command = command();
    let mut matches = command.try_get_matches_from_mut(words)?;
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

fn listing(command: &clap::Command) -> String {
    let names = GROUPS.iter().flat_map(|group| group.commands);
    let width = names.map(|(name, _)| name.len()).max().unwrap_or_default();
    let mut text = String::new();
    for group in GROUPS {
        let gap = if text.is_empty() { "" } else { "\n" };
        let title = group.title;
        // Writing to a string cannot fail.
        let _infallible = writeln!(text, "{gap}{title}:");
        for (name, _) in group.commands {
            let about = command
                .find_subcommand(name)
                .and_then(clap::Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            // The rest of the sentence is for whoever asks about this command.
            let short = about.split([':', ';']).next().unwrap_or_default();
            let _infallible = writeln!(text, "  {name:width$}  {short}");
        }
    }
    text.push_str("\nMore about one, with an example: gavel help COMMAND");
    text
}

#[cfg(test)]
#[path = "help_tests.rs"]
mod tests;
