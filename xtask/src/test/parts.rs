//! Slow outside parts of the suite: run by whoever touches them, named by `--with`.

use anyhow::{Result, bail};

/// Tests ask `gavel_testkit::asked_for("peers")`, which reads this variable.
pub(crate) const VARIABLE: &str = "GAVEL_TEST_WITH";

/// The base address of the real model, for tests that were asked to use it.
pub(crate) const MODEL_VARIABLE: &str = "GAVEL_TEST_MODEL_URL";

/// A part that a plain run leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Third-party servers and clients from the package registries.
    Peers,
    /// A small real model on loopback.
    Model,
    /// The slow ones of `tests/attacks`.
    Attacks,
    /// The slow ones of `tests/cheats`.
    Cheats,
    /// Every idea in people's own words, where a plain run takes a handful.
    Ideas,
    /// Every planted pair of a council, where a plain run takes one.
    Council,
}

const ALL: [Part; 6] = [
    Part::Peers,
    Part::Model,
    Part::Attacks,
    Part::Cheats,
    Part::Ideas,
    Part::Council,
];

impl Part {
    const fn word(self) -> &'static str {
        match self {
            Self::Peers => "peers",
            Self::Model => "model",
            Self::Attacks => "attacks",
            Self::Cheats => "cheats",
            Self::Ideas => "ideas",
            Self::Council => "council",
        }
    }
}

/// Reads the value of `--with`. Asking for something that does not exist is an error.
pub(crate) fn parse(list: Option<&str>) -> Result<Vec<Part>> {
    let words = list.unwrap_or_default().split(',').map(str::trim);
    let mut parts = Vec::new();
    for word in words.filter(|word| !word.is_empty()) {
        let Some(&part) = ALL.iter().find(|part| part.word() == word) else {
            let known = join(&ALL);
            bail!("there is no part `{word}` to test with yet (known: {known})");
        };
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    Ok(parts)
}

/// The variable's value.
pub(crate) fn join(parts: &[Part]) -> String {
    let words: Vec<_> = parts.iter().map(|part| part.word()).collect();
    words.join(",")
}

/// A sentence about what was not run.
pub(crate) fn left_out(with: &[Part]) -> Option<String> {
    let missing: Vec<_> = ALL
        .into_iter()
        .filter(|part| !with.contains(part))
        .collect();
    let list = join(&missing);
    (!missing.is_empty()).then(|| format!("left out: {list} (cargo xtask test --with {list})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_parts_are_taken_once_and_others_refused() {
        let parts = parse(Some("model,peers,attacks,cheats,ideas,council,model")).unwrap();
        let mut all = ALL.to_vec();
        all.swap(0, 1);
        assert_eq!(parts, all);
        assert_eq!(left_out(&parts), None);
        assert!(
            left_out(&[])
                .unwrap()
                .contains("peers,model,attacks,cheats,ideas,council")
        );
        assert!(
            parse(Some("browser"))
                .unwrap_err()
                .to_string()
                .contains("browser")
        );
        assert!(parse(None).unwrap().is_empty());
    }
}
