//! Gate, seal and lessons.

use gavel_domain::{
    AssumptionResolved, AssumptionStatus, FeedbackRouted, GateCondition, GateJudged,
    LessonProposed, OwnerReviewed, Purpose, SealSigned, Sealed, Stage,
};
use serde_json::json;

use super::{Asked, Story, seal};

const CONDITIONS: [&str; 11] = [
    "engineering_floor",
    "evidence",
    "weighted_score",
    "assumption_ledger",
    "owner_customer",
    "user_approval",
    "phases_complete",
    "no_open_errors",
    "audited",
    "contracts_pinned",
    "branch_is_ours",
];
/// Those that ask somebody, and are not reached when one before them fails.
const ASKING: [&str; 3] = ["assumption_ledger", "owner_customer", "user_approval"];

impl Story<'_> {
    /// The gate judged once, and not enough was there.
    pub(super) async fn refused(&mut self) {
        self.stage(Stage::Gating).await;
        self.verified("gate-1/verify", (8, 0)).await;
        self.judged("gate-1/criteria", (0, false), 250).await;
        self.gate("gate-1/judged", '2', Some("weighted_score"))
            .await;
        let focus = self.text("Do what is missing.");
        let routed = FeedbackRouted {
            sprint: 3,
            condition: "weighted_score".to_owned(),
            to: "owner".to_owned(),
            focus,
        };
        self.fact("gate-1/feedback", routed).await;
    }

    async fn gate(&mut self, key: &str, digit: char, fails: Option<&str>) {
        let conditions = CONDITIONS.map(|id| {
            let (holds, looked_at, held, reason) = match fails {
                Some(failed) if failed == id => (false, 2, 1, "score_below_threshold"),
                Some(_) if ASKING.contains(&id) => (false, 0, 0, "not_reached"),
                Some(_) | None => (true, 2, 2, ""),
            };
            GateCondition {
                id: id.to_owned(),
                holds,
                looked_at,
                held,
                reason: reason.to_owned(),
            }
        });
        let evidence = self.json(&json!([]));
        let judged = GateJudged {
            commit: digit.to_string().repeat(40),
            passed: fails.is_none(),
            score: if fails.is_none() { 1_000 } else { 250 },
            conditions: conditions.into(),
            evidence,
            faults: None,
        };
        self.fact(key, judged).await;
    }

    async fn resolve(&mut self, id: &str, status: AssumptionStatus, (by, why): (&str, &str)) {
        let resolved = AssumptionResolved {
            id: id.to_owned(),
            status,
            by: by.to_owned(),
            evidence: self.text(why),
        };
        let key = format!("gate-2/{}", id.replace('_', "-"));
        self.fact(&key, resolved).await;
    }

    pub(super) async fn end(&mut self) {
        self.stage(Stage::Gating).await;
        self.verified("gate-2/verify", (9, 0)).await;
        self.judged("gate-2/criteria", (0, true), 1_000).await;
        let shown = ("verify", "the test `bookmark_listed` passed");
        self.resolve("a_one", AssumptionStatus::Validated, shown)
            .await;
        let said = ("person", "tags may hold commas, so they are escaped");
        self.resolve("a_three", AssumptionStatus::Refuted, said)
            .await;
        let said = json!([
            {"round": 1, "who": "owner", "model": "offline/rules", "ship": true,
                "reasons": ["everything that was asked for is there"],
                "objections": ["an import is missed"], "answers": ["nobody asked for one"]},
        ]);
        let reviewed = OwnerReviewed {
            mode: "self_review".to_owned(),
            owner: "offline/rules".to_owned(),
            customer: "offline/rules".to_owned(),
            rounds: 1,
            ship: true,
            dissent: true,
            said: self.json(&said),
        };
        self.fact("gate-2/owner", reviewed).await;
        let asked = Asked {
            key: "gate-2/approval",
            purpose: Purpose::Approval,
            text: "Shall it be sealed?",
            why: "Everything that was asked for is met.",
            options: &[("approve", "Seal it"), ("reject", "Not yet")],
        };
        self.ask(asked).await;
        self.answer("gate-2/approval", "approve", true).await;
        self.gate("gate-2/judged", '4', None).await;
        self.sealed().await;
    }

    async fn sealed(&mut self) {
        self.stage(Stage::Sealing).await;
        self.pass(120);
        let (envelope, key) = seal::envelope();
        let envelope = self.text(&envelope);
        let verdict = || "conditional".to_owned();
        let signed = SealSigned {
            verdict: verdict(),
            envelope,
            key,
        };
        self.fact("seal-1/signed", signed).await;
        self.committed("seal-1/commit", '3').await;
        self.stage(Stage::Lessons).await;
        self.pass(20);
        let text = self.text("ids of deleted entries must never be used again");
        let lesson = LessonProposed {
            kind: "trap".to_owned(),
            text,
            stage: Some(Stage::Building),
            rests_on: Some("sprint-1/error-1".parse().unwrap()),
        };
        self.fact("lessons-1/lesson-1", lesson).await;
        let sealed = Sealed {
            branch: "gavel/build-099a8057".to_owned(),
            commit: "3".repeat(40),
            verdict: verdict(),
        };
        self.fact("seal-1/sealed", sealed).await;
    }
}
