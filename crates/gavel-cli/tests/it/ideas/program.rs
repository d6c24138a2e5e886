//! A program that a run has built, used by somebody who knows the idea and reads the program's own `help`.
//!
//! Nothing here knows how the program was made: which words a command is spelled with, and whether a value is
//! an option or goes by its place, is learned from `help`. Names of entities and fields come from the idea.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::bench::{Ended, ended};

pub(crate) struct Program {
    binary: PathBuf,
    folder: tempfile::TempDir,
    usages: Vec<Usage>,
    pub(crate) help: String,
}

/// What a person wants to do, and the words that programs use for it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wish {
    Add,
    List,
    Show,
    Edit,
    Search,
    Delete,
}

/// One line of the help: `edit visit ID [--date DATE]`.
#[derive(Debug)]
struct Usage {
    words: Vec<String>,
    slots: Vec<Slot>,
}

#[derive(Debug)]
enum Slot {
    Place(String),
    Choice { flag: String, value: bool },
}

impl Wish {
    fn words(self) -> &'static [&'static str] {
        match self {
            Self::Add => &["add", "new", "create", "log"],
            Self::List => &["list", "ls"],
            Self::Show => &["show", "view", "get"],
            Self::Edit => &["edit", "update", "change", "set"],
            Self::Search => &["search", "find"],
            Self::Delete => &["delete", "remove", "rm"],
        }
    }
}

impl Program {
    pub(crate) fn new(binary: PathBuf) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut program = Self {
            binary,
            folder,
            usages: Vec::new(),
            help: String::new(),
        };
        program.help = program.good(&["help"]);
        let name = program.binary.file_name().unwrap().to_str().unwrap();
        program.usages = program.help.lines().map(|line| usage(line, name)).collect();
        program.explains_itself();
        program
    }

    /// Every command of the help is explained when one asks for it.
    fn explains_itself(&self) {
        for usage in self.usages.iter().filter(|usage| !usage.slots.is_empty()) {
            let words: Vec<&str> = usage.words.iter().map(String::as_str).collect();
            if let [_, _] = words.as_slice() {
                let told = self.good(&[&["help"], words.as_slice()].concat());
                assert!(told.starts_with(&words.join(" ")), "{told}");
                assert!(told.contains("\n  "), "{told}");
            }
        }
    }

    /// Starts the program anew, as every command in a terminal does.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is how a person starts the program"
    )]
    pub(crate) fn run(&self, args: &[&str]) -> Ended {
        let child = Command::new(&self.binary)
            .args(args)
            .env_clear()
            .env("HOME", self.folder.path())
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        ended(child.unwrap())
    }

    /// Runs what must work, and returns what it says.
    pub(crate) fn good(&self, args: &[&str]) -> String {
        let ended = self.run(args);
        assert_eq!(ended.code, Some(0), "{args:?} {ended:?}");
        ended.stdout
    }

    /// Runs what must be refused in words, without a crash and without a change of what is kept.
    pub(crate) fn bad(&self, args: &[&str]) -> String {
        let before = self.kept();
        let ended = self.run(args);
        assert!(
            !matches!(ended.code, Some(0 | 101) | None),
            "{args:?} {ended:?}"
        );
        assert!(!ended.stderr.trim().is_empty(), "{args:?} {ended:?}");
        assert!(!ended.stderr.contains("panicked"), "{args:?} {ended:?}");
        assert_eq!(self.kept(), before, "{args:?} changed what is kept");
        ended.stderr
    }

    /// Does it, as the help spells it. `thing` is empty where a program has only one kind of thing.
    pub(crate) fn does(
        &self,
        wish: Wish,
        thing: &str,
        id: &str,
        fields: &[(&str, &str)],
    ) -> String {
        let args = self.spelled(wish, thing, id, fields);
        self.good(&args.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Must be refused.
    pub(crate) fn refuses(
        &self,
        wish: Wish,
        thing: &str,
        id: &str,
        fields: &[(&str, &str)],
    ) -> String {
        let args = self.spelled(wish, thing, id, fields);
        self.bad(&args.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Deletes, or is told why not; either way in words.
    pub(crate) fn delete_or_refuse(&self, thing: &str, id: &str) -> String {
        let args = self.spelled(Wish::Delete, thing, id, &[]);
        let ended = self.run(&args.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(ended.code.is_some_and(|code| code != 101), "{ended:?}");
        format!("{}{}", ended.stdout, ended.stderr)
    }

    pub(crate) fn add(&self, thing: &str, fields: &[(&str, &str)]) {
        self.does(Wish::Add, thing, "", fields);
    }

    pub(crate) fn list(&self, thing: &str) -> String {
        self.does(Wish::List, thing, "", &[])
    }

    pub(crate) fn search(&self, thing: &str, text: &str) -> String {
        self.does(Wish::Search, thing, text, &[])
    }

    /// The id under which the list shows what has this text.
    pub(crate) fn id_of(&self, thing: &str, text: &str) -> String {
        let listed = self.list(thing);
        let row = listed.lines().find(|line| line.contains(text));
        let row = row.unwrap_or_else(|| panic!("no {text} in {listed}"));
        let number = row.split(|letter: char| !letter.is_ascii_digit());
        let id = number.into_iter().find(|piece| !piece.is_empty());
        id.unwrap_or_else(|| panic!("no id in {row}")).to_owned()
    }

    /// How `flag` of this command is spelled; `names` are the words for it that the idea allows.
    fn slot<'a>(usage: &'a Usage, names: &str) -> Option<&'a Slot> {
        names.split('|').find_map(|name| {
            usage.slots.iter().find(|slot| match slot {
                Slot::Place(place) => place == name,
                Slot::Choice { flag, .. } => flag == name,
            })
        })
    }

    fn spelled(&self, wish: Wish, thing: &str, id: &str, fields: &[(&str, &str)]) -> Vec<String> {
        let usage = self.usage(wish, thing);
        let mut args = usage.words.clone();
        let mut places = usage.slots.iter().filter_map(|slot| match slot {
            Slot::Place(name) => Some(name),
            Slot::Choice { .. } => None,
        });
        if !id.is_empty() {
            let first = places.next();
            assert!(
                first.is_some(),
                "{wish:?} {thing} takes no {id}: {}",
                self.help
            );
            args.push(id.to_owned());
        }
        for name in places {
            let given = fields
                .iter()
                .find(|(names, _)| names.split('|').any(|one| one == name));
            args.extend(given.map(|(_, value)| (*value).to_owned()));
        }
        for (names, value) in fields {
            match Self::slot(usage, names) {
                Some(Slot::Place(_)) => {}
                Some(Slot::Choice { flag, value: true }) => {
                    args.extend([format!("--{flag}"), (*value).to_owned()]);
                }
                Some(Slot::Choice { flag, value: false }) => args.push(format!("--{flag}")),
                None => panic!("{wish:?} {thing} has no {names}: {}", self.help),
            }
        }
        args
    }

    fn usage(&self, wish: Wish, thing: &str) -> &Usage {
        let fits = |usage: &&Usage| {
            let of_thing = thing.is_empty()
                || usage
                    .words
                    .iter()
                    .any(|word| word.trim_end_matches('s') == thing);
            let mut verb = usage.words.iter().take(2);
            of_thing && verb.any(|word| wish.words().contains(&word.as_str()))
        };
        let found = self.usages.iter().find(fits);
        found.unwrap_or_else(|| panic!("no way to {wish:?} {thing}: {}", self.help))
    }

    /// The command whose line in the help speaks of `word`, as it is typed.
    pub(crate) fn command_about(&self, word: &str) -> Vec<String> {
        let index = self.help.lines().position(|line| {
            let line = line.to_lowercase();
            line.starts_with(' ') && line.contains(word)
        });
        let index = index.unwrap_or_else(|| panic!("no {word} in {}", self.help));
        self.usages[index].words.clone()
    }

    /// Every file that the program keeps, with its content.
    fn kept(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut folders = vec![self.folder.path().to_owned()];
        let mut files = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let content = std::fs::read(&path).unwrap();
                    files.push((path, content));
                }
            }
        }
        files.sort();
        files
    }
}

/// Reads a line of help: words as they are, `NAME` or `<name>` by its place, `--name` with or without a value.
/// What stands behind two spaces is explanation.
/// What is not indented is a heading.
fn usage(line: &str, program: &str) -> Usage {
    let line = if line.starts_with(' ') { line } else { "" };
    let shown = line.trim().split("  ").next().unwrap_or_default();
    let mut words = Vec::new();
    let mut slots: Vec<Slot> = Vec::new();
    for token in shown.split([' ', '[', ']', '(', ')', '=', '…']) {
        let bare = token.trim_matches(['<', '>', '.', ',']);
        let named = bare.to_lowercase().replace('_', "-");
        if bare.is_empty() || (bare == program && words.is_empty()) {
            continue;
        }
        if let Some(flag) = named.strip_prefix("--") {
            let flag = flag.to_owned();
            slots.push(Slot::Choice { flag, value: false });
        } else if token.starts_with('<') || bare.contains('|') || *bare == bare.to_uppercase() {
            match slots.last_mut() {
                Some(Slot::Choice { value, .. }) if !*value => *value = true,
                _ => slots.push(Slot::Place(named)),
            }
        } else if slots.is_empty() {
            words.push(bare.to_owned());
        }
    }
    Usage { words, slots }
}
