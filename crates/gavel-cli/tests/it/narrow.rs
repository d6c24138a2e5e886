//! Pages at a narrow terminal: nothing runs over its edge, no word and no command is broken.

use crate::bench::Bench;
use crate::council::end_of;
use crate::memory::add;
use crate::terminal::Terminal;

const DEADLOCK: &str = "the dispatcher deadlocks when a worker waits for the lock of the queue";

/// What a command shows at a terminal, without its looks.
fn page(bench: &Bench, args: &[&str], columns: u16) -> Vec<String> {
    let (code, shown) = Terminal::open(bench.command(args), columns).end();
    assert_eq!(code, Some(0), "{args:?}: {shown}");
    let mut plain = String::new();
    let mut parts = shown.split('\x1b');
    plain.push_str(parts.next().unwrap());
    for part in parts {
        plain.push_str(part.split_once('m').unwrap().1);
    }
    let lines: Vec<String> = plain.lines().map(str::to_owned).collect();
    for line in &lines {
        assert_eq!(line.trim_end(), line, "{args:?}: {lines:#?}");
        let wide = line.chars().count();
        assert!(wide < usize::from(columns), "{args:?}: {lines:#?}");
    }
    lines
}

/// All words of a page, however its lines are broken.
fn words(page: &[String]) -> Vec<&str> {
    page.iter()
        .flat_map(|line| line.split_whitespace())
        .collect()
}

#[test]
fn pages_of_memory_keep_to_the_edge() {
    let bench = Bench::new();
    add(&bench, &["--kind", "trap", "--tag", "startup", DEADLOCK]);
    add(&bench, &["--kind", "feedback", "tests come first"]);
    for columns in [80, 60] {
        for args in [
            &["memory", "list"][..],
            &["memory", "search", "dispatcher"],
            &["memory", "search", "--explain", "dispatcher"],
            &["memory", "audit"],
        ] {
            let page = page(&bench, args, columns);
            let words = words(&page);
            for word in DEADLOCK.split(' ') {
                assert!(words.contains(&word), "{word}: {page:#?}");
            }
            assert!(
                page.iter()
                    .all(|line| args[1] == "audit" || !line.is_empty())
            );
        }
    }
    // A program gets every item on one line.
    let piped = bench.run(&["memory", "list"]);
    assert_eq!(piped.stdout.lines().count(), 2, "{piped:?}");
    let whole = |line: &str| line.ends_with(&format!("{DEADLOCK}  #startup"));
    assert!(piped.stdout.lines().any(whole), "{piped:?}");
}

#[test]
fn pages_of_loops_keep_to_the_edge() {
    let bench = Bench::new();
    add(&bench, &["--kind", "trap", DEADLOCK]);
    let title = "a queue of its own for whatever the dispatcher cannot take at once";
    let opened = bench.json(&[
        "loop",
        "open",
        "--title",
        title,
        "--proposal",
        title,
        "--agent",
        "ann",
    ]);
    let id = opened["loop_id"].as_str().unwrap();
    let short = end_of(id);
    for columns in [80, 60] {
        let get = format!("gavel loop get {short}");
        let status = page(&bench, &["status"], columns);
        assert!(status.iter().any(|line| line.contains(&get)), "{status:#?}");
        let list = page(&bench, &["loop", "list", "--all"], columns);
        assert!(words(&list).contains(&"dispatcher"), "{list:#?}");
        let brief = page(&bench, &["loop", "brief", short, "champion"], columns);
        assert!(words(&brief).contains(&"dispatcher"), "{brief:#?}");
        page(&bench, &["status", short], columns);
        page(&bench, &["loop", "get", short], columns);
    }
}
