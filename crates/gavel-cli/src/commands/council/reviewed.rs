//! What rules say about options, where no models debate: for and against with citations.

use gavel_domain::{OptionsReviewed, Record, RunId};
use gavel_rules::council::{Cited, OptionsReview};
use gavel_store::{SqliteStore, Store as _};
use serde_json::{Value, json};

use super::sheet::Sheet;
use crate::failure::Failure;
use crate::ui::Look;

/// What marks such a result.
pub(super) const MARK: &str = "rules, not a debate";
/// How many citations of one kind are shown.
const MOST: usize = 6;

/// Reads the review of a run, as it was recorded; nothing where there is none or its text is gone.
pub(super) async fn read(
    store: &SqliteStore,
    records: &[Record],
) -> Result<Option<OptionsReview>, Failure> {
    let made = records
        .iter()
        .find_map(|record| record.read::<OptionsReviewed>().ok());
    let Some(made) = made else {
        return Ok(None);
    };
    let text = store.blob(made.review.digest).await?;
    Ok(text.and_then(|text| serde_json::from_slice(&text).ok()))
}

/// One screen.
pub(super) fn sheet(run: RunId, review: &OptionsReview) -> Sheet {
    let mut sheet = Sheet::default();
    sheet.title(&review.topic);
    sheet.text(MARK, Look::Warn);
    sheet.gap();
    for option in &review.options {
        let recommended = review.recommended_name() == Some(&option.name);
        let (sign, look) = if recommended {
            ("✓ ", Look::Good)
        } else {
            ("  ", Look::Strong)
        };
        let (pro, contra) = (option.speaks_for.len(), option.speaks_against.len());
        sheet.line(vec![
            (format!("{sign}{}", option.name), look),
            (format!("   {pro} for, {contra} against"), Look::Faint),
        ]);
        cited(&mut sheet, "for", (&option.speaks_for, Look::Good));
        cited(&mut sheet, "against", (&option.speaks_against, Look::Bad));
        cited(&mut sheet, "names it", (&option.mentions, Look::Faint));
        sheet.gap();
    }
    if review.options.is_empty() {
        let how = "The topic names no options that the rules can see. Say them: \"A or B for …?\"";
        sheet.text(how, Look::Plain);
        sheet.gap();
    }
    cited(&mut sheet, "About it", (&review.background, Look::Faint));
    sheet.label("Unknown");
    for sentence in &review.unknown {
        sheet.hung("- ", sentence, Look::Plain);
    }
    sheet.gap();
    match review.recommended_name() {
        Some(name) => {
            sheet.label("Decision").text(name, Look::Good);
        }
        None => sheet.label("Decision").text("open", Look::Warn),
    }
    sheet.label("Why").text(&review.why, Look::Plain);
    sheet
        .label("Dissent")
        .text("nobody debated, so nobody disagrees", Look::Plain);
    sheet
        .label("Evidence")
        .text("not measured: rules read words, not meaning", Look::Plain);
    if let Some(warning) = &review.warning {
        sheet.label("Warning").text(warning, Look::Warn);
    }
    sheet.gap();
    let short = run.short();
    sheet.label("Next").commands(&[
        (format!("gavel council show {short}"), "this again"),
        (
            "gavel council --model PROVIDER/MODEL \"…\"".to_owned(),
            "a debate: gavel models list shows which",
        ),
    ]);
    sheet
}

fn cited(sheet: &mut Sheet, label: &'static str, (all, look): (&[Cited], Look)) {
    sheet.label(label);
    for one in all.iter().take(MOST) {
        sheet.hung("- ", &format!("{} [{}]", one.text, one.cite), look);
        sheet.hung("    ", &one.why, Look::Faint);
    }
    if all.len() > MOST {
        sheet.text(&format!("and {} more", all.len() - MOST), Look::Faint);
    }
    sheet.label("");
}

/// The same as data, in the form of every council's outcome.
pub(super) fn data(run: RunId, review: &OptionsReview) -> Value {
    json!({
        "run": run,
        "topic": review.topic,
        "type": "decision",
        "mark": MARK,
        "voices": "rules",
        "summary": review.why,
        "sections": {},
        "agreed": [],
        "tradeoffs": [],
        "recommendation": review.recommended_name().unwrap_or_default(),
        "decided": review.recommended.is_some(),
        "action_items": [],
        "resolved_question": null,
        "plan": null,
        "dissent": [],
        "confidence": null,
        "density": null,
        "badge": null,
        "options": review.options,
        "background": review.background,
        "unknown": review.unknown,
        "warning": review.warning,
        "cites": review.cites(),
    })
}
