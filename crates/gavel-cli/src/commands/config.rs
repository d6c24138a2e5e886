//! `gavel config show`.

use serde_json::{Value, json};

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::ui::{Look, cell};

pub(crate) fn show(context: &Context, origin: bool) -> Result<Exit, Failure> {
    let settings = context.settings()?;
    let rows: Vec<_> = settings
        .effective
        .iter()
        .map(|value| {
            let mut row = vec![
                (value.key.to_owned(), Look::Strong),
                cell(plain(&value.value)),
            ];
            if origin {
                row.push((value.origin.to_string(), Look::Faint));
            }
            row
        })
        .collect();
    context.ui.table(&rows);
    context
        .ui
        .data("config", &json!({ "settings": settings.effective }));
    Ok(Exit::Done)
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}
