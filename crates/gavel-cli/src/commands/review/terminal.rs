//! A document on a terminal: wrapped, aligned, coloured.

use gavel_report::{Bar, Block, Document, Line, WayRow};
use gavel_report::{run_document, run_summary};
use gavel_rules::{sanitize_for_display, sanitize_line};
use gavel_view::Report;
use gavel_view::span_words;

use super::look;
use crate::ui::{Cell, Look, Ui};

/// Wider lines are hard to read.
const WIDEST: usize = 92;
/// The longest name beside a bar.
const COLUMN: usize = 36;
const BAR: u64 = 30;

/// A piece of a wrapped line.
type Row = Vec<Cell>;

/// Shows what fits on a screen, or everything.
pub(super) fn show(ui: &Ui, report: &Report, full: bool) {
    let document = if full {
        run_document(report)
    } else {
        run_summary(report)
    };
    show_document(ui, &document);
    let run = report.run.short();
    let hint = if full {
        format!(
            "gavel review {run} --html FILE also holds the contracts; \
             gavel contracts list --run {run}"
        )
    } else {
        format!("gavel review {run} --full tells everything; --html FILE makes a page of it")
    };
    ui.line("");
    ui.line(ui.look(&hint, Look::Faint));
}

/// Shows a whole document.
pub(crate) fn show_document(ui: &Ui, document: &Document) {
    let width = crate::live::terminal_width().clamp(40, WIDEST);
    for row in rows(document, width) {
        let line: String = row
            .iter()
            .map(|(text, look)| ui.look(text, *look))
            .collect();
        ui.line(line.trim_end());
    }
}

fn rows(document: &Document, width: usize) -> Vec<Row> {
    let title = (sanitize_for_display(&document.title), Look::Strong);
    let badge = (document.badge.text.clone(), look(document.badge.tone));
    let mut rows = vec![vec![title, plain("  "), badge]];
    for line in &document.lead {
        rows.extend(wrapped(line, width));
    }
    if !matches!(document.blocks.first(), Some(Block::Heading(..))) {
        rows.push(Vec::new());
    }
    for block in &document.blocks {
        render(block, width, &mut rows);
    }
    rows
}

fn render(block: &Block, width: usize, rows: &mut Vec<Row>) {
    match block {
        Block::Heading(2, line) => {
            rows.push(Vec::new());
            let text = one_line(line);
            let rule = "─".repeat(width.saturating_sub(text.chars().count() + 1));
            rows.push(vec![(text, Look::Strong), plain(" "), (rule, Look::Faint)]);
        }
        Block::Heading(_, line) => {
            rows.push(Vec::new());
            rows.push(vec![(one_line(line), Look::Strong)]);
        }
        Block::Paragraph(line) => rows.extend(wrapped(line, width)),
        Block::Quote(text) => {
            for line in sanitize_for_display(text).trim().lines() {
                for row in wrapped(&Line::plain(line), width.saturating_sub(2)) {
                    rows.push(indented(("│ ", Look::Faint), row));
                }
            }
        }
        Block::List(lines) => {
            for line in lines {
                let mut mark = "• ";
                for row in wrapped(line, width.saturating_sub(2)) {
                    rows.push(indented((mark, Look::Faint), row));
                    mark = "  ";
                }
            }
        }
        Block::Table {
            titles,
            rows: cells,
        } => table(titles, cells, width, rows),
        Block::Way(visits) => way(visits, rows),
        Block::Map(map) => table(&["module", "imports"], &map.rows(), width, rows),
        Block::Bars { bars, .. } => {
            let most = bars.iter().map(|bar| bar.amount).max().unwrap_or(0);
            let names = bars.iter().map(|bar| bar.label.chars().count()).max();
            for bar in bars {
                let name = padded(
                    &sanitize_for_display(&bar.label),
                    names.unwrap_or(0).min(COLUMN),
                );
                rows.push(vec![
                    plain(&name),
                    plain("  "),
                    plain(&bar_of(bar.amount, most)),
                    plain("  "),
                    (bar.shown.clone(), Look::Faint),
                ]);
            }
        }
        Block::Scores { bars, enough } => scores(bars, *enough, rows),
        Block::Folded {
            title,
            text,
            language: "text",
        } => {
            rows.push(Vec::new());
            rows.extend(wrapped(title, width));
            for line in sanitize_for_display(text).trim().lines() {
                for row in wrapped(&Line::plain(line), width.saturating_sub(2)) {
                    rows.push(indented(("  ", Look::Plain), row));
                }
            }
        }
        // A contract has a command of its own.
        Block::Folded { .. } => {}
    }
}

/// The stages: a bar for the work, a lighter one for waiting.
pub(crate) fn way(visits: &[WayRow], rows: &mut Vec<Row>) {
    let whole = |visit: &WayRow| visit.worked_ms + visit.waited_ms;
    let most = visits.iter().map(whole).max().unwrap_or(0);
    for visit in visits {
        let worked = bar_of(visit.worked_ms, most);
        let waited = bar_of(visit.waited_ms, most).replace(['█', '▏'], "░");
        let mut row = vec![
            plain(&padded(&visit.stage, 10)),
            plain(&format!(" {:>12}  ", span_words(visit.worked_ms))),
            (worked, Look::Good),
            (waited, Look::Faint),
        ];
        if visit.waited_ms > 0 {
            let told = format!("  waited {}", span_words(visit.waited_ms));
            row.push((told, Look::Faint));
        }
        rows.push(row);
    }
}

/// How far each time came, of a whole; green where it was enough.
fn scores(bars: &[Bar], enough: u64, rows: &mut Vec<Row>) {
    let names = bars.iter().map(|bar| bar.label.chars().count()).max();
    for bar in bars {
        let look = if bar.amount >= enough {
            Look::Good
        } else {
            Look::Warn
        };
        let length = usize::try_from(BAR).unwrap_or(0);
        rows.push(vec![
            plain(&padded(
                &sanitize_for_display(&bar.label),
                names.unwrap_or(0).min(COLUMN),
            )),
            plain("  "),
            (padded(&bar_of(bar.amount, 1_000), length), look),
            plain("  "),
            (bar.shown.clone(), Look::Faint),
        ]);
    }
}

fn bar_of(amount: u64, most: u64) -> String {
    let length = amount.saturating_mul(BAR).checked_div(most).unwrap_or(0);
    if length == 0 && amount > 0 {
        return "▏".to_owned();
    }
    "█".repeat(usize::try_from(length).unwrap_or(0))
}

fn table(titles: &[&str], cells: &[Vec<Line>], width: usize, rows: &mut Vec<Row>) {
    let columns = cells.iter().map(Vec::len).max().unwrap_or(0);
    let longest = |column: usize| {
        let cells = cells.iter().filter_map(|row| row.get(column));
        let widest = cells.map(|cell| one_line(cell).chars().count()).max();
        let title = titles.get(column).map_or(0, |title| title.chars().count());
        widest.unwrap_or(0).max(title)
    };
    let widths = fitted((0..columns).map(longest).collect(), width);
    if titles.iter().any(|title| !title.is_empty()) {
        let mut row = Row::new();
        for (title, width) in titles.iter().zip(&widths) {
            row.push((padded(title, *width), Look::Faint));
            row.push(plain("  "));
        }
        rows.push(row);
    }
    for line in cells {
        rows.extend(table_row(line, &widths));
    }
}

/// The widths of columns that fit beside each other: the widest gives way first.
fn fitted(mut widths: Vec<usize>, width: usize) -> Vec<usize> {
    const LEAST: usize = 12;
    let between = 2 * widths.len().saturating_sub(1);
    while widths.iter().sum::<usize>() + between > width {
        match widths.iter_mut().max() {
            Some(widest) if *widest > LEAST => *widest -= 1,
            Some(_) | None => break,
        }
    }
    widths
}

/// One row of a table, as many lines as its longest cell needs.
fn table_row(cells: &[Line], widths: &[usize]) -> Vec<Row> {
    let wrapped: Vec<Vec<Row>> = cells
        .iter()
        .zip(widths)
        .map(|(cell, width)| wrapped(cell, *width))
        .collect();
    let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
    let line = |number: usize| {
        let mut row = Row::new();
        for (cell, width) in wrapped.iter().zip(widths) {
            let pieces = cell.get(number).cloned().unwrap_or_default();
            let used: usize = pieces.iter().map(|(text, _)| text.chars().count()).sum();
            row.extend(pieces);
            // A space at the end of a wrapped line may stand over.
            row.push(plain(&" ".repeat((width + 2).saturating_sub(used))));
        }
        row
    };
    (0..height).map(line).collect()
}

/// Breaks a line at spaces; a word that is too long is cut.
fn wrapped(line: &Line, width: usize) -> Vec<Row> {
    let width = width.max(8);
    let mut rows = vec![Row::new()];
    let mut used = 0;
    for span in &line.0 {
        let look = look(span.tone);
        for word in sanitize_line(&span.text).split_inclusive(' ') {
            let letters: Vec<char> = word.chars().collect();
            for part in letters.chunks(width) {
                let text: String = part.iter().collect();
                let long = text.trim_end().chars().count();
                if used > 0 && used + long > width {
                    if let Some((before, _)) = rows.last_mut().and_then(|row| row.last_mut()) {
                        before.truncate(before.trim_end().len());
                    }
                    rows.push(Row::new());
                    used = 0;
                }
                used += part.len();
                if let Some(row) = rows.last_mut() {
                    row.push((text, look));
                }
            }
        }
    }
    rows
}

fn indented((mark, look): (&str, Look), row: Row) -> Row {
    let mut all = vec![(mark.to_owned(), look)];
    all.extend(row);
    all
}

fn one_line(line: &Line) -> String {
    sanitize_line(&line.text())
}

fn plain(text: &str) -> Cell {
    (text.to_owned(), Look::Plain)
}

fn padded(text: &str, width: usize) -> String {
    let used = text.chars().count();
    let cut: String = text.chars().take(width).collect();
    cut + &" ".repeat(width.saturating_sub(used))
}
