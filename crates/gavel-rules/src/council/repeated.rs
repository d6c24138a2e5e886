//! Whether a turn only repeats what it was given.

/// True for a text that says word for word what one of these says, whatever its marks and its layout are.
pub fn repeats<'t>(text: &str, given: impl IntoIterator<Item = &'t str>) -> bool {
    let own = plain(text);
    let mut given = given.into_iter().map(plain);
    !own.is_empty() && given.any(|other| own == other)
}

/// Letters and digits in lower case, a space between words.
fn plain(text: &str) -> String {
    let words = text.split(|sign: char| !sign.is_alphanumeric());
    let words: Vec<String> = words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_layout_make_no_other_text() {
        let given = ["Use SQLite: it is enough.", "Which store?"];
        assert!(repeats("use **SQLite** \u{2014} it is\nenough", given));
        assert!(repeats("Which store", given));
        assert!(!repeats("Use SQLite: it is not enough.", given));
        assert!(!repeats("", ["", "x"]));
    }
}
