//! Money by month.

use super::program::{Program, Wish};

pub(crate) const IDEA: &str = "fuel log for my car: date, litres, price, station; total per month";

pub(crate) fn script(fuel: &Program) {
    assert!(fuel.help.to_lowercase().contains("fuel"), "{}", fuel.help);
    let days = [
        ("2024-01-31", "41.2", "70.10", "Shell Nord"),
        ("2024-01-03", "38", "65.35", "Aral"),
        ("2023-01-15", "10", "9.05", "Jet"),
        ("2024-12-01", "40", "100", "Aral"),
    ];
    for (date, litres, price, station) in days {
        fuel.add(
            "",
            &[
                ("date", date),
                ("litres", litres),
                ("price", price),
                ("station", station),
            ],
        );
    }
    let listed = fuel.list("");
    for shown in ["2024-01-31", "41.2", "70.10", "Shell Nord", "2024-12-01"] {
        assert!(listed.contains(shown), "{shown} is missing: {listed}");
    }

    let months = fuel.command_about("month");
    let months: Vec<&str> = months.iter().map(String::as_str).collect();
    let totals = fuel.good(&months);
    assert!(row(&totals, "2024-01").contains("135.45"), "{totals}");
    assert!(row(&totals, "2023-01").contains("9.05"), "{totals}");
    assert!(row(&totals, "2024-12").contains("100"), "{totals}");
    assert!(
        !totals.contains("2024-02"),
        "a month without anything: {totals}"
    );

    let jet = fuel.id_of("", "Jet");
    fuel.does(Wish::Edit, "", &jet, &[("price", "9.15")]);
    assert!(row(&fuel.good(&months), "2023-01").contains("9.15"));
    let found = fuel.search("", "aral");
    assert!(
        found.contains("65.35") && found.contains("100") && !found.contains("Jet"),
        "{found}"
    );

    fuel.does(Wish::Delete, "", &jet, &[]);
    assert!(
        !fuel.good(&months).contains("2023-01"),
        "a month goes with its last line"
    );
    assert!(!fuel.list("").contains("Jet"));

    let wrong = |date: &'static str, price: &'static str| {
        [
            ("date", date),
            ("litres", "1"),
            ("price", price),
            ("station", "Esso"),
        ]
    };
    fuel.refuses(Wish::Add, "", "", &wrong("31.01.2024", "5"));
    fuel.refuses(Wish::Add, "", "", &wrong("2024-13-01", "5"));
    fuel.refuses(Wish::Add, "", "", &wrong("2024-01-01", "cheap"));
    fuel.refuses(Wish::Delete, "", &jet, &[]);
    fuel.bad(&["totl"]);
    assert!(
        fuel.list("").contains("Shell Nord"),
        "the next start finds the same"
    );
}

fn row<'a>(totals: &'a str, month: &str) -> &'a str {
    let row = totals.lines().find(|line| line.contains(month));
    row.unwrap_or_else(|| panic!("no {month} in {totals}"))
}
