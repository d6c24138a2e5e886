//! The words of a product's interface, as the contract `physics` declares it: commands, options, paths.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::check::physics::read;

/// Words that mean something to the product itself, so that no other may stand in their place:
/// commands, entities, options, and the fixed parts of paths. Nothing for a contract that cannot be
/// read.
pub fn interface_words(physics: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    let Ok(root) = read(physics) else {
        return words;
    };
    let part = |name: &str| {
        root.get(name)
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
    };
    for (name, command) in part("commands") {
        add(&mut words, name);
        for field in ["entity", "usage"] {
            add(
                &mut words,
                command
                    .get(field)
                    .and_then(Value::as_str)
                    .unwrap_or_default(),
            );
        }
        for value in command
            .as_object()
            .into_iter()
            .flat_map(|fields| fields.values())
        {
            let listed = value
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str);
            listed.for_each(|word| add(&mut words, word));
        }
    }
    for (path, _) in part("paths") {
        let fixed = path.split('/').filter(|segment| !segment.starts_with('{'));
        fixed.for_each(|segment| add(&mut words, segment));
    }
    words
}

/// The plain words of a text; what stands for a value, such as `TITLE` or `<title>`, is none.
fn add(words: &mut BTreeSet<String>, text: &str) {
    let parts = text.split(|c: char| c.is_whitespace() || "[]|,=".contains(c));
    for part in parts {
        let word = part.trim_start_matches('-');
        let is_value = word.starts_with('<') || word.chars().all(|c| c.is_ascii_uppercase());
        if !word.is_empty() && !is_value {
            words.insert(word.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_options_and_paths_are_words_of_the_interface() {
        let physics = "info: {title: x, version: \"1\", description: y}\n\
            commands:\n  note add:\n    entity: note\n    summary: adds\n    \
            usage: \"note add --title TITLE [--tags TAGS]\"\n    by: [month]\n\
            paths:\n  /notes/{id}:\n    get: {summary: s, responses: {200: ok}}\n";
        let words: Vec<_> = interface_words(physics).into_iter().collect();
        assert_eq!(words, ["add", "month", "note", "notes", "tags", "title"]);
        assert_eq!(interface_words("no: [yaml"), BTreeSet::new());
    }
}
