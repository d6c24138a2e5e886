//! A program and its arguments, and how a model's command line becomes one without a shell.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The most bytes that a command line may have; the system's own limit is not far above.
const MAX_BYTES: usize = 64 * 1024;

/// A program and its arguments: never empty, without NUL bytes, of bounded size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct Argv(Vec<String>);

/// A command line that is not one program with arguments.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArgvError {
    /// There is no program.
    #[error("the command is empty; name one program with its arguments")]
    Empty,
    /// The command is longer than the system takes.
    #[error("the command has {bytes} bytes, more than {MAX_BYTES}; pass long input by a file")]
    TooLong {
        /// How many it has.
        bytes: usize,
    },
    /// An argument holds a NUL byte.
    #[error("an argument holds a NUL byte, which no program can receive")]
    Nul,
    /// The text uses something that only a shell understands.
    #[error(
        "there is no shell here, so {what} has no meaning; pass one program with its arguments, \
         and quote the text if it is meant literally"
    )]
    Shell {
        /// What was found.
        what: ShellWord,
    },
    /// A quote is opened and not closed.
    #[error("a {quote} quote is opened and not closed")]
    OpenQuote {
        /// The quote character.
        quote: char,
    },
    /// The text ends with a backslash.
    #[error("the command ends with a backslash that escapes nothing")]
    OpenEscape,
}

/// Something that only a shell understands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ShellWord {
    /// `|` between programs.
    Pipe,
    /// `>` or `<`.
    Redirection,
    /// `;`, `&`, `&&`.
    Sequence,
    /// A line break between commands.
    Newline,
    /// `$NAME`, `${…}`, `$(…)` or a backtick.
    Expansion,
    /// `( … )`.
    Subshell,
    /// `NAME=value` before the program.
    Assignment,
}

impl fmt::Display for ShellWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pipe => "`|`",
            Self::Redirection => "a redirection with `>` or `<`",
            Self::Sequence => "joining commands with `;` or `&`",
            Self::Newline => "a second line",
            Self::Expansion => "`$` or a backtick",
            Self::Subshell => "`( )`",
            Self::Assignment => "setting a variable before the program",
        })
    }
}

impl Argv {
    /// Takes a list of words as it is: every character in them is data.
    pub fn new(words: impl IntoIterator<Item = impl Into<String>>) -> Result<Self, ArgvError> {
        let words: Vec<String> = words.into_iter().map(Into::into).collect();
        if words.first().is_none_or(String::is_empty) {
            return Err(ArgvError::Empty);
        }
        let bytes = words.iter().map(|word| word.len() + 1).sum();
        if bytes > MAX_BYTES {
            return Err(ArgvError::TooLong { bytes });
        }
        if words.iter().any(|word| word.contains('\0')) {
            return Err(ArgvError::Nul);
        }
        Ok(Self(words))
    }

    /// Splits a command line into words. Quotes and backslashes work as in a POSIX shell; what
    /// only a shell could do is refused, since doing it half would surprise more.
    pub fn parse(line: &str) -> Result<Self, ArgvError> {
        let words = Splitter::new(line).split()?;
        if let Some((first, true)) = words.first().map(|word| (&word.text, word.bare)) {
            let is_name = |name: &str| {
                !name.is_empty()
                    && name
                        .chars()
                        .all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
            };
            if first.split_once('=').is_some_and(|(name, _)| is_name(name)) {
                let what = ShellWord::Assignment;
                return Err(ArgvError::Shell { what });
            }
        }
        Self::new(words.into_iter().map(|word| word.text))
    }

    /// The program.
    pub fn program(&self) -> &str {
        self.0.first().map_or("", String::as_str)
    }

    /// Program and arguments.
    pub fn words(&self) -> &[String] {
        &self.0
    }
}

impl TryFrom<Vec<String>> for Argv {
    type Error = ArgvError;

    fn try_from(words: Vec<String>) -> Result<Self, ArgvError> {
        Self::new(words)
    }
}

impl From<Argv> for Vec<String> {
    fn from(argv: Argv) -> Self {
        argv.0
    }
}

impl fmt::Display for Argv {
    /// Shows the command line so that parsing it gives the same words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, word) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(" ")?;
            }
            let plain =
                |letter: char| letter.is_ascii_alphanumeric() || "-_./:@%+,".contains(letter);
            if !word.is_empty() && word.chars().all(plain) {
                f.write_str(word)?;
            } else {
                write!(f, "'{}'", word.replace('\'', r"'\''"))?;
            }
        }
        Ok(())
    }
}

struct Word {
    text: String,
    /// False once any part of it was quoted.
    bare: bool,
}

struct Splitter<'a> {
    letters: std::iter::Peekable<std::str::Chars<'a>>,
    words: Vec<Word>,
    word: Option<Word>,
}

impl<'a> Splitter<'a> {
    fn new(line: &'a str) -> Self {
        Self {
            letters: line.trim().chars().peekable(),
            words: Vec::new(),
            word: None,
        }
    }

    fn split(mut self) -> Result<Vec<Word>, ArgvError> {
        while let Some(letter) = self.letters.next() {
            match letter {
                '\'' => self.single_quoted()?,
                '"' => self.double_quoted()?,
                '\\' => match self.letters.next() {
                    None => return Err(ArgvError::OpenEscape),
                    // A line continued on the next one.
                    Some('\n') => {}
                    Some(escaped) => self.quoted_push(escaped),
                },
                letter => {
                    if let Some(what) = shell_word(letter) {
                        return Err(ArgvError::Shell { what });
                    }
                    if letter.is_whitespace() {
                        self.words.extend(self.word.take());
                    } else {
                        self.current().text.push(letter);
                    }
                }
            }
        }
        self.words.extend(self.word.take());
        Ok(self.words)
    }

    fn single_quoted(&mut self) -> Result<(), ArgvError> {
        self.current().bare = false;
        loop {
            match self.letters.next() {
                None => return Err(ArgvError::OpenQuote { quote: '\'' }),
                Some('\'') => return Ok(()),
                Some(letter) => self.current().text.push(letter),
            }
        }
    }

    fn double_quoted(&mut self) -> Result<(), ArgvError> {
        self.current().bare = false;
        loop {
            match self.letters.next() {
                None => return Err(ArgvError::OpenQuote { quote: '"' }),
                Some('"') => return Ok(()),
                Some('$' | '`') => {
                    let what = ShellWord::Expansion;
                    return Err(ArgvError::Shell { what });
                }
                Some('\\') => {
                    let escaped = self.letters.next_if(|next| "\"\\$`\n".contains(*next));
                    match escaped {
                        None => self.current().text.push('\\'),
                        Some('\n') => {}
                        Some(letter) => self.current().text.push(letter),
                    }
                }
                Some(letter) => self.current().text.push(letter),
            }
        }
    }

    fn quoted_push(&mut self, letter: char) {
        let word = self.current();
        word.bare = false;
        word.text.push(letter);
    }

    fn current(&mut self) -> &mut Word {
        self.word.get_or_insert_with(|| Word {
            text: String::new(),
            bare: true,
        })
    }
}

fn shell_word(letter: char) -> Option<ShellWord> {
    match letter {
        '|' => Some(ShellWord::Pipe),
        '>' | '<' => Some(ShellWord::Redirection),
        ';' | '&' => Some(ShellWord::Sequence),
        '\n' | '\r' => Some(ShellWord::Newline),
        '$' | '`' => Some(ShellWord::Expansion),
        '(' | ')' => Some(ShellWord::Subshell),
        _ => None,
    }
}

#[cfg(test)]
#[path = "argv_tests.rs"]
mod tests;
