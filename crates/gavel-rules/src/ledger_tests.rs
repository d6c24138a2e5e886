//! What the ledger keeps, settles and tells.

use proptest::prelude::*;

use super::*;

const STATUSES: [AssumptionStatus; 4] = [
    AssumptionStatus::Unverified,
    AssumptionStatus::Deferred,
    AssumptionStatus::Validated,
    AssumptionStatus::Refuted,
];

fn ledger(claims: &[(&str, Confidence)]) -> Ledger {
    let mut ledger = Ledger::default();
    for (claim, confidence) in claims {
        let raised = ledger.raise(assume(claim, "Skeptic", *confidence, ""));
        assert_eq!(raised, Raised::New, "{claim}");
    }
    ledger
}

#[test]
fn a_claim_keeps_its_id_however_it_is_spelled() {
    let id = assumption_id("There is one user at a time.");
    assert_eq!(id, "a_2kcx3lupnd7fn");
    for same in [
        "there is one user at a time",
        "  There is  one user, at a time!",
    ] {
        assert_eq!(assumption_id(same), id, "{same}");
    }
    assert_ne!(assumption_id("there are two users at a time"), id);
    assert_ne!(assumption_id("người dùng"), assumption_id("nhiều người"));
}

#[test]
fn the_first_who_raised_a_claim_keeps_it_at_its_greatest_weight() {
    let mut ledger = ledger(&[("Files are small", Confidence::Low)]);
    let again = |confidence| assume("files are small.", "Architect", confidence, "x");
    for (confidence, raised) in [
        (Confidence::Low, Raised::Not),
        (Confidence::High, Raised::Weightier),
        (Confidence::Medium, Raised::Not),
        (Confidence::High, Raised::Not),
    ] {
        assert_eq!(ledger.raise(again(confidence)), raised, "{confidence:?}");
    }
    let nothing = assume(" … ", "Architect", Confidence::High, "");
    assert_eq!(ledger.raise(nothing), Raised::Not);
    let [entry] = ledger.entries() else { panic!() };
    let told = (entry.claim.as_str(), entry.raised_by.as_str());
    assert_eq!(told, ("Files are small", "Skeptic"));
    assert_eq!(entry.confidence, Confidence::High);
    assert_eq!(ledger.unresolved_critical().count(), 1);
}

#[test]
fn what_the_plan_rests_on_always_fits() {
    let mut ledger = Ledger::default();
    for number in 0..150 {
        ledger.raise(assume(
            &format!("minor {number}"),
            "x",
            Confidence::Medium,
            "",
        ));
    }
    assert_eq!(ledger.entries().len(), MOST);
    let critical = assume("It is critical", "x", Confidence::High, "");
    assert_eq!(ledger.raise(critical), Raised::New);
    assert_eq!(ledger.unresolved_critical().count(), 1);
}

#[test]
fn the_last_verification_says_whether_what_one_showed_still_holds() {
    use AssumptionStatus::{Deferred, Unverified, Validated};
    let id = assumption_id("it");
    for (status, by, reopens) in [
        (Validated, SettledBy::Verify, true),
        (Validated, SettledBy::Person, false),
        (Validated, SettledBy::Repository, false),
        (Deferred, SettledBy::Engine, false),
        (AssumptionStatus::Refuted, SettledBy::Person, false),
    ] {
        let mut ledger = ledger(&[("it", Confidence::High)]);
        ledger.resolve(&id, (status, by), "shown");
        assert_eq!(ledger.reopen(&id), reopens, "{status:?} {by:?}");
        let entry = ledger.get(&id).unwrap();
        let wanted = if reopens {
            (Unverified, "")
        } else {
            (status, "shown")
        };
        assert_eq!((entry.status, entry.evidence.as_str()), wanted);
        assert_eq!(ledger.unresolved_critical().count(), usize::from(reopens));
    }
    // What was put off is told with whoever did.
    let mut ledger = ledger(&[("it", Confidence::High)]);
    ledger.resolve(&id, (Deferred, SettledBy::Person), "later");
    let by: Vec<_> = ledger
        .put_off()
        .map(|(entry, by)| (&entry.claim, by))
        .collect();
    assert_eq!(by, [(&"it".to_owned(), SettledBy::Person)]);
    assert!(!ledger.reopen("a_none"));
}

#[test]
fn only_what_the_plan_rests_on_is_critical_until_it_is_settled() {
    let claims = [
        ("one", Confidence::High),
        ("two", Confidence::Medium),
        ("three", Confidence::High),
    ];
    for (status, left) in [
        (AssumptionStatus::Unverified, vec!["one", "three"]),
        (AssumptionStatus::Deferred, vec!["three"]),
        (AssumptionStatus::Validated, vec!["three"]),
        (AssumptionStatus::Refuted, vec!["three"]),
    ] {
        let mut ledger = ledger(&claims);
        let settled = (status, SettledBy::Person);
        ledger.resolve(&assumption_id("one"), settled, "because");
        let critical = ledger.unresolved_critical();
        let critical: Vec<&str> = critical.map(|entry| entry.claim.as_str()).collect();
        assert_eq!(critical, left, "{status:?}");
    }
}

#[test]
fn what_fell_stays_fallen_and_what_was_put_off_may_be_shown() {
    use AssumptionStatus::{Deferred, Refuted, Unverified, Validated};
    for (before, now, goes) in [
        (Unverified, Validated, true),
        (Unverified, Deferred, true),
        (Deferred, Validated, true),
        (Deferred, Refuted, true),
        (Deferred, Deferred, false),
        (Validated, Refuted, true),
        (Validated, Deferred, false),
        (Refuted, Validated, false),
        (Refuted, Unverified, false),
    ] {
        let mut ledger = ledger(&[("it", Confidence::High)]);
        let id = assumption_id("it");
        let by = SettledBy::Person;
        ledger.resolve(&id, (before, by), "first");
        let gone = ledger.resolve(&id, (now, by), "then");
        assert_eq!(gone, goes, "{before:?} {now:?}");
        let entry = ledger.get(&id).unwrap();
        let expected = if goes { now } else { before };
        assert_eq!(entry.status, expected);
        if goes {
            assert_eq!(entry.evidence, "then");
        }
    }
    let by = SettledBy::Verify;
    assert!(!Ledger::default().resolve("a_none", (Validated, by), ""));
}

#[test]
fn a_builder_reads_what_fell_first_and_then_by_weight() {
    let mut ledger = ledger(&[
        ("Names are short", Confidence::Low),
        ("Disks are local", Confidence::Medium),
        ("Nobody edits the file", Confidence::High),
        ("Python is there", Confidence::High),
        ("Tests run", Confidence::High),
    ]);
    let mut settle = |claim, status, why| {
        let settled = (status, SettledBy::Person);
        assert!(ledger.resolve(&assumption_id(claim), settled, why));
    };
    settle(
        "Python is there",
        AssumptionStatus::Refuted,
        "a person said so",
    );
    settle("Tests run", AssumptionStatus::Validated, "test:it_runs");
    assert_eq!(
        ledger.lines(),
        [
            "[FELL] Python is there: this is not so (a person said so)",
            "[CRITICAL] Nobody edits the file",
            "[IMPORTANT] Disks are local",
            "[MINOR] Names are short",
        ]
    );
}

#[test]
fn tests_and_files_are_looked_at_by_the_program_itself() {
    for (how, expected) in [
        ("test:it_is_listed", Validation::Test("it_is_listed")),
        (" test: cli::works ", Validation::Test("cli::works")),
        ("book_is_listed", Validation::Test("book_is_listed")),
        ("file:Cargo.toml", Validation::File("Cargo.toml")),
        ("ask the owner", Validation::Person),
        ("", Validation::Person),
    ] {
        let assumption = assume("it", "Skeptic", Confidence::Low, how);
        assert_eq!(validation(&assumption), expected, "{how}");
    }
}

#[test]
fn a_person_names_what_fell_by_number() {
    let said = |numbers: &[usize], reason: &str| {
        Some(Fallen {
            numbers: numbers.to_vec(),
            reason: reason.to_owned(),
        })
    };
    for (words, expected) in [
        ("2", said(&[2], "")),
        ("3, 1", said(&[1, 3], "")),
        ("1 2: we have two users", said(&[1, 2], "we have two users")),
        ("2) because of 3 users", said(&[2], "because of 3 users")),
        ("2 2", said(&[2], "")),
        ("4", None),
        ("0", None),
        ("the second one", None),
        ("", None),
        ("99999999999999999999999", None),
    ] {
        assert_eq!(fallen(words, 3), expected, "{words}");
    }
}

proptest! {
    #[test]
    fn ids_are_stable_and_fit_into_keys(claim in ".{0,80}") {
        let id = assumption_id(&claim);
        prop_assert_eq!(&assumption_id(&format!(" {claim}. ")), &id);
        let digits = id.strip_prefix("a_").unwrap();
        prop_assert!(!digits.is_empty() && digits.len() <= 13);
        prop_assert!(digits.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()));
    }

    #[test]
    fn nothing_is_lost_and_nothing_goes_back(
        steps in prop::collection::vec(("[abc]", 0..4_usize, any::<bool>()), 0..40)
    ) {
        let mut ledger = Ledger::default();
        for (claim, status, raise) in steps {
            let before = ledger.clone();
            if raise {
                ledger.raise(assume(&claim, "x", Confidence::High, ""));
            } else {
                let settled = (STATUSES[status], SettledBy::Person);
                ledger.resolve(&assumption_id(&claim), settled, "y");
            }
            for entry in before.entries() {
                let now = ledger.get(&entry.id).unwrap();
                prop_assert_eq!(&now.claim, &entry.claim);
                prop_assert!(rank(now.status) >= rank(entry.status));
            }
            let ids: std::collections::BTreeSet<_> =
                ledger.entries().iter().map(|entry| &entry.id).collect();
            prop_assert_eq!(ids.len(), ledger.entries().len());
        }
    }

    #[test]
    fn no_words_break_the_reading_of_numbers(words in ".{0,60}", listed in 0..9_usize) {
        if let Some(said) = fallen(&words, listed) {
            prop_assert!(said.numbers.iter().all(|n| (1..=listed).contains(n)));
        }
    }
}
