//! Pictures inside the page: the way of the run, and amounts beside each other. No script, no
//! font, no colour of their own: the page's style gives them.

use super::html::escaped;
use crate::document::{Bar, WayRow, share_words};
use gavel_view::span_words;

const WIDTH: u64 = 760;
const LEFT: u64 = 96;
const RIGHT: u64 = 92;
const ROW: u64 = 26;
const THICK: u64 = 14;
const TOP: u64 = 8;
const AXIS: u64 = 22;

/// The stages below each other, each where it began and as long as it took.
pub(super) fn way(rows: &[WayRow]) -> String {
    let end = |row: &WayRow| row.from_ms + row.worked_ms + row.waited_ms;
    let all = rows.iter().map(end).max().unwrap_or(0).max(1);
    let place = |millis: u64| LEFT + millis.saturating_mul(WIDTH - LEFT - RIGHT) / all;
    let rows_height = TOP + ROW * count(rows.len());
    let mut svg = open(rows_height + AXIS, "How long each stage took");
    for (tick, words) in ticks(all) {
        let x = place(tick);
        svg.push_str(&format!(
            "<line class=\"grid\" x1=\"{x}\" y1=\"{TOP}\" x2=\"{x}\" y2=\"{rows_height}\"/>\
             <text class=\"axis\" x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{words}</text>",
            rows_height + 16
        ));
    }
    for (number, row) in rows.iter().enumerate() {
        let y = TOP + ROW * count(number);
        let (from, worked) = (place(row.from_ms), place(row.from_ms + row.worked_ms));
        let width = worked.saturating_sub(from).max(3);
        let stage = escaped(&row.stage);
        svg.push_str(&format!(
            "<text class=\"name\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{stage}</text>\
             <rect class=\"stage s-{stage}\" x=\"{from}\" y=\"{}\" width=\"{width}\" \
             height=\"{THICK}\" rx=\"3\"><title>{stage}: {}</title></rect>",
            LEFT - 10,
            y + 17,
            y + 6,
            told(row),
        ));
        let mut until = from + width;
        if row.waited_ms > 0 {
            let waited = place(end(row)).saturating_sub(worked).max(3);
            svg.push_str(&format!(
                "<rect class=\"waited\" x=\"{until}\" y=\"{}\" width=\"{waited}\" \
                 height=\"{THICK}\" rx=\"3\"><title>waited {}</title></rect>",
                y + 6,
                span_words(row.waited_ms),
            ));
            until += waited;
        }
        svg.push_str(&format!(
            "<text class=\"amount\" x=\"{}\" y=\"{}\">{}</text>",
            until + 6,
            y + 17,
            span_words(row.worked_ms),
        ));
    }
    svg.push_str("</svg></figure>\n");
    svg
}

fn told(row: &WayRow) -> String {
    let mut told = format!("worked {}", span_words(row.worked_ms));
    if row.waited_ms > 0 {
        told.push_str(&format!(", waited {}", span_words(row.waited_ms)));
    }
    if row.rested_ms > 0 {
        told.push_str(&format!(", nobody drove for {}", span_words(row.rested_ms)));
    }
    told
}

/// Amounts below each other.
pub(super) fn bars(title: &str, bars: &[Bar]) -> String {
    const NAMES: u64 = 200;
    let most = bars.iter().map(|bar| bar.amount).max().unwrap_or(0).max(1);
    let mut svg = open(TOP + ROW * count(bars.len()), title);
    for (number, bar) in bars.iter().enumerate() {
        let y = TOP + ROW * count(number);
        let room = WIDTH - NAMES - 190;
        let width = (bar.amount.saturating_mul(room) / most).max(u64::from(bar.amount > 0) * 2);
        svg.push_str(&format!(
            "<text class=\"name\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\
             <rect class=\"spent\" x=\"{NAMES}\" y=\"{}\" width=\"{width}\" height=\"{THICK}\" rx=\"3\"/>\
             <text class=\"amount\" x=\"{}\" y=\"{}\">{}</text>",
            NAMES - 10,
            y + 17,
            escaped(&clipped(&bar.label)),
            y + 6,
            NAMES + width + 8,
            y + 17,
            escaped(&bar.shown),
        ));
    }
    svg.push_str("</svg></figure>\n");
    svg
}

/// Shares one after the other, against the one that is enough.
pub(super) fn scores(bars: &[Bar], enough: u64) -> String {
    const HEIGHT: u64 = 120;
    const FOOT: u64 = 40;
    const NAMES: u64 = 60;
    let step = ((WIDTH - NAMES - 20) / count(bars.len()).max(1)).clamp(24, 120);
    let wide = step * 3 / 5;
    let level = |share: u64| TOP + HEIGHT - share.min(1_000) * HEIGHT / 1_000;
    let mut svg = open(TOP + HEIGHT + FOOT, "How far each sprint came");
    for (share, class) in [
        (0, "grid"),
        (500, "grid"),
        (1_000, "grid"),
        (enough, "enough"),
    ] {
        let y = level(share);
        svg.push_str(&format!(
            "<line class=\"{class}\" x1=\"{NAMES}\" y1=\"{y}\" x2=\"{WIDTH}\" y2=\"{y}\"/>"
        ));
        // The line that is enough may lie close to the topmost one: its words stand at the right.
        let (x, anchor, words) = match class {
            "enough" => (WIDTH, "end", format!("done at {}", share_words(share))),
            _ => (NAMES - 10, "end", share_words(share)),
        };
        let y = if class == "enough" { y + 14 } else { y + 4 };
        svg.push_str(&format!(
            "<text class=\"axis\" x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{words}</text>"
        ));
    }
    for (number, bar) in bars.iter().enumerate() {
        let x = NAMES + 12 + step * count(number);
        let y = level(bar.amount);
        let (height, middle) = ((TOP + HEIGHT - y).max(2), x + wide / 2);
        let class = if bar.amount >= enough {
            "reached"
        } else {
            "short"
        };
        let label = escaped(&bar.label);
        svg.push_str(&format!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{}\" width=\"{wide}\" height=\"{height}\" rx=\"3\">\
             <title>{label}: {}</title></rect>\
             <text class=\"name\" x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{label}</text>\
             <text class=\"amount\" x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            TOP + HEIGHT - height,
            escaped(&bar.shown),
            TOP + HEIGHT + 16,
            TOP + HEIGHT + 32,
            share_words(bar.amount),
        ));
    }
    svg.push_str("</svg></figure>\n");
    svg
}

/// A name that fits beside its bar.
fn clipped(label: &str) -> String {
    const MOST: usize = 28;
    if label.chars().count() <= MOST {
        return label.to_owned();
    }
    let cut: String = label.chars().take(MOST - 1).collect();
    format!("{cut}…")
}

fn open(height: u64, title: &str) -> String {
    format!(
        "<figure><svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         aria-label=\"{title}\"><title>{title}</title>"
    )
}

/// Round moments on the axis, about five of them.
fn ticks(all: u64) -> Vec<(u64, String)> {
    const STEPS: [u64; 16] = [
        100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000,
        600_000, 1_800_000, 3_600_000, 7_200_000,
    ];
    let wide = STEPS.into_iter().find(|step| all / step <= 6);
    let step = wide.unwrap_or_else(|| all.div_ceil(6).next_multiple_of(3_600_000));
    let places = (0..=all / step).map(|number| number * step);
    places.map(|at| (at, axis_words(at))).collect()
}

fn axis_words(millis: u64) -> String {
    match millis {
        0 => "0".to_owned(),
        1..1_000 => format!("{millis} ms"),
        1_000..60_000 => format!("{} s", millis / 1_000),
        60_000..3_600_000 if millis.is_multiple_of(60_000) => format!("{} min", millis / 60_000),
        60_000..3_600_000 => format!("{}:{:02}", millis / 60_000, millis % 60_000 / 1_000),
        _ if millis.is_multiple_of(3_600_000) => format!("{} h", millis / 3_600_000),
        _ => format!("{}.{} h", millis / 3_600_000, millis % 3_600_000 / 360_000),
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
