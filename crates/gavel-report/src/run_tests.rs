use gavel_domain::{RunId, RunState, Stage, VerifyVerdict};
use gavel_store::Store;
use gavel_testkit::open_store;

use crate::document::Block;
use crate::run_document;
use crate::sample::{self, HOSTILE, Until};
use gavel_view::{Report, ReportError, Text, span_words};

fn run() -> RunId {
    "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap()
}

async fn told(until: Until) -> Report {
    let folder = tempfile::tempdir().unwrap();
    let store = open_store(folder.path()).await;
    sample::write(
        store.as_ref(),
        run(),
        until,
        &sample::brief("/somewhere/bookmarks"),
    )
    .await;
    Report::read(store.as_ref(), run()).await.unwrap()
}

#[tokio::test]
async fn a_sealed_run_is_told_whole() {
    let report = told(Until::Sealed).await;
    assert_eq!(
        (report.state, report.title().as_str()),
        (RunState::Sealed, "bookmarks")
    );
    assert_eq!(
        report.idea.as_ref().and_then(Text::kept).unwrap(),
        "a bookmark manager with tags"
    );
    let answers = report.discovery.as_ref().unwrap().answers.kept().unwrap();
    assert_eq!(answers.iter().filter(|answer| answer.by_person).count(), 1);
    assert_eq!(report.contracts.len(), 9);
    assert!(report.contracts.iter().all(|contract| contract.pinned));
    let review = report.debate.reviews.first().unwrap();
    assert_eq!(review.items.kept().unwrap().len(), 2);
    assert_eq!(report.debate.decisions.len(), 2);
    assert!(report.debate.decisions.last().unwrap().dissent);
    let gate = report.gate().unwrap();
    assert_eq!((gate.passed, gate.criteria().len()), (true, 2));
    assert_eq!(gate.verification.as_ref().unwrap().passed, 9);
    let seal = report.seal.as_ref().unwrap();
    let says = seal.says.as_ref().and_then(Text::kept).unwrap();
    assert_eq!(says.left_out, ["debate: rule-based review only"]);
    assert_eq!(seal.commit.as_deref(), Some("3".repeat(40).as_str()));
    assert_eq!(report.lessons.len(), 1);
    assert_eq!(report.ended, None);
    assert!(report.texts_gone.is_empty(), "{:?}", report.texts_gone);
}

#[tokio::test]
async fn what_belongs_to_a_sprint_stands_in_it() {
    let report = told(Until::Sealed).await;
    let [first, second, third] = report.sprints.as_slice() else {
        panic!("{:?}", report.sprints);
    };
    let verdicts = |told: &gavel_view::SprintTold| {
        told.verifications
            .iter()
            .map(|one| one.verdict)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        verdicts(first),
        [VerifyVerdict::Failed, VerifyVerdict::Passed]
    );
    assert_eq!(
        verdicts(second),
        [VerifyVerdict::Passed],
        "the gate's is not the sprint's"
    );
    assert_eq!(
        (first.phase, first.fixes, first.audits.len()),
        (Some(0), 1, 2)
    );
    assert_eq!(first.plan.as_ref().unwrap().kept().unwrap().0.len(), 2);
    let found = first.audits.first().unwrap().findings.kept().unwrap();
    assert_eq!(found.0.first().unwrap().line, 12);
    assert_eq!(
        (
            first.commits.len(),
            second.commits.len() + third.commits.len(),
            report.commits.len()
        ),
        (1, 2, 4)
    );
    assert_eq!(report.commits.last().unwrap().stage, Some(Stage::Sealing));
    assert_eq!(report.errors.first().unwrap().resolved_in, Some(1));
    assert_eq!(report.phase_name(1).as_deref(), Some("Finding"));
    let heard = report
        .interjections
        .first()
        .unwrap()
        .heard
        .as_ref()
        .unwrap();
    assert_eq!(
        (heard.stage, heard.sprint),
        (Some(Stage::Building), Some(1))
    );
}

#[tokio::test]
async fn work_waiting_and_rest_are_different_times() {
    let report = told(Until::Sealed).await;
    let stages = report.way.stages();
    let time = |stage| *stages.iter().find(|time| time.stage == stage).unwrap();
    let discovery = time(Stage::Discovery);
    assert_eq!(
        (
            discovery.worked_ms,
            discovery.waited_ms,
            discovery.rested_ms
        ),
        (420, 1_500, 3_600_000)
    );
    assert_eq!(time(Stage::Contracts).worked_ms, 9 * 260);
    assert_eq!(time(Stage::Gating).worked_ms, 2 * 2_600);
    assert_eq!((report.resumed.times, report.resumed.unclean), (2, 1));
    let all: u64 = stages.iter().map(|time| time.worked_ms).sum();
    assert_eq!(report.way.worked_ms(), all);
}

#[tokio::test]
async fn spend_is_summed_by_model_role_and_stage() {
    let spend = told(Until::Sealed).await.spend;
    let sum = |lines: &[gavel_view::SpendLine]| lines.iter().map(|line| line.cost.0).sum::<u64>();
    assert_eq!(
        spend.total.cost.0,
        5_200 + 7_400 + 9 * 4_100 + 2 * 2_000 + 22_000 + 6_000 + 18_000 + 9_000
    );
    for lines in [&spend.by_model, &spend.by_role, &spend.by_stage] {
        assert_eq!(sum(lines), spend.total.cost.0);
    }
    assert_eq!(spend.by_role.len(), 4);
    let json = serde_json::to_value(&spend).unwrap();
    assert_eq!(json["total"]["cost_usd"], 0.1085);
}

#[tokio::test]
async fn a_waiting_run_is_told_up_to_its_question() {
    let report = told(Until::Waiting).await;
    assert_eq!(report.state, RunState::Waiting);
    let question = report.questions.first().unwrap();
    assert_eq!(
        (question.id.as_str(), &question.answer),
        ("discovery-1/audience", &None)
    );
    let document = run_document(&report).markdown();
    assert!(
        document.contains("**Open question:** Who is it for?"),
        "{document}"
    );
    assert!(document.contains("One person at a terminal"), "{document}");
    assert_eq!(report.title(), "a bookmark manager with tags");
}

#[tokio::test]
async fn a_run_that_stopped_says_why() {
    let report = told(Until::Halted).await;
    let ended = report.ended.as_ref().unwrap();
    assert_eq!(ended.reason.as_deref(), Some("max_sprints_reached"));
    let document = run_document(&report).markdown();
    assert!(document.contains("max sprints reached"), "{document}");
    assert!(document.contains("raise run.max_sprints"), "{document}");
    let aborted = told(Until::Aborted).await;
    assert_eq!(aborted.ended.as_ref().unwrap().state, RunState::Aborted);
    assert!(
        run_document(&aborted)
            .markdown()
            .contains("given up** by a person")
    );
}

#[tokio::test]
async fn answers_name_the_option_and_who_took_it() {
    let report = told(Until::Halted).await;
    let answer = report.questions.first().unwrap().answer.as_ref().unwrap();
    assert_eq!(
        answer.text,
        Text::Kept("One person at a terminal".to_owned())
    );
    assert_eq!(answer.who(), "a person");
}

#[tokio::test]
async fn texts_that_retention_dropped_are_said_to_be_gone() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_store(folder.path()).await;
    sample::write(
        store.as_ref(),
        run(),
        Until::Sealed,
        &sample::brief("/somewhere/bookmarks"),
    )
    .await;
    let later = "2027-01-01T00:00:00Z".parse().unwrap();
    assert!(store.retain(later).await.unwrap().blobs > 0);
    let report = Report::read(store.as_ref(), run()).await.unwrap();
    assert_eq!(report.spec, Some(Text::Gone));
    assert_eq!(report.idea, Some(Text::Gone));
    assert!(report.texts_gone.contains(&"scoping-1/written".to_owned()));
    // Facts stay: numbers, verdicts and times are as before.
    assert_eq!(report.sprints.len(), 3);
    assert_eq!(report.spend.total.calls, 17);
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["spec"]["gone"], true);
    let document = run_document(&report).markdown();
    assert!(document.contains("texts are no longer kept"), "{document}");
}

#[tokio::test]
async fn a_run_that_is_not_there_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_store(folder.path()).await;
    let missing = Report::read(store.as_ref(), run()).await;
    assert!(matches!(missing, Err(ReportError::NoRun(id)) if id == run()));
}

#[tokio::test]
async fn nothing_in_a_text_becomes_markup() {
    let report = told(Until::Sealed).await;
    let document = run_document(&report);
    let page = document.page();
    assert!(!page.contains("<script"), "escaped");
    assert!(page.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"));
    assert!(
        !page.contains("http://") && !page.contains("https://"),
        "nothing is loaded"
    );
    assert!(!page.contains("src="), "nothing is loaded");
    let markdown = document.markdown();
    assert!(markdown.contains("\\<script>"), "{markdown}");
    assert!(markdown.contains("\"quotes\" \\|"), "{markdown}");
    for text in [&page, &markdown] {
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'));
    }
    assert!(HOSTILE.contains('\u{1b}'), "the sample is hostile");
}

#[tokio::test]
async fn tables_of_the_markdown_have_as_many_cells_as_titles() {
    let markdown = run_document(&told(Until::Sealed).await).markdown();
    let cells = |line: &str| line.replace("\\|", "").matches('|').count();
    let lines: Vec<&str> = markdown.lines().collect();
    let mut tables = 0;
    for (place, line) in lines.iter().enumerate() {
        if !line.starts_with("|---") {
            continue;
        }
        tables += 1;
        let rows = lines
            .iter()
            .skip(place + 1)
            .take_while(|row| row.starts_with("| "));
        for row in rows {
            assert_eq!(cells(row), cells(line), "{row}");
        }
    }
    assert!(tables >= 8, "{markdown}");
}

#[tokio::test]
async fn the_picture_shows_every_stage_of_the_way() {
    let report = told(Until::Sealed).await;
    let page = run_document(&report).page();
    for visit in &report.way.visits {
        let class = format!("s-{}", visit.stage.word());
        assert!(
            page.contains(&format!("class=\"stage {class}\"")),
            "{class}"
        );
    }
    let ways = run_document(&report).blocks;
    assert!(
        ways.iter()
            .any(|block| matches!(block, Block::Way(rows) if rows.len() == 11))
    );
}

#[tokio::test]
async fn a_council_of_the_first_version_is_told_with_its_voices_and_its_evidence() {
    let mut report = told(Until::Sealed).await;
    let stance = |seat: u32, round: u32, said: serde_json::Value| gavel_view::StanceTold {
        council: 0,
        stance: String::new(),
        answers: None,
        choices: Vec::new(),
        seat,
        model: format!("provider/model-{seat}"),
        round,
        said: Text::Kept(said),
        evidence: gavel_view::EvidenceCount { held: 2, broken: 1 },
    };
    let draft = serde_json::json!({"position": "a file will do", "recommendation": "one file",
        "claims": [{"text": "one user", "evidence": ["idea", "answer:audience"]}], "risks": ["size"]});
    let reply = serde_json::json!({"position": "still a file", "agree": ["one user"],
        "dispute": [{"claim": "speed", "why": "nobody measured it", "evidence": []}]});
    report.debate = gavel_view::Debate {
        seats: vec!["provider/model-1".to_owned(), "provider/model-2".to_owned()],
        stances: vec![stance(1, 0, draft), stance(2, 1, reply)],
        rounds: vec![gavel_domain::RoundEvaluated {
            round: 1,
            agreed: 3,
            disputed: 1,
            text: None,
            met: Vec::new(),
            unresolved: 0,
            converged: 0,
            density: None,
            failed_pairs: 0,
            pairs: 0,
            extended: 0,
            stop: None,
        }],
        summary: Some(Text::Kept("The seats want a file.".to_owned())),
        ..report.debate
    };
    let markdown = run_document(&report).markdown();
    for part in [
        "## The council",
        "Round 1: 3 points agreed, 1 in dispute.",
        "Evidence: 4 held, **2 named nothing that exists**",
        "> The seats want a file.",
        "#### Seat 1, blind draft `provider/model-1`",
        "- one user [idea, answer:audience]",
        "#### Seat 2, reply in round 1 `provider/model-2`",
        "- speed: nobody measured it",
    ] {
        assert!(markdown.contains(part), "{part}\n{markdown}");
    }
}

#[tokio::test]
async fn a_text_of_another_form_is_shown_as_it_is() {
    let mut report = told(Until::Sealed).await;
    report.spec = Some(Text::Odd("no JSON <b>at all</b>".to_owned()));
    let document = run_document(&report);
    assert!(document.markdown().contains("> no JSON \\<b>at all\\</b>"));
    assert!(
        document
            .page()
            .contains("no JSON &lt;b&gt;at all&lt;/b&gt;")
    );
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["spec"]["unreadable"], "no JSON <b>at all</b>");
}

#[test]
fn spans_are_told_by_their_size() {
    let told: Vec<String> = [40, 440, 9_960, 12_000, 185_000, 7_800_000]
        .map(span_words)
        .into();
    assert_eq!(
        told,
        [
            "40 ms",
            "0.4 s",
            "9.9 s",
            "12 s",
            "3 min 05 s",
            "2 h 10 min"
        ]
    );
}
