//! Node: what `package.json` says is its program.

use serde_json::Value;

use super::program::{ProgramError, ProgramFound, Site, none};
use crate::{Argv, Exit};

pub(super) async fn program(site: &Site<'_>) -> Result<Option<ProgramFound>, ProgramError> {
    let Some(text) = site.text("package.json") else {
        return Ok(None);
    };
    let Ok(manifest) = serde_json::from_str::<Value>(&text) else {
        return Ok(Some(none("package.json is no JSON")));
    };
    let file = match choose(&manifest) {
        Choice::File(file) => file,
        Choice::Several(names) => return Ok(Some(ProgramFound::Several(names))),
        Choice::None => return Ok(None),
    };
    let build = manifest.pointer("/scripts/build");
    if site.file(&file).is_none() && build.is_some_and(Value::is_string) {
        let built = site.run(&Argv::new(["npm", "run", "build"])?).await?;
        if built.exit != Exit::Code(0) {
            return Ok(Some(none("`npm run build` failed")));
        }
    }
    match site.file(&file) {
        Some(path) => {
            let words = ["node".to_owned(), path.display().to_string()];
            site.found(words).map(Some)
        }
        None => {
            let why = format!("`{file}`, which package.json names, is not there");
            Ok(Some(none(&why)))
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Choice {
    File(String),
    Several(Vec<String>),
    None,
}

/// The only `bin`, the one that is called like the package, or what a start script plainly starts.
fn choose(manifest: &Value) -> Choice {
    let file = |value: &Value| value.as_str().map(|file| Choice::File(file.to_owned()));
    match manifest.get("bin") {
        Some(Value::Object(all)) if !all.is_empty() => {
            let own = manifest.get("name").and_then(Value::as_str);
            let own = own.map(|name| name.rsplit('/').next().unwrap_or(name));
            let mut values = all.values();
            let chosen = match (values.next(), values.next()) {
                (Some(only), None) => Some(only),
                (_, _) => own.and_then(|name| all.get(name)),
            };
            let several = || Choice::Several(all.keys().cloned().collect());
            chosen.and_then(file).unwrap_or_else(several)
        }
        Some(bin @ Value::String(_)) => file(bin).unwrap_or(Choice::None),
        Some(_) | None => {
            let start = manifest.pointer("/scripts/start").and_then(Value::as_str);
            let words: Vec<&str> = start.unwrap_or_default().split(' ').collect();
            match words.as_slice() {
                ["node", file] if !file.starts_with('-') => Choice::File((*file).to_owned()),
                _ => Choice::None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_manifest_names_one_program_or_none() {
        let file = |name: &str| Choice::File(name.to_owned());
        let several = Choice::Several(vec!["a".to_owned(), "b".to_owned()]);
        for (manifest, wanted) in [
            (json!({}), Choice::None),
            (json!({"bin": "cli.js"}), file("cli.js")),
            (json!({"bin": {"x": "cli.js"}}), file("cli.js")),
            (
                json!({"name": "@me/b", "bin": {"a": "a.js", "b": "b.js"}}),
                file("b.js"),
            ),
            (json!({"bin": {"a": "a.js", "b": "b.js"}}), several),
            (
                json!({"scripts": {"start": "node server.js"}}),
                file("server.js"),
            ),
            (json!({"scripts": {"start": "node -e 1"}}), Choice::None),
            (
                json!({"scripts": {"start": "node a.js; rm b"}}),
                Choice::None,
            ),
            (json!({"scripts": {"start": "vite"}}), Choice::None),
        ] {
            assert_eq!(choose(&manifest), wanted, "{manifest}");
        }
    }
}
