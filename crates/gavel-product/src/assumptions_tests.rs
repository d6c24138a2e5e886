//! What a person's answer comes to, and what the repository shows.

use gavel_domain::{AnswerReply, Blob, QuestionAsked, Role, Speaker};
use gavel_models::Tier;
use gavel_rules::assume;
use gavel_run::DriveEnd;
use gavel_testkit::ScriptedModel;

use super::*;
use crate::bench::{Bench, Cast, info, tests};

fn answered(value: AnswerValue, assumed: bool) -> QuestionAnswered {
    QuestionAnswered {
        value,
        by: Speaker::PERSON,
        inbox: None,
        timed_out: false,
        assumed,
    }
}

fn option(id: &str) -> AnswerValue {
    AnswerValue::Option { id: id.to_owned() }
}

fn words() -> AnswerValue {
    AnswerValue::Text {
        text: Blob::new(b"kept elsewhere".to_vec()).name(),
    }
}

#[test]
fn an_answer_holds_puts_off_or_names_what_fell() {
    let told = |answered: QuestionAnswered, said: &str| {
        let settled = settle(&answered, said, 3)?;
        let fell: Vec<usize> = settled.fell.into_iter().collect();
        Some((settled.others, fell, settled.by.word(), settled.reason))
    };
    let settled = |value, said: &str, assumed| told(answered(value, assumed), said);
    use AssumptionStatus::{Deferred, Validated};
    let plain = |status, by| Some((status, vec![], by, String::new()));
    assert_eq!(
        settled(option("hold"), "", false),
        plain(Validated, "person")
    );
    assert_eq!(
        settled(option("put-off"), "", false),
        plain(Deferred, "person")
    );
    // `--yes` and the engine vouch for nothing.
    assert_eq!(
        settled(AnswerValue::Decide, "", true),
        plain(Deferred, "engine")
    );
    assert_eq!(
        settled(words(), "1, 3: two people use it", false),
        Some((
            Validated,
            vec![1, 3],
            "person",
            "two people use it".to_owned()
        ))
    );
    assert_eq!(
        settled(option("put-off"), "", true),
        plain(Deferred, "engine")
    );
    // Whoever may not decide vouches for nothing, and refutes nothing.
    for (door, role) in [
        (Door::Cli, Role::Guest),
        (Door::Http, Role::Guest),
        (Door::Mcp, Role::Person),
    ] {
        let by = Speaker {
            door,
            role,
            decides: false,
        };
        for (value, said) in [(option("hold"), ""), (words(), "1")] {
            let answered = QuestionAnswered {
                by,
                ..answered(value, false)
            };
            assert_eq!(told(answered, said), plain(Deferred, "guest"), "{door:?}");
        }
    }
    let engine = QuestionAnswered {
        by: Speaker::ENGINE,
        ..answered(option("hold"), false)
    };
    assert_eq!(told(engine, ""), plain(Deferred, "engine"));
    assert_eq!(settled(words(), "some of them", false), None);
    assert_eq!(settled(words(), "4", false), None);
}

#[test]
fn the_card_numbers_them_for_a_person_and_vouches_for_nothing() {
    let open = [
        assume("Nobody edits the file", "Skeptic", Confidence::High, ""),
        assume("It is fast", "Researcher", Confidence::High, "measure it"),
    ];
    let asked = question(&open, false);
    let why = asked.card.why.unwrap();
    assert!(
        why.contains("1. Nobody edits the file (said by: Skeptic)\n"),
        "{why}"
    );
    assert!(
        why.contains("2. It is fast (said by: Researcher; to find out: measure it)"),
        "{why}"
    );
    assert_eq!(asked.recommended.as_deref(), Some("put-off"));
    assert_eq!(asked.audience, Audience::Person);
    let again = question(&open, true).card.why.unwrap();
    assert!(again.starts_with("That named none of them."), "{again}");
}

#[test]
fn a_file_or_a_folder_of_the_repository_is_found_by_its_path() {
    let files = ["src/main.rs".to_owned(), "Cargo.toml".to_owned()];
    for (path, there) in [
        ("Cargo.toml", true),
        ("./Cargo.toml", true),
        ("src", true),
        ("src/", true),
        ("sr", false),
        ("main.rs", false),
        ("", false),
        ("/", false),
    ] {
        assert_eq!(holds(&files, path), there, "{path}");
    }
}

async fn bench() -> Bench {
    let cast = Cast {
        leader: "a/lead",
        stances: &[],
        auditor: "a/lead",
        judge: "a/lead",
    };
    let model = (info("a/lead", Tier::Premium), ScriptedModel::new());
    Bench::new(cast, vec![model], &[]).await
}

/// What a run takes for granted, each to be found out another way.
fn taken() -> Vec<Assumption> {
    let high = |claim, how| assume(claim, "Skeptic", Confidence::High, how);
    vec![
        high("Entries are listed", "entry_is_listed"),
        high("The list sorts", "test:list::sorts"),
        high("There is a readme", "file:README.md"),
        high("There is a server", "file:server"),
        high("Nobody else writes the file", "ask the owner"),
        assume("Names are short", "leader", Confidence::Low, "ask"),
        // Said before, in other words.
        assume("entries are LISTED.", "leader", Confidence::Low, ""),
    ]
}

/// Raises them, and settles what can be settled without a person, then with one.
async fn settle_all(bench: &Bench) -> Result<Ledger, DriveEnd> {
    let work = async |way: Way<'_>| {
        let mut ledger = Ledger::default();
        let scope = way.run.scope("scoping", 1)?;
        raise(way, &scope, &mut ledger, taken()).await?;
        resolve_by_repository(way, &scope, &mut ledger).await?;
        let gate = way.run.scope("gate", 1)?;
        let names = tests(&["cli::entry_is_listed"], &["list::sorts"]);
        resolve_by_tests(way, &gate, &mut ledger, &names).await?;
        let met = CriterionJudged {
            id: "entry_is_listed".to_owned(),
            standing: CriterionStanding::Met,
            evidence: Vec::new(),
            note: String::new(),
            weight: 1,
            rank: None,
            caught: String::new(),
        };
        resolve_by_criteria(way, &gate, &mut ledger, &[met]).await?;
        ask_person(way, &gate, &mut ledger).await?;
        Ok(ledger)
    };
    bench.drive(work).await
}

/// `claim: status` of every entry.
fn standing(ledger: &Ledger) -> Vec<String> {
    let entries = ledger.entries().iter();
    let told = |entry: &Assumption| format!("{}: {:?}", entry.claim, entry.status);
    entries.map(told).collect()
}

/// `by status` of every resolution on record.
async fn resolved(bench: &Bench) -> Vec<String> {
    let facts = bench.facts::<AssumptionResolved>().await;
    facts
        .iter()
        .map(|fact| format!("{} {:?}", fact.by, fact.status))
        .collect()
}

#[tokio::test]
async fn tests_the_repository_and_a_person_settle_what_was_assumed() {
    let bench = bench().await;
    let end = settle_all(&bench).await.unwrap_err();
    assert!(
        format!("{end:?}").contains("gate-1/assumptions-1/ask"),
        "{end:?}"
    );
    let raised = bench.facts::<AssumptionRaised>().await;
    assert_eq!(raised.len(), 6, "the first who said it keeps it");
    assert_eq!(raised[0].raised_by, "Skeptic");
    assert_eq!(
        resolved(&bench).await,
        ["repository Validated", "verify Validated"]
    );
    let mailbox = bench.bed.mailbox();
    let say = async |text: &str| {
        let reply = AnswerReply::Text {
            text: text.to_owned(),
        };
        mailbox.answer(bench.run, None, reply).await.unwrap();
    };
    // A failing test has not shown anything yet, so it is asked about, too.
    say("the server one").await;
    let end = settle_all(&bench).await.unwrap_err();
    assert!(
        format!("{end:?}").contains("gate-1/assumptions-2/ask"),
        "{end:?}"
    );
    say("2: we have none").await;
    let ledger = settle_all(&bench).await.unwrap();
    assert_eq!(
        standing(&ledger),
        [
            "Entries are listed: Validated",
            "The list sorts: Validated",
            "There is a readme: Validated",
            "There is a server: Refuted",
            "Nobody else writes the file: Validated",
            "Names are short: Unverified",
        ]
    );
    assert_eq!(ledger.fell().next().unwrap().evidence, "we have none");
    assert_eq!(
        resolved(&bench).await,
        [
            "repository Validated",
            "verify Validated",
            "person Validated",
            "person Refuted",
            "person Validated",
        ]
    );
    // It stays so: a later drive reads it from the record.
    assert_eq!(settle_all(&bench).await.unwrap(), ledger);
    assert_eq!(bench.facts::<QuestionAsked>().await.len(), 2);
}

#[tokio::test]
async fn what_is_put_off_is_no_longer_open_and_a_test_may_still_show_it() {
    let bench = bench().await;
    settle_all(&bench).await.unwrap_err();
    let reply = AnswerReply::Option {
        id: "put-off".to_owned(),
    };
    let mailbox = bench.bed.mailbox();
    mailbox.answer(bench.run, None, reply).await.unwrap();
    let mut ledger = settle_all(&bench).await.unwrap();
    assert_eq!(ledger.unresolved_critical().count(), 0);
    let put_off = |ledger: &Ledger| {
        let entries = ledger.entries().iter();
        let put_off = entries.filter(|entry| entry.status == AssumptionStatus::Deferred);
        put_off.count()
    };
    assert_eq!(put_off(&ledger), 3);
    let sorts = gavel_rules::assumption_id("The list sorts");
    let shown = (AssumptionStatus::Validated, SettledBy::Verify);
    assert!(ledger.resolve(&sorts, shown, "shown"));
    assert_eq!(put_off(&ledger), 2);
}

/// A test showed it in a sprint; at the gate that test is as given.
async fn shown_before(bench: &Bench, passed: &[&str], failed: &[&str]) -> Result<Ledger, DriveEnd> {
    let work = async |way: Way<'_>| {
        let mut ledger = Ledger::default();
        let sprint = way.run.scope("sprint", 1)?;
        let sorts = assume("The list sorts", "Skeptic", Confidence::Low, "test:sorts");
        let again = assume("the list sorts", "Architect", Confidence::High, "");
        raise(way, &sprint, &mut ledger, vec![sorts, again]).await?;
        let names = tests(&["list::sorts[1]", "list::sorts[2]"], &[]);
        resolve_by_tests(way, &sprint, &mut ledger, &names).await?;
        assert_eq!(ledger.unresolved_critical().count(), 0);
        let gate = way.run.scope("gate", 1)?;
        let names = tests(passed, failed);
        resolve_by_tests(way, &gate, &mut ledger, &names).await?;
        reopen(way, &gate, &mut ledger, (&names, &[])).await?;
        ask_person(way, &gate, &mut ledger).await?;
        Ok(ledger)
    };
    bench.drive(work).await
}

#[tokio::test]
async fn an_assumption_is_shown_by_the_last_verification_alone() {
    for (passed, failed) in [
        (&["list::adds"][..], &[][..]),
        (&["list::sorts[1]"], &["list::sorts[2]"]),
    ] {
        let bench = bench().await;
        let end = shown_before(&bench, passed, failed).await.unwrap_err();
        let asked = format!("{end:?}");
        assert!(asked.contains("gate-1/assumptions-1/ask"), "{asked}");
        assert_eq!(
            resolved(&bench).await,
            ["verify Validated", "verify Unverified"]
        );
        // Said once in passing and once as what the plan rests on.
        let raised = bench.facts::<AssumptionRaised>().await;
        let weights: Vec<_> = raised.iter().map(|fact| fact.confidence).collect();
        assert_eq!(weights, [Confidence::Low, Confidence::High]);
    }
    let bench = bench().await;
    let ledger = shown_before(&bench, &["list::sorts"], &[]).await.unwrap();
    assert_eq!(standing(&ledger), ["The list sorts: Validated"]);
}
