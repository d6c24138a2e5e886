//! The whole loop, told: what each new fact becomes, and whether somebody who was not there can
//! answer the questions that they would ask.

use gavel_domain::{AssumptionStatus, RunId};
use gavel_testkit::open_store;

use crate::document::{Block, Document, Line, Tone, address, share_words};
use crate::sample::{self, Until};
use crate::{run_document, run_summary};
use gavel_view::{CriterionTold, Report, Text};

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
async fn the_beginning_is_told_with_its_reasons() {
    let report = told(Until::Sealed).await;
    let route = report.route.as_ref().unwrap();
    assert_eq!((route.route.as_str(), route.reasons.len()), ("council", 1));
    let inputs = route.inputs.as_ref().and_then(Text::kept).unwrap();
    assert_eq!(inputs["scores"]["complexity"]["score"], 0);
    let clarity = report.clarity.as_ref().unwrap();
    assert_eq!(clarity.clarity.as_deref(), Some("vague"));
    assert_eq!(report.repository.as_ref().unwrap().sources, 0);
    assert_eq!(report.earlier.as_ref().unwrap().runs.len(), 1);
    let preview = report.spend.preview.as_ref().unwrap();
    assert_eq!(preview.high.unwrap().0, 90_000);
    assert_eq!(report.limits.done_threshold, 900);
    let markdown = run_document(&report).markdown();
    for part in [
        "**Route:** **council**, because something new is to be made",
        "| complexity | low (0 points) |",
        "| a model says | vague (offline/rules) |",
        "**Repository:** empty: something new begins here; 0 source files, 0 test files.",
        "**Similar earlier runs**",
        "not asked: nothing would use it | a reason for deployment |",
    ] {
        assert!(markdown.contains(part), "{part}\n{markdown}");
    }
}

#[tokio::test]
async fn the_ledger_tells_what_is_open_first() {
    let report = told(Until::Sealed).await;
    let standings: Vec<_> = report
        .ledger()
        .iter()
        .map(|told| (told.id.as_str(), told.status))
        .collect();
    assert_eq!(
        standings,
        [
            ("a_two", AssumptionStatus::Unverified),
            ("a_three", AssumptionStatus::Refuted),
            ("a_one", AssumptionStatus::Validated),
        ]
    );
    let settled = report.ledger().last().unwrap().settled_by.clone();
    assert_eq!(settled.as_deref(), Some("verify"));
    let before = told(Until::Halted).await;
    let open = before.assumptions.iter().filter(|told| told.is_critical());
    assert_eq!(open.count(), 2);
    let markdown = run_document(&before).markdown();
    let counts = "3 assumptions, **3 open**, **2 of them the plan rests on**.";
    assert!(markdown.contains(counts), "{markdown}");
}

#[tokio::test]
async fn sprints_tell_what_they_were_told_and_how_far_they_came() {
    let report = told(Until::Sealed).await;
    let scores: Vec<u32> = report
        .sprints
        .iter()
        .map(|told| told.judged.as_ref().unwrap().score)
        .collect();
    assert_eq!(scores, [250, 250, 1_000]);
    let third = report.sprints.last().unwrap();
    assert_eq!((third.phase, third.of_phase), (Some(1), 2));
    let focus = third.focus.as_ref().and_then(Text::kept).unwrap();
    assert!(focus.contains("bookmark_found"), "{focus}");
    assert_eq!(report.feedback.first().unwrap().sprint, 3);
    let document = run_document(&report);
    let scores = document.blocks.iter().find_map(|block| match block {
        Block::Scores { bars, enough } => Some((bars.len(), *enough)),
        Block::Heading(..)
        | Block::Paragraph(_)
        | Block::Quote(_)
        | Block::List(_)
        | Block::Table { .. }
        | Block::Way(_)
        | Block::Bars { .. }
        | Block::Map(_)
        | Block::Folded { .. } => None,
    });
    assert_eq!(scores, Some((3, 900)));
    let page = document.page();
    assert_eq!(page.matches("class=\"short\"").count(), 2, "two fell short");
    assert_eq!(page.matches("class=\"reached\"").count(), 1);
    let markdown = document.markdown();
    let told = "Because **weighted score** failed, **owner** was told:\n\n> Do what is missing.";
    assert!(markdown.contains(told), "{markdown}");
}

#[tokio::test]
async fn breakers_tell_their_numbers_and_what_was_chosen() {
    let report = told(Until::Sealed).await;
    let [collision, stall] = report.breakers.as_slice() else {
        panic!("{:?}", report.breakers);
    };
    assert!(collision.degraded && report.chosen(collision).is_none());
    let chosen = report.chosen(stall).unwrap();
    assert_eq!(chosen.text, Text::Kept("Try one more sprint".to_owned()));
    let markdown = run_document(&report).markdown();
    let row = "idle sprints 2 | Try one more sprint (a person) |";
    assert!(markdown.contains(row), "{markdown}");
    assert!(markdown.contains("the run went on with less"), "{markdown}");
    let died = report.resumes.iter().filter(|told| told.unclean);
    assert_eq!(died.count(), 1);
    assert!(
        markdown.contains("| **unclean** | in building |"),
        "{markdown}"
    );
}

#[tokio::test]
async fn the_gate_tells_every_condition_and_who_agreed() {
    let report = told(Until::Sealed).await;
    assert_eq!(report.gates.len(), 2);
    let gate = report.gate().unwrap();
    assert_eq!((gate.conditions.len(), gate.score), (11, 1_000));
    let refused = report.gates.first().unwrap();
    assert_eq!(
        refused.failures().count(),
        1,
        "what was not reached did not fail"
    );
    let owner = gate.owner.as_ref().unwrap();
    assert!(owner.ship && owner.dissent);
    let approval = report.approval().unwrap().answer.as_ref().unwrap();
    assert!(approval.assumed);
    let markdown = run_document(&report).markdown();
    for part in [
        "| **✓** | 3. Score: enough of what was asked for is met | 2 of 2 |",
        "coverage was not measured",
        "[src/main.rs#L12](./src/main.rs#L12)",
        "`cargo test bookmark_found -- --exact`",
        "one model reviewed itself and had to argue against; no second opinion",
        "everything that was asked for is there. **Against it:** an import is missed",
        "answered “Seal it”; **no person looked at the result**.",
        "weighted score: **score below threshold**",
    ] {
        assert!(markdown.contains(part), "{part}\n{markdown}");
    }
}

/// What a newcomer asks, and the section that has to answer it with something in it.
const ASKED: [(&str, &str); 10] = [
    ("what was decided, and why", "The review"),
    ("who dissented", "The review"),
    ("what it cost", "What it cost"),
    ("what is unproven", "In short"),
    ("what was assumed", "What was assumed"),
    ("which tests show a criterion", "The proof"),
    ("what was left out", "The spec"),
    ("why this route", "The idea"),
    ("what failed first, and how it was mended", "The build"),
    ("how the seal is checked", "The seal"),
];

fn section<'a>(document: &'a Document, title: &str) -> &'a [Block] {
    let is_title = |block: &Block| matches!(block, Block::Heading(2, line) if line.text() == title);
    let begins = document.blocks.iter().position(is_title);
    let begins = begins.unwrap_or_else(|| panic!("no section {title}")) + 1;
    let rest = &document.blocks[begins..];
    let ends = rest
        .iter()
        .position(|block| matches!(block, Block::Heading(2, _)));
    &rest[..ends.unwrap_or(rest.len())]
}

fn lines(blocks: &[Block]) -> Vec<&Line> {
    let mut all = Vec::new();
    for block in blocks {
        match block {
            Block::Heading(_, line) | Block::Paragraph(line) => all.push(line),
            Block::List(lines) => all.extend(lines),
            Block::Table { rows, .. } => all.extend(rows.iter().flatten()),
            Block::Quote(_)
            | Block::Way(_)
            | Block::Bars { .. }
            | Block::Map(_)
            | Block::Scores { .. }
            | Block::Folded { .. } => {}
        }
    }
    all
}

/// Structure, not words: what answers a question comes from the report, and stands where it is
/// looked for.
#[tokio::test]
async fn ten_questions_of_a_newcomer_have_their_answers() {
    let report = told(Until::Sealed).await;
    let document = run_document(&report);
    let spec = report.spec.as_ref().and_then(Text::kept).unwrap();
    for (question, title) in ASKED {
        let blocks = section(&document, title);
        let text: String = lines(blocks)
            .iter()
            .map(|line| line.text() + "\n")
            .collect();
        let expected: Vec<String> = match question {
            "what was decided, and why" => {
                let decisions = report.debate.decisions.iter();
                let decisions = decisions.filter_map(|told| told.decision.kept());
                decisions
                    .flat_map(|one| [one.choice.clone(), one.why.clone()])
                    .collect()
            }
            "who dissented" => vec!["a database would be safer".to_owned()],
            "what it cost" => vec![report.spend.total.cost.to_string()],
            "what is unproven" => vec!["1 assumption open".to_owned(), "coverage".to_owned()],
            "what was assumed" => report
                .assumptions
                .iter()
                .map(|told| told.id.clone())
                .collect(),
            "which tests show a criterion" => {
                let shown = report.gate().unwrap().criteria().iter();
                shown
                    .map(|told| format!("cargo test {} -- --exact", told.id))
                    .collect()
            }
            "what was left out" => spec.out_of_scope.clone(),
            "why this route" => vec!["because something new".to_owned()],
            "what failed first, and how it was mended" => vec![
                "test ids_are_never_reused failed".to_owned(),
                "resolved in sprint 1".to_owned(),
            ],
            _ => vec!["gavel seal verify gavel/build-099a8057".to_owned()],
        };
        assert!(!expected.is_empty(), "{question}");
        for part in expected {
            assert!(text.contains(&part), "{question}: {part}\n{text}");
        }
    }
    // Every criterion of the spec stands in the proof.
    let proof = section(&document, "The proof");
    for criterion in &spec.criteria {
        let stated = |line: &&Line| line.text().starts_with(&criterion.statement);
        assert!(lines(proof).iter().any(stated), "{}", criterion.statement);
    }
}

#[tokio::test]
async fn the_short_document_has_the_essentials_and_no_more() {
    let short = run_summary(&told(Until::Sealed).await);
    let [Block::Table { rows, .. }] = short.blocks.as_slice() else {
        panic!("{:?}", short.blocks);
    };
    let names: Vec<String> = rows.iter().map(|row| row[0].text()).collect();
    assert_eq!(
        names,
        [
            "Asked for",
            "Route",
            "Decided",
            "Dissent",
            "Assumed",
            "Built",
            "Not built",
            "Went wrong",
            "Proven",
            "Not proven",
            "People",
            "Cost",
            "Seal",
            "Learned"
        ]
    );
    let waiting = run_summary(&told(Until::Waiting).await).markdown();
    assert!(
        waiting.contains("**Open question:** Who is it for?"),
        "{waiting}"
    );
    let halted = run_summary(&told(Until::Halted).await).markdown();
    assert!(halted.contains("max sprints reached"), "{halted}");
}

#[tokio::test]
async fn the_short_document_reads_like_this() {
    let short = run_summary(&told(Until::Sealed).await).markdown();
    insta::assert_snapshot!(short, @r#"
    # bookmarks

    **sealed · conditional**

    Keeps bookmarks with tags and finds them again.

    run `099a8057` · 2026-11-15 09:30 UTC · worked 25 s · spent $0.1085 · branch `gavel/build-099a8057` · pushed: none

    |  |  |
    |---|---|
    | **Asked for** | a bookmark manager with tags |
    | **Route** | **council**, because something new is to be made, and its questions are open |
    | **Decided** | Storage, part 1 → one tab-separated text file (one user, small data, easy to repair by hand); Storage, part 2 → one tab-separated text file (one user, small data, easy to repair by hand) |
    | **Dissent** | a database would be safer (on: Storage, part 2); owner: an import is missed |
    | **Assumed** | 3 assumptions, **1 open**, **1 fell**, **1 shown to hold**. **Open:** one file is fast enough |
    | **Built** | 3 sprints, 4 commits; score 0.25 → 0.25 → 1.0 (done at 0.9) |
    | **Not built** | synchronising between machines |
    | **Went wrong** | sprint 1: test ids_are_never_reused failed: expected 3, found 2, **mended in sprint 1**; the last two sprints changed no file, so: Try one more sprint (a person); one model would judge its own work, so: **the run went on with less**; **the program died once and the run was taken up again** |
    | **Proven** | **9 of 9 tests passed in a fresh checkout**; **2 of 2 criteria met, with evidence**; **the gate passed** for commit `444444444444` |
    | **Not proven** | **1 assumption open**; debate: rule-based review only; coverage: nothing measured how much of the code the tests reach |
    | **People** | answered 2 questions; **1 question went to --yes or the clock**; 1 remark on the way; **the result was approved by --yes** |
    | **Cost** | **$0.1085** of $5.00, most of it in building ($0.059); expected: $0.05 to $0.09, **it became more** |
    | **Seal** | **conditional**; check it with `gavel seal verify gavel/build-099a8057` |
    | **Learned** | ids of deleted entries must never be used again |
    "#);
}

#[test]
fn criteria_of_the_first_version_are_read_as_tests() {
    let old = r#"[{"id": "a_b", "holds": true, "evidence": "cli::a_b"},
        {"id": "c_d", "holds": false, "evidence": "no test of its name"}]"#;
    let read: Vec<CriterionTold> = serde_json::from_str(old).unwrap();
    assert_eq!(
        (read[0].holds, read[0].evidence.as_str()),
        (true, "cli::a_b")
    );
    assert_eq!((read[1].holds, read[1].links.len()), (false, 0));
    assert_eq!(read[1].note, "no test of its name");
}

#[test]
fn a_file_is_never_more_than_a_file() {
    for (file, expected) in [
        ("src/main.rs#L12", "./src/main.rs#L12"),
        ("javascript:alert(1)", "./javascript%3Aalert%281%29"),
        ("//somewhere.else/x", "./somewhere.else/x"),
        ("../../up/./x", "./up/x"),
        ("a b\")<x>", "./a%20b%22%29%3Cx%3E"),
        ("a#Lx", "./a%23Lx"),
    ] {
        assert_eq!(address(file), expected, "{file}");
    }
    let document = Document {
        title: "t".to_owned(),
        badge: crate::Span {
            text: "b".to_owned(),
            tone: Tone::Plain,
        },
        lead: Vec::new(),
        blocks: vec![Block::Paragraph(Line::of("a\"><script>", Tone::File))],
    };
    let page = document.page();
    assert!(!page.contains("<script"), "{page}");
    assert!(page.contains("href=\"./a%22%3E%3Cscript%3E\""), "{page}");
}

#[test]
fn shares_are_written_as_people_do() {
    let words: Vec<String> = [0, 250, 900, 875, 1_000].map(share_words).into();
    assert_eq!(words, ["0.0", "0.25", "0.9", "0.875", "1.0"]);
}
