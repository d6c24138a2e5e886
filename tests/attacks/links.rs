//! Links in a checkout that lead out of it: `gavel init` and `gavel mcp install` write through none of
//! them, and nothing of what lies behind one is shown.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use crate::bench::{Bench, Ended};

const OUTSIDE: &str = "root:$6$canary$behind-the-link:19000:0:99999:7:::\n";

/// A folder without settings, and a file outside of it.
fn checkout() -> (Bench, PathBuf) {
    let bench = Bench::new();
    fs::remove_file(bench.project_file()).unwrap();
    let outside = bench.folder().join("outside");
    fs::write(&outside, OUTSIDE).unwrap();
    (bench, outside)
}

fn names_the_link(ended: &Ended, link: &str) {
    assert_eq!(ended.code, Some(6), "{ended:?}");
    assert!(ended.stderr.contains(link), "{ended:?}");
    assert!(ended.stderr.contains("link"), "{ended:?}");
    let shown = format!("{}{}", ended.stdout, ended.stderr);
    assert!(!shown.contains("canary"), "{ended:?}");
}

#[test]
fn init_does_not_write_through_a_link_in_the_place_of_settings() {
    let (bench, outside) = checkout();
    symlink(&outside, bench.project_file()).unwrap();
    for command in [&["init"][..], &["config", "show"], &["memory", "list"]] {
        names_the_link(&bench.run(command), "gavel.toml");
    }
    assert_eq!(fs::read_to_string(&outside).unwrap(), OUTSIDE);
    assert!(!bench.folder().join("project/.gavel").exists());
}

#[test]
fn init_makes_nothing_behind_a_link_that_leads_nowhere() {
    let (bench, _) = checkout();
    let nowhere = bench.folder().join("not-there-yet");
    symlink(&nowhere, bench.project_file()).unwrap();
    names_the_link(&bench.run(&["init"]), "gavel.toml");
    assert!(!nowhere.exists());
}

#[test]
fn init_makes_no_folder_behind_a_link() {
    for link in [".gavel", ".gavel/memory"] {
        let (bench, _) = checkout();
        let outside = bench.folder().join("elsewhere");
        fs::create_dir(&outside).unwrap();
        let at = bench.folder().join("project").join(link);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        symlink(&outside, &at).unwrap();
        let ended = bench.run(&["init"]);
        assert_ne!(ended.code, Some(0), "{link}: {ended:?}");
        assert!(ended.stderr.contains(link), "{link}: {ended:?}");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0, "{link}");
        // What cannot be done as a whole is not begun.
        assert!(!bench.project_file().exists(), "{link}");
    }
}

#[test]
fn a_plain_file_is_read_and_gets_its_id() {
    let (bench, _) = checkout();
    fs::write(bench.project_file(), "[models]\nmax_input = 70000\n").unwrap();
    let ended = bench.run(&["init"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let text = fs::read_to_string(bench.project_file()).unwrap();
    assert!(
        text.starts_with("[models]\nmax_input = 70000\n\n[project]\nid = "),
        "{text}"
    );
    assert!(bench.folder().join("project/.gavel/memory").is_dir());
    assert_eq!(bench.run(&["init"]).code, Some(0));
}

/// Clients with a file in a project, and that file.
const CLIENTS: [(&str, &str); 6] = [
    ("claude-code", ".mcp.json"),
    ("cursor", ".cursor/mcp.json"),
    ("vscode", ".vscode/mcp.json"),
    ("codex", ".codex/config.toml"),
    ("zed", ".zed/settings.json"),
    ("gemini-cli", ".gemini/settings.json"),
];

fn install(bench: &Bench, client: &str, more: &[&str]) -> Ended {
    let install = ["mcp", "install", "--client", client, "--scope", "project"];
    bench.run(&[&install[..], more].concat())
}

/// The settings of an editor, with a secret in them, outside of the checkout.
fn editor(bench: &Bench, file: &str) -> (PathBuf, String) {
    let outside = bench.folder().join("my-editor");
    fs::create_dir_all(&outside).unwrap();
    let at = outside.join(file.rsplit('/').next().unwrap());
    let text = if file.ends_with(".toml") {
        "token = \"canary\"\n".to_owned()
    } else {
        "{\n  \"token\": \"canary\"\n}\n".to_owned()
    };
    fs::write(&at, &text).unwrap();
    (at, text)
}

#[test]
fn a_client_is_told_through_no_link_in_the_place_of_its_file() {
    for (client, file) in CLIENTS {
        let (bench, _) = checkout();
        assert_eq!(bench.run(&["init"]).code, Some(0));
        let at = bench.folder().join("project").join(file);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        let (real, text) = editor(&bench, file);
        symlink(&real, &at).unwrap();
        names_the_link(&install(&bench, client, &["--write"]), file);
        assert_eq!(fs::read_to_string(&real).unwrap(), text, "{client}");
        let outside = fs::read_dir(real.parent().unwrap()).unwrap();
        assert_eq!(outside.count(), 1, "{client}: no copy lies there");
        assert!(at.is_symlink(), "{client}");
        // Without --write nothing is read, and a link that leads nowhere is no way either.
        assert_eq!(install(&bench, client, &[]).code, Some(0));
        fs::remove_file(&real).unwrap();
        names_the_link(&install(&bench, client, &["--write"]), file);
        assert!(!real.exists(), "{client}");
    }
}

#[test]
fn a_client_is_told_through_no_link_in_the_place_of_a_folder() {
    for (client, file) in CLIENTS {
        let Some((folder, _)) = file.split_once('/') else {
            continue;
        };
        let (bench, _) = checkout();
        assert_eq!(bench.run(&["init"]).code, Some(0));
        let (real, text) = editor(&bench, file);
        let behind = real.parent().unwrap();
        symlink(behind, bench.folder().join("project").join(folder)).unwrap();
        names_the_link(&install(&bench, client, &["--write"]), folder);
        assert_eq!(fs::read_to_string(&real).unwrap(), text, "{client}");
        fs::remove_file(&real).unwrap();
        names_the_link(&install(&bench, client, &["--write"]), folder);
        assert_eq!(fs::read_dir(behind).unwrap().count(), 0, "{client}");
    }
}

/// A link above the project is the person's own, and so is one in a file of their own.
#[test]
fn a_client_is_told_in_plain_files_and_folders() {
    for (client, file) in CLIENTS {
        let (bench, _) = checkout();
        assert_eq!(bench.run(&["init"]).code, Some(0));
        let link = bench.folder().join("link-to-project");
        symlink(bench.folder().join("project"), &link).unwrap();
        let args = ["-C", link.to_str().unwrap(), "mcp", "install", "--write"];
        let of = ["--client", client, "--scope", "project"];
        let wrote = bench.run(&[&args[..], &of].concat());
        assert_eq!(wrote.code, Some(0), "{client}: {wrote:?}");
        let text = fs::read_to_string(bench.folder().join("project").join(file)).unwrap();
        assert!(text.contains("gavel") && text.contains("mcp"), "{text}");
        let again = install(&bench, client, &["--write"]);
        assert!(again.stdout.contains("nothing was changed"), "{again:?}");
    }
}
