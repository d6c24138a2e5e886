//! Limits: what is reached is told, and nothing passes by hiding behind many files or many bytes.

use std::fs;
use std::path::Path;

use gavel_domain::BreakerTripped;
use gavel_testkit::{FakeReply, asked_for, git};
use serde_json::json;

use crate::bench::{Bench, Ended, run_id};
use crate::product_hot::{project, users};
use crate::studio::Studio;

const IDEA: &str = "rename get_user to fetch_user in src/lib.rs";

/// A project whose manifest and tests come behind other files in the order of names.
fn crowded(studio: &Studio, fill: impl FnOnce(&Path)) {
    let folder = project(studio, &users());
    fill(&folder);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "--quiet", "-m", "more"]);
}

#[track_caller]
fn proven(studio: &Studio) {
    let id = run_id().to_string();
    let ended = studio.run(&["start", IDEA, "--yes", "--run", &id]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("1 of 1 tests passed"), "{ended:?}");
    assert_eq!(studio.look().facts::<BreakerTripped>(), []);
}

#[test]
fn a_manifest_behind_many_files_of_the_root_is_read() {
    let studio = Studio::offline();
    crowded(&studio, |folder| {
        for number in 0..300 {
            fs::write(folder.join(format!("A{number:03}.md")), "text\n").unwrap();
        }
    });
    proven(&studio);
}

#[test]
fn tests_behind_sixty_thousand_files_are_found() {
    if !asked_for("attacks") {
        return;
    }
    let studio = Studio::offline();
    crowded(&studio, |folder| {
        for number in 0..60_000 {
            let below = folder.join(format!("A{:03}", number / 250));
            fs::create_dir_all(&below).unwrap();
            fs::write(below.join(format!("{number}.md")), "text\n").unwrap();
        }
    });
    proven(&studio);
}

/// An agent that writes a program and runs it; what it is told comes back too.
fn program(text: &str, settings: &[&str]) -> (Bench, Ended, String) {
    let bench = Bench::new();
    let write = json!({"path": "fill.py", "content": text}).to_string();
    let calls = [("w", "write_file", write.as_str())];
    bench.server.push(FakeReply::calls(&calls));
    let run = r#"{"command":"python3 fill.py"}"#;
    let calls = [("r", "run_command", run)];
    bench.server.push(FakeReply::calls(&calls));
    bench.server.push(FakeReply::text("It was run."));
    let id = run_id().to_string();
    let task = [&["--task", "Write fill.py and run it."], settings].concat();
    let ended = bench.run(&bench.toy_args(&id, &task));
    let last = bench.server.requests().pop().unwrap();
    let told = serde_json::to_string(&last.body).unwrap();
    (bench, ended, told)
}

fn branch() -> String {
    format!("gavel/build-{}", run_id().short())
}

fn bytes_below(folder: &Path) -> u64 {
    let mut sum = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        sum += match path.is_dir() {
            true => bytes_below(&path),
            false => path.metadata().unwrap().len(),
        };
    }
    sum
}

#[test]
fn a_command_that_fills_the_disk_is_ended() {
    let fill = "import os, time\nos.makedirs('target')\nfor n in range(200):\n    \
        open(f'target/{n}', 'wb').write(b'x' * (1 << 20))\ntime.sleep(60)\n";
    let (_bench, ended, told) = program(fill, &["-c", "sandbox.disk_mib=16"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let words = "stopped: it wrote more than 16 MiB to the disk";
    assert!(told.contains(words), "{told}");
}

#[test]
fn a_build_folder_below_the_cap_is_written() {
    let fill = "import os\nos.makedirs('target')\nfor n in range(8):\n    \
        open(f'target/{n}', 'wb').write(b'x' * (1 << 20))\nprint('built')\n";
    let (_bench, ended, told) = program(fill, &["-c", "sandbox.disk_mib=16"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(told.contains("exit code 0; sandbox:"), "{told}");
}

#[test]
fn a_large_file_in_the_tree_never_enters_the_objects() {
    let fill = "import os\nblock = os.urandom(1 << 20)\nwith open('big.bin', 'wb') as out:\n    \
        for _ in range(120): out.write(block)\nopen('small.bin', 'wb').write(block)\n";
    let (bench, ended, told) = program(fill, &[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(
        told.contains("too large to be recorded: big.bin (120 MiB)"),
        "{told}"
    );
    let checkout = bench.toy.checkout();
    let files = git(&checkout, &["ls-tree", "--name-only", "-r", &branch()]);
    let files: Vec<_> = files.lines().collect();
    assert!(
        !files.contains(&"big.bin") && files.contains(&"small.bin"),
        "{files:?}"
    );
    let stored = bytes_below(&checkout.join(".git/objects"));
    assert!(stored < 8 << 20, "{stored} bytes");
}

#[test]
fn what_an_agent_gave_up_leaves_nothing_among_the_objects() {
    let bench = Bench::new();
    let fill = "import os\nopen('noise.bin', 'wb').write(os.urandom(4 << 20))\n";
    let write = json!({"path": "fill.py", "content": fill}).to_string();
    let calls = [("w", "write_file", write.as_str())];
    bench.server.push(FakeReply::calls(&calls));
    for id in ["a", "b", "c"] {
        let run = r#"{"command":"python3 fill.py"}"#;
        let calls = [(id, "run_command", run)];
        bench.server.push(FakeReply::calls(&calls));
    }
    let remove = r#"{"command":"rm noise.bin"}"#;
    bench
        .server
        .push(FakeReply::calls(&[("r", "run_command", remove)]));
    bench.server.push(FakeReply::text("It was run."));
    let id = run_id().to_string();
    let task = ["--task", "Write fill.py, run it, and remove what it made."];
    let ended = bench.run(&bench.toy_args(&id, &task));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let checkout = bench.toy.checkout();
    let files = git(&checkout, &["ls-tree", "--name-only", "-r", &branch()]);
    let files: Vec<_> = files.lines().collect();
    assert!(
        files.contains(&"fill.py") && !files.contains(&"noise.bin"),
        "{files:?}"
    );
    let stored = bytes_below(&checkout.join(".git/objects"));
    assert!(stored < 1 << 20, "{stored} bytes");
    let unreachable = git(&checkout, &["fsck", "--full", "--unreachable"]);
    assert_eq!(unreachable, "");
}

#[test]
fn what_is_gavels_own_is_put_back_after_a_command() {
    let text = "import os\nos.makedirs('.gavel/memory/2026-11', exist_ok=True)\n\
        open('gavel.toml', 'a').write('\\n[verify]\\ntest = [\"true\"]\\n')\n\
        open('.gavel/memory/2026-11/planted.jsonl', 'w').write('{}')\nopen('made.txt', 'w').write('made')\n";
    let bench = Bench::new();
    let checkout = bench.toy.checkout();
    fs::write(checkout.join("gavel.toml"), "# settings\n").unwrap();
    git(&checkout, &["add", "gavel.toml"]);
    git(&checkout, &["commit", "--quiet", "-m", "settings"]);
    let write = json!({"path": "fill.py", "content": text}).to_string();
    let calls = [("w", "write_file", write.as_str())];
    bench.server.push(FakeReply::calls(&calls));
    let run = r#"{"command":"python3 fill.py"}"#;
    bench
        .server
        .push(FakeReply::calls(&[("r", "run_command", run)]));
    bench.server.push(FakeReply::text("It was run."));
    let id = run_id().to_string();
    let ended = bench.run(&bench.toy_args(&id, &["--task", "Write fill.py and run it."]));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let last = bench.server.requests().pop().unwrap();
    let told = serde_json::to_string(&last.body).unwrap();
    assert!(told.contains("gavel.toml was put back"), "{told}");
    let files = git(&checkout, &["ls-tree", "--name-only", "-r", &branch()]);
    assert!(
        files.contains("made.txt") && !files.contains("planted"),
        "{files}"
    );
    let settings = git(&checkout, &["show", &format!("{}:gavel.toml", branch())]);
    assert_eq!(settings, "# settings");
}

/// An agent that fills a file, has it recorded, and fills it again: what was recorded counts for its build.
fn filled_again(times: usize) -> String {
    let bench = Bench::new();
    let fill = "import os\nopen('noise.bin', 'wb').write(os.urandom(12 << 20))\nimport time; time.sleep(1)\n";
    let write = json!({"path": "fill.py", "content": fill}).to_string();
    let calls = [("w", "write_file", write.as_str())];
    bench.server.push(FakeReply::calls(&calls));
    let ids: Vec<String> = (0..times).map(|number| format!("r{number}")).collect();
    for id in &ids {
        let run = json!({"command": format!("python3 fill.py {id}")}).to_string();
        let calls = [(id.as_str(), "run_command", run.as_str())];
        bench.server.push(FakeReply::calls(&calls));
    }
    bench.server.push(FakeReply::text("It was run."));
    let id = run_id().to_string();
    let task = [
        "--task",
        "Write fill.py and run it.",
        "-c",
        "sandbox.disk_mib=16",
    ];
    let ended = bench.run(&bench.toy_args(&id, &task));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let last = bench.server.requests().pop().unwrap();
    serde_json::to_string(&last.body).unwrap()
}

#[test]
fn what_was_recorded_counts_for_the_disk_that_a_build_has() {
    let words = "stopped: it wrote more than 16 MiB to the disk";
    assert!(!filled_again(1).contains(words));
    let told = filled_again(5);
    assert!(told.contains(words), "{told}");
    assert!(told.contains("exit code 0; sandbox:"), "the first ones ran");
}
