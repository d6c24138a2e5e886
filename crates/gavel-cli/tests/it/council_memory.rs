//! What a council and an ideation say about options is what memory holds about them, however the
//! question is put.

use gavel_domain::StanceSpoke;
use gavel_testkit::FakeServer;
use serde_json::{Value, json};

use crate::bench::run_id;
use crate::council::{Project, end_of};
use crate::council_debate::{convened, lead, seat};
use crate::ideate::counting;
use crate::seen::Seen;

const TOPICS: [&str; 4] = [
    "SQLite or PostgreSQL for the orders?",
    "SQLite or PostgreSQL as our database server?",
    "SQLite or PostgreSQL?",
    "Should we adopt PostgreSQL or stay on SQLite?",
];

/// Two decisions for SQLite, a trap against it, a word about a talk, and much about other things.
struct Known {
    project: Project,
    decisions: [String; 2],
    trap: String,
    talk: String,
    /// About something else: no question about stores recalls it.
    elsewhere: String,
}

fn known() -> Known {
    let project = Project::new();
    let decisions = [
        project.remember(
            "decision",
            "SQLite is our store for everything that a customer installs: one file, no administrator.",
        ),
        project.remember(
            "decision",
            "We chose sqlite3 for the desktop edition.",
        ),
    ];
    let trap = project.remember(
        "trap",
        "SQLite under four writers gave SQLITE_BUSY in the 2024 pilot until a busy timeout was set.",
    );
    let talk = project.remember(
        "feedback",
        "The talk on PostgreSQL was too slow for the afternoon.",
    );
    let elsewhere = project.remember(
        "trap",
        "Umlauts in customer names broke the invoice printer.",
    );
    Known {
        project,
        decisions,
        trap,
        talk,
        elsewhere,
    }
}

fn cites(list: &Value) -> Vec<&str> {
    let all = list.as_array().unwrap().iter();
    let mut all: Vec<&str> = all
        .map(|cited| {
            cited["cite"]
                .as_str()
                .unwrap()
                .strip_prefix("memory:")
                .unwrap()
        })
        .collect();
    all.sort_unstable();
    all
}

#[test]
fn rules_say_of_each_option_what_memory_says_however_it_is_asked() {
    let known = known();
    let mut decisions: Vec<&str> = known.decisions.iter().map(String::as_str).collect();
    decisions.sort_unstable();
    for topic in TOPICS {
        let council = known.project.studio.bench.json(&["council", topic]);
        let option = |name: &str| {
            let mut options = council["options"].as_array().unwrap().iter();
            options
                .find(|option| option["name"].as_str().unwrap().contains(name))
                .unwrap()
        };
        let (small, large) = (option("SQLite"), option("PostgreSQL"));
        assert_eq!(cites(&small["speaks_for"]), decisions, "{topic} {council}");
        assert_eq!(
            cites(&small["speaks_against"]),
            [&known.trap],
            "{topic} {council}"
        );
        // A talk about it is nothing against it, and nothing for it.
        assert_eq!(
            cites(&large["mentions"]),
            [&known.talk],
            "{topic} {council}"
        );
        assert_eq!(large["speaks_against"], json!([]), "{topic} {council}");
        assert_eq!(council["decided"], false, "{topic} {council}");
        let unknown = council["unknown"].to_string();
        assert!(
            !unknown.contains("name it") && !unknown.contains("files say"),
            "{topic} {unknown}"
        );
    }
    // What is not there is said not to be there.
    let council = known
        .project
        .studio
        .bench
        .json(&["council", "SQLite or Redis?"]);
    let unknown = council["unknown"].to_string();
    assert!(
        unknown.contains("Whether Redis fits: neither project memory nor the files name it."),
        "{council}"
    );
    // Short forms and one letter are names too.
    let pg = known
        .project
        .remember("decision", "pg for the reports of the head office.");
    let letter = known
        .project
        .remember("trap", "The C parser crashed on empty files.");
    let council = known
        .project
        .studio
        .bench
        .json(&["council", "PostgreSQL or C?"]);
    assert_eq!(
        cites(&council["options"][0]["speaks_for"]),
        [&pg],
        "{council}"
    );
    assert_eq!(
        cites(&council["options"][1]["speaks_against"]),
        [&letter],
        "{council}"
    );
}

#[test]
fn seats_are_shown_the_best_of_each_option_and_may_cite_all_of_memory() {
    for topic in TOPICS {
        let known = known();
        let left = seat(
            "A",
            &[&format!("memory:{}", known.decisions[0])],
            "One file is enough.",
        );
        let right = seat(
            "B",
            &[&format!("memory:{}", known.elsewhere)],
            "A server grows with us.",
        );
        let leader = lead();
        convened(&known.project.studio, [&left, &right], &leader);
        let id = run_id().to_string();
        let args = ["council", topic, "--run", &id, "--no-clarify"];
        let page = known.project.command(&args, 0).stdout;
        for server in [&left, &right] {
            let first = server.requests().first().unwrap().body.to_string();
            for item in [
                &known.decisions[0],
                &known.decisions[1],
                &known.trap,
                &known.talk,
            ] {
                assert!(first.contains(item.as_str()), "{topic} {item} {first}");
            }
        }
        let seen = Seen::of(&known.project.studio.bench);
        let spoke = seen.facts::<StanceSpoke>();
        assert!(
            spoke.iter().all(|one| one.evidence_broken == 0),
            "{spoke:?}"
        );
        // It exists, it was in nobody's brief, and it counts.
        let beyond = spoke.iter().filter(|one| one.seat == 2);
        for one in beyond {
            assert_eq!(
                one.beyond_brief,
                std::slice::from_ref(&known.elsewhere),
                "{topic} {one:?}"
            );
        }
        let shown = |one: &&StanceSpoke| one.seat == 1 && one.beyond_brief.is_empty();
        assert!(spoke.iter().any(|one| shown(&one)), "{spoke:?}");
        assert!(!page.contains("no accepted memory item"), "{page}");
        let record = known.project.studio.bench.json(&["council", "show", &id]);
        assert!(
            record.to_string().contains(end_of(&known.elsewhere)),
            "{record}"
        );
        [left, right, leader]
            .into_iter()
            .for_each(FakeServer::finish);
    }
}

#[test]
fn an_item_that_is_not_accepted_or_not_there_is_no_evidence() {
    let known = known();
    let gone = "memory:trp_0198c1d2-0000-7000-8000-000000000001";
    known.project.does(&["memory", "retire", &known.elsewhere]);
    let retired = format!("memory:{}", known.elsewhere);
    let left = seat("A", &[gone], "One file is enough.");
    let right = seat("B", &[&retired], "A server grows with us.");
    let leader = lead();
    convened(&known.project.studio, [&left, &right], &leader);
    known.project.does(&["council", TOPICS[0], "--no-clarify"]);
    let spoke = Seen::of(&known.project.studio.bench).facts::<StanceSpoke>();
    assert!(spoke.iter().all(|one| one.evidence_held == 0), "{spoke:?}");
    assert!(
        spoke.iter().all(|one| one.beyond_brief.is_empty()),
        "{spoke:?}"
    );
    [left, right, leader]
        .into_iter()
        .for_each(FakeServer::finish);
}

/// What an ideation without models raises, and what it says besides.
fn ideated(project: &Project, proposal: &str) -> (Vec<String>, String) {
    let looped = project.studio.bench.json(&["ideate", proposal]);
    assert_eq!(looped["status"], "completed", "{looped}");
    let critiques = counting(&looped, "critique");
    let cited = critiques
        .iter()
        .flat_map(|one| one["cites"].as_array().unwrap().clone());
    let mut cited: Vec<String> = cited.map(|id| id.as_str().unwrap().to_owned()).collect();
    cited.sort_unstable();
    let plan = counting(&looped, "plan_draft")[0]["text"]
        .as_str()
        .unwrap()
        .to_owned();
    (cited, plan)
}

#[test]
fn a_proposal_is_objected_to_by_what_speaks_against_it_alone() {
    let known = known();
    let nobody = known.project.remember(
        "constraint",
        "There is no ops team: nobody can run PostgreSQL at a customer.",
    );
    let sorted = |ids: &[&String]| {
        let mut ids: Vec<String> = ids.iter().map(|id| (*id).clone()).collect();
        ids.sort_unstable();
        ids
    };
    let [one, other] = &known.decisions;

    let (cited, plan) = ideated(
        &known.project,
        "Replace SQLite with PostgreSQL for the orders.",
    );
    assert_eq!(cited, sorted(&[one, other, &nobody]), "{plan}");
    assert!(
        plan.contains(&format!("What speaks for it: {}.", known.trap)),
        "{plan}"
    );
    let unsure = format!(
        "Words alone cannot tell which way these speak: {}.",
        known.talk
    );
    assert!(plan.contains(&unsure), "{plan}");

    let (cited, plan) = ideated(&known.project, "Should we adopt PostgreSQL?");
    assert_eq!(cited, sorted(&[&nobody]), "{plan}");
    assert!(plan.contains(&unsure), "{plan}");

    let (cited, plan) = ideated(&known.project, "Drop SQLite.");
    assert_eq!(cited, sorted(&[one, other]), "{plan}");
    assert!(
        plan.contains(&format!("What speaks for it: {}.", known.trap)),
        "{plan}"
    );
    assert!(!plan.contains(&known.elsewhere), "{plan}");
    // What stands against the proposal is no condition of it: somebody has to choose.
    assert!(!plan.to_lowercase().contains("hold to"), "{plan}");
    assert!(plan.contains("whether this goes or the proposal"), "{plan}");
}

/// Critics stand on decisions too: where one is cited, nobody says that there was nothing.
#[test]
fn a_decision_alone_is_something_to_stand_on() {
    let project = Project::new();
    let store = project.remember("decision", "SQLite is our store for the orders.");
    let ended = project.command(&["ideate", "Drop SQLite."], 0);
    for told in [&ended.stderr, &ended.stdout] {
        assert!(!told.contains("nothing to stand on"), "{ended:?}");
    }
    let (cited, _) = ideated(&project, "Drop SQLite.");
    assert_eq!(cited, [store]);
    let looped = project.studio.bench.json(&["loop", "get"]);
    assert_eq!(looped["warnings"], serde_json::json!([]), "{looped}");
}

#[test]
fn what_the_project_calls_something_is_found_and_speaks_for_it() {
    let project = Project::new();
    let long = project.remember("runtime_note", "PostgreSQL (PSQL) holds the reports.");
    let lost = project.remember("trap", "PSQL lost rows after the power cut.");
    let council = project
        .studio
        .bench
        .json(&["council", "SQLite or PostgreSQL for the orders?"]);
    let against = &council["options"][1]["speaks_against"];
    assert_eq!(cites(against), [&lost], "{council}");
    let unknown = council["unknown"].to_string();
    assert!(
        !unknown.contains("What speaks against PostgreSQL"),
        "{unknown}"
    );
    let (cited, plan) = ideated(&project, "Move the orders to PostgreSQL.");
    assert_eq!(cited, [lost.as_str()], "{plan}");
    for word in ["postgresql", "PSQL", "postgres rows"] {
        let found = project.studio.bench.json(&["memory", "search", word]);
        let ids: Vec<&str> = found["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["id"].as_str().unwrap())
            .collect();
        assert!(
            ids.contains(&lost.as_str()) && ids.contains(&long.as_str()),
            "{word} {found}"
        );
    }
}

#[test]
fn memory_that_was_not_asked_is_never_said_to_be_silent() {
    let project = Project::new();
    project.remember("trap", "PostgreSQL lost rows after the power cut.");
    let topic = "SQLite or PostgreSQL for the orders?";
    let bench = &project.studio.bench;
    let council = bench.json(&["council", "--no-prior-context", topic]);
    let told = council.to_string();
    assert!(!told.contains("either project memory"), "{told}");
    assert!(
        told.contains("Project memory was not asked: what it knows is missing here."),
        "{told}"
    );
    assert!(
        told.contains(
            "Whether PostgreSQL fits: the files do not name it, and project memory was not asked."
        ),
        "{told}"
    );
}

#[test]
fn what_the_sentence_is_not_about_is_no_objection() {
    let project = Project::new();
    project.remember("decision", "PostgreSQL is enough for the orders.");
    let vendor = project.remember(
        "feedback",
        "The vendor of the PostgreSQL hosting answered too slow on the phone.",
    );
    let council = project
        .studio
        .bench
        .json(&["council", "Should the orders live in PostgreSQL?"]);
    assert_eq!(council["options"][1]["speaks_for"], json!([]), "{council}");
    assert_eq!(
        cites(&council["options"][0]["mentions"]),
        [&vendor],
        "{council}"
    );
    assert_eq!(council["recommendation"], "yes", "{council}");
}

#[test]
fn a_proposal_that_names_no_alternative_meets_what_speaks_for_it() {
    let known = known();
    let nobody = known.project.remember(
        "constraint",
        "There is no ops team: nobody can run PostgreSQL at a customer.",
    );
    let orders = known
        .project
        .remember("decision", "SQLite is enough for the orders.");
    for proposal in [
        "Move the orders to PostgreSQL.",
        "The orders should live in PostgreSQL",
    ] {
        let (cited, plan) = ideated(&known.project, proposal);
        assert_eq!(cited, [nobody.as_str()], "{proposal} {plan}");
        // What is decided about the orders is told, although it does not name the new store.
        assert!(plan.contains(&orders), "{proposal} {plan}");
    }
    let (cited, plan) = ideated(
        &known.project,
        "Switch the orders from SQLite to PostgreSQL.",
    );
    let [one, other] = &known.decisions;
    let mut all = [one, other, &nobody, &orders].map(String::as_str);
    all.sort_unstable();
    assert_eq!(cited, all, "{plan}");
}

#[test]
fn councils_are_listed_with_what_they_came_to() {
    let project = Project::new();
    let bench = &project.studio.bench;
    assert_eq!(bench.json(&["council", "list"])["councils"], json!([]));
    project.remember("trap", "PostgreSQL lost rows after the power cut.");
    let topic = "SQLite or PostgreSQL for the orders?";
    let council = bench.json(&["council", topic]);
    let listed = bench.json(&["council", "list"]);
    let first = &listed["councils"][0];
    assert_eq!(first["topic"], topic, "{listed}");
    assert_eq!(first["run"], council["run"], "{listed}");
    let named = council["recommendation"].as_str().unwrap();
    let decided = if named.is_empty() { "open" } else { named };
    assert_eq!(first["decided"], decided, "{listed}");
    assert_eq!(first["evidence"], "rules", "{listed}");
}
