//! A document as Markdown, for pipes and for files beside the code.

use crate::document::{Block, Document, Line, Span, Tone, address, map_rows, share_words};
use gavel_rules::sanitize_for_display;
use gavel_view::span_words;

/// How long the longest bar is.
const BAR: u64 = 24;

impl Document {
    /// The document as Markdown.
    pub fn markdown(&self) -> String {
        let mut out = format!("# {}\n\n", inline(&self.title));
        out.push_str(&format!("**{}**\n\n", inline(&self.badge.text)));
        for line in &self.lead {
            out.push_str(&format!("{}\n\n", spans(line)));
        }
        for block in &self.blocks {
            render(block, &mut out);
        }
        let mut out = out.trim_end().to_owned();
        out.push('\n');
        out
    }
}

fn render(block: &Block, out: &mut String) {
    match block {
        Block::Heading(level, line) => {
            let marks = "#".repeat(usize::from(*level));
            out.push_str(&format!("{marks} {}\n\n", spans(line)));
        }
        Block::Paragraph(line) => out.push_str(&format!("{}\n\n", spans(line))),
        Block::Quote(text) => {
            for line in sanitize_for_display(text).trim().lines() {
                out.push_str(format!("> {}", inline(line)).trim_end());
                out.push('\n');
            }
            out.push('\n');
        }
        Block::List(lines) => {
            for line in lines {
                out.push_str(&format!("- {}\n", spans(line)));
            }
            out.push('\n');
        }
        Block::Table { titles, rows } => table(titles, rows, out),
        Block::Way(rows) => {
            let titles = ["stage", "worked", "waited", ""];
            let most = rows.iter().map(|row| row.worked_ms).max().unwrap_or(0);
            let rows: Vec<Vec<Line>> = rows
                .iter()
                .map(|row| {
                    vec![
                        Line::plain(row.stage.as_str()),
                        Line::plain(span_words(row.worked_ms)),
                        Line::plain(waited(row.waited_ms)),
                        Line::plain(bar(row.worked_ms, most)),
                    ]
                })
                .collect();
            table(&titles, &rows, out);
        }
        Block::Map(map) => table(&["module", "imports"], &map_rows(map), out),
        Block::Bars { bars, .. } => {
            let most = bars.iter().map(|bar| bar.amount).max().unwrap_or(0);
            let rows: Vec<Vec<Line>> = bars
                .iter()
                .map(|part| {
                    vec![
                        Line::plain(part.label.as_str()),
                        Line::plain(part.shown.as_str()),
                        Line::plain(bar(part.amount, most)),
                    ]
                })
                .collect();
            table(&["", "", ""], &rows, out);
        }
        Block::Scores { bars, enough } => {
            let rows: Vec<Vec<Line>> = bars
                .iter()
                .map(|part| {
                    vec![
                        Line::plain(part.label.as_str()),
                        Line::plain(part.shown.as_str()),
                        Line::plain(bar(part.amount, 1_000)),
                    ]
                })
                .collect();
            let enough = format!("done at {}", share_words(*enough));
            table(&["", "score", &enough], &rows, out);
        }
        Block::Folded {
            title,
            text,
            language,
        } => {
            out.push_str(&format!("#### {}\n\n", spans(title)));
            let text = sanitize_for_display(text);
            let fence = "`".repeat(longest_fence(&text).max(2) + 1);
            out.push_str(&format!(
                "{fence}{language}\n{}\n{fence}\n\n",
                text.trim_end()
            ));
        }
    }
}

fn table(titles: &[&str], rows: &[Vec<Line>], out: &mut String) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let columns = columns.max(titles.len());
    if columns == 0 {
        return;
    }
    let titles: Vec<String> = (0..columns)
        .map(|place| inline(titles.get(place).copied().unwrap_or_default()))
        .collect();
    out.push_str(&format!("| {} |\n", titles.join(" | ")));
    out.push_str(&format!("|{}\n", "---|".repeat(columns)));
    for row in rows {
        let cells: Vec<String> = row.iter().map(spans).collect();
        out.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    out.push('\n');
}

fn waited(millis: u64) -> String {
    if millis == 0 {
        String::new()
    } else {
        span_words(millis)
    }
}

/// A bar of blocks; something is never nothing.
fn bar(amount: u64, most: u64) -> String {
    let length = amount.saturating_mul(BAR).checked_div(most).unwrap_or(0);
    if length == 0 && amount > 0 {
        return "▏".to_owned();
    }
    "█".repeat(usize::try_from(length).unwrap_or(0))
}

fn spans(line: &Line) -> String {
    line.0.iter().map(span).collect()
}

fn span(span: &Span) -> String {
    if span.text.trim().is_empty() {
        return inline(&span.text);
    }
    match span.tone {
        Tone::Plain | Tone::Faint => inline(&span.text),
        Tone::Strong | Tone::Good | Tone::Warn | Tone::Bad => {
            // The first stars must touch a letter: before a comma they would stay stars.
            let loose = |c: char| c.is_whitespace() || ",;:.()".contains(c);
            let inner = span.text.trim_start_matches(loose).trim_end();
            // What closes the bracket that was left outside stays outside, too.
            let opened = span.text.len() > inner.len() && span.text.trim_start().starts_with('(');
            let inner = inner.strip_suffix(')').filter(|_| opened).unwrap_or(inner);
            let Some((before, after)) = span.text.split_once(inner).filter(|_| !inner.is_empty())
            else {
                return inline(&span.text);
            };
            format!("{}**{}**{}", inline(before), inline(inner), inline(after))
        }
        Tone::Code => code(&span.text),
        Tone::File => format!("[{}]({})", inline(&span.text), address(&span.text)),
    }
}

/// A code span, with more backticks around it than inside it.
fn code(text: &str) -> String {
    let text = one_line(text);
    let marks = "`".repeat(longest_fence(&text) + 1);
    let text = text.replace('|', "\\|");
    if text.starts_with('`') || text.ends_with('`') {
        format!("{marks} {text} {marks}")
    } else {
        format!("{marks}{text}{marks}")
    }
}

fn longest_fence(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Text as text: nothing in it is markup. Only what could be taken for markup is escaped, so that
/// names such as `a_b` stay readable.
fn inline(text: &str) -> String {
    let text = one_line(text);
    let mut out = String::with_capacity(text.len());
    let mut before = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let after = rest.peek().copied();
        let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let markup = match c {
            '\\' | '`' | '*' | '[' | ']' | '<' | '|' => true,
            '_' => !(word(before) && word(after)),
            '~' => after == Some('~') || before == Some('~'),
            '&' => word(after) || after == Some('#'),
            '#' | '>' | '+' | '-' | '=' => before.is_none(),
            _ => false,
        };
        if markup {
            out.push('\\');
        }
        out.push(c);
        before = Some(c);
    }
    out
}

fn one_line(text: &str) -> String {
    let text = sanitize_for_display(text);
    if text.contains('\n') {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    } else {
        text
    }
}
