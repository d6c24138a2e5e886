//! From the idea to the spec.

use std::collections::BTreeMap;

use gavel_domain::{
    AnswerSource, Assumption, AssumptionRaised, AssumptionStatus, BreakerTripped, Confidence,
    CostPreviewed, Criterion, Decision, DecisionMade, DiscoveryAnswer, DiscoveryAnswered,
    EarlierRunsRecalled, IntakeClassified, MemoryRecalled, MicroUsd, ModelsChosen, Purpose,
    RepositoryKind, RepositoryRead, Resumed, ReviewMade, Role, RouteDecided, Spec, SpecWritten,
    Stage,
};
use serde_json::json;

use super::{Asked, HOSTILE, Story, Until};

const AUDIENCE: &str = "discovery-1/audience";

impl Story<'_> {
    pub(super) async fn plan(&mut self, until: Until) {
        self.stage(Stage::Intake).await;
        self.pass(40);
        self.intake().await;
        self.staff().await;
        self.stage(Stage::Discovery).await;
        self.ground().await;
        self.call("discovery-1/ask", Role::Leader, (420, 2_100, 5_200))
            .await;
        let audience = Asked {
            key: AUDIENCE,
            purpose: Purpose::Choice,
            text: "Who is it for?",
            why: "The audience decides how much help it needs.",
            options: &[("me", "One person at a terminal"), ("team", "A team")],
        };
        self.ask(audience).await;
        if until == Until::Waiting {
            return;
        }
        self.come_back().await;
        let answers = [
            ("product-type", "a command-line program", AnswerSource::Idea),
            ("audience", HOSTILE, AnswerSource::Person),
            (
                "db-strategy",
                "one text file beside the program",
                AnswerSource::Recommended,
            ),
            ("deployment", "", AnswerSource::NotNeeded),
        ]
        .map(|(question, answer, source)| DiscoveryAnswer {
            question: question.to_owned(),
            answer: answer.to_owned(),
            by_person: source == AnswerSource::Person,
            source,
            why: format!("a reason for {question}"),
        });
        let answers = self.json(&answers);
        let recommended = 1;
        let answered = DiscoveryAnswered {
            answers,
            recommended,
        };
        self.fact("discovery-1/answers", answered).await;
        self.review().await;
        self.spec().await;
    }

    /// What the rules made of the idea, and what a model said beside them.
    async fn intake(&mut self) {
        let inputs = json!({
            "prompt": "a bookmark manager with tags",
            "circumstances": {"max_sprints": 8, "council": "as_scored"},
            "scores": {
                "complexity": {"label": "low", "score": 0}, "size": {"label": "small", "score": -2},
                "language": "english", "greenfield": true, "scored": true,
                "gray_areas": ["scope", "format"],
            },
        });
        let inputs = Some(self.json(&inputs));
        let route = RouteDecided {
            route: "council".to_owned(),
            sufficient: false,
            missing: vec!["target".to_owned()],
            complexity: "low".to_owned(),
            size: "small".to_owned(),
            reasons: vec!["new_product".to_owned()],
            inputs,
        };
        self.fact("intake-1/route", route).await;
        let classified = IntakeClassified {
            model: "offline/rules".to_owned(),
            clarity: Some("vague".to_owned()),
        };
        self.fact("intake-1/classified", classified).await;
    }

    async fn staff(&mut self) {
        let offline = || "offline/rules".to_owned();
        let models = ModelsChosen {
            leader: offline(),
            stances: Vec::new(),
            coder: offline(),
            auditor: offline(),
            judge: Some(offline()),
            rooms: std::collections::BTreeMap::new(),
            council: None,
        };
        self.fact("staff-1/models", models).await;
        let tripped = BreakerTripped {
            breaker: "cb_5".to_owned(),
            reason: "role_collision".to_owned(),
            sprint: None,
            role: Some(Role::Auditor),
            degraded: true,
            numbers: BTreeMap::new(),
        };
        self.fact("staff-1/breaker", tripped).await;
        let stages = json!({"stages": [
            {"stage": "discovery", "low": 4_000, "high": 9_000},
            {"stage": "building", "low": 30_000, "high": 40_000},
        ]});
        let previewed = CostPreviewed {
            low: Some(MicroUsd(50_000)),
            high: Some(MicroUsd(90_000)),
            unpriced: Vec::new(),
            stages: self.json(&stages),
        };
        self.fact("preview/cost", previewed).await;
    }

    /// What is there already.
    async fn ground(&mut self) {
        let found = json!({"manifests": [], "readme": "", "commits": ["a first commit"]});
        let read = RepositoryRead {
            kind: RepositoryKind::Greenfield,
            sources: 0,
            tests: 0,
            found: self.json(&found),
        };
        self.fact("discovery-1/repository", read).await;
        let texts = json!([{"idea": "a list of links", "outcome": "sealed"}]);
        let recalled = EarlierRunsRecalled {
            runs: vec!["01890a5d-ac96-774b-bcce-b302099a8001".parse().unwrap()],
            texts: self.json(&texts),
        };
        self.fact("discovery-1/earlier", recalled).await;
        let texts = self.json(&json!(["dates are written 2026-11-15"]));
        let items = vec!["01890a5d-0000-7000-8000-000000000001".to_owned()];
        let recalled = MemoryRecalled {
            items,
            texts,
            unanswered: String::new(),
        };
        self.fact("discovery-1/memory", recalled).await;
    }

    /// The driver left, somebody came back an hour later, and waited a little.
    async fn come_back(&mut self) {
        self.pass(3_600_000);
        let resumed = Resumed {
            unclean: false,
            gavel: "0.1.0".to_owned(),
        };
        self.fact("run/resumed-1", resumed).await;
        self.pass(1_500);
        self.answer(AUDIENCE, "me", false).await;
    }

    async fn assume(&mut self, (id, claim): (&str, &str), confidence: Confidence, find: &str) {
        let assumption = Assumption {
            id: id.to_owned(),
            claim: claim.to_owned(),
            raised_by: "Skeptic".to_owned(),
            confidence,
            how_to_validate: find.to_owned(),
            status: AssumptionStatus::Unverified,
            evidence: String::new(),
        };
        let raised = AssumptionRaised {
            id: id.to_owned(),
            raised_by: "Skeptic".to_owned(),
            confidence,
            assumption: self.json(&assumption),
        };
        let key = format!("council-1/{}", id.replace('_', "-"));
        self.fact(&key, raised).await;
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
                id: None,
                option: None,
                changed: None,
                number,
                text,
                dissent,
            };
            self.fact(&key, made).await;
        }
        let test = "test:bookmark_listed";
        self.assume(("a_one", "titles are short"), Confidence::High, test)
            .await;
        let look = "ask whoever uses it";
        self.assume(
            ("a_two", "one file is fast enough"),
            Confidence::Medium,
            look,
        )
        .await;
        self.assume(("a_three", "tags hold no commas"), Confidence::High, look)
            .await;
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
        weights: [("bookmark_found".to_owned(), 3)].into(),
        later: vec!["an import from a browser".to_owned()],
        architecture: "one program, one file".to_owned(),
        interface: "commands in, lines out".to_owned(),
        stack: "Rust, the standard library".to_owned(),
        sprint_estimate: 2,
        ..Spec::default()
    }
}
