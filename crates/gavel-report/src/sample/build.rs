//! Contracts and sprints.

use std::collections::BTreeMap;

use gavel_domain::{
    AuditFinished, AuditVerdict, BreakerTripped, CommitMade, ContractKind, ContractSubmitted,
    ContractsPinned, CriteriaJudged, CriterionJudged, CriterionStanding, Digest, ErrorResolved,
    ErrorTracked, EvidenceRef, Heard, InboxId, MicroUsd, Purpose, Resumed, Role, Said,
    ShareExceeded, Speaker, SprintOpened, SprintPart, SprintPlanned, SprintStage, Stage,
    VerifyFinished, VerifyVerdict,
};
use serde_json::json;

use super::{Asked, Story, contracts};

impl Story<'_> {
    pub(super) async fn contracts(&mut self) {
        self.stage(Stage::Contracts).await;
        let mut pinned = BTreeMap::new();
        for kind in ContractKind::ALL {
            let key = format!("contracts-1/{}", kind.word().replace('_', "-"));
            self.call(&key, Role::Leader, (260, 1_500, 4_100)).await;
            let text = contracts::text(kind);
            let content = self.text(text);
            let submitted = ContractSubmitted {
                kind,
                version: 1,
                content,
                model: "offline/rules".to_owned(),
            };
            self.fact(&key, submitted).await;
            pinned.insert(kind, Digest::of(text));
        }
        let contracts = pinned;
        self.fact("contracts-1/pinned", ContractsPinned { contracts })
            .await;
    }

    pub(super) async fn sprint_stage(&mut self, sprint: u32, part: SprintPart, round: u32) {
        let word = serde_json::to_value(part).unwrap();
        let key = format!("sprint-{sprint}/part-{}-{round}", word.as_str().unwrap());
        let stage = SprintStage {
            sprint,
            part,
            round,
        };
        self.fact(&key, stage).await;
    }

    pub(super) async fn planned(&mut self, sprint: u32, phase: u32) {
        self.sprint_stage(sprint, SprintPart::Scout, 0).await;
        let key = format!("sprint-{sprint}/scout");
        self.call(&key, Role::Scout, (300, 900, 2_000)).await;
        self.sprint_stage(sprint, SprintPart::Plan, 0).await;
        let plan = json!({"files": [
            {"path": "src/main.rs", "action": "create", "purpose": "the commands"},
            {"path": "tests/cli.rs", "action": "create", "purpose": "the criteria as tests"},
        ], "notes": ""});
        let plan = self.json(&plan);
        let planned = SprintPlanned {
            sprint,
            phase,
            plan,
            files: 2,
        };
        self.fact(&format!("sprint-{sprint}/planned"), planned)
            .await;
    }

    pub(super) async fn verified(&mut self, key: &str, (passed, failed): (u32, u32)) {
        self.pass(2_600);
        let output = self.text("test result");
        let finished = VerifyFinished {
            recipe: "cargo".to_owned(),
            verdict: if failed == 0 {
                VerifyVerdict::Passed
            } else {
                VerifyVerdict::Failed
            },
            reason: if failed == 0 {
                "all_passed"
            } else {
                "tests_failed"
            }
            .to_owned(),
            executed: passed + failed,
            passed,
            failed,
            skipped: 0,
            output,
            tree: Some("4b825dc642cb6eb9a060e54bf8d69288fbee4904".to_owned()),
            level: None,
            coverage: None,
            smoke: None,
            install: Vec::new(),
        };
        self.fact(key, finished).await;
    }

    async fn audited(&mut self, key: &str, verdict: AuditVerdict) {
        let errors = u32::from(verdict == AuditVerdict::Fail);
        let findings = if errors > 0 {
            json!([{"file": "src/main.rs", "line": 12, "severity": "error",
                "message": "deleted ids are used again", "evidence": "test ids_are_never_reused failed"}])
        } else {
            json!([])
        };
        let findings = self.json(&findings);
        let finished = AuditFinished {
            verdict,
            errors,
            warnings: 0,
            findings,
        };
        self.fact(key, finished).await;
    }

    pub(super) async fn first_sprint(&mut self) {
        self.stage(Stage::Building).await;
        self.opened(1, (0, 1), "").await;
        self.planned(1, 0).await;
        self.sprint_stage(1, SprintPart::Code, 0).await;
        let id: InboxId = "01890a5d-ac96-774b-bcce-b302099a8001".parse().unwrap();
        let text = self.text("keep the file sorted by date");
        let by = Speaker::PERSON;
        self.fact("inbox/1", Said { id, by, text }).await;
        self.fact("sprint-1/heard", Heard { said: vec![id] }).await;
        self.call("sprint-1/code", Role::Coder, (2_400, 9_000, 22_000))
            .await;
        self.sprint_stage(1, SprintPart::Verify, 0).await;
        self.verified("sprint-1/verify-0", (3, 1)).await;
        self.audited("sprint-1/audit-0", AuditVerdict::Fail).await;
        let error = Digest::of("ids_are_never_reused");
        let text = self.text("test ids_are_never_reused failed: expected 3, found 2");
        let tracked = ErrorTracked {
            error,
            source: "verify".to_owned(),
            sprint: 1,
            text,
        };
        self.fact("sprint-1/error-1", tracked).await;
        self.sprint_stage(1, SprintPart::Fix, 1).await;
        self.call("sprint-1/fix-1", Role::Fixer, (900, 3_000, 6_000))
            .await;
        self.verified("sprint-1/verify-1", (4, 0)).await;
        self.audited("sprint-1/audit-1", AuditVerdict::Pass).await;
        let resolved = ErrorResolved { error, sprint: 1 };
        self.fact("sprint-1/resolved-1", resolved).await;
        self.judged("sprint-1/criteria", (1, false), 250).await;
        self.committed("sprint-1/commit", '1').await;
    }

    /// The driver died, somebody drove on, and a breaker asked what to do.
    pub(super) async fn second_sprint(&mut self) {
        self.pass(60_000);
        let resumed = Resumed {
            unclean: true,
            gavel: "0.1.0".to_owned(),
        };
        self.fact("run/resumed-2", resumed).await;
        let focus = "Open criteria:\n- bookmark_found";
        self.opened(2, (1, 1), focus).await;
        let numbers = [("idle_sprints", 2)].map(|(name, n)| (name.to_owned(), n));
        let tripped = BreakerTripped {
            breaker: "cb_8".to_owned(),
            reason: "no_change".to_owned(),
            sprint: Some(2),
            role: None,
            degraded: false,
            numbers: numbers.into(),
        };
        self.fact("sprint-2/breaker-cb-8", tripped).await;
        let asked = Asked {
            key: "sprint-2/breaker",
            purpose: Purpose::Breaker,
            text: "The last two sprints changed no file.",
            why: "Two sprints in a row left every file as it was.",
            options: &[("retry", "Try one more sprint"), ("stop", "Stop here")],
        };
        self.ask(asked).await;
        self.answer("sprint-2/breaker", "retry", false).await;
        self.planned(2, 1).await;
        self.sprint_stage(2, SprintPart::Code, 0).await;
        self.call("sprint-2/code", Role::Coder, (1_900, 7_000, 18_000))
            .await;
        self.verified("sprint-2/verify-0", (8, 0)).await;
        self.audited("sprint-2/audit-0", AuditVerdict::Pass).await;
        self.judged("sprint-2/criteria", (2, false), 250).await;
        self.committed("sprint-2/commit", '2').await;
    }

    /// What the gate missed is done.
    pub(super) async fn third_sprint(&mut self) {
        self.stage(Stage::Building).await;
        let focus = "Do what is missing.\nOpen criteria:\n- bookmark_found";
        self.opened(3, (1, 2), focus).await;
        self.sprint_stage(3, SprintPart::Code, 0).await;
        self.call("sprint-3/code", Role::Coder, (800, 3_000, 9_000))
            .await;
        self.verified("sprint-3/verify-0", (9, 0)).await;
        self.audited("sprint-3/audit-0", AuditVerdict::Pass).await;
        self.judged("sprint-3/criteria", (3, true), 1_000).await;
        self.committed("sprint-3/commit", '4').await;
        let exceeded = ShareExceeded {
            stage: Stage::Building,
            spent: MicroUsd(59_000),
            share: MicroUsd(30_000),
        };
        self.fact("share/building", exceeded).await;
    }

    async fn opened(&mut self, sprint: u32, (phase, of_phase): (u32, u32), focus: &str) {
        let focus = (!focus.is_empty()).then(|| self.text(focus));
        let opened = SprintOpened {
            sprint,
            phase: Some(phase),
            of_phase,
            spent: MicroUsd(u64::from(sprint) * 10_000),
            driven_ms: u64::from(sprint) * 5_000,
            cap: None,
            said: None,
            focus,
        };
        self.fact(&format!("sprint-{sprint}/opened"), opened).await;
    }

    /// The first criterion is met; the second, three times as heavy, perhaps.
    pub(super) async fn judged(&mut self, key: &str, (sprint, both): (u32, bool), score: u32) {
        let judged = criteria(both);
        let judged = self.json(&judged);
        let fact = CriteriaJudged {
            sprint,
            met: 1 + u32::from(both),
            partial: 0,
            unmet: u32::from(!both),
            score,
            judged,
        };
        self.fact(key, fact).await;
    }

    pub(super) async fn committed(&mut self, key: &str, digit: char) {
        let made = CommitMade {
            branch: "gavel/build-099a8057".to_owned(),
            commit: digit.to_string().repeat(40),
            tree: "4b825dc642cb6eb9a060e54bf8d69288fbee4904".to_owned(),
        };
        self.fact(key, made).await;
    }
}

/// What was judged: each kind of evidence once.
fn criteria(both: bool) -> [CriterionJudged; 2] {
    let test = |name: &str| EvidenceRef::Test {
        name: name.to_owned(),
    };
    let listed = CriterionJudged {
        id: "bookmark_listed".to_owned(),
        standing: CriterionStanding::Met,
        evidence: vec![test("bookmark_listed")],
        note: String::new(),
        weight: 1,
        rank: None,
        caught: String::new(),
    };
    let found = CriterionJudged {
        id: "bookmark_found".to_owned(),
        standing: if both {
            CriterionStanding::Met
        } else {
            CriterionStanding::Unmet
        },
        evidence: if both {
            vec![
                test("bookmark_found"),
                EvidenceRef::File {
                    path: "src/main.rs".to_owned(),
                    line: 12,
                },
                EvidenceRef::Commit { id: "4".repeat(40) },
                EvidenceRef::Command {
                    command: "cargo test --offline".to_owned(),
                    exit: 0,
                },
            ]
        } else {
            Vec::new()
        },
        note: if both {
            String::new()
        } else {
            "no test of its name was executed".to_owned()
        },
        weight: 3,
        rank: None,
        caught: String::new(),
    };
    [listed, found]
}
