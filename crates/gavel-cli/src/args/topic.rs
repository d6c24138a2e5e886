//! A topic, a proposal or an idea that was typed without quotes, and a mistyped command of `gavel council`: both
//! are said before anything is asked of a model.

use std::ffi::OsString;

use clap::CommandFactory as _;
use clap::error::ErrorKind;
use gavel_rules::distance;

use super::{Cli, Command};

/// As many letters may be wrong in a mistyped command.
const MISTYPED: usize = 2;

impl Cli {
    /// A topic of one word that is nearly a command of the council is that command, mistyped.
    pub(super) fn with_a_topic(self) -> Result<Self, clap::Error> {
        if let Command::Council(args) = &self.command
            && let Some(topic) = &args.topic
            && let Some(name) = nearly(topic)
        {
            return Err(mistyped(topic, &name));
        }
        Ok(self)
    }
}

/// What is wrong when words follow a council's topic, a proposal or an idea.
pub(super) fn unquoted(error: &clap::Error, words: &[OsString]) -> Option<clap::Error> {
    let stray = [
        ErrorKind::UnknownArgument,
        ErrorKind::ArgumentConflict,
        ErrorKind::InvalidSubcommand,
    ];
    if !stray.contains(&error.kind()) {
        return None;
    }
    let words: Vec<String> = words
        .iter()
        .skip(1)
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let whole = [
        ("ideate", "proposal"),
        ("start", "idea"),
        ("intake", "idea"),
    ];
    idea_unquoted(error, &words)
        .or_else(|| council_unquoted(&words))
        .or_else(|| {
            whole.into_iter().find_map(|(command, what)| {
                let text = behind(command, &words)?;
                Some(told(command, quoted(what, (command, &text))))
            })
        })
}

/// The words behind a command up to the first flag, where they are several and none is quoted.
fn behind<'w>(command: &str, words: &'w [String]) -> Option<Vec<&'w str>> {
    let behind = words.iter().skip_while(|word| *word != command).skip(1);
    let behind = behind.take_while(|word| !word.starts_with('-'));
    let behind: Vec<&str> = behind.map(String::as_str).collect();
    let first = behind.first()?;
    (behind.len() > 1 && !first.contains(char::is_whitespace)).then_some(behind)
}

fn quoted(what: &str, (command, words): (&str, &[&str])) -> String {
    let text = words.join(" ").replace('"', "'");
    let article = if what == "idea" { "an" } else { "a" };
    format!("{article} {what} of several words goes into quotes: gavel {command} \"{text}\"")
}

/// An idea of several words that was typed without quotes and without a command before it.
fn idea_unquoted(error: &clap::Error, words: &[String]) -> Option<clap::Error> {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    let words: Vec<&str> = words
        .iter()
        .take_while(|word| !word.starts_with('-'))
        .map(String::as_str)
        .collect();
    let first = *words.first()?;
    let command = Cli::command();
    let names = command.get_subcommands().map(clap::Command::get_name);
    // A command, or what is nearly one: clap says what is wrong. One letter in three may be.
    let wrong = MISTYPED.min(first.len() / 3);
    let is_command = names
        .chain(["help"])
        .any(|name| distance(first, name) <= wrong);
    if words.len() < 2 || first.contains(char::is_whitespace) || is_command {
        return None;
    }
    let text = words.join(" ").replace('"', "'");
    let message = format!("an idea of several words goes into quotes: gavel \"{text}\"");
    Some(told("start", message))
}

fn council_unquoted(words: &[String]) -> Option<clap::Error> {
    let topic = behind("council", words)?;
    let first = topic.first()?;
    if names().iter().any(|name| name == first) {
        return None;
    }
    if let Some(name) = nearly(first) {
        return Some(mistyped(first, &name));
    }
    Some(told("council", quoted("topic", ("council", &topic))))
}

fn mistyped(word: &str, name: &str) -> clap::Error {
    let message = format!(
        "`{word}` is neither a topic nor a command: did you mean `gavel council {name}`? A topic is \
         a question of several words, in quotes"
    );
    told("council", message)
}

fn told(of: &str, message: String) -> clap::Error {
    let mut command = Cli::command();
    command.build();
    match command.find_subcommand_mut(of) {
        Some(inner) => inner.error(ErrorKind::InvalidValue, message),
        None => command.error(ErrorKind::InvalidValue, message),
    }
}

/// The command that a word is nearly, but not, the name of.
fn nearly(word: &str) -> Option<String> {
    let known = names().into_iter();
    let near = known.map(|name| (distance(word, &name), name));
    let near = near.filter(|(apart, _)| (1..=MISTYPED).contains(apart));
    near.min().map(|(_, name)| name)
}

fn names() -> Vec<String> {
    let command = Cli::command();
    let council = command.find_subcommand("council");
    let inner = council.into_iter().flat_map(clap::Command::get_subcommands);
    inner.map(|command| command.get_name().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(words: &[&str]) -> Option<String> {
        let words = [&["gavel"], words].concat();
        let read = Cli::read(words.iter().map(OsString::from).collect());
        read.err().map(|error| error.to_string())
    }

    #[test]
    fn a_mistyped_command_is_no_topic() {
        for (words, meant) in [
            (&["council", "stast"][..], "gavel council stats"),
            (&["council", "shwo", "4bef4848"], "gavel council show"),
            (&["-q", "council", "aks"], "gavel council ask"),
            (
                &["council", "--no-clarify", "prooved"],
                "gavel council proved",
            ),
        ] {
            let told = refused(words).unwrap_or_default();
            assert!(told.contains(&format!("did you mean `{meant}`?")), "{told}");
        }
        for words in [
            &["council", "stats"][..],
            &["council", "Redis?"],
            &["council", "status or stats?"],
            &["council", "-"],
        ] {
            assert_eq!(refused(words), None, "{words:?}");
        }
    }

    #[test]
    fn words_without_quotes_are_told_to_be_quoted() {
        for words in [
            &["council", "SQLite", "or", "PostgreSQL?"][..],
            &[
                "--yes",
                "council",
                "SQLite",
                "or",
                "PostgreSQL?",
                "--no-clarify",
            ],
        ] {
            let told = refused(words).unwrap_or_default();
            let quoted = "quotes: gavel council \"SQLite or PostgreSQL?\"";
            assert!(told.contains(quoted), "{told}");
        }
        let told = refused(&["council", "Should", "we", "show", "it?"]).unwrap_or_default();
        assert!(told.contains("\"Should we show it?\""), "{told}");
        let told = refused(&["ideate", "split", "the", "queue", "--reframe"]).unwrap_or_default();
        assert!(told.contains("gavel ideate \"split the queue\""), "{told}");
        let told = refused(&["start", "a", "todo", "list", "--yes"]).unwrap_or_default();
        assert!(
            told.contains("an idea of several words goes into quotes"),
            "{told}"
        );
        assert!(told.contains("gavel start \"a todo list\""), "{told}");
        let told = refused(&["a", "todo", "list", "--yes"]).unwrap_or_default();
        assert!(told.contains("quotes: gavel \"a todo list\""), "{told}");
        let told = refused(&["stauts", "4bef4848"]).unwrap_or_default();
        assert!(told.contains("unrecognized subcommand"), "{told}");
        let told = refused(&["intake", "fix", "it"]).unwrap_or_default();
        assert!(told.contains("gavel intake \"fix it\""), "{told}");
        // Other mistakes are told as what they are.
        for words in [
            &["council", "show", "4bef4848", "more"][..],
            &["council", "a b", "--nonsense"],
        ] {
            let told = refused(words).unwrap_or_default();
            assert!(told.contains("unexpected argument"), "{told}");
        }
    }
}
