//! The texts of a delivery, from the spec alone.

use gavel_domain::{RunId, Spec};
use gavel_rules::assumption_id;

use super::Delivered;

/// The longest title of a document.
const TITLE: usize = 80;

/// How a person runs the tests of a project with such files in its root.
pub(super) fn test_command(names: &[String]) -> Option<&'static str> {
    let commands = [
        ("Cargo.toml", "cargo test"),
        ("package.json", "npm test"),
        ("pyproject.toml", "python3 -m pytest"),
        ("requirements.txt", "python3 -m pytest"),
        ("go.mod", "go test ./..."),
    ];
    let is_there = |file: &str| names.iter().any(|name| name == file);
    let found = commands.into_iter().find(|(file, _)| is_there(file));
    found.map(|(_, command)| command)
}

/// A README: what it is, what it does, how to see that it works.
pub(super) fn readme(spec: &Spec, tests: Option<&str>) -> String {
    let mut page = Page::titled(&clipped(&spec.title, TITLE));
    page.text(&spec.purpose);
    page.list("For", &spec.users);
    page.list("What it does", &spec.in_scope);
    page.section("How to use it", &spec.interface);
    page.section("How it is made", &spec.architecture);
    page.list("What it does not do", &spec.out_of_scope);
    page.list("Later", &spec.later);
    page.tests(tests);
    page.finish()
}

/// The notes of one delivery: what was agreed, and how one sees that it is done.
pub(super) fn notes(
    Delivered { spec, refuted }: Delivered<'_>,
    tests: Option<&str>,
    run: RunId,
) -> String {
    let mut page = Page::titled(&format!("Delivery: {}", clipped(&spec.title, TITLE)));
    page.text(&spec.purpose);
    let criteria: Vec<String> = spec
        .criteria
        .iter()
        .map(|criterion| format!("`{}`: {}", criterion.id, criterion.statement))
        .collect();
    page.list("Done when", &criteria);
    page.list("Not part of it", &spec.out_of_scope);
    let stands = |claim: &&String| !refuted.iter().any(|one| is_same_claim(one, claim));
    let granted: Vec<String> = spec.assumptions.iter().filter(stands).cloned().collect();
    page.list("Taken for granted", &granted);
    page.list("Refuted on the way, and not rested on", refuted);
    page.list("Later", &spec.later);
    page.tests(tests);
    page.text(&format!(
        "Built by Gavel in run `{run}`. `gavel seal verify` checks what was proven; the contracts lie \
         in `.gavel/contracts`."
    ));
    page.finish()
}

fn is_same_claim(left: &str, right: &str) -> bool {
    assumption_id(left) == assumption_id(right)
}

struct Page(String);

impl Page {
    fn titled(title: &str) -> Self {
        Self(format!("# {}\n", line(title)))
    }

    fn text(&mut self, text: &str) {
        let text = plain(text);
        if !text.is_empty() {
            self.0.push_str(&format!("\n{text}\n"));
        }
    }

    fn section(&mut self, title: &str, text: &str) {
        if !text.trim().is_empty() {
            self.0.push_str(&format!("\n## {title}\n"));
            self.text(text);
        }
    }

    fn list(&mut self, title: &str, items: &[String]) {
        if items.is_empty() {
            return;
        }
        self.0.push_str(&format!("\n## {title}\n"));
        for item in items {
            self.0.push_str(&format!("- {}\n", line(item)));
        }
    }

    fn tests(&mut self, command: Option<&str>) {
        if let Some(command) = command {
            self.0
                .push_str(&format!("\n## Tests\n\n```\n{command}\n```\n"));
        }
    }

    fn finish(self) -> String {
        self.0
    }
}

/// A text on one line.
pub(super) fn line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace(char::is_control, "")
}

fn plain(text: &str) -> String {
    let odd = |c: char| c.is_control() && c != '\n';
    text.trim().replace(odd, "")
}

pub(super) fn clipped(text: &str, most: usize) -> String {
    let text = line(text);
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default().trim_end()),
        None => text,
    }
}
