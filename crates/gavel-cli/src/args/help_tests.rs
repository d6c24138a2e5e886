use super::*;

fn shown(words: &[&str]) -> String {
    let words = [&["gavel"], words].concat();
    let read = Cli::read(words.iter().map(OsString::from).collect());
    read.unwrap_err().to_string()
}

#[test]
fn every_command_stands_in_one_group() {
    let command = Cli::command();
    let shown = command
        .get_subcommands()
        .filter(|inner| !inner.is_hide_set());
    let mut shown: Vec<_> = shown.map(clap::Command::get_name).collect();
    let grouped = GROUPS.iter().flat_map(|group| group.commands);
    let mut grouped: Vec<_> = grouped.map(|(name, _)| *name).collect();
    shown.sort_unstable();
    grouped.sort_unstable();
    assert_eq!(grouped, shown);
}

/// An example that cannot be typed helps nobody.
#[test]
fn every_example_can_be_typed() {
    for (name, example) in GROUPS.iter().flat_map(|group| group.commands) {
        let (typed, _) = example.split_once(" > ").unwrap_or((example, ""));
        let argv = gavel_workspace::Argv::parse(typed).unwrap();
        let words = argv.words();
        assert_eq!(words.get(..2).unwrap(), ["gavel", name]);
        let read = Cli::read(words.iter().map(OsString::from).collect());
        assert!(read.is_ok(), "{example}: {}", read.unwrap_err());
    }
}

#[test]
fn help_is_a_command() {
    assert_eq!(shown(&["help"]), shown(&["--help"]));
    assert_eq!(shown(&["help", "start"]), shown(&["start", "--help"]));
    let one = shown(&["help", "start"]);
    assert!(
        one.contains("Example: gavel start \"a bookmark manager with tags\""),
        "{one}"
    );
    let inner = shown(&["memory", "help", "add"]);
    assert_eq!(inner, shown(&["memory", "add", "--help"]));
    let unknown = shown(&["help", "stauts"]);
    assert!(
        unknown.contains("unrecognized subcommand 'stauts'"),
        "{unknown}"
    );
}

#[test]
fn the_listing_fits_eighty_columns() {
    let help = shown(&["help"]);
    let (_, listing) = help.split_once("Build:").unwrap();
    let (listing, _) = listing.split_once("Options:").unwrap();
    let long: Vec<_> = listing
        .lines()
        .filter(|line| line.chars().count() > 80)
        .collect();
    assert_eq!(long, Vec::<&str>::new());
}

#[test]
fn the_first_help() {
    let help = shown(&["help"]);
    let (listing, _) = help.split_once("Options:").unwrap();
    insta::assert_snapshot!(listing, @r#"
    Takes a software idea to a verified branch: debate it, write it down, build it, prove it, seal it

    Usage: gavel [OPTIONS] <COMMAND>

    Build:
      start        Build an idea
      resume       Go on with a run
      answer       Answer an open question
      say          Say something to a run
      pause        Stop a run after its current step
      ship         Go to the done gate with what is there
      abort        Give a run up for good

    Look:
      status       List the runs of this project, or show one
      watch        Follow the facts of a run
      review       A run as a document
      scout        What a repository is
      contracts    What a build is held to
      seal         Seals of builds, and the keys behind them
      usage        What was spent, and where it went
      replay       Fold a journal again, call nothing, verify the chain

    Decide:
      council      Ask a council of models
      ideate       Hold a proposal against what the project remembers
      loop         Loops of people and agents
      memory       What the project remembers
      intake       Score an idea and show its route

    Connect:
      models       Models and providers
      mcp          Serve tools to any agent over MCP
      keys         Keys that programs come in with over HTTP

    Set up:
      init         Make a project here
      config       Show, write and edit settings
      doctor       Look at this machine
      runs         Runs as they lie in the store
      completions  Print a completion script

    More about one, with an example: gavel help COMMAND
    "#);
}
