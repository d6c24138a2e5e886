//! A box of recipes, as somebody would try it out who had asked for it.

use super::program::{Program, Wish};

pub(crate) const IDEA: &str = "a recipe box with title, servings, minutes and tags";

pub(crate) fn script(box_of: &Program) {
    assert!(
        box_of.help.to_lowercase().contains("recipe"),
        "{}",
        box_of.help
    );
    assert!(
        !box_of.list("").contains("Goulash"),
        "an empty box lists nothing"
    );
    let goulash = [
        ("title", "Goulash; grandma's"),
        ("servings", "6"),
        ("minutes", "150"),
        ("tag|tags", "stew"),
    ];
    box_of.add("", &goulash);
    box_of.add(
        "",
        &[
            ("title", "Pão de queijo"),
            ("servings", "4"),
            ("minutes", "40"),
            ("tag|tags", "snack"),
        ],
    );
    box_of.add(
        "",
        &[
            ("title", "Borscht"),
            ("servings", "8"),
            ("minutes", "90"),
            ("tag|tags", "soup"),
        ],
    );

    let listed = box_of.list("");
    for shown in [
        "Goulash; grandma's",
        "Pão de queijo",
        "Borscht",
        "stew",
        "150",
        "8",
    ] {
        assert!(listed.contains(shown), "{shown} is missing: {listed}");
    }
    let id = box_of.id_of("", "Borscht");
    let one = box_of.does(Wish::Show, "", &id, &[]);
    assert!(one.contains("Borscht") && one.contains("90"), "{one}");
    assert!(!one.contains("queijo"), "{one}");

    box_of.does(Wish::Edit, "", &id, &[("minutes", "75")]);
    let edited = box_of.does(Wish::Show, "", &id, &[]);
    assert!(edited.contains("75") && !edited.contains("90"), "{edited}");
    assert!(
        edited.contains("soup"),
        "what was not named stays: {edited}"
    );

    let found = box_of.search("", "grandma");
    assert!(
        found.contains("Goulash") && !found.contains("Borscht"),
        "{found}"
    );
    let tagged = box_of.search("", "snack");
    assert!(
        tagged.contains("queijo") && !tagged.contains("Goulash"),
        "{tagged}"
    );
    assert!(!box_of.search("", "lasagne").contains("Goulash"));

    box_of.does(Wish::Delete, "", &id, &[]);
    let left = box_of.list("");
    assert!(
        !left.contains("Borscht") && left.contains("Goulash"),
        "{left}"
    );

    wrong_usage(box_of, &id, &left);
}

/// What is wrong is refused, and nothing is lost by it.
fn wrong_usage(box_of: &Program, id: &str, left: &str) {
    box_of.bad(&["frobnicate"]);
    box_of.refuses(Wish::Show, "", id, &[]);
    box_of.refuses(Wish::Edit, "", id, &[("minutes", "5")]);
    box_of.refuses(Wish::Delete, "", "999", &[]);
    box_of.refuses(
        Wish::Add,
        "",
        "",
        &[("title", "Toast"), ("servings", "some"), ("minutes", "5")],
    );
    box_of.refuses(Wish::Add, "", "", &[("servings", "1"), ("minutes", "5")]);
    assert_eq!(box_of.list(""), left, "the next start finds the same");
}
