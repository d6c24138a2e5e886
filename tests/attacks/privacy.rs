//! What was thought of in one project stays there: no other project's provider is told of it, and no
//! program that is served for another project sees even its id.

use gavel_domain::EarlierRunsRecalled;
use gavel_testkit::FakeServer;
use serde_json::{Value, json};

use crate::bench::run_id;
use crate::mcp::asked;
use crate::product_discovery::leader;
use crate::seen::Seen;
use crate::studio::{Served, Speaks, Studio};

const SECRET_IDEA: &str = "a guest book for the visitors of the zeppelinarium";
const IDEA: &str = "a guest book for the visitors of a museum";
const OTHERS: &str = "01890a5d-ac96-774b-bcce-b302099a8058";
const ON: [&str; 2] = ["-c", "memory.across_projects=on"];

fn settings() -> &'static str {
    "[models]\npaid = \"agreed\"\nslots = { leader = \"lead/rules\", stances = [] }\n"
}

fn served(server: &FakeServer) -> Served<'_> {
    Served {
        name: "lead",
        server,
        speaks: Speaks::OpenAi,
    }
}

/// A studio where another project thought of something, with the rules alone.
fn studio(server: &FakeServer) -> Studio {
    let studio = Studio::offline();
    let other = studio.run(&["start", SECRET_IDEA, "--into", "other", "--run", OTHERS]);
    assert_eq!(other.code, Some(3), "{other:?}");
    studio.set(settings(), &[served(server)]);
    studio
}

fn start(studio: &Studio, more: &[&str]) -> String {
    let id = run_id().to_string();
    let fixed = ["start", IDEA, "--into", "own", "--run", &id];
    let ended = studio.run(&[&fixed[..], more].concat());
    assert_eq!(ended.code, Some(3), "{ended:?}");
    ended.stdout + &ended.stderr
}

fn sent(server: &FakeServer) -> String {
    let bodies = server.requests().into_iter().map(|seen| seen.body);
    Value::Array(bodies.collect()).to_string()
}

#[test]
fn an_idea_of_another_project_is_sent_to_nobody() {
    let server = leader("trivial");
    let studio = studio(&server);
    let shown = start(&studio, &[]);
    assert!(!sent(&server).is_empty());
    for text in [&sent(&server), &shown] {
        assert!(!text.contains("zeppelinarium"), "{text}");
        assert!(!text.contains(OTHERS), "{text}");
    }
    let recalled = Seen::of(&studio.bench).facts::<EarlierRunsRecalled>();
    assert!(recalled.iter().all(|recalled| recalled.runs.is_empty()));
}

#[test]
fn a_person_may_let_projects_learn_from_each_other_and_a_project_may_not() {
    let server = leader("trivial");
    let studio = studio(&server);
    let shown = start(&studio, &ON);
    assert!(sent(&server).contains("zeppelinarium"), "{}", sent(&server));
    assert!(
        shown.contains("Earlier runs with a similar idea"),
        "{shown}"
    );

    // What such a run was told of is not shown to a program that is served for its project.
    let journal = format!("gavel://runs/{}/journal", run_id());
    let flags = ["-C", "own"];
    let read = [("resources/read", json!({ "uri": journal }))];
    let lines = asked(&studio.bench, &flags, &read);
    let text = lines.last().unwrap().to_string();
    assert!(text.contains("earlier_runs_recalled"), "{text}");
    assert!(!text.contains(OTHERS), "{text}");

    let file = studio.bench.folder().join("project/own/gavel.toml");
    let own = std::fs::read_to_string(&file).unwrap();
    let own = format!("{own}\n[memory]\nacross_projects = \"on\"\n");
    std::fs::write(&file, own).unwrap();
    let refused = studio.run(&["-C", "own", "status"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    let told = "`memory.across_projects` cannot be set by a project";
    assert!(refused.stderr.contains(told), "{refused:?}");
}

#[test]
fn an_earlier_run_of_the_same_project_is_told() {
    let server = leader("trivial");
    let studio = Studio::offline();
    let first = studio.run(&["start", SECRET_IDEA, "--into", "own", "--run", OTHERS]);
    assert_eq!(first.code, Some(3), "{first:?}");
    studio.set(settings(), &[served(&server)]);
    let shown = start(&studio, &[]);
    assert!(sent(&server).contains("zeppelinarium"), "{}", sent(&server));
    assert!(
        shown.contains("Earlier runs with a similar idea"),
        "{shown}"
    );
}

#[test]
fn over_mcp_other_projects_do_not_exist() {
    let server = leader("trivial");
    let studio = studio(&server);
    start(&studio, &[]);
    let own = run_id().to_string();
    let run = |id: &str| json!({ "uri": format!("gavel://runs/{id}") });
    let journal = |id: &str| json!({ "uri": format!("gavel://runs/{id}/journal") });
    let tool = |name: &str, arguments: Value| json!({ "name": name, "arguments": arguments });
    let complete = |typed: &str| {
        json!({
            "ref": { "type": "ref/resource", "uri": "gavel://runs/{run}" },
            "argument": { "name": "run", "value": typed },
        })
    };
    let requests = [
        ("resources/list", json!({})),
        ("resources/read", journal(&own)),
        ("completion/complete", complete("")),
        ("tools/call", tool("gavel_run_status", json!({}))),
        (
            "tools/call",
            tool("gavel_list_project_contracts", json!({})),
        ),
    ];
    for line in asked(&studio.bench, &["-C", "own"], &requests) {
        let text = line.to_string();
        assert!(!text.contains(OTHERS), "{text}");
        assert!(!text.contains("zeppelinarium"), "{text}");
    }
    // Named outright it is not there, whoever asks for it; one's own is.
    let named = [
        ("resources/read", run(OTHERS)),
        ("resources/read", journal(OTHERS)),
        (
            "tools/call",
            tool("gavel_run_status", json!({ "run": OTHERS })),
        ),
        ("resources/read", run(&own)),
    ];
    let lines = asked(&studio.bench, &["-C", "own"], &named);
    let texts: Vec<String> = lines.iter().map(ToString::to_string).collect();
    for text in &texts[1..4] {
        assert!(!text.contains("zeppelinarium"), "{text}");
        assert!(!text.contains("waiting"), "{text}");
    }
    assert!(texts[4].contains("waiting"), "{}", texts[4]);
}
