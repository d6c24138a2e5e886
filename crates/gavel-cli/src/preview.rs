//! What a run may cost, shown when it is told.

use gavel_domain::CostPreviewed;
use gavel_rules::Preview;
use gavel_store::Store;

use crate::ui::{Look, Ui};

/// Shows a preview beside the data: one sentence, and a row for each stage where there is something
/// to pay.
pub(crate) async fn show(ui: &Ui, store: &dyn Store, told: &CostPreviewed) {
    // A text that cannot be read is told by the drive.
    let Ok(Some(text)) = store.blob(told.stages.digest).await else {
        return;
    };
    let Ok(preview) = serde_json::from_slice::<Preview>(&text) else {
        return;
    };
    lines(ui, &preview).iter().for_each(|line| ui.note(line));
}

fn lines(ui: &Ui, preview: &Preview) -> Vec<String> {
    let mut lines = vec![ui.look_beside(&preview.headline(), Look::Strong)];
    if preview.free {
        return vec![ui.look_beside(&preview.headline(), Look::Faint)];
    }
    let rows = preview.rows();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|text| text.chars().count()).max().unwrap_or(0)
    };
    let (stage_width, range_width) = (width(0), width(1));
    for [stage, range, basis] in &rows {
        let basis = ui.look_beside(basis, Look::Faint);
        let line = format!("  {stage:stage_width$}  {range:range_width$}  {basis}");
        lines.push(line.trim_end().to_owned());
    }
    let notes = preview.notes();
    lines.extend(notes.iter().map(|note| ui.look_beside(note, Look::Warn)));
    lines
}
