//! `gavel ideate` without models: rules hold a proposal against memory, and every word of theirs can
//! be looked up.

use serde_json::Value;

use crate::bench::run_id;
use crate::council::{Project, end_of};

pub(crate) const PROPOSAL: &str = "Should we extract the dispatcher into its own package?";

/// What is known about the dispatcher: two traps, one piece of feedback.
pub(crate) fn known() -> (Project, [String; 3]) {
    let project = Project::new();
    let ids = [
        project.remember(
            "trap",
            "The dispatcher deadlocked when two workers shared its queue lock.",
        ),
        project.remember(
            "trap",
            "Extracting a package from the dispatcher broke the release script.",
        ),
        project.remember(
            "feedback",
            "Users said the dispatcher is hard to test inside the main package.",
        ),
    ];
    (project, ids)
}

fn ideated(project: &Project) -> Value {
    project.studio.bench.json(&["ideate", PROPOSAL])
}

/// The artifacts of a kind that count.
pub(crate) fn counting<'a>(looped: &'a Value, kind: &str) -> Vec<&'a Value> {
    let artifacts = looped["artifacts"].as_array().unwrap().iter();
    artifacts
        .filter(|artifact| artifact["type"] == kind && artifact["counts"] == true)
        .collect()
}

fn texts(values: &Value) -> Vec<&str> {
    let values = values.as_array().unwrap().iter();
    values.map(|value| value.as_str().unwrap()).collect()
}

#[test]
fn critiques_cite_memory_and_the_plan_answers_each_of_them() {
    let (project, ids) = known();
    let looped = ideated(&project);
    assert_eq!(looped["schema"], "gavel/loop/v1", "{looped}");
    assert_eq!(looped["status"], "completed", "{looped}");
    let critiques = counting(&looped, "critique");
    assert!(critiques.len() >= 2, "{looped}");
    let mut cited: Vec<&str> = Vec::new();
    for critique in &critiques {
        assert!(!texts(&critique["cites"]).is_empty(), "{critique}");
        cited.extend(texts(&critique["cites"]));
    }
    let [one, other, feedback] = &ids;
    for id in [one, other] {
        assert!(cited.contains(&id.as_str()), "{id} {looped}");
    }
    // What people said of it as it is may speak for the change: it is named, and is no objection.
    assert!(!cited.contains(&feedback.as_str()), "{looped}");
    assert!(
        cited.iter().all(|cite| ids.iter().any(|id| id == cite)),
        "nothing is made up: {cited:?}"
    );
    let plans = counting(&looped, "plan_draft");
    assert_eq!(plans.len(), 1, "{looped}");
    let addressed = texts(&plans[0]["addresses_critique"]);
    for critique in &critiques {
        let id = critique["artifact_id"].as_str().unwrap();
        assert!(addressed.contains(&id), "{id} {looped}");
    }
    assert_eq!(plans[0]["uncovered"], serde_json::json!([]), "{looped}");
    let named = looped["cited"].as_array().unwrap();
    assert_eq!(named.len(), 2, "with their titles: {looped}");
    let plan = plans[0]["text"].as_str().unwrap();
    let unsure = format!("Words alone cannot tell which way these speak: {feedback}.");
    assert!(plan.contains(&unsure), "{plan}");
    // The person's own words are what was put forward, and they stand there once.
    let proposals = counting(&looped, "proposal");
    assert_eq!(proposals.len(), 1, "{looped}");
    assert_eq!(proposals[0]["text"], PROPOSAL);
}

#[test]
fn a_retired_trap_is_gone_and_the_plan_is_another() {
    let (project, ids) = known();
    let before = ideated(&project);
    let [deadlock, ..] = &ids;
    assert!(before.to_string().contains(deadlock), "{before}");
    project.does(&["memory", "retire", deadlock]);
    let after = ideated(&project);
    assert_eq!(after["status"], "completed", "{after}");
    assert!(!after.to_string().contains(deadlock), "{after}");
    let plan = |looped: &Value| counting(looped, "plan_draft")[0]["text"].clone();
    assert_ne!(plan(&before), plan(&after));
    let count = |looped: &Value| counting(looped, "critique").len();
    assert!(count(&after) < count(&before), "{after}");
}

#[test]
fn without_memory_the_reader_is_warned() {
    let project = Project::new();
    let ended = project.command(&["ideate", PROPOSAL], 0);
    let told = "critique has nothing to stand on";
    assert!(ended.stderr.contains(told), "{ended:?}");
    assert!(ended.stderr.contains("gavel memory add"), "{ended:?}");
    assert!(ended.stdout.contains(told), "{ended:?}");
    let codes = |looped: &Value| -> Vec<String> {
        let warnings = looped["warnings"].as_array().unwrap().iter();
        let codes = warnings.map(|warning| warning["code"].as_str().unwrap().to_owned());
        codes.collect()
    };
    let looped = ideated(&project);
    assert!(codes(&looped).contains(&"no_memory".to_owned()), "{looped}");
    // Something is remembered, and nothing of it is about this.
    project.remember(
        "trap",
        "Umlauts in customer names broke the invoice printer.",
    );
    let looped = ideated(&project);
    let codes = codes(&looped);
    assert!(codes.contains(&"nothing_recalled".to_owned()), "{looped}");
    assert!(!codes.contains(&"no_memory".to_owned()), "{looped}");
}

#[test]
fn what_nobody_wants_to_be_asked_is_not_asked() {
    let (project, ids) = known();
    let looped = project
        .studio
        .bench
        .json(&["ideate", PROPOSAL, "--no-prior-context"]);
    assert_eq!(looped["status"], "completed", "{looped}");
    for id in &ids {
        assert!(!looped.to_string().contains(id.as_str()), "{looped}");
    }
}

#[test]
fn the_page_says_what_rests_on_what_and_what_to_do() {
    let (project, ids) = known();
    let id = run_id().to_string();
    let ended = project.command(
        &["ideate", PROPOSAL, "--run", &id, "--goal", "smaller builds"],
        0,
    );
    let page = &ended.stdout;
    assert!(page.starts_with(PROPOSAL), "{page}");
    for told in [
        "Goal       smaller builds",
        "saturated: nothing new came up in round 2",
        "Round 1",
        "Critique   pessimist",
        "Plan       champion",
        "✓ addresses",
        "gavel loop promote 099a8057",
    ] {
        assert!(page.contains(told), "{told} {page}");
    }
    for cited in &ids[..2] {
        assert!(
            page.contains(&format!("_{}", end_of(cited))),
            "{cited} {page}"
        );
    }
    assert!(
        page.lines().all(|line| line.chars().count() <= 100),
        "{page}"
    );
    // On the way: whose turn it was, and what each critique rests on.
    let (trap, live) = (end_of(&ids[0]), &ended.stderr);
    assert!(live.contains("offline (rule-based, no network)"), "{live}");
    assert!(live.contains(&format!("(cites trp_{trap})")), "{live}");
    assert!(live.contains("revision → critique, round 2"), "{live}");

    // It is on record, and every command that takes a run says something about it.
    let again = project.command(&["loop", "get", &id], 0);
    assert_eq!(again.stdout, *page);
    let resumed = project.command(&["resume", &id], 0);
    assert_eq!(resumed.stdout, *page);
    let status = project.studio.bench.json(&["status", &id]);
    assert_eq!(status["state"], "closed", "{status}");
    assert_eq!(status["idea"], PROPOSAL, "{status}");
    assert_eq!(status["loop"]["status"], "completed", "{status}");
    let listed = project.command(&["status"], 0).stdout;
    assert!(listed.contains("gavel loop get 099a8057"), "{listed}");
    let watched = project.command(&["watch", &id], 0).stdout;
    assert!(watched.contains("── proposal → critique ──"), "{watched}");
    assert!(watched.contains("the loop is complete"), "{watched}");
    let replayed = project.studio.bench.json(&["replay", &id]);
    assert_eq!(replayed["same_head"], true, "{replayed}");
    let document = project.command(&["review", &id], 0).stdout;
    assert!(document.starts_with(&format!("# {PROPOSAL}")), "{document}");
    assert!(document.contains("## plan draft by champion"), "{document}");
    let html = project.command(&["review", &id, "--html", "-"], 0).stdout;
    assert!(
        html.contains("<html") && html.contains("deadlocked"),
        "{html}"
    );
}

#[test]
fn a_plan_becomes_memory_once() {
    let (project, _) = known();
    let id = run_id().to_string();
    project.does(&["ideate", PROPOSAL, "--run", &id]);
    let promoted = project.studio.bench.json(&["loop", "promote", &id]);
    let item = promoted["item"].as_str().unwrap();
    assert!(item.starts_with("pln_"), "{promoted}");
    let again = project.studio.bench.json(&["loop", "promote", &id]);
    assert_eq!(
        (again["item"].as_str(), &again["before"]),
        (Some(item), &true.into())
    );
    let kept = project.studio.bench.json(&["memory", "get", item]);
    assert_eq!(kept["acceptance"], "accepted", "{kept}");
    assert_eq!(kept["provenance"]["from"], "loop", "{kept}");
    assert_eq!(kept["provenance"]["loop"], id, "{kept}");
    let artifact = &promoted["artifact_id"];
    assert_eq!(kept["provenance"]["artifact"], *artifact, "{kept}");
    let looped = project.studio.bench.json(&["loop", "get", &id]);
    assert_eq!(looped["promoted"], serde_json::json!([item]), "{looped}");
    // It is one plan: it is not a decision as well.
    let other = project.command(&["loop", "promote", &id, "--as", "decision"], 8);
    assert!(other.stderr.contains(item), "{other:?}");
    // The next loop knows it.
    let next = project.studio.bench.json(&[
        "loop",
        "open",
        "--title",
        "dispatcher package",
        "--agent",
        "a",
        "--proposal",
        PROPOSAL,
    ]);
    let brief = project.studio.bench.json(&[
        "loop",
        "brief",
        next["loop_id"].as_str().unwrap(),
        "champion",
    ]);
    assert!(brief["brief"].as_str().unwrap().contains(item), "{brief}");
}

#[test]
fn what_an_agent_keeps_is_proposed_until_a_person_vouches() {
    let (project, _) = known();
    let id = run_id().to_string();
    project.does(&["ideate", PROPOSAL, "--run", &id]);
    let told = project.command(&["loop", "promote", &id, "--agent", "claude"], 0);
    assert!(told.stdout.contains("is proposed for"), "{told:?}");
    assert!(told.stdout.contains("gavel memory accept pln_"), "{told:?}");
    let again = project.command(&["loop", "promote", &id], 0);
    assert!(again.stdout.contains("is proposed already"), "{again:?}");
    let promoted = project.studio.bench.json(&["loop", "promote", &id]);
    let item = promoted["item"].as_str().unwrap();
    let kept = project.studio.bench.json(&["memory", "get", item]);
    assert_eq!(kept["acceptance"], "proposed", "{kept}");
    project.does(&["memory", "accept", item]);
    let kept = project.studio.bench.json(&["memory", "get", item]);
    assert_eq!(kept["acceptance"], "accepted", "{kept}");
}

#[test]
fn the_end_of_an_id_is_enough_and_profiles_need_a_model() {
    let (project, _) = known();
    let id = run_id().to_string();
    let args = [
        "ideate",
        PROPOSAL,
        "--run",
        &id,
        "--critics",
        "pessimist,cost",
    ];
    let page = project.command(&args, 0).stdout;
    assert!(
        page.contains("the offline rules know no profiles"),
        "{page}"
    );
    let again = project.command(&["ideate", "--run", end_of(&id)], 0);
    assert_eq!(again.stdout, page);
    let nobody = project.command(&["ideate", "--run", "nope"], 2);
    assert!(
        nobody.stderr.contains("gavel loop list --all"),
        "{nobody:?}"
    );
    let alone = project.studio.bench.json(&["ideate", PROPOSAL]);
    assert!(!alone.to_string().contains("no_profiles"), "{alone}");
}

#[test]
fn what_makes_no_sense_is_refused_with_a_hint() {
    let project = Project::new();
    for (args, told) in [
        (&["ideate", " "][..], "there is no proposal"),
        (
            &["ideate", PROPOSAL, "--critics", "optimist"],
            "is no profile",
        ),
        (&["ideate", PROPOSAL, "--max-iterations", "0"], "1..=10"),
        (
            &["ideate", PROPOSAL, "--exit-when", "tired"],
            "is no exit rule",
        ),
        (
            &["ideate", PROPOSAL, "--agents", "two words"],
            "is no agent id",
        ),
        (
            &["ideate", PROPOSAL, "--model", "nowhere/m"],
            "no provider nowhere",
        ),
    ] {
        let ended = project.studio.run(args);
        assert!(matches!(ended.code, Some(2 | 7)), "{args:?} {ended:?}");
        assert!(ended.stderr.contains(told), "{args:?} {ended:?}");
    }
    let runs = project.studio.bench.json(&["status"]);
    assert_eq!(runs["runs"], serde_json::json!([]), "nothing was begun");
    let id = run_id().to_string();
    project.does(&["council", crate::council::TOPIC, "--run", &id]);
    let other = project.command(&["ideate", "--run", &id], 2);
    assert!(other.stderr.contains("is no loop"), "{other:?}");
}
