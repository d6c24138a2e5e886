//! The brief of a loop's turn, read: what it is about, what memory says, what was said before.
//!
//! An entry is a label line with an id in square brackets, and below it a text between tags, each of
//! its lines behind a bar. Words inside the tags are never taken for a label.

use super::conversation::Halt;

const FIRST: &str = "# Your turn: ";
const BAR: &str = "|";
/// What a revision says about critiques stands below this line.
const ANSWERED: &str = "What is answered:";

/// A brief.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Brief {
    pub(super) title: String,
    pub(super) goal: String,
    /// Counted from one; nothing outside of the cycle.
    pub(super) round: Option<u32>,
    /// What the loop is about now.
    pub(super) about: Option<Entry>,
    pub(super) memory: Vec<Entry>,
    pub(super) earlier: Vec<Entry>,
}

/// A memory item, or something that was handed in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) text: String,
    /// What it rests on.
    pub(super) cites: Vec<String>,
    /// The files and folders that it is about.
    pub(super) paths: Vec<String>,
    pub(super) round: Option<u32>,
    /// True for a memory item that nobody has accepted yet.
    pub(super) proposed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Goal,
    About,
    Memory,
    Earlier,
    Other,
}

impl Brief {
    /// Reads the task of a turn.
    pub(super) fn read(task: &str) -> Result<Self, Halt> {
        let mut lines = task.lines();
        if !lines.next().is_some_and(|line| line.starts_with(FIRST)) {
            return Err(Halt::cannot("the task is no brief of a loop's turn"));
        }
        let mut brief = Self::default();
        let (mut section, mut label) = (Section::Other, "");
        while let Some(line) = lines.next() {
            if let Some(heading) = line.strip_prefix("## ") {
                section = section_of(heading);
            } else if let Some(title) = line.strip_prefix("- Title: ") {
                title.clone_into(&mut brief.title);
            } else if let Some(phase) = line.strip_prefix("- Phase: ") {
                brief.round = number_after(phase, ", iteration ");
            } else if let Some(close) = closing(line) {
                let inside = lines.by_ref().take_while(|line| *line != close);
                let text: Vec<&str> = inside.map(without_bar).collect();
                brief.take(section, label, text.join("\n"));
                label = "";
            } else if !line.trim().is_empty() {
                label = line;
            }
        }
        Ok(brief)
    }

    fn take(&mut self, section: Section, label: &str, text: String) {
        if section == Section::Goal {
            self.goal = text;
            return;
        }
        let Some(entry) = Entry::labelled(label, text) else {
            return;
        };
        match section {
            Section::About => self.about = Some(entry),
            Section::Memory => self.memory.push(entry),
            Section::Earlier => self.earlier.push(entry),
            Section::Goal | Section::Other => {}
        }
    }

    /// Everything of a kind that was handed in before, oldest first.
    pub(super) fn earlier<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Entry> {
        self.earlier.iter().filter(move |entry| entry.kind == kind)
    }

    /// The proposal as it was put forward first, without what critiques made of it.
    pub(super) fn first_proposal(&self) -> Option<&Entry> {
        let about = self.about.iter();
        let mut all = self.earlier.iter().chain(about);
        all.find(|entry| entry.kind == "proposal")
            .or(self.about.as_ref())
    }

    /// A memory item by its id.
    pub(super) fn item(&self, id: &str) -> Option<&Entry> {
        self.memory.iter().find(|item| item.id == id)
    }
}

impl Entry {
    /// Reads a label: `[id] kind, …, iteration 2, …, rests on a, b` or `…, about src/a.rs`.
    fn labelled(label: &str, text: String) -> Option<Self> {
        let (id, rest) = label.strip_prefix('[')?.split_once("] ")?;
        let kind = rest.split(',').next().unwrap_or_default();
        Some(Self {
            id: id.to_owned(),
            kind: kind.trim().to_owned(),
            text,
            cites: listed_after(rest, ", rests on "),
            paths: listed_after(rest, ", about "),
            round: number_after(rest, ", iteration "),
            proposed: rest.contains(", PROPOSED: "),
        })
    }

    /// The text without what it says about critiques.
    pub(super) fn matter(&self) -> &str {
        let matter = self.text.split(ANSWERED).next();
        matter.unwrap_or(&self.text).trim()
    }
}

fn section_of(heading: &str) -> Section {
    if heading.starts_with("What it is to achieve") {
        Section::Goal
    } else if heading.starts_with("What it is about now") {
        Section::About
    } else if heading.starts_with("Memory: ") {
        Section::Memory
    } else if heading.starts_with("Earlier in this loop: ") {
        Section::Earlier
    } else {
        Section::Other
    }
}

/// The line that ends what this line begins, if it begins a fenced text.
fn closing(line: &str) -> Option<String> {
    let tag = line.strip_prefix('<')?.strip_suffix('>')?;
    tag.starts_with("data-").then(|| format!("</{tag}>"))
}

fn without_bar(line: &str) -> &str {
    let line = line.strip_prefix(BAR).unwrap_or(line);
    line.strip_prefix(' ').unwrap_or(line)
}

fn number_after(text: &str, mark: &str) -> Option<u32> {
    let (_, rest) = text.split_once(mark)?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// The names behind a mark: as far as they have no blank in them.
fn listed_after(text: &str, mark: &str) -> Vec<String> {
    let Some((_, rest)) = text.split_once(mark) else {
        return Vec::new();
    };
    let names = rest.split(", ").take_while(|name| !name.contains(' '));
    names.map(str::to_owned).collect()
}

#[cfg(test)]
#[path = "loop_brief_tests.rs"]
mod tests;
