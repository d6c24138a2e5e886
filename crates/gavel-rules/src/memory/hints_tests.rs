use proptest::prelude::*;

use super::*;

fn terms(text: &str) -> BTreeSet<String> {
    let filling = [
        "the", "in", "a", "for", "must", "not", "never", "always", "do",
    ];
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty() && !filling.contains(word));
    words.map(str::to_lowercase).collect()
}

fn against(one: &str, other: &str, tags: &[String]) -> Option<(Opposition, &'static str)> {
    let (left, right) = (terms(one), terms(other));
    let say = |text, terms| Statement {
        text,
        terms,
        tags,
        paths: &[],
    };
    let said = opposition(&say(one, &left), &say(other, &right))?;
    Some((said.how, said.phrases.1))
}

#[test]
fn opposites_about_the_same_are_found_from_both_sides() {
    let one = "Always retry the upload of invoices.";
    let other = "Never retry the upload of invoices!";
    assert_eq!(against(one, other, &[]), Some((Opposition::High, "never")));
    assert_eq!(against(other, one, &[]), Some((Opposition::High, "always")));
    let tags = ["http".to_owned()];
    assert_eq!(
        against("use curl", "avoid curl", &tags),
        Some((Opposition::Medium, "avoid"))
    );
}

#[test]
fn words_alone_oppose_nothing() {
    // Nothing in common but filling words.
    assert_eq!(against("always sort names", "never trust input", &[]), None);
    // One term, and neither a tag nor a path.
    assert_eq!(against("use curl", "avoid curl", &[]), None);
    // Both say no.
    let (one, other) = ("must not cache user pages", "must not cache user names");
    assert_eq!(against(one, other, &[]), None);
    // A part of a word is no phrase.
    assert_eq!(
        against("reuse the pool handle", "avoid the pool handle", &[]),
        None
    );
}

#[test]
fn a_shared_folder_is_a_shared_domain() {
    let (one, other) = ("enable strict parsing", "disable strict mode");
    let (left, right) = (terms(one), terms(other));
    let say = |text, terms, paths| Statement {
        text,
        terms,
        tags: &[],
        paths,
    };
    let near = opposition(
        &say(one, &left, &["src/parse"]),
        &say(other, &right, &["src/parse/json.rs"]),
    );
    assert!(near.is_some());
    let far = opposition(
        &say(one, &left, &["src/parse"]),
        &say(other, &right, &["src/parser.rs"]),
    );
    assert!(far.is_none());
}

#[test]
fn at_most_three_are_alike() {
    let shelf = ["k l m n", "k l m", "x y z", "k l m n o", "k l", "l m n"].map(terms);
    let found = most_alike(&terms("k l m n"), &shelf);
    let places: Vec<usize> = found.iter().map(|(place, _)| *place).collect();
    assert_eq!(places, [0, 3, 1]);
    assert!(most_alike(&terms(""), &shelf).is_empty());
}

proptest! {
    #[test]
    fn overlap_is_a_share(left in "[a-e ]{0,9}", right in "[a-e ]{0,9}") {
        let (left, right) = (terms(&left), terms(&right));
        let share = overlap(&left, &right);
        prop_assert!((0.0..=1.0).contains(&share));
        prop_assert!((share - overlap(&right, &left)).abs() < 1e-12);
    }
}
