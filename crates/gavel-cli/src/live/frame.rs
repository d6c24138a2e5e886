//! The two lines at the foot of the terminal, and the lines that stay, cut to its width.

use gavel_domain::Stage;

use super::progress::{Left, Progress};
use super::words::{came_of, doing, part_doing, role, span};
use crate::ui::{Look, Ui, columns, sign_columns};

const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/// Below this width only the first line is drawn.
const NARROW: usize = 40;
/// The longest name of a stage.
const STAGE_WIDTH: usize = 9;
/// What most stages come to has room here, so that their times stand in one column.
const CAME_WIDTH: usize = 38;

/// A text in pieces, each with its look.
pub(crate) type Pieces = Vec<(String, Look)>;

/// The lines at the foot, at that tick and so many milliseconds after the beginning; `keys` says
/// what a person may press.
pub(crate) fn foot(
    progress: &Progress,
    (tick, elapsed_millis): (usize, i64),
    keys: &str,
) -> Vec<Pieces> {
    let sign = SPINNER.get(tick % SPINNER.len()).copied().unwrap_or("·");
    let phase = progress.deliberation.phase().unwrap_or_default();
    let stage = progress.stage().map(Stage::word);
    let stage = stage.unwrap_or(phase);
    let mut first = vec![
        (format!("{sign} "), Look::Good),
        (format!("{stage:STAGE_WIDTH$}  "), Look::Strong),
        (doing(progress), Look::Plain),
    ];
    if let Some(tool) = progress.tool() {
        first.push((format!(" · {tool}"), Look::Plain));
    }
    let mut facts = Vec::new();
    let mut working = progress.at_work();
    if let Some((who, model)) = working.next() {
        let more = match working.count() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        facts.push(format!("{} {model}{more}", role(who)));
    }
    match progress.characters() {
        0 => {}
        some => facts.push(format!("{some} characters")),
    }
    let head = &progress.head;
    facts.push(match head.cap_usd {
        Some(cap) => format!("{} of {cap}", head.spent_text()),
        None => format!("{} spent", head.spent_text()),
    });
    facts.push(span(elapsed_millis));
    facts.push(keys.to_owned());
    let second = vec![(format!("  {}", facts.join(" · ")), Look::Faint)];
    vec![first, second]
}

/// A line that stays.
pub(crate) fn stays(left: &Left, progress: &Progress) -> Pieces {
    match left {
        Left::Stage {
            stage,
            well,
            millis,
        } => {
            let (sign, look) = if *well {
                ("✓", Look::Good)
            } else {
                ("✗", Look::Bad)
            };
            let mut what = came_of(*stage, &progress.came);
            if let (false, Some(reason)) = (well, &progress.came.halted) {
                what = format!("stopped: {}", reason.replace('_', " "));
            }
            vec![
                (format!("{sign} "), look),
                (format!("{:STAGE_WIDTH$}", stage.word()), Look::Strong),
                (format!("  {what:CAME_WIDTH$}  "), Look::Plain),
                (span(*millis), Look::Faint),
            ]
        }
        Left::Part(part) => vec![(format!("  {}", part_doing(part)), Look::Plain)],
        Left::Told(text, warns) => {
            let look = if *warns { Look::Warn } else { Look::Plain };
            let sign = if *warns { "! " } else { "· " };
            vec![(sign.to_owned(), look), (text.clone(), look)]
        }
    }
}

/// The lines that fit into a terminal, dressed.
pub(crate) fn fit(ui: &Ui, lines: &[Pieces], width: usize) -> Vec<String> {
    let shown = if width < NARROW { 1 } else { lines.len() };
    // The last column stays free: some terminals wrap as soon as it is filled.
    let room = width.saturating_sub(1);
    let line = |pieces: &Pieces| dress(ui, &cut(pieces, room));
    lines.iter().take(shown).map(line).collect()
}

/// A line that stays, in a terminal of that width: where a column of times has no room, the time
/// follows at once.
pub(crate) fn fit_stays(ui: &Ui, mut pieces: Pieces, width: usize) -> String {
    let whole: usize = pieces.iter().map(|(text, _)| columns(text)).sum();
    if whole < width {
        return dress(ui, &pieces);
    }
    if let Some((came, _)) = pieces.get_mut(2) {
        *came = format!("  {}  ", came.trim());
    }
    dress(ui, &cut(&pieces, width.saturating_sub(1)))
}

/// One dressed line.
pub(crate) fn dress(ui: &Ui, pieces: &Pieces) -> String {
    let dressed = pieces
        .iter()
        .map(|(text, look)| ui.look_beside(text, *look));
    dressed.collect::<String>().trim_end().to_owned()
}

/// Cuts pieces to a width; what is cut ends in `…`.
fn cut(pieces: &Pieces, width: usize) -> Pieces {
    let whole: usize = pieces.iter().map(|(text, _)| columns(text)).sum();
    if whole <= width {
        return pieces.clone();
    }
    let mut left = width.saturating_sub(1);
    let mut kept = Pieces::new();
    for (text, look) in pieces {
        let mut part = String::new();
        for sign in text.chars() {
            let wide = sign_columns(sign);
            if wide > left {
                part.push('…');
                kept.push((part, *look));
                return kept;
            }
            left -= wide;
            part.push(sign);
        }
        kept.push((part, *look));
    }
    kept
}

#[cfg(test)]
#[path = "frame_tests.rs"]
mod tests;
