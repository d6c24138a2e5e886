//! `gavel mcp install`: clients are told of the server, and their files keep what is theirs.

use std::fs;
use std::path::{Path, PathBuf};

use crate::bench::{Bench, Ended};

/// Each client, its file below the project, and its file below the home.
const CLIENTS: [(&str, &str, &str); 5] = [
    ("claude-code", ".mcp.json", ".claude.json"),
    ("cursor", ".cursor/mcp.json", ".cursor/mcp.json"),
    ("vscode", ".vscode/mcp.json", ".config/Code/User/mcp.json"),
    ("codex", ".codex/config.toml", ".codex/config.toml"),
    ("zed", ".zed/settings.json", ".config/zed/settings.json"),
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
