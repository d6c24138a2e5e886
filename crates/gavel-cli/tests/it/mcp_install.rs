//! `gavel mcp install`: clients are told of the server, and their files keep what is theirs.

use std::fs;
use std::path::{Path, PathBuf};

use crate::bench::{Bench, Ended, ended};

/// Each client, its file below the project, and its file below the home.
const CLIENTS: [(&str, &str, &str); 6] = [
    ("claude-code", ".mcp.json", ".claude.json"),
    ("cursor", ".cursor/mcp.json", ".cursor/mcp.json"),
    ("vscode", ".vscode/mcp.json", ".config/Code/User/mcp.json"),
    ("codex", ".codex/config.toml", ".codex/config.toml"),
    ("zed", ".zed/settings.json", ".config/zed/settings.json"),
    (
        "gemini-cli",
        ".gemini/settings.json",
        ".gemini/settings.json",
    ),
];

fn install(bench: &Bench, client: &str, more: &[&str]) -> Ended {
    let mut args = vec!["mcp", "install", "--client", client];
    args.extend(more);
    bench.run(&args)
}

fn project(bench: &Bench) -> PathBuf {
    assert_eq!(bench.run(&["init"]).code, Some(0));
    bench.folder().join("project")
}

fn copies(file: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(file.parent().unwrap()).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut copies: Vec<_> = paths
        .filter(|path| path.to_string_lossy().contains("before-gavel"))
        .collect();
    copies.sort();
    copies
}

#[test]
fn without_write_nothing_is_written() {
    let bench = Bench::new();
    let project = project(&bench);
    for (client, file, _) in CLIENTS {
        let shown = install(&bench, client, &[]);
        assert_eq!(shown.code, Some(0), "{shown:?}");
        let path = project.join(file).display().to_string();
        assert!(shown.stdout.contains(&path), "{shown:?}");
        assert!(shown.stdout.contains("gavel"), "{shown:?}");
        assert!(!project.join(file).exists(), "{client}");
    }
}

#[test]
fn every_client_is_told_once() {
    let bench = Bench::new();
    let project = project(&bench);
    let home = bench.folder().join("home");
    for (client, in_project, in_home) in CLIENTS {
        for (scope, file) in [
            ("project", project.join(in_project)),
            ("user", home.join(in_home)),
        ] {
            let wrote = install(&bench, client, &["--write", "--scope", scope]);
            assert_eq!(wrote.code, Some(0), "{wrote:?}");
            let text = fs::read_to_string(&file).unwrap();
            assert!(text.contains("gavel") && text.contains("mcp"), "{text}");
            assert!(
                wrote.stdout.lines().any(|line| line.starts_with("+ ")),
                "{wrote:?}"
            );
            let again = install(&bench, client, &["--write", "--scope", scope]);
            assert!(again.stdout.contains("nothing was changed"), "{again:?}");
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
            assert_eq!(
                copies(&file),
                Vec::<PathBuf>::new(),
                "there was no file before"
            );
        }
    }
    let codex = fs::read_to_string(project.join(".codex/config.toml")).unwrap();
    assert_eq!(
        codex,
        "[mcp_servers.gavel]\ncommand = \"gavel\"\nargs = [\"mcp\"]\n"
    );
    let vscode = fs::read_to_string(project.join(".vscode/mcp.json")).unwrap();
    let vscode: serde_json::Value = serde_json::from_str(&vscode).unwrap();
    assert_eq!(
        vscode["servers"]["gavel"],
        serde_json::json!({
            "type": "stdio",
            "command": "gavel",
            "args": ["-C", "${workspaceFolder}", "mcp"],
        })
    );
}

#[test]
fn what_others_wrote_stays_and_a_copy_lies_beside_it() {
    let bench = Bench::new();
    let project = project(&bench);
    let zed = project.join(".zed/settings.json");
    fs::create_dir_all(zed.parent().unwrap()).unwrap();
    let old = "// my editor\n{\n  \"theme\": \"dark\", // at night\n  \"tabs\": [1, 2,],\n}\n";
    fs::write(&zed, old).unwrap();
    let told = bench.json(&["mcp", "install", "--client", "zed", "--write"]);
    assert_eq!(told["changed"], true, "{told}");
    let new = fs::read_to_string(&zed).unwrap();
    for kept in [
        "// my editor\n",
        "\"theme\": \"dark\", // at night\n",
        "\"tabs\": [1, 2,],\n",
    ] {
        assert!(new.contains(kept), "{new}");
    }
    let copy = copies(&zed).pop().unwrap();
    assert_eq!(told["backup"], copy.to_str().unwrap());
    assert_eq!(fs::read_to_string(copy).unwrap(), old);

    let codex = project.join(".codex/config.toml");
    fs::create_dir_all(codex.parent().unwrap()).unwrap();
    let old = "# mine\n[mcp_servers.gavel]\ncommand = \"old\"\nstartup_timeout_sec = 9\n";
    fs::write(&codex, old).unwrap();
    assert_eq!(install(&bench, "codex", &["--write"]).code, Some(0));
    let new = fs::read_to_string(&codex).unwrap();
    assert!(
        new.contains("# mine\n") && new.contains("startup_timeout_sec = 9\n"),
        "{new}"
    );
    assert!(
        new.contains("command = \"gavel\"\n") && !new.contains("old"),
        "{new}"
    );
}

#[test]
fn a_file_that_cannot_be_read_is_left_alone() {
    let bench = Bench::new();
    let project = project(&bench);
    let file = project.join(".mcp.json");
    fs::write(&file, "{\n  \"mcpServers\": {\n").unwrap();
    let refused = install(&bench, "claude-code", &["--write"]);
    assert_eq!(refused.code, Some(6), "{refused:?}");
    assert!(refused.stdout.contains("\"mcpServers\""), "{refused:?}");
    assert!(refused.stderr.contains("line 3"), "{refused:?}");
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        "{\n  \"mcpServers\": {\n"
    );
    assert!(copies(&file).is_empty());
    assert_eq!(install(&bench, "emacs", &[]).code, Some(2));
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_permissions_stay() {
    use std::os::unix::fs::PermissionsExt as _;
    let bench = Bench::new();
    let home = bench.folder().join("home");
    let dotfiles = home.join("dotfiles");
    fs::create_dir_all(&dotfiles).unwrap();
    let real = dotfiles.join("claude.json");
    fs::write(&real, "{}\n").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&real, home.join(".claude.json")).unwrap();
    let wrote = install(&bench, "claude-code", &["--write", "--scope", "user"]);
    assert_eq!(wrote.code, Some(0), "{wrote:?}");
    assert!(home.join(".claude.json").is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains("mcpServers"));
    assert_eq!(
        fs::metadata(&real).unwrap().permissions().mode() & 0o777,
        0o640
    );
}

/// Clients with one file for all projects are told of this project's folder.
#[test]
fn a_client_without_files_of_projects_serves_this_one() {
    let bench = Bench::new();
    let project = project(&bench);
    let home = bench.folder().join("home");
    for (client, file) in [
        ("windsurf", ".codeium/windsurf/mcp_config.json"),
        (
            "claude-desktop",
            ".config/Claude/claude_desktop_config.json",
        ),
    ] {
        let refused = install(&bench, client, &["--scope", "project"]);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        let wrote = install(&bench, client, &["--write"]);
        assert_eq!(wrote.code, Some(0), "{wrote:?}");
        let text = fs::read_to_string(home.join(file)).unwrap();
        let told: serde_json::Value = serde_json::from_str(&text).unwrap();
        let args = &told["mcpServers"]["gavel"]["args"];
        let project = project.canonicalize().unwrap();
        assert_eq!(*args, serde_json::json!(["-C", project, "mcp"]), "{client}");
    }
}

/// A file of one's own belongs to no project; only a client that cannot say its folder needs one.
#[test]
fn the_users_own_file_needs_no_project() {
    let bench = Bench::new();
    let nowhere = bench.folder().join("nowhere");
    fs::create_dir(&nowhere).unwrap();
    let at = nowhere.to_str().unwrap();
    let home = bench.folder().join("home");
    for (client, _, in_home) in CLIENTS {
        let args = ["-C", at, "mcp", "install", "--client", client];
        let wrote = bench.run(&[&args[..], &["--scope", "user", "--write"]].concat());
        assert_eq!(wrote.code, Some(0), "{client}: {wrote:?}");
        let text = fs::read_to_string(home.join(in_home)).unwrap();
        assert!(text.contains("mcp"), "{client}: {text}");
        let lost = bench.run(&[&args[..], &["--scope", "project"]].concat());
        assert_eq!(lost.code, Some(2), "{client}: {lost:?}");
        assert!(lost.stderr.contains("belongs to no project"), "{lost:?}");
    }
    let shown = bench.run(&["-C", at, "mcp", "install", "--client", "goose"]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    let lost = bench.run(&["-C", at, "mcp", "install", "--client", "windsurf"]);
    assert_eq!(lost.code, Some(2), "{lost:?}");
}

/// Nothing here edits YAML: what belongs into the file is shown, and it stays as it is.
#[test]
fn yaml_is_shown_and_left_alone() {
    let bench = Bench::new();
    project(&bench);
    let file = bench.folder().join("home/.config/goose/config.yaml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let old = "GOOSE_MODEL: mine # and nobody else's\n";
    fs::write(&file, old).unwrap();
    let shown = install(&bench, "goose", &[]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    let entry = "extensions:\n  gavel:\n    enabled: true\n    type: \"stdio\"\n";
    assert!(shown.stdout.contains(entry), "{shown:?}");
    assert!(!shown.stdout.contains("--write"), "{shown:?}");
    let refused = install(&bench, "goose", &["--write"]);
    assert_eq!(refused.code, Some(6), "{refused:?}");
    assert!(refused.stdout.contains(entry), "{refused:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), old);
}

/// A link to the program outlives the version behind it.
#[cfg(unix)]
#[test]
fn the_program_is_named_as_it_was_called() {
    use std::os::unix::process::CommandExt as _;
    let bench = Bench::new();
    project(&bench);
    let link = bench.folder().join("home/bin/gavel");
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_gavel"), &link).unwrap();
    let mut command = bench.command(&["mcp", "install", "--client", "zed", "--scope", "user"]);
    let called = ended(command.arg0(&link).spawn().unwrap());
    assert_eq!(called.code, Some(0), "{called:?}");
    let named = format!("\"command\": \"{}\"", link.display());
    assert!(called.stdout.contains(&named), "{called:?}");
}
