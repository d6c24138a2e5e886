//! Reads lists of Python requirements so that only names and versions reach the step that fetches: the
//! options that such files may hold name other indexes, or have pip build what it fetches.

use gavel_rules::Destination;

/// How deep files may name files.
const DEEPEST: usize = 8;

/// What a list comes to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Requirements {
    /// Names with versions, extras, markers and hashes: fetched from an index.
    pub(super) named: Vec<String>,
    /// The same as bounds only.
    pub(super) bounds: Vec<String>,
    /// Folders and files of the tree: built without network.
    pub(super) local: Vec<String>,
    /// Addresses that would be fetched and built at once. They are not fetched.
    pub(super) elsewhere: Vec<Elsewhere>,
}

/// A requirement that names an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Elsewhere {
    /// Where it lies, when that can be told.
    pub(super) host: Option<Destination>,
    /// The line.
    pub(super) line: String,
}

/// What one file adds to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    Wanted,
    Bounds,
}

impl Requirements {
    /// Reads a file of the tree and those that it names.
    pub(super) fn read(name: &str, text: impl Fn(&str) -> Option<String>) -> Self {
        let mut found = Self::default();
        found.add_file(name, &text, (Reading::Wanted, DEEPEST));
        found
    }

    /// Takes single requirements, as a manifest lists them.
    pub(super) fn of<'a>(lines: impl IntoIterator<Item = &'a str>) -> Self {
        let mut found = Self::default();
        for line in lines {
            found.add_line("", &|_| None, (line, Reading::Wanted, 0));
        }
        found
    }

    /// True when the list holds to hashes, so that nothing without one can be fetched beside it.
    pub(super) fn has_hashes(&self) -> bool {
        self.named.iter().any(|line| line.contains(" --hash="))
    }

    fn add_file(
        &mut self,
        name: &str,
        text: &impl Fn(&str) -> Option<String>,
        (reading, depth): (Reading, usize),
    ) {
        let content = text(name).unwrap_or_default().replace("\\\n", " ");
        for line in content.lines() {
            self.add_line(name, text, (line, reading, depth));
        }
    }

    fn add_line(
        &mut self,
        file: &str,
        text: &impl Fn(&str) -> Option<String>,
        (line, reading, depth): (&str, Reading, usize),
    ) {
        let line = line.split(" #").next().unwrap_or_default().trim();
        if line.is_empty() || line.starts_with('#') {
            return;
        }
        if let Some(option) = line.strip_prefix('-') {
            let (name, value) = option_of(option);
            let next = depth.checked_sub(1);
            match (name, next) {
                ("r" | "-requirement", Some(next)) => {
                    self.add_file(&beside(file, value), text, (reading, next));
                }
                ("c" | "-constraint", Some(next)) => {
                    self.add_file(&beside(file, value), text, (Reading::Bounds, next));
                }
                ("e" | "-editable", _) => self.add_place(value),
                // Indexes, and how to build: not the project's to say.
                (_, _) => {}
            }
            return;
        }
        match plain(line) {
            Some(named) if reading == Reading::Wanted => self.named.push(named),
            Some(named) => self.bounds.push(named),
            None => self.add_place(line),
        }
    }

    fn add_place(&mut self, line: &str) {
        let (_, address) = line.split_once('@').unwrap_or(("", line));
        if line.contains("://") || line.starts_with("git+") {
            let host = Destination::of_url(address.trim()).or_else(|| Destination::of_url(line));
            let line = line.to_owned();
            self.elsewhere.push(Elsewhere { host, line });
        } else if !line.contains(['\'', '"', ';']) {
            self.local.push(line.to_owned());
        }
    }
}

/// A requirement by name with nothing but versions, extras, a marker and hashes.
fn plain(line: &str) -> Option<String> {
    let (requirement, options) = match line.split_once(" --") {
        Some((requirement, options)) => (requirement.trim(), format!("--{options}")),
        None => (line, String::new()),
    };
    let (named, marker) = requirement.split_once(';').unwrap_or((requirement, ""));
    let first = named.chars().next()?;
    let letter = |c: char| c.is_ascii_alphanumeric() || "-_.[], <>=!~*+()".contains(c);
    let marked = |c: char| c.is_ascii() && !c.is_ascii_control() && c != '\\';
    let place = named.ends_with(".whl") || named.ends_with(".tar.gz") || named.ends_with(".zip");
    let fits = first.is_ascii_alphanumeric() && named.chars().all(letter) && !place;
    if !fits || !marker.chars().all(marked) {
        return None;
    }
    let hashes = options.split_whitespace();
    let hashes: Vec<_> = hashes.filter(|word| is_hash(word)).collect();
    let mut kept = requirement.to_owned();
    for hash in hashes {
        kept.push(' ');
        kept.push_str(hash);
    }
    Some(kept)
}

fn is_hash(word: &str) -> bool {
    word.strip_prefix("--hash=")
        .is_some_and(|hash| hash.chars().all(|c| c.is_ascii_alphanumeric() || c == ':'))
}

/// The name of an option without its first dash, and its value.
fn option_of(option: &str) -> (&str, &str) {
    if option.starts_with('-') {
        let end = option.find(['=', ' ']).unwrap_or(option.len());
        let (name, value) = option.split_at(end);
        return (name, value.trim_start_matches(['=', ' ']).trim());
    }
    let end = option.chars().next().map_or(0, char::len_utf8);
    let (name, value) = option.split_at(end);
    (name, value.trim())
}

/// A file that another one names, relative to it.
fn beside(file: &str, name: &str) -> String {
    match file.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{name}"),
        None => name.trim_start_matches("./").to_owned(),
    }
}

#[cfg(test)]
#[path = "requirements_tests.rs"]
mod tests;
