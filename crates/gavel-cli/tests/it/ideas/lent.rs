//! Things that were lent, and a yes or no.

use super::program::{Program, Wish};

pub(crate) const IDEA: &str =
    "list of tools I lent out: tool, neighbour, date lent, returned yes/no";

const TOOL: &str = "tool|name";
const DATE: &str = "date-lent|date|lent";

pub(crate) fn script(lent: &Program) {
    assert!(lent.help.to_lowercase().contains("tool"), "{}", lent.help);
    let drill = [
        (TOOL, "drill\twith bits"),
        ("neighbour", "Mrs. Okafor"),
        (DATE, "2024-06-01"),
        ("returned", "no"),
    ];
    lent.add("", &drill);
    lent.add(
        "",
        &[
            (TOOL, "ladder"),
            ("neighbour", "Jörg"),
            (DATE, "2024-07-15"),
            ("returned", "no"),
        ],
    );
    let listed = lent.list("");
    for shown in ["drill", "Mrs. Okafor", "2024-06-01", "ladder", "Jörg", "no"] {
        assert!(listed.contains(shown), "{shown} is missing: {listed}");
    }
    assert_eq!(
        listed.lines().filter(|line| line.contains("drill")).count(),
        1,
        "{listed}"
    );

    let ladder = lent.id_of("", "ladder");
    lent.does(Wish::Edit, "", &ladder, &[("returned", "yes")]);
    let back = lent.does(Wish::Show, "", &ladder, &[]);
    assert!(
        back.contains("yes") && back.contains("2024-07-15"),
        "{back}"
    );
    let other = lent.does(Wish::Show, "", &lent.id_of("", "drill"), &[]);
    assert!(other.contains("no") && !other.contains("yes"), "{other}");

    let found = lent.search("", "okafor");
    assert!(
        found.contains("drill") && !found.contains("ladder"),
        "{found}"
    );
    lent.does(Wish::Delete, "", &ladder, &[]);
    let left = lent.list("");
    assert!(!left.contains("ladder") && left.contains("drill"), "{left}");

    lent.refuses(Wish::Show, "", &ladder, &[]);
    let maybe = [
        (TOOL, "saw"),
        ("neighbour", "Kim"),
        (DATE, "2024-07-15"),
        ("returned", "perhaps"),
    ];
    lent.refuses(Wish::Add, "", "", &maybe);
    let when = [
        (TOOL, "saw"),
        ("neighbour", "Kim"),
        (DATE, "yesterday"),
        ("returned", "no"),
    ];
    lent.refuses(Wish::Add, "", "", &when);
    lent.bad(&["lend"]);
    assert_eq!(lent.list(""), left, "the next start finds the same");
}
