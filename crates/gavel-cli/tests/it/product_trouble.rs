//! A model that fails in the middle of a run: a question, and another model that goes on.

use gavel_domain::{ModelsChosen, SealSigned};
use gavel_testkit::{FakeReply, fake_server, git};

use crate::bench::run_id;
use crate::studio::{Served, Speaks, Studio};

#[test]
fn a_coder_that_fails_becomes_a_question_and_another_one_goes_on() {
    let refusing = FakeReply::status(401, r#"{"error":{"message":"no such key"}}"#);
    let coder = fake_server().rule(move |_| refusing.clone()).start();
    let settings = "[models]\npaid = \"agreed\"\nslots = { coder = \"broken/rules\" }\n";
    let model = Served {
        name: "broken",
        server: &coder,
        speaks: Speaks::OpenAi,
    };
    let studio = Studio::with(settings, &[model]);
    let id = run_id().to_string();

    // It waits; going on is one more try, for --yes alone does not knock again and again.
    let stuck = studio.start(&["--yes"]);
    assert_eq!(stuck.code, Some(7), "{stuck:?}");
    assert_eq!(coder.requests().len(), 1);
    let again = studio.run(&["resume", &id, "--yes"]);
    assert_eq!(again.code, Some(7), "{again:?}");
    assert_eq!(coder.requests().len(), 2);

    // Another model takes over where this one failed.
    let slot = "models.slots.coder=offline";
    let done = studio.run(&["-c", slot, "resume", &id, "--yes"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(coder.requests().len(), 2);
    let seen = studio.look();
    let coders: Vec<_> = seen
        .facts::<ModelsChosen>()
        .into_iter()
        .map(|chosen| chosen.coder)
        .collect();
    assert_eq!(coders, ["broken/rules", "broken/rules", "offline"]);
    assert_eq!(seen.facts::<SealSigned>().len(), 1);
    assert_eq!(studio.seal()["valid"], true);
    coder.finish();
}

#[test]
fn a_branch_that_somebody_moved_is_a_conflict_until_it_is_back() {
    let refusing = FakeReply::status(401, r#"{"error":{"message":"no such key"}}"#);
    let coder = fake_server().rule(move |_| refusing.clone()).start();
    let model = Served {
        name: "broken",
        server: &coder,
        speaks: Speaks::OpenAi,
    };
    let settings = "[models]\npaid = \"agreed\"\nslots = { coder = \"broken/rules\" }\n";
    let studio = Studio::with(settings, &[model]);
    let id = run_id().to_string();
    assert_eq!(studio.start(&["--yes"]).code, Some(7));
    let made = studio.bench.folder().join("project/made");
    let branch = format!("refs/heads/gavel/build-{}", run_id().short());
    let tip = git(&made, &["rev-parse", &branch]);
    git(&made, &["update-ref", &branch, "main"]);
    let on = ["-c", "models.slots.coder=offline", "resume", &id, "--yes"];
    let moved = studio.run(&on);
    assert_eq!(moved.code, Some(8), "{moved:?}");
    assert!(moved.stdout.contains("somebody else moved it"), "{moved:?}");
    git(&made, &["update-ref", &branch, tip.trim()]);
    let done = studio.run(&on);
    assert_eq!(done.code, Some(0), "{done:?}");
    coder.finish();
}
