//! Wines with numbers that change.

use super::program::{Program, Wish};

pub(crate) const IDEA: &str =
    "what's in my wine cellar: wine name, vintage, region, number of bottles";

const NAME: &str = "name|wine-name|wine";
const BOTTLES: &str = "bottles|number-of-bottles";

pub(crate) fn script(cellar: &Program) {
    assert!(
        cellar.help.to_lowercase().contains("wine"),
        "{}",
        cellar.help
    );
    let wines = [
        ("Château \"Margaux\"", "2005", "Bordeaux", "3"),
        ("Riesling, dry", "2019", "Mosel", "12"),
        ("Riesling Auslese", "2015", "Pfalz", "0"),
    ];
    for (name, vintage, region, bottles) in wines {
        cellar.add(
            "",
            &[
                (NAME, name),
                ("vintage", vintage),
                ("region", region),
                (BOTTLES, bottles),
            ],
        );
    }
    let listed = cellar.list("");
    for shown in [
        "Château \"Margaux\"",
        "2005",
        "Bordeaux",
        "Riesling, dry",
        "12",
        "Pfalz",
    ] {
        assert!(listed.contains(shown), "{shown} is missing: {listed}");
    }
    let found = cellar.search("", "riesling");
    assert!(
        found.contains("Mosel") && found.contains("Pfalz") && !found.contains("Bordeaux"),
        "{found}"
    );

    let id = cellar.id_of("", "Mosel");
    cellar.does(
        Wish::Edit,
        "",
        &id,
        &[(BOTTLES, "11"), ("region", "Mosel, steep slope")],
    );
    let edited = cellar.does(Wish::Show, "", &id, &[]);
    assert!(edited.contains("11") && !edited.contains("12"), "{edited}");
    assert!(
        edited.contains("steep slope") && edited.contains("2019"),
        "{edited}"
    );

    let empty = cellar.id_of("", "Auslese");
    cellar.does(Wish::Delete, "", &empty, &[]);
    let left = cellar.list("");
    assert!(
        !left.contains("Auslese") && left.contains("Margaux"),
        "{left}"
    );
    cellar.add(
        "",
        &[
            (NAME, "Barolo"),
            ("vintage", "2010"),
            ("region", "Piemont"),
            (BOTTLES, "2"),
        ],
    );
    assert_ne!(cellar.id_of("", "Barolo"), id);

    wrong_usage(cellar, &id, &empty);
}

/// What is wrong is refused, and nothing is lost by it.
fn wrong_usage(cellar: &Program, id: &str, empty: &str) {
    cellar.refuses(Wish::Edit, "", id, &[(BOTTLES, "a dozen")]);
    cellar.refuses(Wish::Edit, "", "no-number", &[(BOTTLES, "1")]);
    cellar.refuses(
        Wish::Add,
        "",
        "",
        &[("vintage", "2010"), ("region", "Mosel"), (BOTTLES, "2")],
    );
    cellar.refuses(Wish::Delete, "", empty, &[]);
    cellar.bad(&["lst"]);
    cellar.bad(&["list", "--colour", "red"]);
    assert!(
        cellar.list("").contains("Barolo"),
        "the next start finds the same"
    );
}
