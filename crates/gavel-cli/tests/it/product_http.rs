//! The rule-based model behind HTTP: whoever reads nothing but the wire gets the same run.

use gavel_domain::ModelReplied;
use gavel_testkit::FakeServer;

use crate::studio::{Served, Speaks, Studio, rules_server};

/// Builds with a served model that leads alone, and returns what it built.
fn build_served(name: &str, speaks: Speaks) -> (Studio, FakeServer) {
    let server = rules_server();
    let settings = format!(
        "[models]\npaid = \"agreed\"\nslots = {{ leader = \"{name}/rules\", stances = [] }}\n"
    );
    let model = Served {
        name,
        server: &server,
        speaks,
    };
    let served = Studio::with(&settings, &[model]);
    let ended = served.start(&["--yes"]);
    assert_eq!(ended.code, Some(0), "{speaks:?} {ended:?}");
    (served, server)
}

#[test]
fn a_served_model_builds_what_the_built_in_one_builds() {
    let (offline, served) = std::thread::scope(|scope| {
        // A name that Gavel knows brings its own way to carry schemas: here as a tool.
        let served = [("left", Speaks::Anthropic), ("groq", Speaks::OpenAi)]
            .map(|(name, speaks)| scope.spawn(move || build_served(name, speaks)));
        let offline = Studio::offline();
        let ended = offline.start(&["--yes"]);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        (offline, served.map(|thread| thread.join().unwrap()))
    });
    let (calm, tree) = (offline.look(), offline.tree());
    assert!(tree.contains("src/main.rs"), "{tree}");
    for (studio, server) in served {
        assert_eq!(studio.tree(), tree);
        let seen = studio.look();
        assert_eq!(
            seen.facts::<ModelReplied>().len(),
            calm.facts::<ModelReplied>().len(),
            "the same number of replies"
        );
        assert_eq!(
            server.requests().len(),
            seen.settled.len(),
            "one request for each"
        );
        assert_eq!(studio.seal()["valid"], true);
        server.finish();
    }
}
