//! What a report says is what became of it in the end: refused is not approved, mended is not open,
//! and what could not be run says why.

use gavel_domain::{Blob, RunId, RunState, VerifyFinished, VerifyVerdict};
use gavel_testkit::open_store;

use crate::sample::{self, Until};
use crate::{run_document, run_summary};
use gavel_view::{Report, Text, Verification};

async fn sealed() -> Report {
    let run: RunId = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let store = open_store(folder.path()).await;
    let brief = sample::brief("/somewhere/bookmarks");
    sample::write(store.as_ref(), run, Until::Sealed, &brief).await;
    Report::read(store.as_ref(), run).await.unwrap()
}

/// The same run, with another answer to whether the result may be shipped.
fn said(report: &mut Report, option: Option<&str>, text: &str) {
    let approval = report.approval().unwrap().id.clone();
    let mut questions = report.questions.iter_mut();
    let asked = questions.find(|told| told.id == approval).unwrap();
    let answer = asked.answer.as_mut().unwrap();
    answer.option = option.map(str::to_owned);
    answer.text = Text::Kept(text.to_owned());
    answer.by = gavel_domain::Speaker::PERSON;
    answer.assumed = false;
}

#[tokio::test]
async fn a_refused_result_is_told_as_refused() {
    let mut report = sealed().await;
    assert_eq!(report.is_approved(), Some(true));
    for (option, text, approved) in [
        (Some("approve"), "Seal it", true),
        (None, "Yes, please!", false),
        (None, "ship it", true),
        (Some("reject"), "Not yet", false),
        (None, "no", false),
        (None, "the list should be sorted by name", false),
    ] {
        said(&mut report, option, text);
        assert_eq!(report.is_approved(), Some(approved), "{text}");
        let short = run_summary(&report).markdown();
        let words = ["approved by a person", "refused by a person"];
        let told = words.map(|words| short.contains(words));
        assert_eq!(told, [approved, !approved], "{text}: {short}");
        let long = run_document(&report).markdown();
        let refused = "**Approval:** **refused;** **a person** answered";
        assert_eq!(long.contains(refused), !approved, "{text}: {long}");
    }
}

#[tokio::test]
async fn a_run_that_is_over_asks_nothing() {
    let mut report = sealed().await;
    report.questions.last_mut().unwrap().answer = None;
    for (state, asks) in [
        (RunState::Waiting, true),
        (RunState::Halted, true),
        (RunState::Aborted, false),
        (RunState::Sealed, false),
    ] {
        report.state = state;
        let short = run_summary(&report).markdown();
        assert_eq!(short.contains("Open question"), asks, "{state}: {short}");
    }
}

#[tokio::test]
async fn an_error_that_a_later_sprint_mended_is_not_open() {
    let mut report = sealed().await;
    let gates = std::mem::take(&mut report.gates);
    let open = |report: &mut Report, source: &str| {
        let error = report.errors.first_mut().unwrap();
        error.resolved_in = None;
        error.source = source.to_owned();
        report.settle_errors();
        report.errors.first().unwrap().resolved_in
    };
    assert_eq!(open(&mut report, "verify"), Some(2));
    assert_eq!(open(&mut report, "audit"), Some(2));
    // Where nobody audited again nobody knows.
    report.sprints[1].audits.clear();
    assert_eq!(open(&mut report, "audit"), Some(3));
    // Whoever finds it again has not mended it, and a sprint that fails has mended nothing.
    let mut again = report.errors.first().unwrap().clone();
    again.sprint = 2;
    report.errors.push(again);
    assert_eq!(open(&mut report, "verify"), Some(3));
    report.sprints[2].verifications[0].verdict = VerifyVerdict::Failed;
    assert_eq!(open(&mut report, "verify"), None);
    assert!(run_summary(&report).markdown().contains("still open"));
    // A gate that passed has seen none.
    report.gates = gates;
    assert_eq!(open(&mut report, "verify"), Some(3));
    assert!(!run_summary(&report).markdown().contains("still open"));
}

/// A verification whose compiler refused.
fn refused_by_compiler(report: &Report) -> Verification {
    let printed = "   Compiling made\nerror[E0425]: cannot find value `x` in this scope\n --> src/lib.rs:3:5\n";
    let header = format!(
        r#"{{"commands":[{{"recipe":"cargo","argv":["cargo","test"],"exit":101,"level":"landlock","millis":5,"bytes":{}}}]}}"#,
        printed.len()
    );
    let output = format!("{header}\n{printed}");
    let fact = VerifyFinished {
        recipe: "cargo".to_owned(),
        verdict: VerifyVerdict::Failed,
        reason: "did_not_run".to_owned(),
        executed: 0,
        passed: 0,
        failed: 0,
        skipped: 0,
        output: Blob::new(output.clone()).name(),
        tree: None,
        level: None,
        coverage: None,
        smoke: None,
        install: Vec::new(),
    };
    Verification::of(fact, &Text::Kept(output), report.started_at)
}

#[tokio::test]
async fn what_the_compiler_said_is_told_where_nothing_could_be_run() {
    let mut report = sealed().await;
    report.sprints[0].verifications[0] = refused_by_compiler(&report);
    let error = report.errors.first_mut().unwrap();
    error.text = Text::Kept("the verification failed: did_not_run".to_owned());
    let short = run_summary(&report).markdown();
    let first = "the verification failed: did\\_not\\_run: ``error[E0425]: cannot find value `x` in this scope``";
    let first = first.replace("\\_", "_");
    assert!(short.contains(&first), "{first}\n{short}");
    let long = run_document(&report).markdown();
    for part in [
        "Nothing could be run. The first errors:",
        "--> src/lib.rs:3:5",
    ] {
        assert!(long.contains(part), "{part}\n{long}");
    }
}

#[tokio::test]
async fn markdown_closes_what_it_opens() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_store(folder.path()).await;
    let run: RunId = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
    let brief = sample::brief("/somewhere/bookmarks");
    sample::write(store.as_ref(), run, Until::Waiting, &brief).await;
    let report = Report::read(store.as_ref(), run).await.unwrap();
    let markdown = run_document(&report).markdown();
    assert!(markdown.contains("(**recommended**)"), "{markdown}");
    let long = format!(
        "{} the name `{}` and `more`",
        "x".repeat(60),
        "y ".repeat(20)
    );
    let cut = gavel_view::first_line(&long, 80);
    assert!(cut.ends_with("` …"), "{cut}");
    assert_eq!(cut.matches('`').count(), 2, "{cut}");
}
