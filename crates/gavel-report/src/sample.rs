//! The journal of a whole run, written by hand: every kind of fact with texts, times and spend, and
//! with texts that try to be more than texts. Shared by the tests here and at the command line.

#[path = "sample/build.rs"]
mod build;
#[path = "sample/contracts.rs"]
mod contracts;
#[path = "sample/end.rs"]
mod end;
#[path = "sample/plan.rs"]
mod plan;
#[path = "sample/seal.rs"]
mod seal;

use gavel_domain::{
    Aborted, AnswerShape, AnswerValue, Audience, Blob, BlobRef, Digest, Fact, Halted, Head,
    MicroUsd, Month, OnTimeout, Purpose, QuestionAnswered, QuestionAsked, QuestionCard, Record,
    RecordDraft, Role, RunId, RunStarted, Seq, Settings, Speaker, SpendClass, Stage, StageEntered,
    Timestamp, TokenUsage, Tokens, UsageReserved, UsageSettled,
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

/// What the run was given, as a surface writes it, for a checkout in that folder.
pub(crate) fn brief(checkout: &str) -> String {
    let brief = json!({
        "idea": "a bookmark manager with tags",
        "git": "/usr/bin/git",
        "checkout": checkout,
        "repository": format!("{checkout}/.git"),
        "base": "b".repeat(40),
        "work_tree": "/state/worktrees/1",
        "branch_prefix": "gavel/build-",
        "stack": null,
        "without_memory": false,
        "force_council": false,
        "review_phases": false,
        "mini": false,
    });
    brief.to_string()
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
            story
                .fact("run/aborted", Aborted { by, reason: None })
                .await;
            return;
        }
    }
    story.second_sprint().await;
    story.refused().await;
    story.third_sprint().await;
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
        // A stage may be entered more than once.
        let key = format!("stage/{}-{}", stage.word(), self.head.seq.0);
        self.fact(&key, StageEntered { stage }).await;
    }

    /// Asks a question whose first option is recommended.
    async fn ask(&mut self, asked: Asked<'_>) {
        let card = QuestionCard::with_options(
            asked.text.to_owned(),
            Some(asked.why.to_owned()),
            asked.options,
        );
        let card = self.json(&card);
        let options: Vec<String> = asked
            .options
            .iter()
            .map(|(id, _)| (*id).to_owned())
            .collect();
        let fact = QuestionAsked {
            purpose: asked.purpose,
            card,
            recommended: options.first().cloned(),
            shape: AnswerShape::Choice { options },
            audience: Audience::Any,
            deadline_at: None,
            on_timeout: OnTimeout::Wait,
        };
        self.fact(&format!("{}:asked", asked.key), fact).await;
    }

    /// An option is taken, by a person or by `--yes`.
    async fn answer(&mut self, key: &str, option: &str, assumed: bool) {
        let answered = QuestionAnswered {
            value: AnswerValue::Option {
                id: option.to_owned(),
            },
            by: if assumed {
                Speaker::ENGINE
            } else {
                Speaker::PERSON
            },
            inbox: None,
            timed_out: false,
            assumed,
        };
        self.fact(key, answered).await;
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
        self.ledger.push(LedgerChange::Settle {
            call,
            cost,
            usage,
            claimed: None,
        });
        let settled = UsageSettled {
            model,
            usage,
            cost: Some(cost),
            input_max: input,
        };
        self.fact(&format!("{key}@1:settled"), settled).await;
    }
}

/// A question as it is asked.
struct Asked<'a> {
    key: &'a str,
    purpose: Purpose,
    text: &'a str,
    why: &'a str,
    options: &'a [(&'a str, &'a str)],
}

fn jiff_millis(millis: i64) -> std::time::Duration {
    std::time::Duration::from_millis(u64::try_from(millis).unwrap())
}
