//! Templates: `@name@` is replaced; `//: if flag` … `//: end` is kept if the flag is set, `//: each
//! part` … `//: end` is repeated for each part. What an inner scope does not know, an outer one does.

use std::collections::{BTreeMap, BTreeSet};

/// What is filled in.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    flags: BTreeSet<&'static str>,
    texts: BTreeMap<&'static str, String>,
    parts: BTreeMap<&'static str, Vec<Self>>,
}

impl Scope {
    pub(crate) fn flag(mut self, name: &'static str, set: bool) -> Self {
        if set {
            self.flags.insert(name);
        }
        self
    }

    /// A text; several lines may take the place of a line that holds nothing else.
    pub(crate) fn text(mut self, name: &'static str, text: impl Into<String>) -> Self {
        self.texts.insert(name, text.into());
        self
    }

    pub(crate) fn each(
        mut self,
        name: &'static str,
        parts: impl IntoIterator<Item = Self>,
    ) -> Self {
        self.parts.insert(name, parts.into_iter().collect());
        self
    }

    /// True for a flag that is set, or for parts of which there are some.
    fn has(&self, name: &str) -> bool {
        let parts = self.parts.get(name).is_some_and(|parts| !parts.is_empty());
        parts || self.flags.contains(name)
    }

    pub(crate) fn render(&self, template: &str) -> String {
        let lines: Vec<&str> = template.lines().collect();
        let mut out = String::new();
        render(&lines, &[self], &mut out);
        out
    }
}

fn render(lines: &[&str], scopes: &[&Scope], out: &mut String) {
    let mut rest = lines;
    while let Some((line, after)) = rest.split_first() {
        rest = after;
        let Some(directive) = line.trim_start().strip_prefix("//: ") else {
            out.push_str(&filled(line, scopes));
            continue;
        };
        let (body, after) = after.split_at(block(after));
        rest = after.get(1..).unwrap_or_default();
        if let Some(flag) = directive.strip_prefix("if ") {
            if scopes.iter().any(|scope| scope.has(flag)) {
                render(body, scopes, out);
            }
        } else if let Some(part) = directive.strip_prefix("each ") {
            let parts = scopes.iter().rev().find_map(|scope| scope.parts.get(part));
            for inner in parts.into_iter().flatten() {
                render(body, &[scopes, &[inner]].concat(), out);
            }
        }
    }
}

/// How many lines there are before the `end` of a block.
fn block(lines: &[&str]) -> usize {
    let mut depth = 0_usize;
    let end = lines
        .iter()
        .position(|line| match line.trim_start().strip_prefix("//: ") {
            Some("end") if depth == 0 => true,
            Some("end") => {
                depth -= 1;
                false
            }
            Some(_) => {
                depth += 1;
                false
            }
            None => false,
        });
    end.unwrap_or(lines.len())
}

fn filled(line: &str, scopes: &[&Scope]) -> String {
    let alone = line
        .trim()
        .strip_prefix('@')
        .and_then(|name| name.strip_suffix('@'));
    let find = |name: &str| scopes.iter().rev().find_map(|scope| scope.texts.get(name));
    if let Some(text) = alone.and_then(find) {
        let text = text.trim_end_matches('\n');
        return if text.is_empty() {
            String::new()
        } else {
            format!("{text}\n")
        };
    }
    // Every other piece is a name; a piece that names nothing is an ordinary at sign.
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('@') {
        out.push_str(before);
        match after
            .split_once('@')
            .and_then(|(name, after)| Some((find(name)?, after)))
        {
            Some((text, after)) => {
                out.push_str(text);
                rest = after;
            }
            None => {
                out.push('@');
                rest = after;
            }
        }
    }
    out + rest + "\n"
}

/// A list between brackets, laid out as rustfmt lays out arrays.
pub(crate) fn array(indent: usize, start: &str, items: &[String], end: &str) -> String {
    const ARRAY_WIDTH: usize = 60;
    const SHORT_ITEM: usize = 10;
    const LINE: usize = 100;
    let (pad, inner) = (" ".repeat(indent), " ".repeat(indent + 4));
    let one_line = items.join(", ");
    if one_line.len() <= ARRAY_WIDTH && indent + start.len() + one_line.len() + end.len() <= LINE {
        return format!("{pad}{start}{one_line}{end}\n");
    }
    let short = items.iter().all(|item| item.len() <= SHORT_ITEM);
    let mut lines: Vec<String> = Vec::new();
    for item in items {
        match lines.last_mut() {
            Some(line) if short && line.len() + item.len() + 2 <= LINE => {
                *line += &format!(" {item},");
            }
            Some(_) | None => lines.push(format!("{inner}{item},")),
        }
    }
    format!("{pad}{start}\n{}\n{pad}{end}\n", lines.join("\n"))
}
