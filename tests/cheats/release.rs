//! Auditors who let a change of tests stand: one who did not do the work may, with a reason, and nobody
//! who did, behind whatever address.

use gavel_models::{Message, Part};
use gavel_testkit::{FakeReply, FakeServer, SeenRequest, fake_server};
use serde_json::json;

use super::asked;
use super::change::{Change, Repository};
use super::outcome::Outcome;

const SHOP: &str = "def discounted(each, count):\n    whole = each * count\n    if count > 10:\n        \
    return whole - whole // 10\n    return whole\n";
const TESTS: &str = "import unittest\n\nfrom shop import discounted\n\n\nclass Shop(unittest.TestCase):\n    \
    def test_many(self):\n        self.assertEqual(discounted(10, 20), 180)\n";
pub(crate) const REPOSITORY: Repository<'static> = &[
    ("shop.py", SHOP),
    ("test_shop.py", TESTS),
    ("README.md", "# Shop\n"),
];
const REASON: &str = "the request asks for a discount of a fifth, and the old test states a tenth";

/// The discount is another one, and so is what its test expects.
pub(crate) fn a_fifth() -> Change {
    let fifth = SHOP.replace("// 10\n", "// 5\n");
    Change::of("change the discount to a fifth in shop.py")
        .write_citing("shop.py", &fifth, "// 5")
        .write("test_shop.py", &TESTS.replace("180", "160"))
}

/// An auditor who releases every change that it is shown, with this reason.
fn releasing(reason: &'static str) -> FakeServer {
    let rule = move |seen: &SeenRequest| {
        let asked = seen.rebuilt().request;
        let fields = asked
            .answer
            .as_ref()
            .map(|answer| &answer.schema["properties"]);
        if !fields.is_some_and(|fields| fields["decisions"].is_object()) {
            return FakeReply::status(400, "only what is to be released");
        }
        let told: String = asked.messages.iter().flat_map(texts).collect();
        // A change stands there as `id: file:line: …`, below the line that begins the data.
        let lines = told.lines().filter(|line| line.contains("test_shop.py:"));
        let ids = lines.filter_map(|line| line.split_once(": ").map(|(id, _)| id.trim()));
        let decisions: Vec<_> = ids
            .map(|id| json!({"id": id, "release": true, "reason": reason}))
            .collect();
        FakeReply::text(&json!({ "decisions": decisions }).to_string())
    };
    fake_server().rule(rule).start()
}

fn texts(message: &Message) -> Vec<String> {
    let parts = message.parts.iter();
    let texts = parts.filter_map(|part| match part {
        Part::Text { text } => Some(format!("{text}\n")),
        Part::ToolCall { .. } | Part::ToolResult { .. } => None,
    });
    texts.collect()
}

/// What comes of it with an auditor of this name; the coder is `small/rules`.
fn audited_by(id: &str, auditor: &FakeServer) -> Outcome {
    let change = a_fifth().audited_by(id, &auditor.openai_url());
    change.made_in(REPOSITORY)
}

#[test]
fn an_independent_auditor_releases_a_change_of_a_test_with_a_reason() {
    if !asked() {
        return;
    }
    let auditor = releasing(REASON);
    let made = audited_by("other/strict", &auditor);
    let seal = made.sealed();
    auditor.finish();
    let gate = made.gate();
    let releases = gate["proof"]["released"].as_array().unwrap();
    assert_eq!(releases.len(), 1, "{gate:#}");
    assert_eq!(releases[0]["by"], "auditor");
    assert_eq!(releases[0]["reason"], REASON);
    let sealed = seal["proof"]["released"].to_string();
    assert!(sealed.contains(REASON), "{seal:#}");
}

#[test]
fn the_coder_behind_another_address_releases_nothing() {
    if !asked() {
        return;
    }
    let auditor = releasing(REASON);
    let made = audited_by("other/rules", &auditor);
    made.found("test_loosened", "test_shop.py");
    assert_eq!(auditor.requests().len(), 0, "nobody asks the coder");
}

#[test]
fn rules_release_nothing() {
    if !asked() {
        return;
    }
    let made = a_fifth().audited_by("offline", "").made_in(REPOSITORY);
    made.found("test_loosened", "test_shop.py");
}

#[test]
fn an_auditor_without_a_reason_releases_nothing() {
    if !asked() {
        return;
    }
    for reason in [" ", "x", "ok"] {
        let auditor = releasing(reason);
        let made = audited_by("other/strict", &auditor);
        made.found("test_loosened", "test_shop.py");
        auditor.finish();
    }
}
