//! A matter is made clear: questions, talks, briefs, a person's word.

use std::sync::{Arc, Mutex};

use gavel_agent::ToolContext;
use gavel_deliberation::{Clarified, ClarifyAsk, Council, Edition, clarify};
use gavel_domain::{
    AnswerReply, Caps, ClarifiedMatter, ClarifyAnswer, CouncilPhaseEnded, Door, Fact,
    MatterClarified, MemoryNote, PhaseOutcome, QuestionCard, Role, RunId, Speaker,
};
use gavel_models::{CallErrorKind, Model, ModelInfo, Models, Part, Request};
use gavel_rules::council::Experience;
use gavel_run::{DriveEnd, DriveOptions, Run, RunError, Stop, StopHandle};
use gavel_testkit::{STRICT, ScriptedModel, TEST_PRICE, TestBed, test_info, text_reply, unbilled};
use gavel_workspace::{Scrubber, TreeRoot};
use serde_json::{Value, json};

const TOPIC: &str = "SQLite or PostgreSQL for an embedded job queue?";
const BALANCED: &str = "a/balanced";
const LEADER: &str = "a/leader";

/// A run whose matter is made clear.
pub(crate) struct Desk {
    pub(crate) bed: TestBed,
    pub(crate) run: RunId,
    balanced: ScriptedModel,
    leader: ScriptedModel,
    attended: bool,
    options: DriveOptions,
    cards: Mutex<Vec<Seen>>,
}

/// A card that was answered.
#[derive(Debug, Clone)]
struct Seen {
    card: QuestionCard,
    recommended: Option<String>,
}

impl Seen {
    fn why(&self) -> &str {
        self.card.why.as_deref().unwrap()
    }

    fn ids(&self) -> Vec<&str> {
        self.card
            .options
            .iter()
            .map(|one| one.id.as_str())
            .collect()
    }
}

impl Desk {
    pub(crate) async fn new(balanced: ScriptedModel, leader: ScriptedModel) -> Self {
        let bed = TestBed::with_models(models(&balanced, &leader)).await;
        let run = bed.start(Caps::default()).await;
        Self {
            bed,
            run,
            balanced,
            leader,
            attended: true,
            options: STRICT,
            cards: Mutex::default(),
        }
    }

    /// Drives to the end; every card is left and answered by the next of these.
    async fn hold(&self, said: &[(&str, AnswerReply)]) -> Clarified {
        let mut said = said.iter();
        loop {
            match self.drive().await {
                Drove::Through(clarified) => {
                    assert_eq!(said.next(), None, "nobody asked that");
                    return clarified;
                }
                Drove::Waits(key) => {
                    let (wanted, reply) = said.next().unwrap_or_else(|| panic!("{key} is open"));
                    assert_eq!(key, format!("council-1/clarify/{wanted}"));
                    self.answer(reply.clone(), Speaker::PERSON).await;
                }
            }
        }
    }

    async fn answer(&self, reply: AnswerReply, by: Speaker) {
        let mailbox = self.bed.mailbox_of(by);
        let [question] = &mailbox.questions(self.run).await.unwrap()[..] else {
            panic!("one question is open");
        };
        self.cards.lock().unwrap().push(Seen {
            card: question.card.clone(),
            recommended: question.asked.recommended.clone(),
        });
        let id = Some(question.id.clone());
        mailbox.answer(self.run, id, reply).await.unwrap();
    }

    async fn drive(&self) -> Drove {
        let clarified = Mutex::default();
        let driver = async |run: Run| {
            let came = clarify_in(&run, &self.bed, self.attended).await?;
            *clarified.lock().unwrap() = Some(came);
            Ok(())
        };
        let engine = self.bed.engine();
        let end = engine.drive(self.run, self.options, StopHandle::new(), driver);
        match end.await.unwrap() {
            DriveEnd::Through(_) => Drove::Through(clarified.into_inner().unwrap().unwrap()),
            DriveEnd::Stopped(Stop::Waiting { question }) => Drove::Waits(question.to_string()),
            DriveEnd::Stopped(stop) => panic!("{stop:?}"),
        }
    }

    /// Drives once more: nothing is asked again, and the same comes out.
    async fn check_replay(&self, before: &Clarified) {
        self.balanced.forbid_requests();
        self.leader.forbid_requests();
        match self.drive().await {
            Drove::Through(again) => assert_eq!(again, *before),
            Drove::Waits(key) => panic!("{key} is asked again"),
        }
        self.balanced.finish();
        self.leader.finish();
    }

    fn seen(&self, place: usize) -> Seen {
        self.cards.lock().unwrap().get(place).unwrap().clone()
    }

    async fn facts<F: Fact>(&self) -> Vec<F> {
        let records = self.bed.records(self.run).await;
        let own = records.iter().filter(|record| record.kind == F::KIND);
        own.map(|record| record.read().unwrap()).collect()
    }

    /// What stands on record about the brief: answered, rounds, approved.
    async fn clarified(&self) -> (u32, u32, bool) {
        let facts = self.facts::<MatterClarified>().await;
        let [one] = &facts[..] else {
            panic!("one brief is recorded");
        };
        (one.answered, one.rounds, one.approved)
    }

    async fn ended(&self) -> PhaseOutcome {
        self.facts::<CouncilPhaseEnded>()
            .await
            .first()
            .unwrap()
            .outcome
    }
}

enum Drove {
    Through(Clarified),
    Waits(String),
}

/// One clarification, as every test holds it.
pub(crate) async fn clarify_in(
    run: &Run,
    bed: &TestBed,
    attended: bool,
) -> Result<Clarified, RunError> {
    let memory = [MemoryNote {
        id: "trap-7".to_owned(),
        kind: "trap".to_owned(),
        text: "Two writers locked the file.".to_owned(),
    }];
    let gray_areas = ["For whom is it?".to_owned()];
    let ask = ClarifyAsk {
        topic: TOPIC,
        memory: &memory,
        gray_areas: &gray_areas,
        attended,
        earlier: None,
    };
    let scope = run.scope("council", 1)?;
    clarify(run, &scope, &council(bed), &ask).await
}

fn council(bed: &TestBed) -> Council {
    let files = Arc::new(TreeRoot::open(bed.folder()).unwrap());
    let scrubber = Arc::new(Scrubber::new([]).unwrap());
    Council {
        leader: info(LEADER),
        promoted_from: None,
        seats: vec![info(LEADER)],
        judge: info(LEADER),
        researcher: info(LEADER),
        fast: info(LEADER),
        balanced: info(BALANCED),
        context: ToolContext::reading(files, scrubber),
        edition: Edition::Second,
        experience: Experience::Off,
        gate: true,
    }
}

pub(crate) fn models(balanced: &ScriptedModel, leader: &ScriptedModel) -> Models {
    let mut all = Models::default();
    for (id, model) in [(BALANCED, balanced), (LEADER, leader)] {
        let model: Arc<dyn Model> = Arc::new(model.clone());
        all.insert(info(id), model);
    }
    all
}

fn info(id: &str) -> ModelInfo {
    ModelInfo {
        id: id.parse().unwrap(),
        ..test_info(Some(TEST_PRICE))
    }
}

fn script(answers: &[Value]) -> ScriptedModel {
    let model = ScriptedModel::new();
    for answer in answers {
        model.push(Ok(text_reply(&answer.to_string())));
    }
    model
}

pub(crate) fn questions(asked: &[&str]) -> Value {
    let asked = asked.iter().map(|question| {
        json!({
            "question": question,
            "why": "It decides how jobs are kept.",
            "options": [
                {"label": "Never", "text": "Each survives a crash."},
                {"label": "Now and then", "text": ""},
            ],
            "recommended": 2,
        })
    });
    json!({"questions": asked.collect::<Vec<_>>()})
}

pub(crate) fn ready() -> Value {
    json!({"ready": true, "confidence": 90, "gaps": []})
}

fn not_ready(gap: &str) -> Value {
    json!({"ready": false, "confidence": 80, "gaps": [gap]})
}

pub(crate) fn matter(problem: &str) -> Value {
    json!({
        "problem": problem,
        "constraints": ["It runs on one machine."],
        "criteria": ["One store is named.", "Its price is told."],
        "scope": "The queue, not the workers.",
    })
}

fn option(id: &str) -> AnswerReply {
    AnswerReply::Option { id: id.to_owned() }
}

fn text(text: &str) -> AnswerReply {
    AnswerReply::Text {
        text: text.to_owned(),
    }
}

fn brief(clarified: &Clarified) -> &ClarifiedMatter {
    match clarified {
        Clarified::Clear(matter) => matter,
        Clarified::Withdrawn => panic!("it was withdrawn"),
    }
}

fn shapes(model: &ScriptedModel) -> Vec<String> {
    let requests = model.requests();
    let shapes = requests
        .iter()
        .map(|one| one.answer.as_ref().unwrap().name.clone());
    shapes.collect()
}

/// The data of a name in a request, without its fence.
fn data(request: &Request, name: &str) -> Option<String> {
    let parts = request.messages.iter().flat_map(|message| &message.parts);
    let texts = parts.filter_map(|part| match part {
        Part::Text { text } => Some(text.as_str()),
        Part::ToolResult { .. } | Part::ToolCall { .. } => None,
    });
    let all = texts.collect::<Vec<_>>().join("\n");
    let (_, rest) = all.split_once(&format!(" source=\"{name}\""))?;
    let (_, rest) = rest.split_once(">\n")?;
    rest.split_once("</data").map(|(text, _)| text.to_owned())
}

#[tokio::test]
async fn nothing_to_ask_leads_straight_to_the_brief() {
    let balanced = script(&[questions(&[]), matter("Jobs need a place.")]);
    let desk = Desk::new(balanced, ScriptedModel::new()).await;
    let clarified = desk.hold(&[("preflight-1", option("approve"))]).await;
    let wanted = ClarifiedMatter {
        problem: "Jobs need a place.".to_owned(),
        constraints: vec!["It runs on one machine.".to_owned()],
        criteria: vec![
            "One store is named.".to_owned(),
            "Its price is told.".to_owned(),
        ],
        scope: "The queue, not the workers.".to_owned(),
        answers: Vec::new(),
        gaps: Vec::new(),
    };
    assert_eq!(*brief(&clarified), wanted);
    assert_eq!(desk.seen(0).recommended.as_deref(), Some("approve"));
    assert_eq!(desk.clarified().await, (0, 0, true));
    assert_eq!(desk.ended().await, PhaseOutcome::Done);
    let requests = desk.balanced.requests();
    assert_eq!(data(&requests[0], "topic").unwrap().trim(), TOPIC);
    assert!(data(&requests[0], "memory").unwrap().contains("trap-7"));
    assert!(
        data(&requests[0], "gray_areas")
            .unwrap()
            .contains("For whom is it?")
    );
    let story = desk.bed.story(desk.run).await;
    let own = story
        .lines()
        .filter(|line| line.starts_with("council") && !line.contains('@'));
    let wanted = "council-1/clarify/began council_phase
council-1/clarify/questions-1/said heard
council-1/clarify/questions-1/try-1 model_replied
council-1/clarify/matter-1/said heard
council-1/clarify/matter-1/try-1 model_replied
council-1/clarify/preflight-1:asked question_asked
council-1/clarify/preflight-1 question_answered
council-1/clarified matter_clarified
council-1/clarify/ended council_phase_ended";
    assert_eq!(own.collect::<Vec<_>>().join("\n"), wanted);
    desk.check_replay(&clarified).await;
}

#[tokio::test]
async fn questions_are_answered_by_an_option_and_in_own_words() {
    let asked = questions(&["May a job be lost?", "How many jobs a day?", "And a third?"]);
    let balanced = script(&[asked, ready(), matter("Jobs need a place.")]);
    let desk = Desk::new(balanced, ScriptedModel::new()).await;
    let clarified = desk
        .hold(&[
            ("q-1-1", option("option-1")),
            ("q-1-2", text("about fifty")),
            ("preflight-1", text("yes")),
        ])
        .await;
    let answer = |id: &str, question: &str, answer: &str| ClarifyAnswer {
        id: id.to_owned(),
        question: question.to_owned(),
        answer: answer.to_owned(),
        by_person: true,
    };
    let wanted = [
        answer("q1", "May a job be lost?", "Never: Each survives a crash."),
        answer("q2", "How many jobs a day?", "about fifty"),
    ];
    assert_eq!(brief(&clarified).answers, wanted);
    assert_eq!(desk.clarified().await, (2, 1, true));
    let first = desk.seen(0);
    assert_eq!(first.card.text, "May a job be lost?");
    assert_eq!(first.recommended.as_deref(), Some("option-2"));
    assert_eq!(first.ids(), ["option-1", "option-2", "discuss"]);
    let all = ["council_questions", "council_readiness", "council_matter"];
    assert_eq!(shapes(&desk.balanced), all);
    // Whoever judges and writes sees what was said.
    for request in &desk.balanced.requests()[1..] {
        assert!(data(request, "answers").unwrap().contains("about fifty"));
    }
    desk.check_replay(&clarified).await;
}

#[tokio::test]
async fn a_question_is_talked_about_three_times_at_most() {
    let asked = questions(&["May a job be lost?"]);
    let balanced = script(&[asked, ready(), matter("Jobs need a place.")]);
    let talk = |text: &str| json!({"text": text});
    let leader = script(&[
        talk("Lost means gone."),
        talk("It is rare."),
        talk("Both do."),
    ]);
    let desk = Desk::new(balanced, leader).await;
    let clarified = desk
        .hold(&[
            ("q-1-1", option("discuss")),
            // What they want to know is asked before the leader is paid for an answer.
            ("q-1-1-talk-1/wanted", text("what does lost mean?")),
            ("q-1-1-2", text("how often does it happen?")),
            ("q-1-1-3", text("discuss: the stores")),
            ("q-1-1-4", text("never")),
            ("preflight-1", option("approve")),
        ])
        .await;
    assert_eq!(brief(&clarified).answers[0].answer, "never");
    assert!(
        desk.seen(2)
            .why()
            .starts_with("The leader says: Lost means gone.\n")
    );
    assert!(
        desk.seen(3)
            .why()
            .starts_with("The leader says: It is rare.\n")
    );
    assert_eq!(desk.seen(3).ids(), ["option-1", "option-2", "discuss"]);
    assert_eq!(desk.seen(4).ids(), ["option-1", "option-2"]);
    let talks = desk.leader.requests();
    assert_eq!(
        data(&talks[0], "the_person_says").unwrap().trim(),
        "what does lost mean?"
    );
    assert_eq!(shapes(&desk.leader), ["council_discussion"; 3]);
    assert_eq!(
        data(&talks[2], "the_person_says").unwrap().trim(),
        "the stores"
    );
    let before = data(&talks[2], "said_before").unwrap();
    assert!(before.contains("how often does it happen?") && before.contains("It is rare."));
    // What the person wanted to know is known to whoever writes the brief.
    let last = desk.balanced.requests();
    let answers = data(last.last().unwrap(), "answers").unwrap();
    assert!(answers.contains("how often does it happen?"));
    desk.check_replay(&clarified).await;
}

#[tokio::test]
async fn a_rejected_brief_is_asked_about_and_written_again() {
    let balanced = script(&[
        questions(&[]),
        matter("It is about speed."),
        questions(&["What does it cost today?"]),
        ready(),
        matter("It is about money."),
        questions(&[]),
        matter("It is about money and people."),
    ]);
    let desk = Desk::new(balanced, ScriptedModel::new()).await;
    let clarified = desk
        .hold(&[
            ("preflight-1", option("reject")),
            ("preflight-1/reason", text("It is about money.")),
            ("q-1-1", text("nothing")),
            ("preflight-2", text("people count too")),
            ("preflight-3", option("approve")),
        ])
        .await;
    assert_eq!(brief(&clarified).problem, "It is about money and people.");
    assert_eq!(desk.clarified().await, (1, 1, true));
    let requests = desk.balanced.requests();
    assert_eq!(data(&requests[0], "refused"), None);
    // Whoever asks and writes again knows the brief and the reason.
    for request in &requests[2..5] {
        let refused = data(request, "refused").unwrap();
        assert!(refused.contains("It is about speed.") && refused.contains("It is about money."));
    }
    assert!(
        data(&requests[6], "refused")
            .unwrap()
            .contains("people count too")
    );
    desk.check_replay(&clarified).await;
}

#[tokio::test]
async fn what_stays_open_after_four_rounds_is_listed() {
    let mut answers = Vec::new();
    for round in 1..=4 {
        answers.push(questions(&[&format!("What about {round}?")]));
        answers.push(not_ready(&format!("Whatever comes after {round}.")));
    }
    answers.push(matter("Jobs need a place."));
    let desk = Desk::new(script(&answers), ScriptedModel::new()).await;
    let clarified = desk
        .hold(&[
            ("q-1-1", option("option-1")),
            ("q-2-1", option("option-1")),
            ("q-3-1", option("option-1")),
            ("q-4-1", option("option-1")),
            ("preflight-1", option("approve")),
        ])
        .await;
    assert_eq!(brief(&clarified).gaps, ["Whatever comes after 4."]);
    let preflight = desk.seen(4);
    assert_eq!(preflight.recommended, None, "something is open");
    assert!(
        preflight.why().contains(
            "Still open:\n- Whatever comes after 4.\n\nSomething is still open, so nothing"
        )
    );
    assert_eq!(desk.clarified().await, (4, 4, true));
    // The next round is asked with what the judge misses.
    let requests = desk.balanced.requests();
    assert!(
        data(&requests[2], "gaps")
            .unwrap()
            .contains("Whatever comes after 1.")
    );
    desk.check_replay(&clarified).await;
}

#[tokio::test]
async fn models_that_babble_cost_questions_and_not_the_debate() {
    let babbler = ScriptedModel::by_rule(|_| Ok(text_reply("As I see it, yes.")));
    let desk = Desk::new(babbler.clone(), babbler).await;
    let clarified = desk
        .hold(&[
            ("preflight-1", text("it must run offline")),
            ("preflight-2", option("approve")),
        ])
        .await;
    let wanted = ClarifiedMatter {
        problem: TOPIC.to_owned(),
        constraints: vec!["it must run offline".to_owned()],
        criteria: vec![format!("The question is answered: {TOPIC}")],
        gaps: vec!["What else is open: no model could say.".to_owned()],
        ..ClarifiedMatter::default()
    };
    assert_eq!(*brief(&clarified), wanted);
    assert!(
        desk.seen(0)
            .why()
            .starts_with("No model could put this together.")
    );
    assert_eq!(desk.ended().await, PhaseOutcome::Fallback);
    // Whoever refused a brief is there to close what is open.
    assert_eq!(desk.seen(0).recommended.as_deref(), Some("approve"));
    assert_eq!(desk.seen(1).recommended, None);
    desk.check_replay(&clarified).await;
}

#[tokio::test]
async fn yes_gets_past_models_that_babble() {
    let babbler = ScriptedModel::by_rule(|_| Ok(text_reply("As I see it, yes.")));
    let mut desk = Desk::new(babbler, ScriptedModel::new()).await;
    desk.options.yes = true;
    let clarified = desk.hold(&[]).await;
    assert_eq!(brief(&clarified).problem, TOPIC);
    assert_eq!(desk.clarified().await, (0, 0, false));
    desk.check_replay(&clarified).await;
}

#[tokio::test]
async fn a_judge_that_babbles_is_no_yes() {
    let asked = std::sync::atomic::AtomicU32::new(0);
    let balanced = ScriptedModel::by_rule(move |request| {
        let answer = match request.answer.as_ref().unwrap().name.as_str() {
            "council_questions" => {
                let number = asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                questions(&[&format!("What about {number}?")])
            }
            "council_matter" => matter("Jobs need a place."),
            // Ready, and yet something is not known.
            _ => json!({"ready": true, "confidence": 90, "gaps": ["the load"]}),
        };
        Ok(text_reply(&answer.to_string()))
    });
    let desk = Desk::new(balanced, ScriptedModel::new()).await;
    let clarified = desk
        .hold(&[
            ("q-1-1", option("option-1")),
            ("q-2-1", option("option-1")),
            ("q-3-1", option("option-1")),
            ("q-4-1", option("option-1")),
            ("preflight-1", option("approve")),
        ])
        .await;
    assert_eq!(
        brief(&clarified).gaps,
        ["What else is open: no model could say."]
    );
    desk.check_replay(&clarified).await;
}

#[tokio::test]
async fn without_people_one_call_writes_the_brief_and_its_gaps() {
    let mut written = matter("Jobs need a place.");
    written["gaps"] = json!(["How many jobs there are."]);
    let mut desk = Desk::new(script(&[written]), ScriptedModel::new()).await;
    desk.attended = false;
    let clarified = desk.hold(&[]).await;
    assert_eq!(brief(&clarified).gaps, ["How many jobs there are."]);
    assert_eq!(desk.clarified().await, (0, 0, false));
    assert_eq!(shapes(&desk.balanced), ["council_matter"]);
    desk.check_replay(&clarified).await;
}

#[tokio::test]
async fn a_provider_that_refuses_leaves_the_topic_as_it_is() {
    let dead = ScriptedModel::by_rule(|_| Err(unbilled(CallErrorKind::Unauthorized)));
    let mut desk = Desk::new(dead, ScriptedModel::new()).await;
    desk.attended = false;
    let clarified = desk.hold(&[]).await;
    assert_eq!(brief(&clarified).problem, TOPIC);
    assert_eq!(desk.ended().await, PhaseOutcome::Fallback);
    desk.check_replay(&clarified).await;
}

#[tokio::test]
async fn yes_takes_what_is_recommended_and_says_that_nobody_did() {
    let asked = questions(&["May a job be lost?", "How many jobs a day?"]);
    let balanced = script(&[asked, not_ready("The load."), matter("Jobs need a place.")]);
    let mut desk = Desk::new(balanced, ScriptedModel::new()).await;
    desk.options.yes = true;
    let clarified = desk.hold(&[]).await;
    let answers = &brief(&clarified).answers;
    assert!(
        answers
            .iter()
            .all(|one| one.answer == "Now and then" && !one.by_person)
    );
    assert_eq!(brief(&clarified).gaps, ["The load."]);
    // No further round is bought that nobody answers, and nobody approved it.
    assert_eq!(desk.clarified().await, (0, 1, false));
    desk.check_replay(&clarified).await;
}

#[tokio::test]
async fn what_is_left_to_gavel_or_said_by_a_guest_is_no_persons_word() {
    let asked = questions(&["May a job be lost?", "How many jobs a day?"]);
    let balanced = script(&[asked, ready(), matter("Jobs need a place.")]);
    let desk = Desk::new(balanced, ScriptedModel::new()).await;
    let Drove::Waits(_) = desk.drive().await else {
        panic!("nobody was asked");
    };
    desk.answer(AnswerReply::Decide, Speaker::PERSON).await;
    let Drove::Waits(_) = desk.drive().await else {
        panic!("nobody was asked");
    };
    let guest = Speaker {
        door: Door::Mcp,
        role: Role::Guest,
        decides: false,
    };
    desk.answer(text("fifty"), guest).await;
    let clarified = desk.hold(&[("preflight-1", option("approve"))]).await;
    let answers: Vec<_> = brief(&clarified)
        .answers
        .iter()
        .map(|one| (one.answer.as_str(), one.by_person))
        .collect();
    assert_eq!(answers, [("Now and then", false), ("fifty", false)]);
    assert_eq!(desk.clarified().await, (0, 1, true));
    let preflight = desk.seen(2);
    let guessed = "Not answered by you, so taken as:\n- May a job be lost? Now and then\n";
    assert!(preflight.why().contains(guessed), "{}", preflight.why());
}

#[tokio::test]
async fn a_matter_is_withdrawn_from_any_card() {
    let balanced = script(&[questions(&["May a job be lost?"])]);
    let desk = Desk::new(balanced, ScriptedModel::new()).await;
    let clarified = desk.hold(&[("q-1-1", text("withdraw"))]).await;
    assert_eq!(clarified, Clarified::Withdrawn);
    assert_eq!(desk.ended().await, PhaseOutcome::Failed);
    assert!(desk.facts::<MatterClarified>().await.is_empty());
    desk.check_replay(&clarified).await;

    let balanced = script(&[questions(&[]), matter("Jobs need a place.")]);
    let desk = Desk::new(balanced, ScriptedModel::new()).await;
    let clarified = desk.hold(&[("preflight-1", option("withdraw"))]).await;
    assert_eq!(clarified, Clarified::Withdrawn);
    desk.check_replay(&clarified).await;
}

#[tokio::test]
async fn what_was_asked_before_is_not_asked_again() {
    let balanced = script(&[
        questions(&["May a job be lost?"]),
        not_ready("The load."),
        questions(&["may a job  be LOST"]),
        matter("Jobs need a place."),
    ]);
    let desk = Desk::new(balanced, ScriptedModel::new()).await;
    let clarified = desk
        .hold(&[
            ("q-1-1", option("option-1")),
            ("preflight-1", option("approve")),
        ])
        .await;
    assert_eq!(brief(&clarified).gaps, ["The load."]);
    assert_eq!(desk.clarified().await, (1, 1, true));
    desk.check_replay(&clarified).await;
}

#[tokio::test]
async fn what_people_say_meanwhile_reaches_everybody_after_it() {
    let balanced = script(&[
        questions(&["May a job be lost?"]),
        ready(),
        matter("Jobs need a place."),
    ]);
    let desk = Desk::new(balanced, ScriptedModel::new()).await;
    let Drove::Waits(_) = desk.drive().await else {
        panic!("nobody was asked");
    };
    let said = "the disk is slow".to_owned();
    desk.bed.mailbox().say(desk.run, said).await.unwrap();
    let clarified = desk
        .hold(&[
            ("q-1-1", option("option-1")),
            ("preflight-1", option("approve")),
        ])
        .await;
    let requests = desk.balanced.requests();
    assert_eq!(data(&requests[0], "said_by_person"), None);
    for request in &requests[1..] {
        assert_eq!(
            data(request, "said_by_person").unwrap().trim(),
            "the disk is slow"
        );
    }
    desk.check_replay(&clarified).await;
}
