//! What a small change changed: its diff at the end of its run, and the command that shows it again.

use gavel_domain::RunState;
use gavel_rules::{Route, sanitize_for_display};
use gavel_view::Report;
use gavel_workspace::Repository;

use crate::context::Context;
use crate::ui::Look;

/// As many lines of a diff are shown.
const LINES: usize = 40;
const MOST_BYTES: usize = 64 * 1024;
/// What Gavel keeps in a project of its own accord.
const OWN: &str = "diff --git a/.gavel/";

/// Shows the diff of a small change that is sealed. What cannot be read is left to the command, which is shown
/// all the same.
pub(crate) async fn show(context: &Context, report: &Report) {
    let is_small = report
        .route
        .as_ref()
        .is_some_and(|route| Route::from_word(&route.route) == Some(Route::HotPath));
    let (Some(place), Some(branch)) = (&report.place, &report.branch) else {
        return;
    };
    if !is_small || report.state != RunState::Sealed {
        return;
    }
    let ui = &context.ui;
    let text = diff(context, report, branch).await;
    let lines = own_lines(text.as_deref().unwrap_or_default());
    ui.line("");
    for line in lines.iter().take(LINES) {
        let look = match line.as_bytes().first() {
            Some(b'+') => Look::Good,
            Some(b'-') => Look::Bad,
            Some(_) | None => Look::Faint,
        };
        ui.line(ui.look(&sanitize_for_display(line), look));
    }
    if lines.len() > LINES {
        ui.line(format!("… and {} lines more", lines.len() - LINES));
    }
    let base: String = place.base.chars().take(12).collect();
    ui.line(format!(
        "git diff {base} {branch} -- . ':!.gavel'   # the diff again"
    ));
}

async fn diff(context: &Context, report: &Report, branch: &str) -> Option<String> {
    let place = report.place.as_ref()?;
    let git = context.git().ok()?;
    let repository = Repository::open(&git, &place.checkout).await.ok()?;
    let branches = repository.branches().await.ok()?;
    let mut tips = branches.into_iter();
    let tip = tips.find(|tip| tip.is_local() && tip.short() == branch)?;
    let base = place.base.parse().ok()?;
    let diff = repository.diff(&base, &tip.commit, MOST_BYTES).await.ok()?;
    Some(diff.text)
}

/// The lines of a diff without the files that are Gavel's own.
fn own_lines(diff: &str) -> Vec<&str> {
    let mut is_own = false;
    diff.lines()
        .filter(|line| {
            if line.starts_with("diff --git ") {
                is_own = line.starts_with(OWN);
            }
            // The names stand in the lines below as well.
            !is_own && !line.starts_with("index ")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_gavels_own_are_left_out() {
        let diff = "diff --git a/.gavel/seal/s.json b/.gavel/seal/s.json\nindex 1..2\n+x\n\
            diff --git a/a.rs b/a.rs\nindex 1..2\n--- a/a.rs\n+++ b/a.rs\n-old\n+new\n";
        assert_eq!(
            own_lines(diff),
            [
                "diff --git a/a.rs b/a.rs",
                "--- a/a.rs",
                "+++ b/a.rs",
                "-old",
                "+new"
            ]
        );
    }
}
