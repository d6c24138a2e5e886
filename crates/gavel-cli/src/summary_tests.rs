use gavel_testkit::open_store;

use super::*;

#[path = "../../gavel-report/src/sample.rs"]
mod sample;
use sample::Until;

async fn told(until: Until) -> String {
    let folder = tempfile::tempdir().unwrap();
    let store = open_store(folder.path()).await;
    let run: RunId = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
    sample::write(
        store.as_ref(),
        run,
        until,
        &sample::brief("/home/some body/bookmarks"),
    )
    .await;
    let report = Report::read(store.as_ref(), run).await.unwrap();
    let rows = rows(&report, Width::OneLine);
    assert!(rows.len() <= 40, "{} lines", rows.len());
    let lines = rows.iter().map(|row| {
        let line: String = row.iter().map(|(text, _)| text.as_str()).collect();
        format!("{}\n", line.trim_end())
    });
    let lines: String = lines.collect();
    let key = report.seal.and_then(|seal| seal.key).unwrap_or_default();
    let short: String = key.chars().take(16).collect();
    if short.is_empty() {
        lines
    } else {
        lines.replace(&short, "KEY")
    }
}

#[tokio::test]
async fn a_sealed_run_ends_with_one_screen() {
    insta::assert_snapshot!(told(Until::Sealed).await, @r#"
    ✓ bookmarks  sealed, conditional
      Keeps bookmarks with tags and finds them again.

    Built     bookmarks with title, tags
              commands: bookmark add, list, find
    Where     branch gavel/build-099a8057 in /home/some body/bookmarks
              pushed: none; your own branches and files are as they were

    Try it    cd '/home/some body/bookmarks' && git switch gavel/build-099a8057
              cargo test                      # every criterion is a test
              cargo run -q -- bookmark list

    Proven    ✓ 9 of 9 tests passed in a fresh checkout of the commit
              ✓ 2 of 2 criteria shown, each with evidence that was looked up
              ✓ 2 of 2 phases audited without an error, 1 error found and repaired
    Left out  – debate: rule-based review only
              not built: synchronising between machines

    Time      25 s of work
              contracts       2.3 s  ███
              building         17 s  ████████████████████████
              gating          5.2 s  ███████
              intake, discovery, council, scoping, sealing, lessons: 1.0 s
    Cost      $0.1085 of $5.00, 17 replies, 42300 tokens in, 10575 out
    Seal      conditional in commit 333333333333, signed by key KEY

    Next      git merge gavel/build-099a8057           # on the branch that shall have it
              gavel review 099a8057                    # how it came about
              gavel seal verify gavel/build-099a8057   # anybody can, offline
    "#);
}

#[tokio::test]
async fn a_halted_run_says_why_and_what_to_do() {
    insta::assert_snapshot!(told(Until::Halted).await, @r"
    ✗ bookmarks  stopped: max sprints reached
      Keeps bookmarks with tags and finds them again.
      the cap of sprints is reached: raise run.max_sprints

    Planned   bookmarks with title, tags
              commands: bookmark add, list, find
    Where     branch gavel/build-099a8057 in /home/some body/bookmarks
              pushed: none; your own branches and files are as they were

    Proven    nothing yet: the done gate has not judged
    Left out  not built: synchronising between machines

    Time      12 s of work
              discovery       0.4 s  █
              scoping         0.3 s  █
              contracts       2.3 s  ██████
              building        8.8 s  ████████████████████████
              intake, council: 0.1 s
    Cost      $0.0795 of $5.00, 14 replies, 31400 tokens in, 7850 out

    Next      gavel review 099a8057                 # how it came to this
              git log --stat gavel/build-099a8057   # what stands so far
    ");
}

#[tokio::test]
async fn an_aborted_run_offers_nothing_to_go_on_with() {
    let told = told(Until::Aborted).await;
    assert!(told.contains("stopped: aborted"), "{told}");
    assert!(!told.contains("gavel resume"), "{told}");
}

#[test]
fn only_words_are_offered_to_a_shell() {
    for good in [
        "cargo test",
        "bookmark add --title \"Alpha beta\" --tags a,b",
    ] {
        assert!(is_plain_command(good), "{good}");
    }
    for bad in [
        "bookmark add; rm -rf ~",
        "echo $(id)",
        "x | sh",
        "a > b",
        "a & b",
        "`id`",
        "say \"half",
        "don't",
        "",
        "a\nb",
    ] {
        assert!(!is_plain_command(bad), "{bad}");
    }
    assert_eq!(quoted(Path::new("/a b/it's")), r"'/a b/it'\''s'");
    assert_eq!(quoted(Path::new("/tmp/x-1")), "/tmp/x-1");
}
