//! Pets and their visits: two kinds of things, one belonging to the other.

use super::program::{Program, Wish};

pub(crate) const IDEA: &str = "I run a small vet practice and want to keep track of pets (name, species, owner) \
     and their visits (date, reason, cost)";

pub(crate) fn script(vet: &Program) {
    vet.add(
        "pet",
        &[("name", "Rex"), ("species", "dog"), ("owner", "Ann Lee")],
    );
    vet.add(
        "pet",
        &[("name", "Mina"), ("species", "cat"), ("owner", "Bo | Co")],
    );
    let pets = vet.list("pet");
    for shown in ["Rex", "dog", "Ann Lee", "Mina", "Bo | Co"] {
        assert!(pets.contains(shown), "{shown} is missing: {pets}");
    }
    let (rex, mina) = (vet.id_of("pet", "Rex"), vet.id_of("pet", "Mina"));
    assert_ne!(rex, mina);

    let first = [
        ("pet", rex.as_str()),
        ("date", "2024-02-29"),
        ("reason", "vaccination"),
        ("cost", "45.50"),
    ];
    vet.add("visit", &first);
    vet.add(
        "visit",
        &[
            ("pet", &mina),
            ("date", "2024-03-04"),
            ("reason", "limping"),
            ("cost", "80"),
        ],
    );
    let visits = vet.list("visit");
    for shown in ["2024-02-29", "vaccination", "45.50", "limping"] {
        assert!(visits.contains(shown), "{shown} is missing: {visits}");
    }
    let limping = vet.id_of("visit", "limping");
    let one = vet.does(Wish::Show, "visit", &limping, &[]);
    assert!(one.contains("2024-03-04") && one.contains("80"), "{one}");
    assert!(
        one.contains("Mina") || one.contains(&mina),
        "whose visit? {one}"
    );

    vet.does(Wish::Edit, "visit", &limping, &[("reason", "broken paw")]);
    vet.does(Wish::Edit, "pet", &rex, &[("owner", "Carla")]);
    assert!(vet.does(Wish::Show, "pet", &rex, &[]).contains("Carla"));
    let mended = vet.list("visit");
    assert!(
        mended.contains("broken paw") && !mended.contains("limping"),
        "{mended}"
    );

    let found = vet.search("visit", "paw");
    assert!(
        found.contains("broken paw") && !found.contains("vaccination"),
        "{found}"
    );
    let found = vet.search("pet", "cat");
    assert!(found.contains("Mina") && !found.contains("Rex"), "{found}");

    wrong_usage(vet, &rex);

    vet.does(Wish::Delete, "visit", &limping, &[]);
    assert!(!vet.list("visit").contains("broken paw"));
    vet.does(Wish::Delete, "pet", &mina, &[]);
    let left = vet.list("pet");
    assert!(left.contains("Rex") && !left.contains("Mina"), "{left}");
    assert!(
        vet.list("visit").contains("vaccination"),
        "a visit of another pet stays"
    );
}

/// What is wrong is refused, and nothing is lost by it.
fn wrong_usage(vet: &Program, rex: &str) {
    let nobody = [
        ("pet", "999"),
        ("date", "2024-03-05"),
        ("reason", "check"),
        ("cost", "1"),
    ];
    vet.refuses(Wish::Add, "visit", "", &nobody);
    let no_day = [
        ("pet", rex),
        ("date", "2023-02-29"),
        ("reason", "check"),
        ("cost", "1"),
    ];
    vet.refuses(Wish::Add, "visit", "", &no_day);
    vet.refuses(Wish::Edit, "visit", "999", &[("reason", "x")]);
    vet.refuses(Wish::Show, "pet", "999", &[]);
    vet.bad(&["pett"]);
}

/// A pet that has visits either stays, or takes its visits along: no visit is left without its pet.
pub(crate) fn no_orphans(vet: &Program) {
    vet.add(
        "pet",
        &[("name", "Kip"), ("species", "owl"), ("owner", "Dee")],
    );
    let kip = vet.id_of("pet", "Kip");
    vet.add(
        "visit",
        &[
            ("pet", &kip),
            ("date", "2024-05-01"),
            ("reason", "feathers"),
            ("cost", "12"),
        ],
    );
    let words = vet.delete_or_refuse("pet", &kip);
    let (pets, visits) = (vet.list("pet"), vet.list("visit"));
    assert_eq!(
        pets.contains("Kip"),
        visits.contains("feathers"),
        "{words}: {pets}{visits}"
    );
}
