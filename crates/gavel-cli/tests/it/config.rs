//! `gavel config path | set | edit`, through the binary.

use std::path::Path;

use crate::bench::Bench;
use crate::terminal::Terminal;

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap()
}

#[test]
fn it_says_where_settings_are_read_from() {
    let bench = Bench::new();
    let shown = bench.json(&["config", "path"]);
    assert_eq!(shown["schema"], "gavel/config_path/v1");
    assert_eq!(shown["user"], bench.own_file().to_str().unwrap());
    assert_eq!(shown["project"], bench.project_file().to_str().unwrap());
    std::fs::remove_file(bench.project_file()).unwrap();
    let shown = bench.json(&["config", "path"]);
    assert!(shown["project"].is_null(), "{shown}");
}

#[test]
fn a_value_is_written_and_the_rest_of_the_file_stays() {
    let bench = Bench::new();
    let own = bench.own_file();
    std::fs::write(&own, "# mine\n[caps]\nrun_usd = 3 # enough\n").unwrap();
    let set = bench.run(&["config", "set", "caps.month_usd", "20.5"]);
    assert_eq!(set.code, Some(0), "{set:?}");
    let text = "# mine\n[caps]\nrun_usd = 3 # enough\nmonth_usd = 20.5\n";
    assert_eq!(read(&own), text);
    let slot = bench.json(&["config", "set", "models.slots.leader", "fake/model"]);
    assert_eq!(slot["changed"], true, "{slot}");
    let text = format!("{text}\n[models.slots]\nleader = \"fake/model\"\n");
    assert_eq!(read(&own), text);
    let shown = bench.run(&["config", "show", "--origin"]);
    assert!(shown.stdout.contains("fake/model"), "{shown:?}");
}

#[test]
fn what_could_not_be_read_as_settings_is_not_written() {
    let bench = Bench::new();
    let (own, project) = (bench.own_file(), bench.project_file());
    std::fs::write(&own, "[caps]\nrun_usd = 3\n").unwrap();
    std::fs::write(&project, "# ours\n").unwrap();
    for (args, reason) in [
        (&["caps.run_uds", "1"][..], "did you mean `caps.run_usd`?"),
        (&["caps.run_usd", "much"], "caps.run_usd"),
        (&["caps.run_usd.more", "1"], "is a value, not a table"),
        (&["caps..run_usd", "1"], "is no name of a setting"),
        (&["--project", "caps.run_usd", "500"], "may only lower it"),
        (&["--project", "models.paid", "agreed"], "cannot be set"),
    ] {
        let refused = bench.run(&[&["config", "set"], args].concat());
        assert_eq!(refused.code, Some(2), "{args:?} {refused:?}");
        assert!(refused.stderr.contains(reason), "{args:?} {refused:?}");
    }
    assert_eq!(read(&own), "[caps]\nrun_usd = 3\n");
    assert_eq!(read(&project), "# ours\n");
    let lowered = bench.run(&["config", "set", "--project", "caps.run_usd", "2"]);
    assert_eq!(lowered.code, Some(0), "{lowered:?}");
    assert_eq!(read(&project), "# ours\n[caps]\nrun_usd = 2\n");
}

#[test]
fn a_project_file_behind_a_link_is_not_written() {
    let bench = Bench::new();
    let outside = bench.folder().join("outside.toml");
    std::fs::write(&outside, "").unwrap();
    std::fs::remove_file(bench.project_file()).unwrap();
    std::os::unix::fs::symlink(&outside, bench.project_file()).unwrap();
    let refused = bench.run(&["config", "set", "--project", "caps.run_usd", "2"]);
    assert_eq!(refused.code, Some(6), "{refused:?}");
    assert_eq!(read(&outside), "");
}

#[test]
fn what_comes_back_from_an_editor_is_checked() {
    let bench = Bench::new();
    let own = bench.own_file();
    std::fs::write(&own, "[caps]\nrun_usd = 3\n").unwrap();
    let edit = |script: &str| {
        let editor = bench.folder().join("editor.sh");
        std::fs::write(&editor, script).unwrap();
        let mut command = bench.command(&["config", "edit"]);
        command.env("VISUAL", format!("/bin/sh {}", editor.display()));
        Terminal::open(command, 200).end()
    };
    let (code, shown) = edit("/bin/sed -i s/3/4/ \"$1\"\n");
    assert_eq!(code, Some(0), "{shown}");
    assert_eq!(read(&own), "[caps]\nrun_usd = 4\n");
    let (code, shown) = edit("exit 0\n");
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("nothing was changed"), "{shown}");
    let (code, shown) = edit("echo 'nonsense = 1' > \"$1\"\n");
    assert_eq!(code, Some(2), "{shown}");
    assert!(shown.contains("keeps what you wrote"), "{shown}");
    assert_eq!(read(&own), "[caps]\nrun_usd = 4\n");
    let piped = bench.run(&["config", "edit"]);
    assert_eq!(piped.code, Some(2), "{piped:?}");
}
