//! A whole run after which nothing is held against the result: one model leads and codes, another one
//! audits, a third one judges, two of them debate, and a person answers every question.

use gavel_testkit::{FakeReply, FakeServer, SeenRequest, fake_server, model_rule};
use serde_json::{Value, json};

use crate::bench::{Ended, run_id};
use crate::product_council::{leading_server, note};
use crate::studio::{Served, Speaks, Studio, shape};
use crate::terminal::Terminal;

const SETTINGS: &str = "[models]\npaid = \"agreed\"\n\n[models.slots]\nleader = \"lead/rules\"\n\
    coder = \"lead/rules\"\nauditor = \"left/rules\"\njudge = \"right/rules\"\n\
    stances = [\"left/rules\", \"right/rules\"]\n";
/// More questions than a run asks.
const MOST_ASKED: usize = 40;

/// A seat that is of the leader's mind and has a source for it; the rules for the rest.
fn agreeing_seat() -> FakeServer {
    let rules = model_rule(gavel_offline::Offline, shape);
    let rule = move |seen: &SeenRequest| {
        let answer = seen.rebuilt().request.answer;
        let choices = json!([
            {"decision": "store", "option": "A", "confidence": 90, "cites": ["LICENSE:1"]},
        ]);
        let text = "One file is enough for bookmarks [CONFIRMED via LICENSE:1].";
        let said = match answer.as_ref().and_then(|answer| shape(&answer.schema)) {
            Some("council_opening") => json!({"text": text, "choices": choices, "assumptions": []}),
            Some("council_turn") => json!({"text": text, "choices": choices}),
            Some("council_verdict") => json!({
                "covered": [1], "dissent_kept": true, "evidence_used": true, "confidence": 95,
                "reason": "Both say so, and the file says it.",
            }),
            Some("customer") => json!({
                "ship": true, "reasons": ["It keeps my bookmarks."], "objections": [],
            }),
            _ => return rules(seen),
        };
        FakeReply::text(&said.to_string())
    };
    fake_server().rule(rule).start()
}

struct Models {
    lead: FakeServer,
    left: FakeServer,
    right: FakeServer,
}

impl Models {
    fn start() -> Self {
        Self {
            lead: leading_server(),
            left: agreeing_seat(),
            right: agreeing_seat(),
        }
    }

    fn studio(&self) -> Studio {
        let served = |name, server, speaks| Served {
            name,
            server,
            speaks,
        };
        let studio = Studio::with(
            SETTINGS,
            &[
                served("lead", &self.lead, Speaks::OpenAi),
                served("left", &self.left, Speaks::Anthropic),
                served("right", &self.right, Speaks::OpenAi),
            ],
        );
        note(&studio);
        studio
    }

    fn finish(self) {
        for server in [self.lead, self.left, self.right] {
            server.finish();
        }
    }
}

fn question(ended: &Ended) -> String {
    assert_eq!(ended.code, Some(3), "{ended:?}");
    let line = ended.stdout.lines().last().unwrap_or_default();
    let told: Value = serde_json::from_str(line).unwrap();
    let id = told["questions"][0]["id"].as_str().unwrap();
    id.rsplit('/').next().unwrap_or_default().to_owned()
}

/// Nothing is held against it; what is only stated may stand there.
fn is_certified(studio: &Studio) -> Value {
    let seal = studio.seal();
    assert_eq!(seal["valid"], true, "{seal:#}");
    let predicate = &seal["statement"]["predicate"];
    assert_eq!(
        predicate["verdict"], "certified",
        "{:#} {:#}",
        predicate["reasons"], predicate["left_out"]
    );
    assert_eq!(predicate["approval"]["by"], "person", "{predicate:#}");
    predicate.clone()
}

#[test]
fn a_run_in_which_everything_happened_is_certified() {
    let models = Models::start();
    let studio = models.studio();
    let id = run_id().to_string();
    let mut asked = Vec::new();
    let mut ended = studio.start(&["--non-interactive", "--json"]);
    while ended.code == Some(3) {
        assert!(asked.len() < MOST_ASKED, "{asked:?}");
        asked.push(question(&ended));
        let answer: &[&str] = match asked.last().map(String::as_str) {
            Some("approval") => &["ship"],
            _ => &["--option", "1"],
        };
        let rest = ["--json", "--resume"];
        ended = studio.run(&[&["answer", &id], answer, &rest].concat());
    }
    assert_eq!(ended.code, Some(0), "{asked:?}: {ended:?}");
    let predicate = is_certified(&studio);
    // Everybody who replied is named by role, and nobody else.
    let mut roles: Vec<(&str, &str)> = Vec::new();
    for reply in predicate["replies"].as_array().unwrap() {
        assert!(reply["replies"].as_u64() > Some(0), "{reply}");
        roles.push((
            reply["model"].as_str().unwrap(),
            reply["role"].as_str().unwrap(),
        ));
    }
    for (model, role) in [
        ("lead/rules", "leader"),
        ("lead/rules", "coder"),
        ("left/rules", "auditor"),
    ] {
        assert!(roles.contains(&(model, role)), "{model} {role}: {roles:?}");
    }
    models.finish();
}

/// What `--yes` shipped is less, by just that nobody looked, until a person did.
#[test]
fn what_yes_shipped_is_certified_once_a_person_looked() {
    let models = Models::start();
    let studio = models.studio();
    let done = studio.start(&["--yes"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let seal = studio.seal();
    let predicate = &seal["statement"]["predicate"];
    assert_eq!(predicate["verdict"], "conditional", "{predicate:#}");
    let id = run_id().to_string();
    let mut terminal = Terminal::open(studio.command(&["seal", "approve", &id]), 120);
    let card = terminal.wait_for("Do you approve this result?");
    assert!(
        card.contains("with your approval it is: certified"),
        "{card} {:#}",
        predicate["reasons"]
    );
    terminal.wait_for("1–2 › ");
    terminal.press("1\n");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    is_certified(&studio);
    models.finish();
}
