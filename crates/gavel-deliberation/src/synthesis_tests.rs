//! Syntheses of a small debate by scripted leaders, over a real store.

use std::sync::{Arc, Mutex};

use gavel_agent::ToolContext;
use gavel_domain::{
    AnswerReply, Caps, ClarifiedMatter, CouncilJudged, CouncilPhaseEnded, Fact, OpenDecision,
    OutputKind, OutputSection, OutputShape, RunId, SectionShape, Stance, StanceOrigin, TagCount,
};
use gavel_models::{CallErrorKind, Model, ModelInfo, Models, Part, Request};
use gavel_rules::council::{Experience, Position, vote, weight};
use gavel_run::{DriveEnd, Stop};
use gavel_testkit::{ScriptedModel, TEST_PRICE, TestBed, test_info, text_reply, unbilled};
use gavel_workspace::{Scrubber, TreeRoot};
use serde_json::{Value, json};

use super::*;
use crate::Verdict;
use crate::verdict::judge;

const TOPIC: &str = "SQLite or PostgreSQL for an embedded job queue?";

struct World {
    bed: TestBed,
    run: RunId,
    leader: ScriptedModel,
    judge: ScriptedModel,
    attended: bool,
    /// How many seats spoke.
    spoke: usize,
    earlier: Option<&'static str>,
}

impl World {
    async fn new(leader: ScriptedModel, judge: ScriptedModel) -> Self {
        let mut models = Models::default();
        for (id, model) in [("test/leader", &leader), ("test/judge", &judge)] {
            let model: Arc<dyn Model> = Arc::new(model.clone());
            models.insert(info(id), model);
        }
        let bed = TestBed::with_models(models).await;
        let run = bed.start(Caps::default()).await;
        Self {
            bed,
            run,
            leader,
            judge,
            attended: false,
            spoke: 3,
            earlier: None,
        }
    }

    /// Draws the debate together and has it judged.
    async fn draw(&self, kind: OutputKind) -> (Drawn, Verdict) {
        let (end, result) = self.try_drawing(kind).await;
        assert!(matches!(end, DriveEnd::Through(_)), "{end:?}");
        result.unwrap()
    }

    /// The same, which may end at a question.
    async fn try_drawing(&self, kind: OutputKind) -> (DriveEnd, Option<(Drawn, Verdict)>) {
        let result = Mutex::default();
        let end = self.bed.drive(self.run, async |run| {
            let (plan, mut positions) = (plan(kind), positions());
            positions.truncate(self.spoke);
            let votes = votes(&plan, &positions);
            let clarified = ClarifiedMatter {
                criteria: vec!["It names a store.".to_owned(), "It says why.".to_owned()],
                ..ClarifiedMatter::default()
            };
            let matter = Matter {
                clarified: Some(&clarified),
                attended: self.attended,
                earlier: self.earlier,
                ..Matter::of(TOPIC)
            };
            let debate = Debate {
                evidence: None,
                matter: &matter,
                plan: &plan,
                positions: &positions,
                votes: &votes,
                summary: "They differ about locks.",
                findings: "Nobody runs a server here.",
                unanswered: &[],
                said: "",
                met: &[0],
            };
            let scope = run.scope("council", 1)?;
            let council = council(self.bed.folder());
            let drawn = synthesise(&run, &scope, &council, &debate).await?;
            let verdict = judge(&run, &scope, &council, (&debate, &drawn)).await?;
            *result.lock().unwrap() = Some((drawn, verdict));
            Ok(())
        });
        let end = end.await.unwrap();
        (end, result.into_inner().unwrap())
    }

    async fn facts<F: Fact>(&self) -> Vec<F> {
        let records = self.bed.records(self.run).await;
        let own = records.iter().filter(|record| record.kind == F::KIND);
        own.map(|record| record.read().unwrap()).collect()
    }

    fn finish(&self) {
        self.leader.finish();
        self.judge.finish();
    }
}

fn info(id: &str) -> ModelInfo {
    ModelInfo {
        id: id.parse().unwrap(),
        ..test_info(Some(TEST_PRICE))
    }
}

fn council(folder: &std::path::Path) -> Council {
    let files = Arc::new(TreeRoot::open(folder).unwrap());
    let scrubber = Arc::new(Scrubber::new([]).unwrap());
    Council {
        leader: info("test/leader"),
        promoted_from: None,
        seats: vec![info("test/leader")],
        judge: info("test/judge"),
        researcher: info("test/leader"),
        fast: info("test/leader"),
        balanced: info("test/leader"),
        context: ToolContext::reading(files, scrubber),
        edition: Edition::First,
        experience: Experience::Off,
        gate: false,
    }
}

fn plan(kind: OutputKind) -> DebatePlan {
    let stance = |name: &str| Stance {
        name: name.to_owned(),
        lens: "looks at it".to_owned(),
        focus: String::new(),
        origin: StanceOrigin::Planned,
    };
    let section = |key: &str, shape| OutputSection {
        key: key.to_owned(),
        heading: key.to_owned(),
        prompt: String::new(),
        shape,
    };
    DebatePlan {
        intent_summary: "a store".to_owned(),
        stances: ["Builder", "Owner", "Skeptic"].map(stance).to_vec(),
        decisions: vec![OpenDecision {
            id: "store".to_owned(),
            question: "Which store?".to_owned(),
            options: vec!["SQLite".to_owned(), "PostgreSQL".to_owned()],
        }],
        output_shape: OutputShape {
            kind,
            sections: vec![
                section("risks", SectionShape::List),
                section("agreed", SectionShape::List),
                section("story", SectionShape::Text),
            ],
            guardrails: Vec::new(),
        },
        planned_rounds: 1,
        fallback: false,
    }
}

fn positions() -> Vec<FinalPosition> {
    let position = |seat: u32, stance: &str, option: u32, text: &str| FinalPosition {
        seat,
        stance: stance.to_owned(),
        model: "test/one".to_owned(),
        turn: format!("council-1/turn-{seat}"),
        text: text.to_owned(),
        choices: vec![Choice {
            decision: "store".to_owned(),
            option,
            confidence: 80,
            cites: vec!["idea".to_owned()],
            broken: Vec::new(),
        }],
    };
    let doubt = "The plan is nice. Yet PostgreSQL lets many workers write, and SQLite locks.";
    vec![
        position(1, "Builder", 0, "SQLite needs no server."),
        position(2, "Owner", 0, "SQLite is enough for us."),
        position(3, "Skeptic", 1, doubt),
    ]
}

fn votes(plan: &DebatePlan, positions: &[FinalPosition]) -> Vec<DecisionVote> {
    let finals: Vec<Position<'_>> = positions
        .iter()
        .map(|one| Position {
            stance: &one.stance,
            weight: weight(TagCount::default()),
            choices: &one.choices,
        })
        .collect();
    vote(&plan.decisions, &finals, &[])
}

fn good() -> Value {
    json!({
        "summary": "SQLite fits an embedded queue.",
        "sections": [{"key": "risks", "text": "- locks\n- size"}, {"key": "Story", "text": "They talked."}],
        "agreed": ["no server"],
        "tradeoffs": ["one writer"],
        "recommendation": "Use SQLite.",
        "action_items": ["Add the crate.", "Write the table.", "Test it with two workers."],
        "resolved_answer": "SQLite.",
        "decisions": [{"id": "store", "why": "no server to run"}, {"id": "colour", "why": "blue"}],
        "settled": [
            {"title": "Journal", "choice": "WAL", "why": "readers go on"},
            {"title": "which store?", "choice": "PostgreSQL", "why": "the leader likes it"},
        ],
        "dissent": [],
        "assumptions": [{"claim": "one host", "confidence": "high", "how_to_validate": "ask",
            "raised_by": "skeptic"}],
        "readable": "",
    })
}

fn verdict() -> ScriptedModel {
    let said = json!({"covered": [1, 2], "dissent_kept": true, "evidence_used": true,
        "confidence": 80, "reason": "It is all there."});
    ScriptedModel::new().text(&said.to_string())
}

/// A person answers the one open question.
async fn answer(world: &World, option: &str) {
    let mailbox = world.bed.mailbox();
    let questions = mailbox.questions(world.run).await.unwrap();
    assert_eq!(questions.len(), 1);
    let id = Some(questions[0].id.clone());
    let reply = AnswerReply::Option {
        id: option.to_owned(),
    };
    mailbox.answer(world.run, id, reply).await.unwrap();
}

fn texts(request: &Request) -> String {
    let parts = request.messages.iter().flat_map(|message| &message.parts);
    let texts = parts.filter_map(|part| match part {
        Part::Text { text } => Some(text.as_str()),
        Part::ToolResult { .. } | Part::ToolCall { .. } => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn the_leader_explains_what_was_counted() {
    let world = World::new(ScriptedModel::new().text(&good().to_string()), verdict()).await;
    let (drawn, verdict) = world.draw(OutputKind::Decision).await;
    assert_eq!(drawn.how, SynthesisOutcome::Made);
    let outcome = &drawn.outcome;
    assert_eq!(outcome.decisions[0].option, Some(0));
    assert_eq!(drawn.whys["store"], "no server to run");
    assert_eq!(drawn.whys.len(), 1);
    // The vote is the program's; what the leader settles besides is not the vote again.
    let extra: Vec<_> = drawn.extra.iter().map(|one| one.title.as_str()).collect();
    assert_eq!(extra, ["Journal"]);
    assert_eq!(outcome.sections["risks"], json!(["locks", "size"]));
    assert_eq!(outcome.sections["agreed"], json!(["no server"]));
    assert_eq!(outcome.sections["story"], json!("They talked."));
    let plan = outcome.plan.as_ref().unwrap();
    assert_eq!(plan.steps.len(), 3);
    assert_eq!(outcome.resolved_question, None);
    assert_eq!(drawn.assumptions[0].raised_by, "Skeptic");
    assert_eq!(verdict.confidence, Some(80));
    assert!(!verdict.needs_person);
    world.finish();

    let shown = texts(&world.leader.requests()[0]);
    for part in [
        "They differ about locks",
        "Nobody runs a server here",
        "needs no server",
        "\"carried\":\"SQLite\"",
    ] {
        assert!(shown.contains(part), "{part} is not in {shown}");
    }
    assert!(
        !shown.contains("test/one"),
        "models have no names in a debate"
    );
}

#[tokio::test]
async fn dissent_is_kept_although_the_leader_forgets_it() {
    let world = World::new(ScriptedModel::new().text(&good().to_string()), verdict()).await;
    let (drawn, _) = world.draw(OutputKind::Decision).await;
    let dissent = &drawn.outcome.dissent;
    assert_eq!(dissent.len(), 1);
    // Their words from the beginning: the main argument may stand anywhere.
    let own = "The plan is nice. Yet PostgreSQL lets many workers write, and SQLite locks.";
    assert_eq!(
        (dissent[0].who.as_str(), dissent[0].why.as_str()),
        ("Skeptic", own)
    );
    assert_eq!(dissent[0].decision, "store");
    assert_eq!(dissent[0].turn, "council-1/turn-3");
    assert!(drawn.readable.contains(own), "{}", drawn.readable);
}

#[tokio::test]
async fn what_the_leader_adds_about_a_stance_stands_beside_it() {
    let mut said = good();
    said["dissent"] =
        json!([{"who": "owner", "why": "wants a date"}, {"who": "Builder", "why": "None."}]);
    let world = World::new(ScriptedModel::new().text(&said.to_string()), verdict()).await;
    let (drawn, _) = world.draw(OutputKind::Decision).await;
    let who: Vec<_> = drawn
        .outcome
        .dissent
        .iter()
        .map(|one| (one.who.as_str(), one.turn.as_str()))
        .collect();
    assert_eq!(who, [("Skeptic", "council-1/turn-3"), ("Owner", "")]);
}

#[tokio::test]
async fn a_stranger_is_asked_about_once_and_then_left_out() {
    let mut said = good();
    said["dissent"] = json!([{"who": "Napoleon", "why": "wants more"}]);
    let text = said.to_string();
    let world = World::new(ScriptedModel::new().text(&text).text(&text), verdict()).await;
    let (drawn, _) = world.draw(OutputKind::Decision).await;
    assert_eq!(drawn.how, SynthesisOutcome::MadeCompact);
    assert!(drawn.outcome.dissent.iter().all(|one| one.who == "Skeptic"));
    let again = texts(&world.leader.requests()[1]);
    assert!(
        again.contains("nobody here is called `Napoleon`"),
        "{again}"
    );
    world.finish();
}

#[tokio::test]
async fn a_vote_is_not_overruled_by_advice() {
    let mut said = good();
    said["recommendation"] = json!("Take PostgreSQL, it is the future.");
    let text = said.to_string();
    let world = World::new(ScriptedModel::new().text(&text).text(&text), verdict()).await;
    let (drawn, _) = world.draw(OutputKind::Decision).await;
    assert_eq!(drawn.how, SynthesisOutcome::MadeCompact);
    let again = texts(&world.leader.requests()[1]);
    assert!(
        again.contains("goes against the vote on `store`, which carries SQLite"),
        "{again}"
    );
    // Said twice it stands, with what was counted.
    let expected = "Take PostgreSQL, it is the future. (The vote on store carries SQLite.)";
    assert_eq!(drawn.outcome.recommendation, expected);
    world.finish();

    said["recommendation"] = json!("Take SQLite, not PostgreSQL.");
    let world = World::new(ScriptedModel::new().text(&said.to_string()), verdict()).await;
    let (drawn, _) = world.draw(OutputKind::Decision).await;
    assert_eq!(drawn.how, SynthesisOutcome::Made);
    world.finish();
}

#[tokio::test]
async fn a_compact_try_follows_with_other_advice() {
    for (first, advice) in [
        (r#"{"summary": "it went on and"#, "broke off"),
        ("Let me think about it.", "held no JSON object"),
        (r#"{"verdict": "SQLite"}"#, "stands under `problem`"),
        ("", "was empty"),
    ] {
        let leader = ScriptedModel::new().text(first).text(&good().to_string());
        let world = World::new(leader, verdict()).await;
        let (drawn, _) = world.draw(OutputKind::ResolveQuestion).await;
        assert_eq!(drawn.how, SynthesisOutcome::MadeCompact, "{first}");
        assert_eq!(drawn.outcome.resolved_question.unwrap().answer, "SQLite.");
        let requests = world.leader.requests();
        let (whole, compact) = (&requests[0], texts(&requests[1]));
        assert!(compact.contains(advice), "{compact}");
        assert!(
            !compact.contains("They differ about locks"),
            "the summary is left out"
        );
        assert!(requests[1].limits.max_output <= whole.limits.max_output);
        world.finish();
    }
}

#[tokio::test]
async fn garbage_twice_is_no_synthesis_and_nothing_is_invented() {
    let leader = ScriptedModel::new().text("no").text(r#"{"summary": ""}"#);
    let world = World::new(leader, ScriptedModel::new()).await;
    let (drawn, verdict) = world.draw(OutputKind::Decision).await;
    assert_eq!(drawn.how, SynthesisOutcome::Failed);
    let outcome = &drawn.outcome;
    assert!(
        outcome
            .summary
            .starts_with("There is no synthesis: the leader's first answer"),
        "{}",
        outcome.summary
    );
    assert_eq!(outcome.recommendation, "");
    assert!(outcome.action_items.is_empty() && outcome.agreed.is_empty());
    assert_eq!(outcome.decisions[0].option, Some(0));
    assert_eq!(outcome.dissent[0].who, "Skeptic");
    assert!(
        drawn.whys["store"].contains("of 100 by weight"),
        "{:?}",
        drawn.whys
    );
    assert!(verdict.needs_person);
    assert_eq!(verdict.confidence, None);
    // What was counted is on record: who disagrees is known without a leader.
    let made = world.facts::<SynthesisMade>().await;
    let kept = world.bed.store().blob(made[0].text.digest).await.unwrap();
    let kept = String::from_utf8(kept.unwrap()).unwrap();
    let (json, problem) = divide(&kept);
    let kept: CouncilOutcome = serde_json::from_str(json).unwrap();
    assert_eq!(kept, *outcome);
    assert!(
        problem.starts_with("the leader's first answer"),
        "{problem}"
    );
    // Nobody is paid for judging nothing.
    assert_eq!(world.judge.requests().len(), 0);
    let ended = world.facts::<CouncilPhaseEnded>().await;
    assert_eq!(ended.len(), 1);
    assert_eq!(ended[0].outcome, PhaseOutcome::Failed);
    assert!(ended[0].why.is_some());
    world.finish();
}

#[tokio::test]
async fn somebody_who_is_there_may_have_it_tried_again() {
    let leader = ScriptedModel::new().text("no").text("no");
    let mut world = World::new(leader, verdict()).await;
    world.attended = true;
    let (end, none) = world.try_drawing(OutputKind::Decision).await;
    assert!(
        matches!(end, DriveEnd::Stopped(Stop::Waiting { .. })),
        "{end:?}"
    );
    assert_eq!(none, None);
    answer(&world, "again").await;
    world.leader.push(Ok(text_reply(&good().to_string())));
    let (drawn, _) = world.draw(OutputKind::Decision).await;
    assert_eq!(drawn.how, SynthesisOutcome::Made);
    let made = world.facts::<SynthesisMade>().await;
    assert_eq!(made.len(), 1);
    world.finish();
}

#[tokio::test]
async fn somebody_who_is_there_may_go_on_without() {
    let leader = ScriptedModel::new().text("no").text("no");
    let mut world = World::new(leader, ScriptedModel::new()).await;
    world.attended = true;
    world.try_drawing(OutputKind::Decision).await;
    answer(&world, "without").await;
    let (drawn, _) = world.draw(OutputKind::Decision).await;
    assert_eq!(drawn.how, SynthesisOutcome::Failed);
    world.finish();
}

#[tokio::test]
async fn a_provider_that_refuses_is_not_asked_for_less() {
    let leader = ScriptedModel::new().error(unbilled(CallErrorKind::Unauthorized));
    let world = World::new(leader, ScriptedModel::new()).await;
    let (drawn, _) = world.draw(OutputKind::Decision).await;
    assert_eq!(drawn.how, SynthesisOutcome::Failed);
    assert!(
        drawn.outcome.summary.contains("test/leader failed"),
        "{}",
        drawn.outcome.summary
    );
    assert_eq!(world.leader.requests().len(), 1);
}

#[tokio::test]
async fn a_judge_that_says_nothing_usable_means_a_person() {
    let judge = ScriptedModel::new().text("fine").text("really fine");
    let world = World::new(ScriptedModel::new().text(&good().to_string()), judge).await;
    let (_, verdict) = world.draw(OutputKind::Decision).await;
    assert_eq!((verdict.confidence, verdict.needs_person), (None, true));
    assert!(
        verdict.reason.contains("nobody judged it"),
        "{}",
        verdict.reason
    );
    let judged = world.facts::<CouncilJudged>().await;
    assert!(judged[0].needs_person);
    world.finish();
}

#[tokio::test]
async fn a_second_drive_reads_all_of_it() {
    let leader = ScriptedModel::new().text("no").text(&good().to_string());
    let world = World::new(leader, verdict()).await;
    let first = world.draw(OutputKind::Decision).await;
    let story = world.bed.story(world.run).await;
    world.leader.forbid_requests();
    world.judge.forbid_requests();
    assert_eq!(world.draw(OutputKind::Decision).await, first);
    let again = world.bed.story(world.run).await;
    assert!(again.starts_with(&story));
    for key in [
        "council-1/synthesis/made synthesis_made",
        "council-1/judged council_judged",
    ] {
        assert!(story.contains(key), "{story}");
    }
    world.finish();
}

#[tokio::test]
async fn one_voice_says_that_it_is_one_and_whose() {
    let mut world = World::new(ScriptedModel::new().text(&good().to_string()), verdict()).await;
    world.spoke = 1;
    let (drawn, verdict) = world.draw(OutputKind::Decision).await;
    let alone =
        "ONE VOICE: only Builder (test/one) spoke; nothing usable came from Owner, Skeptic.";
    let summary = &drawn.outcome.summary;
    assert!(summary.starts_with(alone), "{summary}");
    assert!(drawn.readable.contains(alone), "{}", drawn.readable);
    assert_eq!(drawn.whys["store"], "One voice, Builder. no server to run");
    assert!(
        drawn
            .readable
            .contains("Which store? **SQLite** (one voice: SQLite: Builder)"),
        "{}",
        drawn.readable
    );
    assert!(verdict.needs_person, "{verdict:?}");
    world.finish();

    // Nor does it agree with itself where nobody draws it together.
    let leader = ScriptedModel::new().text("no").text("no");
    let mut world = World::new(leader, ScriptedModel::new()).await;
    world.spoke = 1;
    let (drawn, _) = world.draw(OutputKind::Decision).await;
    assert!(drawn.outcome.summary.starts_with(alone));
    assert!(drawn.outcome.agreed.is_empty(), "{:?}", drawn.outcome);
}

#[tokio::test]
async fn the_leader_knows_what_a_debate_follows_up() {
    let leader = ScriptedModel::new().text("no").text(&good().to_string());
    let mut world = World::new(leader, verdict()).await;
    world.earlier = Some("Earlier they chose a queue.");
    world.draw(OutputKind::Decision).await;
    for request in world.leader.requests() {
        assert!(texts(&request).contains("Earlier they chose a queue."));
    }
    world.finish();
}
