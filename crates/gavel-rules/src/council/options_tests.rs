use proptest::prelude::*;

use super::super::MemoryLooked;
use super::*;

fn read(topic: &str) -> String {
    let found = read_options(topic);
    match (found.options.is_empty(), found.subject.as_str()) {
        (true, "") => "nothing".to_owned(),
        (_, "") => found.options.join(" | "),
        (_, subject) => format!("{} · {subject}", found.options.join(" | ")),
    }
}

fn source(cite: &str, kind: SourceKind, text: &str) -> OptionSource {
    OptionSource {
        cite: cite.to_owned(),
        kind,
        text: text.to_owned(),
    }
}

const TOPIC: &str = "SQLite or PostgreSQL for an embedded job queue?";

fn review(topic: &str, sources: &[OptionSource]) -> OptionsReview {
    review_options(&read_options(topic), topic, sources, MemoryLooked::Asked)
}

/// How one text is read: `+` for, `-` against, `?` a mention, for SQLite and then PostgreSQL.
fn signs(kind: SourceKind, text: &str) -> String {
    let found = review(TOPIC, &[source("s", kind, text)]);
    let sign = |option: &OptionStanding| {
        let count = (
            option.speaks_for.len(),
            option.speaks_against.len(),
            option.mentions.len(),
        );
        match count {
            (1, 0, 0) => '+',
            (0, 1, 0) => '-',
            (0, 0, 1) => '?',
            (0, 0, 0) => '.',
            _ => '!',
        }
    };
    found.options.iter().map(sign).collect()
}

#[test]
fn options_are_read_out_of_a_question() {
    let topics = [
        TOPIC,
        "Should we use SQLite or PostgreSQL for the queue?",
        "Redis, RabbitMQ, or NATS for events",
        "tokio vs async-std",
        "Tokio vs. smol vs. async-std for the server?",
        "Which database: SQLite or PostgreSQL?",
        "What should we use for the job queue: SQLite or PostgreSQL?",
        "For the job queue, should we use SQLite or PostgreSQL?",
        "Which store, SQLite or PostgreSQL, for jobs?",
        "Choose between a monolith and microservices for the shop.",
        "Is SQLite or PostgreSQL better for a job queue?",
        "We need an embedded queue. SQLite or PostgreSQL?",
        "SQLite for the queue or PostgreSQL?",
        "Should we rewrite the parser or patch it?",
        "Nên dùng SQLite hay PostgreSQL cho hàng đợi?",
        "Go or Rust?",
        "C++ or C#, given that we know both?",
        "C, R or Zig for the parser?",
        "Let's Encrypt or ZeroSSL for certificates?",
        "Let's use SQLite or PostgreSQL for jobs.",
        "Should we adopt PostgreSQL or stay on SQLite?",
        "PostgreSQL or SQLite: which for the orders?",
        // No choices.
        "Why does the login fail or hang?",
        "What do users or admins need?",
        "Find out why the build breaks when the network is slow or the cache is cold",
        "How do we ship?",
        "SQLite or sqlite?",
        "",
    ];
    let told: Vec<String> = topics.iter().map(|topic| read(topic)).collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    SQLite | PostgreSQL · an embedded job queue
    SQLite | PostgreSQL · the queue
    Redis | RabbitMQ | NATS · events
    tokio | async-std
    Tokio | smol | async-std · the server
    SQLite | PostgreSQL · database
    SQLite | PostgreSQL · the job queue
    SQLite | PostgreSQL · the job queue
    SQLite | PostgreSQL · jobs
    monolith | microservices · the shop
    SQLite | PostgreSQL · a job queue
    SQLite | PostgreSQL · We need an embedded queue
    SQLite | PostgreSQL · the queue
    rewrite the parser | patch it
    SQLite | PostgreSQL · hàng đợi
    Go | Rust
    C++ | C# · that we know both
    C | R | Zig · the parser
    Let's Encrypt | ZeroSSL · certificates
    SQLite | PostgreSQL · jobs
    PostgreSQL | stay on SQLite
    PostgreSQL | SQLite · the orders
    nothing
    nothing
    nothing
    nothing
    nothing
    nothing
    ");
}

/// How texts are read, as [`signs`] shows it.
const READINGS: &[(SourceKind, &str, &str)] = &[
    // Choices and rejections.
    (SourceKind::Note, "Use SQLite.", "+."),
    (SourceKind::Note, "Do not use SQLite.", "-."),
    (SourceKind::Note, "Don't use SQLite here", "-."),
    (SourceKind::Note, "Never use SQLite over NFS.", "-."),
    (SourceKind::Note, "We prefer Postgres", ".+"),
    (SourceKind::Note, "avoid the SQLite backend", "-."),
    (SourceKind::Note, "We moved away from SQLite", "-."),
    (SourceKind::Note, "PostgreSQL was ruled out", ".-"),
    (SourceKind::Note, "We decided on sqlite3", "+."),
    (
        SourceKind::Note,
        "Must run without a PostgreSQL server",
        ".-",
    ),
    (SourceKind::Note, "We would not recommend SQLite", "-."),
    (SourceKind::Note, "Đừng dùng SQLite", "-."),
    (SourceKind::Note, "Nên dùng PostgreSQL", ".+"),
    // What happened.
    (SourceKind::Note, "SQLite lost jobs after a crash", "-."),
    (SourceKind::Note, "SQLite never lost a job", "+."),
    (SourceKind::Note, "PostgreSQL did not fail once", ".+"),
    (SourceKind::Note, "Data loss with SQLite on NFS", "-."),
    (SourceKind::Note, "SQLITE_BUSY errors under load", "-."),
    (SourceKind::Note, "SQLite is too slow", "-."),
    (SourceKind::Note, "SQLite is enough for one writer", "+."),
    (SourceKind::Note, "SQLite is not enough", "-."),
    (SourceKind::Note, "SQLite does not scale", "-."),
    (SourceKind::Note, "We tried SQLite. It lost jobs.", "-."),
    (
        SourceKind::Note,
        "SQLite, under parallel writers, locked up",
        "-.",
    ),
    (SourceKind::Note, "No SQLite errors in a year", "+."),
    (SourceKind::Note, "Not only SQLite: anything", "?."),
    (
        SourceKind::Note,
        "PostgreSQL: rejected, since nobody runs it",
        ".-",
    ),
    (SourceKind::Note, "PostgreSQL was finally dropped", ".-"),
    (
        SourceKind::Note,
        "Customers cannot install PostgreSQL",
        ".-",
    ),
    (
        SourceKind::Note,
        "There is no one to operate PostgreSQL",
        ".-",
    ),
    (
        SourceKind::Note,
        "PostgreSQL needs a server that customers do not have",
        ".-",
    ),
    (SourceKind::Note, "SQLite needs no server", "+."),
    (
        SourceKind::Note,
        "SQLite in WAL mode survived every power cut",
        "+.",
    ),
    (
        SourceKind::Note,
        "Two workers writing to SQLite at once saw 'database is locked'",
        "-.",
    ),
    (SourceKind::Note, "A customer asked for Postgres", ".+"),
    (SourceKind::Note, "Nobody wants SQLite", "-."),
    (
        SourceKind::Note,
        "There is no ops team: nobody at a customer can run PostgreSQL",
        ".-",
    ),
    (SourceKind::Note, "Stop using SQLite", "-."),
    // Both at once.
    (SourceKind::Note, "Use SQLite instead of PostgreSQL", "+-"),
    (SourceKind::Note, "Instead of PostgreSQL, use SQLite", "+-"),
    (SourceKind::Note, "We chose PostgreSQL over SQLite", "-+"),
    (SourceKind::Note, "Use PostgreSQL, not SQLite", "-+"),
    (SourceKind::Note, "We moved from SQLite to PostgreSQL", "-+"),
    (SourceKind::Note, "We replaced SQLite with PostgreSQL", "-+"),
    (SourceKind::Note, "SQLite is faster than PostgreSQL", "+-"),
    (
        SourceKind::Note,
        "SQLite is slower than Postgres here",
        "-+",
    ),
    (SourceKind::Note, "Prefer SQLite to PostgreSQL", "+-"),
    (
        SourceKind::Note,
        "SQLite locked up and PostgreSQL worked",
        "-+",
    ),
    (
        SourceKind::Note,
        "Avoid PostgreSQL: it locked. SQLite works.",
        "+-",
    ),
    (SourceKind::Note, "Avoid SQLite and PostgreSQL", "--"),
    (SourceKind::Note, "SQLite and PostgreSQL both worked", "++"),
    (
        SourceKind::Note,
        "SQLite is fine, but PostgreSQL failed twice",
        "+-",
    ),
    (
        SourceKind::Note,
        "We considered PostgreSQL but chose SQLite",
        "+?",
    ),
    (
        SourceKind::Note,
        "PostgreSQL was dropped and SQLite kept",
        "+-",
    ),
    // Neither.
    (SourceKind::Note, "We run PostgreSQL and SQLite in CI", "??"),
    (
        SourceKind::Note,
        "The test suite starts PostgreSQL 16",
        ".?",
    ),
    (SourceKind::Note, "SQLite is fast but lost jobs", "?."),
    (SourceKind::Note, "If we use SQLite we need a lock", "?."),
    (SourceKind::Note, "We could use SQLite", "?."),
    (SourceKind::Note, "Use a pool with PostgreSQL", ".?"),
    (SourceKind::Note, "Why not SQLite?", "?."),
    (SourceKind::Decision, "Should we drop SQLite?", "?."),
    (SourceKind::Note, "Backups run at night", ".."),
];

/// What is denied, absent or past is no choice, whatever it was written down as.
const DENIED: &[(SourceKind, &str, &str)] = &[
    // The clear ones speak against it.
    (
        SourceKind::Decision,
        "SQLite is not available on site.",
        "-.",
    ),
    (
        SourceKind::File,
        "PostgreSQL is not available on site.",
        ".-",
    ),
    (SourceKind::Note, "SQLite isn't supported there", "-."),
    (
        SourceKind::Decision,
        "PostgreSQL is unavailable at customers",
        ".-",
    ),
    (SourceKind::Decision, "Never again SQLite.", "-."),
    (SourceKind::Decision, "SQLite: never again.", "-."),
    (SourceKind::Decision, "We are no longer on SQLite.", "-."),
    (SourceKind::Decision, "We no longer use SQLite.", "-."),
    (
        SourceKind::Decision,
        "PostgreSQL is no longer around.",
        ".-",
    ),
    (SourceKind::Decision, "PostgreSQL không phù hợp.", ".-"),
    (SourceKind::Decision, "Không nên dùng PostgreSQL.", ".-"),
    (SourceKind::Decision, "Không còn dùng SQLite nữa.", "-."),
    (SourceKind::Decision, "SQLite was removed.", "-."),
    (SourceKind::Decision, "SQLite was dropped last year.", "-."),
    // What denies trouble speaks for it.
    (SourceKind::Note, "SQLite no longer loses jobs", "+."),
    (SourceKind::Note, "PostgreSQL is no longer slow", ".+"),
    (SourceKind::Note, "SQLite không còn lỗi", "+."),
    // The rest cannot be told.
    (SourceKind::Decision, "Nobody here knows SQLite.", "?."),
    (SourceKind::Decision, "Until 2024 we used SQLite.", "?."),
    (
        SourceKind::Decision,
        "Until 2024, we preferred SQLite.",
        "?.",
    ),
    (
        SourceKind::Decision,
        "We chose SQLite until the server came.",
        "?.",
    ),
    (SourceKind::Decision, "We used to prefer SQLite.", "?."),
    (SourceKind::Decision, "Originally we chose SQLite.", "?."),
    (SourceKind::Decision, "SQLite was tried.", "?."),
    (SourceKind::Decision, "We tried PostgreSQL for jobs.", ".?"),
    (SourceKind::Decision, "PostgreSQL was our store.", ".?"),
    (SourceKind::Decision, "We could go with SQLite.", "?."),
    (SourceKind::Plan, "Evaluate PostgreSQL for jobs.", ".?"),
    (
        SourceKind::Constraint,
        "PostgreSQL is missing on site.",
        ".?",
    ),
    (SourceKind::Note, "SQLite used to crash", "?."),
    // What is used now, and what was agreed, is a choice.
    (SourceKind::Decision, "SQLite is used for jobs.", "+."),
    (
        SourceKind::Decision,
        "It was agreed: SQLite for jobs.",
        "+.",
    ),
    // A warning stays one.
    (SourceKind::Trap, "Until 2024 we had PostgreSQL.", ".-"),
    (
        SourceKind::Feedback,
        "Which store? We chose SQLite, and SQLite failed.",
        "-.",
    ),
    (
        SourceKind::Decision,
        "Which store? We chose SQLite, and it worked.",
        "+.",
    ),
];

#[test]
fn what_is_denied_or_past_is_no_choice() {
    assert_eq!(misread(DENIED), "");
    let told = review(
        TOPIC,
        &[source(
            "s",
            SourceKind::Decision,
            "Nobody here knows SQLite.",
        )],
    );
    assert_eq!(
        told.options[0].mentions[0].why,
        "names SQLite beside `Nobody`: yes or no cannot be told"
    );
    assert_eq!(told.recommended, None);
}

#[test]
fn a_kept_outcome_is_read_by_what_was_decided() {
    for text in [
        "Council on \"SQLite or PostgreSQL for jobs?\": SQLite.",
        "Council on \"SQLite or PostgreSQL for jobs?\" (evidence high, judged 83 %): Which store? \
         SQLite. Take SQLite for the embedded queue.",
        "Council on \"SQLite or PostgreSQL: \"now\"?\" (not judged): Which store? SQLite.",
    ] {
        let told = review(TOPIC, &[source("s", SourceKind::Decision, text)]);
        assert_eq!(told.recommended_name(), Some("SQLite"), "{told:?}");
        let cited = &told.options[0].speaks_for[0];
        assert_eq!(cited.text, "SQLite", "{told:?}");
        assert_eq!(told.cites().len(), 1);
        assert!(told.options[1].mentions.is_empty(), "{told:?}");
    }
    // The question of a decision is not what was decided.
    let text = "Council on \"Which?\": SQLite or PostgreSQL? SQLite.";
    let told = review(TOPIC, &[source("s", SourceKind::Decision, text)]);
    assert_eq!(told.options[0].speaks_for[0].text, "SQLite", "{told:?}");
    assert_eq!(told.options[1].mentions.len(), 1, "{told:?}");
}

/// Items as people write them.
const WRITTEN: &[(SourceKind, &str, &str)] = &[
    (
        SourceKind::Trap,
        "SQLite with several writer processes: the queue stalls on `database is locked`. Keep one writer.",
        "-.",
    ),
    (
        SourceKind::Decision,
        "Jobs are kept in SQLite, in the same file as the rest of the state, so that a backup is one copy.",
        "+.",
    ),
    (
        SourceKind::Constraint,
        "The product ships as a single binary; customers will not run a PostgreSQL server next to it.",
        ".-",
    ),
    (
        SourceKind::Constraint,
        "Installs must work offline and without a separate database server.",
        "..",
    ),
    (
        SourceKind::Feedback,
        "Ops asked us twice not to add another PostgreSQL to look after.",
        ".-",
    ),
    (
        SourceKind::Decision,
        "We moved the job queue from PostgreSQL to SQLite because embedded installs had no server.",
        "+-",
    ),
    (
        SourceKind::Trap,
        "PostgreSQL LISTEN/NOTIFY lost wake-ups behind pgbouncer in transaction mode.",
        ".-",
    ),
    (
        SourceKind::Decision,
        "Rejected PostgreSQL for embedded use; SQLite in WAL mode is enough for one host.",
        "+-",
    ),
    (
        SourceKind::Note,
        "Load test: SQLite handled 1,900 jobs/s, PostgreSQL 2,100 jobs/s.",
        "+?",
    ),
    (SourceKind::Plan, "Later: move reports to PostgreSQL.", ".+"),
    (
        SourceKind::Vision,
        "A job queue that works with SQLite and with PostgreSQL.",
        "++",
    ),
    (
        SourceKind::Trap,
        "Do not put the SQLite file on a network share: locks are not honoured there.",
        "-.",
    ),
    (
        SourceKind::Trap,
        "Use SQLite's WAL mode; the default journal blocks readers.",
        "+.",
    ),
    (
        SourceKind::Note,
        "PostgreSQL 16 is installed on the build machine.",
        ".?",
    ),
    (
        SourceKind::Feedback,
        "Setting up Postgres took our customer two days",
        ".?",
    ),
    (
        SourceKind::Decision,
        "No server process: that rules PostgreSQL out.",
        ".-",
    ),
    (
        SourceKind::Note,
        "SQLite was fine until we had two hosts, then it corrupted the file.",
        "-.",
    ),
    (
        SourceKind::Decision,
        "Neither SQLite nor PostgreSQL: plain files.",
        "--",
    ),
    (
        SourceKind::Decision,
        "We chose SQLite because PostgreSQL failed twice.",
        "+-",
    ),
    (
        SourceKind::Trap,
        "PostgreSQL bị lỗi khi mất mạng, nên dùng SQLite.",
        "+-",
    ),
    (
        SourceKind::Decision,
        "Chọn SQLite thay vì PostgreSQL cho hàng đợi.",
        "+-",
    ),
    (
        SourceKind::Note,
        "Unlike PostgreSQL, SQLite needs no server.",
        "+?",
    ),
    (
        SourceKind::Note,
        "PostgreSQL's SKIP LOCKED is a good fit for job queues.",
        ".+",
    ),
];

#[test]
fn ways_to_do_it_are_options_too() {
    let topic = "Should we rewrite the parser or patch it?";
    let sources = [
        source(
            "a",
            SourceKind::Trap,
            "Patching it broke three releases in a row.",
        ),
        source("b", SourceKind::Note, "The parser has 900 lines."),
    ];
    let found = review(topic, &sources);
    assert_eq!(found.recommended_name(), Some("rewrite the parser"));
    assert_eq!(found.options[1].speaks_against[0].cite, "a");
}

#[test]
fn items_are_read_as_their_writers_meant_them() {
    assert_eq!(misread(WRITTEN), "");
}

/// Lines of files: what is code says nothing about a choice.
const LINES: &[(SourceKind, &str, &str)] = &[
    (SourceKind::File, "use sqlite::Connection;", "?."),
    (SourceKind::File, "if postgres.failed() { retry() }", ".?"),
    (
        SourceKind::File,
        "// Avoid PostgreSQL here: tests run without a server.",
        ".-",
    ),
    (
        SourceKind::File,
        "# use sqlite until there are two hosts",
        "+.",
    ),
    (
        SourceKind::File,
        "We chose SQLite (see `store::open()`) over PostgreSQL.",
        "+?",
    ),
    (SourceKind::File, "sqlite = \"0.36\"", "?."),
    (SourceKind::File, "let broken = postgres;", ".?"),
];

#[test]
fn code_is_no_opinion() {
    assert_eq!(misread(LINES), "");
}

/// What is read otherwise than it should be.
fn misread(table: &[(SourceKind, &str, &str)]) -> String {
    let wrong = table.iter().filter_map(|(kind, text, expected)| {
        let found = signs(*kind, text);
        (found != *expected).then(|| format!("{text}: {found}, not {expected}"))
    });
    wrong.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_words_beside_an_option_decide() {
    assert_eq!(misread(READINGS), "");
}

#[test]
fn what_a_source_was_written_down_as_decides_where_words_do_not() {
    use SourceKind::{Constraint, Decision, Feedback, File, Note, Plan, Trap, Vision};
    let table = [
        (Trap, "PostgreSQL in containers", ".-"),
        (
            Trap,
            "SQLite locked under parallel writers; PostgreSQL did not",
            "-?",
        ),
        (Trap, "PostgreSQL worked after the upgrade", ".+"),
        (Trap, "Fast inserts into SQLite hide a loss of data", "-."),
        (Feedback, "PostgreSQL again!", ".?"),
        (Feedback, "I prefer PostgreSQL", ".+"),
        // What is said of a talk is not said of what the talk is about.
        (Feedback, "The talk on PostgreSQL was slow", ".?"),
        (Feedback, "The PostgreSQL workshop was good", ".?"),
        (Trap, "The meeting about SQLite ran out of time", "?."),
        (
            Trap,
            "The documentation of SQLite is complex, and SQLite locked",
            "-.",
        ),
        (
            Decision,
            "SQLite for tests, PostgreSQL for production",
            "++",
        ),
        (Decision, "We chose SQLite after a look at PostgreSQL", "+?"),
        (Constraint, "All state lives in one SQLite file", "+."),
        (Constraint, "No PostgreSQL on customer machines", ".-"),
        (Vision, "A tool around SQLite", "+."),
        (Plan, "Ship the PostgreSQL store", ".+"),
        (Note, "SQLite", "?."),
        (File, "[dependencies] sqlite", "?."),
    ];
    assert_eq!(misread(&table), "");
}

#[test]
fn what_is_no_sentence_decides_nothing() {
    let long = format!("Avoid SQLite {}", "x ".repeat(400));
    assert_eq!(signs(SourceKind::Note, &long), "?.");
    // Many names in one line are read in time.
    let many = "SQLite and PostgreSQL failed and ".repeat(3_000);
    assert_eq!(signs(SourceKind::File, &many), "??");
}

/// A review as lines, for snapshots.
fn shown(review: &OptionsReview) -> String {
    let mut lines = Vec::new();
    for option in &review.options {
        lines.push(option.name.clone());
        for (sign, list) in [
            ('+', &option.speaks_for),
            ('-', &option.speaks_against),
            ('?', &option.mentions),
        ] {
            let cited = list.iter();
            lines.extend(cited.map(|c| format!("  {sign} {}: {} ({})", c.cite, c.text, c.why)));
        }
    }
    let background = review.background.iter();
    lines.extend(background.map(|c| format!("background {}: {}", c.cite, c.why)));
    lines.extend(review.unknown.iter().map(|line| format!("unknown: {line}")));
    lines.push(review.recommended_name().unwrap_or("open").to_owned());
    lines.push(review.why.clone());
    lines.extend(review.warning.clone());
    lines.join("\n")
}

fn memory() -> Vec<OptionSource> {
    vec![
        source(
            "trp_1",
            SourceKind::Trap,
            "PostgreSQL connections ran out when every worker held one. See the outage of May.",
        ),
        source(
            "dec_1",
            SourceKind::Decision,
            "We chose PostgreSQL for reports.",
        ),
        source(
            "con_1",
            SourceKind::Constraint,
            "The job queue must survive a power cut.",
        ),
        source("fdb_1", SourceKind::Feedback, "The login page is ugly."),
    ]
}

#[test]
fn a_review_names_its_sources_and_what_it_read() {
    insta::assert_snapshot!(shown(&review(TOPIC, &memory())), @r"
    SQLite
    PostgreSQL
      + dec_1: We chose PostgreSQL for reports (names PostgreSQL after `chose`)
      - trp_1: PostgreSQL connections ran out when every worker held one (names PostgreSQL before `ran out`)
    background con_1: shares 2 words with the subject and names no option
    unknown: Whether SQLite fits: neither project memory nor the files name it.
    unknown: What holds of PostgreSQL now: dec_1 for it, trp_1 against it.
    open
    Open: the sources disagree about PostgreSQL, and too little is known of the rest.
    ");
}

#[test]
fn retiring_the_one_item_against_it_changes_the_recommendation() {
    let mut sources = memory();
    assert_eq!(review(TOPIC, &sources).recommended, None);
    let retired = sources.remove(0);
    let after = review(TOPIC, &sources);
    assert_eq!(after.recommended_name(), Some("PostgreSQL"));
    assert!(
        !serde_json::to_string(&after)
            .unwrap()
            .contains(&retired.cite)
    );
    // The other way round: what falls with the only item against it is the recommendation.
    let alone = [retired];
    assert_eq!(review(TOPIC, &alone).recommended_name(), Some("SQLite"));
    assert_eq!(review(TOPIC, &[]).recommended, None);
}

#[test]
fn empty_memory_cites_nothing_and_warns() {
    insta::assert_snapshot!(shown(&review(TOPIC, &[])), @r"
    SQLite
    PostgreSQL
    unknown: Whether SQLite fits: neither project memory nor the files name it.
    unknown: Whether PostgreSQL fits: neither project memory nor the files name it.
    open
    Open: nothing speaks for or against any option.
    Neither project memory nor the files name any of these options: a critique has nothing to stand on.
    ");
    insta::assert_snapshot!(shown(&review("Shall we go on?", &memory())), @r"
    open
    Open: the question names no options to choose between.
    The question names no options, and neither project memory nor the files say anything close to its words. Ask it as “A or B for …?”.
    ");
}

#[test]
fn evidence_on_both_sides_stays_open() {
    use SourceKind::{Decision, Trap};
    let sqlite = source("a", Decision, "Use SQLite");
    let postgres = source("b", Decision, "Use PostgreSQL");
    let not_sqlite = source("c", Trap, "SQLite lost jobs");
    let not_postgres = source("d", Trap, "PostgreSQL ran out of connections");
    for (sources, expected) in [
        (vec![&sqlite], Some("SQLite")),
        (vec![&sqlite, &postgres], None),
        (vec![&sqlite, &postgres, &not_sqlite], Some("PostgreSQL")),
        (vec![&sqlite, &not_sqlite], None),
        (vec![&not_sqlite, &not_postgres], None),
        (vec![&not_sqlite], Some("PostgreSQL")),
        // The same source twice is one source.
        (vec![&sqlite, &postgres, &postgres], None),
    ] {
        let sources: Vec<OptionSource> = sources.into_iter().cloned().collect();
        let found = review(TOPIC, &sources);
        assert_eq!(found.recommended_name(), expected, "{}", shown(&found));
    }
    // Praise that is repeated does not settle it: the other one is praised and nothing is against it.
    let more = source("e", Decision, "We prefer SQLite");
    let found = review(TOPIC, &[sqlite.clone(), more, postgres.clone()]);
    assert_eq!(found.recommended, None, "{}", shown(&found));
    // With three options, one that falls leaves two that nothing sets apart.
    let three = "SQLite, PostgreSQL or Redis for jobs?";
    assert_eq!(review(three, &[not_sqlite]).recommended, None);
}

#[test]
fn the_reason_names_every_other_option() {
    use SourceKind::{Decision, Trap};
    let topic = "SQLite, PostgreSQL, Redis, Kafka or NATS for jobs?";
    let mut sources = vec![
        source("a", Decision, "Use SQLite"),
        source("b", Trap, "PostgreSQL ran out of connections"),
        source("c", Decision, "Use Redis"),
        source("d", Trap, "Redis lost jobs"),
    ];
    insta::assert_snapshot!(review(topic, &sources).why, @"a speaks for SQLite and nothing speaks against it. b speaks against PostgreSQL. d speaks against Redis, although c speaks for it. Nothing speaks for or against Kafka and NATS.");
    // Once nothing speaks against Redis, there are two that could be taken.
    sources.pop();
    let open = review(topic, &sources);
    assert_eq!(open.recommended, None, "{}", open.why);
    assert!(open.why.contains("Redis and SQLite"), "{}", open.why);
}

fn any_source() -> impl Strategy<Value = OptionSource> {
    let texts = prop::sample::select(vec![
        "Use SQLite",
        "Avoid SQLite",
        "SQLite is fast but lost jobs",
        "We chose PostgreSQL over SQLite",
        "PostgreSQL ran out of connections",
        "Postgres",
        "Redis and SQLite both worked",
        "Redis was dropped",
        "The job queue is small",
    ]);
    let kinds = prop::sample::select(vec![
        SourceKind::Trap,
        SourceKind::Decision,
        SourceKind::Note,
    ]);
    ("[a-d]", kinds, texts).prop_map(|(cite, kind, text)| source(&cite, kind, text))
}

proptest! {
    #[test]
    fn order_changes_nothing_but_the_listing(
        sources in prop::collection::vec(any_source(), 0..7),
        turn in 0_usize..3,
    ) {
        let options = ["SQLite", "PostgreSQL", "Redis"].map(str::to_owned);
        let topic = |turn: usize| {
            let mut options = options.to_vec();
            options.rotate_left(turn);
            TopicOptions { options, subject: "jobs".to_owned(), named: Vec::new(), aliases: Vec::new() }
        };
        let here = review_options(&topic(0), "t", &sources, MemoryLooked::Asked);
        let back: Vec<OptionSource> = sources.iter().rev().cloned().collect();
        let there = review_options(&topic(turn), "t", &back, MemoryLooked::Asked);
        prop_assert_eq!(here.recommended_name(), there.recommended_name());
        prop_assert_eq!(&here.why, &there.why);
        let standing = |review: &OptionsReview| {
            let mut all: Vec<String> = Vec::new();
            for option in &review.options {
                for (sign, list) in [
                    ("+", &option.speaks_for),
                    ("-", &option.speaks_against),
                    ("?", &option.mentions),
                ] {
                    all.extend(list.iter().map(|c| format!("{} {sign} {c:?}", option.name)));
                }
            }
            all.sort();
            all
        };
        prop_assert_eq!(standing(&here), standing(&there));
    }

    #[test]
    fn every_citation_is_a_source_and_a_recommendation_has_nothing_against_it(
        sources in prop::collection::vec(any_source(), 0..7),
    ) {
        let found = review(TOPIC, &sources);
        for option in &found.options {
            let lists = [&option.speaks_for, &option.speaks_against, &option.mentions];
            for cited in lists.into_iter().flatten() {
                prop_assert!(sources.iter().any(|source| source.cite == cited.cite));
            }
        }
        if let Some(place) = found.recommended {
            let option = &found.options[place as usize];
            prop_assert!(option.speaks_against.is_empty());
            let others = found.options.iter().filter(|other| other.name != option.name);
            let one_sided = others.clone().all(|other| !other.speaks_against.is_empty());
            prop_assert!(!option.speaks_for.is_empty() || one_sided);
            let mut others = others;
            let rival = others.any(|o| !o.speaks_for.is_empty() && o.speaks_against.is_empty());
            prop_assert!(!rival, "one-sided: {}", found.why);
        }
    }

    #[test]
    fn nothing_that_is_written_breaks_it(topic in ".{0,80}", text in ".{0,120}") {
        let found = review(&topic, &[source("s", SourceKind::Note, &text)]);
        prop_assert!(found.options.len() != 1);
        let or = format!("{topic} or SQLite?");
        prop_assert!(review(&or, &[source("s", SourceKind::Trap, &text)]).options.len() != 1);
    }
}

/// How a trap and a remark are read whose sentence may be about something else: `.` for what they do not
/// name, `?` for context.
#[test]
fn what_is_said_of_something_else_is_context() {
    use SourceKind::{Decision, Feedback, Trap};
    let table = [
        (
            Feedback,
            "The vendor of the PostgreSQL hosting answered too slow on the phone.",
            ".?",
        ),
        (
            Trap,
            "The PostgreSQL consultant was expensive and left early.",
            ".?",
        ),
        (
            Trap,
            "PostgreSQL hosting answered too slow on the phone.",
            ".?",
        ),
        (
            Trap,
            "The owner of the PostgreSQL licence lost the invoice.",
            ".?",
        ),
        (
            Feedback,
            "The customer who asked for PostgreSQL was too slow to pay.",
            ".?",
        ),
        (Feedback, "Anna presented PostgreSQL in March.", ".?"),
        (
            Feedback,
            "The talk on SQLite was boring and too slow.",
            "?.",
        ),
        // What belongs to it is it.
        (Trap, "PostgreSQL connections ran out.", ".-"),
        (Trap, "The connections of PostgreSQL ran out.", ".-"),
        (Trap, "The SQLite file was corrupt after the outage.", "-."),
        (Trap, "SQLite became slow with ten users.", "-."),
        (Trap, "Data loss with SQLite on NFS.", "-."),
        (Trap, "Rows were lost in PostgreSQL.", ".-"),
        (Feedback, "PostgreSQL was too slow for the reports.", ".-"),
        (Decision, "SQLite is enough for the orders.", "+."),
        (Decision, "We got rid of PostgreSQL.", ".-"),
        (Decision, "Orders stay in SQLite.", "+."),
    ];
    for (kind, text, read) in table {
        assert_eq!(signs(kind, text), read, "{text}");
    }
}
