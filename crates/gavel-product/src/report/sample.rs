//! The journal of a whole run, written by hand: every kind of fact with texts, times and spend, and
//! with texts that try to be more than texts. Shared by the tests here and at the command line.

#[path = "sample/contracts.rs"]
mod contracts;
#[path = "sample/seal.rs"]
mod seal;

use std::collections::BTreeMap;

use gavel_domain::{
    Aborted, AnswerShape, AnswerValue, Audience, AuditFinished, AuditVerdict, Blob, BlobRef,
    CommitMade, ContractKind, ContractSubmitted, ContractsPinned, Criterion, Decision,
    DecisionMade, Digest, DiscoveryAnswer, DiscoveryAnswered, ErrorResolved, ErrorTracked, Fact,
    GateCondition, GateJudged, Halted, Head, Heard, InboxId, LessonProposed, MemoryRecalled,
    MicroUsd, ModelsChosen, Month, OnTimeout, Purpose, QuestionAnswered, QuestionAsked,
    QuestionCard, Record, RecordDraft, Resumed, ReviewMade, Role, RouteDecided, RunId, RunStarted,
    Said, SealSigned, Sealed, Seq, Settings, Speaker, Spec, SpecWritten, SpendClass, SprintPart,
    SprintPlanned, SprintStage, Stage, StageEntered, Timestamp, TokenUsage, Tokens, UsageReserved,
    UsageSettled, VerifyFinished, VerifyVerdict,
};
use gavel_store::{Batch, CallId, Holder, Lease, LedgerChange, Reservation, Store};
use serde_json::json;

/// What a hostile text looks like: markup, a terminal's control sequence, a turned direction.
pub(crate) const HOSTILE: &str =
    "Save <script>alert('x')</script> & \"quotes\" | \u{1b}[31mred\u{1b}[0m `ticks` \u{202e}turned";

/// How far the run goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Until {
    /// It waits for an answer in the discovery.
    Waiting,
    /// It stopped after its first sprint.
    Halted,
    /// Somebody gave it up there.
    Aborted,
    /// It is sealed.
    Sealed,
}

/// Writes the run into a store; what it was given is `brief`, as JSON.
pub(crate) async fn write(store: &dyn Store, run: RunId, until: Until, brief: &str) {
    let mut story = Story::begin(store, run, brief).await;
    story.plan(until).await;
    if until == Until::Waiting {
        return;
    }
    story.contracts().await;
    story.first_sprint().await;
    match until {
        Until::Waiting | Until::Sealed => {}
        Until::Halted => {
            let detail = Some(story.text("the cap of sprints is reached: raise run.max_sprints"));
            let reason = "max_sprints_reached".to_owned();
            story.fact("halt/reason", Halted { reason, detail }).await;
            return;
        }
        Until::Aborted => {
            let by = Speaker::PERSON;
            story.fact("run/aborted", Aborted { by }).await;
            return;
        }
    }
    story.second_sprint().await;
    story.end().await;
}

struct Story<'a> {
    store: &'a dyn Store,
    lease: Lease,
    head: Head,
    at: Timestamp,
    blobs: Vec<Blob>,
    ledger: Vec<LedgerChange>,
}

impl<'a> Story<'a> {
    async fn begin(store: &'a dyn Store, run: RunId, brief: &str) -> Self {
        let at: Timestamp = "2026-11-15T09:30:00Z".parse().unwrap();
        let holder = Holder {
            pid: 1,
            host: "bed".to_owned(),
            since: at,
        };
        let lease = store.acquire(run, holder).await.unwrap();
        let mut story = Self {
            store,
            lease,
            head: Head::new(run, at),
            at,
            blobs: Vec::new(),
            ledger: Vec::new(),
        };
        let brief = Some(story.text(brief));
        let started = RunStarted {
            flow: 1,
            driver: "product".to_owned(),
            seed: Digest::of("seed"),
            gavel: "0.1.0".to_owned(),
            settings: Settings::default(),
            project: None,
            brief,
        };
        story.fact("run/started", started).await;
        story
    }

    fn text(&mut self, text: &str) -> BlobRef {
        let blob = Blob::new(text.as_bytes());
        let name = blob.name();
        self.blobs.push(blob);
        name
    }

    fn json(&mut self, value: &impl serde::Serialize) -> BlobRef {
        self.text(&serde_json::to_string(value).unwrap())
    }

    fn pass(&mut self, millis: i64) {
        self.at += jiff_millis(millis);
    }

    async fn fact<T: Fact>(&mut self, key: &str, fact: T) {
        let draft = RecordDraft::new(key.parse().unwrap(), &fact).unwrap();
        let place = (self.head.seq.next(), self.lease.epoch);
        let record: Record = draft.place(self.head.run, place, self.at, self.head.chain);
        let after: Seq = self.head.seq;
        self.head.apply(&record).unwrap();
        let batch = Batch {
            records: vec![record],
            blobs: std::mem::take(&mut self.blobs),
            ledger: std::mem::take(&mut self.ledger),
            head: self.head.clone(),
            inbox_taken: Vec::new(),
        };
        self.store.commit(&self.lease, after, batch).await.unwrap();
    }

    async fn stage(&mut self, stage: Stage) {
        let key = format!("stage/{}", stage.word());
        self.fact(&key, StageEntered { stage }).await;
    }

    /// A reply that took so long and cost so much.
    async fn call(&mut self, key: &str, role: Role, (millis, tokens, cost): (i64, u64, u64)) {
        let model = "offline/rules".to_owned();
        let (input, output) = (Tokens(tokens), Tokens(tokens / 4));
        let request = self.json(&json!([key]));
        let call = CallId {
            run: self.head.run,
            key: format!("{key}@1:reserved").parse().unwrap(),
        };
        let ceiling = MicroUsd(cost * 2);
        self.ledger.push(LedgerChange::Reserve(Reservation {
            call: call.clone(),
            month: Month::of(self.at),
            at: self.at,
            model: model.clone(),
            role,
            stage: self.head.stage,
            class: SpendClass::Metered,
            money: ceiling,
            tokens: input,
            caps: Vec::new(),
        }));
        let reserved = UsageReserved {
            model: model.clone(),
            role,
            class: SpendClass::Metered,
            ceiling: Some(ceiling),
            input_max: input,
            output_max: output,
            request,
        };
        self.fact(&format!("{key}@1:reserved"), reserved).await;
        self.pass(millis);
        let usage = TokenUsage {
            input,
            output,
            ..TokenUsage::default()
        };
        let cost = MicroUsd(cost);
        self.ledger.push(LedgerChange::Settle { call, cost, usage });
        let settled = UsageSettled {
            model,
            usage,
            cost: Some(cost),
            input_max: input,
        };
        self.fact(&format!("{key}@1:settled"), settled).await;
    }

    async fn plan(&mut self, until: Until) {
        self.stage(Stage::Intake).await;
        self.pass(40);
        let route = RouteDecided {
            route: "mini".to_owned(),
            sufficient: true,
            missing: Vec::new(),
            complexity: "simple".to_owned(),
            size: "small".to_owned(),
            reasons: Vec::new(),
            inputs: None,
        };
        self.fact("intake-1/route", route).await;
        let offline = || "offline/rules".to_owned();
        let models = ModelsChosen {
            leader: offline(),
            stances: Vec::new(),
            coder: offline(),
            auditor: offline(),
            judge: None,
        };
        self.fact("staff-1/models", models).await;
        self.stage(Stage::Discovery).await;
        let texts = self.json(&json!(["dates are written 2026-11-15"]));
        let items = vec!["01890a5d-0000-7000-8000-000000000001".to_owned()];
        self.fact("discovery-1/memory", MemoryRecalled { items, texts })
            .await;
        self.call("discovery-1/ask", Role::Leader, (420, 2_100, 5_200))
            .await;
        self.ask().await;
        if until == Until::Waiting {
            return;
        }
        self.answer().await;
        let answers = [
            ("product-type", "a command-line program", false),
            ("audience", HOSTILE, true),
            ("db-strategy", "one text file beside the program", false),
        ]
        .map(|(question, answer, by_person)| DiscoveryAnswer {
            question: question.to_owned(),
            answer: answer.to_owned(),
            by_person,
            ..DiscoveryAnswer::default()
        });
        let answers = self.json(&answers);
        let recommended = 2;
        let answered = DiscoveryAnswered {
            answers,
            recommended,
        };
        self.fact("discovery-1/answers", answered).await;
        self.review().await;
        self.spec().await;
    }

    async fn ask(&mut self) {
        let card = QuestionCard::with_options(
            "Who is it for?".to_owned(),
            Some("The audience decides how much help it needs.".to_owned()),
            &[("me", "One person at a terminal"), ("team", "A team")],
        );
        let card = self.json(&card);
        let asked = QuestionAsked {
            purpose: Purpose::Choice,
            card,
            shape: AnswerShape::Choice {
                options: vec!["me".to_owned(), "team".to_owned()],
            },
            recommended: Some("me".to_owned()),
            audience: Audience::Any,
            deadline_at: None,
            on_timeout: OnTimeout::Wait,
        };
        self.fact("discovery-1/audience:asked", asked).await;
    }

    /// The driver left, somebody came back an hour later, and waited a little.
    async fn answer(&mut self) {
        self.pass(3_600_000);
        let resumed = Resumed {
            unclean: false,
            gavel: "0.1.0".to_owned(),
        };
        self.fact("run/resumed-1", resumed).await;
        self.pass(1_500);
        let answered = QuestionAnswered {
            value: AnswerValue::Option {
                id: "me".to_owned(),
            },
            by: Speaker::PERSON,
            inbox: None,
            timed_out: false,
            assumed: false,
        };
        self.fact("discovery-1/audience", answered).await;
    }

    async fn review(&mut self) {
        self.stage(Stage::Council).await;
        self.pass(60);
        let items = json!([
            {"kind": "person_decided", "stance": "for", "text": "one file fits one user", "source": "answer:db-strategy"},
            {"kind": "not_covered", "stance": "against", "text": "no criterion names an import", "source": "idea"},
        ]);
        let items = self.json(&items);
        let made = ReviewMade {
            items,
            speaks_for: 1,
            speaks_against: 1,
        };
        self.fact("council-1/review", made).await;
        for (number, dissent) in [(1, ""), (2, "a database would be safer")] {
            let decision = Decision {
                title: format!("Storage, part {number}"),
                choice: "one tab-separated text file".to_owned(),
                why: "one user, small data, easy to repair by hand".to_owned(),
                dissent: dissent.to_owned(),
            };
            let text = self.json(&decision);
            let dissent = !dissent.is_empty();
            let key = format!("council-1/decision-{number}");
            let made = DecisionMade {
                number,
                text,
                dissent,
            };
            self.fact(&key, made).await;
        }
    }

    async fn spec(&mut self) {
        self.stage(Stage::Scoping).await;
        self.call("scoping-1/spec", Role::Leader, (380, 2_900, 7_400))
            .await;
        let spec = json_spec();
        let name = self.json(&spec);
        let criteria = 2;
        let spec = name;
        self.fact("scoping-1/written", SpecWritten { spec, criteria })
            .await;
    }

    async fn contracts(&mut self) {
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

    async fn sprint_stage(&mut self, sprint: u32, part: SprintPart, round: u32) {
        let word = serde_json::to_value(part).unwrap();
        let key = format!("sprint-{sprint}/part-{}-{round}", word.as_str().unwrap());
        let stage = SprintStage {
            sprint,
            part,
            round,
        };
        self.fact(&key, stage).await;
    }

    async fn planned(&mut self, sprint: u32, phase: u32) {
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

    async fn verified(&mut self, key: &str, (passed, failed): (u32, u32)) {
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

    async fn first_sprint(&mut self) {
        self.stage(Stage::Building).await;
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
        self.committed("sprint-1/commit", '1').await;
    }

    async fn second_sprint(&mut self) {
        self.planned(2, 1).await;
        self.sprint_stage(2, SprintPart::Code, 0).await;
        self.call("sprint-2/code", Role::Coder, (1_900, 7_000, 18_000))
            .await;
        self.verified("sprint-2/verify-0", (9, 0)).await;
        self.audited("sprint-2/audit-0", AuditVerdict::Pass).await;
        self.committed("sprint-2/commit", '2').await;
    }

    async fn committed(&mut self, key: &str, digit: char) {
        let made = CommitMade {
            branch: "gavel/build-099a8057".to_owned(),
            commit: digit.to_string().repeat(40),
            tree: "4b825dc642cb6eb9a060e54bf8d69288fbee4904".to_owned(),
        };
        self.fact(key, made).await;
    }

    async fn end(&mut self) {
        self.stage(Stage::Gating).await;
        self.verified("gate-1/verify", (9, 0)).await;
        let evidence = json!([
            {"id": "bookmark_listed", "holds": true, "evidence": "cli::bookmark_listed"},
            {"id": "bookmark_found", "holds": true, "evidence": "cli::bookmark_found"},
        ]);
        let evidence = self.json(&evidence);
        let condition = |id: &str, looked_at| GateCondition {
            id: id.to_owned(),
            holds: true,
            looked_at,
            held: looked_at,
            reason: String::new(),
        };
        let judged = GateJudged {
            commit: "2".repeat(40),
            passed: true,
            score: 1_000,
            conditions: vec![
                condition("phases_complete", 2),
                condition("tests_passed", 9),
                condition("criteria_shown", 2),
                condition("audited", 2),
            ],
            evidence,
        };
        self.fact("gate-1/judged", judged).await;
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
        let kind = "trap".to_owned();
        self.fact("lessons-1/lesson-1", LessonProposed { kind, text })
            .await;
        let sealed = Sealed {
            branch: "gavel/build-099a8057".to_owned(),
            commit: "3".repeat(40),
            verdict: verdict(),
        };
        self.fact("seal-1/sealed", sealed).await;
    }
}

fn json_spec() -> Spec {
    let criterion = |id: &str, statement: &str| Criterion {
        id: id.to_owned(),
        statement: statement.to_owned(),
        example: "$ bookmark list\nhas Alpha".to_owned(),
    };
    Spec {
        title: "bookmarks".to_owned(),
        purpose: "Keeps bookmarks with tags and finds them again.".to_owned(),
        users: vec!["one person at a terminal".to_owned()],
        in_scope: vec![
            "add, list and find bookmarks".to_owned(),
            HOSTILE.to_owned(),
        ],
        out_of_scope: vec!["synchronising between machines".to_owned()],
        assumptions: vec!["one user at a time".to_owned()],
        criteria: vec![
            criterion("bookmark_listed", "A bookmark that was added is listed."),
            criterion(
                "bookmark_found",
                "A bookmark is found by a word of its title.",
            ),
        ],
        ..Spec::default()
    }
}

fn jiff_millis(millis: i64) -> std::time::Duration {
    std::time::Duration::from_millis(u64::try_from(millis).unwrap())
}
