//! A document as one page of HTML: no script, nothing loaded from anywhere, everything escaped.

use super::{map, picture};
use crate::document::{Block, Document, Line, Span, Tone, address};
use gavel_rules::sanitize_for_display;

const STYLE: &str = include_str!("page.css");

impl Document {
    /// The document as a page that stands alone.
    pub fn page(&self) -> String {
        let title = escaped(&self.title);
        let mut out = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" \
             content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
             <header>\n<h1>{title}</h1>\n<p class=\"badge {}\">{}</p>\n",
            class(self.badge.tone),
            escaped(&self.badge.text),
        );
        for line in &self.lead {
            out.push_str(&format!("<p class=\"lead\">{}</p>\n", spans(line)));
        }
        out.push_str("</header>\n");
        self.contents(&mut out);
        let mut number = 0;
        for block in &self.blocks {
            render(block, &mut number, &mut out);
        }
        out.push_str("</main>\n</body>\n</html>\n");
        out
    }

    /// Links to the sections.
    fn contents(&self, out: &mut String) {
        let headings = self.blocks.iter().filter_map(|block| match block {
            Block::Heading(2, line) => Some(line),
            Block::Heading(..)
            | Block::Paragraph(_)
            | Block::Quote(_)
            | Block::List(_)
            | Block::Table { .. }
            | Block::Way(_)
            | Block::Bars { .. }
            | Block::Map(_)
            | Block::Scores { .. }
            | Block::Folded { .. } => None,
        });
        out.push_str("<nav>");
        for (number, line) in headings.enumerate() {
            let text = escaped(&line.text());
            out.push_str(&format!("<a href=\"#s{}\">{text}</a> ", number + 1));
        }
        out.push_str("</nav>\n");
    }
}

fn render(block: &Block, number: &mut u32, out: &mut String) {
    match block {
        Block::Heading(2, line) => {
            *number += 1;
            out.push_str(&format!("<h2 id=\"s{number}\">{}</h2>\n", spans(line)));
        }
        Block::Heading(level, line) => {
            let level = (*level).clamp(3, 6);
            out.push_str(&format!("<h{level}>{}</h{level}>\n", spans(line)));
        }
        Block::Paragraph(line) => out.push_str(&format!("<p>{}</p>\n", spans(line))),
        Block::Quote(text) => {
            let text = escaped(text.trim());
            out.push_str(&format!("<blockquote>{text}</blockquote>\n"));
        }
        Block::List(lines) => {
            out.push_str("<ul>\n");
            for line in lines {
                out.push_str(&format!("<li>{}</li>\n", spans(line)));
            }
            out.push_str("</ul>\n");
        }
        Block::Table { titles, rows } => table(titles, rows, out),
        Block::Way(rows) => out.push_str(&picture::way(rows)),
        Block::Bars { title, bars } => out.push_str(&picture::bars(title, bars)),
        Block::Map(map) => out.push_str(&map::map(map)),
        Block::Scores { bars, enough } => out.push_str(&picture::scores(bars, *enough)),
        Block::Folded { title, text, .. } => out.push_str(&format!(
            "<details><summary>{}</summary><pre>{}</pre></details>\n",
            spans(title),
            escaped(text.trim_end()),
        )),
    }
}

fn table(titles: &[&str], rows: &[Vec<Line>], out: &mut String) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    // On a narrow screen the cells of a row of many stand below each other.
    let kind = match (titles.is_empty(), columns) {
        (true, 2) => " class=\"names\"",
        (_, 4..) => " class=\"many\"",
        (_, _) => "",
    };
    out.push_str(&format!("<div class=\"wide\"><table{kind}>\n"));
    if !titles.is_empty() {
        out.push_str("<thead><tr>");
        for title in titles {
            out.push_str(&format!("<th>{}</th>", escaped(title)));
        }
        out.push_str("</tr></thead>\n");
    }
    out.push_str("<tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        for (place, cell) in row.iter().enumerate() {
            let title = titles.get(place).filter(|title| !title.is_empty());
            let title = title.map(|title| format!(" data-title=\"{}\"", escaped(title)));
            let mark = matches!(cell.text().as_str(), "✓" | "✗" | "–");
            let class = if mark { " class=\"mark\"" } else { "" };
            let title = title.unwrap_or_default();
            out.push_str(&format!("<td{class}{title}>{}</td>", spans(cell)));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
}

fn spans(line: &Line) -> String {
    line.0.iter().map(span).collect()
}

fn span(span: &Span) -> String {
    let text = escaped(&span.text);
    match span.tone {
        Tone::Plain => text,
        Tone::Strong => format!("<strong>{text}</strong>"),
        Tone::Code => format!("<code>{text}</code>"),
        Tone::File => {
            let address = escaped(&address(&span.text));
            format!("<a href=\"{address}\"><code>{text}</code></a>")
        }
        Tone::Faint | Tone::Good | Tone::Warn | Tone::Bad => {
            format!("<span class=\"{}\">{text}</span>", class(span.tone))
        }
    }
}

const fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain | Tone::Strong | Tone::Code | Tone::File => "plain",
        Tone::Faint => "faint",
        Tone::Good => "good",
        Tone::Warn => "warn",
        Tone::Bad => "bad",
    }
}

/// Text as text, in content and in attributes.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in sanitize_for_display(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}
