//! The arguments of a verb: words and `--flag value` pairs, nothing unknown left over.

use std::collections::VecDeque;
use std::str::FromStr;

use anyhow::{Context, Result, bail};

/// What is left of the command line.
#[derive(Debug)]
pub(crate) struct Args(VecDeque<String>);

impl Args {
    /// The process's own arguments, without the program's name.
    pub(crate) fn of_process() -> Self {
        Self(std::env::args().skip(1).collect())
    }

    /// Takes the next word.
    pub(crate) fn word(&mut self) -> Option<String> {
        self.0.pop_front()
    }

    /// Takes a switch.
    pub(crate) fn switch(&mut self, name: &str) -> bool {
        let place = self.0.iter().position(|arg| arg == name);
        place.and_then(|place| self.0.remove(place)).is_some()
    }

    /// Takes `--name value` or `--name=value`.
    pub(crate) fn value(&mut self, name: &str) -> Result<Option<String>> {
        let joined = format!("{name}=");
        let matches = |arg: &String| arg == name || arg.starts_with(&joined);
        let Some(place) = self.0.iter().position(matches) else {
            return Ok(None);
        };
        let flag = self.0.remove(place).unwrap_or_default();
        if let Some(value) = flag.strip_prefix(&joined) {
            return Ok(Some(value.to_owned()));
        }
        match self.0.remove(place) {
            Some(value) => Ok(Some(value)),
            None => bail!("{name} needs a value"),
        }
    }

    /// Takes `--name value` and parses the value.
    pub(crate) fn parsed<T: FromStr>(&mut self, name: &str) -> Result<Option<T>>
    where
        T::Err: std::error::Error + Send + Sync + 'static,
    {
        let Some(text) = self.value(name)? else {
            return Ok(None);
        };
        let value = text
            .parse()
            .with_context(|| format!("{name} cannot be `{text}`"))?;
        Ok(Some(value))
    }

    /// Refuses what no one asked for.
    pub(crate) fn finish(self) -> Result<()> {
        match self.0.front() {
            None => Ok(()),
            Some(extra) => bail!("`{extra}` is not understood here (see `cargo xtask help`)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(words: &[&str]) -> Args {
        Args(words.iter().map(|&word| word.to_owned()).collect())
    }

    #[test]
    fn flags_are_taken_wherever_they_stand() {
        let mut args = args(&["up", "--port", "81", "--gguf=a.gguf", "--quick"]);
        assert_eq!(args.parsed::<u16>("--port").unwrap(), Some(81));
        assert_eq!(args.word().as_deref(), Some("up"));
        assert_eq!(args.value("--gguf").unwrap().as_deref(), Some("a.gguf"));
        assert!(args.switch("--quick"));
        args.finish().unwrap();
    }

    #[test]
    fn leftovers_and_missing_values_are_errors() {
        assert!(args(&["--prot", "1"]).finish().is_err());
        assert!(args(&["--port"]).value("--port").is_err());
        assert!(args(&["--port", "x"]).parsed::<u16>("--port").is_err());
    }
}
