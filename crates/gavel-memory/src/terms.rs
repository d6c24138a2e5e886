//! From texts to the terms that search compares.
//!
//! Words of any script in lower case, without the most common ones and without a plural `s`;
//! scripts without spaces give pairs of neighbours.

use std::collections::HashSet;
use std::sync::OnceLock;

const STOP_WORDS: &str = "a about after all also an and any are as at be because been before but by \
    can could did do does for from had has have how i if in into is it its just may more most must \
    my no not of on only or our out over should so some such than that the their them then there \
    these they this to too up use used was we were what when where which while who why will with \
    would you your \
    và của là cho các những một được trong với không này đó \
    der die das und ein eine ist mit für von zu \
    le la les un une des et est pour dans avec du \
    el los las una y es para con en del que";

/// The terms of a text, in its order, repeated as they are.
pub(crate) fn terms(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let lower = text.to_lowercase();
    for word in lower.split(|c: char| !is_part(c)) {
        let mut rest = word;
        while let Some(first) = rest.chars().next() {
            let dense = is_dense(first);
            let end = rest.find(|c| is_dense(c) != dense).unwrap_or(rest.len());
            let (run, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
            if dense {
                found.extend(pairs(run));
            } else {
                found.extend(term(run));
            }
            rest = after;
        }
    }
    found
}

fn term(word: &str) -> Option<String> {
    let word = word.trim_matches('_');
    let single = word.len() <= 1;
    (!single && !is_common(word)).then(|| singular(word))
}

fn is_common(word: &str) -> bool {
    static WORDS: OnceLock<HashSet<&str>> = OnceLock::new();
    let words = WORDS.get_or_init(|| STOP_WORDS.split_ascii_whitespace().collect());
    words.contains(word)
}

/// Takes a plural back, where it is most likely one.
fn singular(word: &str) -> String {
    let likely = word.is_ascii() && word.len() > 3;
    let kept = ["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    match (word.strip_suffix("ies"), word.strip_suffix('s')) {
        (Some(stem), _) if word.len() > 4 && word.is_ascii() => format!("{stem}y"),
        (_, Some(stem)) if likely && !kept => stem.to_owned(),
        _ => word.to_owned(),
    }
}

fn pairs(run: &str) -> Vec<String> {
    let letters: Vec<char> = run.chars().collect();
    if letters.len() == 1 {
        return vec![run.to_owned()];
    }
    letters
        .windows(2)
        .map(|pair| pair.iter().collect())
        .collect()
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || matches!(c, '\u{300}'..='\u{36f}')
}

/// Scripts that put no spaces between words.
const fn is_dense(c: char) -> bool {
    matches!(
        c,
        '\u{e00}'..='\u{e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}'
            | '\u{20000}'..='\u{3ffff}'
    )
}

#[cfg(test)]
mod tests {
    use super::terms;

    #[test]
    fn words_without_common_ones_and_plurals() {
        assert_eq!(
            terms("The retries of HTTP clients must back off: src/http_client.rs"),
            [
                "retry",
                "http",
                "client",
                "back",
                "off",
                "src",
                "http_client",
                "rs"
            ]
        );
        assert_eq!(terms("class status"), ["class", "status"]);
        assert_eq!(terms("sửa lỗi của tôi"), ["sửa", "lỗi", "tôi"]);
        assert_eq!(terms("拼写错误x"), ["拼写", "写错", "错误"]);
        assert_eq!(terms("a _ 1 !"), Vec::<String>::new());
    }
}
