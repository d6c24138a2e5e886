//! The discovery through the door: what is asked, what is not, who recommends, what it may cost.

use gavel_domain::{
    EarlierRunsRecalled, Halted, QuestionAsked, RecommendersChosen, RepositoryKind, RepositoryRead,
    RunStarted, TokenUsage, Tokens,
};
use gavel_testkit::{FakeReply, FakeServer, Gate, SeenRequest, fake_server, git};
use serde_json::{Value, json};

use crate::bench::{Ended, run_id};
use crate::studio::{Served, Speaks, Studio};

const IDEA: &str = "a guest book for the visitors of a museum";
const WEB: [(&str, &str); 10] = [
    ("product-type", "consumer-app"),
    ("target-platform", "web"),
    ("audience", "a few hundred visitors"),
    ("backend-architecture", "monolith"),
    ("backend-stack", "Python with Flask"),
    ("db-strategy", "SQLite"),
    ("frontend-approach", "server-rendered HTML"),
    ("ba-status", "partial"),
    ("design-status", "none"),
    ("deployment", "docker on one server"),
];

/// What a leader says about the guest book.
fn reply(size: &str) -> Value {
    let recommendations: Vec<Value> = WEB
        .iter()
        .map(|(question, answer)| {
            json!({
                "question": question, "answer": answer, "why": format!("leader on {question}"),
                "alternatives": if *question == "db-strategy" { json!(["one file"]) } else { json!([]) },
            })
        })
        .collect();
    json!({
        "reach": "within", "reach_reason": "", "title": "guest-book", "size": size,
        "recommendations": recommendations,
    })
}

/// What a request asks for, by the one field that its answer must have.
fn asked_for(seen: &SeenRequest) -> String {
    let answer = seen.rebuilt().request.answer;
    let schema = answer.map(|answer| answer.schema).unwrap_or_default();
    let fields = schema["properties"]
        .as_object()
        .cloned()
        .unwrap_or_default();
    let known = ["reach", "votes", "settled"];
    let found = known.into_iter().find(|name| fields.contains_key(*name));
    found.unwrap_or_default().to_owned()
}

/// A model that answers these; anything else is refused, where the discovery is over.
fn model(answers: Vec<(&'static str, FakeReply)>) -> FakeServer {
    let rule = move |seen: &SeenRequest| {
        let wanted = asked_for(seen);
        let mut answers = answers.iter();
        let found = answers.find(|(name, _)| *name == wanted);
        let refused = || FakeReply::status(400, r#"{"error":{"message":"enough"}}"#);
        found.map_or_else(refused, |(_, reply)| reply.clone())
    };
    fake_server().rule(rule).start()
}

pub(crate) fn leader(size: &str) -> FakeServer {
    model(vec![("reach", FakeReply::text(&reply(size).to_string()))])
}

/// What a seat recommends: the place of its data, how sure it is, everything else as the others.
fn seat_votes(store: &str, confidence: u8) -> Value {
    let ids = [
        "backend-architecture",
        "backend-stack",
        "db-strategy",
        "deployment",
    ];
    let votes = ids.map(|id| {
        let answer = match id {
            "db-strategy" => store,
            "backend-architecture" => "modular monolith",
            "backend-stack" => "Go",
            _ => "fly.io in the cloud",
        };
        let why = format!("seat on {id}");
        json!({"question": id, "answer": answer, "why": why, "confidence": confidence})
    });
    json!({"votes": votes})
}

fn seat(store: &str, confidence: u8) -> FakeServer {
    let votes = seat_votes(store, confidence);
    model(vec![("votes", FakeReply::text(&votes.to_string()))])
}

fn served<'a>(name: &'a str, server: &'a FakeServer) -> Served<'a> {
    Served {
        name,
        server,
        speaks: Speaks::OpenAi,
    }
}

fn with_leader(server: &FakeServer) -> Studio {
    let settings =
        "[models]\npaid = \"agreed\"\nslots = { leader = \"lead/rules\", stances = [] }\n";
    Studio::with(settings, &[served("lead", server)])
}

fn with_seats(lead: &FakeServer, seats: [&FakeServer; 3]) -> Studio {
    let settings = "[models]\npaid = \"agreed\"\n\n[models.slots]\nleader = \"lead/rules\"\n\
                    stances = [\"one/rules\", \"two/rules\", \"three/rules\"]\n";
    let [one, two, three] = seats;
    let models = [
        served("lead", lead),
        served("one", one),
        served("two", two),
        served("three", three),
    ];
    Studio::with(settings, &models)
}

fn start(studio: &Studio, more: &[&str]) -> Ended {
    let id = run_id().to_string();
    let fixed = ["start", IDEA, "--into", "made", "--run", &id];
    studio.run(&[&fixed[..], more].concat())
}

fn answer(studio: &Studio, words: &[&str]) -> Ended {
    let id = run_id().to_string();
    studio.run(&[&["answer", &id], words, &["--resume"]].concat())
}

/// The questions of the discovery, by key, in order.
fn cards(studio: &Studio) -> Vec<String> {
    let seen = studio.look();
    assert!(!seen.holds("input_drifted"), "every drive asks the same");
    let asked = seen.records.iter();
    let asked = asked.filter(|record| record.read::<QuestionAsked>().is_ok());
    let keys = asked.map(|record| record.key.key().to_string());
    keys.filter(|key| key.starts_with("discovery-")).collect()
}

/// An answer as it was recorded: what, from where, why.
fn taken(studio: &Studio, question: &str) -> (String, String, String) {
    let report = studio.bench.json(&["review", &run_id().to_string()]);
    let answers = report["discovery"]["answers"].as_array();
    let mut answers = answers.unwrap_or_else(|| panic!("{report}")).iter();
    let one = answers.find(|one| one["question"] == question).unwrap();
    let text = |name: &str| one[name].as_str().unwrap_or_default().to_owned();
    (text("answer"), text("source"), text("why"))
}

#[test]
fn a_clear_brief_gets_four_cards_at_most_and_a_small_one_gets_one() {
    let server = leader("standard");
    let studio = with_leader(&server);
    let first = start(&studio, &[]);
    assert_eq!(first.code, Some(3), "{first:?}");
    for told in [
        "2 of them matter",
        "partial (not asked: the spec is shown before anything is built)",
        "- Where does it run? ",
        "answer the 2 that matter most",
    ] {
        assert!(first.stdout.contains(told), "{told}: {}", first.stdout);
    }
    assert!(!first.stdout.contains("ba-status"), "{first:?}");
    let one = answer(&studio, &["look"]);
    assert!(
        one.stdout.contains("Question 1 of 2: What kind of product"),
        "{one:?}"
    );
    let two = answer(&studio, &["recommended"]);
    assert!(
        two.stdout.contains("Question 2 of 2: Where does it run?"),
        "{two:?}"
    );
    let gate = answer(&studio, &["web and android"]);
    assert!(
        gate.stdout.contains("Go on with these answers?"),
        "{gate:?}"
    );
    assert!(
        gate.stdout
            .contains("target-platform: web and android (you said so)"),
        "{gate:?}"
    );
    let on = answer(&studio, &["proceed"]);
    assert_eq!(on.code, Some(7), "the discovery is over: {on:?}");
    assert_eq!(
        cards(&studio),
        [
            "discovery-1/recommended",
            "discovery-1/question-product-type",
            "discovery-1/question-target-platform",
            "discovery-1/gate-1",
        ]
    );
    let (what, source, _) = taken(&studio, "target-platform");
    assert_eq!(
        (what.as_str(), source.as_str()),
        ("web and android", "person")
    );
    server.finish();

    let server = leader("trivial");
    let studio = with_leader(&server);
    let first = start(&studio, &[]);
    assert!(
        first.stdout.contains("take all ten as recommended"),
        "{first:?}"
    );
    let on = answer(&studio, &["take-all"]);
    assert_eq!(on.code, Some(7), "{on:?}");
    assert_eq!(cards(&studio), ["discovery-1/recommended"]);
    server.finish();
}

#[test]
fn yes_takes_what_is_recommended_with_one_answer() {
    let server = leader("complex");
    let studio = with_leader(&server);
    let on = start(&studio, &["--yes"]);
    assert_eq!(on.code, Some(7), "{on:?}");
    assert_eq!(cards(&studio), ["discovery-1/recommended"]);
    assert_eq!(server.requests().len(), 2, "the discovery and the spec");
    server.finish();
}

#[test]
fn the_last_card_changes_fields_and_asks_more() {
    let server = leader("standard");
    let studio = with_leader(&server);
    for (words, told) in [
        (&["look"][..], "Question 1 of 2"),
        (
            &["a blorb"],
            "That cannot be read: `a blorb` is no answer to `product-type`",
        ),
        (&["a SaaS"], "Question 2 of 2"),
        (&["recommended"], "Go on with these answers?"),
        (
            &["colour: blue"],
            "Nothing was changed: `colour` is none of",
        ),
        (
            &["db-strategy: one JSON file"],
            "db-strategy: one JSON file (you said so)",
        ),
        (&["more"], "Question 1 of 8"),
    ] {
        if words == ["look"] {
            let first = start(&studio, &[]);
            assert_eq!(first.code, Some(3), "{first:?}");
        }
        let shown = answer(&studio, words);
        assert!(shown.stdout.contains(told), "{words:?} {told}: {shown:?}");
    }
    let ended = answer(&studio, &["abort"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let halted = studio.look().facts::<Halted>();
    assert_eq!(halted[0].reason, "interview_aborted");
    server.finish();
}

/// What a leader says who takes it for a tool.
fn tool() -> FakeServer {
    let mut reply = reply("standard");
    reply["recommendations"][0]["answer"] = json!("cli-tool");
    reply["recommendations"][1]["answer"] = json!("a terminal");
    model(vec![("reach", FakeReply::text(&reply.to_string()))])
}

#[test]
fn what_a_person_says_opens_questions_and_settles_others() {
    let server = tool();
    let studio = with_leader(&server);
    let first = start(&studio, &[]);
    let moot = "Where does it run? a terminal (not asked: such a tool runs in a terminal)";
    assert!(first.stdout.contains(moot), "{first:?}");
    let one = answer(&studio, &["look"]);
    assert!(one.stdout.contains("What kind of product"), "{one:?}");
    let two = answer(&studio, &["a SaaS"]);
    assert!(
        two.stdout.contains("Question 2 of 4: Where does it keep"),
        "{two:?}"
    );
    let three = answer(&studio, &["recommended"]);
    assert!(
        three.stdout.contains("Where does it run?"),
        "no tool any more: {three:?}"
    );
    let four = answer(&studio, &["the web"]);
    assert!(
        four.stdout.contains("How is its inside divided?"),
        "{four:?}"
    );
    let five = answer(&studio, &["recommended"]);
    assert!(
        five.stdout.contains("What do people see"),
        "the web has pages: {five:?}"
    );
    let gate = answer(&studio, &["recommended"]);
    assert!(
        gate.stdout
            .contains("deployment: docker on one server (leader on"),
        "{gate:?}"
    );
    // Back to a tool: what was asked stays, what was not asked is moot again.
    let gate = answer(&studio, &["product-type: a CLI tool"]);
    let moot = "deployment: docker on one server (not asked: people install such a tool)";
    assert!(gate.stdout.contains(moot), "{gate:?}");
    assert!(
        gate.stdout
            .contains("target-platform: the web (you said so)"),
        "{gate:?}"
    );
    server.finish();
}

#[test]
fn required_questions_that_are_skipped_come_again_and_then_stay_open() {
    let server = leader("standard");
    let studio = with_leader(&server);
    let first = start(&studio, &[]);
    assert_eq!(first.code, Some(3), "{first:?}");
    let mut shown = answer(&studio, &["look"]);
    // There are two, however often they come, and their options keep their numbers.
    let mut options: Vec<Vec<String>> = Vec::new();
    for number in [1, 2, 1, 2, 1, 2] {
        let title = format!("Question {number} of 2: ");
        assert!(shown.stdout.contains(&title), "{title} {shown:?}");
        let numbered = |line: &&str| line.starts_with("    ") && line.contains(". ");
        let lines = shown.stdout.lines().filter(numbered);
        options.push(lines.map(str::to_owned).collect());
        assert!(!shown.stdout.contains("end the interview"), "{shown:?}");
        shown = answer(&studio, &["skip"]);
    }
    assert!(!options[0].is_empty());
    assert_eq!(options[..2], options[2..4]);
    assert_eq!(options[..2], options[4..]);
    let open = "Still open, and the work rests on it: product-type, target-platform.";
    assert!(shown.stdout.contains(open), "{shown:?}");
    let ended = answer(&studio, &["proceed"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let halted = studio.look().facts::<Halted>();
    assert_eq!(halted[0].reason, "insufficient_resolution");
    server.finish();

    // A later run with a similar idea is told, unless it is to do without.
    let again = "01890a5d-ac96-774b-bcce-b302099a8058";
    let server = leader("trivial");
    let settings =
        "[models]\npaid = \"agreed\"\nslots = { leader = \"lead/rules\", stances = [] }\n";
    studio.set(settings, &[served("lead", &server)]);
    let idea = "a guest book for visitors";
    let told = studio.run(&["start", idea, "--into", "made", "--run", again]);
    assert!(
        told.stdout.contains("Earlier runs with a similar idea"),
        "{told:?}"
    );
    assert!(
        told.stdout.contains("halted: insufficient_resolution"),
        "{told:?}"
    );
    assert!(
        server.requests()[0]
            .body
            .to_string()
            .contains("insufficient_resolution")
    );
    let third = "01890a5d-ac96-774b-bcce-b302099a8059";
    let alone = studio.run(&[
        "start",
        idea,
        "--into",
        "made",
        "--run",
        third,
        "--no-prior-context",
    ]);
    assert!(alone.stdout.contains("Take them all?"), "{alone:?}");
    assert!(!alone.stdout.contains("Earlier runs"), "{alone:?}");
    server.finish();
}

#[test]
fn the_run_itself_is_no_earlier_run() {
    let server = leader("trivial");
    let studio = with_leader(&server);
    let first = start(&studio, &[]);
    assert!(!first.stdout.contains("Earlier runs"), "{first:?}");
    let recalled = studio.look().facts::<EarlierRunsRecalled>();
    assert_eq!(recalled.len(), 1);
    assert!(recalled[0].runs.is_empty());
    server.finish();
}

#[test]
fn what_the_repository_answers_is_not_asked() {
    let server = leader("standard");
    let studio = with_leader(&server);
    let checkout = studio.bench.toy.checkout();
    let write = |name: &str, text: &str| {
        let path = checkout.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write(
        "package.json",
        r#"{"dependencies": {"express": "4", "pg": "8"}}"#,
    );
    write(
        "README.md",
        "# Museum\n\nFor the people at the desk.\n\n## Use\n",
    );
    for number in 0..7 {
        write(&format!("src/part{number}.ts"), "export {};\n");
    }
    write("tests/part.test.ts", "export {};\n");
    git(&checkout, &["add", "."]);
    git(&checkout, &["commit", "-qm", "a museum"]);
    // What is not committed does not count.
    write("Cargo.toml", "[dependencies]\n");

    let id = run_id().to_string();
    let first = studio.run(&["start", IDEA, "--into", "../checkout", "--run", &id]);
    assert_eq!(first.code, Some(3), "{first:?}");
    for told in [
        "TypeScript or JavaScript on Node, as the repository has it (not asked: the repository is",
        "PostgreSQL, as the repository has it (pg) (not asked: the repository has a place",
        "how many are they? a few hundred visitors (not asked: the README says who it is for)",
    ] {
        let shown = first.stdout.replace("\n  ", " ");
        assert!(shown.contains(told), "{told}: {shown}");
    }
    let sent = server.requests()[0].body.to_string();
    for told in [
        "For the people at the desk.",
        "a museum",
        "repository_found",
    ] {
        assert!(sent.contains(told), "{told}: {sent}");
    }
    let read = studio.look().facts::<RepositoryRead>();
    let read: Vec<_> = read
        .iter()
        .map(|one| (one.kind, one.sources, one.tests))
        .collect();
    assert_eq!(read, [(RepositoryKind::Existing, 7, 1)]);
    let one = answer(&studio, &["look"]);
    assert!(one.stdout.contains("How is its inside divided?"), "{one:?}");
    server.finish();
}

#[test]
fn two_seats_that_agree_win_and_the_third_is_an_alternative() {
    let lead = leader("complex");
    let seats = [
        seat("PostgreSQL", 60),
        seat("one file", 99),
        seat("a Postgres server", 70),
    ];
    let studio = with_seats(&lead, [&seats[0], &seats[1], &seats[2]]);
    let on = start(&studio, &["--yes"]);
    assert_eq!(on.code, Some(7), "{on:?}");
    let (what, source, why) = taken(&studio, "db-strategy");
    assert_eq!(
        (what.as_str(), source.as_str()),
        ("a Postgres server", "council")
    );
    assert_eq!(why, "seat on db-strategy (2 of 3 seats agree)");
    let (what, _, why) = taken(&studio, "backend-stack");
    assert_eq!(
        (what.as_str(), why.as_str()),
        ("Go", "seat on backend-stack (3 of 3 seats agree)")
    );
    let (what, source, _) = taken(&studio, "audience");
    assert_eq!(
        (what.as_str(), source.as_str()),
        ("a few hundred visitors", "recommended")
    );
    // One request to each seat, whatever the number of questions; each has an aim of its own.
    for (server, name) in seats.iter().zip(["pragmatist", "scaler", "cost-optimiser"]) {
        let sent = server.requests();
        assert!(
            sent[0]
                .body
                .to_string()
                .contains(&format!("Your seat is the {name}")),
            "{name}"
        );
        let votes = sent.iter().filter(|seen| asked_for(seen) == "votes");
        assert_eq!(votes.count(), 1);
    }
    let settled = lead
        .requests()
        .into_iter()
        .filter(|seen| asked_for(seen) == "settled");
    assert_eq!(settled.count(), 0, "nothing was left to settle");
    for server in seats.into_iter().chain([lead]) {
        server.finish();
    }
}

#[test]
fn a_split_is_settled_by_the_leader_or_by_the_surest_seat() {
    for (settled, what, marked) in [
        (
            json!({"settled": [{"question": "db-strategy", "answer": "SQLite", "why": "both worlds"}]}),
            "SQLite",
            "both worlds (drawn from seats that do not agree)",
        ),
        (
            json!({"settled": [{"question": "db-strategy", "answer": "on the moon", "why": "cold"}]}),
            "one file",
            "seat on db-strategy (the seats do not agree; this is the surest one)",
        ),
    ] {
        let lead = model(vec![
            ("reach", FakeReply::text(&reply("complex").to_string())),
            ("settled", FakeReply::text(&settled.to_string())),
        ]);
        let seats = [
            seat("PostgreSQL", 60),
            seat("one file", 99),
            seat("MongoDB", 70),
        ];
        let studio = with_seats(&lead, [&seats[0], &seats[1], &seats[2]]);
        let on = start(&studio, &["--yes"]);
        assert_eq!(on.code, Some(7), "{on:?}");
        let (answer, source, why) = taken(&studio, "db-strategy");
        assert_eq!(
            (answer.as_str(), source.as_str(), why.as_str()),
            (what, "council", marked)
        );
        for server in seats.into_iter().chain([lead]) {
            server.finish();
        }
    }
}

#[test]
fn seats_that_fail_leave_it_to_the_others_and_in_the_end_to_the_leader() {
    let lead = leader("complex");
    let seats = [model(Vec::new()), model(Vec::new()), model(Vec::new())];
    let studio = with_seats(&lead, [&seats[0], &seats[1], &seats[2]]);
    let on = start(&studio, &["--yes"]);
    assert_eq!(on.code, Some(7), "{on:?}");
    let (what, source, why) = taken(&studio, "db-strategy");
    let told = (what.as_str(), source.as_str(), why.as_str());
    assert_eq!(told, ("SQLite", "recommended", "leader on db-strategy"));
    for server in seats.into_iter().chain([lead]) {
        server.finish();
    }
}

#[test]
fn a_key_that_is_not_accepted_stops_at_once_and_is_named() {
    let refusing = || {
        let body = r#"{"error":{"message":"no such key"}}"#;
        fake_server()
            .rule(move |_| FakeReply::status(401, body))
            .start()
    };
    let lead = refusing();
    let studio = with_leader(&lead);
    let stuck = start(&studio, &["--yes"]);
    assert_eq!(stuck.code, Some(7), "{stuck:?}");
    assert_eq!(lead.requests().len(), 1, "nobody knocks twice");
    for told in ["key was not accepted", "`lead`", "no such key"] {
        assert!(stuck.stdout.contains(told), "{told}: {stuck:?}");
    }
    assert!(
        !stuck.stdout.contains("answer the questions myself"),
        "{stuck:?}"
    );
    lead.finish();

    let lead = leader("complex");
    let seats = [seat("SQLite", 50), refusing(), seat("SQLite", 50)];
    let studio = with_seats(&lead, [&seats[0], &seats[1], &seats[2]]);
    let stuck = start(&studio, &["--yes"]);
    assert_eq!(stuck.code, Some(7), "{stuck:?}");
    assert!(stuck.stdout.contains("endpoint `two`"), "{stuck:?}");
    assert_eq!(cards(&studio), ["discovery-1/council-1/trouble"]);
    // A person may do without the seats.
    let on = answer(&studio, &["leader", "--yes"]);
    assert_eq!(on.code, Some(7), "{on:?}");
    let (what, source, _) = taken(&studio, "db-strategy");
    assert_eq!((what.as_str(), source.as_str()), ("SQLite", "recommended"));
    for server in seats.into_iter().chain([lead]) {
        server.finish();
    }
}

#[test]
fn a_leader_that_gives_nothing_usable_leaves_the_choice_to_a_person() {
    let server = model(vec![("reach", FakeReply::text("{\"reach\": \"perhaps\"}"))]);
    let studio = with_leader(&server);
    let stuck = start(&studio, &["--yes"]);
    assert_eq!(stuck.code, Some(7), "{stuck:?}");
    assert!(
        stuck.stdout.contains("answer the questions myself"),
        "{stuck:?}"
    );
    // Whoever says yes to everything does not choose.
    let first = answer(&studio, &["choose", "--yes"]);
    assert_eq!(first.code, Some(3), "{first:?}");
    let told = "Nobody could recommend an answer: say one of cli-tool, script, library,";
    assert!(first.stdout.contains(told), "{first:?}");
    let next = answer(&studio, &["a CLI tool"]);
    // A tool runs in a terminal, so the next question is another one.
    assert!(
        next.stdout.contains("Question 2 of 4: Who uses it"),
        "{next:?}"
    );
    server.finish();
}

#[test]
fn beyond_the_guard_the_leader_recommends_alone_and_says_so() {
    let usage = TokenUsage {
        input: Tokens(2_000),
        output: Tokens(5_000),
        ..TokenUsage::default()
    };
    let said = FakeReply::text(&reply("complex").to_string()).usage(usage);
    let lead = model(vec![("reach", said)]);
    let seats = [
        seat("PostgreSQL", 60),
        seat("PostgreSQL", 60),
        seat("PostgreSQL", 60),
    ];
    let studio = with_seats(&lead, [&seats[0], &seats[1], &seats[2]]);
    // Two dollars and twenty cents for the one call, of two fifty.
    let own = std::fs::read_to_string(studio.bench.own_file()).unwrap();
    let dear = own.replace(
        "input = \"1\", output = \"2\"",
        "input = \"100\", output = \"400\"",
    );
    std::fs::write(studio.bench.own_file(), dear).unwrap();
    let first = start(&studio, &["--max-cost", "10"]);
    assert_eq!(first.code, Some(3), "{first:?}");
    let shown = first.stdout.replace("\n  ", " ");
    assert!(
        shown.contains("Recommending has cost $2.20 of $2.50"),
        "{shown}"
    );
    let chosen = studio.look().facts::<RecommendersChosen>();
    assert_eq!(
        (chosen[0].by.as_str(), chosen[0].reason.as_str()),
        ("leader", "guard")
    );
    assert!(seats.iter().all(|seat| seat.requests().is_empty()));
    for server in seats.into_iter().chain([lead]) {
        server.finish();
    }
}

/// A seat whose words are held back until the gate opens.
fn held(gate: &Gate) -> FakeServer {
    let votes = seat_votes("PostgreSQL", 60);
    model(vec![(
        "votes",
        FakeReply::text(&votes.to_string()).gated(gate),
    )])
}

#[test]
fn what_was_said_before_a_kill_is_not_asked_again() {
    let gate = Gate::closed();
    let lead = leader("complex");
    let seats = [seat("PostgreSQL", 60), held(&gate), seat("PostgreSQL", 60)];
    let studio = with_seats(&lead, [&seats[0], &seats[1], &seats[2]]);
    let id = run_id().to_string();
    let args = [
        "start",
        IDEA,
        "--into",
        "made",
        "--run",
        &id,
        "-c",
        "run.max_sprints=3",
    ];
    let mut driver = studio.spawn(&args);
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(seats[1].until_waiting(1));
    driver.kill().unwrap();
    driver.wait().unwrap();
    gate.open();

    let resumed = studio.run(&["resume", &id]);
    assert_eq!(resumed.code, Some(3), "{resumed:?}");
    let shown = answer(&studio, &["look"]);
    assert!(shown.stdout.contains("Question 1 of 8"), "{shown:?}");
    let mut driver = studio.spawn(&["answer", &id, "a SaaS", "--resume"]);
    driver.kill().unwrap();
    driver.wait().unwrap();
    // Whether the answer came through before the kill or not, it is there when it is given again.
    let on = studio.run(&["resume", &id]);
    let on = if on.stdout.contains("Question 1 of 8") {
        answer(&studio, &["a SaaS"])
    } else {
        on
    };
    assert!(on.stdout.contains("Question 2 of 8"), "{on:?}");
    assert_eq!(lead.requests().len(), 1, "the leader was asked once");
    let seen = studio.look();
    let started = seen.facts::<RunStarted>();
    assert_eq!(started[0].settings.values["run.max_sprints"], 3);
    let words = cards(&studio);
    assert_eq!(words.len(), 3, "{words:?}");
    for server in seats.into_iter().chain([lead]) {
        server.finish();
    }
}

#[test]
fn a_setting_keeps_the_seats_silent() {
    let lead = leader("complex");
    let seats = [
        seat("PostgreSQL", 60),
        seat("PostgreSQL", 60),
        seat("PostgreSQL", 60),
    ];
    let studio = with_seats(&lead, [&seats[0], &seats[1], &seats[2]]);
    let first = start(&studio, &["-c", "run.recommender=leader"]);
    assert_eq!(first.code, Some(3), "{first:?}");
    let chosen = studio.look().facts::<RecommendersChosen>();
    assert_eq!(
        (chosen[0].by.as_str(), chosen[0].reason.as_str()),
        ("leader", "setting")
    );
    assert!(seats.iter().all(|seat| seat.requests().is_empty()));
    for server in seats.into_iter().chain([lead]) {
        server.finish();
    }
}
