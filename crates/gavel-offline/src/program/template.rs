//! Templates: `@name@` is replaced; `//: if flag` … `//: end` is kept if the flag is set.

use std::collections::BTreeSet;

/// What is filled in.
#[derive(Debug, Default)]
pub(super) struct Filling {
    flags: BTreeSet<&'static str>,
    texts: Vec<(&'static str, String)>,
}

impl Filling {
    pub(super) fn flag(mut self, name: &'static str, set: bool) -> Self {
        if set {
            self.flags.insert(name);
        }
        self
    }

    /// A text; several lines take the place of a line that holds nothing else.
    pub(super) fn text(mut self, name: &'static str, text: impl Into<String>) -> Self {
        self.texts.push((name, text.into()));
        self
    }

    pub(super) fn render(&self, template: &str) -> String {
        let mut out = String::new();
        let mut kept = true;
        for line in template.lines() {
            match line.trim_start().strip_prefix("//: ") {
                Some("end") => kept = true,
                Some(condition) => {
                    let flag = condition.trim_start_matches("if ");
                    kept = self.flags.contains(flag);
                }
                None if kept => self.line(line, &mut out),
                None => {}
            }
        }
        out
    }

    fn line(&self, line: &str, out: &mut String) {
        let whole = self
            .texts
            .iter()
            .find(|(name, _)| line.trim() == format!("@{name}@"));
        if let Some((_, text)) = whole {
            if !text.is_empty() {
                out.push_str(text.trim_end_matches('\n'));
                out.push('\n');
            }
            return;
        }
        let mut line = line.to_owned();
        for (name, text) in &self.texts {
            if line.contains('@') {
                line = line.replace(&format!("@{name}@"), text);
            }
        }
        out.push_str(&line);
        out.push('\n');
    }
}

/// A list between brackets, laid out as rustfmt lays out arrays of longer items.
pub(super) fn array(indent: usize, start: &str, items: &[String], end: &str) -> String {
    const ARRAY_WIDTH: usize = 60;
    const SHORT_ITEM: usize = 10;
    const LINE: usize = 100;
    let pad = " ".repeat(indent);
    let inner = " ".repeat(indent + 4);
    let one_line = items.join(", ");
    if one_line.len() <= ARRAY_WIDTH && indent + start.len() + one_line.len() + end.len() <= LINE {
        return format!("{pad}{start}{one_line}{end}\n");
    }
    let mut lines = String::new();
    let mut line = inner.clone();
    let short = items.iter().all(|item| item.len() <= SHORT_ITEM);
    for item in items {
        let fresh = line.len() == inner.len();
        if !fresh && (!short || line.len() + item.len() + 2 > LINE) {
            lines.push_str(line.trim_end());
            lines.push('\n');
            line.clone_from(&inner);
        }
        line.push_str(item);
        line.push_str(", ");
    }
    lines.push_str(line.trim_end());
    format!("{pad}{start}\n{lines}\n{pad}{end}\n")
}
