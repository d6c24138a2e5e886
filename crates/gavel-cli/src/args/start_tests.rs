use super::super::Command;
use super::*;

fn read(words: &[&str]) -> Result<StartArgs, String> {
    let words = [&["gavel"], words].concat();
    match Cli::read(words.iter().map(OsString::from).collect()) {
        Ok(Cli {
            command: Command::Start(args),
            ..
        }) => Ok(args),
        Ok(cli) => Err(format!("{:?}", cli.command)),
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn an_idea_needs_no_command() {
    for words in [
        &["a bookmark manager"][..],
        &["--yes", "a bookmark manager", "--into", "x"],
        &["--into", "x", "a bookmark manager"],
        &["-q", "--max-cost", "2", "a bookmark manager"],
        &["start", "a bookmark manager"],
        &["start", "--", "a bookmark manager"],
    ] {
        assert_eq!(read(words).unwrap().idea, "a bookmark manager", "{words:?}");
    }
}

#[test]
fn a_single_word_may_be_a_mistyped_command() {
    for (words, told) in [
        (&["stauts"][..], "'status'"),
        (&["sey", "hello you"], "'say'"),
        (&["toyy"], "unrecognized subcommand 'toyy'"),
        (&["bogus"], "unrecognized subcommand 'bogus'"),
        (&["status", "--nonsense", "a b"], "'--nonsense'"),
        (&["--nonsense"], "'--nonsense'"),
    ] {
        let error = read(words).unwrap_err();
        assert!(error.contains(told), "{words:?}: {error}");
    }
}

#[test]
fn a_hidden_command_is_not_suggested() {
    let error = read(&["toyy"]).unwrap_err();
    assert!(!error.contains("'toy'"), "{error}");
}

#[test]
fn no_word_at_all_is_an_empty_idea() {
    for words in [&[""][..], &["--yes", " "]] {
        assert_eq!(read(words).unwrap().idea.trim(), "", "{words:?}");
    }
}

#[test]
fn help_begins_with_what_gavel_does() {
    let help = read(&["--help"]).unwrap_err();
    assert!(help.starts_with("Takes a software idea"), "{help}");
}

#[test]
fn a_wrong_flag_beside_an_idea_is_told_as_one_of_start() {
    let error = read(&["a bookmark manager", "--colour", "red"]).unwrap_err();
    assert!(error.contains("'--colour'"), "{error}");
    let error = read(&["a bookmark manager", "and more words"]).unwrap_err();
    assert!(error.contains("unexpected argument"), "{error}");
}
