use super::super::super::MemoryLooked;
use super::super::{OptionSource, OptionsReview, SourceKind, read_options, review_options};

/// Options, the names that sources use where they differ, and the subject.
fn read(topic: &str) -> String {
    let found = read_options(topic);
    if found.options.is_empty() {
        return "nothing".to_owned();
    }
    let mut told = found.options.join(" | ");
    if !found.named.is_empty() {
        told = format!("{told} ({})", found.named.join(" | "));
    }
    match found.subject.as_str() {
        "" => told,
        subject => format!("{told} · {subject}"),
    }
}

#[test]
fn a_yes_or_no_is_about_one_thing() {
    let topics = [
        "Should we add GraphQL to the api?",
        "Should the API use GraphQL?",
        "Is it worth adding GraphQL to the api?",
        "For the api, should we add GraphQL?",
        "adopt Kafka or not?",
        "Should we adopt Kafka or not?",
        "Kafka: yes or no?",
        "Switch to Kafka or stay?",
        "Is SQLite good enough for the queue?",
        "Do we need Redis?",
        "Should we drop Redis?",
        "Can we stop using Redis for sessions?",
        "Move the orders off SQLite?",
        "Should we drop SQLite or keep it?",
        "Should we keep SQLite or drop it?",
        "Should we phase out SQLite?",
        "Should we rewrite the parser?",
        "Chúng ta có nên dùng Kafka không?",
        "Có nên dùng Kafka hay không?",
        "Có nên dùng Kafka hay là không?",
        // No such questions.
        "Shall we go on?",
        "Shall we go on or not?",
        "Should I stay?",
        "Is Redis multi-threaded?",
        "How do we ship?",
        "Why is SQLite faster than PostgreSQL?",
        "What do users need?",
        "We use Redis.",
    ];
    let told: Vec<String> = topics.iter().map(|topic| read(topic)).collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    yes | no (GraphQL) · the api
    yes | no (GraphQL) · API
    yes | no (GraphQL) · the api
    yes | no (GraphQL) · For the api
    yes | no (Kafka)
    yes | no (Kafka)
    yes | no (Kafka)
    yes | no (Kafka)
    yes | no (SQLite) · the queue
    yes | no (Redis)
    no | yes (Redis)
    no | yes (Redis) · sessions
    no | yes (SQLite) · the orders
    no | yes (SQLite)
    yes | no (SQLite)
    no | yes (SQLite)
    yes | no (rewrite the parser) · rewrite the parser
    yes | no (Kafka)
    yes | no (Kafka)
    yes | no (Kafka)
    nothing
    nothing
    nothing
    nothing
    nothing
    nothing
    nothing
    nothing
    ");
}

#[test]
fn two_things_are_compared_or_left_for_each_other() {
    let topics = [
        "Is SQLite better than PostgreSQL?",
        "Is SQLite faster than PostgreSQL for jobs?",
        "Would Kafka be more reliable than RabbitMQ?",
        "Should we use Kafka instead of RabbitMQ for events?",
        "Should we pick Kafka over RabbitMQ?",
        "Should we replace Redis with Valkey?",
        "migrate from SQLite to PostgreSQL, or stay?",
        "Should we move the queue from SQLite to PostgreSQL?",
        "Should we migrate to PostgreSQL or stay with SQLite?",
        "Move to PostgreSQL or stay on SQLite for the queue?",
        "Có nên chuyển từ SQLite sang PostgreSQL không?",
        "Nên dùng PostgreSQL hay là SQLite?",
        "PostgreSQL hay là SQLite cho hàng đợi?",
        "Stay on SQLite or go to PostgreSQL?",
        "Do we keep SQLite, or do we move to PostgreSQL?",
        "Should we swap SQLite for PostgreSQL?",
        "Run the orders on PostgreSQL rather than SQLite?",
        "SQLite/PostgreSQL: which?",
        "Which one, SQLite/PostgreSQL, for the orders?",
        "SQLite oder PostgreSQL?",
        "Should we use Zig or Go for the CLI?",
        "Should we use Go or Zig for the CLI?",
        "React or Go with HTMX?",
        "Kafka, NATS or Go channels",
        "Go with PostgreSQL or stay on SQLite?",
        // No such questions.
        "Is Redis slower than expected?",
        "Is Redis faster than 10 ms?",
    ];
    let told: Vec<String> = topics.iter().map(|topic| read(topic)).collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    SQLite | PostgreSQL
    SQLite | PostgreSQL · jobs
    Kafka | RabbitMQ
    Kafka | RabbitMQ · events
    Kafka | RabbitMQ
    Redis | Valkey
    migrate to PostgreSQL | stay with SQLite (PostgreSQL | SQLite)
    move to PostgreSQL | stay with SQLite (PostgreSQL | SQLite) · the queue
    migrate to PostgreSQL | stay with SQLite (PostgreSQL | SQLite)
    Move to PostgreSQL | stay on SQLite (PostgreSQL | SQLite) · the queue
    chuyển sang PostgreSQL | giữ SQLite (PostgreSQL | SQLite)
    PostgreSQL | SQLite
    PostgreSQL | SQLite · hàng đợi
    Stay on SQLite | PostgreSQL (SQLite | PostgreSQL)
    SQLite | move to PostgreSQL (SQLite | PostgreSQL)
    SQLite | PostgreSQL
    PostgreSQL | SQLite
    SQLite | PostgreSQL
    SQLite | PostgreSQL · the orders
    SQLite | PostgreSQL
    Zig | Go · the CLI
    Go | Zig · the CLI
    React | Go · HTMX
    Kafka | NATS | Go channels
    PostgreSQL | stay on SQLite (PostgreSQL | SQLite)
    nothing
    nothing
    ");
}

fn review(topic: &str, texts: &[(&str, SourceKind, &str)]) -> OptionsReview {
    let source = |(cite, kind, text): &(&str, SourceKind, &str)| OptionSource {
        cite: (*cite).to_owned(),
        kind: *kind,
        text: (*text).to_owned(),
    };
    let sources: Vec<OptionSource> = texts.iter().map(source).collect();
    review_options(&read_options(topic), topic, &sources, MemoryLooked::Asked)
}

#[test]
fn a_yes_or_no_is_answered_by_what_speaks_about_the_thing() {
    use SourceKind::{Decision, Note, Trap};
    let good = ("a", Decision, "We chose GraphQL for the shop.");
    let bad = ("b", Trap, "GraphQL queries timed out in the shop.");
    let names = ("c", Note, "The GraphQL schema has 40 types.");
    let topic = "Should we add GraphQL to the api?";
    let cases = [
        (topic, vec![good, names], Some("yes")),
        (topic, vec![bad], Some("no")),
        (topic, vec![good, bad], None),
        (topic, vec![names], None),
        ("Should we drop GraphQL?", vec![bad], Some("yes")),
        ("Should we drop GraphQL?", vec![good], Some("no")),
    ];
    for (topic, sources, expected) in cases {
        let found = review(topic, &sources);
        assert_eq!(found.recommended_name(), expected, "{topic} {found:?}");
        assert_eq!(
            found.cites().len(),
            sources.len(),
            "each is cited: {found:?}"
        );
    }
    let found = review(topic, &[good, bad]);
    assert_eq!(
        found.why,
        "Open: the sources disagree about GraphQL: a for it, b against it."
    );
    assert_eq!(found.options[0].speaks_for[0].cite, "a");
    assert_eq!(found.options[1].speaks_for[0].cite, "b");
    assert_eq!(
        review(topic, &[bad]).why,
        "b speaks against GraphQL and nothing speaks for it: no."
    );
    assert_eq!(
        review(topic, &[names]).unknown,
        ["Whether GraphQL fits: c only names it."]
    );
    let nothing = review(topic, &[]).warning.unwrap();
    assert!(nothing.contains("files name GraphQL"), "{nothing}");
}

#[test]
fn a_move_is_held_against_what_is_said_of_both_ends() {
    use SourceKind::Trap;
    let topic = "migrate from SQLite to PostgreSQL, or stay?";
    let found = review(topic, &[("a", Trap, "SQLite lost jobs.")]);
    assert_eq!(found.recommended_name(), Some("migrate to PostgreSQL"));
    assert_eq!(found.options[1].speaks_against[0].cite, "a");
    let found = review(topic, &[("a", Trap, "PostgreSQL lost jobs.")]);
    assert_eq!(found.recommended_name(), Some("stay with SQLite"));
}

#[test]
fn what_a_question_names_without_offering_it_is_looked_for() {
    use SourceKind::{Decision, Note};
    let topic = "What shall become of SQLite in the long run?";
    let asked = read_options(topic);
    assert!(asked.options.is_empty());
    assert_eq!(asked.names(), ["SQLite"]);
    let sources = [
        ("a", Decision, "sqlite3 is enough."),
        ("b", Note, "The login page is ugly."),
    ];
    let found = review(topic, &sources);
    assert!(found.options.is_empty(), "{found:?}");
    assert_eq!(found.background.len(), 1);
    assert_eq!(found.background[0].why, "names SQLite");
    let nothing = review(topic, &[]).warning.unwrap();
    assert!(nothing.contains("nor the files name SQLite."), "{nothing}");
    // Nothing was named that could have been looked for.
    let nothing = review("What shall become of it?", &[]).warning.unwrap();
    assert!(nothing.contains("close to its words"), "{nothing}");
}

#[test]
fn an_open_question_lists_what_is_said_about_it() {
    use SourceKind::{Constraint, Feedback};
    let topic = "How should the job queue survive a power cut?";
    let sources = [
        ("a", Constraint, "The job queue must survive a power cut."),
        ("b", Feedback, "The login page is ugly."),
    ];
    let found = review(topic, &sources);
    assert!(found.options.is_empty(), "{found:?}");
    assert_eq!(found.cites().into_iter().collect::<Vec<_>>(), ["a"]);
    assert_eq!(found.background[0].text, sources[0].2);
    let warning = found.warning.unwrap();
    assert!(warning.contains("answers nothing"), "{warning}");
    // Files are looked through for the same words.
    let asked = read_options(topic);
    let words = asked.searches(topic);
    assert!(words.contains(&"queue".to_owned()), "{words:?}");
    assert!(asked.is_met_by(topic, "// The queue must survive restarts."));
    assert!(!asked.is_met_by(topic, "// Power to the people."));
    let nothing = review(topic, &sources[1..]).warning.unwrap();
    assert!(nothing.contains("nor the files say anything"), "{nothing}");
}

#[test]
fn files_are_looked_through_for_every_spelling_of_a_name() {
    let topic = "SQLite3 or PostgreSQL for jobs?";
    let asked = read_options(topic);
    assert_eq!(asked.searches(topic), ["sqlite", "postgres", "pg", "psql"]);
    assert!(asked.is_met_by(topic, "We run postgres in production"));
    assert!(!asked.is_met_by(topic, "postgresomething else"));
    let topic = "Should we rewrite the parser or patch it?";
    let asked = read_options(topic);
    assert!(asked.is_met_by(topic, "Patching broke it"));
}

#[test]
fn what_something_is_brought_to_or_kept_at_is_the_option() {
    let table = [
        (
            "Should the orders live in PostgreSQL?",
            "yes | no (PostgreSQL) · orders",
        ),
        (
            "Should we move the orders to PostgreSQL?",
            "yes | no (PostgreSQL) · the orders",
        ),
        (
            "Should we move the orders to postgres?",
            "yes | no (postgres) · the orders",
        ),
        (
            "Should we keep the orders in SQLite?",
            "yes | no (SQLite) · the orders",
        ),
        (
            "Should the api run on Kubernetes?",
            "yes | no (Kubernetes) · api",
        ),
        (
            "Should we write the parser in Rust?",
            "yes | no (Rust) · the parser",
        ),
        (
            "Should we keep SQLite for the orders?",
            "yes | no (SQLite) · the orders",
        ),
        (
            "Should the orders stay in SQLite or move to PostgreSQL?",
            "SQLite | move to PostgreSQL (SQLite | PostgreSQL) · orders",
        ),
        (
            "Should the orders live in SQLite or in PostgreSQL?",
            "SQLite | PostgreSQL · orders",
        ),
        (
            "Should we move the orders to PostgreSQL or keep them in SQLite?",
            "PostgreSQL | SQLite · orders",
        ),
        (
            "Run on Kubernetes or stay on Nomad?",
            "Run on Kubernetes | stay on Nomad (Kubernetes | Nomad)",
        ),
    ];
    for (topic, told) in table {
        assert_eq!(read(topic), told, "{topic}");
    }
}
